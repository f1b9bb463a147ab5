/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of groups: a page store becomes the graph of its hosts or domains. */
#ifndef MR_ENGINE_BUILDER_FOLD_H
#define MR_ENGINE_BUILDER_FOLD_H

#include "engine/builder/build.h"
#include "engine/store/store.h"
#include "millrace/build.h"

/* Called once for each group with its name and the number of its vertices, in the order of the
 * names of the first vertices. */
typedef enum mr_status (*mr_fold_take)(void *data, const char *group, size_t group_bytes,
                                       uint64_t n_members, struct mr_error *err);

struct mr_fold_options {
    mr_name_group group; /* the name of the group, which becomes the name of its vertex */
    void *group_data;
    uint32_t name_key_number; /* of these names */
    mr_name_key name_key;
    enum mr_fold_weights weights;
    bool drop_self_loops; /* leave out edges inside a group */
    bool force; /* replace an existing store */
    int zstd_level;
    enum mr_encoding encoding;
    const char *temporary; /* PAGES only: path of a store that mr_fold makes and removes */
    mr_fold_take take; /* or NULL */
    /* or NULL: called after the last `take`, before the store is published; what fails here leaves
     * no store */
    enum mr_status (*taken)(void *data, struct mr_error *err);
    void *take_data;
};

/* Fold `store` into the graph of its groups at `path`. Edges between the same two groups become one
 * edge. Sums of weights are exact up to 2^24 and then rounded to 24 bits. Memory: 4 bytes per
 * vertex and 12 per run of vertices of one group, and that of a build. Reads the names twice, three
 * times with `take`, and the edges once. With PAGES a temporary store is built first, whose edges
 * lead from vertices to groups. Errors: those of the builder; INPUT if there are too many vertices
 * for PAGES. */
enum mr_status mr_fold(const struct mr_context *context, struct mr_store *store,
                       struct mr_names *names, const struct mr_fold_options *options,
                       const char *path, struct mr_store_build_figures *figures,
                       struct mr_error *err) MR_WARN_UNUSED;

#endif
