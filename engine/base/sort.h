/* Sorting edges: records of a bucket into tiles, keys inside a tile, ids.
 *
 * A record is (order << 32 | key): `order` ranks the tiles of a band as the store has them, `key` is
 * (local source << band_bits | local destination). Counting by tile and then a radix sort of 32-bit
 * keys moves 4 bytes an edge instead of 8, and both stay in the L2 cache.
 * Everything here is single-threaded, allocates nothing and cannot fail. */
#ifndef MR_ENGINE_BASE_SORT_H
#define MR_ENGINE_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

/* Ascending. `temp` has room for n_keys, too, and may not overlap. O(n_keys). The first returns where
 * the sorted keys are, `keys` or `temp`: its callers copy them anyway. */
uint32_t *mr_sort_u32(uint32_t *keys, uint32_t *temp, size_t n_keys) MR_WARN_UNUSED;
void mr_sort_u64(uint64_t *restrict keys, uint64_t *restrict temp, size_t n_keys);

/* Ascending, in place: slower by half, for where there is no room. */
void mr_sort_u32_in_place(uint32_t *keys, size_t n_keys);
void mr_sort_u64_in_place(uint64_t *keys, size_t n_keys);

/* Ascending numbers without their repetitions; returns how many are left. The first copies them to
 * `out[n_keys]`, which may overlap where it does not begin after `keys`. */
size_t mr_unique_u32(const uint32_t *keys, size_t n_keys, uint32_t *out);
size_t mr_unique_u64(uint64_t *keys, size_t n_keys);

/* A nonempty tile; its keys follow those of the tile before. */
struct mr_tile_run {
    uint32_t order;
    uint32_t n_keys;
};

/* Rooms in `runs` that mr_sort_bucket needs for `n_records` with orders inside `span`. */
static inline uint64_t mr_sort_bucket_runs(uint64_t n_records, uint64_t span)
{
    return n_records < span ? n_records : span;
}

/* Records that lie together, of one word or, with weights, two. */
struct mr_record_block {
    uint64_t *records;
    uint32_t n_records;
};

/* Sort the records of `blocks[n_blocks]`, n_records in all, orders in [first_order, first_order + span),
 * tile by tile, keys ascending, repetitions dropped when `merge` is set. The keys, 32 bits each, are in
 * `scratch[n_records]` then, from its first byte on: see mr_sorted_keys. Fills `runs` (room as told
 * above), returns their number. n_records < 2^32. `in_place`: where span <= n_records, half of the scratch
 * suffices; slower. */
uint32_t mr_sort_bucket(const struct mr_record_block *blocks, size_t n_blocks, uint32_t n_records,
                        uint32_t first_order, uint32_t span, bool merge, bool in_place,
                        uint64_t *scratch, struct mr_tile_run *runs);

/* The same with weights, of records that lie together, pairs of words, the second one a weight's bits; scratch
 * has room for n_records of 8 bytes, and the keys take the place of the records. Links that are told twice come in the order of their weights; merged, their
 * weights are added up in that order (double, then rounded once). `*overflows` is set where that is
 * beyond a float. The weights of the keys are at mr_sorted_weights. */
uint32_t mr_sort_weighted_bucket(uint64_t (*records)[2], uint32_t n_records, uint32_t first_order,
                                 uint32_t span, bool merge, uint64_t *scratch,
                                 struct mr_tile_run *runs, bool *overflows);

static inline const float *mr_sorted_weights(const uint64_t *records, uint32_t n_records)
{
    return (const float *)(const void *)((const uint32_t *)records + n_records);
}

static inline const uint32_t *mr_sorted_keys(const uint64_t *scratch)
{
    return (const uint32_t *)scratch;
}

#endif
