/* SPDX-License-Identifier: Apache-2.0 */
/* One pass of a PageRank solver, the terms it needs, and the certificate: one synchronous pass
 * computes the residuals of the vectors as stored, and algorithms/base/certificate.h says what they
 * prove. */
#include <math.h>

#include "algorithms/pagerank/solver.h"

/* What each page has to begin with: 1 - 0.85 in binary is not the number that 0.15 is. */
#define HERITRIX_JUMP 0.15

static enum mr_status run_bands(struct mr_rank_solver *solver, struct mr_pass_task *run,
                                mr_pass_callback callback, uint32_t first, uint32_t end,
                                struct mr_error *err)
{
    run->value = mr_rank_value(solver->options);
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

enum mr_status mr_rank_run(struct mr_rank_solver *solver, struct mr_pass_task *run,
                           mr_pass_callback callback, struct mr_error *err)
{
    run->out_degrees = true;
    return run_bands(solver, run, callback, 0, solver->n_core_bands, err);
}

enum mr_status mr_rank_run_degrees(struct mr_rank_solver *solver, mr_pass_callback callback,
                                   struct mr_error *err)
{
    struct mr_pass_task job = {.degrees_only = true};
    return mr_rank_run(solver, &job, callback, err);
}

/* While rounds spread: which stripes of x have values. */
static const uint8_t *active_stripes(const struct mr_rank_solver *solver)
{
    return solver->slots.next != NULL ? solver->slots.active : NULL;
}

enum mr_status mr_rank_run_frontier(struct mr_rank_solver *solver, bool in_degrees,
                                    mr_pass_callback callback, struct mr_error *err)
{
    struct mr_pass_task run = {.in_degrees = in_degrees, .active_stripes = active_stripes(solver)};
    return run_bands(solver, &run, callback, solver->n_core_bands, solver->info->n_bands, err);
}

static void set_terms_of(struct mr_rank_solver *solver, unsigned j, bool fixed_scale)
{
    struct mr_slot *slot = &solver->slots.slots[j];
    const double a = solver->slots.damping, n = (double)solver->info->n_vertices;
    const double mass = slot->sums.mass, dangling = slot->sums.dangling;
    const bool spreads = mr_rank_spreads_dangling(solver, j);
    slot->teleport_scale = slot->constant = 0;
    if (slot->teleport == NULL) {
        return;
    }
    if (solver->options->heritrix) {
        slot->teleport_scale = HERITRIX_JUMP;
    } else if (solver->options->dangling == MR_DANGLING_NONE) {
        slot->teleport_scale = 1 - a;
    } else if (mr_rank_has_frontier(solver)) { /* all scores add up to 1 */
        /* Relaxing, dangling mass has the frontier's as it follows from the terms before: 1 - S at
         * once would go too far, since a pass may answer with a / (1 - a) times as much. */
        const double spread = fixed_scale ? dangling : 1 - (mass - dangling);
        slot->teleport_scale = 1 - a;
        slot->constant = spreads ? a * spread / n : 0;
    } else if (spreads) {
        slot->teleport_scale = (1 - a) * mass;
        slot->constant = a * dangling / n;
    } else {
        slot->teleport_scale = fixed_scale ? 1 - a : mass - a * (mass - dangling);
    }
    if (slot->teleport->weights == NULL) {
        slot->constant = slot->teleport_scale * solver->slots.even;
    }
}

void mr_rank_set_terms(struct mr_rank_solver *solver, bool fixed_scale)
{
    for (unsigned j = 0; j < solver->slots.width; j++) {
        set_terms_of(solver, j, fixed_scale);
    }
}

/* |x| = a S + c + n u, S being the mass of the pages that have links. */
void mr_rank_add_implied_mass(struct mr_rank_solver *solver)
{
    for (unsigned j = 0; j < solver->slots.width && mr_rank_has_frontier(solver); j++) {
        struct mr_slot *slot = &solver->slots.slots[j];
        const bool is_sparse = slot->teleport != NULL && slot->teleport->weights != NULL;
        const double all = solver->slots.damping * (slot->sums.mass - slot->sums.dangling) +
                           (is_sparse ? slot->teleport_scale : 0) +
                           (double)solver->info->n_vertices * slot->constant;
        const double frontier = fmax(0, all - slot->sums.mass);
        slot->sums.mass += frontier;
        slot->sums.dangling += frontier;
    }
}

/* ---- Certificates ---- */

/* The frontier's share of the sums. Its residual is 0 for the terms that the pass used. */
static enum mr_status add_frontier(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_rank_sums core[MR_RANK_MAX_WIDTH];

    for (unsigned j = 0; j < solver->slots.width; j++) {
        core[j] = solver->slots.slots[j].sums;
    }
    const enum mr_status status =
        mr_rank_run_frontier(solver, true, mr_slots_certify_frontier, err);
    for (unsigned j = 0; j < solver->slots.width; j++) {
        struct mr_rank_sums *sums = &solver->slots.slots[j].sums;
        const double frontier = sums->mass, rounding = sums->rounding;
        *sums = core[j];
        sums->mass += frontier;
        sums->dangling += frontier;
        sums->rounding += rounding;
    }
    return status;
}

/* What the certifying pass proves of slot j. */
static struct mr_rank_proof proof_of(const struct mr_rank_solver *solver, unsigned j)
{
    const struct mr_rank_sums *sums = &solver->slots.slots[j].sums;
    const struct mr_certificate_rules rules = {
        .damping = solver->slots.damping,
        .is_normalised = mr_rank_is_normalised(solver),
        .spreads_dangling = mr_rank_spreads_dangling(solver, j),
        .is_single = solver->slots.is_single,
        .corner_shares = mr_certificate_corner_shares(solver->store, solver->slots.sums + j,
                                                      solver->slots.width),
    };
    const struct mr_certificate proven = mr_certify(&rules, sums);
    return (struct mr_rank_proof){.error_bound = proven.error_bound,
                                  .residual = proven.residual,
                                  .rounding_bound = proven.rounding_bound,
                                  .score_sum = sums->mass};
}

enum mr_status mr_rank_prove(struct mr_rank_solver *solver, struct mr_rank_proof *proofs,
                             struct mr_error *err)
{
    struct mr_slots *slots = &solver->slots;
    struct mr_pass_task job = {.in_degrees = true, .active_stripes = active_stripes(solver)};
    double dangling[MR_RANK_MAX_WIDTH] = {0};

