/* SPDX-License-Identifier: Apache-2.0 */
/* PageRank of one vector: checks the options, sets up the solver (rank_setup.c), and calls it
 * (solve.c). */
#include "algorithms/pagerank/pagerank.h"

#include <math.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/base/weight_walk.h"
#include "algorithms/pagerank/solver.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "millrace/levels.h"

#define DEFAULT_DAMPING 0.85

/* Scores to start from may have any sum. Where a sum could overflow or vanish, the largest of them
 * becomes 1 before they are summed. Heritrix's arithmetic takes them as they are. */
static enum mr_status check_start(struct mr_rank_solver *solver, struct mr_error *err)
{
    const double *start = solver->options->start;
    const bool is_heritrix = solver->options->heritrix;
    double largest = 0;
    for (uint64_t v = 0; start != NULL && v < solver->info->n_vertices; v++) {
        if (!(start[v] >= 0) || isinf(start[v])) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "scores to start from must be finite and not negative");
        }
        largest = fmax(largest, start[v]);
    }
    if (start != NULL && solver->info->n_vertices > 0 && !(largest > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE, "scores to start from must not all be 0");
    }
    const bool is_ordinary = start == NULL || (largest >= 1e-280 && largest <= 1e280);
    if (is_heritrix && !is_ordinary) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "the largest score that Heritrix's arithmetic starts from must be "
                            "between 1e-280 and 1e280");
    }
    solver->vector.start_unit = is_ordinary ? 1 : largest;
    return MR_OK;
}

static enum mr_status check_teleport(const struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_options *o = solver->options;
    if (o->teleport == NULL) {
        return MR_OK;
    }
    const double largest = mr_weights_largest(o->teleport, o->n_teleport, solver->info->n_vertices);
    if (largest < 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "teleport weights must be finite, not negative and ascending by "
                            "vertex");
    }
    if (largest == 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "teleport weights must not all be 0");
    }
    return MR_OK;
}

static enum mr_status check_options(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_options *o = solver->options;
    const bool counts = o->until_count >= 1 &&
                        (o->until != MR_UNTIL_LEVELS || o->until_count <= MR_PRECEDENCE_MAX_LEVELS);
    if (o->until != MR_UNTIL_TOLERANCE &&
        (!counts || !(o->until_share >= 0 && o->until_share < 1))) {
        return mr_error_set(err, MR_ERROR_USAGE, "no such order or levels to go on until");
    }
    if (o->iterations > 0 &&
        (o->until != MR_UNTIL_TOLERANCE || (o->start != NULL && !o->heritrix))) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "iterations start from 1/n and end after so many rounds");
    }
    if (o->start != NULL && o->teleport != NULL) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "what no teleport reaches scores 0, to which other scores to start from "
            "do not come; leave out one of the two");
    }
    if (o->heritrix && (o->iterations == 0 || o->damping != DEFAULT_DAMPING ||
                        o->dangling != MR_DANGLING_NONE || o->teleport != NULL)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "Heritrix's arithmetic is for iterations with damping %g, without "
                            "dangling mass or teleport weights",
                            DEFAULT_DAMPING);
    }
    enum mr_status status = mr_rank_check(o, err);
    if (status == MR_OK) {
        status = check_start(solver, err);
    }
    return status == MR_OK ? check_teleport(solver, err) : status;
}

/* What is needed to ask what a bound proves. */
static enum mr_status prepare_until(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_memory *memory = solver->context.memory;
    const uint64_t n = solver->info->n_vertices;
    enum mr_status status = MR_OK;
    if (solver->options->until != MR_UNTIL_TOLERANCE) {
        status = mr_memory_alloc(memory, "ranks for --until",
                                 mr_pass_vector_length(solver->info) * sizeof(double),
                                 &solver->ranks, err);
    }
    if (status == MR_OK && solver->options->until != MR_UNTIL_TOLERANCE &&
        mr_twins_are_known(solver->store)) {
        status = mr_memory_alloc(memory, "twins for --until", mr_twins_memory(solver->info),
                                 &solver->twins.in_links, err);
    }
    if (status == MR_OK && solver->options->until == MR_UNTIL_LEVELS) {
        status = mr_memory_alloc(memory, "levels for --until", n, &solver->levels, err);
    }
    if (solver->twins.in_links != NULL) {
        solver->twins.out_degree = (uint32_t *)(solver->twins.in_links + n);
    }
    return status;
}

static enum mr_status prepare(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_options *options = solver->options;
    struct mr_rank_shares *vector = &solver->vector;

    enum mr_status status = mr_rank_prepare(solver, err);
    if (status == MR_OK) {
        status = prepare_until(solver, err);
    }
    if (status == MR_OK) {
        status = mr_rank_open_pass(solver, err);
    }
    vector->start = options->start;
    vector->starts_evenly = options->iterations > 0; /* the textbook, whatever t is */
    vector->relaxation = 1;
    solver->teleport =
        (struct mr_rank_vector){.pages = options->teleport, .count = options->n_teleport};
    vector->terms = mr_rank_terms_of(&solver->teleport, solver->info->n_vertices);
    return status;
}

