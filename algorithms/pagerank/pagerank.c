/* SPDX-License-Identifier: Apache-2.0 */
/* PageRank of one vector: checks the options, chooses waves and depth, plans the memory, and calls
 * the solver (solve.c). */
#include "algorithms/pagerank/pagerank.h"

#include <math.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/base/weight_walk.h"
#include "algorithms/pagerank/rank_stream.h"
#include "algorithms/pagerank/solver.h"
#include "algorithms/pagerank/until.h"
#include "algorithms/scores/precedence.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

#define DEFAULT_DAMPING          0.85
#define DEFAULT_TOLERANCE_DOUBLE 1e-9
#define DEFAULT_TOLERANCE_SINGLE 1e-5

void mr_pagerank_defaults(struct mr_pagerank_options *options)
{
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    options->damping = DEFAULT_DAMPING;
}

static unsigned choose_depth(const struct mr_pagerank_options *options)
{
    if (options->iterations > 0 || options->acceleration < 0) {
        return 0;
    }
    return (unsigned)options->acceleration; /* where nothing is said, what takes the least memory */
}

static unsigned choose_inner(const struct mr_store_info *info,
                             const struct mr_pagerank_options *options)
{
    return options->iterations > 0 ? 1
           : options->inner > 0    ? options->inner
                                   : mr_relaxation_sweeps(info);
}

/* 0: synchronous. */
static uint32_t choose_wave(const struct mr_store_info *info,
                            const struct mr_pagerank_options *options)
{
    return options->iterations > 0      ? 0
           : choose_depth(options) == 0 ? mr_relaxation_narrow_wave(info)
                                        : mr_relaxation_wave(info);
}

/* Of the steps of a wave: without acceleration, which has room for those of all bands. */
static uint64_t step_bytes(const struct mr_store_info *info,
                           const struct mr_pagerank_options *options)
{
    return options->iterations > 0 || choose_depth(options) > 0
               ? 0
               : ((uint64_t)choose_wave(info, options) << info->band_bits) * sizeof(float);
}

/* Vectors that `until` takes from the beginning; for stores that may have twins. */
static uint64_t until_vectors(const struct mr_store_info *info,
                              const struct mr_pagerank_options *options)
{
    if (options->until == MR_UNTIL_TOLERANCE) {
        return 0;
    }
    return mr_pass_vector_length(info) * sizeof(double) + mr_twins_memory(info) +
           (options->until == MR_UNTIL_LEVELS ? info->n_vertices : 0);
}

/* What it takes while it is asked. */
static uint64_t until_bytes(const struct mr_store_info *info,
                            const struct mr_pagerank_options *options)
{
    switch (options->until) {
    case MR_UNTIL_ORDER:
        return mr_until_order_memory(info->n_vertices, options->until_count);
    case MR_UNTIL_LEVELS:
        return mr_until_levels_memory();
    case MR_UNTIL_TOLERANCE:
        break;
    }
    return 0;
}

