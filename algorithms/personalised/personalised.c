/* SPDX-License-Identifier: Apache-2.0 */
/* Personalised PageRank: checks the options, chooses how many vectors go side by side, plans the
 * memory, and runs batch after batch (personalised_solve.c). */
#include "algorithms/personalised/personalised.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/base/weight_walk.h"
#include "algorithms/personalised/personalised_solver.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

#define DEFAULT_TOLERANCE_DOUBLE 1e-9
#define DEFAULT_TOLERANCE_SINGLE 1e-5
#define DEFAULT_MAX_PASSES       10000u

/* What share of the foretold bound a vector's certificate is expected to find, before its first.
 * One that fails costs the whole batch passes, and its own vector the acceleration: eight seeds of
 * kron-22 to 1e-9 took 29 passes with 0.5, as one vector has it, 27 with 0.75 and 26 with 1; alone
 * 18 to 28 passes with 0.5, 18 to 25 with 1. */
#define FIRST_RATIO 1.0

/* A teleport vector with entries for more than a sixteenth of the vertices is not spread from. */
#define SPARSE_SHARE 16

/* ---- Choices ---- */

/* Where nothing is said, what takes the least memory. */
static unsigned choose_depth(const struct mr_pagerank_options *options)
{
    return options->acceleration < 0 ? 0 : (unsigned)options->acceleration;
}

static uint32_t choose_wave(const struct mr_store_info *info,
                            const struct mr_pagerank_options *options)
{
    return choose_depth(options) == 0 ? mr_relaxation_narrow_wave(info) : mr_relaxation_wave(info);
}

/* Of the steps of a wave: without acceleration, which has room for those of all bands. */
static uint64_t step_bytes(const struct mr_store_info *info, unsigned width,
                           const struct mr_pagerank_options *options)
{
    return choose_depth(options) > 0
               ? 0
               : ((uint64_t)choose_wave(info, options) << info->band_bits) * width * sizeof(float);
}

static uint64_t history_bytes(const struct mr_store_info *info, unsigned width,
                              const struct mr_pagerank_options *options)
{
    return mr_acceleration_rows_memory(choose_depth(options), mr_pass_source_length(info), width,
                                       info->n_source_bands);
}

/* Of the scores of the frontier, in the end of a batch, when the history is gone. */
static uint64_t frontier_bytes(const struct mr_store_info *info, unsigned width,
                               const struct mr_pagerank_options *options)
{
    return (mr_pass_vector_length(info) - mr_pass_source_length(info)) * width *
           mr_rank_value_bytes(options);
}

static struct mr_pass_options pass_options(const struct mr_store_info *info, unsigned width,
                                           const struct mr_pagerank_options *options)
{
    const uint64_t frontier = frontier_bytes(info, width, options);
    const uint64_t history = history_bytes(info, width, options);
    return (struct mr_pass_options){.struct_size = sizeof(struct mr_pass_options),
                                    .backend = options->backend,
                                    .no_pinning = options->no_pinning,
                                    .decode_pinned = true,
                                    .relaxes = true,
                                    .sweeps = true,
                                    .width = width,
                                    .leave_bytes = frontier > history ? frontier - history : 0,
                                    .may_skip = width == 1};
}

uint64_t mr_personalised_minimum_memory(struct mr_store *store, unsigned width,
                                        const struct mr_pagerank_options *options)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const struct mr_pass_options pass = pass_options(info, width, options);
    const uint64_t length = mr_pass_source_length(info);
    /* One vector alone may need a second copy and its active stripes. */
    const uint64_t copies = width == 1 && options->dangling != MR_DANGLING_UNIFORM ? 2 : 1;
    return MR_MEMORY_RESERVE_BYTES + mr_pass_least_memory(store, &pass) +
           copies * length * width * mr_rank_value_bytes(options) + 2 * mr_pass_stripes(info) +
           mr_max_u64(history_bytes(info, width, options), frontier_bytes(info, width, options)) +
           step_bytes(info, width, options) + info->n_bands * width * sizeof(struct mr_rank_sums) +
           info->index_bytes;
}

static unsigned power_of_two(uint64_t n)
{
    unsigned width = 1;
    while (width < n && width < MR_RANK_MAX_WIDTH) {
        width *= 2;
    }
    return width;
}

/* As mr_pagerank_options has it. */
static int acceleration_of(unsigned depth)
{
    return depth == 0 ? MR_ACCELERATION_NONE : (int)depth;
}

/* As many side by side as there are vectors, and as fit with the best depth of the acceleration, up
 * to 16; one by one with a smaller depth where that does not fit. No bit of a result depends on the
 * width. */
