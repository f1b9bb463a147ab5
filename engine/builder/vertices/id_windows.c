/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the ids of an id set in an array, and numbers those that do not fit in memory.
 *
 * A window collects the smallest ids from its first one on. When it is full and memory has no room
 * for a larger one, its larger half is dropped, and the least dropped id begins the next window.
 * This needs no knowledge of how the ids are spread, which files of crawlers do not give. More
 * windows only take longer, and the numbers do not depend on where windows end. */
#include <pthread.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/builder/vertices/id_set_internal.h"

/* A chunk has at most this many ids: narrow ones of 4 bytes. */
enum { CHUNK_IDS = MR_SPOOL_CHUNK_BYTES / 4 };

/* A window has room for the ids of a chunk in its last quarter. */
#define MIN_WINDOW_IDS ((uint64_t)4 * CHUNK_IDS)

enum { SEEN_BITS = 12, MAX_PREFIX_BITS = 28 };

/* The ids from `low` on, below `high` if that is known; they stand in set->window. */
struct windows {
    struct mr_id_set *set;
    struct mr_spool_scan scan;
    pthread_mutex_t mutex; /* guards the window, high, has_high */
    uint64_t *found; /* [n_workers][CHUNK_IDS] */
    uint64_t most_ids; /* of a window */
    uint64_t max_id; /* of the spool */
    uint64_t low, high;
    bool has_high;
    struct mr_scratch_file *before; /* vertices of earlier windows, or NULL */
};

void mr_id_list_free(struct mr_id_set *set, struct id_list *list)
{
    mr_memory_free(set->context->memory, list->ids);
    *list = (struct id_list){0};
}

void mr_id_list_sort(struct id_list *list)
{
    mr_sort_u64_in_place(list->ids, list->n);
    list->n = mr_unique_u64(list->ids, list->n);
}

enum mr_status mr_id_too_many(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_INPUT,
                        "the graph has more than 4294967295 pages, the most a store can hold");
}

/* ---- First reading: the ids of a window ---- */

/* Sort the ids, each once, and cut them at `high`. */
static void condense(const struct windows *windows)
{
    struct id_list *window = &windows->set->window;
    mr_id_list_sort(window);
    while (windows->has_high && window->n > 0 && window->ids[window->n - 1] >= windows->high) {
        window->n--;
    }
}

static enum mr_status resize(struct mr_id_set *set, uint64_t room, struct mr_error *err)
{
    const enum mr_status status = mr_memory_resize(
        set->context->memory, MR_ID_MEMORY, &set->window.ids, room * sizeof *set->window.ids, err);
    set->window.room = status == MR_OK ? room : set->window.room;
    return status;
}

/* Have room for the ids of a chunk. A window that doubles when it is a quarter full is sorted 1.3
 * times for each id that comes. */
static enum mr_status make_room(struct windows *windows, struct mr_error *err)
{
    struct id_list *window = &windows->set->window;
    condense(windows);
    if (window->n > window->room / 4 && window->room < windows->most_ids) {
        return resize(windows->set, mr_min_u64(2 * window->room, windows->most_ids), err);
    }
    if (window->n > window->room / 4 * 3) {
        window->n = window->room / 2;
        windows->high = window->ids[window->n];
        windows->has_high = true;
    }
    return MR_OK;
}

/* Add ids of at most one chunk. */
static enum mr_status add(struct windows *windows, const uint64_t *ids, size_t n,
                          struct mr_error *err)
{
    struct id_list *window = &windows->set->window;
    enum mr_status status = MR_OK;
    (void)pthread_mutex_lock(&windows->mutex);
    while (status == MR_OK && window->room - window->n < n) {
        status = make_room(windows, err);
    }
    for (size_t i = 0; status == MR_OK && i < n; i++) {
        window->ids[window->n++] = ids[i];
    }
    (void)pthread_mutex_unlock(&windows->mutex);
    return status;
}

