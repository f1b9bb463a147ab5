/* SPDX-License-Identifier: Apache-2.0 */
/* The similarity of two rankings of the same vertices: rank correlations, overlap of the best,
 * distances. */
#ifndef MR_ALGORITHMS_SCORES_COMPARE_H
#define MR_ALGORITHMS_SCORES_COMPARE_H

#include "engine/base/context.h"
#include "engine/base/score_pair.h"

struct mr_compare_options {
    size_t struct_size; /* sizeof(struct mr_compare_options) */
    /* a vertex that one side lacks has score 0 there; otherwise it is left out */
    bool missing_is_zero;
    uint64_t top; /* K of the overlap; 0 means 100 */
};

struct mr_compare_result {
    uint64_t n_a, n_b; /* vertices with a score on side a, on side b */
    uint64_t n_common; /* vertices with a score on both sides */
    uint64_t n_compared; /* vertices that tau, rho, L1 and L-infinity count */
    uint64_t n_different; /* compared vertices whose two scores differ */
    /* tau-b; NaN if all scores of one side are equal, or if there are fewer than two vertices */
    double kendall_tau;
    double spearman_rho; /* of ranks, where equal scores share the mean; NaN as for tau */
    double l1; /* sum of |a - b| */
    double l_infinity; /* largest |a - b| */
    uint64_t top; /* K, but at most the number of vertices of the shorter side */
    /* vertices that are among the K best of both sides, with all vertices of each side */
    uint64_t top_common;
};

/* Compare pairs[n] (n < 2^32); a score is finite, or NaN if it is missing. The function uses the
 * array as working space and leaves nothing useful in it. For the overlap, equal scores rank by
 * their index in `pairs`, on both sides.
 *
 * tau-b is counted exactly, in integers (Knight 1966: inversions of a merge sort), and so is rho.
 * L1 is a compensated sum in the order of `pairs`. Time: O(n log n). Memory: 16 n bytes more. The
 * bits are the same for any number of threads. Errors: BUDGET, INTERRUPTED. */
enum mr_status mr_compare(const struct mr_context *context, struct mr_score_pair *pairs, uint64_t n,
                          const struct mr_compare_options *options,
                          struct mr_compare_result *result, struct mr_error *err) MR_WARN_UNUSED;

#endif
