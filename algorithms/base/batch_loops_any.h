/* SPDX-License-Identifier: Apache-2.0 */
/* Included once for each instruction set, with BATCH_LOOPS the name of its loops and LANES the
 * floats of its vectors. The sums of a page stay in registers while its links are read. */
#include <stdbool.h>
#include <string.h>

#include "algorithms/base/batch_loops.h"
#include "algorithms/base/sum.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
    MOST = MR_BATCH_MAX_WIDTH,
    DEPTH = MR_BATCH_DEPTH,
    HALF = LANES / 2,
    SINGLES = MOST / LANES, /* vectors of a page */
    DOUBLES = MOST / HALF,
    FEW = 64, /* links that are added as floats */
    RUN = 64 /* pages whose products are added as floats */
};

typedef float singles __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef uint32_t bits __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef double doubles __attribute__((vector_size(8 * HALF), aligned(8), may_alias));
typedef uint64_t masks __attribute__((vector_size(8 * HALF), aligned(8), may_alias));
typedef float halves __attribute__((vector_size(4 * HALF), aligned(4), may_alias));

/* ---- Numbers that vanish ---- */

/* Changes far from the seeds, and their squares, end below the least normal float. Some processors
 * take a hundred cycles for each of those, so they are 0. The certificate, in doubles, has no need
 * of them. Returns what end_flush() restores. */
ALWAYS_INLINE uint64_t begin_flush(void)
{
#if defined(__SSE__)
    const uint32_t before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040); /* results and operands */
    return before;
#elif defined(__aarch64__)
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | UINT64_C(1) << 24) : "memory");
    return before;
#else
    return 0;
#endif
}

ALWAYS_INLINE void end_flush(uint64_t before)
{
#if defined(__SSE__)
    __builtin_ia32_ldmxcsr((uint32_t)before);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(before) : "memory");
#else
    (void)before;
#endif
}

/* ---- Relaxation ---- */

ALWAYS_INLINE void add_run(singles *sums, double *to, unsigned width)
{
    for (unsigned j = 0; j < width; j++) {
        to[j] += (double)((const float *)sums)[j];
    }
    memset(sums, 0, width * sizeof(float));
}

/* The products of a page's change. */
ALWAYS_INLINE void learn(const struct mr_batch_relaxation *r, uint64_t v, unsigned width,
                         const singles *fresh, singles sums[DEPTH + 3][SINGLES])
{
    const float degree = (float)r->pages.degree[v], square = degree * degree;
    for (unsigned i = 0; i < width / LANES; i++) {
        const size_t at = v * width + (size_t)i * LANES;
        const singles change = fresh[i] - *(const singles *)(r->x + at);
        const singles weighed = square * change;
        sums[0][i] += weighed * change;
        for (unsigned k = 0; k < r->n_older; k++) {
            sums[1 + k][i] += weighed * *(const singles *)(r->older[k] + at);
        }
        sums[DEPTH + 1][i] += (singles)((bits)(degree * change) & (uint32_t)INT32_MAX);
        sums[DEPTH + 2][i] += degree * fresh[i];
        *(singles *)(r->change + at) = change; /* maybe over the oldest one */
    }
}

/* Links [e, end) to page v, of which sources among the `n_fresh` first pages of the piece have new
 * values. */
ALWAYS_INLINE void add_links(const struct mr_batch_relaxation *r, uint64_t e, uint64_t end,
                             uint64_t n_fresh, unsigned width, singles sum[SINGLES])
{
    const uint32_t *sources = r->pages.sources;
    for (; e < end; e++) {
        const uint64_t u = sources[e];
        const float *from = (u - r->pages.first < n_fresh ? r->fresh : r->x) + u * width;
        __builtin_prefetch(r->x + (size_t)sources[e + MR_BATCH_AHEAD] * width, 0, 2);
        for (unsigned i = 0; i < width / LANES; i++) {
            sum[i] += *(const singles *)(from + (size_t)i * LANES);
        }
    }
}

