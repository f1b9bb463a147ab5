/* SPDX-License-Identifier: Apache-2.0 */
/* Personalised PageRank of many vectors: checks the options, chooses how many go side by side, and
 * runs batch after batch (solve.c). */
#include "algorithms/pagerank/personalised.h"

#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/base/weight_walk.h"
#include "algorithms/pagerank/solver.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

/* A teleport vector with entries for more than a sixteenth of the vertices is not spread from. */
#define SPARSE_SHARE 16

/* ---- Choices ---- */

static unsigned power_of_two(uint64_t n)
{
    unsigned width = 1;
    while (width < n && width < MR_RANK_MAX_WIDTH) {
        width *= 2;
    }
    return width;
}

/* As many side by side as there are vectors, and as fit with the best depth of the acceleration, up
 * to 16; one by one with a smaller depth where that does not fit. No bit of a result depends on the
 * width. */
static enum mr_status fit(struct mr_rank_solver *solver, struct mr_pagerank_options *options,
                          uint64_t n, struct mr_error *err)
{
    const uint64_t available = mr_ranking_available(&solver->context, solver->info);
    struct mr_pagerank_options best = *options;
    unsigned width = power_of_two(n);
    if (best.acceleration == MR_ACCELERATION_AUTO) {
        mr_rank_set_best_depth(&best);
    }
    if (options->width > 0) {
        width = (unsigned)mr_min_u64(options->width, width);
    }
    while (options->width == 0 && width > 1 &&
           mr_rank_minimum_memory(solver->store, &best, width) > available) {
        width /= 2;
    }
    solver->batch = width;
    return mr_rank_fit_depth(&solver->context, solver->store, options, width, err);
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
                                      const struct mr_teleport_vector *teleports, uint64_t n,
                                      struct mr_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        const struct mr_teleport_vector *t = &teleports[i];
        if (t->weights != NULL &&
            !(mr_weights_largest(t->weights, t->n_weights, info->n_vertices) > 0)) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "teleport weights must be finite, not negative, ascending by "
                                "page and not all 0");
        }
    }
    return MR_OK;
}

/* ---- Batches ---- */

/* What a batch is told of and gives back. */
struct batch_run {
    struct mr_rank_solver solver;
    struct mr_personalised_result *result;
    unsigned long long n_unconverged;
};

static void give_outcome(const struct mr_rank_solver *solver, unsigned slot,
                         struct mr_personalised_vector *outcome)
{
    const struct mr_rank_progress *progress = &solver->progress[slot];

    outcome->converged = progress->proof.error_bound <= solver->tolerance;
    outcome->error_bound = progress->proof.error_bound;
    outcome->residual = progress->proof.residual;
    outcome->rounding_bound = progress->proof.rounding_bound;
    outcome->score_sum = progress->proof.score_sum;
    outcome->sum = mr_rank_is_normalised(solver) ? 1 : outcome->score_sum;
    outcome->passes = progress->stood_at;
}

static enum mr_status run_batch(struct batch_run *run, const struct mr_teleport_vector *teleports,
                                unsigned n, struct mr_personalised_vector *outcomes,
                                struct mr_error *err)
{
    struct mr_rank_solver *solver = &run->solver;
    struct mr_slots *slots = &solver->slots;

    slots->width = power_of_two(n);
    slots->any_still = false;
    slots->x = solver->vectors[0];
    slots->next = solver->vectors[1];
    slots->active = solver->active[0];
    slots->next_active = solver->active[1];
    memset(slots->x, 0, solver->vector_bytes / solver->batch * slots->width);
    for (unsigned j = 0; j < slots->width; j++) {
        mr_slots_put(slots, j, j < n ? &teleports[j] : NULL, solver->info->n_vertices);
    }
    if (slots->acceleration != NULL) {
        mr_acceleration_begin(slots->acceleration, slots->width);
    }
    const enum mr_status status = mr_rank_solve(solver, err);
    if (status != MR_OK) {
        return status;
    }
    for (unsigned j = 0; j < n; j++) {
        give_outcome(solver, j, &outcomes[j]);
        slots->slots[j].scale = mr_rank_is_normalised(solver) && outcomes[j].score_sum > 0
                                    ? 1 / outcomes[j].score_sum
                                    : 1;
        run->n_unconverged += !outcomes[j].converged;
    }
    return mr_rank_finish(solver, err);
}

