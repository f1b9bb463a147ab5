/* SPDX-License-Identifier: Apache-2.0 */
/* The public certificate: a padded copy of the caller's scores goes into the proof, which
 * overwrites it. */
#include <math.h>

#include "algorithms/pagerank/proof.h"
#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"

/* Copies the scores; NaN becomes 0. */
static enum mr_status copy_scores(const double *scores, uint64_t n, double *copy,
                                  struct mr_error *err)
{
    for (uint64_t v = 0; v < n; v++) {
        if (scores[v] < 0 || isinf(scores[v])) {
            return mr_error_set(err, MR_ERROR_INPUT,
                                "the score %g of vertex %llu is not finite and at least 0",
                                scores[v], (unsigned long long)v);
        }
        copy[v] = isnan(scores[v]) ? 0 : scores[v];
    }
    return MR_OK;
}

enum mr_status mr_scores_certify(const struct mr_context *context, struct mr_store *store,
                                 const double *scores, const struct mr_certify_options *options,
                                 struct mr_certify_figures *figures, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_certify_options taken = MR_CERTIFY_OPTIONS_INIT;
    struct mr_certify_figures proof;
    struct mr_pass_figures passes;
    double *copy = NULL;

    enum mr_status status = mr_sized_take(options, &taken, sizeof taken, err);
    if (status == MR_OK) {
        status =
            mr_memory_array(context->memory, "scores", mr_pass_vector_length(info), &copy, err);
    }
    if (status == MR_OK) {
        status = copy_scores(scores, info->n_vertices, copy, err);
    }
    if (status == MR_OK) {
        status = mr_proof_find(context, store, &taken, copy, &proof, &passes, err);
    }
    if (status == MR_OK) {
        mr_sized_give(&proof, sizeof proof, figures);
    }
    mr_memory_free(context->memory, copy);
    return status;
}
