/* SPDX-License-Identifier: Apache-2.0 */
/* Loads one piece of the edges into memory, in buckets. Workers write records to blocks of a few
 * cache lines, one open block per worker and bucket, so that they rarely touch the same line.
 * edge_piece_sort.c then sorts each bucket inside a cache. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/builder/edges/edge_piece_internal.h"
#include "engine/io/scratch_file.h"

/* Blocks are aligned to their size, so the address of the next record shows when the block is
 * full. */
enum {
    CACHE_LINE_BYTES = 64,
    MAX_BLOCK_BYTES = 512,
    PART_ALIGNMENT = MAX_BLOCK_BYTES,
    N_PARTS = 8
};

/* Memory whose blocks no worker has taken yet. Its first bytes hold this description. */
struct mr_sorter_extent {
    struct mr_sorter_extent *next;
    uint64_t bytes;
};

/* The memory where a worker takes its blocks from. */
struct mr_sorter_supply {
    _Alignas(64) char *at;
    char *end;
};

_Static_assert(PART_ALIGNMENT *N_PARTS <= MR_EDGE_SORTER_EXTRA_BYTES, "parts are aligned");

enum mr_status mr_edge_sorter_create(const struct mr_context *context,
                                     const struct mr_edge_plan *plan, bool merge,
                                     uint64_t given_bytes, struct mr_edge_sorter **out,
                                     struct mr_error *err)
{
    struct mr_edge_sorter *sorter = calloc(1, sizeof *sorter);
    struct mr_sorter_supply *supplies =
        aligned_alloc(_Alignof(struct mr_sorter_supply), plan->n_workers * sizeof *supplies);

    *out = NULL;
    if (sorter == NULL || supplies == NULL) {
        free(supplies);
        free(sorter);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for sorting");
    }
    *out = sorter;
    sorter->context = context;
    sorter->plan = plan;
    sorter->merge = merge;
    sorter->supplies = supplies;
    for (unsigned i = 0; i < MR_SORTER_ALL_LOCKS; i++) {
        sorter->locks[i] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    }
    sorter->block_bytes = plan->block_records * plan->record_words * sizeof(uint64_t);
    assert(sorter->block_bytes <= MAX_BLOCK_BYTES && given_bytes <= plan->max_bytes);
    sorter->buffer_bytes = plan->max_bytes - given_bytes + MR_EDGE_SORTER_EXTRA_BYTES;
    return mr_memory_alloc(context->memory, "sort buffer", sorter->buffer_bytes, &sorter->buffer,
                           err);
}

void mr_edge_sorter_destroy(struct mr_edge_sorter *sorter)
{
    if (sorter == NULL) {
        return;
    }
    mr_memory_free(sorter->context->memory, sorter->buffer);
    free(sorter->supplies);
    free(sorter);
}

static void *carve(char **at, uint64_t count, uint64_t size)
{
    char *part = *at;
    *at += mr_round_up(count * size, PART_ALIGNMENT);
    return part;
}

void mr_edge_sorter_begin(struct mr_edge_sorter *sorter, const struct mr_edge_piece *piece)
{
    const struct mr_edge_plan *plan = sorter->plan;
    uint64_t n_cursors = plan->n_workers * piece->n_buckets;
    const uint64_t scratch_bytes = mr_edge_plan_scratch_words(plan) * sizeof(uint64_t);
    char *at = sorter->buffer;
    sorter->piece = piece;
    sorter->cursors = carve(&at, n_cursors, sizeof *sorter->cursors);
    sorter->blocks =
        carve(&at, piece->n_edges / plan->block_records + n_cursors, sizeof *sorter->blocks);
    sorter->runs = carve(&at, piece->n_runs, sizeof *sorter->runs);
    sorter->buckets = carve(&at, piece->n_buckets, sizeof *sorter->buckets);
    sorter->scratch =
        carve(&at, plan->n_sorters * mr_edge_plan_scratch(plan, piece), scratch_bytes);
    sorter->large_scratch =
        carve(&at, plan->n_large * mr_edge_plan_large_scratch(piece), scratch_bytes);
    sorter->bucket_of = carve(&at, piece->end_cell - piece->first_cell, sizeof *sorter->bucket_of);
    atomic_init(&sorter->arena_at, at);
    sorter->arena_end = (char *)sorter->buffer + sorter->buffer_bytes;
    assert(at <= sorter->arena_end);
    sorter->given = NULL;
    memset(sorter->supplies, 0, plan->n_workers * sizeof *sorter->supplies);
    memset(sorter->cursors, 0, n_cursors * sizeof *sorter->cursors);
    mr_edge_plan_buckets(sorter->plan, piece, sorter->buckets, sorter->bucket_of);
}

