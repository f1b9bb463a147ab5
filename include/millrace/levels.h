/* Scores to integer precedence levels, 1 first: what a crawler's frontier wants.
 *
 * Both functions are of arrays alone, so that the order of `scores` is the caller's. Same levels
 * for any threads. */
#ifndef MILLRACE_LEVELS_H
#define MILLRACE_LEVELS_H

#include "millrace/context.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MR_PRECEDENCE_MAX_LEVELS 126 /* Heritrix: 1..126, 127 is the ceiling */

struct mr_precedence_options {
    size_t struct_size; /* sizeof(struct mr_precedence_options) */
    unsigned n_levels; /* 1..126; 0: 5 */
    const double *percentages; /* [n_levels], each > 0, summing to 100 (within 1e-6); or NULL */
};

/* Quantiles by rank: with N levels the best n/N scores are level 1, and so on (quintiles by
 * default, as in the Heritrix notes); explicit percentages likewise. The best score is on level
 * 1, however few scores there are. Equal scores are ordered by position, earlier first.
 *
 * `levels[n_scores]` gets the level of each of `scores[n_scores]`, and `level_counts[n_levels]`,
 * which may be NULL, how many are on each. `options` may be NULL. Errors: USAGE for levels or
 * percentages that make no sense, INPUT for a NaN, INTERRUPTED. Memory beside the arrays: 258
 * KB. Time: eight linear passes. */
MR_API enum mr_status mr_precedence_levels(const struct mr_context *context, const double *scores,
                                           uint64_t n_scores,
                                           const struct mr_precedence_options *options,
                                           uint8_t *levels, uint64_t *level_counts,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* Levels by the logarithm of the score instead: the span from the best score down to the least
 * one above 0 is cut into n_levels (1..126; 0: 5) equal parts, and scores of 0 (or less) are on
 * the last level, unless there are no others: then the best of them are on the first. Scores of
 * links spread over many orders of magnitude: here each level is some times better than the
 * next, however few pages are on it. Two linear passes. */
MR_API enum mr_status mr_precedence_log_levels(const struct mr_context *context,
                                               const double *scores, uint64_t n_scores,
                                               unsigned n_levels, uint8_t *levels,
                                               uint64_t *level_counts,
                                               struct mr_error *err) MR_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
