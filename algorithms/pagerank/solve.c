/* SPDX-License-Identifier: Apache-2.0 */
/* The solver of one vector: relaxing passes until the certificate holds, or a fixed number of
 * synchronous rounds. It decides when to accelerate, when to certify and when to stop
 * (docs/solver.md). */
#include "algorithms/pagerank/solver.h"

#include <math.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/base/sum.h"
#include "algorithms/pagerank/until.h"

/* Certificates that must fail to improve, by a quarter of what a plain relaxation must in as many
 * passes, before the solver gives up. After each, a pass more goes by before the next. */
enum { PATIENCE = 3 };

/* What share of the foretold bound a certificate is expected to find, before the first: a failed
 * one costs less than a pass too many. */
#define RELAX_RATIO 0.5

/* Passes without a lower foretold bound, before a certificate is made of what there is. */
enum { STUCK_PASSES = 32 };

/* ---- Passes ---- */

/* A pass is over: tell the progress and the log. */
static enum mr_status report(const struct mr_rank_solver *solver, double bound, bool is_certified,
                             struct mr_error *err)
{
    const struct mr_context *context = &solver->context;
    const struct mr_pagerank_hooks *hooks = solver->options->hooks;
    const struct mr_pagerank_step step = {
        .bound = bound, .certified = is_certified, .figures = mr_rank_figures(solver)};
    struct mr_progress progress = {
        .stage = "rank",
        .done = step.figures.passes,
        .unit = "passes",
        .edges = step.figures.edge_visits,
        .bytes = step.figures.bytes_read + step.figures.degree_bytes_read,
        .passes = (unsigned)step.figures.passes,
        .error_bound = bound,
    };
    if (context->progress != NULL) {
        context->progress(context->progress_data, &progress);
    }
    if (hooks == NULL || hooks->step == NULL) {
        return MR_OK;
    }
    struct mr_pagerank_step numbered = step;
    numbered.pass = (unsigned)step.figures.passes;
    return hooks->step(hooks->data, &numbered, err);
}

/* ---- Relaxation ---- */

/* Move x on from G(x), the outcome of a pass, unless the last move did harm: then begin anew. */
static void accelerate(struct mr_rank_solver *solver)
{
    struct mr_rank_progress *progress = &solver->progress;
    struct mr_acceleration *acceleration = solver->slots.acceleration;
    if (acceleration != NULL && solver->slots.slots[0].sums.change > progress->last_change) {
        mr_acceleration_restart(acceleration);
        progress->pause = mr_relaxation_pause(progress->harms++);
    }
    progress->last_change = solver->slots.slots[0].sums.change;
    if (progress->pause > 0) {
        progress->pause--;
    } else if (acceleration != NULL) {
        mr_acceleration_step(acceleration, solver->slots.x);
    }
}

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
    return status == MR_OK ? report(solver, -1, false, err) : status;
}

