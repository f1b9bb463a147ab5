/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the reverse of a store: passes the edges of the store through the builder (store_edges.c),
 * with the vertices and names of the store, so it needs no code of its own for sorting or
 * encoding. */
#include "engine/builder/transpose.h"

#include "engine/builder/store_edges.h"

enum mr_status mr_transpose(const struct mr_context *context, struct mr_store *store,
                            const char *path, const struct mr_build_options *options,
                            struct mr_build_summary *summary, struct mr_error *err)
{
    static const struct mr_build_change none;
    const struct mr_edge_source links = {.store = store};
    struct mr_build_options all = *options;

    all.ids = MR_IDS_DENSE;
    all.n_vertices = mr_store_get_info(store)->n_vertices;
    all.transpose = true;
    all.like = store;
    all.weights = mr_store_get_info(store)->has_weights;
    return mr_build_from_stores(context, path, &all, &none, &links, 1, summary, err);
}
