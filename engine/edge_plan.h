/* What is sorted together: pieces of the edges that fit in memory, and buckets that fit in a cache.
 *
 * A piece is a run of grid cells, a bucket a run of cells of one band inside a piece. Pieces follow
 * from the memory there is; since they end where tiles end, the store's bytes do not depend on it. */
#ifndef MR_ENGINE_EDGE_PLAN_H
#define MR_ENGINE_EDGE_PLAN_H

#include <stdatomic.h>

#include "engine/context.h"
#include "engine/edge_grid.h"
#include "engine/edge_sort.h"

/* On a cache line of its own: workers count in it at the same time. */
struct mr_edge_bucket {
    _Alignas(64) _Atomic uint32_t n_filled; /* edges loaded */
    uint32_t n_edges;
    uint64_t first_edge; /* in the piece */
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
    uint64_t bytes; /* of memory to sort it, see mr_edge_plan_bytes */
};

struct mr_edge_plan {
    const struct mr_edge_grid *grid; /* not owned */
    const uint64_t *counts; /* [grid->n_cells], not owned */
    unsigned n_workers; /* that load a piece */
    unsigned n_sorters; /* that sort it: context->threads */
    uint64_t bucket_edges; /* buckets grow to this, unless a cell is larger */
    uint32_t line_records; /* that a worker collects for a bucket before they go to it */
    unsigned record_words; /* of 8 bytes: 1, or 2 with a weight in the second */
    struct mr_edge_piece *pieces;
    uint64_t n_pieces;
    uint64_t max_bytes; /* of any piece */
};

/* Room for keys that a sorter needs of its own. A larger bucket takes its turn with a larger room. */
static inline uint64_t mr_edge_plan_scratch(const struct mr_edge_plan *plan,
                                            const struct mr_edge_piece *piece)
{
    return mr_min_u64(plan->bucket_edges, piece->max_bucket_edges);
}

static inline uint64_t mr_edge_plan_large_scratch(const struct mr_edge_plan *plan,
                                                  const struct mr_edge_piece *piece)
{
    return piece->max_bucket_edges > plan->bucket_edges ? piece->max_bucket_edges : 0;
}

/* Memory to load and sort a piece: records, scratch, tile runs, buckets, the bucket of each cell, and
 * each worker's lines with their fill. This is the layout of edge_piece.c, and exact but for the
 * alignment of the parts. */
static inline uint64_t mr_edge_plan_bytes(const struct mr_edge_plan *plan,
                                          const struct mr_edge_piece *piece)
{
    uint64_t n_scratch = plan->n_sorters * mr_edge_plan_scratch(plan, piece) +
                         mr_edge_plan_large_scratch(plan, piece);
    uint64_t record_bytes = plan->record_words * sizeof(uint64_t);
    uint64_t line_bytes = plan->line_records * record_bytes + sizeof(uint32_t);
    return piece->n_edges * record_bytes + n_scratch * plan->record_words * sizeof(uint32_t) +
           piece->n_runs * sizeof(struct mr_tile_run) +
           piece->n_buckets * (sizeof(struct mr_edge_bucket) + plan->n_workers * line_bytes) +
           (piece->end_cell - piece->first_cell) * sizeof(uint32_t);
}

/* Cut the cells into pieces of at most `limit_bytes` each. `has_weights`: records have. MR_ERROR_BUDGET, naming the sort buffer,
 * when a single cell is larger. `plan` is for mr_edge_plan_free, also after a failure. O(n_cells). */
enum mr_status mr_edge_plan_make(const struct mr_context *context, const struct mr_edge_grid *grid,
                                 const uint64_t *counts, bool has_weights, unsigned n_workers,
                                 uint64_t limit_bytes, struct mr_edge_plan *plan,
                                 struct mr_error *err) MR_WARN_UNUSED;
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
