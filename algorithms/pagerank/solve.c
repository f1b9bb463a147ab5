/* SPDX-License-Identifier: Apache-2.0 */
/* The solver of one vector: passes until its certificate holds. It decides when to accelerate, when
 * to certify and when to stop (docs/solver.md): a certificate is made when the bound is foretold to
 * hold. A state can be saved between passes, and what the bound proves of order and levels can end
 * the run. */
#include "algorithms/pagerank/solver.h"

#include <math.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/base/sum.h"
#include "algorithms/pagerank/until.h"
#include "engine/base/bytes.h"

/* Certificates that must fail to improve, by a quarter of what a plain relaxation must in as many
 * moves, before a vector is given up whose bound is so near to what rounding allows. After each, a
 * move more goes by before the next. Far above that a vector is never given up: what is slow at a
 * damping near 1 is no sign that no more is to be had. */
enum { PATIENCE = 3 };
#define NEAR_ROUNDING 16

/* What share of the foretold bound a certificate is expected to find, before the first; with
 * several sweeps less is left. A certificate that fails costs passes and what the acceleration
 * learnt: four seeds of kron-22 to 1e-9, one sweep, take 105 passes with 0.25, 102 with 0.375 and
 * 104 with 0.5. Web graphs with two sweeps have 0.01 to 0.25, in the middle 0.1. Fifty rankings
 * take 1053 passes with 0.25, 1026 with 0.15 and 1027 with 0.12. */
#define FIRST_RATIO           0.375
#define FIRST_RATIO_OF_SWEEPS 0.15

/* Moves without a lower foretold bound, before a certificate is made of what there is. */
enum { STUCK_MOVES = 32 };

/* ---- Order and levels ---- */

/* Asking again pays when the bound is so much smaller, even where no bound would prove it with the
 * scores so far: these change by as much as the bound. */
#define ASK_AGAIN 4096

/* Which pages are twins, before the first question. The ranks are not needed yet. */
static enum mr_status find_twins(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_options *options = solver->options;
    if (solver->twins.in_links == NULL) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_twins_find(solver->pass, solver->info, options->teleport, options->n_teleport,
                      (uint64_t *)solver->ranks, &solver->twins, err);
    return status == MR_OK ? mr_rank_report(solver, -1, false, err) : status;
}

/* The ranks of all vertices, as they are now, to solver->ranks. */
static enum mr_status copy_ranks(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_rank_shares *vector = &solver->vector;
    const struct mr_rank_sums sums = vector->sums; /* of the pass; not of the copying */
    vector->scale = mr_rank_is_normalised(solver) && sums.mass > 0 ? 1 / sums.mass : 1;
    vector->ranks = solver->ranks;
    enum mr_status status = mr_rank_run_degrees(solver, mr_vector_finish, err);
    if (status == MR_OK && mr_rank_has_frontier(solver)) {
        status = mr_rank_run_frontier(solver, false, mr_vector_finish_frontier, err);
    }
    vector->ranks = NULL;
    vector->sums = sums;
    return status;
}

/* Would `bound`, or does it, prove what is asked for besides the tolerance? */
static enum mr_status ask_until(struct mr_rank_solver *solver, double bound, bool *is_proven,
                                struct mr_error *err)
{
    const struct mr_pagerank_options *options = solver->options;
    struct mr_pagerank_result *result = solver->result;
    struct mr_until_answer answer = {0};
    *is_proven = false;
    if (options->until == MR_UNTIL_TOLERANCE || !(bound < solver->progress.until_bound)) {
        return MR_OK;
    }
    enum mr_status status = copy_ranks(solver, err);
    if (status == MR_OK && options->until == MR_UNTIL_ORDER) {
        status = mr_until_order(&solver->context, solver->ranks, solver->info->n_vertices,
                                options->until_count, bound, &solver->twins, &answer, err);
    } else if (status == MR_OK) {
        status = mr_until_levels(&solver->context, solver->ranks, solver->info->n_vertices,
                                 (unsigned)options->until_count, options->until_share, bound,
                                 &solver->twins, solver->levels, &answer, err);
    }
    *is_proven = answer.is_proven;
    result->until_ties = answer.n_ties;
    result->until_close = answer.n_close;
    result->until_share = answer.share;
    if (!answer.is_proven) {
        solver->progress.until_bound = fmax(answer.wanted_bound, bound / ASK_AGAIN);
    }
    return status;
}

/* ---- Certificates ---- */

