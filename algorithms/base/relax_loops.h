/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to each page of a band after its links are added up, in pieces that stay in the
 * first cache: for one vector, or for several side by side, value j of page i at i * width + j.
 * Compiled for more than one instruction set; all give the same bits, and each vector gets the same
 * bits in any company. Internal to algorithms. */
#ifndef MR_ALGORITHMS_BASE_RELAX_LOOPS_H
#define MR_ALGORITHMS_BASE_RELAX_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MR_RELAX_LANES = 8, /* sums are interleaved: pages go to them in turn */
    MR_RELAX_PIECE = 512, /* most values of a piece */
    MR_RELAX_MAX_WIDTH = 16
};

/* Over the pages of a band so far; lane k of vector j at k * width + j. */
struct mr_relax_sums {
    double mass[MR_RELAX_LANES * MR_RELAX_MAX_WIDTH]; /* new ranks */
    double dangling[MR_RELAX_LANES * MR_RELAX_MAX_WIDTH]; /* those of pages without links */
    double change[MR_RELAX_LANES * MR_RELAX_MAX_WIDTH]; /* |new rank - old rank| */
};

/* n pages, all but the last piece of a band a multiple of MR_RELAX_LANES; shares are rank /
 * max(degree, 1). What is written overlaps nothing else, but `fresh` may be `old`. */
struct mr_relax_piece {
    size_t n;
    unsigned width; /* 1, 2, 4, 8 or 16 */
    const uint32_t *out_degree; /* [n] */
    const double
        *out_strength; /* [n]: what ranks are divided by where there are links; NULL: the degree */

    /* terms: */
    double damping;
    const double *start; /* [n * width]: what ranks have besides links */
    double *sums; /* [n * width]: over links; become shares */
    double *gain; /* [n]: what a share grows by with its sum; or NULL */

    /* settle: */
    const double *shares; /* [n * width]: new ones */
    double relaxation; /* how far to go, times what they say; a share does not become negative */
    bool is_single; /* old and fresh are float, else double */
    const void *old; /* [n * width] */
    void *fresh; /* [n * width]: receives the new shares; or NULL, and */
    float *steps; /* [n * width]: receives new share - old */
    const uint64_t
        *still; /* [width]: UINT64_MAX: the vector keeps its values, else 0; NULL: none does */
    struct mr_relax_sums *totals; /* added to */
};

struct mr_relax_loops {
    /* share = (start + damping * sum) / degree, gain = damping / degree. */
    void (*terms)(const struct mr_relax_piece *piece);
    /* Old shares to new ones. */
    void (*settle)(const struct mr_relax_piece *piece);
};

extern const struct mr_relax_loops mr_relax_loops_portable, mr_relax_loops_avx2;

/* Those that are fastest on this machine. */
const struct mr_relax_loops *mr_relax_loops_best(void);

/* The sum of the lanes of vector j, in the one order there is. */
static inline double mr_relax_join(const double *lanes, unsigned width, unsigned j)
{
    const double *l = lanes + j;
    const size_t w = width;
    return ((l[0] + l[w]) + (l[2 * w] + l[3 * w])) +
           ((l[4 * w] + l[5 * w]) + (l[6 * w] + l[7 * w]));
}

#endif
