/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting edges: records of a bucket into tiles, keys inside a tile, and ids.
 *
 * A record is (order << 32 | key): `order` ranks the tiles of a band in the order of the store,
 * `key` is (local source << band_bits | local target). Counting by tile and then radix-sorting
 * 32-bit keys moves 4 bytes per edge instead of 8, and both steps stay in the L2 cache. All
 * functions here are single-threaded, allocate nothing and cannot fail. */
#ifndef MR_ENGINE_BASE_SORT_H
#define MR_ENGINE_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/bytes.h"
#include "engine/base/error.h"

/* Sorts ascending. `temp` also has room for n_keys and may not overlap `keys`. O(n_keys).
 * mr_sort_u32 returns the sorted keys, which are in `keys` or in `temp`: its callers copy them
 * anyway. mr_sort_u64 leaves them in `keys`. */
uint32_t *mr_sort_u32(uint32_t *keys, uint32_t *temp, size_t n_keys) MR_WARN_UNUSED;
void mr_sort_u64(uint64_t *restrict keys, uint64_t *restrict temp, size_t n_keys);

/* Sorts ascending, in place, without a second array. It takes about half as long again. */
void mr_sort_u32_in_place(uint32_t *keys, size_t n_keys);
void mr_sort_u64_in_place(uint64_t *keys, size_t n_keys);

/* Removes repetitions from ascending numbers; returns how many numbers are left. mr_unique_u32
 * copies them to `out[n_keys]`, which may overlap `keys` if it does not begin after `keys`. */
size_t mr_unique_u32(const uint32_t *keys, size_t n_keys, uint32_t *out);
size_t mr_unique_u64(uint64_t *keys, size_t n_keys);

/* The number of the first of ascending `keys` that is not below `key`; n_keys if all are. */
static inline uint64_t mr_find_u64(const uint64_t *keys, uint64_t n_keys, uint64_t key)
{
    uint64_t first = 0, end = n_keys;

    MR_FIND_FIRST(first, end, middle, keys[middle] < key);
    return first;
}

/* A nonempty tile. Its keys follow the keys of the tile before it. */
struct mr_tile_run {
    uint32_t order;
    uint32_t n_keys;
};

/* The number of items in `runs` that mr_sort_bucket needs for `n_records` with orders in a range of
 * `span`. */
static inline uint64_t mr_sort_bucket_runs(uint64_t n_records, uint64_t span)
{
    return n_records < span ? n_records : span;
}

/* Records that lie together. A record is one word, or two words if it has a weight. */
struct mr_record_block {
    uint64_t *records;
    uint32_t n_records;
};

/* Sorts the records of `blocks[n_blocks]` tile by tile, with ascending keys. There are n_records <
 * 2^32 in all, with orders in [first_order, first_order + span). `merge` drops repetitions. The
 * keys, 32 bits each, end up in `scratch[n_records]` from its first byte on: see mr_sorted_keys.
 * Fills `runs` (mr_sort_bucket_runs says how many items it needs) and returns their number.
 * `in_place` is slower but needs only half of the scratch if span <= n_records. */
uint32_t mr_sort_bucket(const struct mr_record_block *blocks, size_t n_blocks, uint32_t n_records,
                        uint32_t first_order, uint32_t span, bool merge, bool in_place,
                        uint64_t *scratch, struct mr_tile_run *runs);

/* The same for records with weights. `records` lie together; the second word of each has the bits
 * of its weight. `scratch` has room for n_records words of 8 bytes. The keys overwrite the records
 * and start at the same address; mr_sorted_weights returns the weights of the keys. Repeated edges
 * are in the order of their weights. `merge` adds their weights up in that order, in double, and
 * rounds once. Sets `*overflows` if a sum is too large for a float. */
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