/* Would `bound`, or does it, prove what is asked for besides the tolerance? */
static enum mr_status ask_until(struct mr_rank_solver *solver, double bound, bool *is_proven,
                                struct mr_error *err)
{
    const struct mr_pagerank_options *options = solver->options;
    struct mr_pagerank_result *result = solver->result;
    struct mr_slot *slot = &solver->slots.slots[0];
    const struct mr_rank_sums sums = slot->sums; /* of the pass; not of the copying */
    struct mr_until_answer answer = {0};
    *is_proven = false;
    if (options->until == MR_UNTIL_TOLERANCE || !(bound < solver->progress.until_bound)) {
        return MR_OK;
    }
    slot->scale = mr_rank_is_normalised(solver) && sums.mass > 0 ? 1 / sums.mass : 1;
    solver->slots.ranks = solver->ranks;
    enum mr_status status = mr_rank_run_degrees(solver, mr_slots_finish, err);
    if (status == MR_OK && mr_rank_has_frontier(solver)) {
        status = mr_rank_run_frontier(solver, false, mr_slots_finish_frontier, err);
    }
    solver->slots.ranks = NULL;
    slot->sums = sums;
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

static enum mr_status prove(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_pagerank_result *result = solver->result;
    struct mr_rank_proof proof = {0};
    const enum mr_status status = mr_rank_prove(solver, &proof, err);
    result->error_bound = proof.error_bound;
    result->residual = proof.residual;
    result->rounding_bound = proof.rounding_bound;
    result->score_sum = proof.score_sum;
    return status;
}

/* Certify the vector as it is: `*is_over` when that suffices, or when there is no more to be
 * had. */
static enum mr_status certify(struct mr_rank_solver *solver, double foretold, unsigned max_passes,
                              bool *is_over, struct mr_error *err)
{
    struct mr_rank_progress *progress = &solver->progress;
    struct mr_pagerank_result *result = solver->result;
    enum mr_status status = prove(solver, err);
    progress->passes++;
    if (status == MR_OK) {
        status = report(solver, result->error_bound, true, err);
    }
    if (status == MR_OK) {
        progress->until_bound = fmax(progress->until_bound, result->error_bound * (1 + 0x1p-20));
        status = ask_until(solver, result->error_bound, &result->proven_until, err);
    }
    if (status != MR_OK) {
        return status;
    }
    const uint64_t between = progress->passes - progress->certified_at;
    const double expected = fmax(0.5, 1 - 0.25 * (1 - solver->slots.damping) * (double)between);
    progress->failures =
        !(result->error_bound <= expected * progress->best) ? progress->failures + 1 : 0;
    progress->certified_at = progress->least_at = progress->passes;
    progress->best = fmin(progress->best, result->error_bound);
    if (foretold > 0) {
        progress->ratio = fmin(
            1, fmax(progress->ratio, (result->error_bound - result->rounding_bound) / foretold));
    }
    *is_over = result->error_bound <= solver->tolerance || result->proven_until ||
               progress->passes >= max_passes || progress->failures == PATIENCE;
    return MR_OK;
}

/* One relaxing pass; `*foretold` is the bound that its change foretells: what a relaxation moved is
 * at most 1/a of the residual it leaves. By how much less is learnt from each certificate. */
static enum mr_status relax(struct mr_rank_solver *solver, double *foretold, struct mr_error *err)
{
    const struct mr_pagerank_result *result = solver->result;
    const double a = solver->slots.damping;
    struct mr_pass_task job = {
        .relax = true,
        .wave = result->wave,
        .sweeps = result->inner,
        .terms = mr_slots_terms,
        .steps = solver->steps != NULL ? solver->steps
                                       : mr_acceleration_difference(solver->slots.acceleration),
        .steps_of_wave = solver->steps != NULL,
    };
    mr_rank_set_terms(solver, true);
    enum mr_status status = mr_rank_run(solver, &job, mr_slots_relax, err);
    if (status != MR_OK) {
        return status;
    }
    solver->progress.passes++;
    mr_rank_add_implied_mass(solver);
    const struct mr_rank_sums *sums = &solver->slots.slots[0].sums;
    const double mass = mr_rank_is_normalised(solver) ? sums->mass : 1;
    const double factor = mr_rank_is_normalised(solver) ? 2 : 1;
    *foretold = factor * a * sums->change / ((1 - a) * mass);
    if (*foretold < solver->progress.least_foretold) {
        solver->progress.least_foretold = *foretold;
        solver->progress.least_at = solver->progress.passes;
    }
    status = report(solver, solver->progress.ratio * *foretold, false, err);
    accelerate(solver);
    return status;
}

/* Relax until the certificate holds. */
static enum mr_status relax_until_certified(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_options *options = solver->options;
    const unsigned max_passes =
        options->max_passes > 0 ? options->max_passes : MR_PAGERANK_MAX_PASSES;
    struct mr_rank_progress *progress = &solver->progress;
    enum mr_status status = MR_OK;
    bool is_over = false;
    while (!is_over) {
        double foretold = 0;
        bool is_likely = false;
        status = mr_rank_save(solver, err);
        if (status == MR_OK && progress->passes + 1 < max_passes) {
            status = relax(solver, &foretold, err);
        }
        if (status == MR_OK) {
            status = ask_until(solver, progress->ratio * foretold, &is_likely, err);
        }
        const bool is_due = progress->ratio * foretold <= solver->tolerance &&
                            progress->passes - progress->certified_at > progress->failures;
        const bool is_stuck = progress->passes - progress->least_at >= STUCK_PASSES;
        if (status == MR_OK &&
            (is_due || is_likely || is_stuck || progress->passes + 1 >= max_passes)) {
            status = certify(solver, foretold, max_passes, &is_over, err);
        }
        if (status != MR_OK) {
            return status;
        }
    }
    return MR_OK;
}

/* ---- Power iteration ---- */

/* Synchronous rounds until there were `last` of them. */
static enum mr_status iterate_to(struct mr_rank_solver *solver, uint64_t last, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    while (solver->progress.passes < last && status == MR_OK) {
        struct mr_pass_task job = {0};
        status = mr_rank_save(solver, err);
        if (status == MR_OK) {
            mr_rank_set_terms(solver, false);
            status = mr_rank_run(solver, &job, mr_slots_iterate, err);
        }
        if (status == MR_OK) {
            void *old = solver->slots.x;
            solver->slots.x = solver->slots.next;
            solver->slots.next = old;
            solver->progress.passes++;
            status = report(solver, -1, false, err);
        }
    }
    return status;
}

/* A round divides the bound by 1 / a or more. So it takes at most so many rounds to the tolerance;
 * half of them, and then a proof that says how many are left. */
static unsigned rounds_to_tolerance(const struct mr_rank_solver *solver)
{
    const double over = solver->result->error_bound / solver->tolerance;
    const double rounds = log(over) / -log(solver->slots.damping);
    return rounds > 2 ? (unsigned)fmin(ceil(rounds / 2), 1000) : 1;
}

/* The textbook: synchronous rounds from 1/n, dangling mass by the rule. */
static enum mr_status iterate(struct mr_rank_solver *solver, struct mr_error *err)
{
    const unsigned most = solver->options->iterations;
    const bool until_tolerance = mr_rank_iterates_until_tolerance(solver);
    enum mr_status status = iterate_to(solver, until_tolerance ? 0 : most, err);

