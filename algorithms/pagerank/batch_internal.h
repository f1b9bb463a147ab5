/* SPDX-License-Identifier: Apache-2.0 */
/* The solver of many vectors side by side (batch.h), and its files:
 *
 *     batch.c          memory, one batch after the other
 *     batch_links.c    the store's links as rows
 *     batch_correct.c  a correction: relaxing passes and their acceleration
 *     batch_certify.c  certificates, residuals and scores */
#ifndef MR_ALGORITHMS_PAGERANK_BATCH_INTERNAL_H
#define MR_ALGORITHMS_PAGERANK_BATCH_INTERNAL_H

#include "algorithms/base/batch_loops.h"
#include "algorithms/pagerank/batch.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

_Static_assert(MR_BATCH_MAX_WIDTH == MR_RANK_MAX_WIDTH, "the loops have the width of the option");

enum {
    MR_BATCH_SLOTS = MR_BATCH_DEPTH + 1,
    MR_BATCH_PIECE = 1 << 11, /* pages: corrections stay in the second cache between sweeps */
    MR_BATCH_LINK_ARRAYS = 3
};

/* Where one vector stands. */
struct mr_batch_vector {
    bool is_still; /* its correction does not move */
    bool is_final;
    uint64_t stood_at; /* passes, when it came to stand still last */
    double scale; /* of its correction: a power of two */
    double norm; /* of what is corrected, times 1 / scale */
    double change; /* of the latest pass, of the correction */
    double lowest; /* of all changes */
    uint64_t lowest_at; /* passes */
    double least_change; /* since the acceleration began anew */
    uint64_t pause, harms; /* of the acceleration, as in solve.c */
    unsigned n_older; /* passes that the acceleration may use */
    double products[MR_BATCH_SLOTS][MR_BATCH_SLOTS]; /* of the changes in the ring */
    double mass; /* of the solution so far, and of the correction */
    double foretold, ratio, best;
    unsigned failures;
    struct mr_certificate proof;
};

struct mr_batch {
    const struct mr_context *context;
    const struct mr_store_info *info;
    const struct mr_batch_job *job;
    const struct mr_batch_loops *loops;
    unsigned width;
    uint64_t n, n_core; /* pages; those that are relaxed */
    uint64_t n_pieces, n_all_pieces; /* of the core, of all pages */
    uint64_t n_runs, n_waves;
    unsigned sweeps;

    uint64_t *rows; /* [n + 1] */
    uint32_t *sources; /* [n_edges + MR_BATCH_AHEAD] */
    uint32_t *degrees; /* [n], at least 1 */
    /* [n * width]: shares of the core; in the end scores, of other pages over the arrays below */
    double *x;
    float *right, *correction; /* [n_core * width], behind the shares of the core */
    float *fresh[MR_BATCH_SLOTS], *change[MR_BATCH_DEPTH]; /* likewise, of the latest passes */
    struct mr_batch_sums *piece_sums; /* [n_pieces] */
    struct mr_rank_sums *sums; /* [width * n_all_pieces], vector by vector */

    struct mr_rank_terms terms[MR_BATCH_MAX_WIDTH];
    struct mr_batch_vector vectors[MR_BATCH_MAX_WIDTH];
    uint64_t n_moves; /* passes of the correction so far */
    uint64_t n_passes; /* all of the batch */
};

static inline struct mr_batch_pages mr_batch_pages_of(const struct mr_batch *b, uint64_t first,
                                                      uint64_t end)
{
    return (struct mr_batch_pages){.first = first,
                                   .end = end,
                                   .width = b->width,
                                   .rows = b->rows,
                                   .sources = b->sources,
                                   .degree = b->degrees,
                                   .damping = b->job->options->damping};
}

/* Of a piece of the core. */
static inline uint64_t mr_batch_end_of_piece(const struct mr_batch *b, uint64_t piece)
{
    return mr_min_u64((piece + 1) * MR_BATCH_PIECE, b->n_core);
}

/* Through what the ranks of pages have besides links. */
struct mr_batch_walk {
    struct mr_rank_walk walks[MR_BATCH_MAX_WIDTH];
    unsigned width;
    uint64_t next; /* the next page that some vector teleports to; UINT64_MAX: none */
};

static inline void mr_batch_walk_find(struct mr_batch_walk *walk)
{
    walk->next = UINT64_MAX;
    for (unsigned j = 0; j < walk->width; j++) {
        walk->next = mr_min_u64(walk->next, mr_rank_walk_next(&walk->walks[j]));
    }
}

static inline void mr_batch_walk_begin(struct mr_batch_walk *walk, const struct mr_batch *b,
                                       uint64_t first)
{
    walk->width = b->width;
    for (unsigned j = 0; j < b->width; j++) {
        walk->walks[j] = mr_rank_walk_begin(&b->terms[j], (uint32_t)first);
    }
    mr_batch_walk_find(walk);
}

/* Of one page to start[width]. Pages are asked for in ascending order. */
static inline void mr_batch_walk_start(struct mr_batch_walk *walk, uint64_t page, double *start)
{
    for (unsigned j = 0; j < walk->width; j++) {
        start[j] = mr_rank_walk_start(&walk->walks[j], (uint32_t)page);
    }
    if (page == walk->next) {
        mr_batch_walk_find(walk);
    }
}

/* Rows, sources and degrees: what they take; allocate and fill them. */
void mr_batch_list_links(struct mr_batch *b, struct mr_memory_wanted arrays[MR_BATCH_LINK_ARRAYS]);
enum mr_status mr_batch_read_links(struct mr_batch *b, struct mr_store *store,
                                   struct mr_pass_figures *figures,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Relaxes until each vector stands still, and adds the corrections to the solution. */
enum mr_status mr_batch_correct(struct mr_batch *b, struct mr_error *err) MR_WARN_UNUSED;

/* What is proven of each vector; residuals become the right sides of the next corrections. */
void mr_batch_certify(struct mr_batch *b);

/* Shares become scores, of all pages. */
void mr_batch_score(struct mr_batch *b);

/* Tells the progress of the largest bound. */
void mr_batch_report(const struct mr_batch *b, bool is_certified);

#endif
