/* SPDX-License-Identifier: Apache-2.0 */
/* One batch of vectors: rounds until each vector's certificate holds. A vector stops to move when
 * its bound is foretold to hold; when all stand still, one pass certifies them together. */
#include "algorithms/personalised/personalised_solver.h"

#include <math.h>

#include "algorithms/base/relaxation.h"

enum { PATIENCE = 3 };

/* ---- Passes ---- */

/* Bytes of the core's blocks that a pass with these active stripes wants; NULL: all. */
static uint64_t active_bytes(const struct mr_batch_solver *solver, const uint8_t *active)
{
    const struct mr_block_entry *blocks = mr_store_link_blocks(solver->rank.store);
    const struct mr_band_entry *bands = mr_store_bands(solver->rank.store);
    const uint64_t end = bands[solver->rank.info->n_source_bands - 1].end_block;
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < end; i++) {
        bool any = active == NULL;
        for (uint32_t s = blocks[i].first; !any && s <= blocks[i].last; s++) {
            any = active[s] != 0;
        }
        bytes += any ? blocks[i].stored_bytes : 0;
    }
    return bytes;
}

/* A pass is over that read links. */
static void count_pass(struct mr_batch_solver *solver, const uint8_t *active)
{
    struct mr_personalised_result *result = solver->result;
    solver->n_passes++;
    if (result->n_traced < MR_PERSONALISED_TRACE) {
        result->trace_bytes[result->n_traced++] = active_bytes(solver, active);
    }
}

static void report(const struct mr_batch_solver *solver)
{
    const struct mr_context *context = &solver->rank.context;
    double worst = 0;
    if (context->progress == NULL) {
        return;
    }
    for (unsigned j = 0; j < solver->rank.slots.width; j++) {
        const struct mr_slot_progress *p = &solver->progress[j];
        if (p->outcome != NULL) {
            worst = fmax(worst, p->is_final ? p->outcome->error_bound : p->ratio * p->foretold);
        }
    }
    const struct mr_pass_figures figures = mr_pass_get_figures(solver->rank.pass);
    struct mr_progress progress = {
        .stage = "rank",
        .done = figures.passes + figures.partial_passes,
        .unit = "passes",
        .edges = figures.edge_visits,
        .bytes = figures.bytes_read + figures.degree_bytes_read,
        .passes = (unsigned)(figures.passes + figures.partial_passes),
        .error_bound = worst,
    };
    context->progress(context->progress_data, &progress);
}

/* ---- Certificates ---- */

static enum mr_status certify(struct mr_batch_solver *solver, struct mr_error *err)
{
    const struct mr_slots *slots = &solver->rank.slots;
    struct mr_rank_proof proofs[MR_RANK_MAX_WIDTH];
    const enum mr_status status = mr_rank_prove(&solver->rank, proofs, err);
    if (status != MR_OK) {
        return status;
    }
    count_pass(solver, slots->next != NULL ? slots->active : NULL);
    for (unsigned j = 0; j < slots->width; j++) {
        struct mr_personalised_vector *outcome = solver->progress[j].outcome;
        if (outcome != NULL && !solver->progress[j].is_final) {
            outcome->residual = proofs[j].residual;
            outcome->rounding_bound = proofs[j].rounding_bound;
            outcome->error_bound = proofs[j].error_bound;
            outcome->score_sum = proofs[j].score_sum;
            outcome->converged = outcome->error_bound <= solver->rank.tolerance;
        }
    }
    return MR_OK;
}

/* After a certificate: who is done, who goes on. */
static void judge(struct mr_batch_solver *solver)
{
    const bool is_over = solver->n_passes >= solver->max_passes;

    solver->rank.slots.any_still = false;
    for (unsigned j = 0; j < solver->rank.slots.width; j++) {
        struct mr_slot_progress *p = &solver->progress[j];
        struct mr_slot *slot = &solver->rank.slots.slots[j];
        if (p->outcome != NULL && !p->is_final) {
            const double bound = p->outcome->error_bound;
            p->failures = !(bound <= 0.9 * p->best) ? p->failures + 1 : 0;
            p->best = fmin(p->best, bound);
            p->is_final = p->outcome->converged || p->failures == PATIENCE || is_over;
            if (slot->is_still && !p->is_final && solver->rank.slots.acceleration_rows != NULL) {
                mr_acceleration_rows_restart(solver->rank.slots.acceleration_rows, j);
            }
            slot->is_still = p->is_final;
            if (p->foretold > 0) {
                const double seen = (bound - p->outcome->rounding_bound) / p->foretold;
                p->ratio = fmin(1, fmax(p->ratio, seen));
            }
        }
        solver->rank.slots.any_still |= slot->is_still;
    }
}

