#include "algorithms/pagerank_solver.h"

enum mr_status mr_rank_prove(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_pagerank_result *result = solver->result;
    struct mr_pass_run job = {.in_degrees = true};
    const double a = solver->job.damping;
    const double u = 0x1p-53;
    /* Mass and dangling mass of the vector as stored, which acceleration and rounding moved on. */
    enum mr_status status = mr_rank_run_degrees(solver, mr_rank_measure, err);
    if (status != MR_OK) {
        return status;
    }
    mr_rank_set_terms(solver, false);
    status = mr_rank_run(solver, &job, mr_rank_certify, err);
    if (status != MR_OK) {
        return status;
    }
    const struct mr_rank_sums *sums = &solver->progress.sums;
    /* Sums over vertices are compensated, in their band and over the bands: below 4 u each time. The
     * sum of the rounding terms is not: 2^-20 is more than its error, and more than the k^2 u^2 of
     * in-degrees up to 2^32. */
    const double summing = 10 * u;
    const double slack = 1 + 2 * summing;
    const double mass = mr_rank_is_normalised(solver) ? sums->mass / slack : 1;
    const double factor = mr_rank_is_normalised(solver) ? 2 : 1;
    const double per_residual = factor * slack / ((1 - a) * mass);
    /* What links in corner tiles may err by; a stripe's sum is at most its band's. */
    const double corners =
        a * MR_PASS_LINK_ERROR * (double)solver->info->corners.edges * sums->shares;
    const double rounding = (sums->rounding + corners) * (1 + 0x1p-20);
    /* Dangling mass is a sum over vertices itself: its error, spread evenly, adds up to this. */
    const double spread = mr_rank_spreads_dangling(solver) ? a * summing * sums->dangling : 0;
    /* Ranks returned are the certified ones times degree and scale, rounded; t is rounded too. */
    const double output =
        (solver->options->precision == MR_PRECISION_SINGLE ? 0x1p-24 : 0) + 16 * u + summing;
    result->residual = sums->mass > 0 ? sums->residual / sums->mass : 0;
    result->rounding_bound = per_residual * (rounding + spread) +
                             output * (mr_rank_is_normalised(solver) ? 1 : sums->mass) /
                                 (mr_rank_is_normalised(solver) ? 1 : 1 - a);
    result->error_bound = per_residual * sums->residual + result->rounding_bound;
    result->score_sum = sums->mass;
    return MR_OK;
}
