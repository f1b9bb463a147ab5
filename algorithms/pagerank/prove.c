/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate: one synchronous pass computes the residual of the vector as stored, and
 * algorithms/base/certificate.h says what it proves. */
#include "algorithms/pagerank/solver.h"

#include <math.h>

/* The frontier's share of the sums. Its residual is 0 for the terms that the pass used. Where
 * dangling mass is spread, these hold for scores that add up to 1: what the sum is off, the terms
 * are off, all together. */
static enum mr_status add_frontier(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_rank_sums core = solver->progress.sums;
    const enum mr_status status = mr_rank_run_frontier(solver, true, mr_rank_certify_frontier, err);
    struct mr_rank_sums *sums = &solver->progress.sums;
    const double frontier = sums->mass, rounding = sums->rounding;
    *sums = core;
    sums->mass += frontier;
    sums->dangling += frontier;
    sums->rounding += rounding;
    if (mr_rank_spreads_dangling(solver)) {
        sums->residual += fabs(sums->mass - 1);
    }
    return status;
}

enum mr_status mr_rank_prove(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_pagerank_result *result = solver->result;
    struct mr_pass_task job = {.in_degrees = true};
    /* Mass and dangling mass of the vector as stored, which acceleration and rounding moved on. */
    enum mr_status status = mr_rank_run_degrees(solver, mr_rank_measure, err);
    if (status != MR_OK) {
        return status;
    }
    mr_rank_set_terms(solver, false);
    status = mr_rank_run(solver, &job, mr_rank_certify, err);
    if (status == MR_OK && mr_rank_has_frontier(solver)) {
        status = add_frontier(solver, err);
    }
    if (status != MR_OK) {
        return status;
    }
    const struct mr_certificate_rules rules = {
        .damping = solver->job.damping,
        .is_normalised = mr_rank_is_normalised(solver),
        .spreads_dangling = mr_rank_spreads_dangling(solver),
        .is_single = solver->options->precision == MR_PRECISION_SINGLE,
        .corner_shares = mr_certificate_corner_shares(solver->store, solver->job.sums, 1),
    };
    const struct mr_rank_sums *sums = &solver->progress.sums;
    const struct mr_certificate proven = mr_certify(&rules, sums, sums->dangling);
    result->residual = proven.residual;
    result->rounding_bound = proven.rounding_bound;
    result->error_bound = proven.error_bound;
    result->score_sum = sums->mass;
    return MR_OK;
}
