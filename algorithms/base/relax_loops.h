/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to each page of a band after its links are added up, in pieces that stay in the
 * first cache. Compiled for more than one instruction set; all give the same bits. Internal to
 * algorithms. */
#ifndef MR_ALGORITHMS_BASE_RELAX_LOOPS_H
#define MR_ALGORITHMS_BASE_RELAX_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MR_RELAX_LANES = 8, /* sums are interleaved: pages go to them in turn */
    MR_RELAX_PIECE = 512 /* most pages of a piece */
};

/* Over the pages of a band so far. */
struct mr_relax_sums {
    double mass[MR_RELAX_LANES]; /* new ranks */
    double dangling[MR_RELAX_LANES]; /* those of pages without links */
    double change[MR_RELAX_LANES]; /* |new rank - old rank| */
};

/* n pages, all but the last piece of a band a multiple of MR_RELAX_LANES; shares are rank /
 * max(degree, 1). What is written overlaps nothing else, but `fresh` may be `old`. */
struct mr_relax_piece {
    size_t n;
    const uint32_t *out_degree; /* [n] */
    const double
        *out_strength; /* [n]: what ranks are divided by where there are links; NULL: the degree */

    /* terms: */
    double damping;
    const double *start; /* [n]: what ranks have besides links */
    double *sums; /* [n]: over links; become shares */
    double *gain; /* [n]: what a share grows by with its sum; or NULL */

    /* settle: */
    const double *shares; /* [n]: new ones */
    double relaxation; /* how far to go, times what they say; a share does not become negative */
    bool is_single; /* old and fresh are float, else double */
    const void *old; /* [n] */
    void *fresh; /* [n]: receives the new shares; or NULL, and */
    float *steps; /* [n]: receives new share - old */
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

/* The sum of the lanes, in the one order there is. */
static inline double mr_relax_join(const double *l)
{
    return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
}

#endif
