/* SPDX-License-Identifier: Apache-2.0 */
/* The scatter where vertices have several values, one row of values per vertex; for one instruction
 * set. key_loops.h includes this file and defines what it needs.
 *
 * A row of eight doubles is a cache line, so an edge takes one line of values and one line of sums,
 * and neither x nor the sums of a band fit into L2. So keys are decoded AHEAD steps before they are
 * needed. A step's rows of values are prefetched as soon as it is decoded, and its rows of sums one
 * step before they are added to. Sources ascend, so only every fourth edge needs a new line of
 * values; but that line comes from memory, and the sums from L2.
 *
 * Measured on kron-22 (2^16 x 2^16 tiles, eight doubles, decoded keys, two threads), ns per edge:
 * 1.5 with values prefetched 128 keys ahead; 1.75 with 64 keys and into L2; 2.6 without prefetches;
 * 0.66 without values at all. A loop that the compiler left scalar took 11 in a pass. Bands split
 * into 2^15, 2^14 or 2^13 targets gain nothing, nor does loading a row of values once for all edges
 * of its source. */
#include "engine/base/vectors.h"

enum { AHEAD = 8, RING = 16, LINE = 64 };

/* Bytes of the widest vector. A row is several vectors of this size, or one shorter vector. */
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

MR_VECTORS(2)
#if VECTOR_BYTES >= 32
MR_VECTORS(4)
#endif
#if VECTOR_BYTES >= 64
MR_VECTORS(8)
#endif

