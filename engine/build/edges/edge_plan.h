/* What is sorted together: pieces of the edges that fit in memory, and buckets that fit in a cache.
 *
 * A piece is a run of grid cells, a bucket a run of cells of one band inside a piece. Pieces follow
 * from the memory there is; since they end where tiles end, the store's bytes do not depend on it. */
#ifndef MR_ENGINE_BUILD_EDGES_EDGE_PLAN_H
#define MR_ENGINE_BUILD_EDGES_EDGE_PLAN_H

#include <stdatomic.h>

#include "engine/base/context.h"
#include "engine/base/sort.h"
#include "engine/build/edges/edge_grid.h"

/* On a cache line of its own: workers count in it at the same time. */
struct mr_edge_bucket {
    _Alignas(64) _Atomic uint32_t n_blocks; /* of its edges, handed over */
    uint32_t n_edges;
    uint64_t first_block; /* in the piece's table of blocks */
    uint64_t first_run; /* in the piece's tile runs */
    uint32_t band;
    uint32_t first_order; /* of its tiles; see edge_grid.h */
    uint32_t span;
    uint32_t n_runs; /* tiles, once sorted */
};

struct mr_edge_piece {
    uint64_t first_cell, end_cell;
    uint64_t n_edges; /* < 2^32 */
    uint64_t first_edge; /* edges in the pieces before */
    uint64_t n_runs; /* room for tile runs */
    uint64_t n_buckets;
    uint64_t max_bucket_edges;
    uint64_t large_bytes; /* of scratch, for its largest bucket above bucket_edges */
    uint64_t bytes; /* of memory to sort it, see mr_edge_plan_bytes */
};

struct mr_edge_plan {
    const struct mr_edge_grid *grid; /* not owned */
    const uint64_t *counts; /* [grid->n_cells], not owned */
    unsigned n_workers; /* that load a piece */
    unsigned n_sorters; /* that sort it: context->threads */
    uint64_t bucket_edges; /* buckets grow to this, unless a cell is larger */
    bool is_tight; /* memory does not suffice to sort such cells fast */
    uint32_t block_records; /* of a bucket that lie together; a power of two */
    bool has_flags; /* sorted keys have a byte each behind them */
    unsigned record_words; /* of 8 bytes: 1, or 2 with a weight in the second */
    struct mr_edge_piece *pieces;
    uint64_t n_pieces;
    uint64_t max_bytes; /* of any piece */
};

/* Words of scratch for a record: to sort keys; with weights the records themselves as well. */
static inline unsigned mr_edge_plan_scratch_words(const struct mr_edge_plan *plan)
{
    return plan->record_words == 1 ? 1 : 3;
}

/* Room for records that a sorter needs of its own. A larger bucket takes its turn with a larger room. */
static inline uint64_t mr_edge_plan_scratch(const struct mr_edge_plan *plan,
                                            const struct mr_edge_piece *piece)
{
    return mr_min_u64(plan->bucket_edges, piece->max_bucket_edges);
}

/* Is a bucket sorted in place, with half of the scratch? Slower, and only large ones of a tight plan. */
static inline bool mr_edge_plan_in_place(const struct mr_edge_plan *plan, uint64_t n_edges,
                                         uint64_t span)
{
    return plan->is_tight && plan->record_words == 1 && n_edges > plan->bucket_edges &&
           span <= n_edges;
}

static inline uint64_t mr_edge_plan_large_scratch(const struct mr_edge_piece *piece)
{
    return mr_div_up(piece->large_bytes, sizeof(uint64_t));
}

/* Blocks of a bucket's edges: all full, but for the last of each worker. */
static inline uint64_t mr_edge_plan_blocks(const struct mr_edge_plan *plan, uint64_t n_edges)
{
    return n_edges / plan->block_records + plan->n_workers;
}

/* Blocks that a worker takes together. */
#define MR_EDGE_BLOCKS_TAKEN 8u

/* Memory to load and sort a piece: blocks and the table of them, scratch, tile runs, buckets, the bucket
 * of each cell, and where each worker is in each bucket. This is the layout of edge_piece.c, and exact
 * but for the alignment of the parts. */
static inline uint64_t mr_edge_plan_bytes(const struct mr_edge_plan *plan,
                                          const struct mr_edge_piece *piece)
{
    uint64_t n_scratch =
        plan->n_sorters * mr_edge_plan_scratch(plan, piece) + mr_edge_plan_large_scratch(piece);
    uint64_t block_bytes = plan->block_records * plan->record_words * sizeof(uint64_t);
    uint64_t n_cursors = plan->n_workers * piece->n_buckets;
    uint64_t n_blocks = piece->n_edges / plan->block_records + n_cursors;
    return (n_blocks + MR_EDGE_BLOCKS_TAKEN * plan->n_workers) * block_bytes +
           n_blocks * sizeof(struct mr_record_block) + n_cursors * sizeof(uint64_t *) +
           n_scratch * mr_edge_plan_scratch_words(plan) * sizeof(uint64_t) +
           piece->n_runs * sizeof(struct mr_tile_run) +
           piece->n_buckets * sizeof(struct mr_edge_bucket) +
           (piece->end_cell - piece->first_cell) * sizeof(uint32_t);
}

/* Cut the cells into pieces of at most `limit_bytes` each. `has_weights`: records have.
 * `has_flags`: scratch has room for a byte behind each sorted key. MR_ERROR_BUDGET, naming the sort buffer,
 * when a single cell is larger. `plan` is for mr_edge_plan_free, also after a failure. O(n_cells). */
enum mr_status mr_edge_plan_make(const struct mr_context *context, const struct mr_edge_grid *grid,
                                 const uint64_t *counts, bool has_weights, bool has_flags,
                                 unsigned n_workers, uint64_t limit_bytes,
                                 struct mr_edge_plan *plan, struct mr_error *err) MR_WARN_UNUSED;
void mr_edge_plan_free(const struct mr_context *context, struct mr_edge_plan *plan);

/* Fill `buckets[piece->n_buckets]` and `bucket_of[end_cell - first_cell]`; what the latter has for
 * an empty cell means nothing. */
void mr_edge_plan_buckets(const struct mr_edge_plan *plan, const struct mr_edge_piece *piece,
                          struct mr_edge_bucket *buckets, uint32_t *bucket_of);

/* Bands that piece `piece` has cells of: [first, end). `*begins`: with the first cell of the first
 * one; `*completes`: with the last cell of the last one. */
void mr_edge_plan_bands(const struct mr_edge_plan *plan, const struct mr_edge_piece *piece,
                        uint32_t *first, uint32_t *end, bool *begins, bool *completes);

#endif