static uint64_t saturating_sub(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Bands whose values the solver keeps; see struct mr_rank_solver. */
static uint32_t core_bands(const struct mr_store_info *info,
                           const struct mr_pagerank_options *options)
{
    return options->iterations > 0 ? info->n_bands : info->n_source_bands;
}

static uint64_t history_bytes(const struct mr_store_info *info,
                              const struct mr_pagerank_options *options)
{
    const uint32_t n_bands = core_bands(info, options);
    return mr_acceleration_memory(choose_depth(options), (uint64_t)n_bands << info->band_bits,
                                  n_bands);
}

/* Of the scores of the frontier, in the end, when the history is gone. */
static uint64_t frontier_bytes(const struct mr_store_info *info,
                               const struct mr_pagerank_options *options)
{
    return (uint64_t)(info->n_bands - core_bands(info, options)) * mr_rank_value_bytes(options)
           << info->band_bits;
}

/* May the result be a stream? */
static bool may_stream(const struct mr_store_info *info, const struct mr_pagerank_options *options)
{
    return options->may_stream && options->until == MR_UNTIL_TOLERANCE &&
           info->order_kind != MR_ORDER_BY_LISTS && frontier_bytes(info, options) > 0;
}

static struct mr_pass_options pass_options(const struct mr_store_info *info,
                                           const struct mr_pagerank_options *options)
{
    const uint64_t scores =
        saturating_sub(frontier_bytes(info, options), history_bytes(info, options));
    return (struct mr_pass_options){
        .struct_size = sizeof(struct mr_pass_options),
        .backend = options->backend,
        .no_pinning = options->no_pinning,
        .decode_pinned = true,
        .relaxes = options->iterations == 0,
        .sweeps = options->iterations == 0,
        .leave_bytes = until_bytes(info, options) + (may_stream(info, options) ? 0 : scores),
    };
}

uint64_t mr_pagerank_minimum_memory(struct mr_store *store,
                                    const struct mr_pagerank_options *options)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_pass_options pass = pass_options(info, options);
    const uint64_t vectors = options->iterations > 0 ? 2 : 1;
    const uint64_t length = (uint64_t)core_bands(info, options) << info->band_bits;
    const uint64_t solving = mr_pass_least_memory(store, &pass) + step_bytes(info, options);
    const struct mr_pass_options plain = {.struct_size = sizeof plain};
    const uint64_t history = history_bytes(info, options), scores = frontier_bytes(info, options);
    return MR_MEMORY_RESERVE_BYTES + vectors * length * mr_rank_value_bytes(options) +
           (may_stream(info, options)
                ? mr_max_u64(solving + history,
                             mr_pass_least_memory(store, &plain) + mr_rank_stream_memory(info))
                : solving + mr_max_u64(history, scores)) +
           until_vectors(info, options) + until_bytes(info, options) +
           info->n_bands * sizeof(struct mr_rank_sums) + info->index_bytes;
}

static enum mr_status check_start(const struct mr_rank_solver *solver, struct mr_error *err)
{
    const double *start = solver->options->start;
    double largest = 0;
    for (uint64_t v = 0; start != NULL && v < solver->info->n_vertices; v++) {
        if (!(start[v] >= 0 && start[v] <= 1e300)) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "scores to start from must be finite and not negative");
        }
        largest = fmax(largest, start[v]);
    }
    if (start != NULL && solver->info->n_vertices > 0 && !(largest >= 1e-300)) {
        return mr_error_set(err, MR_ERROR_USAGE, "scores to start from must not all be 0");
    }
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

static enum mr_status check_options(const struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_options *o = solver->options;
    if (!(o->damping >= 0 && o->damping < 1)) {
        return mr_error_set(err, MR_ERROR_USAGE, "damping %g must be at least 0 and below 1",
                            o->damping);
    }
    if (!(o->tolerance >= 0)) {
        return mr_error_set(err, MR_ERROR_USAGE, "tolerance %g must be above 0", o->tolerance);
    }
    if (o->acceleration > (int)MR_ACCELERATION_MAX_DEPTH) {
        return mr_error_set(err, MR_ERROR_USAGE, "acceleration of depth %d; at most %u",
                            o->acceleration, MR_ACCELERATION_MAX_DEPTH);
    }
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
    const enum mr_status status = check_start(solver, err);
    return status == MR_OK ? check_teleport(solver, err) : status;
}

/* What is needed to ask what a bound proves. */
static enum mr_status prepare_until(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_memory *memory = solver->context.memory;
    const uint64_t n = solver->info->n_vertices;
    void *ranks = NULL, *levels = NULL, *twins = NULL;
    enum mr_status status = MR_OK;
    if (solver->options->until != MR_UNTIL_TOLERANCE) {
        status = mr_memory_alloc(memory, "ranks for --until",
                                 mr_pass_vector_length(solver->info) * sizeof(double), &ranks, err);
    }
    if (status == MR_OK && solver->options->until != MR_UNTIL_TOLERANCE &&
        mr_twins_are_known(solver->store)) {
        status = mr_memory_alloc(memory, "twins for --until", mr_twins_memory(solver->info), &twins,
                                 err);
    }
    if (status == MR_OK && solver->options->until == MR_UNTIL_LEVELS) {
        status = mr_memory_alloc(memory, "levels for --until", n, &levels, err);
    }
    solver->ranks = ranks;
    solver->levels = levels;
    if (twins != NULL) {
        solver->twins.in_links = twins;
        solver->twins.out_degree = (uint32_t *)(solver->twins.in_links + n);
    }
    return status;
}

