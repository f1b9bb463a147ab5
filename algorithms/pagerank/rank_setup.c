/* SPDX-License-Identifier: Apache-2.0 */
/* What a ranking begins and ends with: the choices that follow from the store and the options, the
 * memory plan, and the arrays themselves. */
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/pagerank/solver.h"
#include "algorithms/pagerank/until.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

#define DEFAULT_TOLERANCE_DOUBLE 1e-9
#define DEFAULT_TOLERANCE_SINGLE 1e-5

/* ---- Choices ---- */

enum mr_status mr_rank_check(const struct mr_pagerank_options *options, struct mr_error *err)
{
    if (!(options->damping >= 0 && options->damping < 1)) {
        return mr_error_set(err, MR_ERROR_USAGE, "damping %g must be at least 0 and below 1",
                            options->damping);
    }
    if (!(options->tolerance >= 0)) {
        return mr_error_set(err, MR_ERROR_USAGE, "tolerance %g must be above 0",
                            options->tolerance);
    }
    if (options->acceleration > MR_ACCELERATION_MAX_DEPTH &&
        options->acceleration != MR_ACCELERATION_AUTO) {
        return mr_error_set(err, MR_ERROR_USAGE, "acceleration of depth %llu; at most %u",
                            (unsigned long long)options->acceleration, MR_ACCELERATION_MAX_DEPTH);
    }
    return MR_OK;
}

const char *const mr_dangling_words[] = {"teleport", "uniform", "none"};

bool mr_dangling_of(const char *word, enum mr_dangling *rule)
{
    unsigned i = 0;

    while (i <= MR_DANGLING_NONE && word != NULL && strcmp(word, mr_dangling_words[i]) != 0) {
        i++;
    }
    *rule = i <= MR_DANGLING_NONE ? (enum mr_dangling)i : MR_DANGLING_TELEPORT;
    return i <= MR_DANGLING_NONE;
}

double mr_rank_tolerance(const struct mr_pagerank_options *options)
{
    return options->tolerance > 0                      ? options->tolerance
           : options->precision == MR_PRECISION_SINGLE ? DEFAULT_TOLERANCE_SINGLE
                                                       : DEFAULT_TOLERANCE_DOUBLE;
}

/* Where nothing is said, what takes the least memory. */
unsigned mr_rank_depth(const struct mr_pagerank_options *options)
{
    return options->iterations > 0 || options->acceleration == MR_ACCELERATION_AUTO
               ? 0
               : (unsigned)options->acceleration;
}

/* Slow errors change by 1 - damping of themselves in a pass. What the acceleration remembers must
 * tell that from nothing, and a pass makes one sweep: two would also hide an error that one sweep
 * turns round and the next one turns back. */
static bool has_slow_errors(const struct mr_pagerank_options *options)
{
    return options->damping >= 0.99;
}

/* Where nothing is said, what takes the least memory. */
static bool has_rows(const struct mr_pagerank_options *options)
{
    return options->iterations == 0 && options->inner != MR_RANK_NO_ROWS &&
           (options->inner > 0 || options->acceleration != MR_ACCELERATION_AUTO);
}

unsigned mr_rank_sweeps(const struct mr_store_info *info, const struct mr_pagerank_options *options)
{
    return options->iterations > 0    ? 1
           : !has_rows(options)       ? 0
           : options->inner > 0       ? (unsigned)options->inner
           : has_slow_errors(options) ? 1
                                      : mr_relaxation_sweeps(info);
}

uint32_t mr_rank_wave(const struct mr_store_info *info, const struct mr_pagerank_options *options)
{
    return options->iterations > 0       ? 0
           : mr_rank_depth(options) == 0 ? mr_relaxation_narrow_wave(info)
                                         : mr_relaxation_wave(info);
}

static uint32_t core_bands(const struct mr_store_info *info,
                           const struct mr_pagerank_options *options)
{
    return options->iterations > 0 ? info->n_bands : info->n_source_bands;
}

/* ---- Memory ---- */

