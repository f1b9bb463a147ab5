/* SPDX-License-Identifier: Apache-2.0 */
/* Anderson acceleration of a fixed-point iteration x <- G(x), kept small.
 *
 * From the last `depth` steps it finds the combination of differences that comes closest to f =
 * G(x) - x and takes it out of the next x: on linear problems that is what GMRES does with as many
 * vectors (Anderson 1965; Walker and Ni 2011). The differences are kept in single precision, since
 * they are as small as the error itself: 4 (1 + 2 depth) bytes per entry, where the textbook keeps
 * 16 (1 + depth). All sums have a fixed order: the same bits for any number of threads. */
#ifndef MR_ALGORITHMS_BASE_ACCELERATION_H
#define MR_ALGORITHMS_BASE_ACCELERATION_H

#include "engine/base/context.h"

struct mr_acceleration;

#define MR_ACCELERATION_MAX_DEPTH 8u

/* For vectors of `length` entries, double or (single) float, seen in `n_parts` parts. 1 <= depth <=
 * MR_ACCELERATION_MAX_DEPTH. Destroy takes NULL. */
enum mr_status mr_acceleration_create(const struct mr_context *context, unsigned depth,
                                      uint64_t length, uint32_t n_parts, bool single,
                                      struct mr_acceleration **out,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_acceleration_destroy(struct mr_acceleration *acceleration);

/* Bytes that create charges to the budget. */
uint64_t mr_acceleration_memory(unsigned depth, uint64_t length, uint32_t n_parts);

/* Where the caller leaves G(x) - x, [length]: elsewhere after each step. Entries it never writes
 * stay 0. */
float *mr_acceleration_difference(struct mr_acceleration *acceleration);

/* The differences of entries [first, first + n) are there: part `part` of the vector, each part
 * once before each step, from any threads. An entry counts with the square of weight[i], 0 as 1:
 * with out-degrees, shares are measured as ranks (on kron-20 17 passes where equal weights took
 * 23). */
void mr_acceleration_observe(struct mr_acceleration *acceleration, uint32_t part, uint64_t first,
                             uint64_t n, const uint32_t *weight);

/* `x` is G(x): replace it by the accelerated next x. No entry becomes negative. Time: one linear
 * scan of all vectors, in parallel. */
void mr_acceleration_step(struct mr_acceleration *acceleration, void *x);

/* All that it remembers between two steps, to be saved and written back: the coefficients, plain
 * data that holds no pointers, and the vectors. */
void mr_acceleration_state(struct mr_acceleration *acceleration, void **coefficients,
                           uint64_t *n_coefficient_bytes, float **vectors,
                           uint64_t *n_vector_bytes);

/* Can what was written back be what such an acceleration remembers? */
bool mr_acceleration_is_sound(const struct mr_acceleration *acceleration);

/* Forget the steps so far: the next step is a plain one, x stays G(x). */
void mr_acceleration_restart(struct mr_acceleration *acceleration);

#endif
