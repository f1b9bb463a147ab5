/* SPDX-License-Identifier: Apache-2.0 */
/* Writes edges to the spool, in chunks, before their vertices have numbers. The first chunks stay
 * in memory, up to a limit; the others go to a temporary file. Each writer fills a chunk of its
 * own, so writers need a lock only once per chunk. spool_chunks.c reads the chunks back. */
#include "engine/builder/edges/spool_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

/* Edges in a group: their ids decide the width of the chunk that they go to. A group has 16 KiB, so
 * that the second pass over it reads from L1. */
enum { GROUP_EDGES = 1024 };

/* Chunks in memory come in slabs of huge pages: their page faults cost a quarter of those of as
 * many small pages. */
enum { SLAB_CHUNKS = 8 };

/* Create a spool without opening its file. */
static enum mr_status create(const struct mr_context *context, unsigned n_writers,
                             struct mr_spool **out, struct mr_error *err)
{
    struct mr_spool *spool = calloc(1, sizeof *spool + n_writers * sizeof(struct spool_writer));
    if (spool == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the spool of links");
    }
    spool->context = context;
    spool->n_writers = n_writers;
    spool->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    *out = spool;
    return MR_OK;
}

enum mr_status mr_spool_create(const struct mr_context *context,
                               const struct mr_spool_options *options, struct mr_scratch_use *use,
                               struct mr_spool **out, struct mr_error *err)
{
    struct mr_spool *spool = NULL;

    *out = NULL;
    assert(options->n_writers >= 1);
    enum mr_status status = create(context, options->n_writers, &spool, err);
    if (status != MR_OK) {
        return status;
    }
    spool->swap = options->swap;
    spool->has_room = spool->has_weights = options->has_weights;
    spool->resident_limit = options->resident_bytes;
    *out = spool;
    return mr_scratch_file_open(context, options->directory, options->stem, use, &spool->file, err);
}

/* ---- Slabs ---- */

void mr_spool_release_slab(struct mr_spool *spool, struct spool_slab *slab)
{
    if (slab != NULL && atomic_fetch_sub(&slab->n_left, 1) == 1) {
        mr_memory_free(spool->context->memory, slab->memory);
        atomic_fetch_sub(&spool->resident_bytes, SLAB_CHUNKS * (uint64_t)MR_SPOOL_CHUNK_BYTES);
        free(slab);
    }
}

/* Allocate another slab if the limit allows it, and the memory with a buffer for each writer, which
 * writes to the file when no slab is left. Returns NULL otherwise; the chunk then goes to the
 * file. */
static struct spool_slab *new_slab(struct mr_spool *spool)
{
    const uint64_t bytes = SLAB_CHUNKS * (uint64_t)MR_SPOOL_CHUNK_BYTES;
    if (atomic_load(&spool->resident_bytes) + bytes > spool->resident_limit) {
        return NULL;
    }
    const uint64_t buffers = spool->n_writers * (uint64_t)MR_SPOOL_CHUNK_BYTES;
    struct spool_slab *slab = malloc(sizeof *slab);
    if (slab == NULL || mr_memory_available(spool->context->memory) < bytes + buffers ||
        mr_memory_array(spool->context->memory, "spool", bytes, &slab->memory, NULL) != MR_OK) {
        free(slab);
        spool->resident_limit = 0;
        return NULL;
    }
    atomic_init(&slab->n_left, 1);
    atomic_fetch_add(&spool->resident_bytes, bytes);
    return slab;
}

/* Give the next chunk of the slab to `writer`. Its buffer stays NULL if there is none. */
static void give_chunk(struct mr_spool *spool, struct spool_writer *writer)
{
    (void)pthread_mutex_lock(&spool->mutex);
    if (spool->slab == NULL || spool->n_given == SLAB_CHUNKS) {
        mr_spool_release_slab(spool, spool->slab);
        spool->slab = new_slab(spool);
        spool->n_given = 0;
    }
    if (spool->slab != NULL) {
        writer->slab = spool->slab;
        writer->buffer = spool->slab->memory + (size_t)spool->n_given++ * MR_SPOOL_CHUNK_BYTES;
        atomic_fetch_add(&spool->slab->n_left, 1);
    }
    (void)pthread_mutex_unlock(&spool->mutex);
}

static enum mr_status new_buffer(struct mr_spool *spool, struct spool_writer *writer,
                                 struct mr_error *err)
{
    give_chunk(spool, writer);
    return writer->buffer != NULL ? MR_OK
                                  : mr_memory_array(spool->context->memory, "spool buffer",
                                                    MR_SPOOL_CHUNK_BYTES, &writer->buffer, err);
}

static void free_buffer(struct mr_spool *spool, struct spool_writer *writer)
{
    if (writer->slab != NULL) {
        mr_spool_release_slab(spool, writer->slab);
    } else {
        mr_memory_free(spool->context->memory, writer->buffer);
    }
    writer->slab = NULL;
    writer->buffer = NULL;
}

