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

/* What share of the foretold bound a vector's certificate is expected to find, before its first.
 * One that fails costs the whole batch passes, and its own vector the acceleration: eight seeds of
 * kron-22 to 1e-9 took 29 passes with 0.5, as one vector has it, 27 with 0.75 and 26 with 1; alone
 * 18 to 28 passes with 0.5, 18 to 25 with 1. */
#define FIRST_RATIO 1.0

/* A teleport vector with entries for more than a sixteenth of the vertices is not spread from. */
#define SPARSE_SHARE 16

/* ---- Choices ---- */

uint64_t mr_personalised_minimum_memory(struct mr_store *store, unsigned width,
                                        const struct mr_pagerank_options *options)
{
    return mr_rank_minimum_memory(store, options, width);
}

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
static enum mr_status fit(struct mr_batch_solver *solver, struct mr_pagerank_options *options,
                          uint64_t n, struct mr_error *err)
{
    const struct mr_store_info *info = solver->rank.info;
    const uint64_t available = mr_ranking_available(&solver->rank.context, info);
    struct mr_pagerank_options best = *options;
    unsigned width = power_of_two(n);
    if (best.acceleration == 0) {
        mr_rank_set_best_depth(&best);
    }
    if (options->width > 0) {
        width = options->width < width ? options->width : width;
    }
    while (options->width == 0 && width > 1 &&
           mr_rank_minimum_memory(solver->rank.store, &best, width) > available) {
        width /= 2;
    }
    solver->rank.batch = solver->result->width = width;
    return mr_rank_fit_depth(&solver->rank.context, solver->rank.store, options, width, err);
}

/* ---- Checks ---- */

static enum mr_status check_options(const struct mr_batch_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_options *o = solver->rank.options;
    const unsigned w = o->width;
    if (o->iterations > 0 || o->heritrix || o->teleport != NULL || o->start != NULL ||
        o->until != MR_UNTIL_TOLERANCE || o->may_stream || o->hooks != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE, "an option of one vector, given for several");
    }
    if (w > MR_RANK_MAX_WIDTH || (w & (w - 1)) != 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%u vectors side by side; it can be 1, 2, 4, 8 or %u", w,
                            MR_RANK_MAX_WIDTH);
    }
    return mr_rank_check(o, err);
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

static enum mr_status run_batch(struct mr_batch_solver *solver, const struct mr_teleport *teleports,
                                unsigned n, struct mr_personalised_vector *outcomes,
                                struct mr_error *err)
{
    struct mr_slots *slots = &solver->rank.slots;

    slots->width = power_of_two(n);
    slots->any_still = false;
    slots->x = solver->rank.vectors[0];
    slots->next = solver->may_spread ? solver->rank.vectors[1] : NULL;
    slots->active = solver->rank.active[0];
    slots->next_active = solver->rank.active[1];
    memset(slots->x, 0, solver->rank.vector_bytes / solver->rank.batch * slots->width);
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
    return status == MR_OK ? mr_rank_finish(&solver->rank, err) : status;
}

static enum mr_status run_all(struct mr_batch_solver *solver, const struct mr_teleport *teleports,
                              uint64_t n, struct mr_personalised_vector *outcomes,
                              mr_personalised_sink sink, void *sink_data, struct mr_error *err)
{
    struct mr_personalised_result *result = solver->result;
    const unsigned width = result->width;

    enum mr_status status = mr_rank_prepare(&solver->rank, solver->may_spread, err);
    if (status == MR_OK) {
        status = mr_rank_open_pass(&solver->rank, err);
    }
    for (uint64_t first = 0; first < n && status == MR_OK; first += width) {
        const unsigned count = (unsigned)mr_min_u64(width, n - first);
        if (first > 0) { /* scores took the place of the history */
            status = mr_memory_resize(solver->rank.context.memory, "rank vectors",
                                      &solver->rank.vectors[0], solver->rank.vector_bytes, err);
        }
        if (status == MR_OK) {
            status = mr_rank_remember(&solver->rank, err);
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
    solver.rank.tolerance = mr_rank_tolerance(options);
    solver.max_passes = options->max_passes > 0 ? options->max_passes : MR_PAGERANK_MAX_PASSES;
    solver.may_spread = n == 1 && teleports[0].weights != NULL &&
                        teleports[0].n_weights <= solver.rank.info->n_vertices / SPARSE_SHARE &&
                        options->dangling != MR_DANGLING_UNIFORM;
    result->tolerance = solver.rank.tolerance;
    result->normalised = mr_rank_is_normalised(&solver.rank);
    result->inner = mr_rank_sweeps(solver.rank.info, options);
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
    result->wave = mr_rank_wave(solver.rank.info, &fitted);
    result->acceleration = mr_rank_depth(&fitted);
    status = run_all(&solver, teleports, n, outcomes, sink, sink_data, err);
    mr_rank_release(&solver.rank);
    if (status == MR_OK && result->n_unconverged > 0) {
        return mr_error_set(err, MR_NOT_CONVERGED,
                            "the error bound of %u of %llu vectors is above the tolerance %.2e; "
                            "raise --tolerance, or lower --damping",
                            result->n_unconverged, (unsigned long long)n, solver.rank.tolerance);
    }
    return status;
}
