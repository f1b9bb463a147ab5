/* SPDX-License-Identifier: Apache-2.0 */
/* Included once for each instruction set, with RELAX_LOOPS the name of its loops. For one vector,
 * settling goes by vectors of four pages, which compilers make of what the set has without changing
 * a bit. All of a page is done at once: columns of a piece between one loop and the next, 4 KiB
 * each and all in the same lines of the first cache, took three times as long. */
#include <math.h>
#include <string.h>

#include "algorithms/base/relax_loops.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { LANES = MR_RELAX_LANES, FOUR = 4 };

typedef double doubles __attribute__((vector_size(FOUR * sizeof(double))));
typedef int64_t masks __attribute__((vector_size(FOUR * sizeof(int64_t)))); /* all bits or none */
typedef float floats __attribute__((vector_size(FOUR * sizeof(float))));
typedef int32_t words __attribute__((vector_size(FOUR * sizeof(int32_t))));

/* Of one set of lanes; the other four have their own. */
struct some_sums {
    doubles mass, dangling, change;
};

ALWAYS_INLINE doubles load(const double *from)
{
    doubles v;
    memcpy(&v, from, sizeof v);
    return v;
}

ALWAYS_INLINE void store(double *to, doubles v)
{
    memcpy(to, &v, sizeof v);
}

ALWAYS_INLINE doubles load_values(bool is_single, const void *from, size_t i)
{
    const float *v = (const float *)from + i;
    return is_single ? (doubles){v[0], v[1], v[2], v[3]} : load((const double *)from + i);
}

ALWAYS_INLINE void store_floats(float *to, doubles v)
{
    const floats rounded = __builtin_convertvector(v, floats);
    memcpy(to, &rounded, sizeof rounded);
}

ALWAYS_INLINE doubles select(masks mask, doubles yes, doubles no)
{
    return (doubles)((mask & (masks)yes) | (~mask & (masks)no));
}

/* Degrees in double: instructions convert signed numbers. */
ALWAYS_INLINE doubles load_degrees(const uint32_t *from)
{
    words v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v ^ INT32_MIN, doubles) + 0x1p31;
}

ALWAYS_INLINE double divisor_of(const struct mr_relax_piece *p, size_t i)
{
    return p->out_degree[i] == 0     ? 1.0
           : p->out_strength == NULL ? (double)p->out_degree[i]
                                     : p->out_strength[i];
}

ALWAYS_INLINE doubles divisors_of(const struct mr_relax_piece *p, size_t i, masks *is_dangling)
{
    const doubles zero = {0}, degree = load_degrees(p->out_degree + i);
    *is_dangling = degree == zero;
    return select(*is_dangling, zero + 1,
                  p->out_strength == NULL ? degree : load(p->out_strength + i));
}

/* ---- One vector ---- */

static void terms_of_one(const struct mr_relax_piece *p)
{
    const size_t n_fours = p->n / FOUR * FOUR;
    for (size_t i = 0; i < n_fours; i += FOUR) {
        masks is_dangling;
        const doubles divisor = divisors_of(p, i, &is_dangling);
        store(p->sums + i, (load(p->start + i) + p->damping * load(p->sums + i)) / divisor);
        if (p->gain != NULL) {
            store(p->gain + i, p->damping / divisor);
        }
    }
    for (size_t i = n_fours; i < p->n; i++) {
        p->sums[i] = (p->start[i] + p->damping * p->sums[i]) / divisor_of(p, i);
        if (p->gain != NULL) {
            p->gain[i] = p->damping / divisor_of(p, i);
        }
    }
}

