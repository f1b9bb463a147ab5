/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the edges of existing stores into the build of a new one, for append, transpose and
 * subgraphs. Internal to the engine. */
#ifndef MR_ENGINE_BUILDER_STORE_EDGES_H
#define MR_ENGINE_BUILDER_STORE_EDGES_H

#include "engine/builder/internal.h"
#include "engine/scan/vertex_set.h"

#define MR_LEFT_OUT UINT32_MAX /* a vertex that is not in the build */

struct mr_edge_source {
    struct mr_store *store;
    /* [n_vertices of `store`]: the vertex of each in the build, or MR_LEFT_OUT: its edges are left
     * out. NULL: numbers stay */
    const uint32_t *vertices;
    bool drops_self_loops;
    const struct mr_vertex_set *old; /* NULL, or vertices of `store` whose own links are left out */
    /* [n_without] ascending: edges of `store` that are left out, first vertex << 32 | second */
    const uint64_t *without;
    uint64_t n_without;
};

/* The end of a stored edge that has the link: 1 in a transposed store. */
static inline unsigned mr_edge_giver(struct mr_store *store)
{
    return mr_store_get_info(store)->transposed ? 1 : 0;
}

/* Build `change` at `path` with the edges of `sources`[n_sources], and with their weights if the
 * options say so. Reads each source once. Errors: those of the builder and of reading a store. */
enum mr_status mr_build_from_stores(const struct mr_context *context, const char *path,
                                    const struct mr_build_options *options,
                                    const struct mr_build_change *change,
                                    const struct mr_edge_source *sources, unsigned n_sources,
                                    struct mr_store_build_figures *summary,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* For each vertex of `store`, set its vertex in a build that numbers vertices by position
 * (engine/store/core_map.h). `moved` [n_vertices] gives the new position for each old one;
 * NULL: positions stay. `*vertices` [n_vertices] is a budgeted allocation that the caller frees. */
enum mr_status mr_edge_source_vertices(const struct mr_context *context, struct mr_store *store,
                                       const uint32_t *moved, uint32_t **vertices,
                                       struct mr_error *err) MR_WARN_UNUSED;

#endif
