/* SPDX-License-Identifier: Apache-2.0 */
/* Builds Kleinberg's base set for a query in one pass over the edges. HITS then
 * ranks the subgraph of this set. The edges come in store order, so that the set does not depend on
 * threads. */
#include "algorithms/hits/hits.h"

#include "engine/base/memory.h"
#include "engine/scan/edges.h"

struct base_search {
    struct mr_vertex_set roots;
    struct mr_vertex_set *members;
    uint64_t *n_in; /* [n_roots]: in-edges taken so far */
    uint64_t most_in_links;
};

static enum mr_status look(void *data, const uint32_t (*pairs)[2], const float *weights,
                           size_t n_pairs, struct mr_error *err)
{
    struct base_search *search = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t source = pairs[i][0], target = pairs[i][1];
        if (mr_vertex_set_has(&search->roots, source)) {
            mr_vertex_set_add(search->members, target);
        }
        if (mr_vertex_set_has(&search->roots, target)) {
            uint64_t *n = &search->n_in[mr_vertex_set_rank_of(&search->roots, target)];
            if (*n < search->most_in_links) {
                mr_vertex_set_add(search->members, source);
                *n += 1;
            }
        }
    }
    return MR_OK;
}

enum mr_status mr_base_set(const struct mr_context *context, struct mr_store *store,
                           const struct mr_vertex_weight *roots, uint64_t n_roots,
                           uint64_t most_in_links, struct mr_vertex_set *members,
                           struct mr_error *err)
{
    struct base_search search = {.members = members, .most_in_links = most_in_links};

    enum mr_status status =
        mr_vertex_set_create(context, mr_store_get_info(store)->n_vertices, &search.roots, err);
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "links to the root set", n_roots + 1,
                                 &search.n_in, err);
    }
    if (status == MR_OK) {
        for (uint64_t i = 0; i < n_roots; i++) {
            mr_vertex_set_add(&search.roots, roots[i].vertex);
            mr_vertex_set_add(members, roots[i].vertex);
        }
        mr_vertex_set_rank(&search.roots);
        status = mr_edges_read(context, store, NULL, look, &search, err);
    }
    mr_vertex_set_rank(members);
    mr_memory_free(context->memory, search.n_in);
    mr_vertex_set_destroy(&search.roots);
    return status;
}
