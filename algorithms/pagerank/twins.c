/* SPDX-License-Identifier: Apache-2.0 */
/* Which pages have the same in-links. --until needs it (until.h): web graphs are full of such
 * pages, of a site's menu for example, and an order among them is never proven.
 *
 * One synchronous pass adds up a random number for each source. The sums are exact modulo 2^64, so
 * that equal in-links give equal sums, and a sum takes 8 bytes a page however many in-links the
 * page has. */
#include "algorithms/pagerank/twins.h"

#include <string.h>

bool mr_twins_are_known(const struct mr_store *store)
{
    const double *out_strengths;
    return !mr_store_get_info(store)->is_weighted &&
           mr_store_class_weights(store, &out_strengths) == NULL;
}

uint64_t mr_twins_memory(const struct mr_store_info *info)
{
    return info->n_vertices * (sizeof(uint64_t) + sizeof(uint32_t));
}

static void keep_band(void *data, const struct mr_pass_band *band)
{
    const struct mr_twins *twins = data;
    memcpy(twins->in_links + band->first_vertex, band->accumulator,
           band->n_vertices * sizeof *twins->in_links);
    memcpy(twins->out_degree + band->first_vertex, band->out_degree,
           band->n_vertices * sizeof *twins->out_degree);
}

enum mr_status mr_twins_find(struct mr_pass *pass, const struct mr_store_info *info,
                             const struct mr_vertex_weight *teleport, uint64_t n_teleport,
                             uint64_t *values, struct mr_twins *twins, struct mr_error *err)
{
    const struct mr_pass_task run = {.value = MR_VALUE_U64,
                                     .x = values,
                                     .out_degrees = true,
                                     .callback = keep_band,
                                     .callback_data = twins};
    for (uint64_t v = 0; v < info->n_vertices; v++) {
        values[v] = mr_twins_mark(v);
    }
    memset(values + info->n_vertices, 0,
           (mr_pass_vector_length(info) - info->n_vertices) * sizeof *values);
    const enum mr_status status = mr_pass_run(pass, &run, err);
    for (uint64_t i = 0; i < n_teleport && status == MR_OK; i++) {
        uint64_t bits;
        memcpy(&bits, &teleport[i].weight, sizeof bits);
        if (teleport[i].weight > 0) { /* as a source behind all vertices would */
            twins->in_links[teleport[i].vertex] += mr_twins_mark(~bits);
        }
    }
    return status;
}
