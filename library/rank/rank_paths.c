/* SPDX-License-Identifier: Apache-2.0 */
/* The public rankings along paths: harmonic centrality and connected components. Each calls its
 * algorithm, and turns the result into a ranking. */
#include "algorithms/components/components.h"
#include "algorithms/harmonic/harmonic.h"
#include "engine/base/sized_struct.h"
#include "library/rank/ranking.h"

/* The ranking takes over an array of the result. */
static void take(struct mr_ranking *made, const char *name, double **values)
{
    mr_ranking_add(made, name, MR_SCORES_DOUBLE, *values);
    *values = NULL;
}

static enum mr_status check(const struct mr_harmonic_options *options, uint64_t n_vertices,
                            struct mr_error *err)
{
    if (options->log2m != 0 && options->log2m != MR_HARMONIC_AUTO_LOG2M &&
        (options->log2m < MR_HARMONIC_LEAST_LOG2M || options->log2m > MR_HARMONIC_MOST_LOG2M)) {
        return mr_error_set(err, MR_ERROR_USAGE, "log2m: %u is neither 0 nor between %d and %d",
                            options->log2m, MR_HARMONIC_LEAST_LOG2M, MR_HARMONIC_MOST_LOG2M);
    }
    const uint32_t *sources = options->sources;
    for (uint64_t i = 0; sources != NULL && i < options->n_sources; i++) {
        if (sources[i] >= n_vertices || (i > 0 && sources[i] <= sources[i - 1])) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "sources must be vertices of the store, in ascending order");
        }
    }
    return MR_OK;
}

enum mr_status mr_rank_harmonic(const struct mr_context *context, struct mr_store *store,
                                struct mr_names *names, const struct mr_harmonic_options *wanted,
                                struct mr_ranking **ranking, struct mr_error *err)
{
    const uint64_t n_vertices = mr_store_get_info(store)->n_vertices;
    struct mr_harmonic_options options = MR_HARMONIC_OPTIONS_INIT;
    struct mr_harmonic result = {0};
    struct mr_ranking *made = NULL;

    *ranking = NULL;
    enum mr_status status = mr_sized_take(wanted, &options, sizeof options, err);
    if (status == MR_OK) {
        status = check(&options, n_vertices, err);
    }
    if (status == MR_OK) {
        status = mr_ranking_create(context, n_vertices, &made, err);
    }
    if (status != MR_OK) {
        return status;
    }
    status = mr_harmonic_find(context, store, names, &options, &result, err);
    if (status == MR_OK) {
        take(made, "harmonic", &result.harmonic);
        take(made, "closeness", &result.closeness);
        take(made, "reach", &result.reach);
        made->figures.converged = true;
        made->figures.bytes_read = result.read.bytes_read;
    }
    mr_harmonic_free(&result);
    return mr_ranking_finish(made, status, ranking);
}

static enum mr_status take_components(struct mr_ranking *made, const struct mr_components *result,
                                      struct mr_error *err)
{
    double *weak = NULL, *strong = NULL, *part = NULL;

    enum mr_status status = mr_ranking_add_zeros(made, "weak", &weak, err);
    if (status == MR_OK && result->strong != NULL) {
        status = mr_ranking_add_zeros(made, "strong", &strong, err);
    }
    if (status == MR_OK && result->strong != NULL) {
        status = mr_ranking_add_zeros(made, "part", &part, err);
    }
    for (uint64_t v = 0; v < result->n_vertices && status == MR_OK; v++) {
        weak[v] = result->weak[v];
        if (result->strong != NULL) {
            strong[v] = result->strong[v];
            part[v] = mr_components_part(result, (uint32_t)v);
        }
    }
    made->figures.converged = true;
    made->figures.bytes_read = result->read.bytes_read;
    return status;
}

enum mr_status mr_rank_components(const struct mr_context *context, struct mr_store *store,
                                  struct mr_names *names,
                                  const struct mr_components_options *wanted,
                                  struct mr_ranking **ranking, struct mr_error *err)
{
    struct mr_components_options options = MR_COMPONENTS_OPTIONS_INIT;
    struct mr_components result = {0};
    struct mr_ranking *made = NULL;

    *ranking = NULL;
    enum mr_status status = mr_sized_take(wanted, &options, sizeof options, err);
    if (status == MR_OK) {
        status = mr_ranking_create(context, mr_store_get_info(store)->n_vertices, &made, err);
    }
    if (status != MR_OK) {
        return status;
    }
    status = mr_components_find(context, store, names, &options, &result, err);
    if (status == MR_OK) {
        status = take_components(made, &result, err);
    }
    mr_components_free(&result);
    return mr_ranking_finish(made, status, ranking);
}
