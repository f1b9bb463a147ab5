/* SPDX-License-Identifier: Apache-2.0 */
/* One batch of vectors: rounds until each vector's certificate holds. A vector stops to move when
 * its bound is foretold to hold; when all stand still, one pass certifies them together. */
#include "algorithms/personalised/personalised_solver.h"

#include <math.h>

#include "algorithms/base/relaxation.h"

enum { PATIENCE = 3 };

/* ---- Passes ---- */

static bool spreads_dangling(const struct mr_slot_solver *solver, const struct mr_slot *slot)
{
    return solver->options->dangling == MR_DANGLING_UNIFORM && slot->teleport->weights != NULL;
}

/* Bytes of the core's blocks that a pass with these active stripes wants; NULL: all. */
static uint64_t active_bytes(const struct mr_slot_solver *solver, const uint8_t *active)
{
    const struct mr_block_entry *blocks = mr_store_link_blocks(solver->store);
    const struct mr_band_entry *bands = mr_store_bands(solver->store);
    const uint64_t end = bands[solver->info->n_source_bands - 1].end_block;
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

static enum mr_status run_bands(struct mr_slot_solver *solver, struct mr_pass_task *run,
                                mr_pass_callback callback, uint32_t first, uint32_t end,
                                struct mr_error *err)
{
    run->value = mr_slot_value(solver->options);
    run->width = solver->slots.width;
    run->x = solver->slots.x;
    run->callback = callback;
    run->callback_data = &solver->slots;
    run->first_band = first;
    run->end_band = end;
    const enum mr_status status = mr_pass_run(solver->pass, run, err);
    mr_slots_add_up(&solver->slots, first, end);
    return status;
}

enum mr_status mr_slots_run_frontier(struct mr_slot_solver *solver, struct mr_pass_task *run,
                                     mr_pass_callback callback, struct mr_error *err)
{
    return run_bands(solver, run, callback, solver->info->n_source_bands, solver->info->n_bands,
                     err);
}

enum mr_status mr_slots_run(struct mr_slot_solver *solver, struct mr_pass_task *run,
                            mr_pass_callback callback, struct mr_error *err)
{
    struct mr_personalised_result *result = solver->result;
    run->out_degrees = true;
    const enum mr_status status =
        run_bands(solver, run, callback, 0, solver->info->n_source_bands, err);
    if (status == MR_OK && !run->degrees_only) {
        solver->n_passes++;
        if (result->n_traced < MR_PERSONALISED_TRACE) {
            result->trace_bytes[result->n_traced++] = active_bytes(solver, run->active_stripes);
        }
    }
    return status;
}

/* Terms of `rank = scale t + constant + a acc`, as set_terms of pagerank.c. */
static void set_terms(struct mr_slot_solver *solver, bool fixed_scale)
{
    const double a = solver->options->damping, n = (double)solver->info->n_vertices;
    for (unsigned j = 0; j < solver->slots.width; j++) {
        struct mr_slot *slot = &solver->slots.slots[j];
        const double mass = slot->sums.mass, dangling = slot->sums.dangling;
        slot->teleport_scale = slot->constant = 0;
        if (slot->teleport == NULL) {
            continue;
        }
        if (solver->options->dangling == MR_DANGLING_NONE) {
            slot->teleport_scale = 1 - a;
        } else if (mr_slots_have_frontier(solver)) { /* all scores add up to 1 */
            slot->teleport_scale = 1 - a;
            const double spread = fixed_scale ? dangling : 1 - (mass - dangling);
            slot->constant = spreads_dangling(solver, slot) ? a * spread / n : 0;
        } else if (spreads_dangling(solver, slot)) {
            slot->teleport_scale = (1 - a) * mass;
            slot->constant = a * dangling / n;
        } else {
            slot->teleport_scale = fixed_scale ? 1 - a : mass - a * (mass - dangling);
        }
        if (slot->teleport->weights == NULL) {
            slot->constant = slot->teleport_scale * (1.0 / n);
        }
    }
}

static void report(const struct mr_slot_solver *solver)
{
    const struct mr_context *context = solver->context;
    double worst = 0;
    if (context->progress == NULL) {
        return;
    }
    for (unsigned j = 0; j < solver->slots.width; j++) {
        const struct mr_slot_progress *p = &solver->progress[j];
        if (p->outcome != NULL && !p->is_final) {
            worst = fmax(worst, p->ratio * p->foretold);
        }
    }
    const struct mr_pass_figures figures = mr_pass_get_figures(solver->pass);
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

/* What the latest certifying pass proves of slot j. */
static void prove(const struct mr_slot_solver *solver, unsigned j, double dangling)
{
    const struct mr_slot *slot = &solver->slots.slots[j];
    struct mr_personalised_vector *outcome = solver->progress[j].outcome;
    const struct mr_certificate_rules rules = {
        .damping = solver->options->damping,
        .is_normalised = mr_slots_are_normalised(solver),
        .spreads_dangling = spreads_dangling(solver, slot),
        .is_single = solver->slots.is_single,
        .corner_shares = mr_certificate_corner_shares(solver->store, solver->slots.sums + j,
                                                      solver->slots.width),
    };
    const struct mr_certificate proven = mr_certify(&rules, &slot->sums, dangling);
    outcome->residual = proven.residual;
    outcome->rounding_bound = proven.rounding_bound;
    outcome->error_bound = proven.error_bound;
    outcome->score_sum = slot->sums.mass;
    outcome->converged = outcome->error_bound <= solver->tolerance;
}

/* The frontier's share of the sums, as add_frontier of pagerank/prove.c. */
static enum mr_status add_frontier(struct mr_slot_solver *solver, struct mr_error *err)
{
    struct mr_slots *slots = &solver->slots;
    struct mr_pass_task task = {.in_degrees = true,
                                .active_stripes = slots->next != NULL ? slots->active : NULL};
    struct mr_rank_sums core[MR_PERSONALISED_MAX_WIDTH];

    for (unsigned j = 0; j < slots->width; j++) {
        core[j] = slots->slots[j].sums;
    }
    const enum mr_status status =
        mr_slots_run_frontier(solver, &task, mr_slots_certify_frontier, err);
    for (unsigned j = 0; j < slots->width; j++) {
        struct mr_slot *slot = &slots->slots[j];
        const double frontier = slot->sums.mass, rounding = slot->sums.rounding;
        slot->sums = core[j];
        slot->sums.mass += frontier;
        slot->sums.dangling += frontier;
        slot->sums.rounding += rounding;
        if (slot->teleport != NULL && spreads_dangling(solver, slot)) {
            slot->sums.residual += fabs(slot->sums.mass - 1);
        }
    }
    return status;
}

static enum mr_status certify(struct mr_slot_solver *solver, struct mr_error *err)
{
    struct mr_slots *slots = &solver->slots;
    double dangling[MR_PERSONALISED_MAX_WIDTH] = {0};
    struct mr_pass_task measure = {.degrees_only = true};
    struct mr_pass_task job = {.in_degrees = true,
                               .active_stripes = slots->next != NULL ? slots->active : NULL};

    enum mr_status status = mr_slots_run(solver, &measure, mr_slots_measure, err);
    if (status != MR_OK) {
        return status;
    }
    for (unsigned j = 0; j < slots->width; j++) {
        dangling[j] = slots->slots[j].sums.dangling;
    }
    set_terms(solver, false);
    status = mr_slots_run(solver, &job, mr_slots_certify, err);
    for (unsigned j = 0; j < slots->width; j++) {
        slots->slots[j].sums.dangling = dangling[j];
    }
    if (status == MR_OK && mr_slots_have_frontier(solver)) {
        status = add_frontier(solver, err);
    }
    for (unsigned j = 0; j < slots->width && status == MR_OK; j++) {
        if (solver->progress[j].outcome != NULL && !solver->progress[j].is_final) {
            prove(solver, j, slots->slots[j].sums.dangling);
        }
    }
    return status;
}

/* After a certificate: who is done, who goes on. */
static void judge(struct mr_slot_solver *solver)
{
    const bool is_over = solver->n_passes >= solver->max_passes;

    solver->slots.any_still = false;
    for (unsigned j = 0; j < solver->slots.width; j++) {
        struct mr_slot_progress *p = &solver->progress[j];
        struct mr_slot *slot = &solver->slots.slots[j];
        if (p->outcome != NULL && !p->is_final) {
            const double bound = p->outcome->error_bound;
            p->failures = !(bound <= 0.9 * p->best) ? p->failures + 1 : 0;
            p->best = fmin(p->best, bound);
            p->is_final = p->outcome->converged || p->failures == PATIENCE || is_over;
            if (slot->is_still && !p->is_final && solver->slots.acceleration != NULL) {
                mr_acceleration_rows_restart(solver->slots.acceleration, j);
            }
            slot->is_still = p->is_final;
            if (p->foretold > 0) {
                const double seen = (bound - p->outcome->rounding_bound) / p->foretold;
                p->ratio = fmin(1, fmax(p->ratio, seen));
            }
        }
        solver->slots.any_still |= slot->is_still;
    }
}

/* ---- Rounds ---- */

/* Each vector that still moves, from G(x) to the accelerated next x. */
static void accelerate(struct mr_slot_solver *solver)
{
    struct mr_slots *slots = &solver->slots;
    bool moves[MR_PERSONALISED_MAX_WIDTH], any = false;

    for (unsigned j = 0; j < slots->width; j++) {
        const struct mr_slot *slot = &slots->slots[j];
        struct mr_slot_progress *p = &solver->progress[j];
        moves[j] = !slot->is_still;
        if (moves[j] && slot->sums.change > p->last_change) {
            mr_acceleration_rows_restart(slots->acceleration, j);
            p->pause = mr_relaxation_pause(p->harms++);
        }
        if (moves[j]) {
            p->last_change = slot->sums.change;
        }
        if (moves[j] && p->pause > 0) {
            p->pause--;
            moves[j] = false;
            mr_acceleration_rows_restart(slots->acceleration, j);
        }
        any |= moves[j];
    }
    if (any) {
        mr_acceleration_rows_step(slots->acceleration, slots->x, moves);
    }
}

/* The mass of the frontier, as add_implied_mass of pagerank/solve.c. */
static void add_implied_mass(struct mr_slot_solver *solver)
{
    for (unsigned j = 0; j < solver->slots.width; j++) {
        struct mr_slot *slot = &solver->slots.slots[j];
        const bool is_sparse = slot->teleport != NULL && slot->teleport->weights != NULL;
        const double all = solver->options->damping * (slot->sums.mass - slot->sums.dangling) +
                           (is_sparse ? slot->teleport_scale : 0) +
                           (double)solver->info->n_vertices * slot->constant;
        const double frontier = fmax(0, all - slot->sums.mass);
        slot->sums.mass += frontier;
        slot->sums.dangling += frontier;
    }
}

/* One round of all vectors that move: synchronous while few blocks are wanted, else relaxing. */
static enum mr_status advance(struct mr_slot_solver *solver, struct mr_error *err)
{
    struct mr_slots *slots = &solver->slots;
    enum mr_status status;

    if (slots->next != NULL &&
        2 * active_bytes(solver, slots->active) >= active_bytes(solver, NULL)) {
        slots->next = NULL;
    }
    set_terms(solver, true);
    if (slots->next == NULL) {
        struct mr_pass_task relax = {
            .relax = true,
            .wave = solver->result->wave,
            .sweeps = solver->result->inner,
            .terms = mr_slots_terms,
            .steps = solver->steps != NULL ? solver->steps
                                           : mr_acceleration_rows_difference(slots->acceleration),
            .steps_of_wave = solver->steps != NULL};
        slots->relaxation = mr_relaxation_reach(solver->info);
        status = mr_slots_run(solver, &relax, mr_slots_relax, err);
        if (status == MR_OK && slots->acceleration != NULL) {
            accelerate(solver);
        }
        return status;
    }
    slots->relaxation = 1;
    struct mr_pass_task spread = {.active_stripes = slots->active};
    status = mr_slots_run(solver, &spread, mr_slots_spread, err);
    void *old = slots->x;
    uint8_t *active = slots->active;
    slots->x = slots->next;
    slots->next = old;
    slots->active = slots->next_active;
    slots->next_active = active;
    return status;
}

/* Those whose bound is foretold to hold stand still from here on. True when all do. */
static bool halt(struct mr_slot_solver *solver)
{
    const double a = solver->options->damping;
    bool all = true;

    for (unsigned j = 0; j < solver->slots.width; j++) {
        struct mr_slot *slot = &solver->slots.slots[j];
        struct mr_slot_progress *p = &solver->progress[j];
        if (slot->is_still) {
            continue;
        }
        const double mass = mr_slots_are_normalised(solver) ? slot->sums.mass : 1;
        p->foretold =
            (mr_slots_are_normalised(solver) ? 2 : 1) * a * slot->sums.change / ((1 - a) * mass);
        slot->is_still = !(p->ratio * p->foretold > solver->tolerance);
        if (slot->is_still) {
            p->outcome->passes = solver->n_passes;
        }
        solver->slots.any_still |= slot->is_still;
        all = all && slot->is_still;
    }
    return all;
}

static bool all_final(const struct mr_slot_solver *solver)
{
    for (unsigned j = 0; j < solver->slots.width; j++) {
        if (solver->progress[j].outcome != NULL && !solver->progress[j].is_final) {
            return false;
        }
    }
    return true;
}

enum mr_status mr_slots_solve(struct mr_slot_solver *solver, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    while (!all_final(solver)) {
        bool is_due = solver->max_passes == 1;
        if (!is_due) {
            status = advance(solver, err);
            if (status != MR_OK) {
                return status;
            }
            if (mr_slots_have_frontier(solver)) {
                add_implied_mass(solver);
            }
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
