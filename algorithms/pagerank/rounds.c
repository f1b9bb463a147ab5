/* SPDX-License-Identifier: Apache-2.0 */
/* Power iteration of one vector, for comparison with published tables and for the arithmetic of
 * Heritrix: a fixed number of synchronous rounds, or rounds until the bound holds. solve.c calls it
 * in the place of relaxing passes. */
#include "algorithms/pagerank/solver.h"

static void swap(struct mr_rank_solver *solver)
{
    void *old = solver->vector.x;
    solver->vector.x = solver->vector.next;
    solver->vector.next = old;
}

static enum mr_status make_round(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_pass_task job = {0};
    enum mr_status status = mr_rank_save(solver, err);
    if (status == MR_OK) {
        mr_rank_set_terms(solver, false);
        status = mr_rank_run(solver, &job, mr_vector_iterate, err);
    }
    if (status == MR_OK) {
        swap(solver);
        solver->n_passes++;
        status = mr_rank_report(solver, -1, false, err);
    }
    return status;
}

/* What a round changes is the residual of the vector before it. Once that is small enough, the
 * vector before the round is the first one whose bound can hold, and it is proven. Its residual
 * falls in each round until rounding is all there is. True where the rounds are over; else the
 * round stands. */
static enum mr_status look_back(struct mr_rank_solver *solver, bool *is_over, struct mr_error *err)
{
    struct mr_rank_progress *p = &solver->progress;
    const double change = solver->vector.sums.change;
    const bool falls = change < p->least_change;
    p->least_change = change;
    if (falls && change > (1 - solver->vector.damping) * solver->tolerance) {
        return MR_OK;
    }
    swap(solver);
    const enum mr_status status = mr_rank_prove(solver, &p->proof, err);
    *is_over = !falls || p->proof.error_bound <= solver->tolerance;
    if (*is_over) {
        solver->n_passes--;
    } else {
        swap(solver);
    }
    return status;
}

enum mr_status mr_rank_iterate(struct mr_rank_solver *solver, struct mr_error *err)
{
    struct mr_certificate *proof = &solver->progress.proof;
    enum mr_status status = MR_OK;
    bool is_over = false;
    while (status == MR_OK && !is_over && solver->n_passes < solver->options->iterations) {
        status = make_round(solver, err);
        if (status == MR_OK && mr_rank_iterates_until_tolerance(solver)) {
            status = look_back(solver, &is_over, err);
        }
    }
    if (status == MR_OK && !is_over) {
        status = mr_rank_prove(solver, proof, err);
    }
    return status == MR_OK ? mr_rank_report(solver, proof->error_bound, true, err) : status;
}
