/* SPDX-License-Identifier: Apache-2.0 */
/* The public comparison: two arrays or two files become pairs of scores, which the algorithm
 * compares. */
#include <math.h>

#include "algorithms/scores/compare.h"
#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "formats/score/score_match.h"

/* The pages that a side of two arrays has. */
static enum mr_status pair_arrays(const struct mr_context *context, const struct mr_scores_side *a,
                                  const struct mr_scores_side *b, struct mr_score_match *match,
                                  struct mr_error *err)
{
    const uint64_t n = a->n_vertices;

    if (a->scores == NULL || b->scores == NULL || n != b->n_vertices || n > UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "two sides of %llu and %llu scores; compare two arrays of one length, "
                            "below 2^32, or two files",
                            (unsigned long long)n, (unsigned long long)b->n_vertices);
    }
    match->memory = context->memory;
    enum mr_status status =
        mr_memory_array(context->memory, "pairs of scores", n + 1, &match->pairs, err);
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        const struct mr_score_pair pair = {.a = a->scores[i], .b = b->scores[i]};
        if (isinf(pair.a) || isinf(pair.b)) {
            status =
                mr_error_set(err, MR_ERROR_INPUT, "score %llu is infinite", (unsigned long long)i);
        } else if (!isnan(pair.a) || !isnan(pair.b)) {
            match->pairs[match->n_pairs++] = pair;
        }
    }
    return status;
}

enum mr_status mr_scores_compare(const struct mr_context *context, const struct mr_scores_side *a,
                                 const struct mr_scores_side *b,
                                 const struct mr_compare_options *options,
                                 struct mr_compare_figures *figures, struct mr_error *err)
{
    struct mr_compare_options taken = MR_COMPARE_OPTIONS_INIT;
    struct mr_compare_figures found;
    struct mr_score_match match = {0};

    enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);
    if (status == MR_OK) {
        status = a->scores != NULL || b->scores != NULL
                     ? pair_arrays(context, a, b, &match, err)
                     : mr_score_match_read(context, a->path, a->column, b->path, b->column, NULL,
                                           NULL, &match, err);
    }
    if (status == MR_OK) {
        status = mr_compare(context, match.pairs, match.n_pairs, &taken, &found, err);
    }
    if (status == MR_OK) {
        found.by_row = match.by_row;
        mr_sized_give(&found, sizeof found, figures);
    }
    mr_score_match_free(&match);
    return status;
}
