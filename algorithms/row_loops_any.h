/* The loops of one instruction set. Included by a row_loops_X.c, compiled with its flags, after it defined
 *
 *     VECTOR_BYTES      16 or 32: what one instruction has
 *     ROW_LOOPS         the table to define
 *
 * Left to itself the compiler makes vectors of neighbouring rows, and shuffles them together: columns are
 * taken a vector at a time, so that additions row by row are one instruction each. */
#include <math.h>
#include <stdalign.h>
#include <stddef.h>

#include "algorithms/row_loops.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define VECTORS(N)                                                                                 \
    typedef double doubles_##N                                                                     \
        __attribute__((vector_size(8 * (N)), aligned(alignof(double)), may_alias));                \
    typedef float floats_##N                                                                       \
        __attribute__((vector_size(4 * (N)), aligned(alignof(float)), may_alias));                 \
    typedef uint64_t words_##N                                                                     \
        __attribute__((vector_size(8 * (N)), aligned(alignof(uint64_t)), may_alias));              \
    ALWAYS_INLINE doubles_##N absolute_##N(doubles_##N v)                                          \
    {                                                                                              \
        return (doubles_##N)((words_##N)v & (UINT64_MAX >> 1));                                    \
    }                                                                                              \
    ALWAYS_INLINE doubles_##N choose_##N(words_##N mask, doubles_##N yes, doubles_##N no)          \
    {                                                                                              \
        return (doubles_##N)(((words_##N)yes & mask) | ((words_##N)no & ~mask));                   \
    }
#define CONVERT_VECTOR(V, TYPE) __builtin_convertvector((V), TYPE)
#define CONVERT_SCALAR(V, TYPE) ((TYPE)(V))

VECTORS(2)
#if VECTOR_BYTES >= 32
VECTORS(4)
#endif

/* A column by itself: the same names for plain numbers. */
typedef double doubles_1;
typedef float floats_1;
typedef uint64_t words_1;

ALWAYS_INLINE double absolute_1(double v)
{
    return fabs(v);
}

ALWAYS_INLINE double choose_1(uint64_t mask, double yes, double no)
{
    return mask != 0 ? yes : no;
}

/* LANES columns from column j. */
#define UPDATE(NAME, VALUE, VALUES, LANES, CONVERT)                                                \
    ALWAYS_INLINE void NAME(struct mr_row_update *u, unsigned j, bool differs)                     \
    {                                                                                              \
        const size_t width = u->width;                                                             \
        const double *restrict start = u->start + j, *restrict linked = u->linked + j;             \
        const double *restrict degrees = u->degree, *restrict none = u->none;                      \
        const VALUE *restrict old = (const VALUE *)u->old + j;                                     \
        VALUE *restrict fresh = (VALUE *)u->fresh + j;                                             \
        float *restrict difference = differs ? u->difference + j : NULL;                           \
        const double damping = u->damping;                                                         \
        const words_##LANES still = *(const words_##LANES *)&u->still[j];                          \
        doubles_##LANES mass = *(const doubles_##LANES *)&u->mass[j];                              \
        doubles_##LANES dangling = *(const doubles_##LANES *)&u->dangling[j];                      \
        doubles_##LANES change = *(const doubles_##LANES *)&u->change[j];                          \
        for (size_t i = 0, at = 0; i < u->n; i++, at += width) {                                   \
            const double degree = degrees[i];                                                      \
            const doubles_##LANES before = CONVERT(*(const VALUES *)(old + at), doubles_##LANES);  \
            const doubles_##LANES rank = *(const doubles_##LANES *)(start + at) +                  \
                                         damping * *(const doubles_##LANES *)(linked + at);        \
            const doubles_##LANES share = rank / degree;                                           \
            mass += rank;                                                                          \
            dangling += none[i] * rank;                                                            \
            change += absolute_##LANES(rank - before * degree);                                    \
            if (differs) {                                                                         \
                *(floats_##LANES *)(difference + at) = CONVERT(share - before, floats_##LANES);    \
            }                                                                                      \
            *(VALUES *)(fresh + at) = CONVERT(choose_##LANES(still, before, share), VALUES);       \
        }                                                                                          \
        *(doubles_##LANES *)&u->mass[j] = mass;                                                    \
        *(doubles_##LANES *)&u->dangling[j] = dangling;                                            \
        *(doubles_##LANES *)&u->change[j] = change;                                                \
    }

/* The products of two slots, or of one: `two` is a constant. */
#define PRODUCTS(LANES, CONVERT)                                                                   \
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
            const doubles_##LANES now =                                                            \
                square * CONVERT(*(const floats_##LANES *)(f + at), doubles_##LANES);              \
            const doubles_##LANES latest =                                                         \
                square * CONVERT(*(const floats_##LANES *)(newest + at), doubles_##LANES);         \
            const doubles_##LANES in_a =                                                           \
                CONVERT(*(const floats_##LANES *)(a + at), doubles_##LANES);                       \
            newest_a += latest * in_a;                                                             \
            f_a += now * in_a;                                                                     \
            if (two) {                                                                             \
                const doubles_##LANES in_b =                                                       \
                    CONVERT(*(const floats_##LANES *)(b + at), doubles_##LANES);                   \
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

#define LOOPS(LANES, CONVERT)                                                                      \
    UPDATE(update_float_##LANES, float, floats_##LANES, LANES, CONVERT)                            \
    UPDATE(update_double_##LANES, double, doubles_##LANES, LANES, CONVERT)                         \
    PRODUCTS(LANES, CONVERT)                                                                       \
    static void update_columns_##LANES(struct mr_row_update *u)                                    \
    {                                                                                              \
        for (unsigned j = 0; j < u->width; j += (LANES)) {                                         \
            if (u->is_single && u->difference != NULL) {                                           \
                update_float_##LANES(u, j, true);                                                  \
            } else if (u->is_single) {                                                             \
                update_float_##LANES(u, j, false);                                                 \
            } else if (u->difference != NULL) {                                                    \
                update_double_##LANES(u, j, true);                                                 \
            } else {                                                                               \
                update_double_##LANES(u, j, false);                                                \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
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

LOOPS(1, CONVERT_SCALAR)
LOOPS(2, CONVERT_VECTOR)
#if VECTOR_BYTES >= 32
LOOPS(4, CONVERT_VECTOR)
#endif

static void update(struct mr_row_update *u)
{
    if (u->width == 1) {
        update_columns_1(u);
#if VECTOR_BYTES >= 32
    } else if (u->width >= 4) {
        update_columns_4(u);
#endif
    } else {
        update_columns_2(u);
    }
}

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

const struct mr_row_loops ROW_LOOPS = {.update = update, .observe = observe, .step = step};
