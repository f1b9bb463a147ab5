/* SPDX-License-Identifier: Apache-2.0 */
/* The changes between two rankings that their error bounds prove, with the ranks of both sides. */
#ifndef MR_ALGORITHMS_SCORES_CHANGES_H
#define MR_ALGORITHMS_SCORES_CHANGES_H

#include "engine/base/context.h"
#include "engine/base/value.h"
#include "millrace/scores.h"

/* A side of the comparison: before, or after. */
struct mr_changes_scale {
    double factor; /* scores times this are compared */
    double bound; /* at most the error of a score, or of the sum of several; without the factor */
    double sum; /* of the scores */
};

/* The scale of side `side` (0: a, 1: b) of pairs[n], which are all pages of the file: the sum of
 * all errors becomes that of a single page. */
struct mr_changes_scale mr_changes_scale_of(const struct mr_score_pair *pairs, uint64_t n, int side,
                                            const struct mr_changes_side *given, bool shares);

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

#endif