/* Vertices that have values while the solver runs. */
static uint64_t length_of(const struct mr_store_info *info,
                          const struct mr_pagerank_options *options)
{
    return (uint64_t)core_bands(info, options) << info->band_bits;
}

/* Of the steps of a wave: without acceleration, which has room for those of all bands. */
static uint64_t step_bytes(const struct mr_store_info *info,
                           const struct mr_pagerank_options *options)
{
    return options->iterations > 0 || mr_rank_depth(options) > 0
               ? 0
               : ((uint64_t)mr_rank_wave(info, options) << info->band_bits) * sizeof(float);
}

static uint64_t history_bytes(const struct mr_store_info *info,
                              const struct mr_pagerank_options *options)
{
    const unsigned depth = mr_rank_depth(options);
    const uint32_t n_bands = core_bands(info, options);
    return mr_acceleration_memory(depth, has_slow_errors(options), length_of(info, options),
                                  n_bands);
}

uint64_t mr_rank_frontier_bytes(const struct mr_store_info *info,
                                const struct mr_pagerank_options *options)
{
    return (mr_pass_vector_length(info) - length_of(info, options)) * mr_rank_value_bytes(options);
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

bool mr_rank_may_stream(const struct mr_store_info *info, const struct mr_pagerank_options *options)
{
    return options->may_stream && options->until == MR_UNTIL_TOLERANCE &&
           mr_rank_frontier_bytes(info, options) > 0;
}

static struct mr_pass_options pass_options(const struct mr_store_info *info,
                                           const struct mr_pagerank_options *options,
                                           bool is_personal)
{
    const uint64_t frontier = mr_rank_frontier_bytes(info, options);
    const uint64_t history = history_bytes(info, options);
    const uint64_t scores =
        mr_rank_may_stream(info, options) || frontier <= history ? 0 : frontier - history;
    return (struct mr_pass_options){
        .no_pinning = options->no_pinning,
        .decode_pinned = true,
        .relaxes = options->iterations == 0,
        .sweeps = has_rows(options),
        .leave_bytes = until_bytes(info, options) + scores,
        .may_skip = is_personal,
        .scales_weights = true,
    };
}

uint64_t mr_rank_minimum_memory(struct mr_store *store, const struct mr_pagerank_options *options,
                                bool is_personal)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const struct mr_pass_options pass = pass_options(info, options, is_personal);
    const struct mr_pass_options plain = {0};
    /* A personal vector may need a second copy and its active stripes. */
    const bool may_spread = is_personal && options->dangling != MR_DANGLING_UNIFORM;
    const uint64_t copies = options->iterations > 0 || may_spread ? 2 : 1;
    const uint64_t solving = mr_pass_least_memory(store, &pass, 1) + step_bytes(info, options);
    const uint64_t history = history_bytes(info, options);
    const uint64_t scores = mr_rank_frontier_bytes(info, options);
    uint64_t work = solving + mr_max_u64(history, scores);
    if (mr_rank_may_stream(info, options)) {
        const uint64_t stream =
            mr_pass_least_memory(store, &plain, 1) + mr_rank_stream_memory(info);
        work = mr_min_u64(work, mr_max_u64(solving + history, stream));
    }
    return MR_MEMORY_RESERVE_BYTES +
           copies * length_of(info, options) * mr_rank_value_bytes(options) + work +
           (is_personal ? 2 * mr_pass_stripes(info) : 0) + until_vectors(info, options) +
           until_bytes(info, options) + info->n_bands * sizeof(struct mr_rank_sums) +
           info->index_bytes;
}

/* Bytes that each depth needs with these options: the best one with all links and rows in memory,
 * and another one above 0 with two thirds of them, where rows are left to the solver.
 * `*second_thread`: what a second thread adds. */
