/* SPDX-License-Identifier: Apache-2.0 */
/* Plans the sort: cuts the counted cells into pieces that fit in memory and buckets that fit in a
 * cache. Pieces and buckets end where tiles end, so the store's bytes do not depend on the memory.
 * edge_partition.c and edge_piece.c work by this plan. */
#include "engine/builder/edges/edge_plan.h"

#include <inttypes.h>

#include "engine/base/bytes.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"

/* Edges of a bucket. Its records and the scratch to sort it take 16 bytes per edge and should stay
 * in an L2 cache of 1-2 MiB. But each worker writes to all buckets in turn, so there should be at
 * most about a thousand. */
#define CACHED_BUCKET_EDGES ((uint64_t)1 << 16)
#define LEAST_BUCKET_EDGES  ((uint64_t)1 << 10)
#define WANTED_BUCKETS      ((uint64_t)1024)

/* Records in a block, without weights. Longer blocks mean fewer blocks to find again. But each
 * worker leaves one unfinished block in every bucket. */
#define LONG_BLOCK  64u
#define SHORT_BLOCK 16u
enum { LONG_BLOCK_BANDS = 1024 };

#define MAX_PIECE_EDGES ((uint64_t)UINT32_MAX)

/* The bucket that grows while the plan walks over the cells. */
struct bucket_walk {
    const struct mr_edge_plan *plan;
    uint64_t n_edges;
    uint32_t band, first_order, end_order;
    bool is_open;
};

/* Does `cell` with `count` > 0 edges belong to the open bucket? */
static bool joins(const struct bucket_walk *walk, uint64_t cell, uint64_t count)
{
    return walk->is_open && cell / walk->plan->grid->n_columns == walk->band &&
           walk->n_edges + count <= walk->plan->bucket_edges;
}

static void put(struct bucket_walk *walk, uint64_t cell, uint64_t count, bool join)
{
    uint32_t first, end;
    mr_edge_grid_orders(walk->plan->grid, cell, &first, &end);
    if (!join) {
        walk->is_open = true;
        walk->band = (uint32_t)(cell / walk->plan->grid->n_columns);
        walk->first_order = first;
        walk->n_edges = 0;
    }
    walk->end_order = end;
    walk->n_edges += count;
}

static uint64_t runs_of(const struct bucket_walk *walk)
{
    return walk->is_open ? mr_sort_bucket_runs(walk->n_edges, walk->end_order - walk->first_order)
                         : 0;
}

/* Add one cell to `piece` and `walk`. */
static void extend(const struct mr_edge_plan *plan, struct mr_edge_piece *piece,
                   struct bucket_walk *walk, uint64_t cell)
{
    uint64_t count = plan->counts[cell];
    piece->end_cell = cell + 1;
    if (count > 0) {
        bool join = joins(walk, cell, count);
        uint64_t n_runs_before = join ? runs_of(walk) : 0;
        put(walk, cell, count, join);
        piece->n_runs += runs_of(walk) - n_runs_before;
        piece->n_buckets += !join;
        piece->n_edges += count;
        piece->max_bucket_edges = mr_max_u64(piece->max_bucket_edges, walk->n_edges);
        if (walk->n_edges > plan->bucket_edges) { /* the cell is a bucket of its own */
            bool in_place =
                mr_edge_plan_in_place(plan, walk->n_edges, walk->end_order - walk->first_order);
            uint64_t bytes = walk->n_edges * (in_place ? sizeof(uint32_t) : sizeof(uint64_t));
            piece->large_bytes = mr_max_u64(piece->large_bytes, bytes);
        }
    }
    piece->bytes = mr_edge_plan_bytes(plan, piece);
}

/* Choose the number of edges that a bucket grows to. */
static uint64_t choose_bucket_edges(const struct mr_edge_grid *grid, const uint64_t *counts,
                                    unsigned n_sorters, uint64_t limit_bytes)
{
    uint64_t n_edges = 0;
    for (uint64_t cell = 0; cell < grid->n_cells; cell++) {
        n_edges += counts[cell];
    }
    uint64_t in_piece = mr_min_u64(n_edges, limit_bytes / sizeof(uint64_t));
    /* Scratch for all sorters may take a quarter of the memory. */
    uint64_t affordable = limit_bytes / 4 / sizeof(uint64_t) / n_sorters;
    uint64_t wanted = mr_max_u64(CACHED_BUCKET_EDGES, in_piece / WANTED_BUCKETS);
    return mr_max_u64(LEAST_BUCKET_EDGES, mr_min_u64(wanted, affordable));
}

