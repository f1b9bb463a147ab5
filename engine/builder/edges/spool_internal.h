/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the spool share. Internal to the engine.
 *
 *     spool.c         adds edges, until the spool is sealed
 *     spool_chunks.c  reads, takes and discards chunks
 */
#ifndef MR_ENGINE_BUILDER_EDGES_SPOOL_INTERNAL_H
#define MR_ENGINE_BUILDER_EDGES_SPOOL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/builder/edges/spool.h"

enum { SPOOL_NARROW_BYTES = 8, SPOOL_WIDE_BYTES = 16, SPOOL_WEIGHT_BYTES = 4 };

struct spool_slab {
    char *memory; /* [SLAB_CHUNKS][MR_SPOOL_CHUNK_BYTES] */
    /* chunks not yet discarded, plus one while the slab gives out chunks */
    _Atomic unsigned n_left;
};

/* Location of a chunk. */
struct spool_location {
    uint32_t n_edges;
    bool is_wide, is_numbered;
    struct spool_slab *slab; /* NULL: the chunk is in the file, at its index */
    char *memory;
    uint64_t first; /* number of its first edge in the input; 0: unknown */
};

struct spool_writer {
    char *buffer; /* the chunk that the writer fills, NULL before the first */
    /* the slab of the buffer, NULL: the buffer is an allocation of its own */
    struct spool_slab *slab;
    uint32_t n_buffered;
    bool is_wide;
    uint64_t first; /* number of the first edge in the input; 0: unknown */
    uint64_t n_edges, n_self_loops, max_id;
};

struct mr_spool {
    const struct mr_context *context;
    bool swap, is_sealed;
    bool has_room; /* chunks have room for weights behind the edges */
    bool has_weights; /* chunks have weights */
    struct mr_scratch_file *file;
    unsigned n_writers;
    uint64_t resident_limit;

    pthread_mutex_t mutex; /* guards the members below while edges are added */
    struct spool_location *locations; /* [n_chunks] */
    uint64_t n_chunks, locations_capacity;
    uint64_t bytes;
    struct spool_slab *slab; /* the slab that gives out chunks now */
    unsigned n_given; /* chunks that it has given out */

    _Atomic uint64_t resident_bytes; /* bytes of all slabs */
    _Atomic uint64_t disk_bytes;
    struct spool_writer writers[]; /* [n_writers] */
};

static inline uint32_t mr_spool_edge_bytes(bool is_wide)
{
    return is_wide ? SPOOL_WIDE_BYTES : SPOOL_NARROW_BYTES;
}

/* Number of edges that a chunk has room for. */
static inline uint32_t mr_spool_chunk_edges(const struct mr_spool *spool, bool is_wide)
{
    return MR_SPOOL_CHUNK_BYTES /
           (mr_spool_edge_bytes(is_wide) + (spool->has_room ? SPOOL_WEIGHT_BYTES : 0));
}

/* Offset of the weights in a chunk. */
static inline uint64_t mr_spool_weights_offset(const struct mr_spool *spool, bool is_wide)
{
    return (uint64_t)mr_spool_chunk_edges(spool, is_wide) * mr_spool_edge_bytes(is_wide);
}

/* Bytes of a chunk up to its last edge or weight. */
static inline uint64_t mr_spool_chunk_bytes(const struct mr_spool *spool, uint32_t n_edges,
                                            bool is_wide)
{
    return spool->has_room
               ? mr_spool_weights_offset(spool, is_wide) + (uint64_t)n_edges * SPOOL_WEIGHT_BYTES
               : (uint64_t)n_edges * mr_spool_edge_bytes(is_wide);
}

static inline uint64_t mr_spool_location_bytes(const struct mr_spool *spool,
                                               const struct spool_location *location)
{
    return mr_spool_chunk_bytes(spool, location->n_edges, location->is_wide);
}

/* spool.c: release one chunk of the slab. Takes NULL. */
void mr_spool_release_slab(struct mr_spool *spool, struct spool_slab *slab);

#endif
