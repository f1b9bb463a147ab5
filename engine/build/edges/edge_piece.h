/* One piece of the edges in memory: loaded by several threads, sorted, ready to be encoded.
 *
 *     create -> ( begin -> add* -> flush -> sort )* -> destroy
 *
 * A bucket's records lie in blocks of a few cache lines, which each worker fills one at a time. Blocks
 * come from the sorter's own memory and from what its user gives it: the chunks of the spool, whose
 * edges are in blocks already, so that edges in memory are there once. Then each bucket is sorted inside
 * a cache, by any thread, and its keys go back to its blocks. 8 bytes an edge, and a little more. */
#ifndef MR_ENGINE_BUILD_EDGES_EDGE_PIECE_H
#define MR_ENGINE_BUILD_EDGES_EDGE_PIECE_H

#include "engine/build/edges/base_filter.h"
#include "engine/build/edges/edge_plan.h"

struct mr_edge_sorter;

/* A sorted piece; lives until the next begin. The tiles of bucket b begin at runs[b.first_run], its keys
 * are those that mr_sorted_piece_keys finds. */
struct mr_sorted_piece {
    const struct mr_edge_piece *piece;
    const struct mr_edge_bucket *buckets; /* [piece->n_buckets], bands ascending */
    const struct mr_record_block *blocks;
    const struct mr_tile_run *runs;
    uint32_t block_keys; /* in each block but the last that has some */
};

/* The keys of a bucket from the one at `at` on, and how many of them lie together: at least one, and
 * perhaps more than there are. */
static inline const uint32_t *mr_sorted_piece_keys(const struct mr_sorted_piece *sorted,
                                                   const struct mr_edge_bucket *bucket, uint32_t at,
                                                   uint32_t *n_together)
{
    const struct mr_record_block *block =
        &sorted->blocks[bucket->first_block + at / sorted->block_keys];
    *n_together = sorted->block_keys - at % sorted->block_keys;
    return mr_sorted_keys(block->records) + at % sorted->block_keys;
}

/* Their weights, where there are some: behind a block's keys. */
static inline const float *mr_sorted_piece_weights(const struct mr_sorted_piece *sorted,
                                                   const struct mr_edge_bucket *bucket, uint32_t at)
{
    uint32_t n_together;
    const uint32_t *keys = mr_sorted_piece_keys(sorted, bucket, at, &n_together);
    return (const float *)(const void *)(keys + sorted->block_keys);
}

/* What is counted while a piece is sorted, over all pieces. */
struct mr_sort_tally {
    uint32_t *out_degrees; /* [n_vertices], the caller's */
    uint64_t n_edges; /* left after merging */
    uint64_t n_self_loops; /* among them */
    /* Where edges have weights. Strengths are added up in the order of the bands, in a band of the keys,
     * which for one source is the order of the targets. */
    double *out_strengths; /* [n_vertices], the caller's */
    float least_weight, most_weight; /* 0 before the first edge */
};

/* `plan` outlives the sorter, as does `filter`: NULL, or what drops edges that are somewhere else. Room for
 * its largest piece is charged as "sort buffer", less `given_bytes` that mr_edge_sorter_give brings. Destroy
 * takes NULL. */
enum mr_status mr_edge_sorter_create(const struct mr_context *context,
                                     const struct mr_edge_plan *plan, bool merge,
                                     struct mr_base_filter *filter, uint64_t given_bytes,
                                     struct mr_edge_sorter **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_edge_sorter_destroy(struct mr_edge_sorter *sorter);

void mr_edge_sorter_begin(struct mr_edge_sorter *sorter, const struct mr_edge_piece *piece);

/* Add edges of the piece, by worker 0..plan->n_workers-1; flush once after all of a worker's edges.
 * Thread-safe between workers. MR_ERROR_RUNTIME when they are not the edges that were counted. */
enum mr_status mr_edge_sorter_add(struct mr_edge_sorter *sorter, unsigned worker,
                                  const uint32_t (*pairs)[2], const float *weights, size_t n_pairs,
                                  struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_edge_sorter_flush(struct mr_edge_sorter *sorter, unsigned worker,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Memory that worker `worker` needs no more, for blocks until the next begin: aligned to 512 bytes, a
 * multiple of them. */
void mr_edge_sorter_give(struct mr_edge_sorter *sorter, unsigned worker, void *memory,
                         uint64_t bytes);

/* Sort the piece, on all threads. MR_ERROR_INPUT when an out-degree exceeds 2^32 - 1, or
 * merged weights what a float holds. */
enum mr_status mr_edge_sorter_sort(struct mr_edge_sorter *sorter, struct mr_sort_tally *tally,
                                   struct mr_sorted_piece *sorted,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Memory that a sorter allocates beyond the largest mr_edge_piece.bytes. */
#define MR_EDGE_SORTER_EXTRA_BYTES 4096u

#endif
