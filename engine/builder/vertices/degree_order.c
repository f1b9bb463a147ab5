/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the order by degree: vertices with most edges get the lowest numbers, so that rankings find
 * their values in a cache. It counts the edges of each vertex in one scan of the spool and sorts by
 * the count. */
#include "engine/builder/vertices/degree_order.h"

#include <string.h>

#include "engine/base/memory.h"

enum { DIGIT_BITS = 16, DIGITS = 1 << DIGIT_BITS };

/* ---- Degrees ---- */

/* Atomic increments need no lock. Two threads rarely meet, except at hubs; elsewhere an increment
 * costs one cache miss. */
static enum mr_status count_links(void *data, unsigned worker, const uint32_t (*pairs)[2],
                                  const float *weights, size_t n_pairs, struct mr_error *err)
{
    uint32_t *counts = data; /* [n_vertices] */
    (void)worker;
    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t source = pairs[i][0], target = pairs[i][1];
        __atomic_fetch_add(&counts[source], 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&counts[target], 1, __ATOMIC_RELAXED);
    }
    return MR_OK;
}

/* ---- Sorting ---- */

/* One round of a stable counting sort, highest digit first. `from` is the order so far; NULL: 0, 1,
 * 2, ... */
static void sort_round(const uint32_t *counts, const uint32_t *from, uint32_t *to, uint64_t n,
                       unsigned shift, uint64_t *starts)
{
    uint64_t sum = 0;
    memset(starts, 0, DIGITS * sizeof *starts);
    for (uint64_t i = 0; i < n; i++) {
        starts[counts[i] >> shift & (DIGITS - 1)]++;
    }
    for (uint32_t digit = DIGITS; digit-- > 0;) {
        const uint64_t count = starts[digit];
        starts[digit] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t position = from == NULL ? (uint32_t)i : from[i];
        to[starts[counts[position] >> shift & (DIGITS - 1)]++] = position;
    }
}

static bool is_identity(const uint32_t *positions, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (positions[i] != i) {
            return false;
        }
    }
    return true;
}

enum mr_status mr_degree_order_make(const struct mr_context *context,
                                    const struct mr_spool_scan *scan, uint64_t n_vertices,
                                    struct mr_degree_order *order, struct mr_error *err)
{
    static const char name[] = "order of pages";
    struct mr_memory *memory = context->memory;
    uint32_t *counts = NULL, *first = NULL, *second = NULL;
    uint64_t *starts = NULL;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED(name, n_vertices + 1, &first),
        MR_WANTED(name, n_vertices + 1, &second),
        MR_WANTED(name, DIGITS, &starts),
    };

    *order = (struct mr_degree_order){.vertices = NULL};
    enum mr_status status = mr_memory_array(memory, name, n_vertices + 1, &counts, err);
    if (status == MR_OK) {
        status = mr_spool_scan_pairs(context, scan, count_links, counts, err);
    }
    if (status == MR_OK) {
        status = mr_memory_arrays(memory, arrays, err);
    }
    if (status == MR_OK) {
        sort_round(counts, NULL, first, n_vertices, 0, starts);
        sort_round(counts, first, second, n_vertices, DIGIT_BITS, starts);
        if (!is_identity(second, n_vertices)) {
            order->positions = second;
            order->vertices = counts;
            for (uint64_t v = 0; v < n_vertices; v++) {
                order->vertices[order->positions[v]] = (uint32_t)v;
            }
        }
    }
    mr_memory_free(memory, starts);
    mr_memory_free(memory, first);
    if (order->positions == NULL) {
        mr_memory_free(memory, second);
        mr_memory_free(memory, counts);
    }
    return status;
}