/* The scale of the scores. */
static double factor(const struct mr_rank_solver *solver)
{
    return solver->options->scale == MR_SCALE_PAGES ? (double)solver->info->n_vertices : 1;
}

/* Shares become scores, all of them or in a stream. */
static enum mr_status finish(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_pagerank_result *result = solver->result;
    mr_rank_forget(solver);
    solver->vector.scale =
        factor(solver) *
        (mr_rank_is_normalised(solver) && result->score_sum > 0 ? 1 / result->score_sum : 1);
    if (mr_rank_may_stream(solver->info, solver->options) &&
        mr_memory_available(solver->context.memory) <
            mr_rank_frontier_bytes(solver->info, solver->options)) {
        result->figures = mr_rank_figures(solver);
        mr_rank_close_pass(solver);
        return mr_rank_stream_create(solver, &result->stream, err);
    }
    const enum mr_status status = mr_rank_finish(solver, err);
    result->figures = mr_rank_figures(solver);
    result->scores = mr_rank_take_vector(solver);
    return status;
}

static void release(struct mr_rank_solver *solver)
{
    struct mr_memory *memory = solver->context.memory;
    mr_rank_release(solver);
    mr_memory_free(memory, solver->ranks);
    mr_memory_free(memory, solver->levels);
    mr_memory_free(memory, solver->twins.in_links);
}

/* Why there is no smaller bound, and what helps. */
static const char *why_not(const struct mr_rank_solver *solver)
{
    const bool is_over = solver->options->iterations > 0
                             ? solver->n_passes >= solver->options->iterations
                             : solver->n_passes >= solver->max_passes;
    return is_over ? "no more passes are allowed: raise --max-passes or --tolerance, or lower "
                     "--damping"
                   : "rounding allows no smaller one: raise --tolerance, or lower --damping";
}

static enum mr_status rank(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_pagerank_result *result = solver->result;
    enum mr_status status = prepare(solver, err);
    if (status == MR_OK) {
        status = mr_rank_solve(solver, err);
    }
    result->error_bound = solver->progress.proof.error_bound;
    result->residual = solver->progress.proof.residual;
    result->rounding_bound = solver->progress.proof.rounding_bound;
    result->score_sum = solver->progress.proof.score_sum;
    result->sum = mr_rank_is_normalised(solver) ? 1 : result->score_sum;
    result->iterations = solver->options->iterations > 0 ? solver->n_passes : 0;
    if (status == MR_OK) {
        status = finish(solver, err);
    }
    release(solver);
    if (status != MR_OK) {
        mr_pagerank_result_free(result);
        return status;
    }
    result->passes = result->figures.passes;
    result->converged =
        (solver->options->iterations > 0 && !mr_rank_iterates_until_tolerance(solver)) ||
        result->error_bound <= solver->tolerance || result->proven_until;
    result->error_bound *= factor(solver);
    result->rounding_bound *= factor(solver);
    result->tolerance *= factor(solver);
    result->sum *= factor(solver);
    if (!result->converged) {
        char passes[64];
        return mr_error_set(err, MR_NOT_CONVERGED,
                            "error bound %.2e is above the tolerance %.2e after %s; %s",
                            result->error_bound, result->tolerance,
                            mr_count_of_text(result->passes, "pass", passes), why_not(solver));
    }
    return MR_OK;
}

enum mr_status mr_pagerank(const struct mr_context *context, struct mr_store *store,
                           const struct mr_pagerank_options *options,
                           struct mr_pagerank_result *result, struct mr_error *err)
{
    struct mr_pagerank_options fitted = *options;
    struct mr_rank_solver solver = {
        .context = *context,
        .store = store,
        .info = mr_store_get_info(store),
        .options = &fitted,
        .result = result,
    };
    memset(result, 0, sizeof *result);
    solver.cancel = context->cancel;
    if (options->hooks != NULL && options->hooks->save != NULL) {
        solver.context.cancel = NULL;
    }
    enum mr_status status = check_options(&solver, err);
    if (status != MR_OK) {
        return status;
    }
    result->precision = options->precision;
    result->memory = context->memory;
    result->n_vertices = solver.info->n_vertices;
    result->normalised = mr_rank_is_normalised(&solver) && options->scale == MR_SCALE_ONE;
    result->sum = result->normalised;
    result->tolerance = mr_rank_tolerance(options);
    result->relaxation = options->iterations > 0 ? 1 : mr_relaxation_reach(solver.info);
    if (solver.info->n_vertices == 0) {
        result->converged = true;
        return MR_OK;
    }
    status = mr_rank_fit_depth(context, store, &fitted, false, err);
    if (status != MR_OK) {
        return status;
    }
    result->wave = solver.wave = mr_rank_wave(solver.info, &fitted);
    solver.sweeps = mr_rank_sweeps(solver.info, &fitted);
    result->inner = solver.sweeps;
    result->acceleration = mr_rank_depth(&fitted);
    status = rank(&solver, err);
    if (status != MR_OK && status != MR_NOT_CONVERGED) {
        memset(result, 0, sizeof *result);
    }
    return status;
}

void mr_pagerank_result_free(struct mr_pagerank_result *result)
{
    mr_rank_stream_destroy(result->stream);
    mr_memory_free(result->memory, result->scores);
    memset(result, 0, sizeof *result);
}
