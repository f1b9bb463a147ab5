/* SPDX-License-Identifier: Apache-2.0 */
/* Least-squares problems of a few unknowns, solved by their normal equations. Internal to
 * algorithms. */
#ifndef MR_ALGORITHMS_BASE_LEAST_SQUARES_H
#define MR_ALGORITHMS_BASE_LEAST_SQUARES_H

#include <stdbool.h>

#define MR_LEAST_SQUARES_MAX 8u

/* Solve m[n][n] gamma = m[n][MR_LEAST_SQUARES_MAX], where n is at most MR_LEAST_SQUARES_MAX. The
 * equations are slightly regularised; m is overwritten. Returns false when the equations determine
 * nothing. Time: O(n^3). */
bool mr_least_squares_solve(double m[MR_LEAST_SQUARES_MAX][MR_LEAST_SQUARES_MAX + 1], unsigned n,
                            double *gamma);

#endif
