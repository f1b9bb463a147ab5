/* SPDX-License-Identifier: Apache-2.0 */
/* The public comparisons: two arrays or two files become pairs of scores, which the algorithm
 * compares. */
#include <math.h>

#include "algorithms/scores/compare.h"
#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "formats/score/score_match.h"

static enum mr_status compare_pairs(const struct mr_context *context, struct mr_score_pair *pairs,
                                    uint64_t n, bool by_row,
                                    const struct mr_compare_options *options,
                                    struct mr_compare_figures *figures, struct mr_error *err)
{
    struct mr_compare_options taken = MR_COMPARE_OPTIONS_INIT;
    struct mr_compare_figures found;

    enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);
    if (status == MR_OK) {
        status = mr_compare(context, pairs, n, &taken, &found, err);
    }
    if (status == MR_OK) {
        found.by_row = by_row;
        mr_sized_give(&found, sizeof found, figures);
    }
    return status;
}

enum mr_status mr_scores_compare(const struct mr_context *context, const double *a, const double *b,
                                 uint64_t n, const struct mr_compare_options *options,
                                 struct mr_compare_figures *figures, struct mr_error *err)
{
    struct mr_score_pair *pairs = NULL;
    uint64_t n_pairs = 0;

    if (n > UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_USAGE, "%llu scores are too many to compare",
                            (unsigned long long)n);
    }
    enum mr_status status = mr_memory_array(context->memory, "pairs of scores", n + 1, &pairs, err);
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        if (isinf(a[i]) || isinf(b[i])) {
            status =
                mr_error_set(err, MR_ERROR_INPUT, "score %llu is infinite", (unsigned long long)i);
        } else if (!isnan(a[i]) || !isnan(b[i])) {
            pairs[n_pairs++] = (struct mr_score_pair){.a = a[i], .b = b[i]};
        }
    }
    if (status == MR_OK) {
        status = compare_pairs(context, pairs, n_pairs, false, options, figures, err);
    }
    mr_memory_free(context->memory, pairs);
    return status;
}

enum mr_status mr_scores_compare_files(const struct mr_context *context, const char *path_a,
                                       const char *column_a, const char *path_b,
                                       const char *column_b,
                                       const struct mr_compare_options *options,
                                       struct mr_compare_figures *figures, struct mr_error *err)
{
    struct mr_score_match match = {0};

    enum mr_status status =
        mr_score_match_read(context, path_a, column_a, path_b, column_b, NULL, NULL, &match, err);
    if (status == MR_OK) {
        status =
            compare_pairs(context, match.pairs, match.n_pairs, match.by_row, options, figures, err);
    }
    mr_score_match_free(&match);
    return status;
}
