/* SPDX-License-Identifier: Apache-2.0 */
/* The sorter: loads one piece of the edges with several threads and sorts it for encoding.
 *
 *     create -> ( begin -> add* -> flush -> sort )* -> destroy
 *
 * The records of a bucket lie in blocks of a few cache lines, and each worker fills one block of a
 * bucket at a time. Blocks come from the sorter's own memory and from memory that the user gives:
 * the chunks of the spool whose edges were added. So edges in memory are there only once. Then a
 * thread sorts each bucket inside a cache and writes its keys back to its blocks. Memory: slightly
 * more than 8 bytes per edge. */
#ifndef MR_ENGINE_BUILDER_EDGES_EDGE_PIECE_H
#define MR_ENGINE_BUILDER_EDGES_EDGE_PIECE_H

#include "engine/builder/edges/edge_plan.h"

struct mr_edge_sorter;

/* A sorted piece, valid until the next begin. The tiles of bucket b begin at runs[b.first_run];
 * mr_sorted_piece_keys returns its keys. */
struct mr_sorted_piece {
    const struct mr_edge_piece *piece;
    const struct mr_edge_bucket *buckets; /* [piece->n_buckets], bands ascending */
    const struct mr_record_block *blocks;
    const struct mr_tile_run *runs;
    uint32_t block_keys; /* keys in each block of a bucket; the last one may have fewer */
};

/* The keys of a bucket from position `at` on. `*n` gets how many lie together in memory: at least
 * one. It may exceed the number of keys that the bucket has left. */
static inline const uint32_t *mr_sorted_piece_keys(const struct mr_sorted_piece *sorted,
                                                   const struct mr_edge_bucket *bucket, uint32_t at,
                                                   uint32_t *n_together)
{
    const struct mr_record_block *block =
        &sorted->blocks[bucket->first_block + at / sorted->block_keys];
    *n_together = sorted->block_keys - at % sorted->block_keys;
    return mr_sorted_keys(block->records) + at % sorted->block_keys;
}

/* The weights of these keys, for pieces with weights. They lie behind the keys of a block. */
static inline const float *mr_sorted_piece_weights(const struct mr_sorted_piece *sorted,
                                                   const struct mr_edge_bucket *bucket, uint32_t at)
{
    uint32_t n_together;
    const uint32_t *keys = mr_sorted_piece_keys(sorted, bucket, at, &n_together);
    return (const float *)(const void *)(keys + sorted->block_keys);
}

/* Figures of all sorted pieces together. */
struct mr_sort_tally {
    uint32_t *out_degrees; /* [n_vertices], owned by the caller */
    uint64_t n_edges; /* edges left after merging */
    uint64_t n_self_loops; /* of these */
    /* For edges with weights. Strengths add up in the order of the bands, and in a band in the
     * order of the keys. For one source this is the order of the targets. */
    double *out_strengths; /* [n_vertices], owned by the caller */
    float least_weight, most_weight; /* 0 before the first edge */
};

/* Create a sorter. `plan` outlives it. Allocates room for the largest piece as "sort buffer", less
 * `given_bytes`, which the caller provides by mr_edge_sorter_give. Destroy takes NULL. */
enum mr_status mr_edge_sorter_create(const struct mr_context *context,
                                     const struct mr_edge_plan *plan, bool merge,
                                     uint64_t given_bytes, struct mr_edge_sorter **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_edge_sorter_destroy(struct mr_edge_sorter *sorter);

void mr_edge_sorter_begin(struct mr_edge_sorter *sorter, const struct mr_edge_piece *piece);

/* Add edges of the piece as worker 0..plan->n_workers-1. Flush once after all edges of a worker.
 * Thread-safe between workers. MR_ERROR_RUNTIME if the edges are not those that were counted. */
enum mr_status mr_edge_sorter_add(struct mr_edge_sorter *sorter, unsigned worker,
                                  const uint32_t (*pairs)[2], const float *weights, size_t n_pairs,
                                  struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_edge_sorter_flush(struct mr_edge_sorter *sorter, unsigned worker,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Give memory to worker `worker` for blocks, until the next begin. It is aligned to 512 bytes and
 * its size is a multiple of 512. */
void mr_edge_sorter_give(struct mr_edge_sorter *sorter, unsigned worker, void *memory,
                         uint64_t bytes);

/* Sort the piece on all threads. MR_ERROR_INPUT if an out-degree exceeds 2^32 - 1, or a merged
 * weight exceeds the range of a float. */
enum mr_status mr_edge_sorter_sort(struct mr_edge_sorter *sorter, struct mr_sort_tally *tally,
                                   struct mr_sorted_piece *sorted,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Memory that a sorter allocates beyond the largest mr_edge_piece.bytes. */
#define MR_EDGE_SORTER_EXTRA_BYTES 4096u

#endif
