/* SPDX-License-Identifier: Apache-2.0 */
/* The portable loops over columns and rows of corner tiles, and the choice of a set at run time.
 * corners.c calls the chosen set. The portable set defines the bits that the sets in x86/ must
 * give. */
#include "engine/tile/corners_kernels.h"

#include <string.h>

/* The portable set. */

enum { LANES = 8 };

#define SUM(NAME, VALUE, WORD, SIGN_SHIFT)                                                         \
    static double NAME(const VALUE *x, size_t n, bool *has_negative)                               \
    {                                                                                              \
        double lanes[LANES] = {0};                                                                 \
        WORD signs = 0;                                                                            \
        for (size_t i = 0; i < n; i += LANES) {                                                    \
            for (size_t k = 0; k < LANES; k++) {                                                   \
                WORD word;                                                                         \
                memcpy(&word, x + i + k, sizeof word);                                             \
                signs |= word;                                                                     \
                lanes[k] += x[i + k] < 0 ? -(double)x[i + k] : (double)x[i + k];                   \
            }                                                                                      \
        }                                                                                          \
        *has_negative = signs >> (SIGN_SHIFT) != 0;                                                \
        return mr_corners_join(lanes);                                                             \
    }

SUM(sum_float, float, uint32_t, 31)
SUM(sum_double, double, uint64_t, 63)

/* A value is out of range only where mr_corners_prepare has found x not finite; then any number
 * will do. */
static inline uint64_t to_integer(double scaled)
{
    return scaled > -0x1p63 && scaled < 0x1p63 ? (uint64_t)(int64_t)scaled : (uint64_t)1 << 63;
}

#define PREFIX(NAME, VALUE)                                                                        \
    static uint64_t NAME(const VALUE *x, size_t n, bool has_negative, double scale,                \
                         uint64_t *through)                                                        \
    {                                                                                              \
        (void)has_negative;                                                                        \
        uint64_t sum = 0;                                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            sum += to_integer(scale * (double)x[i]) + (x[i] > 0);                                  \
            through[i] = sum;                                                                      \
        }                                                                                          \
        return sum;                                                                                \
    }

PREFIX(prefix_float, float)
PREFIX(prefix_double, double)

static uint64_t prefix_u64(const uint64_t *x, size_t n, uint64_t *through)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        through[i] = sum;
    }
    return sum;
}

static bool scan_double(const uint8_t *restarts, size_t n_groups, uint64_t *restrict sums,
                        uint64_t total, double quantum, double *restrict accumulator)
{
    uint64_t sum = 0;
    unsigned is_outside = 0;
    for (size_t group = 0; group < n_groups; group++) {
        for (unsigned k = 0; k < LANES; k++, sums++, accumulator++) {
            sum = (sum & ((uint64_t)(restarts[group] >> k & 1) - 1)) + *sums;
            *sums = 0;
            is_outside |= sum > total;
            *accumulator += quantum * (double)(int64_t)sum;
        }
    }
    return !is_outside;
}

static void scan_u64(const uint8_t *restarts, size_t n_groups, uint64_t *restrict sums,
                     uint64_t *restrict accumulator)
{
    uint64_t sum = 0;
    for (size_t group = 0; group < n_groups; group++) {
        for (unsigned k = 0; k < LANES; k++, sums++, accumulator++) {
            sum = (sum & ((uint64_t)(restarts[group] >> k & 1) - 1)) + *sums;
            *sums = 0;
            *accumulator += sum;
        }
    }
}

static int always(void)
{
    return 1;
}

static const struct mr_corners_kernels portable = {
    .name = "portable",
    .supported = always,
    .sum_float = sum_float,
    .sum_double = sum_double,
    .prefix_float = prefix_float,
    .prefix_double = prefix_double,
    .prefix_u64 = prefix_u64,
    .scan_double = scan_double,
    .scan_u64 = scan_u64,
};

/* The sets, best first. */
static const struct mr_corners_kernels *const sets[] = {
#if defined(__x86_64__)
    &mr_corners_kernels_avx512,
    &mr_corners_kernels_avx2,
#endif
    &portable,
};

const struct mr_corners_kernels *mr_corners_kernels_at(unsigned index)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (sets[i]->supported() && index-- == 0) {
            return sets[i];
        }
    }
    return NULL;
}

const struct mr_corners_kernels *mr_corners_best_kernels(void)
{
    return mr_corners_kernels_at(0);
}
