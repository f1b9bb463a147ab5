/* SPDX-License-Identifier: Apache-2.0 */
/* Personalised PageRank of many vectors: checks the options, and ranks them side by side (batch.c)
 * or, where memory has no room for that, one after the other (solve.c). */
#include "algorithms/pagerank/personalised.h"

#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/base/weight_walk.h"
#include "algorithms/pagerank/batch.h"
#include "algorithms/pagerank/solver.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

/* A teleport vector with entries for more than a sixteenth of the vertices is not spread from. */
#define SPARSE_SHARE 16

/* ---- Choices ---- */

unsigned mr_personalised_batch(const struct mr_store_info *info,
                               const struct mr_pagerank_options *options, uint64_t n)
{
    const uint64_t most = options->width > 0 ? options->width : MR_RANK_MAX_WIDTH;
    return mr_batch_fits(info, options, n) ? (unsigned)mr_min_u64(n, most) : 1;
}

uint64_t mr_personalised_memory(const struct mr_store_info *info, unsigned batch)
{
    return mr_batch_memory(info, batch);
}

/* As many side by side as there are vectors, up to 16, and as fit into memory; 0: one after the
 * other. No bit of a result depends on how many go side by side. */
static unsigned width_of(const struct mr_context *context, const struct mr_store_info *info,
                         const struct mr_pagerank_options *options, uint64_t n)
{
    const uint64_t available = mr_ranking_available(context, info);
    unsigned width = mr_personalised_batch(info, options, n);
    if (mr_batch_memory(info, width) > available && width > MR_RANK_MAX_WIDTH / 2) {
        width = MR_RANK_MAX_WIDTH / 2;
    }
    return mr_batch_fits(info, options, n) && mr_batch_memory(info, width) <= available ? width : 0;
}

/* ---- Checks ---- */

static enum mr_status check_options(const struct mr_pagerank_options *o, struct mr_error *err)
{
    const uint64_t w = o->width;
    if (o->iterations > 0 || o->heritrix || o->teleport != NULL || o->start != NULL ||
        o->until != MR_UNTIL_TOLERANCE || o->may_stream || o->hooks != NULL) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "teleport weights, a start, iterations, until and a checkpoint are options of a "
            "ranking of one vector");
    }
    if (w > MR_RANK_MAX_WIDTH || (w & (w - 1)) != 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%llu vectors side by side; it can be 1, 2, 4, 8 or %u",
                            (unsigned long long)w, MR_RANK_MAX_WIDTH);
    }
    return mr_rank_check(o, err);
}

static enum mr_status check_teleports(const struct mr_store_info *info,
                                      const struct mr_rank_vector *teleports, uint64_t n,
                                      struct mr_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        const struct mr_rank_vector *t = &teleports[i];
        if (t->pages != NULL && !(mr_weights_largest(t->pages, t->count, info->n_vertices) > 0)) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "teleport weights must be finite, not negative, ascending by "
                                "page and not all 0");
        }
    }
    return MR_OK;
}

/* ---- One after the other ---- */

static void give_outcome(const struct mr_rank_solver *solver,
                         struct mr_personalised_vector *outcome)
{
    const struct mr_rank_progress *progress = &solver->progress;

    outcome->converged = progress->proof.error_bound <= solver->tolerance;
    outcome->error_bound = progress->proof.error_bound;
    outcome->residual = progress->proof.residual;
    outcome->rounding_bound = progress->proof.rounding_bound;
    outcome->score_sum = progress->proof.score_sum;
    outcome->sum = mr_rank_is_normalised(solver) ? 1 : outcome->score_sum;
    outcome->passes = progress->stood_at;
}

static bool may_spread(const struct mr_rank_solver *solver, const struct mr_rank_vector *t)
{
    return t->pages != NULL && t->count <= solver->info->n_vertices / SPARSE_SHARE &&
           solver->options->dangling != MR_DANGLING_UNIFORM;
}

/* Vectors of the core, all 0: scores took the place of the history. */
static enum mr_status clear(struct mr_rank_solver *solver, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    for (int i = 0; i < 2 && status == MR_OK; i++) {
        if (solver->vectors[i] != NULL) {
            status = mr_memory_resize(solver->context.memory, "rank vectors", &solver->vectors[i],
                                      solver->vector_bytes, err);
        }
        if (status == MR_OK && solver->vectors[i] != NULL) {
            memset(solver->vectors[i], 0, solver->vector_bytes);
        }
    }
    return status == MR_OK ? mr_rank_remember(solver, err) : status;
}

static enum mr_status run_one(struct mr_rank_solver *solver, const struct mr_rank_vector *teleport,
                              struct mr_personalised_vector *outcome, struct mr_error *err)
{
    struct mr_rank_shares *vector = &solver->vector;
    const bool spreads = may_spread(solver, teleport);