static enum mr_status run_all(struct batch_run *run, const struct mr_teleport_vector *teleports,
                              uint64_t n, struct mr_personalised_vector *outcomes,
                              mr_personalised_sink sink, void *sink_data, struct mr_error *err)
{
    struct mr_rank_solver *solver = &run->solver;
    const unsigned width = solver->batch;

    enum mr_status status = mr_rank_prepare(solver, err);
    if (status == MR_OK) {
        status = mr_rank_open_pass(solver, err);
    }
    for (uint64_t first = 0; first < n && status == MR_OK; first += width) {
        const unsigned count = (unsigned)mr_min_u64(width, n - first);
        if (first > 0) { /* scores took the place of the history */
            status = mr_memory_resize(solver->context.memory, "rank vectors", &solver->vectors[0],
                                      solver->vector_bytes, err);
        }
        if (status == MR_OK) {
            status = mr_rank_remember(solver, err);
        }
        if (status != MR_OK) {
            break;
        }
        status = run_batch(run, teleports + first, count, outcomes + first, err);
        if (status == MR_OK) {
            run->result->n_batches++;
            status = sink(sink_data, first, count, solver->slots.width, solver->slots.x, err);
        }
    }
    if (solver->pass != NULL) {
        run->result->figures = mr_pass_get_figures(solver->pass);
    }
    return status;
}

/* What follows from the store and the options, before anything is read. */
static enum mr_status plan(struct batch_run *run, struct mr_pagerank_options *fitted,
                           const struct mr_teleport_vector *teleports, uint64_t n,
                           struct mr_error *err)
{
    struct mr_rank_solver *solver = &run->solver;
    struct mr_personalised_result *result = run->result;
    solver->may_spread = n == 1 && teleports[0].weights != NULL &&
                         teleports[0].n_weights <= solver->info->n_vertices / SPARSE_SHARE &&
                         fitted->dangling != MR_DANGLING_UNIFORM;
    const enum mr_status status = fit(solver, fitted, n, err);
    solver->wave = mr_rank_wave(solver->info, fitted);
    solver->sweeps = mr_rank_sweeps(solver->info, fitted);
    result->width = solver->batch;
    result->wave = solver->wave;
    result->inner = solver->sweeps;
    result->acceleration = mr_rank_depth(fitted);
    return status;
}

enum mr_status mr_personalised(const struct mr_context *context, struct mr_store *store,
                               const struct mr_teleport_vector *teleports, uint64_t n,
                               const struct mr_pagerank_options *options,
                               struct mr_personalised_vector *outcomes, mr_personalised_sink sink,
                               void *sink_data, struct mr_personalised_result *result,
                               struct mr_error *err)
{
    struct mr_pagerank_options fitted = *options;
    struct batch_run run = {.solver = {.context = *context,
                                       .store = store,
                                       .info = mr_store_get_info(store),
                                       .options = &fitted},
                            .result = result};

    memset(result, 0, sizeof *result);
    enum mr_status status = check_options(options, err);
    if (status == MR_OK) {
        status = check_teleports(run.solver.info, teleports, n, err);
    }
    if (status != MR_OK) {
        return status;
    }
    result->tolerance = mr_rank_tolerance(options);
    result->normalised = mr_rank_is_normalised(&run.solver);
    if (run.solver.info->n_vertices == 0 || n == 0) {
        for (uint64_t i = 0; i < n; i++) {
            outcomes[i] =
                (struct mr_personalised_vector){.name = outcomes[i].name, .converged = true};
        }
        result->converged = true;
        result->inner = mr_rank_sweeps(run.solver.info, options);
        return MR_OK;
    }
    status = plan(&run, &fitted, teleports, n, err);
    if (status != MR_OK) {
        return status;
    }
    status = run_all(&run, teleports, n, outcomes, sink, sink_data, err);
    mr_rank_release(&run.solver);
    result->converged = run.n_unconverged == 0;
    if (status == MR_OK && !result->converged) {
        return mr_error_set(err, MR_NOT_CONVERGED,
                            "the error bound of %llu of %llu vectors is above the tolerance %.2e; "
                            "raise --tolerance, or lower --damping",
                            run.n_unconverged, (unsigned long long)n, result->tolerance);
    }
    return status;
}