/* The most bytes of a piece of one cell, where pieces may have `limit_bytes`. */
static uint64_t largest_cell(const struct mr_edge_plan *plan, uint64_t limit_bytes)
{
    struct mr_edge_plan other = *plan;
    uint64_t most = 0;

    other.is_tight = true;
    other.bucket_edges = choose_bucket_edges(plan->grid, plan->counts, plan->n_sorters,
                                             limit_bytes / (plan->record_words == 1 ? 1 : 3));
    for (uint64_t cell = 0; cell < plan->grid->n_cells; cell++) {
        struct mr_edge_piece piece = {.first_cell = cell};
        struct bucket_walk walk = {.plan = &other};
        extend(&other, &piece, &walk, cell);
        most = mr_max_u64(most, piece.bytes);
    }
    return most;
}

/* What a piece gets where the process gets `more` bytes. */
static uint64_t limit_with(const struct mr_edge_plan *plan, uint64_t more)
{
    const struct mr_edge_elastic *elastic = &plan->elastic;
    uint64_t taken = more / 8;

    if (elastic->writer_bytes > 0) {
        const uint64_t n = (elastic->available_bytes + more) / 4 / elastic->writer_bytes;
        const uint64_t writers = mr_min_u64(n, elastic->most_writers);
        taken += writers > elastic->n_writers
                     ? (writers - elastic->n_writers) * elastic->writer_bytes
                     : 0;
    }
    return plan->limit_bytes + more - mr_min_u64(taken, plan->limit_bytes + more);
}

const char *mr_edge_plan_enough(const struct mr_edge_plan *plan, char text[32])
{
    const uint64_t mebi = (uint64_t)1 << 20;
    uint64_t more = mebi, limit = limit_with(plan, more);

    while (largest_cell(plan, limit) > limit && more < (uint64_t)1 << 50) {
        more += mr_max_u64(mebi, more / 32);
        limit = limit_with(plan, more);
    }
    return mr_memory_enough(plan->memory, mr_memory_limit(plan->memory) + more + mebi, text);
}

static enum mr_status too_small(const struct mr_edge_plan *plan, const struct mr_edge_piece *piece,
                                struct mr_error *err)
{
    const uint64_t limit = mr_memory_limit(plan->memory);
    char needs[32], left[32], enough[32];

    return mr_error_set(err, MR_ERROR_BUDGET,
                        "out of memory budget: sort buffer needs %s for the %" PRIu64
                        " links into band %" PRIu64 " that have to be sorted together, and has %s; "
                        "--memory %s is enough",
                        mr_size_text_of(piece->bytes, limit, needs), piece->n_edges,
                        piece->first_cell / plan->grid->n_columns,
                        mr_size_text_of(plan->limit_bytes, limit, left),
                        mr_edge_plan_enough(plan, enough));
}

static enum mr_status append(const struct mr_context *context, struct mr_edge_plan *plan,
                             const struct mr_edge_piece *piece, struct mr_error *err)
{
    /* The array doubles when the count reaches a power of two. */
    if ((plan->n_pieces & (plan->n_pieces - 1)) == 0) {
        const uint64_t room = mr_max_u64(16, 2 * plan->n_pieces);
        enum mr_status status = mr_memory_resize(context->memory, "build plan", &plan->pieces,
                                                 room * sizeof *plan->pieces, err);
        if (status != MR_OK) {
            return status;
        }
    }
    plan->pieces[plan->n_pieces++] = *piece;
    if (piece->is_heavy) {
        plan->n_heavy++;
    } else {
        plan->max_bytes = mr_max_u64(plan->max_bytes, piece->bytes);
    }
    return MR_OK;
}

static bool is_too_large(const struct mr_edge_plan *plan, const struct mr_edge_piece *piece)
{
    return piece->bytes > plan->limit_bytes || piece->n_edges > MAX_PIECE_EDGES;
}

static enum mr_status cut(const struct mr_context *context, struct mr_edge_plan *plan,
                          bool may_condense, struct mr_error *err)
{
    const struct mr_edge_grid *grid = plan->grid;
    struct mr_edge_piece piece = {.first_cell = 0};
    struct bucket_walk walk = {.plan = plan};
    for (uint64_t cell = 0; cell < grid->n_cells; cell++) {
        struct mr_edge_piece longer = piece;
        struct bucket_walk longer_walk = walk;
        extend(plan, &longer, &longer_walk, cell);
        if (piece.is_heavy || is_too_large(plan, &longer)) {
            if (piece.end_cell > piece.first_cell) {
                enum mr_status status = append(context, plan, &piece, err);
                if (status != MR_OK) {
                    return status;
                }
            }
            longer = (struct mr_edge_piece){.first_cell = cell,
                                            .first_edge = piece.first_edge + piece.n_edges};
            longer_walk = (struct bucket_walk){.plan = plan};
            extend(plan, &longer, &longer_walk, cell);
            longer.is_heavy = is_too_large(plan, &longer);
            if (longer.is_heavy && !may_condense) {
                return too_small(plan, &longer, err);
            }
        }
        piece = longer;
        walk = longer_walk;
    }
    return grid->n_cells > 0 ? append(context, plan, &piece, err) : MR_OK;
}