/* ---- Rounds ---- */

/* Each vector that still moves, from G(x) to the accelerated next x. */
static void accelerate(struct mr_batch_solver *solver)
{
    struct mr_slots *slots = &solver->rank.slots;
    bool moves[MR_RANK_MAX_WIDTH], any = false;

    for (unsigned j = 0; j < slots->width; j++) {
        const struct mr_slot *slot = &slots->slots[j];
        struct mr_slot_progress *p = &solver->progress[j];
        moves[j] = !slot->is_still;
        if (moves[j] && slot->sums.change > p->last_change) {
            mr_acceleration_rows_restart(slots->acceleration_rows, j);
            p->pause = mr_relaxation_pause(p->harms++);
        }
        if (moves[j]) {
            p->last_change = slot->sums.change;
        }
        if (moves[j] && p->pause > 0) {
            p->pause--;
            moves[j] = false;
            mr_acceleration_rows_restart(slots->acceleration_rows, j);
        }
        any |= moves[j];
    }
    if (any) {
        mr_acceleration_rows_step(slots->acceleration_rows, slots->x, moves);
    }
}

/* One round of all vectors that move: synchronous while few blocks are wanted, else relaxing. */
static enum mr_status advance(struct mr_batch_solver *solver, struct mr_error *err)
{
    struct mr_slots *slots = &solver->rank.slots;
    enum mr_status status;

    if (slots->next != NULL &&
        2 * active_bytes(solver, slots->active) >= active_bytes(solver, NULL)) {
        slots->next = NULL;
    }
    mr_rank_set_terms(&solver->rank, true);
    if (slots->next == NULL) {
        struct mr_pass_task relax = {
            .relax = true,
            .wave = solver->result->wave,
            .sweeps = solver->result->inner,
            .terms = mr_slots_terms,
            .steps = solver->rank.steps != NULL
                         ? solver->rank.steps
                         : mr_acceleration_rows_difference(slots->acceleration_rows),
            .steps_of_wave = solver->rank.steps != NULL};
        slots->relaxation = mr_relaxation_reach(solver->rank.info);
        status = mr_rank_run(&solver->rank, &relax, mr_slots_relax, err);
        if (status != MR_OK) {
            return status;
        }
        count_pass(solver, NULL);
        if (slots->acceleration_rows != NULL) {
            accelerate(solver);
        }
        return MR_OK;
    }
    slots->relaxation = 1;
    struct mr_pass_task spread = {.active_stripes = slots->active};
    status = mr_rank_run(&solver->rank, &spread, mr_slots_iterate, err);
    if (status != MR_OK) {
        return status;
    }
    count_pass(solver, slots->active);
    void *old = slots->x;
    uint8_t *active = slots->active;
    slots->x = slots->next;
    slots->next = old;
    slots->active = slots->next_active;
    slots->next_active = active;
    return MR_OK;
}

/* Those whose bound is foretold to hold stand still from here on. True when all do. */
static bool halt(struct mr_batch_solver *solver)
{
    const double a = solver->rank.options->damping;
    bool all = true;

    for (unsigned j = 0; j < solver->rank.slots.width; j++) {
        struct mr_slot *slot = &solver->rank.slots.slots[j];
        struct mr_slot_progress *p = &solver->progress[j];
        if (slot->is_still) {
            continue;
        }
        const double mass = mr_rank_is_normalised(&solver->rank) ? slot->sums.mass : 1;
        p->foretold = (mr_rank_is_normalised(&solver->rank) ? 2 : 1) * a * slot->sums.change /
                      ((1 - a) * mass);
        slot->is_still = !(p->ratio * p->foretold > solver->rank.tolerance);
        if (slot->is_still) {
            p->outcome->passes = solver->n_passes;
        }
        solver->rank.slots.any_still |= slot->is_still;
        all = all && slot->is_still;
    }
    return all;
}

static bool all_final(const struct mr_batch_solver *solver)
{
    for (unsigned j = 0; j < solver->rank.slots.width; j++) {
        if (solver->progress[j].outcome != NULL && !solver->progress[j].is_final) {
            return false;
        }
    }
    return true;
}

enum mr_status mr_batch_solve(struct mr_batch_solver *solver, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    while (!all_final(solver)) {
        bool is_due = solver->max_passes == 1;
        if (!is_due) {
            status = advance(solver, err);
            if (status != MR_OK) {
                return status;
            }
            mr_rank_add_implied_mass(&solver->rank);
            is_due = halt(solver) || solver->n_passes + 1 >= solver->max_passes;
            report(solver);
        }
        if (is_due) {
            status = certify(solver, err);
            if (status != MR_OK) {
                return status;
            }
            judge(solver);
            report(solver);
        }
    }
    return status;
}
