/* SPDX-License-Identifier: Apache-2.0 */
/* The spool: the edges of the input, in chunks, until their vertices have numbers. The first chunks
 * stay in memory, up to a limit; the others go to temporary disk.
 *
 * A chunk holds pairs of 32-bit ids (8 bytes per edge), or of 64-bit ids (16 bytes) if one of its
 * ids needs them. With weights, all weights of the chunk follow (4 bytes per edge). Several writers
 * fill chunks of their own. Any number of threads reads chunks in any order and discards them one
 * by one, so that the next stage can use the space that the spool gives back. Numbers are in the
 * machine's own byte order, since the file is temporary. Memory: the limit, one chunk per writer
 * while adding, 32 bytes per chunk, and 8 more during a pass. */
#ifndef MR_ENGINE_BUILDER_EDGES_SPOOL_H
#define MR_ENGINE_BUILDER_EDGES_SPOOL_H

#include "engine/base/context.h"
#include "engine/base/edge.h"
#include "engine/io/scratch_file.h"

/* Large enough that a write costs little more than the copy. Small enough that 8 threads with one
 * chunk each take little of the smallest budget. */
#define MR_SPOOL_CHUNK_BYTES (256u << 10)

struct mr_spool;

struct mr_spool_figures {
    uint64_t n_edges;
    uint64_t n_self_loops; /* edges with source == target */
    uint64_t max_id; /* 0 when no edge was added */
    uint64_t n_chunks;
    uint64_t bytes; /* total size of all chunks; */
    uint64_t resident_bytes; /* the memory and */
    uint64_t disk_bytes; /* the disk that they take now; discarded chunks take neither */
};

/* A chunk in memory. Either `narrow` or `wide` is set: pairs of (source, target). */
struct mr_spool_chunk {
    uint64_t index;
    uint32_t n_edges;
    bool is_numbered; /* the pairs are vertices; see mr_spool_settle */
    uint32_t (*narrow)[2];
    uint64_t (*wide)[2];
    float *weights; /* NULL without weights */
    void *spare; /* the reader's buffer if the pairs are elsewhere, else NULL */
};

struct mr_spool_options {
    const char *directory, *stem; /* as in scratch_file.h */
    bool swap; /* reverse every edge */
    unsigned n_writers; /* >= 1 */
    uint64_t resident_bytes; /* the most bytes of chunks that stay in memory */
    bool has_weights;
};

/* Create a spool. `use` is as in scratch_file.h. Destroy takes NULL. */
enum mr_status mr_spool_create(const struct mr_context *context,
                               const struct mr_spool_options *options, struct mr_scratch_use *use,
                               struct mr_spool **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_spool_destroy(struct mr_spool *spool);

/* Add edges as writer 0..n_writers-1; thread-safe between writers. If the spool has weights,
 * `weights` [n_edges] are above 0 and finite. About 2 ns per edge. */
enum mr_status mr_spool_add(struct mr_spool *spool, unsigned writer, const struct mr_edge *edges,
                            const float *weights, size_t n_edges,
                            struct mr_error *err) MR_WARN_UNUSED;

/* Let `writer` write pairs of ids itself: `*pairs` points to the free part of its chunk, with room
 * for `*n_edges` > 0 pairs. It is valid until the writer calls again, adds edges, or the spool is
 * sealed. mr_spool_filled then says how many pairs were written, and the number `first` of the
 * first one in the input. `*pairs` is NULL if edges must come through mr_spool_add: they have
 * weights or are reversed. */
enum mr_status mr_spool_room(struct mr_spool *spool, unsigned writer, uint32_t (**pairs)[2],
                             uint32_t *n_edges, struct mr_error *err) MR_WARN_UNUSED;
void mr_spool_filled(struct mr_spool *spool, unsigned writer, uint32_t n_edges, uint64_t first);

/* Drop the weights of all edges, and of those to come. Only before the spool is sealed, while no
 * other thread uses it. */
void mr_spool_forget_weights(struct mr_spool *spool);

/* Write the buffered edges and free the buffers. No edges can be added afterwards. */
enum mr_status mr_spool_seal(struct mr_spool *spool, struct mr_error *err) MR_WARN_UNUSED;

/* Move all chunks in memory to disk, to free memory. The spool is sealed. */
enum mr_status mr_spool_evict(struct mr_spool *spool, struct mr_error *err) MR_WARN_UNUSED;

/* Figures of the edges added so far. No thread may add meanwhile. n_chunks and bytes are final once
 * the spool is sealed. */
struct mr_spool_figures mr_spool_figures_of(const struct mr_spool *spool);

bool mr_spool_has_weights(const struct mr_spool *spool);

/* Put the chunks of a sealed spool into the order of the input, as far as it is known:
 * `order[n_chunks]`. The order may be slightly wrong. */
void mr_spool_order(const struct mr_spool *spool, uint64_t *order);

/* Is chunk `index` of a sealed spool in memory? */
bool mr_spool_is_resident(const struct mr_spool *spool, uint64_t index);

/* Number of edges of a sealed spool that are in memory. */
uint64_t mr_spool_resident_edges(const struct mr_spool *spool);

/* Read chunk `index` of a sealed spool into `buffer[MR_SPOOL_CHUNK_BYTES]`, aligned to 8, which the
 * caller may change. Thread-safe. */
enum mr_status mr_spool_read(struct mr_spool *spool, uint64_t index, void *buffer,
                             struct mr_spool_chunk *chunk, struct mr_error *err) MR_WARN_UNUSED;

/* The same without copying a chunk that is in memory. The caller may change the pairs there only if
 * it then calls mr_spool_settle, or if this is the last reading and it discards the chunk. */
enum mr_status mr_spool_take(struct mr_spool *spool, uint64_t index, void *buffer,
                             struct mr_spool_chunk *chunk, struct mr_error *err) MR_WARN_UNUSED;

/* Check that no id of the chunk exceeds `max_id`, as when it was spooled: a chunk may have been on
 * disk since, and a bad disk must not make the builder write outside its arrays. Errors: RUNTIME.
 * One comparison per id. */
enum mr_status mr_spool_chunk_check(const struct mr_spool_chunk *chunk, uint64_t max_id,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Record that a chunk in memory now begins with `n_edges` narrow pairs of vertices. Later readers
 * need not number them again. */
void mr_spool_settle(struct mr_spool *spool, uint64_t index, uint32_t n_edges);

/* Free the memory or the disk space of chunk `index`; call it once per chunk. Thread-safe. */
void mr_spool_discard(struct mr_spool *spool, uint64_t index);

#endif