enum mr_status mr_edge_plan_make(const struct mr_context *context, const struct mr_edge_grid *grid,
                                 const uint64_t *counts, bool has_weights, bool may_condense,
                                 unsigned n_workers, uint64_t limit_bytes,
                                 const struct mr_edge_elastic *elastic, struct mr_edge_plan *plan,
                                 struct mr_error *err)
{
    *plan = (struct mr_edge_plan){
        .grid = grid,
        .counts = counts,
        .n_workers = n_workers,
        .n_sorters = context->threads,
        .n_large = 1,
        .bucket_edges = choose_bucket_edges(grid, counts, context->threads,
                                            limit_bytes / (has_weights ? 3 : 1)),
        .block_records =
            (grid->n_bands <= LONG_BLOCK_BANDS ? LONG_BLOCK : SHORT_BLOCK) >> has_weights,
        .record_words = has_weights ? 2 : 1,
        .limit_bytes = limit_bytes,
        .memory = context->memory,
    };
    if (elastic != NULL) {
        plan->elastic = *elastic;
    }
    enum mr_status status = cut(context, plan, false, NULL);
    if (status == MR_ERROR_BUDGET) {
        mr_edge_plan_free(context, plan);
        plan->is_tight = true;
        plan->max_bytes = 0;
        status = cut(context, plan, may_condense, err);
    }
    return status;
}

void mr_edge_plan_widen(struct mr_edge_plan *plan, uint64_t bytes)
{
    uint64_t large = 0;
    for (uint64_t i = 0; i < plan->n_pieces; i++) {
        large = mr_max_u64(large, mr_edge_plan_large_scratch(&plan->pieces[i]));
    }
    large *= mr_edge_plan_scratch_words(plan) * sizeof(uint64_t);
    if (large > 0 && !plan->is_tight) {
        const uint64_t n_more = mr_min_u64(bytes / large, plan->n_sorters - 1);
        plan->n_large += (unsigned)n_more;
        plan->max_bytes += n_more * large;
    }
}

enum mr_status mr_edge_plan_condensed(struct mr_edge_plan *plan, uint64_t index,
                                      struct mr_error *err)
{
    struct mr_edge_piece *old = &plan->pieces[index];
    struct mr_edge_piece piece = {.first_cell = old->first_cell, .first_edge = old->first_edge};
    struct bucket_walk walk = {.plan = plan};
    extend(plan, &piece, &walk, old->first_cell);
    if (is_too_large(plan, &piece)) {
        return too_small(plan, &piece, err);
    }
    *old = piece;
    plan->n_heavy--;
    plan->max_bytes = mr_max_u64(plan->max_bytes, piece.bytes);
    return MR_OK;
}

void mr_edge_plan_free(const struct mr_context *context, struct mr_edge_plan *plan)
{
    mr_memory_free(context->memory, plan->pieces);
    plan->pieces = NULL;
    plan->n_pieces = 0;
    plan->n_heavy = 0;
}

void mr_edge_plan_buckets(const struct mr_edge_plan *plan, const struct mr_edge_piece *piece,
                          struct mr_edge_bucket *buckets, uint32_t *bucket_of)
{
    struct bucket_walk walk = {.plan = plan};
    uint64_t n_buckets = 0, first_block = 0, first_run = 0;
    for (uint64_t cell = piece->first_cell; cell < piece->end_cell; cell++) {
        uint64_t count = plan->counts[cell];
        if (count > 0) {
            bool join = joins(&walk, cell, count);
            if (!join) {
                first_block += n_buckets > 0 ? mr_edge_plan_blocks(plan, walk.n_edges) : 0;
                first_run += runs_of(&walk);
                n_buckets++;
            }
            put(&walk, cell, count, join);
            struct mr_edge_bucket *bucket = &buckets[n_buckets - 1];
            bucket->first_block = first_block;
            bucket->first_run = first_run;
            bucket->n_edges = (uint32_t)walk.n_edges;
            bucket->band = walk.band;
            bucket->first_order = walk.first_order;
            bucket->span = walk.end_order - walk.first_order;
            bucket->n_runs = 0;
            atomic_init(&bucket->n_blocks, 0);
        }
        bucket_of[cell - piece->first_cell] = n_buckets > 0 ? (uint32_t)(n_buckets - 1) : 0;
    }
}

void mr_edge_plan_bands(const struct mr_edge_plan *plan, const struct mr_edge_piece *piece,
                        uint32_t *first, uint32_t *end, bool *begins, bool *completes)
{
    uint64_t n_columns = plan->grid->n_columns;
    *first = (uint32_t)(piece->first_cell / n_columns);
    *end = (uint32_t)mr_div_up(piece->end_cell, n_columns);
    *begins = piece->first_cell % n_columns == 0;
    *completes = piece->end_cell % n_columns == 0;
}
