/* SPDX-License-Identifier: Apache-2.0 */
/* What the builds from memory and from files share.
 * build_from_memory.c uses them for edges in memory, build_files.c for files. */
#ifndef MR_LIBRARY_BUILD_INTERNAL_H
#define MR_LIBRARY_BUILD_INTERNAL_H

#include "engine/builder/build.h"

/* Convert `given`, which may be NULL, and check everything that does not depend on the source. */
enum mr_status mr_store_build_copy_options(const struct mr_store_build_options *given,
                                           struct mr_store_build_options *options,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* An edge between names. The names are not terminated. They must stay valid until the next call of
 * the callback. */
struct mr_named_edge {
    const char *source, *target;
    size_t source_bytes, target_bytes; /* 1 to 65536, without a line feed */
    float weight; /* 1 before the call; ignored where edges have no weights */
};

/* Writes the next edge to `*edge`. `*is_end` is false before the call; the callback sets it to true
 * after the last edge. */
typedef enum mr_status (*mr_named_edge_callback)(void *data, struct mr_named_edge *edge,
                                                 bool *is_end, struct mr_error *err);

/* Build a store from a callback that gives names, such as URLs. The vertices are the names that
 * occur, in the order of host and path. options->n_vertices must be 0. Errors: as
 * mr_store_build_callback. */
enum mr_status mr_store_build_named(const struct mr_context *context, const char *path,
                                    mr_named_edge_callback next, void *next_data,
                                    const struct mr_store_build_options *options,
                                    struct mr_store_build_figures *figures,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
