/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of the sort: pieces of the edges that fit in memory, and buckets that fit in a cache.
 *
 * A piece is a run of grid cells. A bucket is a run of cells of one band inside a piece. The memory
 * decides where pieces end. They always end where tiles end, so the store's bytes do not depend on
 * the memory. */
#ifndef MR_ENGINE_BUILDER_EDGES_EDGE_PLAN_H
#define MR_ENGINE_BUILDER_EDGES_EDGE_PLAN_H

#include <stdatomic.h>

#include "engine/base/context.h"
#include "engine/base/sort.h"
#include "engine/builder/edges/edge_grid.h"

/* Each bucket has a cache line of its own, since several workers count blocks at the same time. */
struct mr_edge_bucket {
    _Alignas(64) _Atomic uint32_t n_blocks; /* blocks that workers have filled and registered */
    uint32_t n_edges;
    uint64_t first_block; /* in the piece's table of blocks */
    uint64_t first_run; /* in the piece's tile runs */
    uint32_t band;
    uint32_t first_order; /* order of its first tile; see edge_grid.h */
    uint32_t span;
    uint32_t n_runs; /* number of tiles, set by the sort */
};

struct mr_edge_piece {
    uint64_t first_cell, end_cell;
    uint64_t n_edges; /* < 2^32 */
    uint64_t first_edge; /* number of edges in the pieces before */
    uint64_t n_runs; /* upper bound of its tile runs */
    uint64_t n_buckets;
    uint64_t max_bucket_edges;
    uint64_t large_bytes; /* scratch for its largest bucket above bucket_edges */
    uint64_t bytes; /* memory to load and sort it, see mr_edge_plan_bytes */
    bool is_heavy; /* a cell that is too large unless its repeated edges are merged first */
};

/* What else takes more where --memory is more, for the advice in an error: one band writer after
 * the other, as long as all of them take a quarter of the memory; and blocks that wait, an eighth.
 */
struct mr_edge_elastic {
    uint64_t writer_bytes, available_bytes; /* of one; of the memory when they were made */
    unsigned n_writers, most_writers;
};

struct mr_edge_plan {
    const struct mr_edge_grid *grid; /* not owned */
    const uint64_t *counts; /* [grid->n_cells], not owned */
    unsigned n_workers; /* threads that load a piece */
    unsigned n_sorters; /* threads that sort it: context->threads */
    /* buckets grow to this many edges; a larger cell is a bucket of its own */
    uint64_t bucket_edges;
    unsigned n_large; /* scratches for larger buckets, see mr_edge_plan_widen */
    bool is_tight; /* memory is too small to sort large cells fast */
    uint32_t block_records; /* records in a block; a power of two */
    unsigned record_words; /* 8-byte words of a record: 1, or 2 with a weight in the second */
    struct mr_edge_piece *pieces;
    uint64_t n_pieces;
    uint64_t n_heavy; /* heavy pieces that mr_edge_plan_condensed has not seen */
    uint64_t max_bytes; /* the most that any piece has, heavy ones left out */
    uint64_t limit_bytes; /* the most that a piece may have */
    const struct mr_memory *memory; /* of the process */
    struct mr_edge_elastic elastic;
};

/* Words of scratch per record: to sort keys; with weights the records too. */
static inline unsigned mr_edge_plan_scratch_words(const struct mr_edge_plan *plan)
{
    return plan->record_words == 1 ? 1 : 3;
}

/* Records that a sorter's own scratch has room for. Larger buckets take turns with n_large larger
 * ones. */
static inline uint64_t mr_edge_plan_scratch(const struct mr_edge_plan *plan,
                                            const struct mr_edge_piece *piece)
{
    return mr_min_u64(plan->bucket_edges, piece->max_bucket_edges);
}

/* Is a bucket sorted in place, with half of the scratch? This is slower. Only large buckets of a
 * tight plan are. */
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

/* The most blocks that the edges of a bucket take: all full, except one for each worker. */
static inline uint64_t mr_edge_plan_blocks(const struct mr_edge_plan *plan, uint64_t n_edges)
{
    return n_edges / plan->block_records + plan->n_workers;
}

/* Blocks that a worker takes at a time. */
#define MR_EDGE_BLOCKS_TAKEN 8u

/* Memory to load and sort a piece: blocks and their table, scratch, tile runs, buckets, the bucket
 * of each cell, and the cursor of each worker in each bucket. edge_piece.c lays the buffer out this
 * way. Exact except for the alignment of the parts. */
static inline uint64_t mr_edge_plan_bytes(const struct mr_edge_plan *plan,
                                          const struct mr_edge_piece *piece)
{
    uint64_t n_scratch = plan->n_sorters * mr_edge_plan_scratch(plan, piece) +
                         plan->n_large * mr_edge_plan_large_scratch(piece);
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

/* Cut the cells into pieces of at most `limit_bytes` each. `has_weights`: records have weights. A
 * single cell that needs more
 * becomes a heavy piece if `may_condense`; otherwise MR_ERROR_BUDGET, naming the sort buffer. The
 * caller frees `plan` with mr_edge_plan_free, even
 * after a failure. O(n_cells). */
enum mr_status mr_edge_plan_make(const struct mr_context *context, const struct mr_edge_grid *grid,
                                 const uint64_t *counts, bool has_weights, bool may_condense,
                                 unsigned n_workers, uint64_t limit_bytes,
                                 const struct mr_edge_elastic *elastic, struct mr_edge_plan *plan,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Let more sorters work on large buckets at the same time: one more for each scratch that fits into
 * `bytes`. Pieces stay as they are, and take up to `bytes` more. */
void mr_edge_plan_widen(struct mr_edge_plan *plan, uint64_t bytes);

/* Takes over that the heavy piece `index` has as many edges as `plan->counts` says now, after its
 * repeated edges were merged. MR_ERROR_BUDGET, naming the sort buffer, if it is still too large. */
enum mr_status mr_edge_plan_condensed(struct mr_edge_plan *plan, uint64_t index,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_edge_plan_free(const struct mr_context *context, struct mr_edge_plan *plan);

/* Fill `buckets[piece->n_buckets]` and `bucket_of[end_cell - first_cell]`. The entry of an empty
 * cell has no meaning. */
void mr_edge_plan_buckets(const struct mr_edge_plan *plan, const struct mr_edge_piece *piece,
                          struct mr_edge_bucket *buckets, uint32_t *bucket_of);

/* The bands that have cells in `piece`: [first, end). `*begins`: the piece has the first cell of
 * the first band. `*completes`: it has the last cell of the last band. */
void mr_edge_plan_bands(const struct mr_edge_plan *plan, const struct mr_edge_piece *piece,
                        uint32_t *first, uint32_t *end, bool *begins, bool *completes);

/* Writes the --memory with which every cell can be sorted if one cannot now, slightly too high.
 * Returns `text`. */
const char *mr_edge_plan_enough(const struct mr_edge_plan *plan, char text[32]);

#endif
