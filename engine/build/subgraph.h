/* A part of a graph as a store of its own: some vertices, their names, the links among them. */
#ifndef MR_ENGINE_BUILD_SUBGRAPH_H
#define MR_ENGINE_BUILD_SUBGRAPH_H

#include "engine/build/build.h"
#include "engine/scan/vertex_set.h"
#include "engine/store/store.h"

/* Write the subgraph of `store` that the ranked `members` induce to `path`. Vertices keep their order and
 * names, without other spellings (`names` are those of `store`, opened with `key`), links their multiplicity and weights;
 * those of a vertex to itself are left out with `drop_self_loops`. Memory and temporary disk: the
 * builder's (build.h) for so many vertices and links, and 8 bytes per member. One reading of the links,
 * one name looked up per member. `summary` may be NULL. */
enum mr_status mr_subgraph(const struct mr_context *context, struct mr_store *store,
                           struct mr_names *names, mr_name_key key,
                           const struct mr_vertex_set *members, bool drop_self_loops,
                           const char *path, struct mr_build_summary *summary,
                           struct mr_error *err) MR_WARN_UNUSED;

#endif
