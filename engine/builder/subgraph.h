/* SPDX-License-Identifier: Apache-2.0 */
/* Part of a graph as a store of its own: some vertices, their names, and the edges among them. */
#ifndef MR_ENGINE_BUILDER_SUBGRAPH_H
#define MR_ENGINE_BUILDER_SUBGRAPH_H

#include "engine/builder/build.h"
#include "engine/scan/vertex_set.h"
#include "engine/store/store.h"

/* Write the subgraph of `store` that `members` induce to `path`. `members` is ranked. Vertices keep
 * their relative order and their names. Edges keep their multiplicity and weights.
 * A `simple` subgraph has no self-loops, and each edge once. Memory and temporary disk: those of a
 * build (build.h) of that many vertices and edges, and 4.2 bytes for each vertex of the store.
 * Reads the edges once and the names twice. `summary` may be NULL. */
enum mr_status mr_subgraph(const struct mr_context *context, struct mr_store *store,
                           const struct mr_vertex_set *members, bool simple, const char *path,
                           struct mr_store_build_figures *summary,
                           struct mr_error *err) MR_WARN_UNUSED;

#endif
