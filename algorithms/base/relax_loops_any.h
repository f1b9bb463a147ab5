/* SPDX-License-Identifier: Apache-2.0 */
/* Included once for each instruction set, with RELAX_LOOPS the name of its loops. Settling goes by
 * vectors of four pages, which compilers make of what the set has without changing a bit. All of a
 * page is done at once: columns of a piece between one loop and the next, 4 KiB each and all in the
 * same lines of the first cache, took three times as long. */
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

static void terms(const struct mr_relax_piece *p)
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

/* One of the last pages, the same operations as above. */
static void settle_page(const struct mr_relax_piece *p, size_t i)
{
    const double divisor = divisor_of(p, i);
    const double before =
        p->is_single ? (double)((const float *)p->old)[i] : ((const double *)p->old)[i];
    double share = p->shares[i];
    if (p->relaxation != 1) {
        share = before + p->relaxation * (share - before);
        share = share > 0 ? share : 0;
    }
    const double rank = share * divisor, step = share - before;
    p->totals->mass[i % LANES] += rank;
    p->totals->dangling[i % LANES] += p->out_degree[i] == 0 ? rank : 0;
    p->totals->change[i % LANES] += fabs(step * divisor);
    if (p->fresh == NULL) {
        p->steps[i] = (float)step;
    } else if (p->is_single) {
        ((float *)p->fresh)[i] = (float)share;
    } else {
        ((double *)p->fresh)[i] = share;
    }
}

static void settle(const struct mr_relax_piece *p)
{
    const size_t n = p->n / LANES * LANES;
    if (p->is_single) {
        settle_whole(p, true, n);
    } else {
        settle_whole(p, false, n);
    }
    for (size_t i = n; i < p->n; i++) {
        settle_page(p, i);
    }
}

const struct mr_relax_loops RELAX_LOOPS = {.terms = terms, .settle = settle};