    if (status == MR_OK) {
        status = prove(solver, err);
    }
    while (status == MR_OK && until_tolerance && solver->progress.passes < most &&
           solver->result->error_bound > solver->tolerance) {
        const double before = solver->result->error_bound;
        const uint64_t last = solver->progress.passes + rounds_to_tolerance(solver);
        status = iterate_to(solver, last < most ? last : most, err);
        if (status == MR_OK) {
            status = prove(solver, err);
        }
        if (status == MR_OK && !(solver->result->error_bound < before)) {
            break; /* rounding: more rounds change nothing */
        }
    }
    return status == MR_OK ? report(solver, solver->result->error_bound, true, err) : status;
}

/* ---- From where to begin ---- */

/* The start vector. One of the caller's has a sum of 1 as well; relaxation for a fixed c = 1 - a
 * comes to x = a P^T x + c t, whose sum s has s = a (s - D s) + c, D its dangling share: scale to
 * that. */
static enum mr_status start(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_options *options = solver->options;
    const double a = solver->slots.damping;
    struct mr_slot *slot = &solver->slots.slots[0];
    struct mr_sum sum = {0};
    solver->progress.last_change = solver->progress.best = solver->progress.until_bound = INFINITY;
    solver->progress.least_foretold = INFINITY;
    solver->progress.ratio = RELAX_RATIO;
    for (uint64_t v = 0; options->start != NULL && v < solver->info->n_vertices; v++) {
        mr_sum_add(&sum, options->start[v]);
    }
    slot->scale = options->start != NULL && !options->heritrix ? 1 / mr_sum_value(&sum) : 1;
    enum mr_status status = mr_rank_run_degrees(solver, mr_slots_start, err);
    struct mr_rank_sums *sums = &slot->sums;
    if (mr_rank_has_frontier(solver) && mr_rank_spreads_dangling(solver, 0)) {
        sums->dangling += 1 - sums->mass; /* a start vector adds up to 1 */
        sums->mass = 1;
    }
    if (status != MR_OK || options->start == NULL || options->heritrix ||
        mr_rank_spreads_dangling(solver, 0)) {
        return status;
    }
    /* without the frontier the sums are those of the core, and all scores add up to 1 */
    const double dangling = mr_rank_has_frontier(solver) ? 1 - (sums->mass - sums->dangling)
                                                         : sums->dangling / sums->mass;
    slot->scale *= (1 - a) / (1 - a + a * dangling);
    return mr_rank_run_degrees(solver, mr_slots_start, err);
}

enum mr_status mr_rank_solve(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_hooks *hooks = solver->options->hooks;
    enum mr_status status =
        hooks != NULL && hooks->restore != NULL ? mr_rank_restore(solver, err) : start(solver, err);
    if (status == MR_OK) {
        status = find_twins(solver, err);
    }
    if (status != MR_OK) {
        return status;
    }
    return solver->options->iterations > 0 ? iterate(solver, err)
                                           : relax_until_certified(solver, err);
}
