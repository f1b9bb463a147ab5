/* The loops behind engine/corners.h, one set per instruction set, all giving the same bits. Internal.
 *
 * Sums of doubles are made in eight lanes, lane i taking elements i, i + 8, ..., and then joined as
 * ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)); everything else is integer and has no order. */
#ifndef MR_ENGINE_CORNERS_KERNELS_H
#define MR_ENGINE_CORNERS_KERNELS_H

#include "engine/corners.h"

/* Of struct mr_key_kernels. The stream `in` of `n_keys` entries of `part`: sums[row] += or -= what the
 * stream says. Returns the position after it, or NULL when it does not decode, or leaves the rows of
 * the part; sums are then unspecified. Columns are masked. */
typedef const uint8_t *(*mr_corner_stream_kernel)(const struct mr_corners_shape *shape,
                                                  const struct mr_corners *part, const uint8_t *in,
                                                  size_t n_keys, const uint64_t *through,
                                                  uint64_t *sums);

/* Decoded entries to column << band_bits | row, in place. False when a row is not one of the part's. */
typedef bool (*mr_corner_unpacker)(const struct mr_corners_shape *shape,
                                   const struct mr_corners *part, uint32_t *keys, size_t n_keys);

struct mr_corners_kernels {
    const char *name;
    int (*supported)(void);

    /* Sum of |x[n]|, n a multiple of 8; `*has_negative`: some x has its sign bit set. */
    double (*sum_float)(const float *x, size_t n, bool *has_negative);
    double (*sum_double)(const double *x, size_t n, bool *has_negative);

    /* through[i] = sum over j <= i of trunc(scale * x[j]) + (x[j] > 0), n a multiple of 8; through
     * is 64-byte aligned. Returns the total. */
    uint64_t (*prefix_float)(const float *x, size_t n, double scale, uint64_t *through);
    uint64_t (*prefix_double)(const double *x, size_t n, double scale, uint64_t *through);
    uint64_t (*prefix_u64)(const uint64_t *x, size_t n, uint64_t *through);

    /* Rows in groups of eight: sum = (restart ? 0 : sum) + sums[i], sums[i] = 0, accumulator[i] +=
     * quantum * (int64_t)sum. False when one was above `total`, unsigned. */
    bool (*scan_double)(const uint8_t *restarts, size_t n_groups, uint64_t *sums, uint64_t total,
                        double quantum, double *accumulator);
    void (*scan_u64)(const uint8_t *restarts, size_t n_groups, uint64_t *sums,
                     uint64_t *accumulator);
};

const struct mr_corners_kernels *mr_corners_best_kernels(void);

/* The same for one of several values a vertex, `stride` apart: x[i * stride]. Portable. */
double mr_corners_sum_strided(enum mr_value value, const void *x, size_t n, size_t stride,
                              bool *has_negative);
uint64_t mr_corners_prefix_strided(enum mr_value value, const void *x, size_t n, size_t stride,
                                   double scale, uint64_t *through);
bool mr_corners_scan_strided(const uint8_t *restarts, size_t n_groups, uint64_t *sums,
                             uint64_t total, double quantum, double *accumulator, size_t stride);

/* For tests and benchmarks: the sets this machine can run, by index; NULL past the last. */
const struct mr_corners_kernels *mr_corners_kernels_at(unsigned index);

#if defined(__x86_64__)
extern const struct mr_corners_kernels mr_corners_kernels_avx512;
#endif

#endif
