/* SPDX-License-Identifier: Apache-2.0 */
/* The solver of HITS, without memory and options. Internal to algorithms. */
#ifndef MR_ALGORITHMS_HITS_HITS_SOLVE_H
#define MR_ALGORITHMS_HITS_HITS_SOLVE_H

#include "algorithms/base/krylov.h"
#include "algorithms/base/sum.h"
#include "algorithms/hits/hits_rounds.h"

enum { MR_HITS_SCAN = 1 << 14 }; /* vertices per sum in a scan */

struct mr_hits_solver {
    const struct mr_context *context;
    struct mr_store *store, *transpose;
    const struct mr_store_info *info, *transpose_info;
    const struct mr_hits_options *options;
    struct mr_hits_result *result;
    struct mr_hits_rounds rounds;
    struct mr_krylov krylov; /* zero if there is no basis */
    struct mr_sum *sums; /* [scans] */
    uint64_t n_hubs; /* vertices before the end of the bands of hubs; all behind them have 0 */
    unsigned max_rounds;
    double tolerance;
    double worth; /* learnt ratio: change in the norm per 2-norm residual of a Ritz vector */
};

/* The norm of hubs, values[n_hubs], after negative entries are set to 0. Only rounding makes such
 * entries. */
double mr_hits_clean_norm(struct mr_hits_solver *solver, double *values);

/* Plain rounds, with a run of Lanczos after each round that moves too much, until a round moves no
 * vector. */
enum mr_status mr_hits_solve(struct mr_hits_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

/* Search for the second eigenvalue, and write it to the result. Afterwards the hubs are as before,
 * and the authorities are those of these hubs. Needs a basis with at least one slot. */
enum mr_status mr_hits_separate(struct mr_hits_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

#endif
