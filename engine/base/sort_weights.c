/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting edges with weights, the counterpart of sort.c for weighted input. A key and the bits of
 * its weight form one number of 64 bits: positive floats have the same order as their bits, so one
 * sort orders by key and then weight. */
#include <math.h>
#include <string.h>

#include "engine/base/sort.h"

static uint64_t with_weight(const uint64_t record[2])
{
    return (uint64_t)(uint32_t)record[0] << 32 | (uint32_t)record[1];
}

/* For few records over many tiles: sorts the orders together with the indices of the records. */
static uint32_t split_few(uint64_t (*records)[2], uint32_t n_records, uint64_t *scratch,
                          struct mr_tile_run *runs)
{
    uint32_t n_runs = 0;
    for (uint32_t i = 0; i < n_records; i++) {
        scratch[i] = records[i][0] >> 32 << 32 | i;
    }
    mr_sort_u64_in_place(scratch, n_records);
    for (uint32_t i = 0; i < n_records; i++) {
        const uint32_t order = (uint32_t)(scratch[i] >> 32);
        if (n_runs == 0 || runs[n_runs - 1].order != order) {
            runs[n_runs++] = (struct mr_tile_run){.order = order, .n_keys = 0};
        }
        runs[n_runs - 1].n_keys++;
        scratch[i] = with_weight(records[(uint32_t)scratch[i]]);
    }
    return n_runs;
}

static uint32_t split_many(uint64_t (*records)[2], uint32_t n_records, uint32_t first_order,
                           uint32_t span, uint64_t *scratch, struct mr_tile_run *runs)
{
    uint32_t sum = 0, n_runs = 0;
    memset(runs, 0, span * sizeof *runs);
    for (uint32_t i = 0; i < n_records; i++) {
        runs[(uint32_t)(records[i][0] >> 32) - first_order].n_keys++;
    }
    for (uint32_t i = 0; i < span; i++) {
        runs[i].order = sum;
        sum += runs[i].n_keys;
    }
    for (uint32_t i = 0; i < n_records; i++) {
        struct mr_tile_run *run = &runs[(uint32_t)(records[i][0] >> 32) - first_order];
        scratch[run->order++] = with_weight(records[i]);
    }
    for (uint32_t i = 0; i < span; i++) {
        if (runs[i].n_keys > 0) {
            runs[n_runs++] =
                (struct mr_tile_run){.order = first_order + i, .n_keys = runs[i].n_keys};
        }
    }
    return n_runs;
}

static float weight_of(uint64_t key)
{
    const uint32_t bits = (uint32_t)key;
    float weight;
    memcpy(&weight, &bits, sizeof weight);
    return weight;
}

/* Separates the sorted keys and weights of a tile, and merges repetitions. Returns how many keys
 * are left. */
static uint32_t put_tile(const uint64_t *sorted, uint32_t n_keys, bool merge, uint32_t *keys,
                         float *weights, bool *overflows)
{
    uint32_t n_left = 0;
    for (uint32_t i = 0; i < n_keys; n_left++) {
        const uint32_t key = (uint32_t)(sorted[i] >> 32);
        double sum = (double)weight_of(sorted[i++]);
        while (merge && i < n_keys && (uint32_t)(sorted[i] >> 32) == key) {
            sum += (double)weight_of(sorted[i++]);
        }
        keys[n_left] = key;
        weights[n_left] = (float)sum;
        *overflows |= !isfinite(weights[n_left]);
    }
    return n_left;
}

/* The 16 bytes of each record are reused after reading: 4 for the key, 4 for the weight, 8 for
 * sorting. */
uint32_t mr_sort_weighted_bucket(uint64_t (*records)[2], uint32_t n_records, uint32_t first_order,
                                 uint32_t span, bool merge, uint64_t *scratch,
                                 struct mr_tile_run *runs, bool *overflows)
{
    uint32_t *keys = (uint32_t *)(void *)records;
    float *weights = (float *)(void *)(keys + n_records);
    uint64_t *temp = (uint64_t *)records + n_records;
    if (n_records == 0) {
        return 0;
    }
    const uint32_t n_runs = span > n_records
                                ? split_few(records, n_records, scratch, runs)
                                : split_many(records, n_records, first_order, span, scratch, runs);
    for (uint32_t i = 0; i < n_runs; i++) {
        const uint32_t n_keys = runs[i].n_keys;
        mr_sort_u64(scratch, temp, n_keys);
        runs[i].n_keys = put_tile(scratch, n_keys, merge, keys, weights, overflows);
        scratch += n_keys;
        keys += runs[i].n_keys;
        weights += runs[i].n_keys;
    }
    return n_runs;
}
