/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate of ranks: the sums that a certifying pass computes, and the error bound that the
 * residual proves. The solvers of one vector and of several share it; internal to algorithms.
 * docs/solver.md derives the bound. */
#ifndef MR_ALGORITHMS_BASE_CERTIFICATE_H
#define MR_ALGORITHMS_BASE_CERTIFICATE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/store/store.h"

/* Sums over one band or over all bands. They are added in the order of the bands, which is the same
 * for any threads. */
struct mr_rank_sums {
    double mass; /* sum of ranks */
    double dangling; /* sum of the ranks of vertices without out-edges */
    double change; /* sum of |new rank - old rank| */
    double above, below; /* certificate: sums of the positive r, and of the negative -r */
    double rounding; /* certificate: bound on the rounding in r */
    double shares; /* certificate: sum of x; over all bands, the largest of them */
};

/* Add up the sums of bands. */
struct mr_rank_sums mr_rank_add_up(const struct mr_rank_sums *bands, uint64_t n_bands);

/* At least: for each edge in a corner tile the sum of x over the stripe that it comes from, all
 * added up. `bands` are the sums of a certifying pass. */
double mr_certificate_corner_shares(const struct mr_store *store, const struct mr_rank_sums *bands);

/* The equation that the vector solves. */
struct mr_certificate_rules {
    double damping;
    bool is_normalised; /* the solution is scaled to the sum 1 */
    bool spreads_dangling; /* dangling mass goes to all vertices evenly, but teleports do not */
    bool is_single; /* the returned ranks are float */
    double corner_shares; /* mr_certificate_corner_shares */
};

struct mr_certificate {
    double residual; /* bound on |r|, relative to the mass of the vector */
    double rounding_bound; /* the part of error_bound that further passes cannot lower */
    double error_bound; /* in the 1-norm, of the returned ranks */
    double score_sum; /* of the vector as it was certified */
};

/* `sums` come from the certifying pass. */
struct mr_certificate mr_certify(const struct mr_certificate_rules *rules,
                                 const struct mr_rank_sums *sums);

#endif