static void find_needs(struct mr_store *store, const struct mr_pagerank_options *given,
                       bool is_personal, uint64_t needs[MR_RELAXATION_DEPTHS],
                       uint64_t *second_thread)
{
    struct mr_pagerank_options options = *given;
    const uint64_t pinned = given->no_pinning ? 0 : mr_pass_pinned_memory(store, true);

    for (unsigned i = 0; i < MR_RELAXATION_DEPTHS; i++) {
        options.acceleration = mr_relaxation_depths[i];
        needs[i] = mr_rank_minimum_memory(store, &options, is_personal);
        needs[i] += i == 0                                          ? pinned
                    : given->inner == 0 && options.acceleration > 0 ? pinned / 3 * 2
                                                                    : 0;
    }
    const struct mr_pass_options pass =
        pass_options(mr_store_get_info(store), &options, is_personal);
    *second_thread = mr_pass_least_memory(store, &pass, 2) - mr_pass_least_memory(store, &pass, 1);
}

/* A stream of scores reads the links of the frontier again, piece by piece: where there is room for
 * all scores, there is none. */
static void avoid_stream(const struct mr_context *context, struct mr_store *store,
                         struct mr_pagerank_options *options, bool is_personal)
{
    const uint64_t available = mr_ranking_available(context, mr_store_get_info(store));
    struct mr_pagerank_options whole = *options;

    whole.may_stream = false;
    options->may_stream =
        options->may_stream && mr_rank_minimum_memory(store, &whole, is_personal) > available;
}

enum mr_status mr_rank_fit_depth(const struct mr_context *context, struct mr_store *store,
                                 struct mr_pagerank_options *options, bool is_personal,
                                 struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    uint64_t needs[MR_RELAXATION_DEPTHS], second_thread;

    avoid_stream(context, store, options, is_personal);
    if (options->acceleration != MR_ACCELERATION_AUTO || options->iterations > 0) {
        return mr_ranking_require(context, info,
                                  mr_rank_minimum_memory(store, options, is_personal), err);
    }
    find_needs(store, options, is_personal, needs, &second_thread);
    const uint64_t best_needs = needs[0] + second_thread;
    unsigned depth = mr_relaxation_fit(context, info, needs, second_thread);
    if (depth == mr_relaxation_depths[MR_RELAXATION_DEPTHS - 1] && options->inner == 0) {
        options->inner = MR_RANK_NO_ROWS;
        find_needs(store, options, is_personal, needs, &second_thread);
        needs[0] = UINT64_MAX;
        depth = mr_relaxation_fit(context, info, needs, second_thread);
    }
    const enum mr_status status =
        mr_ranking_require(context, info, needs[MR_RELAXATION_DEPTHS - 1], err);
    if (status == MR_OK && depth != mr_relaxation_depths[0]) {
        mr_relaxation_note(context, depth, best_needs);
    }
    options->acceleration = depth;
    return status;
}

/* ---- Arrays ---- */

static enum mr_status allocate(struct mr_rank_solver *solver, const char *name, uint64_t bytes,
                               void *out, struct mr_error *err)
{
    return mr_memory_alloc_array(solver->context.memory, name, bytes, 1, out, err);
}

enum mr_status mr_rank_remember(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_rank_shares *vector = &solver->vector;
    const unsigned depth = mr_rank_depth(solver->options);
    return depth == 0 || vector->acceleration != NULL
               ? MR_OK
               : mr_acceleration_create(&solver->context, depth, has_slow_errors(solver->options),
                                        mr_rank_length(solver), solver->n_core_bands,
                                        vector->is_single, &vector->acceleration, err);
}

void mr_rank_forget(struct mr_rank_solver *solver)
{
    mr_acceleration_destroy(solver->vector.acceleration);
    solver->vector.acceleration = NULL;
}

/* No power of two brings weights this far apart into the range in which steps are kept. */
static enum mr_status check_weights(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_weights_figures *weights = &solver->info->weights;
    return (double)weights->most * mr_pass_weight_scale(solver->info) > MR_PASS_WEIGHT_MOST
               ? mr_error_file(err, MR_ERROR_INPUT, mr_store_path(solver->store), 0,
                               "has weights from %g to %g, too far apart to be ranked by; build it "
                               "again without the smallest, or rank without --weights",
                               (double)weights->least, (double)weights->most)
               : MR_OK;
}