/* ---- Blocks ---- */

void mr_edge_sorter_give(struct mr_edge_sorter *sorter, unsigned worker, void *memory,
                         uint64_t bytes)
{
    struct mr_sorter_supply *supply = &sorter->supplies[worker];
    assert((uintptr_t)memory % MAX_BLOCK_BYTES == 0 && bytes % MAX_BLOCK_BYTES == 0);
    if (supply->at == supply->end) {
        *supply = (struct mr_sorter_supply){.at = memory, .end = (char *)memory + bytes};
        return;
    }
    struct mr_sorter_extent *extent = memory;
    extent->bytes = bytes;
    (void)pthread_mutex_lock(&sorter->locks[MR_SORTER_GIVEN_LOCK]);
    extent->next = sorter->given;
    sorter->given = extent;
    (void)pthread_mutex_unlock(&sorter->locks[MR_SORTER_GIVEN_LOCK]);
}

/* Give the worker more blocks: from the memory it was given, else from the sorter's own. Returns
 * false if there are none, which cannot happen for the edges that were counted. */
static bool refill(struct mr_edge_sorter *sorter, struct mr_sorter_supply *supply)
{
    (void)pthread_mutex_lock(&sorter->locks[MR_SORTER_GIVEN_LOCK]);
    struct mr_sorter_extent *extent = sorter->given;
    sorter->given = extent != NULL ? extent->next : NULL;
    (void)pthread_mutex_unlock(&sorter->locks[MR_SORTER_GIVEN_LOCK]);
    if (extent != NULL) {
        *supply =
            (struct mr_sorter_supply){.at = (char *)extent, .end = (char *)extent + extent->bytes};
        return true;
    }
    uint64_t bytes = MR_EDGE_BLOCKS_TAKEN * sorter->block_bytes;
    char *at = atomic_load_explicit(&sorter->arena_at, memory_order_relaxed);
    do {
        uint64_t left = (uint64_t)(sorter->arena_end - at);
        bytes = mr_min_u64(bytes, left - left % sorter->block_bytes);
    } while (!atomic_compare_exchange_weak(&sorter->arena_at, &at, at + bytes));
    *supply = (struct mr_sorter_supply){.at = at, .end = at + bytes};
    return bytes > 0;
}

/* Register the block that ends before `end` with its bucket. Returns false if the bucket has all
 * its blocks already. */
static bool hand_over(struct mr_edge_sorter *sorter, struct mr_edge_bucket *bucket, uint64_t *end,
                      uint32_t n_records)
{
    uint32_t at = atomic_fetch_add_explicit(&bucket->n_blocks, 1, memory_order_relaxed);
    if (at >= mr_edge_plan_blocks(sorter->plan, bucket->n_edges)) {
        return false;
    }
    sorter->blocks[bucket->first_block + at] = (struct mr_record_block){
        .records = end - (uint64_t)n_records * sorter->plan->record_words, .n_records = n_records};
    return true;
}

/* Get a new block for `bucket`, whose block is full or which has none yet. Returns the address of
 * the next record, or NULL. */
static uint64_t *next_block(struct mr_edge_sorter *sorter, unsigned worker,
                            struct mr_edge_bucket *bucket, uint64_t *cursor)
{
    struct mr_sorter_supply *supply = &sorter->supplies[worker];
    if ((cursor != NULL && !hand_over(sorter, bucket, cursor, sorter->plan->block_records)) ||
        (supply->at == supply->end && !refill(sorter, supply))) {
        return NULL;
    }
    cursor = (uint64_t *)(void *)supply->at;
    supply->at += sorter->block_bytes;
    /* Prefetch the lines of the block: it fills slowly, among a thousand others. */
    for (char *line = (char *)cursor; line < supply->at; line += CACHE_LINE_BYTES) {
        __builtin_prefetch(line, 1);
    }
    return cursor;
}

