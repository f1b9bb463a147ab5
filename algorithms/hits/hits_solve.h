/* How HITS is solved, apart from memory and options. Internal to algorithms. */
#ifndef MR_ALGORITHMS_HITS_HITS_SOLVE_H
#define MR_ALGORITHMS_HITS_HITS_SOLVE_H

#include "algorithms/base/krylov.h"
#include "algorithms/base/sum.h"
#include "algorithms/hits/hits_rounds.h"

enum { MR_HITS_SCAN = 1 << 14 }; /* vertices per sum of a scan */

struct mr_hits_solver {
    const struct mr_context *context;
    struct mr_store *store, *transpose;
    const struct mr_store_info *info, *transpose_info;
    const struct mr_hits_options *options;
    struct mr_hits_result *result;
    struct mr_hits_rounds rounds;
    struct mr_krylov krylov; /* zero when there is none */
    struct mr_sum *sums; /* [scans] */
    unsigned max_rounds;
    double tolerance;
    double worth; /* change in the norm per 2-norm residual of a Ritz vector, learnt */
};

/* Norm of values[n], their negative entries, which only rounding can make, set to 0 before. */
double mr_hits_clean_norm(struct mr_hits_solver *solver, double *values);

/* Plain rounds, a stretch of Lanczos after each that is not good enough, until one moves nothing. */
enum mr_status mr_hits_solve(struct mr_hits_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

/* Search for the second eigenvalue beside the hubs found, into the result; afterwards hubs are as they
 * were and the authorities those of these hubs. Needs a basis with a slot at least. */
enum mr_status mr_hits_separate(struct mr_hits_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

#endif