void mr_spool_destroy(struct mr_spool *spool)
{
    if (spool == NULL) {
        return;
    }
    for (unsigned i = 0; i < spool->n_writers; i++) {
        free_buffer(spool, &spool->writers[i]);
    }
    for (uint64_t i = 0; i < spool->n_chunks; i++) {
        mr_spool_release_slab(spool, spool->locations[i].slab);
    }
    mr_spool_release_slab(spool, spool->slab);
    mr_scratch_file_close(spool->file);
    mr_memory_free(spool->context->memory, spool->locations);
    free(spool);
}

/* ---- Adding ---- */

/* Assign a number to the chunk that `writer` filled. */
static enum mr_status add_location(struct mr_spool *spool, const struct spool_writer *writer,
                                   uint64_t *index, struct mr_error *err)
{
    (void)pthread_mutex_lock(&spool->mutex);
    const enum mr_status status =
        mr_memory_grow(spool->context->memory, "spool directory", spool->n_chunks + 1,
                       &spool->locations, &spool->locations_capacity, err);
    if (status == MR_OK) {
        struct spool_location *location = &spool->locations[spool->n_chunks];
        *location = (struct spool_location){.n_edges = writer->n_buffered,
                                            .is_wide = writer->is_wide,
                                            .slab = writer->slab,
                                            .first = writer->first,
                                            .memory = writer->slab != NULL ? writer->buffer : NULL};
        spool->bytes += mr_spool_location_bytes(spool, location);
        *index = spool->n_chunks++;
    }
    (void)pthread_mutex_unlock(&spool->mutex);
    return status;
}

/* Finish the chunk that `writer` fills. The next edge begins another. */
static enum mr_status flush(struct mr_spool *spool, struct spool_writer *writer,
                            struct mr_error *err)
{
    const uint64_t bytes = mr_spool_chunk_bytes(spool, writer->n_buffered, writer->is_wide);
    uint64_t index;
    if (writer->n_buffered == 0) {
        return MR_OK;
    }
    enum mr_status status = add_location(spool, writer, &index, err);
    if (status != MR_OK) {
        return status;
    }
    if (writer->slab != NULL) { /* the memory stays; it now belongs to the chunk */
        writer->slab = NULL;
        writer->buffer = NULL;
    } else {
        status = mr_scratch_file_write(spool->file, writer->buffer, bytes,
                                       index * MR_SPOOL_CHUNK_BYTES, err);
        atomic_fetch_add(&spool->disk_bytes, bytes);
    }
    writer->n_buffered = 0;
    return status;
}

/* `first` is the index of the source in a pair: 0, or 1 if edges are reversed. */
static void pack_narrow(const struct mr_edge *restrict edges, uint32_t n_edges, unsigned first,
                        uint32_t (*restrict out)[2])
{
    for (uint32_t i = 0; i < n_edges; i++) {
        out[i][first] = (uint32_t)edges[i].source;
        out[i][1 - first] = (uint32_t)edges[i].target;
    }
}

static void pack_wide(const struct mr_edge *restrict edges, uint32_t n_edges, unsigned first,
                      uint64_t (*restrict out)[2])
{
    for (uint32_t i = 0; i < n_edges; i++) {
        out[i][first] = edges[i].source;
        out[i][1 - first] = edges[i].target;
    }
}

/* Adds at most GROUP_EDGES edges. */
static enum mr_status add_group(struct mr_spool *spool, struct spool_writer *writer,
                                const struct mr_edge *edges, const float *weights, uint32_t n_edges,
                                struct mr_error *err)
{
    uint64_t max_id = writer->max_id, bits = 0, n_self_loops = 0;
    for (uint32_t i = 0; i < n_edges; i++) {
        bits |= edges[i].source | edges[i].target;
        n_self_loops += edges[i].source == edges[i].target;
        max_id = mr_max_u64(max_id, mr_max_u64(edges[i].source, edges[i].target));
    }
    writer->max_id = max_id;
    writer->n_self_loops += n_self_loops;

