/* Scores to integer precedence levels, 1 first: what a crawler's frontier wants.
 *
 * Quantiles by rank: with N levels the best n/N scores are level 1, and so on (quintiles by default,
 * as in the Heritrix notes); explicit percentages likewise. The best score is on level 1, however few scores
 * there are. Equal scores are ordered by position in
 * the input, earlier first, so that the result is a function of the file. */
#ifndef MR_ALGORITHMS_SCORES_PRECEDENCE_H
#define MR_ALGORITHMS_SCORES_PRECEDENCE_H

#include "engine/base/context.h"

#define MR_PRECEDENCE_MAX_LEVELS 126 /* Heritrix: 1..126, 127 is the ceiling */

struct mr_precedence_options {
    size_t struct_size;
    unsigned n_levels; /* 1..126; 0: 5 */
    const double *percentages; /* [n_levels], each > 0, summing to 100 (within 1e-6); or NULL */
};

/* levels[i] for scores[i] (n_scores of them; NaN refused). level_counts[n_levels] (nullable) gets how
 * many fell on each. Memory beside the arrays: 258 KB. Time: eight linear passes. */
enum mr_status mr_precedence_levels(const struct mr_context *context, const double *scores,
                                    uint64_t n_scores, const struct mr_precedence_options *options,
                                    uint8_t *levels, uint64_t *level_counts,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Levels by the logarithm of the score instead: the span from the best score down to the least one above
 * 0 is cut into n_levels (1..126; 0: 5) equal parts, and scores of 0 (or less) are on the last level, unless there are no others: then the best of them are on
 * the first.
 * Scores of links spread over many orders of magnitude: here each level is some times better than the
 * next, however few pages are on it. Two linear passes. `level_counts` may be NULL. */
enum mr_status mr_precedence_log_levels(const struct mr_context *context, const double *scores,
                                        uint64_t n_scores, unsigned n_levels, uint8_t *levels,
                                        uint64_t *level_counts,
                                        struct mr_error *err) MR_WARN_UNUSED;

#endif
