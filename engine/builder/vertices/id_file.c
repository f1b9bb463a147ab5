/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers sparse ids that do not fit in memory. It stands between the spool and the numbering,
 * where an id set would stand otherwise.
 *
 * A window collects the smallest ids from its first one on. When it is full, its larger half is
 * dropped, and the least dropped id begins the next window. This needs no knowledge of how the ids
 * are spread, which files of crawlers do not give. More windows only take longer, and the numbers
 * do not depend on where windows end. */
#include "engine/builder/vertices/id_file.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"

/* A chunk has at most this many ids: narrow ones of 4 bytes. */
enum { CHUNK_IDS = MR_SPOOL_CHUNK_BYTES / 4 };

/* A window has room for the ids of a chunk in its last quarter. */
#define MIN_WINDOW_IDS ((uint64_t)4 * CHUNK_IDS)

enum { DIRECTORY_BITS = 16 };

static const char array_name[] = "page ids";

struct mr_id_file {
    const struct mr_context *context;
    struct mr_scratch_file *ids; /* ascending */
    struct mr_scratch_file *pairs; /* the vertices of chunk i begin at i * MR_SPOOL_CHUNK_BYTES */
    uint64_t n_ids, max_id;
};

/* The ids from `low` on, below `high` if that is known. */
struct window {
    struct mr_id_file *file;
    pthread_mutex_t mutex; /* guards ids, n_ids, high, has_high */
    uint64_t *ids; /* [capacity] */
    uint64_t n_ids, capacity;
    uint64_t low, high;
    bool has_high;
    uint64_t *found; /* [n_workers][CHUNK_IDS] */
    /* For the second reading. Ids are sorted; those that begin with the same bits as first + (i <<
     * shift) stand from directory[i] to directory[i + 1]. */
    uint32_t *directory; /* [2^DIRECTORY_BITS + 1] */
    unsigned shift;
    struct mr_scratch_file *before; /* vertices of earlier windows, or NULL */
};

static enum mr_status changed(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_RUNTIME,
                        "the temporary files changed while they were in use; check the disk");
}

static uint64_t id_at(const struct mr_spool_chunk *chunk, size_t i)
{
    return chunk->narrow != NULL ? chunk->narrow[i / 2][i % 2] : chunk->wide[i / 2][i % 2];
}

/* ---- First reading: the ids of a window ---- */

/* Sort the ids, each once, and cut them at `high`. If they then fill more than three quarters, drop
 * the larger half. */
static void condense(struct window *window)
{
    mr_sort_u64_in_place(window->ids, window->n_ids);
    window->n_ids = mr_unique_u64(window->ids, window->n_ids);
    while (window->has_high && window->n_ids > 0 &&
           window->ids[window->n_ids - 1] >= window->high) {
        window->n_ids--;
    }
    if (window->n_ids > window->capacity / 4 * 3) {
        window->n_ids = window->capacity / 2;
        window->high = window->ids[window->n_ids];
        window->has_high = true;
    }
}

static enum mr_status collect(void *data, unsigned worker, struct mr_spool_chunk *chunk,
                              struct mr_error *err)
{
    struct window *window = data;
    uint64_t *found = window->found + (uint64_t)worker * CHUNK_IDS;
    const size_t n = 2 * (size_t)chunk->n_edges;
    size_t n_found = 0;
    (void)err;
    (void)pthread_mutex_lock(&window->mutex);
    const uint64_t last = window->has_high ? window->high - 1 : UINT64_MAX;
    (void)pthread_mutex_unlock(&window->mutex);
    assert(n <= CHUNK_IDS);
    for (size_t i = 0; i < n; i++) {
        const uint64_t id = id_at(chunk, i);
        found[n_found] = id;
        n_found += id >= window->low && id <= last;
    }
    (void)pthread_mutex_lock(&window->mutex);
    if (window->n_ids + n_found > window->capacity) {
        condense(window);
    }
    for (size_t i = 0; i < n_found; i++) {
        window->ids[window->n_ids + i] = found[i];
    }
    window->n_ids += n_found;
    (void)pthread_mutex_unlock(&window->mutex);
    return MR_OK;
}