enum mr_status mr_rank_prepare(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_store_info *info = solver->info;
    const struct mr_pagerank_options *options = solver->options;
    const bool has_rounds = solver->may_spread || options->iterations > 0;
    struct mr_rank_shares *vector = &solver->vector;

    solver->n_core_bands = core_bands(info, options);
    solver->tolerance = mr_rank_tolerance(options);
    solver->max_passes = options->max_passes > 0 ? options->max_passes : MR_PAGERANK_MAX_PASSES;
    solver->vector_bytes = mr_rank_length(solver) * mr_rank_value_bytes(options);
    vector->is_single = options->precision == MR_PRECISION_SINGLE;
    vector->stripe_bits = info->stripe_bits;
    vector->damping = options->damping;
    vector->has_weights = info->is_weighted || info->weighs_classes;
    vector->even = options->heritrix ? 1.0 : 1.0 / (double)info->n_vertices;
    enum mr_status status = check_weights(solver, err);
    if (status == MR_OK) {
        status = allocate(solver, "rank vector", solver->vector_bytes, &solver->vectors[0], err);
    }
    if (status == MR_OK) {
        status =
            allocate(solver, "sums of bands", (uint64_t)info->n_bands * sizeof *vector->band_sums,
                     &vector->band_sums, err);
    }
    for (int i = 0; i < 2 && solver->may_spread && status == MR_OK; i++) {
        status = allocate(solver, "active stripes", mr_pass_stripes(info), &solver->active[i], err);
    }
    if (status == MR_OK && has_rounds) {
        status =
            allocate(solver, "second rank vector", solver->vector_bytes, &solver->vectors[1], err);
    }
    if (status == MR_OK) {
        status = mr_rank_remember(solver, err);
    }
    if (status == MR_OK && step_bytes(info, options) > 0) {
        status =
            allocate(solver, "steps of a wave", step_bytes(info, options), &solver->steps, err);
    }
    vector->x = solver->vectors[0];
    vector->next = solver->vectors[1];
    return status;
}

enum mr_status mr_rank_open_pass(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pass_options wishes =
        pass_options(solver->info, solver->options, solver->is_personal);
    return mr_pass_open(&solver->context, solver->store, &wishes, &solver->pass, err);
}

/* The last reading of the frontier's links. The scores go behind the shares of the core, which are
 * still needed, in the place of the history. */
static enum mr_status finish_frontier(struct mr_rank_solver *solver, struct mr_error *err)
{
    const unsigned at = solver->vector.x == solver->vectors[0] ? 0 : 1;
    const uint64_t bytes =
        mr_pass_vector_length(solver->info) * mr_rank_value_bytes(solver->options);
    mr_rank_forget(solver);
    const enum mr_status status =
        mr_memory_resize(solver->context.memory, "scores", &solver->vectors[at], bytes, err);
    solver->vector.x = solver->vectors[at];
    return status == MR_OK ? mr_rank_run_frontier(solver, false, mr_vector_finish_frontier, err)
                           : status;
}

enum mr_status mr_rank_finish(struct mr_rank_solver *solver, struct mr_error *err)
{
    const enum mr_status status =
        mr_rank_has_frontier(solver) ? finish_frontier(solver, err) : MR_OK;
    return status == MR_OK ? mr_rank_run_degrees(solver, mr_vector_finish, err) : status;
}

void mr_rank_close_pass(struct mr_rank_solver *solver)
{
    mr_pass_close(solver->pass);
    mr_memory_free(solver->context.memory, solver->steps);
    solver->pass = NULL;
    solver->steps = NULL;
}

void mr_rank_release(struct mr_rank_solver *solver)
{
    struct mr_memory *memory = solver->context.memory;
    mr_rank_forget(solver);
    mr_rank_close_pass(solver);
    for (int i = 0; i < 2; i++) {
        mr_memory_free(memory, solver->active[i]);
        mr_memory_free(memory, solver->vectors[i]);
    }
    mr_memory_free(memory, solver->vector.band_sums);
}
