/* SPDX-License-Identifier: Apache-2.0 */
/* The public HITS: calls the solver, and turns the result into a ranking. */
#include <math.h>

#include "algorithms/hits/hits.h"
#include "engine/base/sized_struct.h"
#include "library/rank/ranking.h"

static void take_hits(const struct mr_hits_result *result, struct mr_ranking_figures *figures)
{
    const bool has_estimate = isfinite(result->error_estimate);

    figures->converged = result->converged;
    figures->bound_kind = has_estimate ? MR_BOUND_ESTIMATE : MR_BOUND_NONE;
    figures->error_bound = has_estimate ? result->error_estimate : 0;
    figures->tolerance = result->tolerance;
    figures->change = fmax(result->hub_change, result->authority_change);
    figures->eigenvalue = result->eigenvalue;
    figures->passes = result->passes;
    figures->rounds = result->rounds;
    mr_ranking_take_passes(figures, &result->figures);
}

enum mr_status mr_rank_hits(const struct mr_context *context, struct mr_store *store,
                            struct mr_store *reverse, const struct mr_hits_options *wanted,
                            struct mr_ranking **ranking, struct mr_error *err)
{
    struct mr_hits_options options = MR_HITS_OPTIONS_INIT;
    struct mr_hits_result result = {0};
    struct mr_ranking *made = NULL;

    *ranking = NULL;
    enum mr_status status = mr_sized_take(wanted, &options, sizeof options, err);
    if (status == MR_OK && (unsigned)options.norm > MR_HITS_MAX) {
        status = mr_error_set(err, MR_ERROR_USAGE, "no such norm: %d", (int)options.norm);
    }
    if (status == MR_OK && store != reverse) {
        status = mr_hits_check_transpose(context, store, reverse, err);
    } else if (status == MR_OK && !mr_store_get_info(store)->undirected) {
        status = mr_error_set(err, MR_ERROR_USAGE,
                              "the store is its own reverse only where links go both ways");
    }
    if (status == MR_OK) {
        status = mr_ranking_create(context, mr_store_get_info(store)->n_vertices, &made, err);
    }
    if (status != MR_OK) {
        return status;
    }
    status = mr_hits(context, store, reverse, &options, &result, err);
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        mr_ranking_add(made, "hub", MR_SCORES_DOUBLE, result.hubs);
        mr_ranking_add(made, "authority", MR_SCORES_DOUBLE, result.authorities);
        take_hits(&result, &made->figures);
    }
    return mr_ranking_finish(made, status, ranking);
}