static enum mr_status fit(struct mr_batch_solver *solver, struct mr_pagerank_options *options,
                          uint64_t n, struct mr_error *err)
{
    const struct mr_store_info *info = solver->rank.info;
    const uint64_t available = mr_ranking_available(&solver->rank.context, info);
    const bool is_fixed = options->acceleration != 0;
    unsigned width = power_of_two(n);
    if (!is_fixed) {
        options->acceleration = acceleration_of(mr_relaxation_depths[0]);
    }
    if (options->width > 0) {
        width = options->width < width ? options->width : width;
    }
    while (options->width == 0 && width > 1 &&
           mr_personalised_minimum_memory(solver->rank.store, width, options) > available) {
        width /= 2;
    }
    solver->result->width = width;
    uint64_t needs[MR_RELAXATION_DEPTHS] = {0};
    uint64_t least = mr_personalised_minimum_memory(solver->rank.store, width, options);
    for (unsigned i = 0; i < MR_RELAXATION_DEPTHS && !is_fixed; i++) {
        options->acceleration = acceleration_of(mr_relaxation_depths[i]);
        needs[i] = least = mr_personalised_minimum_memory(solver->rank.store, width, options);
    }
    const enum mr_status status = mr_ranking_require(&solver->rank.context, info, least, err);
    if (status == MR_OK && !is_fixed) {
        options->acceleration =
            acceleration_of(mr_relaxation_fit(&solver->rank.context, info, needs));
    }
    return status;
}

/* ---- Checks ---- */

static enum mr_status check_options(const struct mr_batch_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_options *o = solver->rank.options;
    const unsigned w = o->width;
    if (!(o->damping >= 0 && o->damping < 1)) {
        return mr_error_set(err, MR_ERROR_USAGE, "damping %g must be at least 0 and below 1",
                            o->damping);
    }
    if (!(o->tolerance >= 0)) {
        return mr_error_set(err, MR_ERROR_USAGE, "tolerance %g must be above 0", o->tolerance);
    }
    if (o->iterations > 0 || o->heritrix || o->teleport != NULL || o->start != NULL ||
        o->until != MR_UNTIL_TOLERANCE || o->may_stream || o->hooks != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE, "an option of one vector, given for several");
    }
    if (o->acceleration > (int)MR_ACCELERATION_ROWS_MAX_DEPTH) {
        return mr_error_set(err, MR_ERROR_USAGE, "acceleration of depth %d; at most %u",
                            o->acceleration, MR_ACCELERATION_ROWS_MAX_DEPTH);
    }
    if (w > MR_RANK_MAX_WIDTH || (w & (w - 1)) != 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%u vectors side by side; it can be 1, 2, 4, 8 or %u", w,
                            MR_RANK_MAX_WIDTH);
    }
    return MR_OK;
}

static enum mr_status check_teleports(const struct mr_batch_solver *solver,
                                      const struct mr_teleport *teleports, uint64_t n,
                                      struct mr_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        const struct mr_teleport *t = &teleports[i];
        if (t->weights != NULL &&
            !(mr_weights_largest(t->weights, t->n_weights, solver->rank.info->n_vertices) > 0)) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "teleport weights must be finite, not negative, ascending by "
                                "page and not all 0");
        }
    }
    return MR_OK;
}

/* ---- Batches ---- */

static void begin_slot(struct mr_batch_solver *solver, unsigned j,
                       const struct mr_teleport *teleport, struct mr_personalised_vector *outcome)
{
    mr_slots_put(&solver->rank.slots, j, teleport, solver->rank.info->n_vertices);
    solver->progress[j] = (struct mr_slot_progress){
        .outcome = outcome, .ratio = FIRST_RATIO, .best = INFINITY, .last_change = INFINITY};
    if (outcome != NULL) {
        *outcome = (struct mr_personalised_vector){0};
    }
}

/* ---- Scores ---- */

/* Make room for what a batch needs beside its vectors. */
static enum mr_status create_history(struct mr_batch_solver *solver, struct mr_error *err)
{
    const struct mr_store_info *info = solver->rank.info;
    return solver->result->acceleration == 0 || solver->rank.slots.acceleration_rows != NULL
               ? MR_OK
               : mr_acceleration_rows_create(&solver->rank.context, solver->result->acceleration,
                                             mr_pass_source_length(info), solver->result->width,
                                             info->n_source_bands, solver->rank.slots.is_single,
                                             &solver->rank.slots.acceleration_rows, err);
}

/* The last reading of the frontier's links. The scores go behind the shares of the core, in the
 * place of the history: the next batch begins with another one. */
static enum mr_status finish_frontier(struct mr_batch_solver *solver, struct mr_error *err)
{
    struct mr_slots *slots = &solver->rank.slots;
    const unsigned at = slots->x == solver->vectors[0] ? 0 : 1;

