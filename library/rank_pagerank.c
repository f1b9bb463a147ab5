/* SPDX-License-Identifier: Apache-2.0 */
/* The public PageRank: fills parameters with defaults and converts them to the options of the
 * solvers, which check them and do the work. The result becomes a ranking, or goes to a callback
 * one vector at a time. */
#include "library/rank_pagerank.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"

static_assert((int)MR_RANK_DANGLING_TELEPORT == (int)MR_DANGLING_TELEPORT &&
                  (int)MR_RANK_DANGLING_UNIFORM == (int)MR_DANGLING_UNIFORM &&
                  (int)MR_RANK_DANGLING_NONE == (int)MR_DANGLING_NONE,
              "enum mr_rank_dangling is enum mr_dangling");

static enum mr_status check_dangling(const struct mr_pagerank_params *params, struct mr_error *err)
{
    return (unsigned)params->dangling <= MR_RANK_DANGLING_NONE
               ? MR_OK
               : mr_error_set(err, MR_ERROR_USAGE, "no such way of dangling pages: %d",
                              (int)params->dangling);
}

enum mr_status mr_rank_pagerank(const struct mr_context *context, struct mr_store *store,
                                const struct mr_pagerank_params *params,
                                struct mr_ranking **ranking, struct mr_error *err)
{
    struct mr_pagerank_params taken = MR_PAGERANK_PARAMS_INIT;
    struct mr_pagerank_options options;
    struct mr_pagerank_result result = {0};
    struct mr_ranking *made = NULL;

    *ranking = NULL;
    enum mr_status status = mr_sized_take(params, &taken, sizeof taken, err);
    if (status == MR_OK) {
        status = check_dangling(&taken, err);
    }
    if (status == MR_OK) {
        status = mr_ranking_create(context, mr_store_get_info(store)->n_vertices, &made, err);
    }
    if (status != MR_OK) {
        return status;
    }
    options = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
    options.damping = taken.damping;
    options.tolerance = taken.tolerance;
    options.max_passes = taken.max_passes;
    options.iterations = taken.iterations;
    options.dangling = (enum mr_dangling)taken.dangling;
    options.teleport = taken.teleport;
    options.n_teleport = taken.n_teleport;
    options.start = taken.start;
    status = mr_pagerank(context, store, &options, &result, err);
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        struct mr_ranking_figures *figures = &made->figures;
        mr_ranking_add(made, "score", result.scores);
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

struct mr_pagerank_options mr_personalised_of(const struct mr_pagerank_params *params)
{
    struct mr_pagerank_options options;

    options = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
    options.damping = params->damping;
    options.tolerance = params->tolerance;
    options.max_passes = params->max_passes;
    options.dangling = (enum mr_dangling)params->dangling;
    return options;
}

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
};

static enum mr_status take_batch(void *data, uint64_t first, unsigned n, unsigned width,
                                 void *values, struct mr_error *err)
{
    const struct taker *taker = data;
    const double *side_by_side = values;
    enum mr_status status = MR_OK;

    for (unsigned j = 0; j < n && status == MR_OK; j++) {
        for (uint64_t v = 0; v < taker->n_vertices; v++) {
            taker->scores[v] = side_by_side[v * width + j];
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
                                   const struct mr_teleport *teleports, uint64_t n_vectors,
                                   const struct mr_pagerank_params *params, struct taker *taker,
                                   struct mr_ranking_figures *figures, struct mr_error *err)
{
    const struct mr_pagerank_options options = mr_personalised_of(params);
    struct mr_personalised_result result = {0};
    struct mr_personalised_vector *outcomes = calloc(n_vectors, sizeof *outcomes);

    if (outcomes == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %llu vectors",
                            (unsigned long long)n_vectors);
    }
    const enum mr_status status = mr_personalised(context, store, teleports, n_vectors, &options,
                                                  outcomes, take_batch, taker, &result, err);
    if (figures != NULL && (status == MR_OK || status == MR_NOT_CONVERGED)) {
        give_figures(outcomes, n_vectors, &result, taker->n_vertices, figures);
    }
    free(outcomes);
    return status;
}

static enum mr_status check_single_only(const struct mr_pagerank_params *params,
                                        struct mr_error *err)
{
    return params->teleport == NULL && params->start == NULL && params->iterations == 0
               ? check_dangling(params, err)
               : mr_error_set(err, MR_ERROR_USAGE,
                              "teleport, start and iterations are for mr_rank_pagerank alone");
}

enum mr_status mr_rank_personalised(const struct mr_context *context, struct mr_store *store,
                                    const struct mr_teleport_vector *vectors, uint64_t n_vectors,
                                    const struct mr_pagerank_params *params, mr_rank_callback take,
                                    void *take_data, struct mr_ranking_figures *figures,
                                    struct mr_error *err)
{
    struct taker taker = {
        .take = take, .take_data = take_data, .n_vertices = mr_store_get_info(store)->n_vertices};
    struct mr_pagerank_params taken = MR_PAGERANK_PARAMS_INIT;
    void *scores = NULL;

    enum mr_status status = mr_sized_take(params, &taken, sizeof taken, err);
    if (status == MR_OK) {
        status = check_single_only(&taken, err);
    }
    if (status != MR_OK || n_vectors == 0) {
        return status;
    }
    struct mr_teleport *teleports = calloc(n_vectors, sizeof *teleports);
    if (teleports == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %llu vectors",
                            (unsigned long long)n_vectors);
    }
    for (uint64_t i = 0; i < n_vectors; i++) {
        teleports[i] = (struct mr_teleport){vectors[i].weights, vectors[i].n_weights};
    }
    status = mr_memory_alloc(context->memory, "scores", taker.n_vertices * sizeof(double) + 1,
                             &scores, err);
    if (status == MR_OK) {
        taker.scores = scores;
        status = rank_vectors(context, store, teleports, n_vectors, &taken, &taker, figures, err);
    }
    mr_memory_free(context->memory, scores);
    free(teleports);
    return status;
}
