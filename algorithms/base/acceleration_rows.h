/* SPDX-License-Identifier: Apache-2.0 */
/* Anderson acceleration (acceleration.h) of several fixed-point iterations side by side: value j of
 * entry i is x[i * width + j], and so are the differences kept. Each column has its own
 * coefficients, and its numbers are the same bits whatever stands beside it; what is a row is in
 * one place of memory, so that the loops are plain ones over it. 4 (1 + 2 depth) bytes per entry
 * and column. */
#ifndef MR_ALGORITHMS_BASE_ACCELERATION_ROWS_H
#define MR_ALGORITHMS_BASE_ACCELERATION_ROWS_H

#include "engine/base/context.h"

struct mr_acceleration_rows;

#define MR_ACCELERATION_ROWS_MAX_WIDTH 16u
#define MR_ACCELERATION_ROWS_MAX_DEPTH 8u

/* For `length` rows of up to `most_width` columns, double or (single) float, seen in `n_parts`
 * parts. 1 <= depth <= MR_ACCELERATION_ROWS_MAX_DEPTH. Destroy takes NULL. */
enum mr_status mr_acceleration_rows_create(const struct mr_context *context, unsigned depth,
                                           uint64_t length, unsigned most_width, uint32_t n_parts,
                                           bool single, struct mr_acceleration_rows **out,
                                           struct mr_error *err) MR_WARN_UNUSED;
void mr_acceleration_rows_destroy(struct mr_acceleration_rows *rows);

/* Bytes that create charges to the budget; 0 with depth 0. */
uint64_t mr_acceleration_rows_memory(unsigned depth, uint64_t length, unsigned width,
                                     uint32_t n_parts);

/* New iterations, `width` of them: 1, 2, 4, 8 or 16, at most most_width. */
void mr_acceleration_rows_begin(struct mr_acceleration_rows *rows, unsigned width);

/* Forget the steps of one column so far: its next step is a plain one. */
void mr_acceleration_rows_restart(struct mr_acceleration_rows *rows, unsigned column);

/* Where the caller leaves G(x) - x, [length * width]: elsewhere after each step. Any finite numbers
 * will do for a column that does not move. */
float *mr_acceleration_rows_difference(struct mr_acceleration_rows *rows);

/* The differences of rows [first, first + n) are there: a piece of part `part`, the pieces of a
 * part in ascending order from the thread that has the part, `begins` with the first of them. A row
 * counts with the square of weight[i]. */
void mr_acceleration_rows_observe(struct mr_acceleration_rows *rows, uint32_t part, bool begins,
                                  uint64_t first, uint32_t n, const double *weight);

/* `x` is G(x), [length * width]: replace it by the accelerated next x where moves[column], leave
 * the other columns as they are: those must be restarted before they move again. No entry becomes
 * negative. Time: one linear scan of all vectors, in parallel. */
void mr_acceleration_rows_step(struct mr_acceleration_rows *rows, void *x, const bool *moves);

#endif
