/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether a store is the transpose of another one. Each edge has a hash of its source, its
 * target and its weight; the sums over all edges of both stores must be equal. Degrees do not tell:
 * other graphs have the same ones. Ids of graphs do not either: a transposed store can come from
 * the builder, and the id of a graph does not change with each edge. The two readings cost a
 * tenth of the rounds that follow. */
#include <stdatomic.h>
#include <string.h>

#include "algorithms/hits/hits.h"
#include "algorithms/hits/internal.h"
#include "engine/base/random.h"
#include "engine/scan/edges.h"

enum mr_status mr_hits_check_sizes(const struct mr_store *store, const struct mr_store *transpose,
                                   struct mr_error *err)
{
    const struct mr_store_info *a = mr_store_get_info(store), *b = mr_store_get_info(transpose);

    if (a->n_vertices == b->n_vertices && a->n_edges == b->n_edges) {
        return MR_OK;
    }
    return mr_error_set(err, MR_ERROR_INPUT,
                        "%s is not the reverse of %s: it has %llu pages and %llu links instead "
                        "of %llu and %llu; make one with 'millrace transpose'",
                        mr_store_path(transpose), mr_store_path(store),
                        (unsigned long long)b->n_vertices, (unsigned long long)b->n_edges,
                        (unsigned long long)a->n_vertices, (unsigned long long)a->n_edges);
}

struct edge_sum {
    bool is_reversed;
    _Atomic uint64_t sum;
};

/* Adds the hashes of the edges to the sum, modulo 2^64, so that their order does not matter. */
static enum mr_status add_edges(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    struct edge_sum *edges = data;
    const unsigned from = edges->is_reversed ? 1 : 0;
    uint64_t sum = 0;

    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        uint32_t weight = 0;
        if (weights != NULL) {
            memcpy(&weight, &weights[i], sizeof weight);
        }
        const uint64_t edge = (uint64_t)pairs[i][from] << 32 | pairs[i][1 - from];
        sum += mr_random_mix(mr_random_mix(edge + MR_RANDOM_GOLDEN) + weight);
    }
    atomic_fetch_add(&edges->sum, sum);
    return MR_OK;
}

static enum mr_status sum_edges(const struct mr_context *context, struct mr_store *store,
                                struct edge_sum *edges, struct mr_error *err)
{
    const struct mr_scan scan = {.by_team = true, .stage = "compare"};
    return mr_edges_read(context, store, &scan, add_edges, edges, err);
}

enum mr_status mr_hits_check_transpose(const struct mr_context *context, struct mr_store *store,
                                       struct mr_store *transpose, struct mr_error *err)
{
    struct edge_sum forward = {0}, backward = {.is_reversed = true};

    enum mr_status status = mr_hits_check_sizes(store, transpose, err);
    if (status == MR_OK) {
        status = sum_edges(context, store, &forward, err);
    }
    if (status == MR_OK) {
        status = sum_edges(context, transpose, &backward, err);
    }
    if (status == MR_OK && forward.sum != backward.sum) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "%s is not the reverse of %s: its links are others; make one with "
                            "'millrace transpose'",
                            mr_store_path(transpose), mr_store_path(store));
    }
    return status;
}
