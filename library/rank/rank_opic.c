/* SPDX-License-Identifier: Apache-2.0 */
/* The public OPIC ranking: one call goes on from a state, sweeps, and writes the next state. The
 * work is in algorithms/opic and opic_state_file.c. */
#include "algorithms/opic/opic.h"

#include <math.h>
#include <string.h>

#include "engine/base/sized_struct.h"
#include "library/files.h"
#include "library/rank/opic_state_file.h"
#include "library/rank/ranking.h"

#define DEFAULT_TOLERANCE 0.01

static enum mr_bound_kind bound_of(enum mr_opic_bound kind)
{
    return kind == MR_OPIC_DISTANCE       ? MR_BOUND_ERROR
           : kind == MR_OPIC_STATIONARITY ? MR_BOUND_STATIONARITY
                                          : MR_BOUND_NONE;
}

static enum mr_status check(const struct mr_opic_options *options, const struct mr_store_info *info,
                            const struct mr_names *names, struct mr_error *err)
{
    if (info->is_weighted) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "opic counts links, whatever they weigh; give the store without weights");
    }
    if (options->state != NULL && names == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE, "a state needs the names of the store");
    }
    if ((unsigned)options->policy > MR_OPIC_RANDOM ||
        (unsigned)options->payout > MR_OPIC_PAY_TARGETS ||
        (unsigned)options->fetched_rule > MR_OPIC_FETCHED_LIST ||
        (unsigned)options->new_pages > MR_OPIC_NEW_ZERO) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "no such policy, payout, rule of fetched pages or of new pages: "
                            "%d, %d, %d, %d",
                            (int)options->policy, (int)options->payout, (int)options->fetched_rule,
                            (int)options->new_pages);
    }
    return MR_OK;
}

static enum mr_status take_result(struct mr_opic *opic, const struct mr_opic_options *options,
                                  const struct mr_opic_result *result, struct mr_ranking *ranking,
                                  struct mr_error *err)
{
    struct mr_ranking_figures *figures = &ranking->figures;
    double *scores = NULL;

    const enum mr_status status = mr_ranking_add_zeros(ranking, "score", &scores, err);
    if (status != MR_OK) {
        return status;
    }
    if (figures->n_vertices > 0) {
        memcpy(scores, mr_opic_scores(opic), figures->n_vertices * sizeof *scores);
    }
    figures->converged = result->converged;
    figures->bound_kind =
        isfinite(result->error_bound) ? bound_of(result->bound_kind) : MR_BOUND_NONE;
    figures->error_bound = figures->bound_kind == MR_BOUND_NONE ? 0 : result->error_bound;
    figures->tolerance = options->tolerance;
    figures->passes = (unsigned)(result->figures.passes + result->figures.partial_passes);
    figures->rounds = result->sweeps;
    mr_ranking_take_passes(figures, &result->figures);
    return MR_OK;
}

static enum mr_status run(const struct mr_context *context, struct mr_store *store,
                          struct mr_names *names, struct mr_opic *opic,
                          const struct mr_opic_options *options, struct mr_ranking *ranking,
                          struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_opic_merge merge;
    struct mr_opic_result result = {0};
    enum mr_status status = MR_OK, later = MR_OK;
    bool found;

    if (options->state != NULL) {
        status =
            mr_opic_state_load(context, opic, options->state, names, info, &merge, &found, err);
    }
    if (status == MR_OK) {
        status = mr_opic_run(opic, &result, err);
    }
    if (status != MR_OK && status != MR_NOT_CONVERGED) {
        return status;
    }
    /* Save the result also when it is not converged. An error while saving then replaces
     * MR_NOT_CONVERGED, because it is worse. */
    struct mr_error later_err = {0};
    later = take_result(opic, options, &result, ranking, &later_err);
    if (later == MR_OK && options->state != NULL) {
        later = mr_opic_state_save(context, opic, options->state, names, info, &later_err);
    }
    if (later == MR_OK) {
        return status;
    }
    if (err != NULL) {
        *err = later_err;
    }
    return later;
}

enum mr_status mr_rank_opic(const struct mr_context *context, struct mr_store *store,
                            struct mr_names *names, const struct mr_opic_options *wanted,
                            struct mr_ranking **ranking, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_opic_options options = MR_OPIC_OPTIONS_INIT;
    struct mr_opic *opic = NULL;
    struct mr_ranking *made = NULL;

    *ranking = NULL;
    enum mr_status status = mr_sized_take(wanted, &options, sizeof options, err);
    if (status == MR_OK) {
        status = check(&options, info, names, err);
    }
    if (status == MR_OK) {
        struct mr_files *files = mr_files_create();
        mr_files_add(files, MR_FILE_READ, "the store", mr_store_path(store), NULL);
        mr_files_add(files, MR_FILE_UPDATED, "the state", options.state, NULL);
        status = mr_files_end(files, MR_OK, true, false, err);
    }
    if (status == MR_OK) {
        status = mr_ranking_create(context, info->n_vertices, &made, err);
    }
    if (status != MR_OK) {
        return status;
    }
    if (options.tolerance == 0 && options.sweeps == 0 && options.cash_left == 0) {
        options.tolerance = DEFAULT_TOLERANCE;
        if (options.state != NULL && options.fetched_rule != MR_OPIC_FETCHED_ALL) {
            options.cash_left = MR_OPIC_STATE_CASH_LEFT;
        }
    }
    status = mr_opic_create(context, store, &options, &opic, err);
    if (status == MR_OK) {
        status = run(context, store, names, opic, &options, made, err);
    }
    mr_opic_destroy(opic);
    return mr_ranking_finish(made, status, ranking);
}
