/* SPDX-License-Identifier: Apache-2.0 */
/* The public PageRank. The solvers check the options and do the work. The result becomes a ranking,
 * or goes to a callback one vector at a time. */
#include "library/rank_pagerank.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"

enum mr_status mr_take_pagerank_options(const struct mr_pagerank_options *options,
                                        struct mr_pagerank_options *taken, struct mr_error *err)
{
    *taken = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
    const enum mr_status status = mr_sized_take(options, taken, sizeof *taken, err);
    if (status != MR_OK) {
        return status;
    }
    if ((unsigned)taken->dangling > MR_DANGLING_NONE) {
        return mr_error_set(err, MR_ERROR_USAGE, "no such way of dangling pages: %d",
                            (int)taken->dangling);
    }
    if ((unsigned)taken->precision > MR_PRECISION_SINGLE ||
        (unsigned)taken->until > MR_UNTIL_LEVELS) {
        return mr_error_set(err, MR_ERROR_USAGE, "no such precision or aim: %d, %d",
                            (int)taken->precision, (int)taken->until);
    }
    return taken->may_stream || taken->hooks != NULL
               ? mr_error_set(err, MR_ERROR_USAGE, "streams and hooks are the program's own")
               : MR_OK;
}

enum mr_status mr_rank_pagerank(const struct mr_context *context, struct mr_store *store,
                                const struct mr_pagerank_options *options,
                                struct mr_ranking **ranking, struct mr_error *err)
{
    struct mr_pagerank_options taken;
    struct mr_pagerank_result result = {0};
    struct mr_ranking *made = NULL;

    *ranking = NULL;
    enum mr_status status = mr_take_pagerank_options(options, &taken, err);
    if (status == MR_OK) {
        status = mr_ranking_create(context, mr_store_get_info(store)->n_vertices, &made, err);
    }
    if (status != MR_OK) {
        return status;
    }
    status = mr_pagerank(context, store, &taken, &result, err);
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        struct mr_ranking_figures *figures = &made->figures;
        mr_ranking_add(made, "score",
                       taken.precision == MR_PRECISION_SINGLE ? MR_SCORES_FLOAT : MR_SCORES_DOUBLE,
                       result.scores);
        figures->converged = result.converged;
        figures->bound_kind = MR_BOUND_ERROR;
        figures->error_bound = result.error_bound;
        figures->tolerance = result.tolerance;
        figures->residual = result.residual;
        figures->rounding_bound = result.rounding_bound;
        figures->passes = result.passes;
        mr_ranking_take_passes(figures, &result.figures);
    }
    return mr_ranking_finish(made, status, ranking);
}

/* ---- Many vectors ---- */

void mr_personalised_figures(const struct mr_personalised_vector *vector,
                             const struct mr_personalised_result *result, uint64_t n_vertices,
                             struct mr_ranking_figures *figures)
{
    *figures = (struct mr_ranking_figures){
        .n_vertices = n_vertices,
        .converged = vector->converged,
        .bound_kind = MR_BOUND_ERROR,
        .error_bound = vector->error_bound,
        .tolerance = result->tolerance,
        .residual = vector->residual,
        .rounding_bound = vector->rounding_bound,
        .passes = (unsigned)(result->figures.passes + result->figures.partial_passes)};
    mr_ranking_take_passes(figures, &result->figures);
}

struct taker {
    mr_rank_callback take;
    void *take_data;
    double *scores; /* [n_vertices], of one vector */
    uint64_t n_vertices;
    bool is_single; /* the solver's scores are floats */
};

static enum mr_status take_batch(void *data, uint64_t first, unsigned n, unsigned width,
                                 void *values, struct mr_error *err)
{
    const struct taker *taker = data;
    enum mr_status status = MR_OK;

    for (unsigned j = 0; j < n && status == MR_OK; j++) {
        for (uint64_t v = 0; v < taker->n_vertices; v++) {
            const uint64_t at = v * width + j;
            taker->scores[v] =
                taker->is_single ? ((const float *)values)[at] : ((const double *)values)[at];
        }
        status = taker->take(taker->take_data, first + j, taker->scores, err);
    }
    return status;
}

static void give_figures(const struct mr_personalised_vector *outcomes, uint64_t n_vectors,
                         const struct mr_personalised_result *result, uint64_t n_vertices,
                         struct mr_ranking_figures *figures)
{
    /* The caller's structs may be longer or shorter than those of this version. */
    uint8_t *at = (uint8_t *)figures;
    for (uint64_t i = 0; i < n_vectors; i++) {
        struct mr_ranking_figures one;
        struct mr_ranking_figures *to = (struct mr_ranking_figures *)(void *)at;
        mr_personalised_figures(&outcomes[i], result, n_vertices, &one);
        mr_sized_give(&one, sizeof one, to);
        at += to->struct_size;
    }
}

static enum mr_status rank_vectors(const struct mr_context *context, struct mr_store *store,
                                   const struct mr_teleport_vector *vectors, uint64_t n_vectors,
                                   const struct mr_pagerank_options *options, struct taker *taker,
                                   struct mr_ranking_figures *figures, struct mr_error *err)
{
    struct mr_personalised_result result = {0};
    struct mr_personalised_vector *outcomes = calloc(n_vectors, sizeof *outcomes);

    if (outcomes == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %llu vectors",
                            (unsigned long long)n_vectors);
    }
    const enum mr_status status = mr_personalised(context, store, vectors, n_vectors, options,
                                                  outcomes, take_batch, taker, &result, err);
    if (figures != NULL && (status == MR_OK || status == MR_NOT_CONVERGED)) {
        give_figures(outcomes, n_vectors, &result, taker->n_vertices, figures);
    }
    free(outcomes);
    return status;
}

enum mr_status mr_rank_personalised(const struct mr_context *context, struct mr_store *store,
                                    const struct mr_teleport_vector *vectors, uint64_t n_vectors,
                                    const struct mr_pagerank_options *options,
                                    mr_rank_callback take, void *take_data,
                                    struct mr_ranking_figures *figures, struct mr_error *err)
{
    struct taker taker = {
        .take = take, .take_data = take_data, .n_vertices = mr_store_get_info(store)->n_vertices};
    struct mr_pagerank_options taken;
    void *scores = NULL;

    enum mr_status status = mr_take_pagerank_options(options, &taken, err);
    if (status != MR_OK || n_vectors == 0) {
        return status;
    }
    taker.is_single = taken.precision == MR_PRECISION_SINGLE;
    status = mr_memory_alloc(context->memory, "scores", taker.n_vertices * sizeof(double) + 1,
                             &scores, err);
    if (status == MR_OK) {
        taker.scores = scores;
        status = rank_vectors(context, store, vectors, n_vectors, &taken, &taker, figures, err);
    }
    mr_memory_free(context->memory, scores);
    return status;
}
