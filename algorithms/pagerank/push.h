/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the push share; millrace/rank.h has its functions. Internal to algorithms.
 *
 *     push.c       opens and closes the lists, hands seeds to threads
 *     push_seed.c  one seed: the push, its bound, its best pages and what is proven of them; the
 *                  passes that take over where a push goes through the whole graph
 *
 * x is the personalised PageRank of teleport weights t that add up to 1. A push keeps for each page
 * that it has touched a score p and a residual r, and one sum d of what was lost in pages without
 * links, with
 *
 *     x (1 - d) = p + X r              (dangling: teleport)
 *     x         = p + X r              (none)
 *     x         = p + X r + d g        (uniform; g is PageRank)
 *
 * where X has columns of the sum 1 at most. To push a page is to move its residual: 1 - a of it
 * becomes score, a of it goes to the pages that it links to; what comes to a page without links
 * becomes score and loss there and then. (Andersen, Chung, Lang 2006; d in the place of links back
 * to the teleport, so that a large teleport costs nothing.) In the end 1 - a of each residual
 * becomes score, and a times the sum of the residuals bounds the sum of all errors. */
#ifndef MR_ALGORITHMS_PAGERANK_PUSH_H
#define MR_ALGORITHMS_PAGERANK_PUSH_H

#include "algorithms/pagerank/pagerank.h"
#include "algorithms/pagerank/twins.h"
#include "algorithms/pagerank/until.h"
#include "engine/scan/out_lists.h"

/* A page that a push has touched. */
struct mr_push_page {
    double residual, score;
    uint32_t vertex, degree;
};

/* What one thread works with. */
struct mr_push_worker {
    struct mr_push_worker *next; /* that is free, too */
    uint32_t *places; /* [n_vertices]: 1 + the place of its page; 0: it is not touched */
    struct mr_push_page *pages; /* [n_pages] of [n_vertices] */
    uint64_t n_pages;
    uint32_t *queue; /* [n_sources]: a ring of places, first in first out */
    uint64_t queue_first, queue_n;
    uint32_t *targets; /* room for a list from the file, or NULL */
    float *weights;
    double threshold; /* pages with more residual for each link stand in the queue */
    double residuals; /* their sum */
    double lost;
    uint64_t followed; /* edges, each time counted */
    uint64_t roundings; /* so many operations of doubles up to 1 */
};

struct mr_push {
    const struct mr_context *context;
    struct mr_store *store;
    uint64_t n_vertices;
    double damping;
    enum mr_dangling dangling;
    struct mr_out_lists lists;
    uint64_t most_followed; /* edges of one seed; then passes over all edges are quicker */
    struct mr_twins twins;
    /* Of MR_DANGLING_UNIFORM: PageRank by vertex [n_vertices], an array that has it best first, and
     * its proven error. */
    double *everywhere;
    struct mr_best_page *everywhere_best;
    double everywhere_error;
    struct mr_push_worker *workers; /* [n_workers] */
    unsigned n_workers;
    struct mr_push_worker *free; /* those that no thread has */
    pthread_mutex_t mutex; /* guards `free` */
    pthread_cond_t freed;
    pthread_mutex_t passing; /* guards `store` */
};

/* Seeds and what is wanted of each. */
struct mr_push_job {
    struct mr_push *push;
    const struct mr_rank_vector *seeds;
    uint64_t top;
    double error;
    uint32_t *vertices;
    double *scores;
    struct mr_push_answer *answers;
    _Atomic uint64_t n_far; /* bounds above the error */
    _Atomic uint64_t n_whole; /* seeds that followed too many edges: answers[].n is MR_PUSH_WHOLE */
};
#define MR_PUSH_WHOLE UINT64_MAX

/* Find the best job->top pages of job->seeds[i], of which at least 1 has a weight above 0. Fills
 * its vertices, scores and answer, whose bound is above job->error where doubles do not reach it;
 * or answer->n is MR_PUSH_WHOLE. Leaves the worker as it was. Errors: those of the lists,
 * INTERRUPTED. */
enum mr_status mr_push_seed(const struct mr_push_job *job, struct mr_push_worker *worker,
                            uint64_t i, struct mr_error *err) MR_WARN_UNUSED;

/* The options of the solver where it helps a push: the same bits for any memory. */
struct mr_pagerank_options mr_push_passes(enum mr_dangling dangling);

/* The same by passes over all edges, with all threads: one call at a time. Errors: those of
 * mr_pagerank; NOT_CONVERGED is none. */
enum mr_status mr_push_whole(const struct mr_push_job *job, struct mr_push_worker *worker,
                             uint64_t i, struct mr_error *err) MR_WARN_UNUSED;

#endif
