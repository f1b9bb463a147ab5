/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over a sparse vector of weights, side by side with the vertices of a band. Internal to
 * algorithms. */
#ifndef MR_ALGORITHMS_BASE_WEIGHT_WALK_H
#define MR_ALGORITHMS_BASE_WEIGHT_WALK_H

#include <math.h>
#include <stddef.h>

#include "engine/base/bytes.h"
#include "millrace/weights.h"

struct mr_weight_walk {
    const struct mr_vertex_weight *next, *end;
};

/* Begin at the first entry of entries[n], ascending by vertex, whose vertex is at least `first`.
 * O(log n). */
static inline struct mr_weight_walk mr_weight_walk_begin(const struct mr_vertex_weight *entries,
                                                         uint64_t n, uint32_t first)
{
    uint64_t low = 0, high = n;
    MR_FIND_FIRST(low, high, middle, entries[middle].vertex < first);
    return (struct mr_weight_walk){.next = entries + low, .end = entries + n};
}

/* The weight of `vertex`, or NULL if it has none. Calls come with ascending vertices. */
static inline const struct mr_vertex_weight *mr_weight_walk_at(struct mr_weight_walk *walk,
                                                               uint32_t vertex)
{
    return walk->next != walk->end && walk->next->vertex == vertex ? walk->next++ : NULL;
}

/* The largest weight of entries[n]. It is -1 unless all are finite and not negative, ascending by
 * vertex, with vertices below n_vertices. */
static inline double mr_weights_largest(const struct mr_vertex_weight *entries, uint64_t n,
                                        uint64_t n_vertices)
{
    double largest = n > 0 && entries == NULL ? -1 : 0;
    for (uint64_t i = 0; i < n && largest >= 0; i++) {
        const struct mr_vertex_weight *w = &entries[i];
        if (w->vertex >= n_vertices || !(w->weight >= 0) || isinf(w->weight) ||
            (i > 0 && w->vertex <= w[-1].vertex)) {
            return -1;
        }
        largest = fmax(largest, w->weight);
    }
    return largest;
}

#endif
