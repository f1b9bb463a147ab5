/* SPDX-License-Identifier: Apache-2.0 */
/* One pass of a PageRank solver, the terms it needs, and the certificate: one synchronous pass
 * computes the residual of the vector as stored, and algorithms/base/certificate.h says what they
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
    run->x = solver->vector.x;
    run->callback = callback;
    run->callback_data = &solver->vector;
    run->first_band = first;
    run->end_band = end;
    const enum mr_status status = mr_pass_run(solver->pass, run, err);
    solver->vector.sums = mr_rank_add_up(solver->vector.band_sums + first, end - first);
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
    return solver->vector.next != NULL ? solver->vector.active : NULL;
}

enum mr_status mr_rank_run_frontier(struct mr_rank_solver *solver, bool in_degrees,
                                    mr_pass_callback callback, struct mr_error *err)
{
    struct mr_pass_task run = {.in_degrees = in_degrees, .active_stripes = active_stripes(solver)};
    return run_bands(solver, &run, callback, solver->n_core_bands, solver->info->n_bands, err);
}

void mr_rank_set_terms(struct mr_rank_solver *solver, bool fixed_scale)
{
    struct mr_rank_terms *terms = &solver->vector.terms;
    const double a = solver->vector.damping, n = (double)solver->info->n_vertices;
    const double mass = solver->vector.sums.mass, dangling = solver->vector.sums.dangling;
    const bool spreads = mr_rank_spreads_dangling(solver);
    terms->teleport_scale = terms->constant = 0;
    if (solver->options->heritrix) {
        terms->teleport_scale = HERITRIX_JUMP;
    } else if (solver->options->dangling == MR_DANGLING_NONE) {
        terms->teleport_scale = 1 - a;
    } else if (mr_rank_has_frontier(solver)) { /* all scores add up to 1 */
        /* Relaxing, dangling mass has the frontier's as it follows from the terms before: 1 - S at
         * once would go too far, since a pass may answer with a / (1 - a) times as much. */
        const double spread = fixed_scale ? dangling : 1 - (mass - dangling);
        terms->teleport_scale = 1 - a;
        terms->constant = spreads ? a * spread / n : 0;
    } else if (spreads) {
        terms->teleport_scale = (1 - a) * mass;
        terms->constant = a * dangling / n;
    } else {
        terms->teleport_scale = fixed_scale ? 1 - a : mass - a * (mass - dangling);
    }
    if (terms->teleport->pages == NULL) {
        terms->constant = terms->teleport_scale * solver->vector.even;
    }
}

/* |x| = a S + c + n u, S being the mass of the pages that have links. */
void mr_rank_add_implied_mass(struct mr_rank_solver *solver)
{
    const struct mr_rank_terms *terms = &solver->vector.terms;
    struct mr_rank_sums *sums = &solver->vector.sums;
    if (mr_rank_has_frontier(solver)) {
        const double all = solver->vector.damping * (sums->mass - sums->dangling) +
                           (terms->teleport->pages != NULL ? terms->teleport_scale : 0) +
                           (double)solver->info->n_vertices * terms->constant;
        const double frontier = fmax(0, all - sums->mass);
        sums->mass += frontier;
        sums->dangling += frontier;
    }
}

/* ---- Certificates ---- */

/* The frontier's share of the sums. Its residual is 0 for the terms that the pass used. */
static enum mr_status add_frontier(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_rank_sums *sums = &solver->vector.sums;
    const struct mr_rank_sums core = *sums;
    const enum mr_status status =
        mr_rank_run_frontier(solver, true, mr_vector_certify_frontier, err);
    const double frontier = sums->mass, rounding = sums->rounding;
    *sums = core;
    sums->mass += frontier;
    sums->dangling += frontier;
    sums->rounding += rounding;
    return status;
}

/* What the certifying pass proves. */
static struct mr_certificate proof_of(const struct mr_rank_solver *solver)
{
    const struct mr_rank_sums *sums = &solver->vector.sums;
    const struct mr_certificate_rules rules = {
        .damping = solver->vector.damping,
        .is_normalised = mr_rank_is_normalised(solver),
        .spreads_dangling = mr_rank_spreads_dangling(solver),
        .is_single = solver->vector.is_single,
        .corner_shares = mr_certificate_corner_shares(solver->store, solver->vector.band_sums),
    };
    return mr_certify(&rules, sums);
}

enum mr_status mr_rank_prove(struct mr_rank_solver *solver, struct mr_certificate *proof,
                             struct mr_error *err)
{
    struct mr_pass_task job = {.in_degrees = true, .active_stripes = active_stripes(solver)};

    /* Mass and dangling mass of the vector as stored, which acceleration and rounding moved on. */
    enum mr_status status = mr_rank_run_degrees(solver, mr_vector_measure, err);
    if (status != MR_OK) {
        return status;
    }
    const double dangling = solver->vector.sums.dangling;
    mr_rank_set_terms(solver, false);
    status = mr_rank_run(solver, &job, mr_vector_certify, err);
    solver->vector.sums.dangling = dangling;
    if (status == MR_OK && mr_rank_has_frontier(solver)) {
        status = add_frontier(solver, err);
    }
    if (status == MR_OK) {
        *proof = proof_of(solver);
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
