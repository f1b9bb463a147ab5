/* SPDX-License-Identifier: Apache-2.0 */
/* What an error bound proves about an order and about levels: docs/solver.md, "Stopping early".
 * Internal to algorithms. */
#ifndef MR_ALGORITHMS_PAGERANK_UNTIL_H
#define MR_ALGORITHMS_PAGERANK_UNTIL_H

#include "algorithms/pagerank/twins.h"
#include "engine/base/context.h"

struct mr_best_page {
    double score;
    uint64_t vertex;
};

/* Fill kept[n_kept], n_kept <= n, with the best of `scores` [n]: best first, equal by vertex. */
void mr_until_best(const double *scores, uint64_t n, struct mr_best_page *kept, uint64_t n_kept);

struct mr_until_answer {
    bool is_proven;
    double
        wanted_bound; /* not proven: one that would prove it, were the scores the same; 0: none */
    uint64_t n_ties; /* order: pages that are twins of the next one */
    uint64_t n_close; /* order: pages that are not, and not proven to be better either */
    double share; /* levels: of the pages, that could be on another level */
};

/* Is the order of the `count` best of `scores` [n] proven, by an L1 error of at most `bound`? Twins
 * may stand in any order. Memory: 16 bytes per page of them. Time: two scans, and the sorting of
 * them. */
enum mr_status mr_until_order(const struct mr_context *context, const double *scores, uint64_t n,
                              uint64_t count, double bound, const struct mr_twins *twins,
                              struct mr_until_answer *answer, struct mr_error *err) MR_WARN_UNUSED;

/* May at most `share` of the pages be on another of `n_levels` levels (mr_precedence_levels)? Twins
 * may be on either side of an end. `levels` [n] is overwritten. Time: ten scans. */
enum mr_status mr_until_levels(const struct mr_context *context, const double *scores, uint64_t n,
                               unsigned n_levels, double share, double bound,
                               const struct mr_twins *twins, uint8_t *levels,
                               struct mr_until_answer *answer, struct mr_error *err) MR_WARN_UNUSED;

/* Bytes that they allocate. */
uint64_t mr_until_order_memory(uint64_t n, uint64_t count);
uint64_t mr_until_levels_memory(void);

#endif
