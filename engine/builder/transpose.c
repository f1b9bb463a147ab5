/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the reverse of a store, and a copy of a store without its order. Both pass the edges of
 * the store through the builder (store_edges.c), with the vertices and names of the store, so
 * neither needs code of its own for sorting or encoding. */
#include "engine/builder/transpose.h"

#include "engine/base/memory.h"
#include "engine/builder/store_edges.h"
#include "engine/store/vertex_order.h"

/* `positions`: the vertex of each vertex of `store` in the build; NULL: numbers stay. */
static enum mr_status build_like(const struct mr_context *context, struct mr_store *store,
                                 const char *path, const struct mr_build_options *options,
                                 const uint32_t *positions, struct mr_build_summary *summary,
                                 struct mr_error *err)
{
    static const struct mr_build_change none;
    const struct mr_edge_source links = {.store = store, .vertices = positions};
    return mr_build_from_stores(context, path, options, &none, &links, 1, summary, err);
}

enum mr_status mr_transpose(const struct mr_context *context, struct mr_store *store,
                            const char *path, const struct mr_build_options *options,
                            struct mr_build_summary *summary, struct mr_error *err)
{
    struct mr_build_options all = *options;

    all.ids = MR_IDS_DENSE;
    all.n_vertices = mr_store_get_info(store)->n_vertices;
    all.transpose = true;
    all.like = store;
    all.weights = mr_store_get_info(store)->has_weights;
    return build_like(context, store, path, &all, NULL, summary, err);
}

enum mr_status mr_undo_order(const struct mr_context *context, struct mr_store *store,
                             const char *path, struct mr_error *err)
{
    const struct mr_build_options options = {
        .ids = MR_IDS_DENSE,
        .n_vertices = mr_store_get_info(store)->n_vertices,
        .like = store,
        .in_positions = true,
        .force = true,
        .weights = mr_store_get_info(store)->has_weights,
    };
    uint32_t *positions = NULL;
    enum mr_status status =
        mr_vertex_order_load(context, store, MR_ORDER_POSITIONS, &positions, err);
    if (status == MR_OK) {
        status = build_like(context, store, path, &options, positions, NULL, err);
    }
    mr_memory_free(context->memory, positions);
    return status;
}