/* ---- Second reading: their vertices ---- */

static void make_directory(struct window *window)
{
    const uint64_t range = window->ids[window->n_ids - 1] - window->ids[0];
    uint64_t at = 0;
    window->shift = 0;
    while (range >> window->shift >> DIRECTORY_BITS != 0) {
        window->shift++;
    }
    for (uint64_t i = 0; i <= (uint64_t)1 << DIRECTORY_BITS; i++) {
        while (at < window->n_ids && (window->ids[at] - window->ids[0]) >> window->shift < i) {
            at++;
        }
        window->directory[i] = (uint32_t)at;
    }
}

/* The place of `id` in the window, or UINT64_MAX. */
static uint64_t place_of(const struct window *window, uint64_t id)
{
    const uint64_t prefix = (id - window->ids[0]) >> window->shift;
    uint64_t first = window->directory[prefix], end = window->directory[prefix + 1];
    while (first < end) {
        const uint64_t middle = first + (end - first) / 2;
        if (window->ids[middle] < id) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < window->n_ids && window->ids[first] == id ? first : UINT64_MAX;
}

static enum mr_status number_chunk(void *data, unsigned worker, struct mr_spool_chunk *chunk,
                                   struct mr_error *err)
{
    const struct window *window = data;
    struct mr_id_file *file = window->file;
    uint32_t *vertices = (uint32_t *)(void *)(window->found + (uint64_t)worker * CHUNK_IDS);
    const size_t n = 2 * (size_t)chunk->n_edges;
    const uint64_t offset = chunk->index * MR_SPOOL_CHUNK_BYTES, bytes = n * sizeof *vertices;
    const uint64_t least = window->ids[0], most = window->ids[window->n_ids - 1];
    enum mr_status status = MR_OK;
    if (window->before != NULL) {
        status = mr_scratch_file_read(window->before, vertices, bytes, offset, err);
    }
    for (size_t i = 0; status == MR_OK && i < n; i++) {
        const uint64_t id = id_at(chunk, i);
        if (id >= least && id <= most) {
            const uint64_t place = place_of(window, id);
            if (place == UINT64_MAX) {
                return changed(err);
            }
            vertices[i] = (uint32_t)(file->n_ids + place);
        }
    }
    return status == MR_OK ? mr_scratch_file_write(file->pairs, vertices, bytes, offset, err)
                           : status;
}

/* ---- All windows ---- */

static enum mr_status keep_window(struct window *window, const struct mr_spool_scan *scan,
                                  const struct mr_id_file_options *options, struct mr_error *err)
{
    struct mr_id_file *file = window->file;
    if (window->n_ids > UINT32_MAX - file->n_ids) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "the graph has more than 4294967295 pages, the most a store can hold");
    }
    make_directory(window);
    window->before = file->pairs;
    file->pairs = NULL;
    enum mr_status status = mr_scratch_file_open(file->context, options->directory, options->stem,
                                                 options->use, &file->pairs, err);
    if (status == MR_OK) {
        status = mr_spool_scan_raw(file->context, scan, number_chunk, window, err);
    }
    mr_scratch_file_close(window->before);
    window->before = NULL;
    if (status == MR_OK) {
        status = mr_scratch_file_write(file->ids, window->ids, window->n_ids * sizeof *window->ids,
                                       file->n_ids * sizeof *window->ids, err);
        file->n_ids += window->n_ids;
        file->max_id = window->ids[window->n_ids - 1];
    }
    return status;
}

static enum mr_status number_all(struct window *window, const struct mr_spool_scan *scan,
                                 const struct mr_id_file_options *options, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    do {
        window->low = window->high;
        window->has_high = false;
        window->n_ids = 0;
        status = mr_spool_scan_raw(window->file->context, scan, collect, window, err);
        if (status == MR_OK) {
            condense(window);
            if (window->n_ids > 0) {
                status = keep_window(window, scan, options, err);
            }
        }
    } while (status == MR_OK && window->has_high);
    return status;
}

