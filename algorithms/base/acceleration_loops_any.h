/* SPDX-License-Identifier: Apache-2.0 */
/* Included once for each instruction set, with ACCELERATION_LOOPS the name of its loops. These are
 * plain loops over neighbouring entries with constant bounds, of which compilers make vectors
 * without changing a bit. */
#include "algorithms/base/acceleration_loops.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { LANES = MR_ACCELERATION_LANES, TOGETHER = 16 };

ALWAYS_INLINE float get(const void *differences, size_t i, bool is_wide)
{
    return is_wide ? ((const float *)differences)[i]
                   : mr_half_value(((const uint16_t *)differences)[i]);
}

ALWAYS_INLINE void put(void *differences, size_t i, float value, bool is_wide)
{
    if (is_wide) {
        ((float *)differences)[i] = value;
    } else {
        ((uint16_t *)differences)[i] = mr_half_of(value);
    }
}

/* ---- Observing ---- */

ALWAYS_INLINE void complete_slot(const struct mr_acceleration_piece *p, bool is_wide)
{
    const float *restrict f = p->f;
    void *restrict df = p->newest_df, *restrict dg = p->newest_dg;
    for (size_t i = 0; i < p->n; i++) {
        const float difference = f[i] - get(df, i, is_wide);
        put(df, i, difference, is_wide);
        put(dg, i, get(dg, i, is_wide) + difference, is_wide);
    }
}

/* The newest differences and f, times the squares of the weights. */
struct weighed {
    double newest[MR_ACCELERATION_PIECE], f[MR_ACCELERATION_PIECE];
};

ALWAYS_INLINE void weigh(const struct mr_acceleration_piece *p, bool is_wide,
                         struct weighed *weighed)
{
    const void *restrict df = p->newest_df;
    for (size_t i = 0; i < p->n; i++) {
        const double square = p->weight[i] * p->weight[i];
        weighed->newest[i] = square * (double)get(df, i, is_wide);
        weighed->f[i] = square * (double)p->f[i];
    }
}

ALWAYS_INLINE void add_products(const struct weighed *weighed, const void *restrict df,
                                bool is_wide, size_t n, double *newest, double *f)
{
    const size_t whole = n / LANES * LANES;
    double newest_sums[LANES], f_sums[LANES];
    memcpy(newest_sums, newest, sizeof newest_sums);
    memcpy(f_sums, f, sizeof f_sums);
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t e = 0; e < LANES; e++) {
            const double difference = (double)get(df, i + e, is_wide);
            newest_sums[e] += weighed->newest[i + e] * difference;
            f_sums[e] += weighed->f[i + e] * difference;
        }
    }
    for (size_t e = 0; whole + e < n; e++) {
        const double difference = (double)get(df, whole + e, is_wide);
        newest_sums[e] += weighed->newest[whole + e] * difference;
        f_sums[e] += weighed->f[whole + e] * difference;
    }
    memcpy(newest, newest_sums, sizeof newest_sums);
    memcpy(f, f_sums, sizeof f_sums);
}

ALWAYS_INLINE void observe_differences(const struct mr_acceleration_piece *p, bool is_wide)
{
    struct weighed weighed;
    complete_slot(p, is_wide);
    weigh(p, is_wide, &weighed);
    for (unsigned k = 0; k < p->n_slots; k++) {
        add_products(&weighed, p->df[k], is_wide, p->n, p->sums->newest[k], p->sums->f[k]);
    }
}

static void observe(const struct mr_acceleration_piece *p)
{
    if (p->is_wide) {
        observe_differences(p, true);
    } else {
        observe_differences(p, false);
    }
}

/* ---- The step ---- */

/* Loads, then stores: the slot of the step may be one of those that are loaded. */
ALWAYS_INLINE void step_some(const struct mr_acceleration_scan *s, uint64_t at, unsigned count,
                             unsigned n_slots, bool is_single, bool is_wide)
{
    double moved[TOGETHER];
    float f[TOGETHER], taken[TOGETHER];
    for (unsigned j = 0; j < count; j++) {
        double correction = 0;
        for (unsigned k = 0; k < n_slots; k++) {
            correction += s->gamma[k] * (double)get(s->dg[k], at + j, is_wide);
        }
        const double g =
            is_single ? (double)((const float *)s->x)[at + j] : ((const double *)s->x)[at + j];
        const double less = g - correction;
        f[j] = s->f[at + j];
        moved[j] = less > 0 ? less : 0;
        taken[j] = (float)((moved[j] - g) + (double)f[j]);
    }
    for (unsigned j = 0; j < count; j++) {
        if (is_single) {
            ((float *)s->x)[at + j] = (float)moved[j];
        } else {
            ((double *)s->x)[at + j] = moved[j];
        }
    }
    for (unsigned j = 0; j < count; j++) {
        put(s->next_df, at + j, f[j], is_wide);
        put(s->next_dg, at + j, taken[j], is_wide);
    }
}

ALWAYS_INLINE void step_all(const struct mr_acceleration_scan *s, uint64_t first, uint64_t end,
                            unsigned n_slots, bool is_single, bool is_wide)
{
    uint64_t at = first;
    for (; at + TOGETHER <= end; at += TOGETHER) {
        step_some(s, at, TOGETHER, n_slots, is_single, is_wide);
    }
    step_some(s, at, (unsigned)(end - at), n_slots, is_single, is_wide);
}

static void step(const struct mr_acceleration_scan *s, uint64_t first, uint64_t end)
{
    if (s->is_wide) {
        step_all(s, first, end, s->n_slots, s->is_single, true);
    } else if (s->n_slots == 5 && !s->is_single) { /* what large graphs have */
        step_all(s, first, end, 5, false, false);
    } else {
        step_all(s, first, end, s->n_slots, s->is_single, false);
    }
}

const struct mr_acceleration_loops ACCELERATION_LOOPS = {.observe = observe, .step = step};