    vector->x = solver->vectors[0];
    vector->next = spreads ? solver->vectors[1] : NULL;
    vector->active = spreads ? solver->active[0] : NULL;
    vector->next_active = spreads ? solver->active[1] : NULL;
    vector->terms = mr_rank_terms_of(teleport, solver->info->n_vertices);
    if (vector->acceleration != NULL) {
        mr_acceleration_begin(vector->acceleration);
    }
    const enum mr_status status = mr_rank_solve(solver, err);
    if (status != MR_OK) {
        return status;
    }
    give_outcome(solver, outcome);
    vector->scale =
        mr_rank_is_normalised(solver) && outcome->score_sum > 0 ? 1 / outcome->score_sum : 1;
    return mr_rank_finish(solver, err);
}

static enum mr_status run_one_by_one(struct mr_rank_solver *solver, const struct mr_batch_job *job,
                                     struct mr_personalised_vector *outcomes,
                                     struct mr_personalised_result *result, struct mr_error *err)
{
    for (uint64_t i = 0; i < job->n; i++) {
        solver->may_spread = solver->may_spread || may_spread(solver, &job->teleports[i]);
    }
    enum mr_status status = mr_rank_prepare(solver, err);
    if (status == MR_OK) {
        status = mr_rank_open_pass(solver, err);
    }
    for (uint64_t i = 0; i < job->n && status == MR_OK; i++) {
        status = clear(solver, err);
        if (status == MR_OK) {
            status = run_one(solver, &job->teleports[i], &outcomes[i], err);
        }
        if (status == MR_OK) {
            result->n_batches++;
            status = job->sink(job->sink_data, i, 1, 1, solver->vector.x, err);
        }
    }
    if (solver->pass != NULL) {
        result->figures = mr_pass_get_figures(solver->pass);
    }
    mr_rank_release(solver);
    return status;
}

/* What follows from the store and the options, before anything is read; the runs. */
static enum mr_status one_by_one(struct mr_rank_solver *solver, struct mr_pagerank_options *fitted,
                                 const struct mr_batch_job *job,
                                 struct mr_personalised_vector *outcomes,
                                 struct mr_personalised_result *result, struct mr_error *err)
{
    solver->is_personal = true;
    const enum mr_status status =
        mr_rank_fit_depth(&solver->context, solver->store, fitted, true, err);
    result->wave = solver->wave = mr_rank_wave(solver->info, fitted);
    result->inner = solver->sweeps = mr_rank_sweeps(solver->info, fitted);
    result->acceleration = mr_rank_depth(fitted);
    result->width = 1;
    return status == MR_OK ? run_one_by_one(solver, job, outcomes, result, err) : status;
}

enum mr_status mr_personalised(const struct mr_context *context, struct mr_store *store,
                               const struct mr_rank_vector *teleports, uint64_t n,
                               const struct mr_pagerank_options *options,
                               struct mr_personalised_vector *outcomes, mr_personalised_sink sink,
                               void *sink_data, struct mr_personalised_result *result,
                               struct mr_error *err)
{
    struct mr_pagerank_options fitted = *options;
    struct mr_rank_solver solver = {
        .context = *context, .store = store, .info = mr_store_get_info(store), .options = &fitted};
    struct mr_batch_job job = {.options = options,
                               .tolerance = mr_rank_tolerance(options),
                               .max_passes = options->max_passes > 0 ? options->max_passes
                                                                     : MR_PAGERANK_MAX_PASSES,
                               .teleports = teleports,
                               .n = n,
                               .sink = sink,
                               .sink_data = sink_data};
    unsigned long long n_unconverged = 0;

    memset(result, 0, sizeof *result);
    enum mr_status status = check_options(options, err);
    if (status == MR_OK) {
        status = check_teleports(solver.info, teleports, n, err);
    }
    if (status != MR_OK) {
        return status;
    }
    result->tolerance = job.tolerance;
    result->normalised = mr_rank_is_normalised(&solver);
    if (solver.info->n_vertices == 0 || n == 0) {
        for (uint64_t i = 0; i < n; i++) {
            outcomes[i] =
                (struct mr_personalised_vector){.name = outcomes[i].name, .converged = true};
        }
        result->converged = true;
        result->inner = mr_rank_sweeps(solver.info, options);
        return MR_OK;
    }
    job.width = width_of(context, solver.info, options, n);
    result->width = job.width;
    status = job.width > 0 ? mr_batch_run(context, store, &job, outcomes, result, err)
                           : one_by_one(&solver, &fitted, &job, outcomes, result, err);
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        n_unconverged += !outcomes[i].converged;
    }
    result->converged = status == MR_OK && n_unconverged == 0;
    if (n_unconverged > 0) {
        return mr_error_set(err, MR_NOT_CONVERGED,
                            "the error bound of %llu of %llu vectors is above the tolerance %.2e; "
                            "raise --tolerance, or lower --damping",
                            n_unconverged, (unsigned long long)n, result->tolerance);
    }
    return status;
}
