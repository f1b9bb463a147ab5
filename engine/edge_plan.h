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

struct mr_edge_bucket {
    uint64_t first_edge;      /* in the piece */
    uint64_t first_run;       /* in the piece's tile runs */
    uint32_t n_edges;
    uint32_t band;
    uint32_t first_order;     /* of its tiles; see edge_grid.h */
    uint32_t span;
    uint32_t n_runs;          /* tiles, once sorted */
    _Atomic uint32_t n_filled; /* edges loaded */
};

struct mr_edge_piece {
    uint64_t first_cell, end_cell;
    uint64_t n_edges;         /* < 2^32 */
    uint64_t first_edge;      /* edges in the pieces before */
    uint64_t n_runs;          /* room for tile runs */
    uint64_t n_buckets;
    uint64_t bytes;           /* of memory to sort it, see mr_edge_piece_bytes */
};

struct mr_edge_plan {
    const struct mr_edge_grid *grid; /* not owned */
    const uint64_t *counts;          /* [grid->n_cells], not owned */
    unsigned n_workers;              /* that load a piece */
    uint64_t bucket_edges;           /* buckets grow to this, unless a cell is larger */
    struct mr_edge_piece *pieces;
    uint64_t n_pieces;
    uint64_t max_bytes;              /* of any piece */
};

/* Records of 8 bytes that each worker collects for a bucket before they go to it: a cache line. */
#define MR_EDGE_LINE_RECORDS 8u

/* Memory to load and sort a piece: records, keys, tile runs, buckets, the bucket of each cell, and
 * each worker's lines with their fill. This is the layout of edge_piece.c, and exact but for the
 * alignment of the parts. */
static inline uint64_t mr_edge_piece_bytes(uint64_t n_edges, uint64_t n_runs, uint64_t n_buckets,
                                           uint64_t n_cells, unsigned n_workers)
{
    const uint64_t line_bytes = MR_EDGE_LINE_RECORDS * sizeof(uint64_t) + sizeof(uint32_t);
    return n_edges * (sizeof(uint64_t) + sizeof(uint32_t)) + n_runs * sizeof(struct mr_tile_run) +
           n_buckets * (sizeof(struct mr_edge_bucket) + n_workers * line_bytes) +
           n_cells * sizeof(uint32_t);
}

/* Cut the cells into pieces of at most `limit_bytes` each. MR_ERROR_BUDGET, naming the sort buffer,
 * when a single cell is larger. `plan` is for mr_edge_plan_free, also after a failure. O(n_cells). */
enum mr_status mr_edge_plan_make(const struct mr_context *context, const struct mr_edge_grid *grid,
                                 const uint64_t *counts, unsigned n_workers, uint64_t limit_bytes,
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
