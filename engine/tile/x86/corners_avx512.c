/* SPDX-License-Identifier: Apache-2.0 */
/* The loops over columns and rows of corner tiles for AVX-512 (corners_kernels.h): eight columns or
 * rows a step. A prefix sum inside a register takes three shifted additions. The sum carried from
 * step to step is added last, so that a step waits for the one before by one addition and one
 * permutation. In a segmented sum a mask leaves out the shifted addition of a lane where a restart
 * lies between, and the carried sum from the first restart on. */
#include <immintrin.h>

#include "engine/base/kernels.h"
#include "engine/tile/corners_kernels.h"

static int supported(void)
{
    return mr_kernels_allow(MR_KERNELS_AVX512) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw");
}

static double join_lanes(__m512d v)
{
    double lanes[8];
    _mm512_storeu_pd(lanes, v);
    return mr_corners_join(lanes);
}

static inline __m512d load_float(const float *x)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(x));
}

#define SUM(NAME, VALUE, LOAD)                                                                     \
    static double NAME(const VALUE *x, size_t n, bool *has_negative)                               \
    {                                                                                              \
        __m512d sum = _mm512_setzero_pd();                                                         \
        __mmask8 negative = 0;                                                                     \
        for (size_t i = 0; i < n; i += 8) {                                                        \
            const __m512d v = LOAD(x + i);                                                         \
            negative |= _mm512_movepi64_mask(_mm512_castpd_si512(v));                              \
            sum = _mm512_add_pd(sum, _mm512_abs_pd(v));                                            \
        }                                                                                          \
        *has_negative = negative != 0;                                                             \
        return join_lanes(sum);                                                                    \
    }

SUM(sum_float, float, load_float)
SUM(sum_double, double, _mm512_loadu_pd)

static inline __m512i shift_lanes_1(__m512i v)
{
    return _mm512_alignr_epi64(v, _mm512_setzero_si512(), 7);
}

static inline __m512i shift_lanes_2(__m512i v)
{
    return _mm512_alignr_epi64(v, _mm512_setzero_si512(), 6);
}

static inline __m512i shift_lanes_4(__m512i v)
{
    return _mm512_alignr_epi64(v, _mm512_setzero_si512(), 4);
}

static inline __m512i last_lane(__m512i v)
{
    return _mm512_permutexvar_epi64(_mm512_set1_epi64(7), v);
}

static inline __m512i prefix_sum(__m512i v)
{
    v = _mm512_add_epi64(v, shift_lanes_1(v));
    v = _mm512_add_epi64(v, shift_lanes_2(v));
    return _mm512_add_epi64(v, shift_lanes_4(v));
}

#define PREFIX(NAME, VALUE, LOAD)                                                                  \
    static uint64_t NAME(const VALUE *x, size_t n, bool has_negative, double scale,                \
                         uint64_t *through)                                                        \
    {                                                                                              \
        (void)has_negative;                                                                        \
        const __m512d factor = _mm512_set1_pd(scale), zero = _mm512_setzero_pd();                  \
        const __m512i one = _mm512_set1_epi64(1);                                                  \
        __m512i carry = _mm512_setzero_si512();                                                    \
        for (size_t i = 0; i < n; i += 8) {                                                        \
            const __m512d v = LOAD(x + i);                                                         \
            const __mmask8 positive = _mm512_cmp_pd_mask(v, zero, _CMP_GT_OQ);                     \
            __m512i integer = _mm512_cvttpd_epi64(_mm512_mul_pd(factor, v));                       \
            integer = _mm512_mask_add_epi64(integer, positive, integer, one);                      \
            integer = _mm512_add_epi64(prefix_sum(integer), carry);                                \
            _mm512_store_si512(through + i, integer);                                              \
            carry = last_lane(integer);                                                            \
        }                                                                                          \
        return (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(carry));                         \
    }

PREFIX(prefix_float, float, load_float)
PREFIX(prefix_double, double, _mm512_loadu_pd)

static uint64_t prefix_u64(const uint64_t *x, size_t n, uint64_t *through)
{
    __m512i carry = _mm512_setzero_si512();
    for (size_t i = 0; i < n; i += 8) {
        const __m512i v = _mm512_add_epi64(prefix_sum(_mm512_loadu_si512(x + i)), carry);
        _mm512_store_si512(through + i, v);
        carry = last_lane(v);
    }
    return (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(carry));
}

/* The next eight row sums. */
static inline __m512i scan_step(unsigned restarts, __m512i v, __m512i carry)
{
    const unsigned open1 = ~restarts; /* lanes that continue the previous lane */
    const unsigned open2 = open1 & (open1 << 1);
    const unsigned open4 = open2 & (open2 << 2);
    const unsigned first = (restarts & -restarts) - 1; /* lanes before the first restart */
    v = _mm512_mask_add_epi64(v, (__mmask8)open1, v, shift_lanes_1(v));
    v = _mm512_mask_add_epi64(v, (__mmask8)open2, v, shift_lanes_2(v));
    v = _mm512_mask_add_epi64(v, (__mmask8)open4, v, shift_lanes_4(v));
    return _mm512_mask_add_epi64(v, (__mmask8)first, v, carry);
}

static bool scan_double(const uint8_t *restarts, size_t n_groups, uint64_t *sums, uint64_t total,
                        double quantum, double *accumulator)
{
    const __m512d factor = _mm512_set1_pd(quantum);
    const __m512i limit = _mm512_set1_epi64((long long)total), zero = _mm512_setzero_si512();
    __m512i carry = zero;
    __mmask8 outside = 0;
    for (size_t i = 0; i < n_groups; i++, sums += 8, accumulator += 8) {
        const __m512i v = scan_step(restarts[i], _mm512_loadu_si512(sums), carry);
        _mm512_storeu_si512(sums, zero);
        carry = last_lane(v);
        outside |= _mm512_cmpgt_epu64_mask(v, limit);
        const __m512d product = _mm512_mul_pd(factor, _mm512_cvtepi64_pd(v));
        _mm512_storeu_pd(accumulator, _mm512_add_pd(_mm512_loadu_pd(accumulator), product));
    }
    return outside == 0;
}

static void scan_u64(const uint8_t *restarts, size_t n_groups, uint64_t *sums,
                     uint64_t *accumulator)
{
    __m512i carry = _mm512_setzero_si512();
    for (size_t i = 0; i < n_groups; i++, sums += 8, accumulator += 8) {
        const __m512i v = scan_step(restarts[i], _mm512_loadu_si512(sums), carry);
        _mm512_storeu_si512(sums, _mm512_setzero_si512());
        carry = last_lane(v);
        _mm512_storeu_si512(accumulator, _mm512_add_epi64(_mm512_loadu_si512(accumulator), v));
    }
}

const struct mr_corners_kernels mr_corners_kernels_avx512 = {
    .name = "avx512",
    .supported = supported,
    .sum_float = sum_float,
    .sum_double = sum_double,
    .prefix_float = prefix_float,
    .prefix_double = prefix_double,
    .prefix_u64 = prefix_u64,
    .scan_double = scan_double,
    .scan_u64 = scan_u64,
};
