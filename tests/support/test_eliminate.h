/* SPDX-License-Identifier: Apache-2.0 */
/* For unit tests: a dense solver in long double. It is the oracle of rankings that solve a linear
 * system. */
#ifndef MR_TESTS_SUPPORT_TEST_ELIMINATE_H
#define MR_TESTS_SUPPORT_TEST_ELIMINATE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Solve the n x n system `m` by elimination with pivots; column n has the right-hand side. */
static inline void test_eliminate(long double *m, uint32_t n, long double *x)
{
    const size_t w = (size_t)n + 1;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t p = c;
        for (uint32_t r = c + 1; r < n; r++) {
            p = fabsl(m[r * w + c]) > fabsl(m[p * w + c]) ? r : p;
        }
        for (uint32_t k = c; k <= n; k++) {
            long double swap = m[c * w + k];
            m[c * w + k] = m[p * w + k];
            m[p * w + k] = swap;
        }
        for (uint32_t r = c + 1; r < n; r++) {
            long double q = m[r * w + c] / m[c * w + c];
            for (uint32_t k = c; q != 0 && k <= n; k++) {
                m[r * w + k] -= q * m[c * w + k];
            }
        }
    }
    for (uint32_t r = n; r-- > 0;) {
        x[r] = m[r * w + n];
        for (uint32_t k = r + 1; k < n; k++) {
            x[r] -= m[r * w + k] * x[k];
        }
        x[r] /= m[r * w + r];
    }
}

#endif
