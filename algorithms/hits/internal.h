/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of HITS: the rounds (hits_rounds.c, hits_transpose.c) and the solver (hits_solve.c), which
 * hits.c gives memory and options. Internal to algorithms.
 *
 * A round is one application of M = L R L^T in two passes, measured or not.
 * Vectors are stored almost normalised. The pass that computes a vector scales it by an expected
 * norm: for authorities the norm of the last round, for hubs the eigenvalue divided by the norm of
 * the authorities. The exact norm is known only at the end of the pass. Therefore every vector is
 * stored with its norm, and no scan over the vertices is needed beside the passes. */
#ifndef MR_ALGORITHMS_HITS_INTERNAL_H
#define MR_ALGORITHMS_HITS_INTERNAL_H

#include "algorithms/base/krylov.h"
#include "algorithms/base/sum.h"
#include "algorithms/hits/hits.h"

/* Sums over one band, combined in the order of the bands: the order is the same for any threads. */
struct mr_hits_sums {
    double norm; /* of the stored values: L1: sum; L2: sum of squares; max: maximum */
    double change; /* the same for the differences to the normalised old vector */
};

struct mr_hits_vector {
    double *values; /* [length]; of hubs those of the bands that the passes back make */
    double norm; /* of the values, in the norm of the options; 0: unknown, or all values are 0 */
    double last_factor; /* values = raw sums * this */
    double change; /* upper bound of its move in the last measured pass; INFINITY: unknown */
};

enum { MR_HITS_SCAN = 1 << 14 }; /* vertices per sum in a scan */

struct mr_hits_solver {
    const struct mr_context *context;
    struct mr_store *store, *transpose;
    const struct mr_store_info *info, *transpose_info;
    const struct mr_hits_options *options;
    struct mr_hits_result *result;
    uint64_t n_hubs; /* vertices before the end of the bands of hubs; all behind them have 0 */

    /* The rounds. Bands of a pass, forward: all; backward: those of the vertices that have
     * out-links */
    struct mr_pass *forward, *backward; /* over the store, over the transpose */
    uint32_t n_bands[2];
    struct mr_hits_vector hubs, authorities;
    double inverse_relevance; /* 1 / the largest relevance */
    double *relevant; /* [length] r a; NULL without relevance: `authorities` serves instead */
    double authority_length; /* the norm of the raw sums of authorities for hubs of norm 1 */
    struct mr_hits_sums *band_sums; /* [the larger number of bands] */
    /* |M h| / |h| in the norm, of the last round, or a better estimate; 0: unknown */
    double eigenvalue;
    unsigned rounds;

    struct mr_krylov krylov; /* zero if there is no basis */
    struct mr_sum *sums; /* [scans] */
    bool may_shift, is_shifted; /* the first run of Lanczos may end in a shift; it did */
    double shrink; /* the last plain round's move per move of the one before; 0: none before */
    bool is_settled; /* the search has found the second eigenvalue, as far as it can tell */
    double worth; /* learnt ratio: change in the norm per 2-norm residual of a Ritz vector */
};

/* ---- Rounds ---- */

/* The halves of a round: compute the authorities from the hubs, or the hubs from the authorities,
 * which are not all 0, and measure them. The factors keep the norms near 1. */
enum mr_status mr_hits_authorities(struct mr_hits_solver *solver,
                                   struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_hits_hubs(struct mr_hits_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

/* hubs.values = M hubs.values, without any scaling, for Lanczos. */
enum mr_status mr_hits_apply(struct mr_hits_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

/* INPUT unless the stores have the same number of vertices and of edges. */
enum mr_status mr_hits_check_sizes(const struct mr_store *store, const struct mr_store *transpose,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* ---- The solver ---- */

/* The norm of hubs, values[n_hubs], after negative entries are set to 0. Only rounding makes such
 * entries. */
double mr_hits_clean_norm(struct mr_hits_solver *solver, double *values);

/* Plain rounds, with a run of Lanczos after each round that moves too much, until neither vector
 * moves. */
enum mr_status mr_hits_solve(struct mr_hits_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

/* Search for the second eigenvalue, and write it to the result. Afterwards the hubs are as before,
 * and the authorities are those of these hubs. Needs a basis with at least one slot. */
enum mr_status mr_hits_separate(struct mr_hits_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

#endif
