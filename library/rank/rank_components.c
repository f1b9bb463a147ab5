/* SPDX-License-Identifier: Apache-2.0 */
/* The public connected components: calls the algorithm, and turns the result into a ranking. */
#include "algorithms/components/components.h"
#include "engine/base/sized_struct.h"
#include "library/rank/ranking.h"

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
