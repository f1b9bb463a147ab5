/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the order by degree: vertices with most edges get the lowest numbers, so that rankings find
 * their values in a cache. It counts the edges of each vertex in one scan of the spool and sorts by
 * the count. Figures of the graph decide whether the order pays. */
#include "engine/build/vertices/degree_order.h"

#include <string.h>

#include "engine/base/memory.h"

enum { DIGIT_BITS = 16, DIGITS = 1 << DIGIT_BITS };

/* The vertices with most edges: one in this many. top_share is about these. */
enum { TOP_PART = 16 };

/* With fewer vertices than this, all values of a pass fit into the cache in any order. */
#define FEW_VERTICES ((uint64_t)1 << 18)

bool mr_degree_order_pays(const struct mr_order_figures *figures, uint64_t n_vertices)
{
    return n_vertices > FEW_VERTICES && figures->near_share < MR_ORDER_NEAR_SHARE &&
           figures->top_share >= MR_ORDER_TOP_SHARE && figures->tile_links < MR_ORDER_TILE_LINKS;
}

/* ---- Degrees ---- */

struct degrees {
    uint32_t *counts; /* [n_vertices] */
    uint64_t n_links, n_near;
};

/* Atomic increments need no lock. Two threads rarely meet, except at hubs; elsewhere an increment
 * costs one cache miss. */
static enum mr_status count_links(void *data, unsigned worker, const uint32_t (*pairs)[2],
                                  const float *weights, size_t n_pairs, struct mr_error *err)
{
    struct degrees *degrees = data;
    uint64_t n_near = 0;
    (void)worker;
    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t source = pairs[i][0], target = pairs[i][1];
        __atomic_fetch_add(&degrees->counts[source], 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&degrees->counts[target], 1, __ATOMIC_RELAXED);
        n_near += (source ^ target) >> MR_NEAR_BITS == 0;
    }
    __atomic_fetch_add(&degrees->n_links, n_pairs, __ATOMIC_RELAXED);
    __atomic_fetch_add(&degrees->n_near, n_near, __ATOMIC_RELAXED);
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

/* `positions` [n] is sorted by count. Returns the share of all edge ends that belong to the first
 * of them. */
static double share_of_top(const uint32_t *counts, const uint32_t *positions, uint64_t n)
{
    uint64_t top = 0, all = 0;
    for (uint64_t i = 0; i < n; i++) {
        top += i < n / TOP_PART ? counts[positions[i]] : 0;
        all += counts[positions[i]];
    }
    return all == 0 ? 0 : (double)top / (double)all;
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
                                    bool is_auto, struct mr_degree_order *order,
                                    struct mr_error *err)
{
    static const char name[] = "order of pages";
    struct mr_memory *memory = context->memory;
    const uint64_t bytes = (n_vertices + 1) * sizeof(uint32_t);
    void *counts = NULL, *first = NULL, *second = NULL, *starts = NULL;
    struct degrees degrees = {.n_links = 0};

    *order = (struct mr_degree_order){.vertices = NULL};
    enum mr_status status = mr_memory_alloc(memory, name, bytes, &counts, err);
    degrees.counts = counts;
    if (status == MR_OK) {
        status = mr_spool_scan_pairs(context, scan, count_links, &degrees, err);
    }
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, name, bytes, &first, err);
    }
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, name, bytes, &second, err);
    }
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, name, DIGITS * sizeof(uint64_t), &starts, err);
    }
    if (status == MR_OK) {
        sort_round(counts, NULL, first, n_vertices, 0, starts);
        sort_round(counts, first, second, n_vertices, DIGIT_BITS, starts);
        order->figures.near_share =
            degrees.n_links == 0 ? 0 : (double)degrees.n_near / (double)degrees.n_links;
        const double side = (double)n_vertices / (double)((uint64_t)1 << MR_NEAR_BITS);
        order->figures.tile_links = n_vertices == 0 ? 0 : (double)degrees.n_links / (side * side);
        order->figures.top_share = share_of_top(counts, second, n_vertices);
        if (!is_identity(second, n_vertices) &&
            (!is_auto || mr_degree_order_pays(&order->figures, n_vertices))) {
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
