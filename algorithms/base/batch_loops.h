/* SPDX-License-Identifier: Apache-2.0 */
/* The loops over pages of vectors side by side (algorithms/pagerank/batch.c), compiled
 * for each instruction set. Internal to algorithms.
 *
 * Value j of page v is values[v * width + j]; width is 8 or 16. Corrections are floats, the
 * solution and its residual are doubles. Each vector gets the same bits in any company, and all
 * instruction sets give the same bits: a vector's sums go page by page and link by link. */
#ifndef MR_ALGORITHMS_BASE_BATCH_LOOPS_H
#define MR_ALGORITHMS_BASE_BATCH_LOOPS_H

#include <stdint.h>

#include "algorithms/base/sum.h"

enum {
    MR_BATCH_MAX_WIDTH = 16,
    MR_BATCH_DEPTH = 2, /* of the acceleration */
    MR_BATCH_AHEAD = 64 /* links from here on are prefetched; `sources` is longer by so many */
};

/* Pages [first, end) and the links to them. */
struct mr_batch_pages {
    uint64_t first, end;
    unsigned width;
    const uint64_t *rows; /* sources of page v: from rows[v] to before rows[v + 1] */
    const uint32_t *sources;
    const uint32_t *degree; /* links of a page, at least 1: a rank is its share times that */
    double damping;
};

/* What the acceleration learns of some pages. */
struct mr_batch_sums {
    /* of the newest change and of those before it, times each other, weighed by squares of
     * degrees */
    double products[MR_BATCH_DEPTH + 1][MR_BATCH_MAX_WIDTH];
    double change[MR_BATCH_MAX_WIDTH]; /* sum of |change of a rank| */
    double mass[MR_BATCH_MAX_WIDTH]; /* sum of new ranks */
};

struct mr_batch_relaxation {
    struct mr_batch_pages pages;
    unsigned sweeps;
    const float *right; /* what a page's rank begins with */
    const float *x; /* values before; those of the pages themselves, too */
    float *fresh; /* new values; links between the pages read the newest ones */
    float *change; /* fresh - x; it may be the oldest of `older`, which is read before */
    unsigned n_older;
    const float *older[MR_BATCH_DEPTH]; /* changes of the passes before, latest first */
    struct mr_batch_sums *sums; /* set */
};

/* x = the sum of factor[i][j] * fresh[i] for vectors that move; others keep x. */
struct mr_batch_mix {
    uint64_t first, end;
    unsigned width, n_older;
    float *x;
    const float *fresh[MR_BATCH_DEPTH + 1];
    float factor[MR_BATCH_DEPTH + 1][MR_BATCH_MAX_WIDTH];
    uint32_t moves[MR_BATCH_MAX_WIDTH]; /* UINT32_MAX or 0 */
};

enum mr_batch_purpose {
    MR_BATCH_RESIDUAL, /* of pages with links: sums, and the right side of the next correction */
    MR_BATCH_FRONTIER, /* of other pages: sums */
    MR_BATCH_SCORES, /* of other pages: their scores, to x */
};

struct mr_batch_totals {
    struct mr_sum mass[MR_BATCH_MAX_WIDTH], above[MR_BATCH_MAX_WIDTH], below[MR_BATCH_MAX_WIDTH];
    double rounding[MR_BATCH_MAX_WIDTH]; /* in units of 2^-53 */
};

struct mr_batch_certificate {
    struct mr_batch_pages pages;
    double *x; /* shares, not negative */
    const double *start; /* [width]: what ranks have besides links, the same for all pages */
    const double *scale; /* [width]: of right, or of scores */
    float *right; /* residual times scale */
    struct mr_batch_totals *totals; /* added to */
};

struct mr_batch_loops {
    void (*relax)(const struct mr_batch_relaxation *relaxation);
    void (*mix)(const struct mr_batch_mix *mix);
    void (*certify)(const struct mr_batch_certificate *certificate, enum mr_batch_purpose purpose);
};

extern const struct mr_batch_loops mr_batch_loops_portable, mr_batch_loops_avx2;

/* Those that are fastest on this machine. */
const struct mr_batch_loops *mr_batch_loops_best(void);

#endif