static inline enum mr_status add_some(struct mr_edge_sorter *sorter, unsigned worker,
                                      const uint32_t (*pairs)[2], const float *weights,
                                      size_t n_pairs, unsigned words, bool follow,
                                      struct mr_error *err)
{
    const struct mr_edge_grid grid = *sorter->plan->grid;
    const uint64_t first_cell = sorter->piece->first_cell;
    const uint64_t n_cells = sorter->piece->end_cell - first_cell;
    const uint64_t n_buckets = sorter->piece->n_buckets;
    const uintptr_t mask = sorter->block_bytes - 1;
    uint64_t **cursors = sorter->cursors + worker * n_buckets;
    const uint32_t *bucket_of = sorter->bucket_of;
    if (n_buckets == 0) {
        return n_pairs == 0 ? MR_OK : mr_scratch_changed(err);
    }
    /* Hold the cursor in a register while consecutive edges go to one bucket: a load from memory
     * would wait for the store before it. */
    uint32_t bucket = 0;
    uint64_t *cursor = cursors[0];
    struct mr_edge_spot spot = {0};
    for (size_t i = 0; i < n_pairs; i++) {
        uint32_t source = pairs[i][0], target = pairs[i][1];
        if (!follow || i == 0 || !mr_edge_grid_is_near(&grid, &spot, source, target)) {
            uint64_t cell = mr_edge_grid_cell(&grid, source, target) - first_cell;
            if (cell >= n_cells) {
                return mr_scratch_changed(err);
            }
            spot = mr_edge_grid_spot(&grid, source, target);
            if (follow) {
                cursors[bucket] = cursor;
            }
            bucket = bucket_of[cell];
            cursor = cursors[bucket];
        }
        if (((uintptr_t)cursor & mask) == 0) { /* true also for NULL */
            cursor = next_block(sorter, worker, &sorter->buckets[bucket], cursor);
            if (cursor == NULL) {
                return mr_scratch_changed(err);
            }
        }
        *cursor = mr_edge_grid_record(&grid, &spot, source, target);
        if (words == 2) {
            uint32_t bits;
            memcpy(&bits, &weights[i], sizeof bits);
            cursor[1] = bits;
        }
        cursor += words;
        if (!follow) {
            cursors[bucket] = cursor;
        }
    }
    cursors[bucket] = cursor;
    return MR_OK;
}

enum mr_status mr_edge_sorter_add(struct mr_edge_sorter *sorter, unsigned worker,
                                  const uint32_t (*pairs)[2], const float *weights, size_t n_pairs,
                                  struct mr_error *err)
{
    const bool follow = mr_edge_grid_follow(sorter->plan->grid, pairs, n_pairs);
    if (sorter->plan->record_words == 1) {
        return follow ? add_some(sorter, worker, pairs, NULL, n_pairs, 1, true, err)
                      : add_some(sorter, worker, pairs, NULL, n_pairs, 1, false, err);
    }
    return follow ? add_some(sorter, worker, pairs, weights, n_pairs, 2, true, err)
                  : add_some(sorter, worker, pairs, weights, n_pairs, 2, false, err);
}

enum mr_status mr_edge_sorter_flush(struct mr_edge_sorter *sorter, unsigned worker,
                                    struct mr_error *err)
{
    const uint64_t n_buckets = sorter->piece->n_buckets;
    const uintptr_t mask = sorter->block_bytes - 1;
    const unsigned words = sorter->plan->record_words;
    uint64_t **cursors = sorter->cursors + worker * n_buckets;
    for (uint64_t b = 0; b < n_buckets; b++) {
        uint64_t bytes = (uintptr_t)cursors[b] & mask;
        uint64_t n_words = (bytes > 0 ? bytes : mask + 1) / sizeof(uint64_t);
        if (cursors[b] != NULL &&
            !hand_over(sorter, &sorter->buckets[b], cursors[b], (uint32_t)(n_words / words))) {
            return mr_scratch_changed(err);
        }
        cursors[b] = NULL;
    }
    return MR_OK;
}
