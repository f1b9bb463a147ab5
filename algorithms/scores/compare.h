/* How alike two rankings of the same pages are: rank correlations, overlap of the best, distances. */
#ifndef MR_ALGORITHMS_SCORES_COMPARE_H
#define MR_ALGORITHMS_SCORES_COMPARE_H

#include "engine/base/context.h"
#include "engine/base/score_pair.h"

struct mr_compare_options {
    size_t struct_size; /* sizeof(struct mr_compare_options) */
    bool missing_is_zero; /* a page that one side lacks scores 0 there; else it is left out */
    uint64_t top; /* K of the overlap; 0: 100 */
};

struct mr_compare_result {
    uint64_t n_a, n_b; /* pages of either side */
    uint64_t n_common; /* of both */
    uint64_t n_compared; /* what tau, rho, L1 and L-infinity are about */
    uint64_t n_different; /* compared pages whose scores are not equal */
    double kendall_tau; /* tau-b; NaN where one side's scores are all equal, or below two pages */
    double spearman_rho; /* of ranks, equal scores sharing the mean; NaN likewise */
    double l1; /* sum of |a - b| */
    double l_infinity; /* largest |a - b| */
    uint64_t top; /* K, at most the number of pages of the shorter side */
    uint64_t top_common; /* pages among the K best of both sides, each side taken whole */
};

/* Compare pairs[n] (n < 2^32), finite or NaN for "not there"; the array is used as working space and
 * holds nothing afterwards. The tie rule of the overlap: equal scores go by the place in `pairs`, on both sides.
 *
 * tau-b is counted exactly, in integers (Knight 1966: inversions of a merge sort), rho likewise; L1 is a
 * compensated sum in the order of `pairs`. Time O(n log n), memory another 16 n bytes. Same bits for any
 * number of threads. Errors: BUDGET, INTERRUPTED. */
enum mr_status mr_compare(const struct mr_context *context, struct mr_score_pair *pairs, uint64_t n,
                          const struct mr_compare_options *options,
                          struct mr_compare_result *result, struct mr_error *err) MR_WARN_UNUSED;

#endif
