/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of scores. compare.c says how alike two rankings of the same vertices are: rank
 * correlations, overlap of the best, distances. changes.c finds the changes that their error bounds
 * prove, with the ranks of both sides. precedence.c gives the scores of one ranking levels. */
#ifndef MR_ALGORITHMS_SCORES_COMPARE_H
#define MR_ALGORITHMS_SCORES_COMPARE_H

#include "engine/base/context.h"
#include "engine/base/value.h"
#include "millrace/levels.h"
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

/* A side of the comparison: before, or after. */
struct mr_changes_scale {
    double factor; /* scores times this are compared */
    double bound; /* at most the error of a score, or of the sum of several; without the factor */
    double sum; /* of the scores */
};

/* The scale of side `side` (0: a, 1: b) of pairs[n], which are all pages of the file: the sum of
 * all errors becomes that of a single page. */
struct mr_changes_scale mr_changes_scale_of(const struct mr_score_pair *pairs, uint64_t n, int side,
                                            const struct mr_scores_side *given, bool shares);

/* Fills `lists` with the `top` largest changes of each kind among pairs[n], where a is before and b
 * is after, but for pairs[left_out]. Rows have the number of their pair, and no name. A change
 * counts if it is larger than both bounds and the rounding of the comparison. The lists are the
 * caller's, also after an error. Time: two readings of the pairs and a binary search for each.
 * Memory: 144 bytes for each row. Errors: BUDGET, INTERRUPTED. */
enum mr_status mr_changes_list(const struct mr_context *context, const struct mr_score_pair *pairs,
                               uint64_t n, uint64_t left_out,
                               const struct mr_changes_scale scales[2], uint64_t top,
                               struct mr_change_list lists[MR_CHANGE_KINDS],
                               struct mr_error *err) MR_WARN_UNUSED;

/* Levels of `scores` [n_scores], as millrace/levels.h says; of the options, those up to
 * `logarithmic` count. Equal scores rank by their index, lower first. `levels` [n_scores] gets the
 * level of each, and `level_counts` [n_levels], which may be NULL, the number of scores on each
 * level. `options` may be NULL. Errors: USAGE for levels or percentages out of range, INPUT for a
 * NaN and with `logarithmic` for infinity, INTERRUPTED. Memory beside the arrays: 258 KB. Time:
 * eight linear passes. */
enum mr_status mr_precedence_levels(const struct mr_context *context, const double *scores,
                                    uint64_t n_scores, const struct mr_precedence_options *options,
                                    uint8_t *levels, uint64_t *level_counts,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
