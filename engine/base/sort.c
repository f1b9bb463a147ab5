/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting numbers and the records of a bucket. The builder sorts edges with it: records of a bucket
 * become tiles with ascending keys. Radix sort runs in linear time and moves 4 bytes per key; other
 * methods serve small inputs, inputs that are almost in order, and callers without room for a
 * second array. */
#include "engine/base/sort.h"

#include <string.h>

/* Up to this number of keys insertion sort is faster than counting, measured on tiles of random
 * keys. */
enum { INSERTION_MAX = 40 };

/* From this number of keys on, three digits of 11 bits are faster than four of 8: one pass less
 * pays for longer tables. */
enum { WIDE_DIGITS_MIN = 3000 };

enum { NARROW_BITS = 8, NARROW_DIGITS = 4, WIDE_BITS = 11, WIDE_DIGITS = 3 };

#define INSERTION_SORT(BITS)                                                                       \
    static void insertion_sort_u##BITS(uint##BITS##_t *keys, size_t n_keys)                        \
    {                                                                                              \
        for (size_t i = 1; i < n_keys; i++) {                                                      \
            uint##BITS##_t key = keys[i];                                                          \
            size_t j = i;                                                                          \
            for (; j > 0 && keys[j - 1] > key; j--) {                                              \
                keys[j] = keys[j - 1];                                                             \
            }                                                                                      \
            keys[j] = key;                                                                         \
        }                                                                                          \
    }

INSERTION_SORT(32)
INSERTION_SORT(64)

static bool is_sorted_u32(const uint32_t *keys, size_t n_keys)
{
    for (size_t i = 1; i < n_keys; i++) {
        if (keys[i - 1] > keys[i]) {
            return false;
        }
    }
    return true;
}

/* An input that is partly in order gives tiles of a few ascending runs; an input of two sorted
 * halves gives two. Merging two runs costs as much as one of the three passes of the radix sort. */
enum { MAX_RUNS = 4 };

/* Finds the ends of the ascending runs of `keys`. Returns the number of runs, or 0 if there are
 * more than MAX_RUNS; random keys give 0 after a few steps. */
static unsigned find_runs(const uint32_t *keys, size_t n_keys, size_t ends[MAX_RUNS])
{
    unsigned n_runs = 0;
    for (size_t i = 1; i < n_keys; i++) {
        if (keys[i - 1] > keys[i]) {
            if (n_runs == MAX_RUNS - 1) {
                return 0;
            }
            ends[n_runs++] = i;
        }
    }
    ends[n_runs++] = n_keys;
    return n_runs;
}

/* Merges a and b to `out`, which has room for both. `out` may overlap `b` if both end at the same
 * address; it may not overlap `a`. */
static void merge_u32(const uint32_t *a, const uint32_t *end_a, const uint32_t *b,
                      const uint32_t *end_b, uint32_t *out)
{
    /* no branch inside: the processor cannot predict which key is smaller */
    while (a < end_a && b < end_b) {
        const uint32_t of_a = *a, of_b = *b;
        const bool takes_b = of_b < of_a;
        *out++ = takes_b ? of_b : of_a;
        a += !takes_b;
        b += takes_b;
    }
    memcpy(out, a, (size_t)(end_a - a) * sizeof *out);
    memmove(out + (end_a - a), b, (size_t)(end_b - b) * sizeof *out);
}

/* Merges all runs. Returns the sorted keys, which are in `keys` or `temp`: the merged part moves
 * between the two. The next run is in `keys` behind the merged part, and is read before it is
 * overwritten. */
static uint32_t *merge_runs(uint32_t *keys, uint32_t *temp, const size_t *ends, unsigned n_runs)
{
    uint32_t *from = keys;
    for (unsigned i = 1; i < n_runs; i++) {
        uint32_t *to = from == keys ? temp : keys;
        merge_u32(from, from + ends[i - 1], keys + ends[i - 1], keys + ends[i], to);
        from = to;
    }
    return from;
}

/* Turns counts into the start of each digit's range. */
static void to_starts(uint32_t *counts, size_t n_counts)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n_counts; i++) {
        uint32_t count = counts[i];
        counts[i] = sum;
        sum += count;
    }
}

static void scatter_u32(const uint32_t *restrict from, uint32_t *restrict to, size_t n_keys,
                        unsigned shift, uint32_t mask, uint32_t *restrict starts)
{
    for (size_t i = 0; i < n_keys; i++) {
        uint32_t key = from[i];
        to[starts[key >> shift & mask]++] = key;
    }
}