    /* Mass and dangling mass of the vectors as stored, which acceleration and rounding moved on. */
    enum mr_status status = mr_rank_run_degrees(solver, mr_slots_measure, err);
    if (status != MR_OK) {
        return status;
    }
    for (unsigned j = 0; j < slots->width; j++) {
        dangling[j] = slots->slots[j].sums.dangling;
    }
    mr_rank_set_terms(solver, false);
    status = mr_rank_run(solver, &job, mr_slots_certify, err);
    for (unsigned j = 0; j < slots->width; j++) {
        slots->slots[j].sums.dangling = dangling[j];
    }
    if (status == MR_OK && mr_rank_has_frontier(solver)) {
        status = add_frontier(solver, err);
    }
    for (unsigned j = 0; j < slots->width && status == MR_OK; j++) {
        if (slots->slots[j].teleport != NULL) {
            proofs[j] = proof_of(solver, j);
        }
    }
    return status;
}

struct mr_pass_figures mr_rank_figures(const struct mr_rank_solver *solver)
{
    const struct mr_pass_figures *before = &solver->before;
    struct mr_pass_figures figures = mr_pass_get_figures(solver->pass);
    figures.passes += before->passes;
    figures.edge_visits += before->edge_visits;
    figures.bytes_read += before->bytes_read;
    figures.degree_bytes_read += before->degree_bytes_read;
    figures.seconds += before->seconds;
    figures.wait_seconds += before->wait_seconds;
    return figures;
}
