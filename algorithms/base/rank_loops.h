/* What is done to each page of a band after its links are added up, in pieces that stay in the first cache.
 * Compiled for more than one instruction set; all give the same bits. Internal to algorithms. */
#ifndef MR_ALGORITHMS_BASE_RANK_LOOPS_H
#define MR_ALGORITHMS_BASE_RANK_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most pages of a piece; interleaved sums, which a piece's pages go to in turn. */
enum { MR_RANK_PIECE = 512, MR_RANK_LANES = 8 };

/* Over the pages of a band so far. */
struct mr_rank_lanes {
    double mass[MR_RANK_LANES]; /* new ranks */
    double dangling[MR_RANK_LANES]; /* those of pages without links */
    double change[MR_RANK_LANES]; /* |new rank - old rank| */
};

/* n <= MR_RANK_PIECE pages: all but the last piece of a band have that many. Nothing written overlaps anything
 * else, but `fresh` may be `old`. */
struct mr_rank_piece {
    size_t n;
    double damping;
    double relaxation; /* how far to go, times what the sums say; a rank does not become negative */
    const double *start; /* [n]: what ranks have besides links */
    const double *linked; /* [n]: sums over links */
    const uint32_t *out_degree; /* [n] */
    const double
        *out_strength; /* [n]: what ranks are divided by where there are links; NULL: the degree */
    bool is_single; /* old and fresh are float, else double */
    const void *old; /* [n]: shares, rank / max(degree, 1) */
    void *fresh; /* [n] */
    float *difference; /* [n]: new share - old; or NULL */
    struct mr_rank_lanes *sums; /* added to; or NULL: none are wanted */
};

struct mr_rank_loops {
    /* rank = start + damping * linked; fresh = rank / degree. */
    void (*update)(const struct mr_rank_piece *piece);
};

extern const struct mr_rank_loops mr_rank_loops_portable, mr_rank_loops_avx2;

/* Those that are fastest on this machine. */
const struct mr_rank_loops *mr_rank_loops_best(void);

#endif
