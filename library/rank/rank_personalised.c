/* SPDX-License-Identifier: Apache-2.0 */
/* The public personalised PageRank: scores go to a callback, one vector at a time. */
#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "library/rank/solver_rows.h"

/* Only the options count. */
static const struct mr_ranking_kind rows = {
    .name = "personalised PageRank",
    .options = (const struct mr_rank_option[]){
        MR_WIDTH_OPTION(0), MR_DANGLING_OPTION(0), MR_SOLVER_OPTIONS(0), {0}}};

static void figures_of(const struct mr_personalised_vector *vector,
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
        figures_of(&outcomes[i], result, n_vertices, &one);
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
                                    const struct mr_named_value *values, size_t n_values,
                                    mr_rank_callback take, void *take_data,
                                    struct mr_ranking_figures *figures, struct mr_error *err)
{
    struct taker taker = {
        .take = take, .take_data = take_data, .n_vertices = mr_store_get_info(store)->n_vertices};
    struct mr_pagerank_options options = {0};

    enum mr_status status = mr_rank_set_options(&rows, values, n_values, &options, err);
    if (status != MR_OK || n_vectors == 0) {
        return status;
    }
    taker.is_single = options.precision == MR_PRECISION_SINGLE;
    status = mr_memory_alloc(context->memory, "scores", taker.n_vertices * sizeof(double) + 1,
                             &taker.scores, err);
    if (status == MR_OK) {
        status = rank_vectors(context, store, vectors, n_vectors, &options, &taker, figures, err);
    }
    mr_memory_free(context->memory, taker.scores);
    return status;
}