/* What a certificate says goes into the progress: is there no more to be had? */
static void judge(const struct mr_rank_solver *solver, struct mr_rank_progress *p,
                  const struct mr_certificate *proof)
{
    const double damping = solver->vector.damping;
    /* Values are rounded where they are stored, too: twice in a residual. */
    const double stored = (solver->vector.is_single ? 0x1p-22 : 0x1p-51) / (1 - damping);
    const uint64_t between = p->moves - p->certified_at;
    const double expected = fmax(0.5, 1 - 0.25 * (1 - damping) * (double)between);
    p->failures = !(proof->error_bound <= expected * p->best) ? p->failures + 1 : 0;
    p->best = fmin(p->best, proof->error_bound);
    p->certified_at = p->least_at = p->moves;
    if (p->foretold > 0) {
        const double seen = (proof->error_bound - proof->rounding_bound) / p->foretold;
        p->ratio = seen > 1 ? seen : fmax(fmin(1, p->ratio), seen);
    }
    p->proof = *proof;
    p->is_final = proof->error_bound <= solver->tolerance ||
                  (p->failures >= PATIENCE &&
                   proof->error_bound <= NEAR_ROUNDING * (proof->rounding_bound + stored));
}

/* If the bound was foretold to hold and does not, the acceleration begins anew. */
static enum mr_status certify(struct mr_rank_solver *solver, bool was_foretold,
                              struct mr_error *err)
{
    struct mr_rank_progress *p = &solver->progress;
    struct mr_certificate proof;
    enum mr_status status = mr_rank_prove(solver, &proof, err);
    if (status != MR_OK) {
        return status;
    }
    solver->n_passes++;
    p->moves++;
    judge(solver, p, &proof);
    p->is_final |= solver->n_passes >= solver->max_passes;
    if (was_foretold && !p->is_final && solver->vector.acceleration != NULL) {
        mr_acceleration_restart(solver->vector.acceleration);
    }
    status = mr_rank_report(solver, p->proof.error_bound, true, err);
    if (status == MR_OK && solver->result != NULL) {
        p->until_bound = fmax(p->until_bound, p->proof.error_bound * (1 + 0x1p-20));
        status = ask_until(solver, p->proof.error_bound, &solver->result->proven_until, err);
        p->is_final |= solver->result->proven_until;
    }
    return status;
}

/* ---- Relaxation ---- */

/* From G(x), the outcome of a pass, to the accelerated next x. After harm it begins anew. A pass
 * changes slow errors by 1 - a of themselves and fast ones by all of them. So a step that takes
 * slow errors out, and leaves some of their size as fast ones, makes the next change up to 1 / (1 -
 * a) times as large and does no harm. (For 100 graphs of up to 200 pages, damping 0.9999: 13
 * passes; 105 where each larger change counted as harm.) */
static void accelerate(struct mr_rank_solver *solver)
{
    struct mr_rank_shares *vector = &solver->vector;
    struct mr_rank_progress *p = &solver->progress;
    const double harmless = fmax(1, 0.15 / (1 - vector->damping));
    const double change = vector->sums.change;
    const bool is_harm = change > harmless * p->least_change;

    p->least_change = is_harm ? change : fmin(p->least_change, change);
    if (is_harm) {
        mr_acceleration_restart(vector->acceleration);
        p->pause = mr_relaxation_pause(p->harms++);
    }
    if (p->pause > 0) {
        p->pause--;
        mr_acceleration_restart(vector->acceleration);
    } else {
        const uint64_t n = mr_min_u64(mr_rank_length(solver), solver->info->n_vertices);
        mr_acceleration_step(vector->acceleration, vector->x, n);
    }
}

static enum mr_status relax(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_rank_shares *vector = &solver->vector;
    struct mr_pass_task job = {
        .relax = true,
        .wave = solver->wave,
        .sweeps = solver->sweeps,
        .terms = mr_vector_terms,
        .steps = solver->steps != NULL ? solver->steps
                                       : mr_acceleration_difference(vector->acceleration),
        .steps_of_wave = solver->steps != NULL,
    };
    vector->relaxation = mr_relaxation_reach(solver->info);
    const enum mr_status status = mr_rank_run(solver, &job, mr_vector_relax, err);
    if (status == MR_OK) {
        solver->n_passes++;
    }
    if (status == MR_OK && vector->acceleration != NULL) {
        accelerate(solver);
    }
    return status;
}

/* A synchronous round that reads only the blocks of pages with a score. */
static enum mr_status spread(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_rank_shares *vector = &solver->vector;
    struct mr_pass_task job = {.active_stripes = vector->active};
    vector->relaxation = 1;
    const enum mr_status status = mr_rank_run(solver, &job, mr_vector_iterate, err);
    if (status == MR_OK) {
        solver->n_passes++;
        void *old = vector->x;
        uint8_t *active = vector->active;
        vector->x = vector->next;
        vector->next = old;
        vector->active = vector->next_active;
        vector->next_active = active;
    }
    return status;
}

