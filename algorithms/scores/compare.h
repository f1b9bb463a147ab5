/* SPDX-License-Identifier: Apache-2.0 */
/* The similarity of two rankings of the same vertices: rank correlations, overlap of the best,
 * distances. */
#ifndef MR_ALGORITHMS_SCORES_COMPARE_H
#define MR_ALGORITHMS_SCORES_COMPARE_H

#include "engine/base/context.h"
#include "engine/base/value.h"
#include "millrace/scores.h"

/* Compare pairs[n] (n < 2^32); a score is finite, or NaN if it is missing. The function uses the
 * array as working space and leaves nothing useful in it. For the overlap, equal scores rank by
 * their index in `pairs`, on both sides.
 *
 * tau-b is counted exactly, in integers (Knight 1966: inversions of a merge sort), and so is rho.
 * L1 is a compensated sum in the order of `pairs`. Time: O(n log n). Memory: 16 n bytes more. The
 * bits are the same for any number of threads. Errors: BUDGET, INTERRUPTED. */
enum mr_status mr_compare(const struct mr_context *context, struct mr_score_pair *pairs, uint64_t n,
                          const struct mr_compare_options *options,
                          struct mr_compare_figures *figures, struct mr_error *err) MR_WARN_UNUSED;

#endif
