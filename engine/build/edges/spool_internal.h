/* What the parts of the spool share. Internal to the engine.
 *
 *     spool.c         edges in, until it is sealed; what of it is kept
 *     spool_chunks.c  chunks out: read, taken, discarded
 */
#ifndef MR_ENGINE_BUILD_EDGES_SPOOL_INTERNAL_H
#define MR_ENGINE_BUILD_EDGES_SPOOL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/build/edges/spool.h"

enum { SPOOL_NARROW_BYTES = 8, SPOOL_WIDE_BYTES = 16, SPOOL_WEIGHT_BYTES = 4 };

struct spool_slab {
    char *memory; /* [SLAB_CHUNKS][MR_SPOOL_CHUNK_BYTES] */
    _Atomic unsigned n_left; /* chunks not discarded, and one while the slab is given out */
};

/* Where a chunk is. */
struct spool_place {
    uint32_t n_edges;
    bool is_wide, is_numbered;
    struct spool_slab *slab; /* NULL: in the file, at its index */
    char *memory;
    uint64_t first; /* edge in the input; 0: unknown */
    uint64_t checksum; /* of what the file has, where that is kept */
};

struct spool_writer {
    char *buffer; /* the chunk being filled, NULL before the first */
    struct spool_slab *slab; /* that the buffer is part of, NULL: an allocation of its own */
    uint32_t n_buffered;
    bool is_wide;
    uint64_t first; /* of the chunk, as in its place */
    uint64_t n_edges, n_self_loops, max_id;
};

struct mr_spool {
    const struct mr_context *context;
    bool swap, is_sealed;
    bool has_room; /* chunks have room for weights behind the edges, */
    bool has_weights; /* and weights in it */
    struct mr_scratch_file *file;
    unsigned n_writers;
    uint64_t resident_limit;

    pthread_mutex_t mutex; /* guards what follows, while edges are added */
    struct spool_place *places; /* [n_chunks] */
    uint64_t n_chunks, places_capacity;
    uint64_t bytes;
    struct spool_slab *slab; /* the one chunks are given out from, */
    unsigned n_given; /* so many of them so far */

    _Atomic uint64_t resident_bytes; /* of all slabs */
    _Atomic uint64_t disk_bytes;
    struct spool_writer writers[]; /* [n_writers] */
};

static inline uint32_t mr_spool_edge_bytes(bool is_wide)
{
    return is_wide ? SPOOL_WIDE_BYTES : SPOOL_NARROW_BYTES;
}

/* Edges that a chunk has room for. */
static inline uint32_t mr_spool_chunk_edges(const struct mr_spool *spool, bool is_wide)
{
    return MR_SPOOL_CHUNK_BYTES /
           (mr_spool_edge_bytes(is_wide) + (spool->has_room ? SPOOL_WEIGHT_BYTES : 0));
}

/* Where its weights are. */
static inline uint64_t mr_spool_weights_offset(const struct mr_spool *spool, bool is_wide)
{
    return (uint64_t)mr_spool_chunk_edges(spool, is_wide) * mr_spool_edge_bytes(is_wide);
}

/* Bytes of a chunk from its first edge to its last, or to its last weight. */
static inline uint64_t mr_spool_chunk_bytes(const struct mr_spool *spool, uint32_t n_edges,
                                            bool is_wide)
{
    return spool->has_room
               ? mr_spool_weights_offset(spool, is_wide) + (uint64_t)n_edges * SPOOL_WEIGHT_BYTES
               : (uint64_t)n_edges * mr_spool_edge_bytes(is_wide);
}

static inline uint64_t mr_spool_place_bytes(const struct mr_spool *spool,
                                            const struct spool_place *place)
{
    return mr_spool_chunk_bytes(spool, place->n_edges, place->is_wide);
}

/* spool.c: a chunk of it is needed no more. Takes NULL. */
void mr_spool_release_slab(struct mr_spool *spool, struct spool_slab *slab);

#endif