static enum mr_status prepare(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_memory *memory = solver->context.memory;
    const struct mr_store_info *info = solver->info;
    const struct mr_pagerank_options *options = solver->options;
    enum mr_status status = mr_memory_alloc(memory, "rank vector",
                                            mr_rank_length(solver) * mr_rank_value_bytes(options),
                                            &solver->slots.x, err);
    void *sums = NULL, *steps = NULL;
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, "sums of bands",
                                 info->n_bands * sizeof *solver->slots.sums, &sums, err);
    }
    solver->slots.sums = sums;
    if (status == MR_OK && solver->result->acceleration > 0) {
        status = mr_acceleration_create(&solver->context, solver->result->acceleration,
                                        mr_rank_length(solver), solver->n_core_bands,
                                        options->precision == MR_PRECISION_SINGLE,
                                        &solver->slots.acceleration, err);
    }
    if (status == MR_OK && step_bytes(info, options) > 0) {
        status = mr_memory_alloc(memory, "steps of a wave", step_bytes(info, options), &steps, err);
        solver->steps = steps;
    }
    if (status == MR_OK && options->iterations > 0) {
        status = mr_memory_alloc(memory, "second rank vector",
                                 mr_rank_length(solver) * mr_rank_value_bytes(options),
                                 &solver->slots.next, err);
    }
    if (status == MR_OK) {
        status = prepare_until(solver, err);
    }
    const struct mr_pass_options wishes = pass_options(info, options);
    if (status == MR_OK) {
        status = mr_pass_open(&solver->context, solver->store, &wishes, &solver->pass, err);
    }
    solver->teleport = (struct mr_teleport){options->teleport, options->n_teleport};
    mr_slots_put(&solver->slots, 0, &solver->teleport, info->n_vertices);
    solver->slots.start = options->start;
    solver->slots.starts_evenly = options->iterations > 0; /* the textbook, whatever t is */
    solver->slots.even = options->heritrix ? 1.0 : 1.0 / (double)info->n_vertices;
    solver->slots.width = 1;
    solver->slots.is_single = options->precision == MR_PRECISION_SINGLE;
    solver->slots.has_weights = info->is_weighted || info->weighs_classes;
    solver->slots.damping = options->damping;
    solver->slots.relaxation = solver->result->relaxation;
    return status;
}

/* The last reading of the frontier's links. The scores go behind the shares of the core, which are
 * still needed. */
static enum mr_status finish_frontier(struct mr_rank_solver *solver, struct mr_error *err)
{
    const uint64_t bytes =
        mr_pass_vector_length(solver->info) * mr_rank_value_bytes(solver->options);
    const enum mr_status status =
        mr_memory_resize(solver->context.memory, "scores", &solver->slots.x, bytes, err);
    return status == MR_OK ? mr_rank_run_frontier(solver, false, mr_slots_finish_frontier, err)
                           : status;
}

/* Shares become scores, all of them or in a stream. */
static enum mr_status finish(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_memory *memory = solver->context.memory;
    struct mr_pagerank_result *result = solver->result;
    mr_acceleration_destroy(solver->slots.acceleration);
    solver->slots.acceleration = NULL;
    solver->slots.slots[0].scale =
        mr_rank_is_normalised(solver) && result->score_sum > 0 ? 1 / result->score_sum : 1;
    if (may_stream(solver->info, solver->options) &&
        mr_memory_available(memory) < frontier_bytes(solver->info, solver->options)) {
        result->figures = mr_rank_figures(solver);
        mr_pass_close(solver->pass);
        solver->pass = NULL;
        mr_memory_free(memory, solver->steps);
        solver->steps = NULL;
        return mr_rank_stream_create(solver, &result->stream, err);
    }
    enum mr_status status = mr_rank_has_frontier(solver) ? finish_frontier(solver, err) : MR_OK;
    if (status == MR_OK) {
        status = mr_rank_run_degrees(solver, mr_slots_finish, err);
    }
    result->figures = mr_rank_figures(solver);
    result->scores = solver->slots.x;
    solver->slots.x = NULL;
    return status;
}

