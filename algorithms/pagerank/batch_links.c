/* SPDX-License-Identifier: Apache-2.0 */
/* The links of a store as rows in memory: the sources of each page. Degrees say where rows begin;
 * then a team reads the links, each thread those of its own run of bands. */
#include <string.h>

#include "algorithms/pagerank/batch_internal.h"
#include "engine/base/memory.h"
#include "engine/scan/edges.h"

void mr_batch_list_links(struct mr_batch *b, struct mr_memory_wanted arrays[MR_BATCH_LINK_ARRAYS])
{
    const struct mr_memory_wanted all[MR_BATCH_LINK_ARRAYS] = {
        MR_WANTED("rows of links", b->n + 1, &b->rows),
        MR_WANTED("links", b->info->n_edges + MR_BATCH_AHEAD, &b->sources),
        MR_WANTED("degrees", b->n, &b->degrees),
    };
    memcpy(arrays, all, sizeof all);
}

/* In-degrees to where the rows of the next pages will end. */
static void take_degrees(void *data, const struct mr_pass_band *band)
{
    struct mr_batch *b = data;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint64_t v = band->first_vertex + (uint64_t)i;
        b->rows[v + 1] = band->in_degree[i];
        b->degrees[v] = band->out_degree[i] > 0 ? band->out_degree[i] : 1;
    }
}

/* A row that has fewer or more links than the degrees say is left for the check. */
static enum mr_status add_links(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    struct mr_batch *b = data;
    (void)weights;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint64_t at = b->rows[(uint64_t)pairs[i][1] + 1]++;
        if (at >= b->info->n_edges) {
            return mr_error_set(err, MR_ERROR_CORRUPT,
                                "links and degrees of the store differ; build it again");
        }
        b->sources[at] = pairs[i][0];
    }
    return MR_OK;
}

static enum mr_status read_degrees(struct mr_batch *b, struct mr_store *store,
                                   struct mr_pass_figures *figures, struct mr_error *err)
{
    const struct mr_pass_task task = {.value = MR_VALUE_DOUBLE,
                                      .x = b->x,
                                      .out_degrees = true,
                                      .in_degrees = true,
                                      .degrees_only = true,
                                      .callback = take_degrees,
                                      .callback_data = b};
    return mr_pass_run_once(b->context, store, &task, figures, err);
}

enum mr_status mr_batch_read_links(struct mr_batch *b, struct mr_store *store,
                                   struct mr_pass_figures *figures, struct mr_error *err)
{
    struct mr_memory_wanted wanted[MR_BATCH_LINK_ARRAYS];
    struct mr_edges_figures read = {0};
    const struct mr_scan scan = {.by_team = true, .stage = "read", .figures = &read};
    uint64_t first = 0;
    mr_batch_list_links(b, wanted);
    enum mr_status status = mr_memory_arrays(b->context->memory, wanted, err);
    if (status == MR_OK) {
        status = read_degrees(b, store, figures, err);
    }
    /* the row of v begins at rows[v + 1] */
    for (uint64_t v = 0; v < b->n && status == MR_OK; v++) {
        const uint64_t length = b->rows[v + 1];
        b->rows[v + 1] = first;
        first += length;
    }
    if (status == MR_OK) {
        status = mr_edges_read(b->context, store, &scan, add_links, b, err);
    }
    figures->pinned_bytes = read.bytes_read;
    figures->decoded_bytes = b->info->n_edges * sizeof *b->sources;
    return status;
}
