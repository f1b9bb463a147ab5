/* SPDX-License-Identifier: Apache-2.0 */
/* Stores made of a store, out of core: its reverse, of which every edge is reversed, while vertices
 * and their names stay; a copy; a part. */
#ifndef MR_ENGINE_BUILDER_TRANSPOSE_H
#define MR_ENGINE_BUILDER_TRANSPOSE_H

#include "engine/builder/build.h"
#include "engine/scan/vertex_set.h"
#include "engine/store/store.h"

/* Write the reverse of `store` to `path`, which is another store. It has the facts of `store`
 * (undirected, duplicates kept, self-loops dropped) and the opposite of its `transposed`. Of
 * `options` count force, zstd_level, encoding, and what makes classes; without them the reverse has
 * one class, and with the rule of `store` it has the same classes. The bytes are the same for any
 * threads and memory. For an input without duplicates they equal those of a build with
 * mr_build_options.transpose. Memory and temporary disk: those of the builder (build.h). Reads the
 * edges once and the names twice. `summary` may be NULL. */
enum mr_status mr_transpose(const struct mr_context *context, struct mr_store *store,
                            const char *path, const struct mr_build_options *options,
                            struct mr_store_build_figures *summary,
                            struct mr_error *err) MR_WARN_UNUSED;

/* Write the vertices, names and edges of `store` again, to another store. Of `options` count
 * transpose, weights, and what counts for mr_transpose. Errors and costs: those of mr_transpose. */
enum mr_status mr_build_again(const struct mr_context *context, struct mr_store *store,
                              const char *path, const struct mr_build_options *options,
                              struct mr_store_build_figures *summary,
                              struct mr_error *err) MR_WARN_UNUSED;

/* Write the subgraph of `store` that `members` induce to `path`. `members` is ranked. Vertices keep
 * their relative order and their names. Edges keep their multiplicity and weights.
 * A `simple` subgraph has no self-loops, and each edge once. Memory and temporary disk: those of a
 * build (build.h) of that many vertices and edges, and 4.2 bytes for each vertex of the store.
 * Reads the edges once and the names twice. `summary` may be NULL. */
enum mr_status mr_subgraph(const struct mr_context *context, struct mr_store *store,
                           const struct mr_vertex_set *members, bool simple, const char *path,
                           struct mr_store_build_figures *summary,
                           struct mr_error *err) MR_WARN_UNUSED;

/* The reverse of a store while an algorithm follows edges both ways. */
struct mr_reverse {
    struct mr_store *store; /* with the weights of the edges if the other one has them */
    struct mr_workspace *workspace; /* NULL: none was made */
    bool is_borrowed;
};

/* Makes the reverse of `store` in a temporary directory; where all edges go both ways it is `store`
 * itself. Errors: those of mr_transpose; RUNTIME if another store has taken the place of one with
 * weights. Costs: those of mr_transpose. Close it even after an error. */
enum mr_status mr_reverse_open(const struct mr_context *context, struct mr_store *store,
                               struct mr_reverse *reverse, struct mr_error *err) MR_WARN_UNUSED;
/* Closes the reverse, and removes what was made. Takes one that is all zero. */
void mr_reverse_close(struct mr_reverse *reverse);

#endif
