/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of one instruction set. Included by a row_loops_X.c, compiled with its flags, after it
 * defined
 *
 *     VECTOR_BYTES      16 or 32: what one instruction has
 *     ROW_LOOPS         the table to define
 *
 * Left to itself the compiler makes vectors of neighbouring rows, and shuffles them together:
 * columns are taken a vector at a time, so that additions row by row are one instruction each. */
#include <math.h>
#include <stddef.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "algorithms/base/row_loops.h"
#include "engine/base/vectors.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define VECTORS(N)                                                                                 \
    MR_VECTORS(N)                                                                                  \
    ALWAYS_INLINE doubles_##N absolute_##N(doubles_##N v)                                          \
    {                                                                                              \
        return (doubles_##N)((words_##N)v & (UINT64_MAX >> 1));                                    \
    }                                                                                              \
    ALWAYS_INLINE doubles_##N choose_##N(words_##N mask, doubles_##N yes, doubles_##N no)          \
    {                                                                                              \
        return (doubles_##N)(((words_##N)yes & mask) | ((words_##N)no & ~mask));                   \
    }

VECTORS(2)
#if VECTOR_BYTES >= 32
VECTORS(4)
#endif

/* Values from and to doubles. gcc 12 makes several instructions of a conversion of vectors, some of
 * them by way of the stack: where there is one, it is named. */
#if defined(__SSE2__)
ALWAYS_INLINE doubles_2 load_float_2(const float *values)
{
    return (doubles_2)_mm_cvtps_pd(
        _mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)(const void *)values));
}

ALWAYS_INLINE void store_float_2(float *values, doubles_2 v)
{
    _mm_storel_pi((__m64 *)(void *)values, _mm_cvtpd_ps((__m128d)v));
}
#else
ALWAYS_INLINE doubles_2 load_float_2(const float *values)
{
    return __builtin_convertvector(*(const floats_2 *)values, doubles_2);
}

ALWAYS_INLINE void store_float_2(float *values, doubles_2 v)
{
    *(floats_2 *)values = __builtin_convertvector(v, floats_2);
}
#endif

ALWAYS_INLINE void store_double_2(double *values, doubles_2 v)
{
    *(doubles_2 *)values = v;
}

#if VECTOR_BYTES >= 32
ALWAYS_INLINE doubles_4 load_float_4(const float *values)
{
    return (doubles_4)_mm256_cvtps_pd(_mm_loadu_ps(values));
}

ALWAYS_INLINE void store_float_4(float *values, doubles_4 v)
{
    _mm_storeu_ps(values, _mm256_cvtpd_ps((__m256d)v));
}

ALWAYS_INLINE void store_double_4(double *values, doubles_4 v)
{
    *(doubles_4 *)values = v;
}
#endif

/* A column by itself: the same names for plain numbers. */
typedef double doubles_1;
typedef uint64_t words_1;

ALWAYS_INLINE double load_float_1(const float *value)
{
    return (double)*value;
}

ALWAYS_INLINE void store_float_1(float *value, double v)
{
    *value = (float)v;
}

ALWAYS_INLINE double load_double_1(const double *value)
{
    return *value;
}

ALWAYS_INLINE void store_double_1(double *value, double v)
{
    *value = v;
}

ALWAYS_INLINE double absolute_1(double v)
{
    return fabs(v);
}

ALWAYS_INLINE double choose_1(uint64_t mask, double yes, double no)
{
    return mask != 0 ? yes : no;
}

