/* SPDX-License-Identifier: Apache-2.0 */
/* The loops behind engine/tile/corners.h. Each instruction set has one set of them, and all sets
 * give the same bits. Internal.
 *
 * A sum of doubles has eight lanes. Lane i takes elements i, i + 8, ...; the lanes are then joined
 * as ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)). All other sums are integers, whose order does not
 * matter. */
#ifndef MR_ENGINE_TILE_CORNERS_KERNELS_H
#define MR_ENGINE_TILE_CORNERS_KERNELS_H

#include "engine/tile/corners.h"

/* A kernel of struct mr_key_kernels for the stream `in` of `n_keys` entries of `part`: adds to
 * sums[row], or subtracts from it, what the stream says. Returns the position after the stream.
 * Returns NULL when the stream does not decode or leaves the rows of the part; the sums are then
 * unspecified. Columns are masked. */
typedef const uint8_t *(*mr_corner_stream_kernel)(const struct mr_corners_shape *shape,
                                                  const struct mr_corners *part, const uint8_t *in,
                                                  size_t n_keys, const uint64_t *through,
                                                  uint64_t *sums);

/* Returns the scale of a sum: 2^k with 2^k * sum in [2^61, 2^62), or the largest useful power where
 * that is beyond doubles. `*quantum` is its inverse. If the sum is not finite, returns 1 and sets
 * the quantum to NaN. */
double mr_corners_scale(double sum, double *quantum);

/* The sum of eight lanes, in the fixed order. */
static inline double mr_corners_join(const double lanes[8])
{
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/* Turn decoded entries into column << band_bits | row, in place. False when a row is outside the
 * part. */
typedef bool (*mr_corner_unpacker)(const struct mr_corners_shape *shape,
                                   const struct mr_corners *part, uint32_t *keys, size_t n_keys);

struct mr_corners_kernels {
    const char *name;
    int (*supported)(void);

    /* Sum of |x[n]|, n a multiple of 8. `*has_negative`: the sign bit of some x is set. */
    double (*sum_float)(const float *x, size_t n, bool *has_negative);
    double (*sum_double)(const double *x, size_t n, bool *has_negative);

    /* through[i] = sum over j <= i of trunc(scale * x[j]) + (x[j] > 0), n a multiple of 8; through
     * is 64-byte aligned. `has_negative` comes from the sum, `scale` from mr_corners_scale. Returns
     * the total. */
    uint64_t (*prefix_float)(const float *x, size_t n, bool has_negative, double scale,
                             uint64_t *through);
    uint64_t (*prefix_double)(const double *x, size_t n, bool has_negative, double scale,
                              uint64_t *through);
    uint64_t (*prefix_u64)(const uint64_t *x, size_t n, uint64_t *through);

    /* Rows in groups of eight: sum = (restart ? 0 : sum) + sums[i], sums[i] = 0, accumulator[i] +=
     * quantum * (int64_t)sum. False when a sum, taken as unsigned, was above `total`. */
    bool (*scan_double)(const uint8_t *restarts, size_t n_groups, uint64_t *sums, uint64_t total,
                        double quantum, double *accumulator);
    void (*scan_u64)(const uint8_t *restarts, size_t n_groups, uint64_t *sums,
                     uint64_t *accumulator);
};

const struct mr_corners_kernels *mr_corners_best_kernels(void);

/* For tests and benchmarks: the sets that this machine can run, by index; NULL past the last
 * one. */
const struct mr_corners_kernels *mr_corners_kernels_at(unsigned index);

#if defined(__x86_64__)
extern const struct mr_corners_kernels mr_corners_kernels_avx512, mr_corners_kernels_avx2;
#endif

#endif