static void release(struct mr_rank_solver *solver)
{
    struct mr_memory *memory = solver->context.memory;
    mr_acceleration_destroy(solver->slots.acceleration);
    mr_pass_close(solver->pass);
    mr_memory_free(memory, solver->steps);
    mr_memory_free(memory, solver->slots.next);
    mr_memory_free(memory, solver->slots.sums);
    mr_memory_free(memory, solver->ranks);
    mr_memory_free(memory, solver->levels);
    mr_memory_free(memory, solver->twins.in_links);
    mr_memory_free(memory, solver->slots.x);
}

static enum mr_status rank(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_pagerank_result *result = solver->result;
    enum mr_status status = prepare(solver, err);
    if (status == MR_OK) {
        status = mr_rank_solve(solver, err);
    }
    if (status == MR_OK) {
        status = finish(solver, err);
    }
    release(solver);
    if (status != MR_OK) {
        mr_pagerank_result_free(result);
        return status;
    }
    result->passes = (unsigned)result->figures.passes;
    result->converged =
        (solver->options->iterations > 0 && !mr_rank_iterates_until_tolerance(solver)) ||
        result->error_bound <= solver->tolerance || result->proven_until;
    if (!result->converged) {
        return mr_error_set(err, MR_NOT_CONVERGED,
                            "error bound %.2e is above the tolerance %.2e after %u passes; raise "
                            "--tolerance, or lower --damping",
                            result->error_bound, solver->tolerance, result->passes);
    }
    return MR_OK;
}

/* As mr_pagerank_options has it. */
static int acceleration_of(unsigned depth)
{
    return depth == 0 ? MR_ACCELERATION_NONE : (int)depth;
}

/* The depth, where the caller leaves it to the solver. */
static enum mr_status fit_depth(const struct mr_context *context, struct mr_store *store,
                                struct mr_pagerank_options *options, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    uint64_t needs[MR_RELAXATION_DEPTHS];
    if (options->acceleration != 0 || options->iterations > 0) {
        return mr_ranking_require(context, info, mr_pagerank_minimum_memory(store, options), err);
    }
    for (unsigned i = 0; i < MR_RELAXATION_DEPTHS; i++) {
        options->acceleration = acceleration_of(mr_relaxation_depths[i]);
        needs[i] = mr_pagerank_minimum_memory(store, options);
    }
    enum mr_status status = mr_ranking_require(context, info, needs[MR_RELAXATION_DEPTHS - 1], err);
    if (status == MR_OK) {
        options->acceleration = acceleration_of(mr_relaxation_fit(context, info, needs));
    }
    return status;
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
        solver.context.cancel = options->hooks->stop_now;
    }
    enum mr_status status = check_options(&solver, err);
    if (status != MR_OK) {
        return status;
    }
    solver.tolerance = options->tolerance > 0                      ? options->tolerance
                       : options->precision == MR_PRECISION_SINGLE ? DEFAULT_TOLERANCE_SINGLE
                                                                   : DEFAULT_TOLERANCE_DOUBLE;
    result->precision = options->precision;
    result->memory = context->memory;
    result->n_vertices = solver.info->n_vertices;
    result->normalised = mr_rank_is_normalised(&solver);
    result->tolerance = solver.tolerance;
    result->inner = choose_inner(solver.info, options);
    solver.n_core_bands = core_bands(solver.info, options);
    result->relaxation = options->iterations > 0 ? 1 : mr_relaxation_reach(solver.info);
    if (solver.info->n_vertices == 0) {
        result->converged = true;
        return MR_OK;
    }
    status = fit_depth(context, store, &fitted, err);
    if (status != MR_OK) {
        return status;
    }
    result->wave = choose_wave(solver.info, &fitted);
    result->acceleration = choose_depth(&fitted);
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