static enum mr_status collect_chunk(void *data, unsigned worker, struct mr_spool_chunk *chunk,
                                    struct mr_error *err)
{
    struct windows *windows = data;
    uint64_t *found = windows->found + (uint64_t)worker * CHUNK_IDS;
    /* Ids found recently, + 1, since hubs and sources come often. */
    uint64_t seen[1 << SEEN_BITS] = {0};
    size_t n_found = 0;
    const enum mr_status status = mr_spool_chunk_check(chunk, windows->max_id, err);
    (void)pthread_mutex_lock(&windows->mutex);
    const uint64_t last = windows->has_high ? windows->high - 1 : UINT64_MAX;
    (void)pthread_mutex_unlock(&windows->mutex);
    for (size_t i = 0; status == MR_OK && i < 2 * (size_t)chunk->n_edges; i++) {
        const uint64_t id = mr_id_of_chunk(chunk, i);
        uint64_t *const place = &seen[id * 0x9e3779b97f4a7c15u >> (64 - SEEN_BITS)];
        found[n_found] = id;
        n_found += id >= windows->low && id <= last && (*place != id + 1 || id == UINT64_MAX);
        *place = id + 1;
    }
    return status == MR_OK ? add(windows, found, n_found, err) : status;
}

/* Collect the ids from windows->low on. */
static enum mr_status collect_window(struct windows *windows, struct mr_error *err)
{
    const struct id_list *declared = &windows->set->declared;
    windows->has_high = false;
    windows->set->window.n = 0;
    enum mr_status status =
        mr_spool_scan_raw(windows->set->context, &windows->scan, collect_chunk, windows, err);
    for (uint64_t i = 0; i < declared->n && status == MR_OK; i++) {
        if (declared->ids[i] >= windows->low) {
            status = add(windows, &declared->ids[i], 1, err);
        }
    }
    condense(windows);
    return status;
}

/* ---- Second reading: their vertices ---- */

enum mr_status mr_id_window_index(struct mr_id_set *set, struct mr_error *err)
{
    const struct id_list *window = &set->window;
    const uint64_t range = window->ids[window->n - 1] - window->ids[0];
    /* Four to eight ids per prefix, if the ids are spread evenly. */
    const unsigned n_bits = 64 - (unsigned)__builtin_clzll(window->n);
    const unsigned wanted = n_bits > 3 ? n_bits - 3 : 0;
    const unsigned prefix_bits = wanted < MAX_PREFIX_BITS ? wanted : MAX_PREFIX_BITS;
    mr_memory_free(set->context->memory, set->directory);
    set->shift = 0;
    while (set->shift < 63 && range >> set->shift >> prefix_bits != 0) {
        set->shift++;
    }
    const uint64_t n_prefixes = (range >> set->shift) + 1;
    const enum mr_status status =
        mr_memory_array(set->context->memory, MR_ID_MEMORY, n_prefixes + 1, &set->directory, err);
    uint64_t at = 0;
    for (uint64_t i = 0; status == MR_OK && i <= n_prefixes; i++) {
        while (at < window->n && (window->ids[at] - window->ids[0]) >> set->shift < i) {
            at++;
        }
        set->directory[i] = (uint32_t)at;
    }
    return status;
}

static enum mr_status number_chunk(void *data, unsigned worker, struct mr_spool_chunk *chunk,
                                   struct mr_error *err)
{
    const struct windows *windows = data;
    const struct mr_id_set *set = windows->set;
    uint32_t *vertices = (uint32_t *)(void *)(windows->found + (uint64_t)worker * CHUNK_IDS);
    const size_t n = 2 * (size_t)chunk->n_edges;
    const uint64_t offset = chunk->index * MR_SPOOL_CHUNK_BYTES, bytes = n * sizeof *vertices;
    const uint64_t least = set->window.ids[0], most = set->window.ids[set->window.n - 1];
    enum mr_status status = MR_OK;
    if (windows->before != NULL) {
        status = mr_scratch_file_read(windows->before, vertices, bytes, offset, err);
    }
    for (size_t i = 0, some = 0; status == MR_OK && i < n; i += some) {
        uint64_t ids[MR_IDS_TOGETHER];
        uint32_t places[MR_IDS_TOGETHER];
        some = mr_min_u64(n - i, MR_IDS_TOGETHER);
        for (size_t k = 0; k < some; k++) {
            ids[k] = mr_id_of_chunk(chunk, i + k);
        }
        mr_id_window_find(set, ids, some, places);
        for (size_t k = 0; k < some; k++) {
            if (places[k] != MR_ID_ABSENT) {
                vertices[i + k] = (uint32_t)set->n_ids + places[k];
            } else if (ids[k] >= least && ids[k] <= most) {
                return mr_scratch_changed(err);
            }
        }
    }
    return status == MR_OK ? mr_scratch_file_write(set->pairs, vertices, bytes, offset, err)
                           : status;
}

