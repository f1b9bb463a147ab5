/* AVX2: eight products a step. */
#include <immintrin.h>

#include "engine/weight_kernels.h"

static inline __m256i sources_of(const struct mr_kernel_shape *shape, const uint32_t *keys)
{
    const __m256i sources = _mm256_srl_epi32(_mm256_loadu_si256((const void *)keys),
                                             _mm_cvtsi32_si128((int)shape->band_bits));
    return _mm256_and_si256(sources, _mm256_set1_epi32((int)shape->source_mask));
}

static void products_of_floats(const struct mr_kernel_shape *shape, const uint32_t *keys,
                               const float *weights, size_t n_keys, const void *x, double *products)
{
    size_t i = 0;
    for (; i + 8 <= n_keys; i += 8) {
        const __m256 w = _mm256_loadu_ps(weights + i);
        const __m256 v = _mm256_i32gather_ps(x, sources_of(shape, keys + i), sizeof(float));
        const __m256d low = _mm256_mul_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(w)),
                                          _mm256_cvtps_pd(_mm256_castps256_ps128(v)));
        const __m256d high = _mm256_mul_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(w, 1)),
                                           _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)));
        _mm256_storeu_pd(products + i, low);
        _mm256_storeu_pd(products + i + 4, high);
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
    for (; i + 8 <= n_keys; i += 8) {
        const __m256 w = _mm256_loadu_ps(weights + i);
        const __m256i sources = sources_of(shape, keys + i);
        const __m256d low = _mm256_i32gather_pd(x, _mm256_castsi256_si128(sources), sizeof(double));
        const __m256d high =
            _mm256_i32gather_pd(x, _mm256_extracti128_si256(sources, 1), sizeof(double));
        _mm256_storeu_pd(products + i,
                         _mm256_mul_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(w)), low));
        _mm256_storeu_pd(products + i + 4,
                         _mm256_mul_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(w, 1)), high));
    }
    for (; i < n_keys; i++) {
        const uint32_t source = (keys[i] >> shape->band_bits) & shape->source_mask;
        products[i] = (double)weights[i] * ((const double *)x)[source];
    }
}

const struct mr_weight_kernels mr_weight_kernels_avx2 = {
    .name = "avx2", .products = {products_of_floats, products_of_doubles}};