static enum mr_status make_window(struct window *window, const struct mr_spool_scan *scan,
                                  const struct mr_id_file_options *options, struct mr_error *err)
{
    struct mr_memory *memory = window->file->context->memory;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED(array_name, (uint64_t)scan->n_workers * CHUNK_IDS, &window->found),
        MR_WANTED(array_name, ((uint64_t)1 << DIRECTORY_BITS) + 1, &window->directory),
    };
    enum mr_status status = mr_memory_arrays(memory, arrays, err);
    if (status == MR_OK) {
        const uint64_t edges = mr_spool_figures_of(scan->spool).n_edges;
        uint64_t wanted = mr_memory_available(memory) / 2 / sizeof *window->ids;
        wanted = mr_min_u64(wanted, 2 * edges + CHUNK_IDS);
        wanted = options->window_ids != 0 ? options->window_ids : wanted;
        window->capacity = mr_max_u64(MIN_WINDOW_IDS, mr_min_u64(wanted, UINT32_MAX));
        status = mr_memory_array(memory, array_name, window->capacity, &window->ids, err);
    }
    return status;
}

enum mr_status mr_id_file_create(const struct mr_context *context, struct mr_spool *spool,
                                 const struct mr_id_file_options *options, struct mr_id_file **out,
                                 struct mr_error *err)
{
    *out = NULL;
    struct mr_id_file *file = calloc(1, sizeof *file);
    struct window window = {.file = file, .mutex = PTHREAD_MUTEX_INITIALIZER};
    if (file == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a set of ids");
    }
    file->context = context;
    const struct mr_spool_scan scan = {
        .stage = "number",
        .spool = spool,
        .n_workers = mr_spool_scan_workers(context, CHUNK_IDS * sizeof(uint64_t)),
    };
    enum mr_status status = mr_spool_evict(spool, err);
    if (status == MR_OK) {
        status = mr_scratch_file_open(context, options->directory, options->stem, options->use,
                                      &file->ids, err);
    }
    if (status == MR_OK) {
        status = make_window(&window, &scan, options, err);
    }
    if (status == MR_OK) {
        status = number_all(&window, &scan, options, err);
    }
    mr_memory_free(context->memory, window.ids);
    mr_memory_free(context->memory, window.directory);
    mr_memory_free(context->memory, window.found);
    if (status != MR_OK) {
        mr_id_file_destroy(file);
        return status;
    }
    *out = file;
    return MR_OK;
}

void mr_id_file_destroy(struct mr_id_file *file)
{
    if (file != NULL) {
        mr_scratch_file_close(file->pairs);
        mr_scratch_file_close(file->ids);
        free(file);
    }
}

uint64_t mr_id_file_count(const struct mr_id_file *file)
{
    return file->n_ids;
}

bool mr_id_file_is_identity(const struct mr_id_file *file)
{
    return file->n_ids == 0 || file->max_id == file->n_ids - 1;
}

enum mr_status mr_id_file_apply(const struct mr_id_file *file, const struct mr_spool_chunk *chunk,
                                uint32_t (*pairs)[2], struct mr_error *err)
{
    const size_t n = chunk->n_edges;
    uint32_t most = 0;
    enum mr_status status = mr_scratch_file_read(file->pairs, pairs, n * sizeof *pairs,
                                                 chunk->index * MR_SPOOL_CHUNK_BYTES, err);
    for (size_t i = 0; status == MR_OK && i < n; i++) {
        most = pairs[i][0] > most ? pairs[i][0] : most;
        most = pairs[i][1] > most ? pairs[i][1] : most;
    }
    /* The file has been on a disk that may be bad. */
    return status == MR_OK && n > 0 && most >= file->n_ids ? changed(err) : status;
}

enum mr_status mr_id_file_next(const struct mr_id_file *file, uint64_t *cursor, uint64_t *ids,
                               size_t room, size_t *n_ids, struct mr_error *err)
{
    const uint64_t n = mr_min_u64(room, file->n_ids - *cursor), at = *cursor * sizeof *ids;
    *n_ids = n;
    *cursor += n;
    return n > 0 ? mr_scratch_file_read(file->ids, ids, n * sizeof *ids, at, err) : MR_OK;
}