static enum mr_status keep_window(struct windows *windows, struct mr_error *err)
{
    struct mr_id_set *set = windows->set;
    const struct mr_id_set_options *options = &set->options;
    const struct id_list *window = &set->window;
    if (window->n > UINT32_MAX - set->n_ids) {
        return mr_id_too_many(err);
    }
    windows->before = set->pairs;
    set->pairs = NULL;
    enum mr_status status = mr_id_window_index(set, err);
    if (status == MR_OK) {
        status = mr_scratch_file_open(set->context, options->directory, options->stem, options->use,
                                      &set->pairs, err);
    }
    if (status == MR_OK) {
        status = mr_spool_scan_raw(set->context, &windows->scan, number_chunk, windows, err);
    }
    mr_scratch_file_close(windows->before);
    windows->before = NULL;
    if (status == MR_OK) {
        status = mr_scratch_file_write(set->ids, window->ids, window->n * sizeof *window->ids,
                                       set->n_ids * sizeof *window->ids, err);
        set->n_ids += window->n;
        set->max_id = window->ids[window->n - 1];
    }
    return status;
}

/* ---- All windows ---- */

static enum mr_status open_windows(struct mr_id_set *set, struct mr_spool *spool,
                                   struct windows *windows, struct mr_error *err)
{
    struct mr_memory *memory = set->context->memory;
    const struct mr_spool_figures figures = mr_spool_figures_of(spool);
    *windows = (struct windows){
        .set = set,
        .scan = {.stage = "number",
                 .spool = spool,
                 .n_workers = mr_spool_scan_workers(set->context, CHUNK_IDS * sizeof(uint64_t)),
                 .in_place = true},
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .max_id = figures.max_id,
    };
    enum mr_status status = mr_memory_array(
        memory, MR_ID_MEMORY, (uint64_t)windows->scan.n_workers * CHUNK_IDS, &windows->found, err);
    const uint64_t n_most = 2 * figures.n_edges + set->declared.n + CHUNK_IDS;
    const uint64_t fit = mr_memory_available(memory) / 2 / sizeof *set->window.ids;
    const uint64_t wanted =
        set->options.window_ids != 0 ? set->options.window_ids : mr_min_u64(fit, n_most);
    windows->most_ids = mr_max_u64(MIN_WINDOW_IDS, mr_min_u64(wanted, UINT32_MAX));
    return status == MR_OK ? resize(set, MIN_WINDOW_IDS, err) : status;
}

enum mr_status mr_id_windows_try(struct mr_id_set *set, struct mr_spool *spool, bool *is_all,
                                 struct mr_error *err)
{
    struct windows windows;
    enum mr_status status = open_windows(set, spool, &windows, err);
    if (status == MR_OK) {
        status = collect_window(&windows, err);
    }
    if (status == MR_OK && set->window.n > 0) {
        status = resize(set, set->window.n, err);
    }
    *is_all = !windows.has_high;
    mr_memory_free(set->context->memory, windows.found);
    return status;
}

enum mr_status mr_id_windows_to_disk(struct mr_id_set *set, struct mr_spool *spool,
                                     struct mr_error *err)
{
    const struct mr_id_set_options *options = &set->options;
    struct windows windows = {.set = set};
    enum mr_status status = mr_spool_evict(spool, err);
    set->representation = ON_DISK;
    set->n_ids = set->max_id = 0;
    if (status == MR_OK) {
        status = mr_scratch_file_open(set->context, options->directory, options->stem, options->use,
                                      &set->ids, err);
    }
    if (status == MR_OK) {
        status = open_windows(set, spool, &windows, err);
    }
    do {
        windows.low = windows.high;
        status = status == MR_OK ? collect_window(&windows, err) : status;
        if (status == MR_OK && set->window.n > 0) {
            status = keep_window(&windows, err);
        }
    } while (status == MR_OK && windows.has_high);
    mr_memory_free(set->context->memory, windows.found);
    mr_memory_free(set->context->memory, set->directory);
    set->directory = NULL;
    mr_id_list_free(set, &set->window);
    return status;
}
