/* SPDX-License-Identifier: Apache-2.0 */
/* Anderson acceleration of fixed-point iterations x <- G(x), kept small. Internal to algorithms.
 *
 * From the last `depth` steps it finds the combination of differences that comes closest to f =
 * G(x) - x and takes it out of the next x: on linear problems that is what GMRES does with as many
 * vectors (Anderson 1965; Walker and Ni 2011). f is kept in single precision and the differences in
 * 16 bits, since they are as small as the error itself: 4 (1 + depth) bytes per entry, where the
 * textbook keeps 16 (1 + depth). Where G moves slow errors by less than 2^-9 of themselves, the
 * difference of two f is lost in their 16 bits; then `is_wide` keeps 4 (1 + 2 depth) bytes.
 *
 * All sums have a fixed order: the same bits for any number of threads. */
#ifndef MR_ALGORITHMS_BASE_ACCELERATION_H
#define MR_ALGORITHMS_BASE_ACCELERATION_H

#include "algorithms/base/acceleration_loops.h"
#include "engine/base/context.h"

struct mr_acceleration;

/* For `length` entries, double or (single) float, seen in `n_parts` parts. 1 <= depth <=
 * MR_ACCELERATION_MAX_DEPTH. Destroy takes NULL. */
enum mr_status mr_acceleration_create(const struct mr_context *context, unsigned depth,
                                      bool is_wide, uint64_t length, uint32_t n_parts, bool single,
                                      struct mr_acceleration **out,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_acceleration_destroy(struct mr_acceleration *acceleration);

/* Bytes that create charges to the budget; 0 with depth 0. */
uint64_t mr_acceleration_memory(unsigned depth, bool is_wide, uint64_t length, uint32_t n_parts);

/* A new iteration. */
void mr_acceleration_begin(struct mr_acceleration *acceleration);

/* Forget the steps so far: the next step is a plain one. */
void mr_acceleration_restart(struct mr_acceleration *acceleration);

/* Where the caller leaves G(x) - x, [length]. Entries it never writes stay 0. */
float *mr_acceleration_difference(struct mr_acceleration *acceleration);

/* The differences of entries [first, first + n) are there: a piece of a part, the pieces of a part
 * in ascending order, of a multiple of MR_ACCELERATION_LANES entries but for the last, and of at
 * most MR_ACCELERATION_PIECE entries. An entry counts with the square of weight[i]: with
 * out-degrees, shares are measured as ranks (on kron-20 17 passes where equal weights took 23).
 * `sums` are all 0 before the first piece, and go to part `part` after the last one. From any
 * threads; each part once before each step. */
void mr_acceleration_observe(struct mr_acceleration *acceleration, uint64_t first, uint32_t n,
                             const double *weight, struct mr_acceleration_sums *sums);
void mr_acceleration_add_part(struct mr_acceleration *acceleration, uint32_t part,
                              const struct mr_acceleration_sums *sums);

/* `x` is G(x), [n]: replace it by the accelerated next x. No entry becomes negative. Entries behind
 * the first n, at most length, are 0 in all vectors, and stay so. Time: one linear scan of all
 * vectors, in parallel. */
void mr_acceleration_step(struct mr_acceleration *acceleration, void *x, uint64_t n);

/* All that it remembers between two steps, to be saved and written back: the coefficients, plain
 * data that holds no pointers, and the vectors. */
void mr_acceleration_state(struct mr_acceleration *acceleration, void **coefficients,
                           uint64_t *n_coefficient_bytes, void **vectors, uint64_t *n_vector_bytes);

/* Can what was written back be what such an acceleration remembers? */
bool mr_acceleration_is_sound(const struct mr_acceleration *acceleration);

#endif
