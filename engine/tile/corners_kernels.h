/* The loops behind engine/tile/corners.h, one set per instruction set, all giving the same bits. Internal.
 *
 * Sums of doubles are made in eight lanes, lane i taking elements i, i + 8, ..., and then joined as
 * ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)); everything else is integer and has no order. */
#ifndef MR_ENGINE_TILE_CORNERS_KERNELS_H
#define MR_ENGINE_TILE_CORNERS_KERNELS_H

#include "engine/tile/corners.h"

/* Of struct mr_key_kernels. The stream `in` of `n_keys` entries of `part`: sums[row] += or -= what the
 * stream says. Returns the position after it, or NULL when it does not decode, or leaves the rows of
 * the part; sums are then unspecified. Columns are masked. */
typedef const uint8_t *(*mr_corner_stream_kernel)(const struct mr_corners_shape *shape,
                                                  const struct mr_corners *part, const uint8_t *in,
                                                  size_t n_keys, const uint64_t *through,
                                                  uint64_t *sums);

/* The loops for rows of several values, of one width; what is [width] is one number for each value. */
struct mr_corner_row_kernels {
    /* By enum mr_value, float and double: x[n * width], n a multiple of 8, to through[n * width], the total
     * a scan may find at most, and what 1 stands for. */
    void (*values[2])(const void *x, size_t n, uint64_t *through, uint64_t *total, double *quantum);
    mr_corner_stream_kernel stream[MR_CORNER_STREAMS];
    /* As scan_double. */
    bool (*scan)(const uint8_t *restarts, size_t n_groups, uint64_t *sums, const uint64_t *total,
                 const double *quantum, double *accumulator);
};

/* 2^k with 2^k * sum in [2^61, 2^62), or the largest of use where that is beyond doubles; `quantum` is its
 * inverse. Of a sum that is not finite 1, and a quantum of NaN. */
double mr_corners_scale(double sum, double *quantum);

/* The sum of eight lanes. */
static inline double mr_corners_join(const double lanes[8])
{
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

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
     * is 64-byte aligned. `has_negative` and `scale`: what the sum said, and mr_corners_scale of it.
     * Returns the total. */
    uint64_t (*prefix_float)(const float *x, size_t n, bool has_negative, double scale,
                             uint64_t *through);
    uint64_t (*prefix_double)(const double *x, size_t n, bool has_negative, double scale,
                              uint64_t *through);
    uint64_t (*prefix_u64)(const uint64_t *x, size_t n, uint64_t *through);

    /* Rows in groups of eight: sum = (restart ? 0 : sum) + sums[i], sums[i] = 0, accumulator[i] +=
     * quantum * (int64_t)sum. False when one was above `total`, unsigned. */
    bool (*scan_double)(const uint8_t *restarts, size_t n_groups, uint64_t *sums, uint64_t total,
                        double quantum, double *accumulator);
    void (*scan_u64)(const uint8_t *restarts, size_t n_groups, uint64_t *sums,
                     uint64_t *accumulator);
};

const struct mr_corners_kernels *mr_corners_best_kernels(void);

/* For tests and benchmarks: the sets this machine can run, by index; NULL past the last. */
const struct mr_corners_kernels *mr_corners_kernels_at(unsigned index);

#if defined(__x86_64__)
extern const struct mr_corners_kernels mr_corners_kernels_avx512, mr_corners_kernels_avx2;
#endif

#endif