/* The same for many links, whose sums floats would round again and again in one direction. */
ALWAYS_INLINE void add_many_links(const struct mr_batch_relaxation *r, uint64_t e, uint64_t end,
                                  uint64_t n_fresh, unsigned width, singles sum[SINGLES])
{
    doubles totals[DOUBLES];
    memset(totals, 0, sizeof totals);
    for (; e < end; e += FEW) {
        singles some[SINGLES];
        memset(some, 0, sizeof some);
        add_links(r, e, end - e < FEW ? end : e + FEW, n_fresh, width, some);
        for (unsigned i = 0; i < width / HALF; i++) {
            totals[i] += __builtin_convertvector(((const halves *)some)[i], doubles);
        }
    }
    for (unsigned i = 0; i < width / HALF; i++) {
        ((halves *)sum)[i] = __builtin_convertvector(totals[i], halves);
    }
}

/* One sweep: the first one reads new values of the pages before a page, further ones of all. */
ALWAYS_INLINE void sweep(const struct mr_batch_relaxation *r, unsigned width, bool is_first,
                         bool is_last)
{
    const struct mr_batch_pages *p = &r->pages;
    const uint64_t *rows = p->rows;
    const float damping = (float)p->damping;
    singles sums[DEPTH + 3][SINGLES];
    memset(sums, 0, sizeof sums);
    for (uint64_t v = p->first; v < p->end; v++) {
        const uint64_t n_fresh = (is_first ? v : p->end) - p->first;
        singles sum[SINGLES];
        memset(sum, 0, sizeof sum);
        if (rows[v + 1] - rows[v] <= FEW) {
            add_links(r, rows[v], rows[v + 1], n_fresh, width, sum);
        } else {
            add_many_links(r, rows[v], rows[v + 1], n_fresh, width, sum);
        }
        const float gain = 1 / (float)p->degree[v];
        for (unsigned i = 0; i < width / LANES; i++) {
            const size_t at = v * width + (size_t)i * LANES;
            sum[i] = (*(const singles *)(r->right + at) + damping * sum[i]) * gain;
            *(singles *)(r->fresh + at) = sum[i];
        }
        if (is_last) {
            learn(r, v, width, sum, sums);
        }
        if (is_last && ((v + 1 - p->first) % RUN == 0 || v + 1 == p->end)) {
            for (unsigned k = 0; k <= DEPTH; k++) {
                add_run(sums[k], r->sums->products[k], width);
            }
            add_run(sums[DEPTH + 1], r->sums->change, width);
            add_run(sums[DEPTH + 2], r->sums->mass, width);
        }
    }
}

ALWAYS_INLINE void relax_width(const struct mr_batch_relaxation *r, unsigned width)
{
    memset(r->sums, 0, sizeof *r->sums);
    if (r->sweeps == 1) {
        sweep(r, width, true, true);
        return;
    }
    sweep(r, width, true, false);
    for (unsigned s = 2; s < r->sweeps; s++) {
        sweep(r, width, false, false);
    }
    sweep(r, width, false, true);
}

static void relax(const struct mr_batch_relaxation *r)
{
    const uint64_t before = begin_flush();
    if (r->pages.width == MOST) {
        relax_width(r, MOST);
    } else {
        relax_width(r, MOST / 2);
    }
    end_flush(before);
}

/* ---- Acceleration ---- */

ALWAYS_INLINE void mix_width(const struct mr_batch_mix *m, unsigned width)
{
    for (uint64_t v = m->first; v < m->end; v++) {
        for (unsigned i = 0; i < width / LANES; i++) {
            const size_t at = v * width + (size_t)i * LANES, column = (size_t)i * LANES;
            const bits moves = *(const bits *)(m->moves + column);
            singles *x = (singles *)(m->x + at);
            singles sum =
                *(const singles *)(m->factor[0] + column) * *(const singles *)(m->fresh[0] + at);
            for (unsigned k = 1; k <= m->n_older; k++) {
                sum += *(const singles *)(m->factor[k] + column) *
                       *(const singles *)(m->fresh[k] + at);
            }
            *x = (singles)((moves & (bits)sum) | (~moves & *(const bits *)x));
        }
    }
}

static void mix(const struct mr_batch_mix *m)
{
    const uint64_t before = begin_flush();
    if (m->width == MOST) {
        mix_width(m, MOST);
    } else {
        mix_width(m, MOST / 2);
    }
    end_flush(before);
}

/* ---- Certificate ---- */

/* Sums over pages with what they lose by rounding (Knuth's sum of two). */
struct exact_sum {
    doubles sum, lost;
};

ALWAYS_INLINE void add(struct exact_sum *to, doubles value)
{
    const doubles sum = to->sum + value, part = sum - to->sum;
    to->lost += (to->sum - (sum - part)) + (value - part);
    to->sum = sum;
}

