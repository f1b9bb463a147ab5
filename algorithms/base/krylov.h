/* SPDX-License-Identifier: Apache-2.0 */
/* A small orthonormal basis for Rayleigh-Ritz on a symmetric operator, as restarted Lanczos needs
 * it. Internal to algorithms.
 *
 * One vector of the basis, the base, is stored in double precision. The others, the slots, are
 * stored in single precision: they carry corrections to the base, and a correction is as small as
 * the remaining error. Every new vector is made orthogonal to all of them, so that no copies of
 * converged values appear (Lanczos 1950; Paige 1971). All sums have a fixed order, and so the same
 * bits for any number of threads. */
#ifndef MR_ALGORITHMS_BASE_KRYLOV_H
#define MR_ALGORITHMS_BASE_KRYLOV_H

#include "engine/base/context.h"

enum { MR_KRYLOV_MAX = 16 }; /* vectors besides the base */

struct mr_krylov {
    const struct mr_context *context;
    uint64_t length;
    unsigned n_slots;
    double *base; /* [length] */
    float *slots[MR_KRYLOV_MAX]; /* [n_slots][length] */
    double (*partial)[MR_KRYLOV_MAX + 2]; /* [chunks] */
    float *memory;
};

/* Create a base and 1..MR_KRYLOV_MAX slots for vectors of `length` entries. `krylov` is zero after
 * an error; destroy accepts a zeroed struct. */
enum mr_status mr_krylov_create(const struct mr_context *context, uint64_t length, unsigned n_slots,
                                struct mr_krylov *krylov, struct mr_error *err) MR_WARN_UNUSED;
void mr_krylov_destroy(struct mr_krylov *krylov);
uint64_t mr_krylov_memory(uint64_t length, unsigned n_slots);

/* Make w orthogonal to the base and to the first `n_used` slots: w -= products[0] base + sum of
 * products[1 + i] slot i, where the products are those with w. Returns |w|, the 2-norm. It works
 * twice, in three scans, for two reasons: slots are orthogonal to single precision only, and the
 * part of the base that one time leaves grows with every step of Lanczos (measured: 4e-4 after
 * eight steps). Twice is enough (Kahan and Parlett). */
double mr_krylov_orthogonalise(const struct mr_krylov *krylov, double *w, unsigned n_used,
                               double *products);
/* w *= scale; copy w to slot `slot`. */
void mr_krylov_store(struct mr_krylov *krylov, double *w, double scale, unsigned slot);
/* w *= scale; copy w to the base. */
void mr_krylov_store_base(struct mr_krylov *krylov, double *w, double scale);
/* w = own w + weights[0] base + sum of weights[1 + i] slot i. */
void mr_krylov_combine(const struct mr_krylov *krylov, double *w, double own, unsigned n_used,
                       const double *weights);
double mr_krylov_norm(const struct mr_krylov *krylov, const double *w);

/* The largest eigenvalue of a symmetric matrix (the upper triangle of its first n rows and
 * columns), its eigenvector (2-norm 1) and the second eigenvalue (0 if n = 1), by Jacobi rotations.
 * n <= MR_KRYLOV_MAX + 1. */
struct mr_ritz {
    double value, second;
    double vector[MR_KRYLOV_MAX + 1];
};
struct mr_ritz mr_krylov_ritz(double given[MR_KRYLOV_MAX + 1][MR_KRYLOV_MAX + 2], unsigned n);

#endif
