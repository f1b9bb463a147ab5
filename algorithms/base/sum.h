/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of doubles with a small error, for any number of terms. Internal to algorithms. */
#ifndef MR_ALGORITHMS_BASE_SUM_H
#define MR_ALGORITHMS_BASE_SUM_H

/* A sum of nonnegative numbers that compensates for rounding (Neumaier 1974). The relative error of
 * mr_sum_value is below 4 u for up to 2^24 terms. A plain sum has an error of that many u. */
struct mr_sum {
    double sum, rest;
};

static inline void mr_sum_add(struct mr_sum *s, double x)
{
    const double sum = s->sum + x;
    s->rest += s->sum >= x ? (s->sum - sum) + x : (x - sum) + s->sum;
    s->sum = sum;
}

static inline double mr_sum_value(const struct mr_sum *s)
{
    return s->sum + s->rest;
}

#endif