ALWAYS_INLINE doubles positive(doubles value)
{
    return (doubles)((masks)value & (masks)(value > 0));
}

struct page_sums {
    struct exact_sum mass[DOUBLES], above[DOUBLES], below[DOUBLES];
    doubles rounding[DOUBLES];
};

ALWAYS_INLINE void certify_page(const struct mr_batch_certificate *c, uint64_t v, unsigned width,
                                enum mr_batch_purpose purpose, struct page_sums *sums)
{
    const struct mr_batch_pages *p = &c->pages;
    const double degree = (double)p->degree[v], more = (double)(p->rows[v + 1] - p->rows[v]) + 5;
    doubles sum[DOUBLES];
    memset(sum, 0, sizeof sum);
    for (uint64_t e = p->rows[v]; e < p->rows[v + 1]; e++) {
        const double *from = c->x + (size_t)p->sources[e] * width;
        const double *ahead = c->x + (size_t)p->sources[e + MR_BATCH_AHEAD] * width;
        for (unsigned j = 0; j < width; j += 8) {
            __builtin_prefetch(ahead + j);
        }
        for (unsigned i = 0; i < width / HALF; i++) {
            sum[i] += *(const doubles *)(from + (size_t)i * HALF);
        }
    }
    for (unsigned i = 0; i < width / HALF; i++) {
        const size_t at = v * width + (size_t)i * HALF, column = (size_t)i * HALF;
        const doubles start = *(const doubles *)(c->start + column);
        const doubles scale = *(const doubles *)(c->scale + column);
        const doubles linked = p->damping * sum[i];
        if (purpose == MR_BATCH_SCORES) {
            *(doubles *)(c->x + at) = (start + linked) * scale;
            continue;
        }
        const doubles rank =
            purpose == MR_BATCH_FRONTIER ? start + linked : *(const doubles *)(c->x + at) * degree;
        add(&sums->mass[i], rank);
        sums->rounding[i] += more * linked + 6 * start + 3 * rank;
        if (purpose == MR_BATCH_RESIDUAL) {
            const doubles residual = start + linked - rank;
            add(&sums->above[i], positive(residual));
            add(&sums->below[i], positive(-residual));
            *(halves *)(c->right + at) = __builtin_convertvector(residual * scale, halves);
        }
    }
}

/* What a vector's sum has, to the total of its pages so far. */
ALWAYS_INLINE void total(const struct exact_sum *sums, struct mr_sum *totals, unsigned width)
{
    for (unsigned j = 0; j < width; j++) {
        mr_sum_add(&totals[j], sums[j / HALF].sum[j % HALF]);
        mr_sum_add(&totals[j], sums[j / HALF].lost[j % HALF]);
    }
}

ALWAYS_INLINE void certify_pages(const struct mr_batch_certificate *c, unsigned width,
                                 enum mr_batch_purpose purpose)
{
    struct page_sums sums;
    memset(&sums, 0, sizeof sums);
    for (uint64_t v = c->pages.first; v < c->pages.end; v++) {
        certify_page(c, v, width, purpose, &sums);
    }
    if (purpose == MR_BATCH_SCORES) {
        return;
    }
    total(sums.mass, c->totals->mass, width);
    total(sums.above, c->totals->above, width);
    total(sums.below, c->totals->below, width);
    for (unsigned j = 0; j < width; j++) {
        c->totals->rounding[j] += sums.rounding[j / HALF][j % HALF];
    }
}

ALWAYS_INLINE void certify_width(const struct mr_batch_certificate *c, unsigned width,
                                 enum mr_batch_purpose purpose)
{
    switch (purpose) {
    case MR_BATCH_RESIDUAL:
        certify_pages(c, width, MR_BATCH_RESIDUAL);
        break;
    case MR_BATCH_FRONTIER:
        certify_pages(c, width, MR_BATCH_FRONTIER);
        break;
    case MR_BATCH_SCORES:
        certify_pages(c, width, MR_BATCH_SCORES);
        break;
    }
}

static void certify(const struct mr_batch_certificate *c, enum mr_batch_purpose purpose)
{
    if (c->pages.width == MOST) {
        certify_width(c, MOST, purpose);
    } else {
        certify_width(c, MOST / 2, purpose);
    }
}

const struct mr_batch_loops BATCH_LOOPS = {.relax = relax, .mix = mix, .certify = certify};