/* One pass: a round while few blocks are wanted, else relaxing. */
static enum mr_status advance(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_rank_shares *vector = &solver->vector;
    if (vector->next != NULL &&
        2 * mr_rank_active_bytes(solver, vector->active) >= mr_rank_active_bytes(solver, NULL)) {
        vector->next = NULL;
    }
    mr_rank_set_terms(solver, true);
    const enum mr_status status = vector->next == NULL ? relax(solver, err) : spread(solver, err);
    if (status == MR_OK) {
        mr_rank_add_implied_mass(solver);
    }
    return status;
}

/* After a pass: the bound that its change foretells. What a relaxation moved is at most 1/a
 * of the residual it leaves; by how much less is learnt from each certificate. With two sweeps it
 * may be more: what one sweep moves to and the next one fro is no change. True where a certificate
 * is due. */
static bool foretell(struct mr_rank_solver *solver)
{
    struct mr_rank_progress *p = &solver->progress;
    const struct mr_rank_sums *sums = &solver->vector.sums;
    const double a = solver->vector.damping;
    const bool is_normalised = mr_rank_is_normalised(solver);
    p->moves++;
    p->foretold =
        (is_normalised ? 2 : 1) * a * sums->change / ((1 - a) * (is_normalised ? sums->mass : 1));
    if (p->foretold < p->least_foretold) {
        p->least_foretold = p->foretold;
        p->least_at = p->moves;
    }
    const bool is_likely =
        !(p->ratio * p->foretold > solver->tolerance) && p->moves - p->certified_at > p->failures;
    return is_likely || p->moves - p->least_at >= STUCK_MOVES;
}

/* Passes until the certificate holds, or no certificate comes. */
static enum mr_status relax_until_certified(struct mr_rank_solver *solver, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    struct mr_rank_progress *p = &solver->progress;
    while (status == MR_OK && !p->is_final) {
        bool is_due = solver->n_passes + 1 >= solver->max_passes, is_foretold = false;
        status = mr_rank_save(solver, err);
        if (status == MR_OK && !is_due) {
            status = advance(solver, err);
            if (status == MR_OK) {
                is_foretold = foretell(solver);
                p->stood_at = solver->n_passes;
                is_due = is_foretold || solver->n_passes + 1 >= solver->max_passes;
                status = mr_rank_report(solver, p->ratio * p->foretold, false, err);
            }
            if (status == MR_OK && !is_due && solver->result != NULL) {
                status = ask_until(solver, p->ratio * p->foretold, &is_due, err);
            }
        }
        if (status == MR_OK && is_due) {
            status = certify(solver, is_foretold, err);
        }
    }
    return status;
}

/* ---- From where to begin ---- */

/* The start vector. One of the caller's has a sum of 1 as well; relaxation for a fixed c = 1 - a
 * comes to x = a P^T x + c t, whose sum s has s = a (s - D s) + c, D its dangling share: scale to
 * that. */
static enum mr_status start(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_options *options = solver->options;
    const double a = solver->vector.damping;
    struct mr_rank_shares *vector = &solver->vector;
    struct mr_sum sum = {0};
    for (uint64_t v = 0; options->start != NULL && v < solver->info->n_vertices; v++) {
        mr_sum_add(&sum, options->start[v] / vector->start_unit);
    }
    vector->scale = options->start != NULL && !options->heritrix ? 1 / mr_sum_value(&sum) : 1;
    enum mr_status status = mr_rank_run_degrees(solver, mr_vector_start, err);
    if (mr_rank_has_frontier(solver)) { /* a start vector adds up to 1 */
        vector->sums.dangling += 1 - vector->sums.mass;
        vector->sums.mass = 1;
    }
    if (status != MR_OK || options->start == NULL || options->heritrix ||
        mr_rank_spreads_dangling(solver)) {
        return status;
    }
    /* of the caller's vector, whose scores add up to 1 */
    const double dangling = vector->sums.dangling / vector->sums.mass;
    vector->scale *= (1 - a) / (1 - a + a * dangling);
    return mr_rank_run_degrees(solver, mr_vector_start, err);
}

enum mr_status mr_rank_solve(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_hooks *hooks = solver->options->hooks;
    solver->n_passes = 0;
    solver->progress =
        (struct mr_rank_progress){.least_change = INFINITY,
                                  .ratio = solver->sweeps > 1 ? FIRST_RATIO_OF_SWEEPS : FIRST_RATIO,
                                  .best = INFINITY,
                                  .least_foretold = INFINITY,
                                  .until_bound = INFINITY};
    enum mr_status status =
        hooks != NULL && hooks->restore != NULL ? mr_rank_restore(solver, err) : start(solver, err);
    if (status == MR_OK) {
        status = find_twins(solver, err);
    }
    if (status != MR_OK) {
        return status;
    }
    return solver->options->iterations > 0 ? mr_rank_iterate(solver, err)
                                           : relax_until_certified(solver, err);
}