    mr_acceleration_rows_destroy(slots->acceleration_rows);
    slots->acceleration_rows = NULL;
    const enum mr_status status =
        mr_memory_resize(solver->rank.context.memory, "scores", &solver->vectors[at],
                         mr_pass_vector_length(solver->rank.info) * solver->result->width *
                             mr_rank_value_bytes(solver->rank.options),
                         err);
    slots->x = solver->vectors[at];
    return status == MR_OK
               ? mr_rank_run_frontier(&solver->rank, false, mr_slots_finish_frontier, err)
               : status;
}

/* Back to the length that the next batch needs. */
static enum mr_status shrink(struct mr_batch_solver *solver, struct mr_error *err)
{
    return mr_memory_resize(solver->rank.context.memory, "rank vectors", &solver->vectors[0],
                            mr_pass_source_length(solver->rank.info) * solver->result->width *
                                mr_rank_value_bytes(solver->rank.options),
                            err);
}

static enum mr_status run_batch(struct mr_batch_solver *solver, const struct mr_teleport *teleports,
                                unsigned n, struct mr_personalised_vector *outcomes,
                                struct mr_error *err)
{
    struct mr_slots *slots = &solver->rank.slots;

    slots->width = power_of_two(n);
    slots->any_still = false;
    slots->x = solver->vectors[0];
    slots->next = solver->may_spread ? solver->vectors[1] : NULL;
    slots->active = solver->active[0];
    slots->next_active = solver->active[1];
    memset(slots->x, 0,
           mr_pass_source_length(solver->rank.info) * slots->width *
               mr_rank_value_bytes(solver->rank.options));
    for (unsigned j = 0; j < slots->width; j++) {
        begin_slot(solver, j, j < n ? &teleports[j] : NULL, j < n ? &outcomes[j] : NULL);
    }
    if (slots->acceleration_rows != NULL) {
        mr_acceleration_rows_begin(slots->acceleration_rows, slots->width);
    }
    solver->n_passes = 0;
    enum mr_status status = mr_rank_run_degrees(&solver->rank, mr_slots_start, err);
    for (unsigned j = 0; j < slots->width && mr_rank_has_frontier(&solver->rank); j++) {
        struct mr_rank_sums *sums = &slots->slots[j].sums; /* a start vector adds up to 1 */
        sums->dangling += slots->slots[j].teleport != NULL ? 1 - sums->mass : 0;
        sums->mass = slots->slots[j].teleport != NULL ? 1 : 0;
    }
    if (status == MR_OK) {
        status = mr_batch_solve(solver, err);
    }
    for (unsigned j = 0; j < slots->width; j++) {
        const double sum = j < n ? outcomes[j].score_sum : 0;
        slots->slots[j].scale = mr_rank_is_normalised(&solver->rank) && sum > 0 ? 1 / sum : 1;
        solver->result->n_unconverged += j < n && !outcomes[j].converged;
    }
    if (status == MR_OK && mr_rank_has_frontier(&solver->rank)) {
        status = finish_frontier(solver, err);
    }
    return status == MR_OK ? mr_rank_run_degrees(&solver->rank, mr_slots_finish, err) : status;
}

static enum mr_status allocate(struct mr_batch_solver *solver, const char *name, uint64_t bytes,
                               void *out, struct mr_error *err)
{
    void *pointer = NULL;
    const enum mr_status status =
        mr_memory_alloc(solver->rank.context.memory, name, bytes, &pointer, err);
    memcpy(out, &pointer, sizeof pointer);
    return status;
}

static enum mr_status prepare(struct mr_batch_solver *solver, unsigned width, struct mr_error *err)
{
    const struct mr_store_info *info = solver->rank.info;
    const uint64_t length = mr_pass_source_length(info);
    const uint64_t bytes = length * width * mr_rank_value_bytes(solver->rank.options);

    enum mr_status status = allocate(solver, "rank vectors", bytes, &solver->vectors[0], err);
    if (status == MR_OK) {
        status = allocate(solver, "sums of bands",
                          (uint64_t)info->n_bands * width * sizeof *solver->rank.slots.sums,
                          &solver->rank.slots.sums, err);
    }
    for (int i = 0; i < 2 && solver->may_spread && status == MR_OK; i++) {
        status = allocate(solver, "active stripes", mr_pass_stripes(info), &solver->active[i], err);
    }
    if (solver->may_spread && status == MR_OK) {
        status = allocate(solver, "second rank vector", bytes, &solver->vectors[1], err);
    }
    if (status == MR_OK) {
        status = create_history(solver, err);
    }
    if (step_bytes(info, width, solver->rank.options) > 0 && status == MR_OK) {
        status = allocate(solver, "steps of a wave", step_bytes(info, width, solver->rank.options),
                          &solver->rank.steps, err);
    }
    const struct mr_pass_options options = pass_options(info, width, solver->rank.options);
    return status == MR_OK ? mr_pass_open(&solver->rank.context, solver->rank.store, &options,
                                          &solver->rank.pass, err)
                           : status;
}

