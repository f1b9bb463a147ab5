/* SPDX-License-Identifier: Apache-2.0 */
/* Solves the small least-squares problems of the acceleration: Gauss-Jordan elimination on the
 * normal equations. A slight regularisation keeps nearly dependent columns harmless. */
#include "algorithms/base/least_squares.h"

#include <math.h>

bool mr_least_squares_solve(double m[MR_LEAST_SQUARES_MAX][MR_LEAST_SQUARES_MAX + 1], unsigned n,
                            double *gamma)
{
    enum { RIGHT = MR_LEAST_SQUARES_MAX }; /* the column of the right-hand side */
    for (unsigned i = 0; i < n; i++) {
        m[i][i] *= 1 + 1e-10;
    }
    for (unsigned c = 0; c < n; c++) {
        unsigned pivot = c;
        for (unsigned r = c + 1; r < n; r++) {
            pivot = fabs(m[r][c]) > fabs(m[pivot][c]) ? r : pivot;
        }
        if (!(fabs(m[pivot][c]) > 0)) {
            return false;
        }
        for (unsigned k = 0; k <= RIGHT; k++) {
            double swap = m[c][k];
            m[c][k] = m[pivot][k];
            m[pivot][k] = swap;
        }
        for (unsigned r = 0; r < n; r++) {
            if (r == c) {
                continue;
            }
            const double q = m[r][c] / m[c][c];
            for (unsigned k = c; k <= RIGHT; k++) {
                m[r][k] -= q * m[c][k];
            }
        }
    }
    for (unsigned i = 0; i < n; i++) {
        gamma[i] = m[i][RIGHT] / m[i][i];
        if (!isfinite(gamma[i])) {
            return false;
        }
    }
    return true;
}
