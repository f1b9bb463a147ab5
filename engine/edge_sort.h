/* Sorting edges: records of a bucket into tiles, keys inside a tile, ids.
 *
 * A record is (order << 32 | key): `order` ranks the tiles of a band as the store has them, `key` is
 * (local source << band_bits | local destination). Counting by tile and then a radix sort of 32-bit
 * keys moves 4 bytes an edge instead of 8, and both stay in the L2 cache.
 * Everything here is single-threaded, allocates nothing and cannot fail. */
#ifndef MR_ENGINE_EDGE_SORT_H
#define MR_ENGINE_EDGE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ascending. `temp` has room for n_keys, too, and may not overlap. O(n_keys). */
void mr_sort_u32(uint32_t *restrict keys, uint32_t *restrict temp, size_t n_keys);
void mr_sort_u64(uint64_t *restrict keys, uint64_t *restrict temp, size_t n_keys);

/* Ascending, in place: slower than mr_sort_u64 by half, for where there is no room. */
void mr_sort_u64_in_place(uint64_t *keys, size_t n_keys);

/* Drop repetitions from ascending numbers; returns how many are left. */
size_t mr_unique_u32(uint32_t *keys, size_t n_keys);
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

/* Sort `records[n_records]`, orders in [first_order, first_order + span), into `keys[n_records]`,
 * tile by tile, ascending, with repetitions dropped when `merge` is set. Fills `runs` (room as told
 * above), returns their number. `records` is used up as working space. n_records < 2^32. */
uint32_t mr_sort_bucket(uint64_t *restrict records, uint32_t n_records, uint32_t first_order,
                        uint32_t span, bool merge, uint32_t *restrict keys,
                        struct mr_tile_run *restrict runs);

#endif
