/* AVX-512: sixteen products a step. */
#include <immintrin.h>

#include "engine/weight_kernels.h"

static inline __m512i sources_of(const struct mr_kernel_shape *shape, const uint32_t *keys)
{
    const __m512i sources =
        _mm512_srl_epi32(_mm512_loadu_si512(keys), _mm_cvtsi32_si128((int)shape->band_bits));
    return _mm512_and_si512(sources, _mm512_set1_epi32((int)shape->source_mask));
}

static inline __m512d low_half(__m512 v)
{
    return _mm512_cvtps_pd(_mm512_castps512_ps256(v));
}

static inline __m512d high_half(__m512 v)
{
    return _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1)));
}

static void products_of_floats(const struct mr_kernel_shape *shape, const uint32_t *keys,
                               const float *weights, size_t n_keys, const void *x, double *products)
{
    size_t i = 0;
    for (; i + 16 <= n_keys; i += 16) {
        const __m512 w = _mm512_loadu_ps(weights + i);
        const __m512 v = _mm512_i32gather_ps(sources_of(shape, keys + i), x, sizeof(float));
        _mm512_storeu_pd(products + i, _mm512_mul_pd(low_half(w), low_half(v)));
        _mm512_storeu_pd(products + i + 8, _mm512_mul_pd(high_half(w), high_half(v)));
    }
    for (; i < n_keys; i++) {
        const uint32_t source = (keys[i] >> shape->band_bits) & shape->source_mask;
        products[i] = (double)weights[i] * (double)((const float *)x)[source];
    }
}

static void products_of_doubles(const struct mr_kernel_shape *shape, const uint32_t *keys,
                                const float *weights, size_t n_keys, const void *x,
                                double *products)
{
    size_t i = 0;
    for (; i + 16 <= n_keys; i += 16) {
        const __m512 w = _mm512_loadu_ps(weights + i);
        const __m512i sources = sources_of(shape, keys + i);
        const __m512d low = _mm512_i32gather_pd(_mm512_castsi512_si256(sources), x, sizeof(double));
        const __m512d high =
            _mm512_i32gather_pd(_mm512_extracti64x4_epi64(sources, 1), x, sizeof(double));
        _mm512_storeu_pd(products + i, _mm512_mul_pd(low_half(w), low));
        _mm512_storeu_pd(products + i + 8, _mm512_mul_pd(high_half(w), high));
    }
    for (; i < n_keys; i++) {
        const uint32_t source = (keys[i] >> shape->band_bits) & shape->source_mask;
        products[i] = (double)weights[i] * ((const double *)x)[source];
    }
}

const struct mr_weight_kernels mr_weight_kernels_avx512 = {
    .name = "avx512f", .products = {products_of_floats, products_of_doubles}};
