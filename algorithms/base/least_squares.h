/* Small least-squares problems by their normal equations. Internal to algorithms. */
#ifndef MR_ALGORITHMS_BASE_LEAST_SQUARES_H
#define MR_ALGORITHMS_BASE_LEAST_SQUARES_H

#include <stdbool.h>

#define MR_LEAST_SQUARES_MAX 8u

/* Solve m[n][n] gamma = m[n][MR_LEAST_SQUARES_MAX], n at most MR_LEAST_SQUARES_MAX, a little regularised;
 * m is overwritten. False when the equations say nothing. O(n^3). */
bool mr_least_squares_solve(double m[MR_LEAST_SQUARES_MAX][MR_LEAST_SQUARES_MAX + 1], unsigned n,
                            double *gamma);

#endif