static void release(struct mr_batch_solver *solver)
{
    struct mr_memory *memory = solver->rank.context.memory;

    mr_pass_close(solver->rank.pass);
    mr_acceleration_rows_destroy(solver->rank.slots.acceleration_rows);
    mr_memory_free(memory, solver->rank.steps);
    mr_memory_free(memory, solver->vectors[1]);
    mr_memory_free(memory, solver->active[1]);
    mr_memory_free(memory, solver->active[0]);
    mr_memory_free(memory, solver->rank.slots.sums);
    mr_memory_free(memory, solver->vectors[0]);
}

static enum mr_status run_all(struct mr_batch_solver *solver, const struct mr_teleport *teleports,
                              uint64_t n, struct mr_personalised_vector *outcomes,
                              mr_personalised_sink sink, void *sink_data, struct mr_error *err)
{
    struct mr_personalised_result *result = solver->result;
    const unsigned width = result->width;

    enum mr_status status = prepare(solver, width, err);
    for (uint64_t first = 0; first < n && status == MR_OK; first += width) {
        const unsigned count = (unsigned)mr_min_u64(width, n - first);
        status = first == 0 ? MR_OK : shrink(solver, err);
        if (status == MR_OK) {
            status = create_history(solver, err);
        }
        if (status != MR_OK) {
            break;
        }
        status = run_batch(solver, teleports + first, count, outcomes + first, err);
        if (status == MR_OK) {
            result->n_batches++;
            status =
                sink(sink_data, first, count, solver->rank.slots.width, solver->rank.slots.x, err);
        }
    }
    if (solver->rank.pass != NULL) {
        result->figures = mr_pass_get_figures(solver->rank.pass);
    }
    return status;
}

enum mr_status mr_personalised(const struct mr_context *context, struct mr_store *store,
                               const struct mr_teleport *teleports, uint64_t n,
                               const struct mr_pagerank_options *options,
                               struct mr_personalised_vector *outcomes, mr_personalised_sink sink,
                               void *sink_data, struct mr_personalised_result *result,
                               struct mr_error *err)
{
    struct mr_pagerank_options fitted = *options;
    struct mr_batch_solver solver = {
        .rank = {.context = *context,
                 .store = store,
                 .info = mr_store_get_info(store),
                 .options = &fitted},
        .result = result,
    };

    memset(result, 0, sizeof *result);
    enum mr_status status = check_options(&solver, err);
    if (status == MR_OK) {
        status = check_teleports(&solver, teleports, n, err);
    }
    if (status != MR_OK) {
        return status;
    }
    const bool is_single = options->precision == MR_PRECISION_SINGLE;
    solver.rank.tolerance = options->tolerance > 0 ? options->tolerance
                            : is_single            ? DEFAULT_TOLERANCE_SINGLE
                                                   : DEFAULT_TOLERANCE_DOUBLE;
    solver.max_passes = options->max_passes > 0 ? options->max_passes : DEFAULT_MAX_PASSES;
    solver.may_spread = n == 1 && teleports[0].weights != NULL &&
                        teleports[0].n_weights <= solver.rank.info->n_vertices / SPARSE_SHARE &&
                        options->dangling != MR_DANGLING_UNIFORM;
    solver.rank.n_core_bands = solver.rank.info->n_source_bands;
    solver.rank.slots.even = 1.0 / (double)solver.rank.info->n_vertices;
    solver.rank.slots.is_single = is_single;
    solver.rank.slots.stripe_bits = solver.rank.info->stripe_bits;
    solver.rank.slots.damping = options->damping;
    solver.rank.slots.has_weights =
        solver.rank.info->is_weighted || solver.rank.info->weighs_classes;
    result->tolerance = solver.rank.tolerance;
    result->normalised = mr_rank_is_normalised(&solver.rank);
    result->inner = options->inner > 0 ? options->inner : mr_relaxation_sweeps(solver.rank.info);
    if (solver.rank.info->n_vertices == 0 || n == 0) {
        for (uint64_t i = 0; i < n; i++) {
            outcomes[i] = (struct mr_personalised_vector){.converged = true};
        }
        return MR_OK;
    }
    status = fit(&solver, &fitted, n, err);
    if (status != MR_OK) {
        return status;
    }
    result->wave = choose_wave(solver.rank.info, &fitted);
    result->acceleration = choose_depth(&fitted);
    status = run_all(&solver, teleports, n, outcomes, sink, sink_data, err);
    release(&solver);
    if (status == MR_OK && result->n_unconverged > 0) {
        return mr_error_set(err, MR_NOT_CONVERGED,
                            "the error bound of %u of %llu vectors is above the tolerance %.2e; "
                            "raise --tolerance, or lower --damping",
                            result->n_unconverged, (unsigned long long)n, solver.rank.tolerance);
    }
    return status;
}