static inline void count_narrow(const uint32_t *keys, size_t n_keys,
                                uint32_t counts[NARROW_DIGITS][1 << NARROW_BITS])
{
    for (size_t i = 0; i < n_keys; i++) {
        uint32_t key = keys[i];
        counts[0][key & 255]++;
        counts[1][key >> 8 & 255]++;
        counts[2][key >> 16 & 255]++;
        counts[3][key >> 24]++;
    }
}

static inline void count_wide(const uint32_t *keys, size_t n_keys,
                              uint32_t counts[WIDE_DIGITS][1 << WIDE_BITS])
{
    for (size_t i = 0; i < n_keys; i++) {
        uint32_t key = keys[i];
        counts[0][key & 2047]++;
        counts[1][key >> 11 & 2047]++;
        counts[2][key >> 22]++;
    }
}

uint32_t *mr_sort_u32(uint32_t *keys, uint32_t *temp, size_t n_keys)
{
    if (n_keys <= INSERTION_MAX) {
        insertion_sort_u32(keys, n_keys);
        return keys;
    }
    size_t ends[MAX_RUNS];
    const unsigned n_runs = find_runs(keys, n_keys, ends);
    if (n_runs > 0) {
        return merge_runs(keys, temp, ends, n_runs);
    }
    uint32_t narrow[NARROW_DIGITS][1 << NARROW_BITS], wide[WIDE_DIGITS][1 << WIDE_BITS];
    bool is_wide = n_keys >= WIDE_DIGITS_MIN;
    unsigned bits = is_wide ? WIDE_BITS : NARROW_BITS;
    unsigned n_digits = is_wide ? WIDE_DIGITS : NARROW_DIGITS;
    uint32_t mask = (1u << bits) - 1;
    if (is_wide) {
        memset(wide, 0, sizeof wide);
        count_wide(keys, n_keys, wide);
    } else {
        memset(narrow, 0, sizeof narrow);
        count_narrow(keys, n_keys, narrow);
    }
    uint32_t *from = keys, *to = temp;
    for (unsigned digit = 0; digit < n_digits; digit++) {
        uint32_t *counts = is_wide ? wide[digit] : narrow[digit];
        if (counts[from[0] >> (digit * bits) & mask] == n_keys) {
            continue; /* all keys have the same digit: nothing moves */
        }
        to_starts(counts, (size_t)1 << bits);
        scatter_u32(from, to, n_keys, digit * bits, mask, counts);
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

void mr_sort_u64(uint64_t *restrict keys, uint64_t *restrict temp, size_t n_keys)
{
    if (n_keys <= INSERTION_MAX) {
        insertion_sort_u64(keys, n_keys);
        return;
    }
    uint64_t varying = 0;
    for (size_t i = 1; i < n_keys; i++) {
        varying |= keys[i] ^ keys[0];
    }
    uint64_t *from = keys, *to = temp;
    size_t starts[1 << WIDE_BITS];
    for (unsigned shift = 0; shift < 64; shift += WIDE_BITS) {
        const uint64_t mask = (1u << WIDE_BITS) - 1;
        if ((varying >> shift & mask) == 0) {
            continue;
        }
        memset(starts, 0, sizeof starts);
        for (size_t i = 0; i < n_keys; i++) {
            starts[from[i] >> shift & mask]++;
        }
        size_t sum = 0;
        for (size_t i = 0; i <= mask; i++) {
            size_t count = starts[i];
            starts[i] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n_keys; i++) {
            to[starts[from[i] >> shift & mask]++] = from[i];
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys) {
        memcpy(keys, from, n_keys * sizeof *keys);
    }
}

/* American flag sort: count a digit from the top, then follow the cycles. Source: McIlroy, Bostic,
 * McIlroy, "Engineering radix sort", 1993. The recursion is at most 8 levels deep. */
#define FLAG_SORT(BITS)                                                                            \
    static void flag_sort_##BITS(uint##BITS##_t *keys, size_t n_keys, unsigned shift)              \
    {                                                                                              \
        size_t next[256] = {0}, end[256];                                                          \
        for (size_t i = 0; i < n_keys; i++) {                                                      \
            next[keys[i] >> shift & 255]++;                                                        \
        }                                                                                          \
        size_t sum = 0;                                                                            \
        for (size_t digit = 0; digit < 256; digit++) {                                             \
            size_t count = next[digit];                                                            \
            next[digit] = sum;                                                                     \
            sum += count;                                                                          \
            end[digit] = sum;                                                                      \
        }                                                                                          \
        for (size_t digit = 0; digit < 256; digit++) {                                             \
            while (next[digit] < end[digit]) {                                                     \
                uint##BITS##_t key = keys[next[digit]];                                            \
                size_t home = key >> shift & 255;                                                  \
                while (home != digit) {                                                            \
                    uint##BITS##_t *slot = &keys[next[home]++];                                    \
                    uint##BITS##_t evicted = *slot;                                                \
                    *slot = key;                                                                   \
                    key = evicted;                                                                 \
                    home = key >> shift & 255;                                                     \
                }                                                                                  \
                keys[next[digit]++] = key;                                                         \
            }                                                                                      \
        }                                                                                          \
        for (size_t digit = 0; shift > 0 && digit < 256; digit++) {                                \
            size_t start = digit == 0 ? 0 : end[digit - 1], count = end[digit] - start;            \
            if (count <= INSERTION_MAX) {                                                          \
                insertion_sort_u##BITS(keys + start, count);                                       \
            } else {                                                                               \
                flag_sort_##BITS(keys + start, count, shift - 8);                                  \
            }                                                                                      \
        }                                                                                          \
    }

FLAG_SORT(32)
FLAG_SORT(64)

void mr_sort_u32_in_place(uint32_t *keys, size_t n_keys)
{
    if (n_keys <= INSERTION_MAX) {
        insertion_sort_u32(keys, n_keys);
    } else if (!is_sorted_u32(keys, n_keys)) {
        flag_sort_32(keys, n_keys, 24);
    }
}

void mr_sort_u64_in_place(uint64_t *keys, size_t n_keys)
{
    uint64_t varying = 0;
    for (size_t i = 1; i < n_keys; i++) {
        varying |= keys[i] ^ keys[0];
    }
    if (n_keys <= INSERTION_MAX) {
        insertion_sort_u64(keys, n_keys);
    } else if (varying != 0) {
        unsigned top = 63 - (unsigned)__builtin_clzll(varying);
        flag_sort_64(keys, n_keys, top / 8 * 8);
    }
}

size_t mr_unique_u32(const uint32_t *keys, size_t n_keys, uint32_t *out)
{
    size_t n_left = 0;
    uint32_t key = n_keys > 0 ? keys[0] : 0;
    for (size_t i = 1; i < n_keys; i++) { /* no branch: up to half of the keys may repeat */
        uint32_t next = keys[i];
        out[n_left] = key;
        n_left += key != next;
        key = next;
    }
    if (n_keys > 0) {
        out[n_left++] = key;
    }
    return n_left;
}

size_t mr_unique_u64(uint64_t *keys, size_t n_keys)
{
    size_t n_left = n_keys > 0;
    for (size_t i = 1; i < n_keys; i++) {
        uint64_t key = keys[i];
        bool is_new = key != keys[n_left - 1];
        keys[n_left - !is_new] = key;
        n_left += is_new;
    }
    return n_left;
}

/* For few records over many tiles: counting the tiles would cost more than sorting the records. The
 * keys overwrite records that are already read. */
static uint32_t split_few(const struct mr_record_block *blocks, size_t n_blocks, uint32_t n_records,
                          bool merge, uint64_t *records, struct mr_tile_run *runs)
{
    uint32_t n_runs = 0, n_left = 0, *keys = (uint32_t *)records;
    uint64_t *to = records;
    for (size_t b = 0; b < n_blocks; b++) {
        memcpy(to, blocks[b].records, blocks[b].n_records * sizeof *to);
        to += blocks[b].n_records;
    }
    mr_sort_u64_in_place(records, n_records);
    uint64_t previous = ~records[0];
    for (uint32_t i = 0; i < n_records; i++) {
        uint64_t record = records[i];
        if (merge && record == previous) {
            continue;
        }
        previous = record;
        uint32_t order = (uint32_t)(record >> 32);
        if (n_runs == 0 || runs[n_runs - 1].order != order) {
            runs[n_runs++] = (struct mr_tile_run){.order = order, .n_keys = 0};
        }
        runs[n_runs - 1].n_keys++;
        keys[n_left++] = (uint32_t)record;
    }
    return n_runs;
}

/* Blocks lie anywhere in memory, so the processor cannot predict the next one. This fetches it two
 * blocks ahead. */
static inline void prefetch_block(const struct mr_record_block *blocks, size_t n_blocks, size_t at)
{
    enum { AHEAD = 2, LINE_RECORDS = 8 };
    if (at + AHEAD < n_blocks) {
        const struct mr_record_block *block = &blocks[at + AHEAD];
        for (uint32_t i = 0; i < block->n_records; i += LINE_RECORDS) {
            __builtin_prefetch(block->records + i);
        }
    }
}

/* For records that are already in order: copies their keys to `keys`, which no record may overlap.
 * Returns the number of tiles, or 0 at the first record that is out of order. */
static uint32_t copy_sorted(const struct mr_record_block *blocks, size_t n_blocks, bool merge,
                            uint32_t *restrict keys, struct mr_tile_run *restrict runs)
{
    uint64_t previous = blocks[0].records[0];
    uint32_t n_runs = 0, n_left = 0, order = (uint32_t)(previous >> 32), first = 0;
    keys[n_left++] = (uint32_t)previous;
    for (size_t b = 0; b < n_blocks; b++) {
        const uint64_t *records = blocks[b].records;
        prefetch_block(blocks, n_blocks, b);
        for (uint32_t i = b == 0; i < blocks[b].n_records; i++) {
            const uint64_t record = records[i];
            if (record < previous) {
                return 0;
            }
            if ((uint32_t)(record >> 32) != order) {
                runs[n_runs++] = (struct mr_tile_run){.order = order, .n_keys = n_left - first};
                order = (uint32_t)(record >> 32);
                first = n_left;
            }
            keys[n_left] = (uint32_t)record;
            n_left += !merge || record != previous;
            previous = record;
        }
    }
    runs[n_runs++] = (struct mr_tile_run){.order = order, .n_keys = n_left - first};
    return n_runs;
}

/* Scatters the keys to `scratch`, tile by tile. Until the end runs[i].order says where the next key
 * of tile first_order + i goes. */
static void scatter_to_tiles(const struct mr_record_block *blocks, size_t n_blocks,
                             uint32_t first_order, uint32_t span, uint32_t *scratch,
                             struct mr_tile_run *runs)
{
    memset(runs, 0, span * sizeof *runs);
    for (size_t b = 0; b < n_blocks; b++) {
        const uint64_t *records = blocks[b].records;
        prefetch_block(blocks, n_blocks, b);
        for (uint32_t i = 0; i < blocks[b].n_records; i++) {
            runs[(uint32_t)(records[i] >> 32) - first_order].n_keys++;
        }
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i < span; i++) {
        runs[i].order = sum;
        sum += runs[i].n_keys;
    }
    for (size_t b = 0; b < n_blocks; b++) {
        const uint64_t *records = blocks[b].records;
        for (uint32_t i = 0; i < blocks[b].n_records; i++) {
            struct mr_tile_run *run = &runs[(uint32_t)(records[i] >> 32) - first_order];
            scratch[run->order++] = (uint32_t)records[i];
        }
    }
}

uint32_t mr_sort_bucket(const struct mr_record_block *blocks, size_t n_blocks, uint32_t n_records,
                        uint32_t first_order, uint32_t span, bool merge, bool in_place,
                        uint64_t *scratch, struct mr_tile_run *runs)
{
    if (n_records == 0) {
        return 0;
    }
    if (span > n_records) {
        return split_few(blocks, n_blocks, n_records, merge, scratch, runs);
    }
    /* The keys go to the first half of the scratch, where the sorted ones are packed. The second
     * half is the sort's temporary array. */
    uint32_t *keys = (uint32_t *)scratch, *to = keys, *temp = keys + n_records;
    uint32_t n_runs = copy_sorted(blocks, n_blocks, merge, keys, runs);
    if (n_runs > 0) {
        return n_runs;
    }
    scatter_to_tiles(blocks, n_blocks, first_order, span, keys, runs);
    for (uint32_t i = 0; i < span; i++) {
        uint32_t n_keys = runs[i].n_keys, n_left = n_keys;
        if (n_keys == 0) {
            continue;
        }
        const uint32_t *sorted = keys;
        if (in_place) {
            mr_sort_u32_in_place(keys, n_keys);
        } else {
            sorted = mr_sort_u32(keys, temp, n_keys);
        }
        if (merge) {
            n_left = (uint32_t)mr_unique_u32(sorted, n_keys, to);
        } else if (sorted != to) {
            memmove(to, sorted, n_keys * sizeof *to);
        }
        runs[n_runs++] = (struct mr_tile_run){.order = first_order + i, .n_keys = n_left};
        keys += n_keys;
        to += n_left;
    }
    return n_runs;
}
