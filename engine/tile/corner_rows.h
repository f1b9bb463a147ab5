/* SPDX-License-Identifier: Apache-2.0 */
/* The loops over corner tiles where vertices have several values, one row of values per vertex; for
 * one instruction set. key_loops.h includes this file after key_rows.h and corners_loops.h. A row
 * of integers is a few vectors, so prefix sums and scans need no shifts inside a vector: they take
 * one addition per row. Each value gets the same bits as it would get alone (corners_kernels.h). */

enum { CORNER_SUMS = 8 }; /* sums of one value: rows i, i + 8, ... */

/* Find the scales from the sums of |x|, lane by lane. */
static void find_scales(unsigned width, const double *sums, const uint64_t *signs, double *scale,
                        uint64_t *total, double *quantum)
{
    for (unsigned j = 0; j < width; j++) {
        double parts[CORNER_SUMS];
        for (unsigned k = 0; k < CORNER_SUMS; k++) {
            parts[k] = sums[k * width + j];
        }
        scale[j] = mr_corners_scale(mr_corners_join(parts), &quantum[j]);
        total[j] = signs[j] >> 63 != 0 || quantum[j] != quantum[j] ? UINT64_MAX : 0;
    }
}

#define CORNER_VALUES(NAME, VALUE, VALUES, WIDTH, LANES)                                           \
    static void NAME(const void *values, size_t n, uint64_t *restrict through,                     \
                     uint64_t *restrict total, double *restrict quantum)                           \
    {                                                                                              \
        enum { N = (WIDTH) / (LANES) };                                                            \
        const VALUE *x = values;                                                                   \
        doubles_##LANES sums[CORNER_SUMS][N], scale[N];                                            \
        words_##LANES signs[N], sum[N];                                                            \
        memset(sums, 0, sizeof sums);                                                              \
        memset(signs, 0, sizeof signs);                                                            \
        memset(sum, 0, sizeof sum);                                                                \
        for (size_t i = 0; i < n; i += CORNER_SUMS) {                                              \
            for (unsigned k = 0; k < CORNER_SUMS * N; k++) {                                       \
                const VALUES value = *(const VALUES *)(x + i * (WIDTH) + (size_t)k * (LANES));     \
                const words_##LANES bits =                                                         \
                    (words_##LANES) __builtin_convertvector(value, doubles_##LANES);               \
                signs[k % N] |= bits;                                                              \
                sums[k / N][k % N] += (doubles_##LANES)(bits & (UINT64_MAX >> 1));                 \
            }                                                                                      \
        }                                                                                          \
        find_scales(WIDTH, (const double *)sums, (const uint64_t *)signs, (double *)scale, total,  \
                    quantum);                                                                      \
        for (size_t i = 0; i < n; i++) {                                                           \
            for (unsigned k = 0; k < N; k++) {                                                     \
                const size_t at = i * (WIDTH) + (size_t)k * (LANES);                               \
                const doubles_##LANES value =                                                      \
                    __builtin_convertvector(*(const VALUES *)(x + at), doubles_##LANES);           \
                const longs_##LANES integer =                                                      \
                    __builtin_convertvector(scale[k] * value, longs_##LANES);                      \
                /* a comparison is -1 where it holds */                                            \
                sum[k] += (words_##LANES)integer - (words_##LANES)(value > 0);                     \
                *(words_##LANES *)(through + at) = sum[k];                                         \
            }                                                                                      \
        }                                                                                          \
        for (unsigned j = 0; j < (WIDTH); j++) {                                                   \
            total[j] |= ((const uint64_t *)sum)[j];                                                \
        }                                                                                          \
    }

#define CORNER_SCAN(NAME, WIDTH, LANES)                                                            \
    static bool NAME(const uint8_t *restarts, size_t n_groups, uint64_t *restrict sums,            \
                     const uint64_t *restrict total, const double *restrict quantum,               \
                     double *restrict accumulator)                                                 \
    {                                                                                              \
        enum { N = (WIDTH) / (LANES) };                                                            \
        words_##LANES sum[N], outside[N];                                                          \
        memset(sum, 0, sizeof sum);                                                                \
        memset(outside, 0, sizeof outside);                                                        \
        for (size_t i = 0; i < 8 * n_groups; i++) {                                                \
            const uint64_t mask = (uint64_t)(restarts[i / 8] >> (i % 8) & 1) - 1;                  \
            for (unsigned k = 0; k < N; k++) {                                                     \
                words_##LANES *row = (words_##LANES *)(sums + i * (WIDTH) + (size_t)k * (LANES));  \
                doubles_##LANES *to =                                                              \
                    (doubles_##LANES *)(accumulator + i * (WIDTH) + (size_t)k * (LANES));          \
                sum[k] = (sum[k] & mask) + *row;                                                   \
                *row = (words_##LANES){0};                                                         \
                outside[k] |=                                                                      \
                    (words_##LANES)(sum[k] > *(const words_##LANES *)(total + k * (LANES)));       \
                *to += *(const doubles_##LANES *)(quantum + k * (LANES)) *                         \
                       __builtin_convertvector((longs_##LANES)sum[k], doubles_##LANES);            \
            }                                                                                      \
        }                                                                                          \
        uint64_t any = 0;                                                                          \
        for (unsigned j = 0; j < (WIDTH); j++) {                                                   \
            any |= ((const uint64_t *)outside)[j];                                                 \
        }                                                                                          \
        return any == 0;                                                                           \
    }

/* Rows are prefetched when their key is decoded, a step before they are needed. */
#define CORNER_STREAM(NAME, OP, IS_COLUMN, WIDTH, LANES)                                           \
    ALWAYS_INLINE void NAME##_some(unsigned bits, uint32_t rows, const uint32_t *restrict keys,    \
                                   size_t n, const uint64_t *restrict through,                     \
                                   uint64_t *restrict sums)                                        \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint64_t *at = through + (size_t)(keys[i] >> bits) * (WIDTH);                    \
            uint64_t *sum = sums + (size_t)(keys[i] & rows) * (WIDTH);                             \
            for (unsigned j = 0; j < (WIDTH); j += (LANES)) {                                      \
                words_##LANES amount = *(const words_##LANES *)(at + j);                           \
                if (IS_COLUMN) {                                                                   \
                    amount -= *(const words_##LANES *)(at + j - (WIDTH));                          \
                }                                                                                  \
                *(words_##LANES *)(sum + j) OP amount;                                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    ALWAYS_INLINE void NAME##_fetch(unsigned bits, uint32_t rows, const uint32_t *keys, size_t n,  \
                                    const uint64_t *through, const uint64_t *sums)                 \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            fetch_row(through + (size_t)(keys[i] >> bits) * (WIDTH), 8 * (WIDTH), false);          \
            fetch_row(sums + (size_t)(keys[i] & rows) * (WIDTH), 8 * (WIDTH), true);               \
        }                                                                                          \
    }                                                                                              \
    static const uint8_t *NAME##_stream(const struct mr_corners_shape *shape,                      \
                                        const struct mr_corners *part, const uint8_t *in,          \
                                        size_t n_keys, const uint64_t *through, uint64_t *sums)    \
    {                                                                                              \
        const unsigned bits = shape->band_bits;                                                    \
        const uint32_t rows = ((uint32_t)1 << bits) - 1;                                           \
        uint32_t keys[2][STEP];                                                                    \
        KEYS_STATE(state, in, 0);                                                                  \
        for (size_t i = 0; i < n_keys; i += STEP) {                                                \
            uint32_t *next = keys[i / STEP & 1];                                                   \
            const unsigned n = n_keys - i < STEP ? (unsigned)(n_keys - i) : STEP;                  \
            if (!(n == STEP ? keys_step(&state, part->end, STEP, next)                             \
                            : keys_step(&state, part->end, n, next)) ||                            \
                state.in > part->end || !corner_unpack(shape, part, next, n)) {                    \
                return NULL;                                                                       \
            }                                                                                      \
            NAME##_fetch(bits, rows, next, n, through, sums);                                      \
            if (i > 0) {                                                                           \
                NAME##_some(bits, rows, keys[(i / STEP - 1) & 1], STEP, through, sums);            \
            }                                                                                      \
        }                                                                                          \
        if (n_keys > 0) {                                                                          \
            const size_t last = (n_keys - 1) / STEP;                                               \
            NAME##_some(bits, rows, keys[last & 1], n_keys - last * STEP, through, sums);          \
        }                                                                                          \
        return state.in;                                                                           \
    }

#define CORNER_ROWS(WIDTH, LANES)                                                                  \
    CORNER_VALUES(corner_values_float_##WIDTH, float, floats_##LANES, WIDTH, LANES)                \
    CORNER_VALUES(corner_values_double_##WIDTH, double, doubles_##LANES, WIDTH, LANES)             \
    CORNER_SCAN(corner_scan_##WIDTH, WIDTH, LANES)                                                 \
    CORNER_STREAM(corner_add_##WIDTH, +=, true, WIDTH, LANES)                                      \
    CORNER_STREAM(corner_subtract_##WIDTH, -=, true, WIDTH, LANES)                                 \
    CORNER_STREAM(corner_add_through_##WIDTH, +=, false, WIDTH, LANES)                             \
    CORNER_STREAM(corner_subtract_through_##WIDTH, -=, false, WIDTH, LANES)

CORNER_ROWS(2, 2)
#if VECTOR_BYTES == 64
CORNER_ROWS(4, 4)
CORNER_ROWS(8, 8)
CORNER_ROWS(16, 8)
#elif VECTOR_BYTES == 32
CORNER_ROWS(4, 4)
CORNER_ROWS(8, 4)
CORNER_ROWS(16, 4)
#else
CORNER_ROWS(4, 2)
CORNER_ROWS(8, 2)
CORNER_ROWS(16, 2)
#endif

#define CORNER_ROW_KERNELS(WIDTH)                                                                  \
    {                                                                                              \
        .values = {corner_values_float_##WIDTH, corner_values_double_##WIDTH},                     \
        .stream = {corner_add_##WIDTH##_stream, corner_subtract_##WIDTH##_stream,                  \
                   corner_add_through_##WIDTH##_stream, corner_subtract_through_##WIDTH##_stream}, \
        .scan = corner_scan_##WIDTH                                                                \
    }
