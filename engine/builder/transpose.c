/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the reverse of a store: passes the edges of the store through the builder (store_edges.c),
 * with the vertices and names of the store, so it needs no code of its own for sorting or
 * encoding. */
#include "engine/builder/transpose.h"

#include <limits.h>
#include <stdio.h>

#include "engine/builder/store_edges.h"
#include "engine/io/workspace.h"

enum mr_status mr_build_again(const struct mr_context *context, struct mr_store *store,
                              const char *path, const struct mr_build_options *options,
                              struct mr_store_build_figures *summary, struct mr_error *err)
{
    static const struct mr_build_change none;
    const struct mr_edge_source links = {.store = store};
    struct mr_build_options all = *options;

    all.ids = MR_IDS_DENSE;
    all.n_vertices = mr_store_get_info(store)->n_vertices;
    all.like = store;
    return mr_build_from_stores(context, path, &all, &none, &links, 1, summary, err);
}

enum mr_status mr_transpose(const struct mr_context *context, struct mr_store *store,
                            const char *path, const struct mr_build_options *options,
                            struct mr_store_build_figures *summary, struct mr_error *err)
{
    struct mr_build_options all = *options;

    all.transpose = true;
    all.weights = mr_store_get_info(store)->has_weights;
    return mr_build_again(context, store, path, &all, summary, err);
}

/* ---- A temporary reverse ---- */

/* The store that weights came from: names and edges without weights are in its files. */
static enum mr_status open_plain(const struct mr_context *context, const struct mr_store *weighted,
                                 struct mr_store **plain, struct mr_error *err)
{
    const char *path = mr_store_path(weighted);

    const enum mr_status status = mr_store_open(context, path, plain, err);
    return status == MR_OK &&
                   mr_store_get_info(*plain)->weights_id != mr_store_get_info(weighted)->store_id
               ? mr_error_file(err, MR_ERROR_RUNTIME, path, 0,
                               "was replaced while it was open; start again")
               : status;
}

static enum mr_status make(const struct mr_context *context, struct mr_store *store, bool weighted,
                           struct mr_reverse *reverse, struct mr_error *err)
{
    const struct mr_build_options options = {.force = true};
    struct mr_store *plain = NULL;
    char path[PATH_MAX];

    enum mr_status status = mr_workspace_open(context, &reverse->workspace, err);
    if (status != MR_OK) {
        return status;
    }
    (void)snprintf(path, sizeof path, "%s/reverse.mill", mr_workspace_path(reverse->workspace));
    status = mr_transpose(context, store, path, &options, NULL, err);
    if (status != MR_OK || !weighted) {
        return status == MR_OK ? mr_store_open(context, path, &reverse->store, err) : status;
    }
    status = mr_store_open(context, path, &plain, err);
    if (status == MR_OK) {
        status = mr_store_open_weights(context, plain, &reverse->store, err);
    }
    mr_store_close(plain);
    return status;
}

enum mr_status mr_reverse_open(const struct mr_context *context, struct mr_store *store,
                               struct mr_reverse *reverse, struct mr_error *err)
{
    const bool is_weighted = mr_store_get_info(store)->is_weighted;
    struct mr_store *plain = NULL;
    enum mr_status status = MR_OK;

    *reverse = (struct mr_reverse){0};
    if (mr_store_get_info(store)->undirected) {
        reverse->store = store;
        reverse->is_borrowed = true;
        return MR_OK;
    }
    if (is_weighted) {
        status = open_plain(context, store, &plain, err);
    }
    if (status == MR_OK) {
        status = make(context, is_weighted ? plain : store, is_weighted, reverse, err);
    }
    mr_store_close(plain);
    return status;
}

void mr_reverse_close(struct mr_reverse *reverse)
{
    if (!reverse->is_borrowed) {
        mr_store_close(reverse->store);
    }
    mr_workspace_close(reverse->workspace);
    *reverse = (struct mr_reverse){0};
}