/* The products of two slots, or of one: `two` is a constant. */
#define PRODUCTS(LANES)                                                                            \
    ALWAYS_INLINE void products_##LANES(const struct mr_row_observation *o,                        \
                                        struct mr_row_products *p, unsigned k, unsigned j,         \
                                        bool two)                                                  \
    {                                                                                              \
        const size_t width = o->width;                                                             \
        const float *restrict f = o->f + j, *restrict newest = o->newest_df + j;                   \
        const float *restrict a = o->df[k] + j, *restrict b = o->df[two ? k + 1 : k] + j;          \
        const double *restrict weight = o->weight;                                                 \
        doubles_##LANES newest_a = *(const doubles_##LANES *)&p->newest[k][j], newest_b = {0};     \
        doubles_##LANES f_a = *(const doubles_##LANES *)&p->f[k][j], f_b = {0};                    \
        if (two) {                                                                                 \
            newest_b = *(const doubles_##LANES *)&p->newest[k + 1][j];                             \
            f_b = *(const doubles_##LANES *)&p->f[k + 1][j];                                       \
        }                                                                                          \
        for (size_t i = 0, at = 0; i < o->n; i++, at += width) {                                   \
            const double square = weight[i] * weight[i];                                           \
            const doubles_##LANES now = square * load_float_##LANES(f + at);                       \
            const doubles_##LANES latest = square * load_float_##LANES(newest + at);               \
            const doubles_##LANES in_a = load_float_##LANES(a + at);                               \
            newest_a += latest * in_a;                                                             \
            f_a += now * in_a;                                                                     \
            if (two) {                                                                             \
                const doubles_##LANES in_b = load_float_##LANES(b + at);                           \
                newest_b += latest * in_b;                                                         \
                f_b += now * in_b;                                                                 \
            }                                                                                      \
        }                                                                                          \
        *(doubles_##LANES *)&p->newest[k][j] = newest_a;                                           \
        *(doubles_##LANES *)&p->f[k][j] = f_a;                                                     \
        if (two) {                                                                                 \
            *(doubles_##LANES *)&p->newest[k + 1][j] = newest_b;                                   \
            *(doubles_##LANES *)&p->f[k + 1][j] = f_b;                                             \
        }                                                                                          \
    }

#define LOOPS(LANES)                                                                               \
    PRODUCTS(LANES)                                                                                \
    static void observe_columns_##LANES(const struct mr_row_observation *o,                        \
                                        struct mr_row_products *p)                                 \
    {                                                                                              \
        for (unsigned j = 0; j < o->width; j += (LANES)) {                                         \
            unsigned k = 0;                                                                        \
            for (; k + 2 <= o->n_slots; k += 2) {                                                  \
                products_##LANES(o, p, k, j, true);                                                \
            }                                                                                      \
            if (k < o->n_slots) {                                                                  \
                products_##LANES(o, p, k, j, false);                                               \
            }                                                                                      \
        }                                                                                          \
    }

LOOPS(1)
LOOPS(2)
#if VECTOR_BYTES >= 32
LOOPS(4)
#endif

static void observe(const struct mr_row_observation *o, struct mr_row_products *p)
{
    const float *restrict f = o->f;
    float *restrict df = o->newest_df, *restrict dg = o->newest_dg;
    const size_t n_entries = (size_t)o->n * o->width;
    for (size_t i = 0; i < n_entries; i++) {
        const float difference = f[i] - df[i];
        df[i] = difference;
        dg[i] += difference;
    }
    if (o->width == 1) {
        observe_columns_1(o, p);
#if VECTOR_BYTES >= 32
    } else if (o->width >= 4) {
        observe_columns_4(o, p);
#endif
    } else {
        observe_columns_2(o, p);
    }
}

/* ---- The step: entries by themselves, whatever their column ---- */

/* Loads, then stores: `taken` may be what was loaded. */
ALWAYS_INLINE void step_some(const struct mr_row_step *s, uint64_t at, unsigned count,
                             unsigned n_slots, bool is_single)
{
    double moved[MR_ROWS_MAX_WIDTH], step[MR_ROWS_MAX_WIDTH];
    for (unsigned j = 0; j < count; j++) {
        double correction = 0;
        for (unsigned k = 0; k < n_slots; k++) {
            correction += s->gamma[k][j] * (double)s->dg[k][at + j];
        }
        const double g =
            is_single ? (double)((const float *)s->x)[at + j] : ((const double *)s->x)[at + j];
        const double less = g - correction;
        moved[j] = less > 0 ? less : 0;
        step[j] = (moved[j] - g) + (double)s->f[at + j];
    }
    for (unsigned j = 0; j < count; j++) {
        if (is_single) {
            ((float *)s->x)[at + j] = (float)moved[j];
        } else {
            ((double *)s->x)[at + j] = moved[j];
        }
    }
    for (unsigned j = 0; j < count; j++) {
        s->taken[at + j] = (float)step[j];
    }
}

ALWAYS_INLINE void step_all(const struct mr_row_step *s, uint64_t first, uint64_t end,
                            unsigned n_slots, bool is_single)
{
    uint64_t at = first;
    for (; at + MR_ROWS_MAX_WIDTH <= end; at += MR_ROWS_MAX_WIDTH) {
        step_some(s, at, MR_ROWS_MAX_WIDTH, n_slots, is_single);
    }
    for (; at < end; at += s->width) {
        step_some(s, at, s->width, n_slots, is_single);
    }
}

static void step(const struct mr_row_step *s, uint64_t first, uint64_t end)
{
    if (s->n_slots == 2 && !s->is_single) {
        step_all(s, first, end, 2, false);
    } else if (s->n_slots == 2) {
        step_all(s, first, end, 2, true);
    } else {
        step_all(s, first, end, s->n_slots, s->is_single);
    }
}

const struct mr_row_loops ROW_LOOPS = {.observe = observe, .step = step};