/* Pages i to i + 3 of a piece. */
ALWAYS_INLINE void settle_four(const struct mr_relax_piece *p, bool is_single, bool goes_further,
                               size_t i, struct some_sums *sums)
{
    const doubles zero = {0};
    masks is_dangling;
    const doubles divisor = divisors_of(p, i, &is_dangling);
    const doubles before = load_values(is_single, p->old, i);
    doubles share = load(p->shares + i);
    if (goes_further) {
        share = before + p->relaxation * (share - before);
        share = select(share > zero, share, zero);
    }
    const doubles rank = share * divisor, step = share - before;
    sums->mass += rank;
    sums->dangling += (doubles)(is_dangling & (masks)rank);
    sums->change += (doubles)((masks)(step * divisor) & INT64_MAX);
    if (p->fresh == NULL) {
        store_floats(p->steps + i, step);
    } else if (is_single) {
        store_floats((float *)p->fresh + i, share);
    } else {
        store((double *)p->fresh + i, share);
    }
}

/* n is a multiple of LANES. */
ALWAYS_INLINE void settle_whole(const struct mr_relax_piece *p, bool is_single, size_t n)
{
    const bool goes_further = p->relaxation != 1;
    struct mr_relax_sums *sums = p->totals;
    struct some_sums low = {load(sums->mass), load(sums->dangling), load(sums->change)};
    struct some_sums high = {load(sums->mass + FOUR), load(sums->dangling + FOUR),
                             load(sums->change + FOUR)};
    for (size_t i = 0; i < n; i += LANES) {
        settle_four(p, is_single, goes_further, i, &low);
        settle_four(p, is_single, goes_further, i + FOUR, &high);
    }
    store(sums->mass, low.mass);
    store(sums->dangling, low.dangling);
    store(sums->change, low.change);
    store(sums->mass + FOUR, high.mass);
    store(sums->dangling + FOUR, high.dangling);
    store(sums->change + FOUR, high.change);
}

/* ---- Any number of vectors ---- */

/* Values of page i, the same operations as above. */
ALWAYS_INLINE void settle_page(const struct mr_relax_piece *p, unsigned width, size_t i)
{
    const double divisor = divisor_of(p, i);
    const bool is_dangling = p->out_degree[i] == 0;
    const size_t lane = i % LANES * width;
    for (unsigned j = 0; j < width; j++) {
        const size_t at = i * width + j;
        const double before =
            p->is_single ? (double)((const float *)p->old)[at] : ((const double *)p->old)[at];
        double share = p->shares[at];
        if (p->relaxation != 1) {
            share = before + p->relaxation * (share - before);
            share = share > 0 ? share : 0;
        }
        if (p->still != NULL && p->still[j] != 0) {
            share = before;
        }
        const double rank = share * divisor, step = share - before;
        p->totals->mass[lane + j] += rank;
        p->totals->dangling[lane + j] += is_dangling ? rank : 0;
        p->totals->change[lane + j] += fabs(step * divisor);
        if (p->fresh == NULL) {
            p->steps[at] = (float)step;
        } else if (p->is_single) {
            ((float *)p->fresh)[at] = (float)share;
        } else {
            ((double *)p->fresh)[at] = share;
        }
    }
}

static void settle(const struct mr_relax_piece *p)
{
    const size_t n = p->width == 1 && p->still == NULL ? p->n / LANES * LANES : 0;
    if (p->is_single) {
        settle_whole(p, true, n);
    } else {
        settle_whole(p, false, n);
    }
    for (size_t i = n; i < p->n; i++) {
        settle_page(p, p->width, i);
    }
}

static void terms(const struct mr_relax_piece *p)
{
    const unsigned width = p->width;
    if (width == 1) {
        terms_of_one(p);
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        const double divisor = divisor_of(p, i);
        for (unsigned j = 0; j < width; j++) {
            double *sum = &p->sums[i * width + j];
            *sum = (p->start[i * width + j] + p->damping * *sum) / divisor;
        }
        if (p->gain != NULL) {
            p->gain[i] = p->damping / divisor;
        }
    }
}

const struct mr_relax_loops RELAX_LOOPS = {.terms = terms, .settle = settle};