/* Load N floats as doubles. */
#define LOAD_FLOATS(N)                                                                             \
    ALWAYS_INLINE doubles_##N load_float_##N(const float *values)                                  \
    {                                                                                              \
        return __builtin_convertvector(*(const floats_##N *)values, doubles_##N);                  \
    }
LOAD_FLOATS(2)
#if VECTOR_BYTES == 32
/* gcc 12 converts each half by itself, one of them through the stack. */
ALWAYS_INLINE doubles_4 load_float_4(const float *values)
{
    return (doubles_4)_mm256_cvtps_pd(_mm_loadu_ps(values));
}
#endif
#if VECTOR_BYTES >= 64
LOAD_FLOATS(4)
LOAD_FLOATS(8)
#endif

ALWAYS_INLINE void fetch_row(const void *row, size_t bytes, bool is_sum)
{
    for (size_t at = 0; at < bytes; at += LINE) {
        if (is_sum) {
            __builtin_prefetch((const char *)row + at, 1, 3);
        } else {
            __builtin_prefetch((const char *)row + at, 0, 3);
        }
    }
}

/* The scatter of rows of WIDTH values, LANES values per vector. */
#define SCATTER_ROWS(NAME, VALUE, LOAD, SUMS, WIDTH, LANES)                                        \
    ALWAYS_INLINE void NAME##_some(unsigned bits, uint32_t targets, uint32_t sources,              \
                                   const uint32_t *restrict keys, size_t n_keys,                   \
                                   const VALUE *restrict x, double *restrict accumulator)          \
    {                                                                                              \
        for (size_t i = 0; i < n_keys; i++) {                                                      \
            double *sum = accumulator + (size_t)(keys[i] & targets) * (WIDTH);                     \
            const VALUE *value = x + (size_t)((keys[i] >> bits) & sources) * (WIDTH);              \
            for (unsigned j = 0; j < (WIDTH); j += (LANES)) {                                      \
                *(SUMS *)(sum + j) += LOAD(value + j);                                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    ALWAYS_INLINE void NAME##_fetch(unsigned bits, uint32_t targets, uint32_t sources,             \
                                    const uint32_t *keys, size_t n_keys, const VALUE *x,           \
                                    const double *accumulator)                                     \
    {                                                                                              \
        for (size_t i = 0; i < n_keys; i++) {                                                      \
            if (accumulator != NULL) {                                                             \
                fetch_row(accumulator + (size_t)(keys[i] & targets) * (WIDTH),                     \
                          (WIDTH) * sizeof(double), true);                                         \
            } else {                                                                               \
                fetch_row(x + (size_t)((keys[i] >> bits) & sources) * (WIDTH),                     \
                          (WIDTH) * sizeof(VALUE), false);                                         \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    ALWAYS_INLINE const uint8_t *NAME##_shaped(                                                    \
        unsigned bits, uint32_t targets, uint32_t sources, const uint8_t *in, const uint8_t *end,  \
        size_t n_keys, const VALUE *restrict x, double *restrict accumulator)                      \
    {                                                                                              \
        uint32_t keys[RING][STEP];                                                                 \
        KEYS_STATE(state, in, 0);                                                                  \
        const size_t n_whole = n_keys / STEP;                                                      \
        const unsigned n_left = (unsigned)(n_keys % STEP);                                         \
        for (size_t i = 0; i < n_whole; i++) {                                                     \
            if (!keys_step(&state, end, STEP, keys[i % RING]) || state.in > end) {                 \
                return NULL;                                                                       \
            }                                                                                      \
            NAME##_fetch(bits, targets, sources, keys[i % RING], STEP, x, NULL);                   \
            if (i >= AHEAD) {                                                                      \
                NAME##_fetch(bits, targets, sources, keys[(i - AHEAD + 1) % RING], STEP, x,        \
                             accumulator);                                                         \
                NAME##_some(bits, targets, sources, keys[(i - AHEAD) % RING], STEP, x,             \
                            accumulator);                                                          \
            }                                                                                      \
        }                                                                                          \
        if (n_left > 0 &&                                                                          \
            (!keys_step(&state, end, n_left, keys[n_whole % RING]) || state.in > end)) {           \
            return NULL;                                                                           \
        }                                                                                          \
        for (size_t i = n_whole < AHEAD ? 0 : n_whole - AHEAD; i < n_whole; i++) {                 \
            NAME##_some(bits, targets, sources, keys[i % RING], STEP, x, accumulator);             \
        }                                                                                          \
        NAME##_some(bits, targets, sources, keys[n_whole % RING], n_left, x, accumulator);         \
        return state.in;                                                                           \
    }                                                                                              \
    /* Prefetches values AHEAD steps, and sums one step, before their turn. */                     \
    ALWAYS_INLINE void NAME##_decoded(unsigned bits, uint32_t targets, uint32_t sources,           \
                                      const uint32_t *restrict keys, size_t n_keys,                \
                                      const VALUE *restrict x, double *restrict accumulator)       \
    {                                                                                              \
        size_t i = 0;                                                                              \
        for (; n_keys - i >= (AHEAD + 1) * STEP; i += STEP) {                                      \
            NAME##_fetch(bits, targets, sources, keys + i + AHEAD * STEP, STEP, x, NULL);          \
            NAME##_fetch(bits, targets, sources, keys + i + STEP, STEP, x, accumulator);           \
            NAME##_some(bits, targets, sources, keys + i, STEP, x, accumulator);                   \
        }                                                                                          \
        NAME##_some(bits, targets, sources, keys + i, n_keys - i, x, accumulator);                 \
    }                                                                                              \
    static const uint8_t *NAME##_stream(const struct mr_kernel_shape *shape, const uint8_t *in,    \
                                        const uint8_t *end, size_t n_keys, const void *x,          \
                                        void *accumulator)                                         \
    {                                                                                              \
        if (shape->band_bits == 16 && shape->source_mask == 0xffff) {                              \
            return NAME##_shaped(16, 0xffff, 0xffff, in, end, n_keys, x, accumulator);             \
        }                                                                                          \
        return NAME##_shaped(shape->band_bits, shape->target_mask, shape->source_mask, in, end,    \
                             n_keys, x, accumulator);                                              \
    }                                                                                              \
    static void NAME##_keys(const struct mr_kernel_shape *shape, const uint32_t *keys,             \
                            size_t n_keys, const void *x, void *accumulator)                       \
    {                                                                                              \
        NAME##_decoded(shape->band_bits, shape->target_mask, shape->source_mask, keys, n_keys, x,  \
                       accumulator);                                                               \
    }

#define SCATTER_ROWS_OF(WIDTH, LANES)                                                              \
    SCATTER_ROWS(add_float_##WIDTH, float, load_float_##LANES, doubles_##LANES, WIDTH, LANES)      \
    SCATTER_ROWS(add_double_##WIDTH, double, load_double_##LANES, doubles_##LANES, WIDTH, LANES)

SCATTER_ROWS_OF(2, 2)
#if VECTOR_BYTES == 64
SCATTER_ROWS_OF(4, 4)
SCATTER_ROWS_OF(8, 8)
SCATTER_ROWS_OF(16, 8)
#elif VECTOR_BYTES == 32
SCATTER_ROWS_OF(4, 4)
SCATTER_ROWS_OF(8, 4)
SCATTER_ROWS_OF(16, 4)
#else
SCATTER_ROWS_OF(4, 2)
SCATTER_ROWS_OF(8, 2)
SCATTER_ROWS_OF(16, 2)
#endif
