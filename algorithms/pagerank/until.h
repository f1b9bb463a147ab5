/* What an error bound proves about an order and about levels: docs/solver.md, "Stopping early". Internal to
 * algorithms. */
#ifndef MR_ALGORITHMS_PAGERANK_UNTIL_H
#define MR_ALGORITHMS_PAGERANK_UNTIL_H

#include "engine/base/context.h"

/* Scores that differ by at most this share of themselves count as tied. */
#define MR_TIE_SHARE_DOUBLE 0x1p-40
#define MR_TIE_SHARE_SINGLE 0x1p-20

struct mr_until_answer {
    bool is_proven;
    double
        wanted_bound; /* not proven: one that would prove it, were the scores the same; 0: none */
    uint64_t n_ties; /* order: pairs of neighbours that are tied */
    double share; /* levels: of the pages, that could be on another level */
};

/* Is the order of the `count` best of `scores` [n] proven, by an L1 error of at most `bound`? Memory: 16 bytes
 * per page of them. Time: one scan, and the sorting of them. */
enum mr_status mr_until_order(const struct mr_context *context, const double *scores, uint64_t n,
                              uint64_t count, double bound, double tie_share,
                              struct mr_until_answer *answer, struct mr_error *err) MR_WARN_UNUSED;

/* May at most `share` of the pages be on another of `n_levels` levels (mr_precedence_levels)? `levels` [n] is
 * overwritten. Time: ten scans. */
enum mr_status mr_until_levels(const struct mr_context *context, const double *scores, uint64_t n,
                               unsigned n_levels, double share, double bound, double tie_share,
                               uint8_t *levels, struct mr_until_answer *answer,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Bytes that they allocate. */
uint64_t mr_until_order_memory(uint64_t n, uint64_t count);
uint64_t mr_until_levels_memory(void);

#endif