    /* A wide chunk stays wide until it is full, so that mixed input does not cause many short
     * chunks. */
    bool is_wide = bits >> 32 != 0;
    uint32_t room = mr_spool_chunk_edges(spool, writer->is_wide) - writer->n_buffered;
    enum mr_status status = MR_OK;
    if (room < n_edges || (is_wide && !writer->is_wide)) {
        status = flush(spool, writer, err);
    }
    if (status == MR_OK && writer->buffer == NULL) {
        status = new_buffer(spool, writer, err);
    }
    if (status != MR_OK) {
        return status;
    }
    if (writer->n_buffered == 0) {
        writer->is_wide = is_wide;
        writer->first = 0;
    }
    if (writer->is_wide) {
        uint64_t(*out)[2] = (void *)writer->buffer;
        pack_wide(edges, n_edges, spool->swap, out + writer->n_buffered);
    } else {
        uint32_t(*out)[2] = (void *)writer->buffer;
        pack_narrow(edges, n_edges, spool->swap, out + writer->n_buffered);
    }
    if (spool->has_weights) {
        char *out = writer->buffer + mr_spool_weights_offset(spool, writer->is_wide);
        memcpy(out + (uint64_t)SPOOL_WEIGHT_BYTES * writer->n_buffered, weights,
               (uint64_t)SPOOL_WEIGHT_BYTES * n_edges);
    }
    writer->n_buffered += n_edges;
    writer->n_edges += n_edges;
    return MR_OK;
}

enum mr_status mr_spool_add(struct mr_spool *spool, unsigned writer, const struct mr_edge *edges,
                            const float *weights, size_t n_edges, struct mr_error *err)
{
    assert(!spool->is_sealed && writer < spool->n_writers);
    assert(!spool->has_weights || weights != NULL);
    while (n_edges > 0) {
        uint32_t group = n_edges < GROUP_EDGES ? (uint32_t)n_edges : GROUP_EDGES;
        enum mr_status status =
            add_group(spool, &spool->writers[writer], edges, weights, group, err);
        if (status != MR_OK) {
            return status;
        }
        edges += group;
        weights = weights == NULL ? NULL : weights + group;
        n_edges -= group;
    }
    return MR_OK;
}

enum mr_status mr_spool_room(struct mr_spool *spool, unsigned writer, uint32_t (**pairs)[2],
                             uint32_t *n_edges, struct mr_error *err)
{
    struct spool_writer *filling = &spool->writers[writer];
    enum mr_status status = MR_OK;
    assert(!spool->is_sealed && writer < spool->n_writers);
    *pairs = NULL;
    if (spool->swap || spool->has_room) {
        return MR_OK;
    }
    if (filling->n_buffered > 0 &&
        (filling->is_wide || filling->n_buffered == mr_spool_chunk_edges(spool, false))) {
        status = flush(spool, filling, err);
    }
    if (status == MR_OK && filling->buffer == NULL) {
        status = new_buffer(spool, filling, err);
    }
    if (status == MR_OK) {
        filling->is_wide = false;
        *pairs = (uint32_t(*)[2])(void *)filling->buffer + filling->n_buffered;
        *n_edges = mr_spool_chunk_edges(spool, false) - filling->n_buffered;
    }
    return status;
}

void mr_spool_filled(struct mr_spool *spool, unsigned writer, uint32_t n_edges, uint64_t first)
{
    struct spool_writer *filling = &spool->writers[writer];
    const uint32_t(*pairs)[2] = (uint32_t(*)[2])(void *)filling->buffer + filling->n_buffered;
    uint32_t max_id = 0, n_self_loops = 0;
    assert(n_edges <= mr_spool_chunk_edges(spool, false) - filling->n_buffered &&
           !filling->is_wide);
    for (uint32_t i = 0; i < n_edges; i++) {
        n_self_loops += pairs[i][0] == pairs[i][1];
        max_id = pairs[i][0] > max_id ? pairs[i][0] : max_id;
        max_id = pairs[i][1] > max_id ? pairs[i][1] : max_id;
    }
    filling->first = filling->n_buffered == 0 ? first : filling->first;
    filling->max_id = mr_max_u64(filling->max_id, max_id);
    filling->n_self_loops += n_self_loops;
    filling->n_buffered += n_edges;
    filling->n_edges += n_edges;
}

void mr_spool_forget_weights(struct mr_spool *spool)
{
    spool->has_weights = false;
}

enum mr_status mr_spool_seal(struct mr_spool *spool, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    for (unsigned i = 0; i < spool->n_writers; i++) {
        if (status == MR_OK) {
            status = flush(spool, &spool->writers[i], err);
        }
        free_buffer(spool, &spool->writers[i]);
    }
    mr_spool_release_slab(spool, spool->slab);
    spool->slab = NULL;
    spool->is_sealed = true;
    return status;
}

/* ---- What is in it ---- */

struct mr_spool_figures mr_spool_figures_of(const struct mr_spool *spool)
{
    struct mr_spool_figures figures = {
        .n_chunks = spool->n_chunks,
        .bytes = spool->bytes,
        .resident_bytes = atomic_load(&spool->resident_bytes),
        .disk_bytes = atomic_load(&spool->disk_bytes),
    };
    for (unsigned i = 0; i < spool->n_writers; i++) {
        const struct spool_writer *writer = &spool->writers[i];
        figures.n_edges += writer->n_edges;
        figures.n_self_loops += writer->n_self_loops;
        figures.max_id = mr_max_u64(figures.max_id, writer->max_id);
    }
    return figures;
}
