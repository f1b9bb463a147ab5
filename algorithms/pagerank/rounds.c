/* SPDX-License-Identifier: Apache-2.0 */
/* Power iteration of one vector, for comparison with published tables and for the arithmetic of
 * Heritrix: a fixed number of synchronous rounds, or rounds until the bound holds. solve.c calls it
 * in the place of relaxing passes. */
#include <math.h>

#include "algorithms/pagerank/solver.h"

/* Synchronous rounds until there were `last` of them. */
static enum mr_status iterate_to(struct mr_rank_solver *solver, uint64_t last, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    while (solver->n_passes < last && status == MR_OK) {
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
            mr_rank_count(solver, NULL);
            status = mr_rank_report(solver, -1, false, err);
        }
    }
    return status;
}

/* A round divides the bound by 1 / a or more. So it takes at most so many rounds to the tolerance;
 * half of them, and then a proof that says how many are left. */
static unsigned rounds_to_tolerance(const struct mr_rank_solver *solver, double bound)
{
    const double over = bound / solver->tolerance;
    const double rounds = log(over) / -log(solver->slots.damping);
    return rounds > 2 ? (unsigned)fmin(ceil(rounds / 2), 1000) : 1;
}

enum mr_status mr_rank_iterate(struct mr_rank_solver *solver, struct mr_error *err)
{
    const unsigned most = solver->options->iterations;
    const bool until_tolerance = mr_rank_iterates_until_tolerance(solver);
    struct mr_rank_proof *proof = &solver->progress[0].proof;
    enum mr_status status = iterate_to(solver, until_tolerance ? 0 : most, err);

    if (status == MR_OK) {
        status = mr_rank_prove(solver, proof, err);
    }
    while (status == MR_OK && until_tolerance && solver->n_passes < most &&
           proof->error_bound > solver->tolerance) {
        const double before = proof->error_bound;
        const uint64_t last = solver->n_passes + rounds_to_tolerance(solver, before);
        status = iterate_to(solver, last < most ? last : most, err);
        if (status == MR_OK) {
            status = mr_rank_prove(solver, proof, err);
        }
        if (status == MR_OK && !(proof->error_bound < before)) {
            break; /* rounding: more rounds change nothing */
        }
    }
    return status == MR_OK ? mr_rank_report(solver, proof->error_bound, true, err) : status;
}
