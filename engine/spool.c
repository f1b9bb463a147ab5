#include "engine/spool.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/bytes.h"
#include "engine/memory.h"

enum { NARROW_BYTES = 8, WIDE_BYTES = 16 };

/* Edges looked at together: their ids decide the width of the chunk they go to. 16 KiB of them, so
 * that the second look finds them in L1. */
enum { GROUP_EDGES = 1024 };

struct mr_spool {
    const struct mr_context *context;
    bool swap;
    struct mr_scratch_file *file;
    struct mr_spool_figures figures;
    void *buffer; /* the chunk being filled; NULL once sealed */
    uint32_t n_buffered;
    bool is_wide; /* the chunk being filled */
    uint32_t *directory; /* [n_chunks]: edges << 1 | is wide */
    uint64_t directory_capacity;
};

enum mr_status mr_spool_create(const struct mr_context *context, const char *directory,
                               const char *stem, bool swap, struct mr_scratch_use *use,
                               struct mr_spool **out, struct mr_error *err)
{
    *out = NULL;
    struct mr_spool *spool = calloc(1, sizeof *spool);
    if (spool == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the spool of edges");
    }
    spool->context = context;
    spool->swap = swap;
    enum mr_status status =
        mr_memory_alloc(context->memory, "spool buffer", MR_SPOOL_CHUNK_BYTES, &spool->buffer, err);
    if (status == MR_OK) {
        status = mr_scratch_file_open(context, directory, stem, use, &spool->file, err);
    }
    if (status != MR_OK) {
        mr_spool_destroy(spool);
        return status;
    }
    *out = spool;
    return MR_OK;
}

void mr_spool_destroy(struct mr_spool *spool)
{
    if (spool == NULL) {
        return;
    }
    mr_scratch_file_close(spool->file);
    mr_memory_free(spool->context->memory, spool->directory);
    mr_memory_free(spool->context->memory, spool->buffer);
    free(spool);
}

static uint32_t edge_bytes(bool is_wide)
{
    return is_wide ? WIDE_BYTES : NARROW_BYTES;
}

/* Write the chunk being filled to the file, and begin the next. */
static enum mr_status flush(struct mr_spool *spool, struct mr_error *err)
{
    if (spool->n_buffered == 0) {
        return MR_OK;
    }
    uint64_t index = spool->figures.n_chunks;
    if (index == spool->directory_capacity) {
        void *pointer = spool->directory;
        uint64_t capacity = 2 * spool->directory_capacity + 1024;
        enum mr_status status =
            mr_memory_resize(spool->context->memory, "spool directory", &pointer,
                             capacity * sizeof *spool->directory, err);
        if (status != MR_OK) {
            return status;
        }
        spool->directory = pointer;
        spool->directory_capacity = capacity;
    }
    uint64_t bytes = (uint64_t)spool->n_buffered * edge_bytes(spool->is_wide);
    enum mr_status status =
        mr_scratch_file_write(spool->file, spool->buffer, bytes, index * MR_SPOOL_CHUNK_BYTES, err);
    if (status != MR_OK) {
        return status;
    }
    spool->directory[index] = spool->n_buffered << 1 | (uint32_t)spool->is_wide;
    spool->figures.n_chunks++;
    spool->figures.bytes += bytes;
    spool->n_buffered = 0;
    return MR_OK;
}

/* `first` is where the source goes: 0, or 1 when source and target change places. */
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

/* At most GROUP_EDGES edges. */
static enum mr_status add_group(struct mr_spool *spool, const struct mr_edge *edges,
                                uint32_t n_edges, struct mr_error *err)
{
    uint64_t max_id = spool->figures.max_id, bits = 0, n_self_loops = 0;
    for (uint32_t i = 0; i < n_edges; i++) {
        bits |= edges[i].source | edges[i].target;
        n_self_loops += edges[i].source == edges[i].target;
        max_id = mr_max_u64(max_id, mr_max_u64(edges[i].source, edges[i].target));
    }
    spool->figures.max_id = max_id;
    spool->figures.n_self_loops += n_self_loops;

    /* A chunk that became wide stays so until it is full: mixed input does not cut it to pieces. */
    bool is_wide = bits >> 32 != 0;
    uint32_t room = MR_SPOOL_CHUNK_BYTES / edge_bytes(spool->is_wide) - spool->n_buffered;
    if (room < n_edges || (is_wide && !spool->is_wide)) {
        enum mr_status status = flush(spool, err);
        if (status != MR_OK) {
            return status;
        }
    }
    if (spool->n_buffered == 0) {
        spool->is_wide = is_wide;
    }
    if (spool->is_wide) {
        uint64_t(*out)[2] = spool->buffer;
        pack_wide(edges, n_edges, spool->swap, out + spool->n_buffered);
    } else {
        uint32_t(*out)[2] = spool->buffer;
        pack_narrow(edges, n_edges, spool->swap, out + spool->n_buffered);
    }
    spool->n_buffered += n_edges;
    spool->figures.n_edges += n_edges;
    return MR_OK;
}

enum mr_status mr_spool_add(struct mr_spool *spool, const struct mr_edge *edges, size_t n_edges,
                            struct mr_error *err)
{
    assert(spool->buffer != NULL);
    while (n_edges > 0) {
        uint32_t group = n_edges < GROUP_EDGES ? (uint32_t)n_edges : GROUP_EDGES;
        enum mr_status status = add_group(spool, edges, group, err);
        if (status != MR_OK) {
            return status;
        }
        edges += group;
        n_edges -= group;
    }
    return MR_OK;
}

enum mr_status mr_spool_seal(struct mr_spool *spool, struct mr_error *err)
{
    enum mr_status status = flush(spool, err);
    mr_memory_free(spool->context->memory, spool->buffer);
    spool->buffer = NULL;
    return status;
}

struct mr_spool_figures mr_spool_figures(const struct mr_spool *spool)
{
    return spool->figures;
}

static uint64_t chunk_bytes(const struct mr_spool *spool, uint64_t index)
{
    uint32_t entry = spool->directory[index];
    return (uint64_t)(entry >> 1) * edge_bytes(entry & 1);
}

enum mr_status mr_spool_read(struct mr_spool *spool, uint64_t index, void *buffer,
                             struct mr_spool_chunk *chunk, struct mr_error *err)
{
    assert(spool->buffer == NULL && index < spool->figures.n_chunks);
    enum mr_status status = mr_scratch_file_read(spool->file, buffer, chunk_bytes(spool, index),
                                                 index * MR_SPOOL_CHUNK_BYTES, err);
    uint32_t entry = spool->directory[index];
    chunk->n_edges = entry >> 1;
    chunk->narrow = (entry & 1) == 0 ? buffer : NULL;
    chunk->wide = (entry & 1) != 0 ? buffer : NULL;
    return status;
}

void mr_spool_discard(struct mr_spool *spool, uint64_t index)
{
    mr_scratch_file_discard(spool->file, index * MR_SPOOL_CHUNK_BYTES, chunk_bytes(spool, index));
}
