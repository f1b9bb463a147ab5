/* SPDX-License-Identifier: Apache-2.0 */
/* Folds a store into the graph of its groups, such as hosts. A first walk over the names numbers
 * the groups (engine/names/name_groups.h), a second one declares each group to a builder by name.
 * Then each edge is handed to the builder as an edge between two groups, and the builder merges
 * equal edges and adds up their weights, out of core. To count linking pages, a temporary store
 * merges the edges from a page to a group first; its edges then count 1 each. */
#include "engine/builder/fold.h"

#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/names/names.h"
#include "engine/scan/edges.h"

#define NO_GROUP UINT64_MAX

struct fold {
    const struct mr_context *context;
    struct mr_store *store;
    struct mr_names *names;
    const struct mr_fold_options *options;
    struct mr_name_groups *groups;
    const uint32_t *group_of; /* [n_vertices] */
    uint64_t n_vertices, n_groups; /* groups are numbered below n_groups, with gaps */
    uint64_t *ids; /* [n_groups], the builder's id of each group, or NO_GROUP */
    uint32_t *members; /* [n_groups] */
    struct mr_build *build;
    struct mr_build *merging; /* the build of the temporary store of read_pages */
    uint64_t n_alone, n_edges_alone; /* as in the figures */
    struct mr_edge edges[MR_EDGES_BATCH];
    float weights[MR_EDGES_BATCH];
    char name[MR_NAME_GROUP_MAX_BYTES];
};

static enum mr_status walk(struct fold *fold, mr_name_take take, struct mr_error *err)
{
    return mr_names_walk(fold->context, fold->names, fold->n_vertices, NULL, take, fold, err);
}

/* ---- Groups ---- */

/* This and the other two that see names are mr_name_takes. */
static enum mr_status add_to_groups(void *data, const struct mr_name_cursor *cursor,
                                    uint64_t position, const char *name, size_t name_bytes,
                                    struct mr_error *err)
{
    struct fold *fold = data;

    (void)cursor, (void)position;
    return mr_name_groups_add(fold->groups, name, name_bytes, err);
}

static enum mr_status number_groups(struct fold *fold, struct mr_error *err)
{
    const struct mr_fold_options *options = fold->options;
    struct mr_core_map core = {0};
    enum mr_status status = MR_OK;

    if (mr_store_get_info(fold->store)->order_id != 0) {
        status = mr_core_map_load(fold->context, fold->store, &core, err);
    }
    if (status == MR_OK) {
        status = mr_name_groups_create(fold->context, fold->n_vertices, &core, options->group,
                                       options->group_data, &fold->groups, err);
    }
    if (status == MR_OK) {
        status = walk(fold, add_to_groups, err);
    }
    if (status == MR_OK) {
        status = mr_name_groups_finish(fold->groups, err);
    }
    mr_core_map_free(fold->context->memory, &core);
    if (status != MR_OK) {
        return status;
    }
    fold->group_of = mr_name_groups_of(fold->groups);
    for (uint64_t v = 0; v < fold->n_vertices; v++) {
        const uint64_t needed = (uint64_t)fold->group_of[v] + 1;
        fold->n_groups = needed > fold->n_groups ? needed : fold->n_groups;
    }
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("ids of groups", fold->n_groups + 1, &fold->ids),
        MR_WANTED("vertices of groups", fold->n_groups + 1, &fold->members),
    };
    return mr_memory_arrays(fold->context->memory, arrays, err);
}

static enum mr_status declare_group(void *data, const struct mr_name_cursor *cursor,
                                    uint64_t position, const char *name, size_t name_bytes,
                                    struct mr_error *err)
{
    struct fold *fold = data;
    const uint32_t group = fold->group_of[mr_name_cursor_vertex(cursor)];

    (void)position;
    if (fold->members[group]++ > 0) {
        return MR_OK;
    }
    const size_t bytes =
        fold->options->group(fold->options->group_data, name, name_bytes, fold->name);
    if (bytes == 0) { /* a group by itself, so no other vertex comes here */
        fold->ids[group] = NO_GROUP;
        fold->n_alone++;
        return MR_OK;
    }
    return mr_build_name(fold->build, fold->name, bytes, &fold->ids[group], err);
}

static enum mr_status tell_group(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                 const char *name, size_t name_bytes, struct mr_error *err)
{
    struct fold *fold = data;
    const uint32_t group = fold->group_of[mr_name_cursor_vertex(cursor)];
    const uint64_t n_members = fold->members[group];

    (void)position;
    fold->members[group] = 0;
    if (n_members == 0 || fold->ids[group] == NO_GROUP) {
        return MR_OK;
    }
    const size_t bytes =
        fold->options->group(fold->options->group_data, name, name_bytes, fold->name);
    return fold->options->take(fold->options->take_data, fold->name, bytes, n_members, err);
}

/* ---- Edges ---- */

static enum mr_status add_to_build(struct fold *fold, size_t n, struct mr_error *err)
{
    return n == 0 ? MR_OK : mr_build_edges(fold->build, 0, fold->edges, fold->weights, n, err);
}

static enum mr_status add_links(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    struct fold *fold = data;
    size_t n = 0;

    for (size_t i = 0; i < n_pairs; i++) {
        const uint64_t source = fold->ids[fold->group_of[pairs[i][0]]];
        const uint64_t target = fold->ids[fold->group_of[pairs[i][1]]];
        if (source == NO_GROUP || target == NO_GROUP) {
            fold->n_edges_alone++;
            continue;
        }
        fold->weights[n] = weights == NULL ? 1 : weights[i];
        fold->edges[n++] = (struct mr_edge){source, target};
    }
    return add_to_build(fold, n, err);
}

/* An edge of the temporary store: from a vertex of `store` to n_vertices and a group's number. */
static enum mr_status add_pages(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    struct fold *fold = data;

    (void)weights;
    for (size_t i = 0; i < n_pairs; i++) {
        fold->weights[i] = 1;
        fold->edges[i] = (struct mr_edge){fold->ids[fold->group_of[pairs[i][0]]],
                                          fold->ids[pairs[i][1] - fold->n_vertices]};
    }
    return add_to_build(fold, n_pairs, err);
}

static enum mr_status add_half(void *data, const uint32_t (*pairs)[2], const float *weights,
                               size_t n_pairs, struct mr_error *err)
{
    struct fold *fold = data;
    size_t n = 0;

    (void)weights;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t target = fold->group_of[pairs[i][1]];
        if (fold->ids[fold->group_of[pairs[i][0]]] == NO_GROUP || fold->ids[target] == NO_GROUP) {
            fold->n_edges_alone++;
            continue;
        }
        fold->edges[n++] = (struct mr_edge){pairs[i][0], fold->n_vertices + target};
    }
    return mr_build_edges(fold->merging, 0, fold->edges, NULL, n, err);
}

/* Merges the edges from each vertex to each group in a temporary store, and adds these. */
static enum mr_status read_pages(struct fold *fold, struct mr_error *err)
{
    const struct mr_context *context = fold->context;
    const char *path = fold->options->temporary;
    const struct mr_build_options options = {
        .ids = MR_IDS_DENSE, .n_vertices = fold->n_vertices + fold->n_groups, .force = true};
    struct mr_store *merged = NULL;

    if (options.n_vertices > UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "pages and hosts are more than 4294967295 together; count links "
                            "(--weights links)");
    }
    enum mr_status status = mr_build_create(context, path, &options, &fold->merging, err);
    if (status == MR_OK) {
        status = mr_edges_read(context, fold->store, NULL, add_half, fold, err);
    }
    status = mr_build_finish(fold->merging, status, NULL, err);
    if (status == MR_OK) {
        status = mr_store_open(context, path, &merged, err);
    }
    if (status == MR_OK) {
        status = mr_edges_read(context, merged, NULL, add_pages, fold, err);
    }
    mr_store_close(merged);
    mr_io_remove_store_dir(context->io, path);
    return status;
}

static enum mr_status read_links(struct fold *fold, struct mr_error *err)
{
    const bool weighted =
        fold->options->weights == MR_FOLD_LINKS && mr_store_get_info(fold->store)->has_weights;
    struct mr_store *weights = NULL;
    enum mr_status status =
        weighted ? mr_store_open_weights(fold->context, fold->store, &weights, err) : MR_OK;

    if (status == MR_OK) {
        status = mr_edges_read(fold->context, weights != NULL ? weights : fold->store, NULL,
                               add_links, fold, err);
    }
    mr_store_close(weights);
    return status;
}

/* ---- Fold ---- */

static enum mr_status fill_build(struct fold *fold, struct mr_error *err)
{
    enum mr_status status = walk(fold, declare_group, err);

    if (status == MR_OK) {
        status =
            fold->options->weights == MR_FOLD_PAGES ? read_pages(fold, err) : read_links(fold, err);
    }
    if (status == MR_OK && fold->options->take != NULL) {
        status = walk(fold, tell_group, err);
    }
    if (status == MR_OK && fold->options->taken != NULL) {
        status = fold->options->taken(fold->options->take_data, err);
    }
    return status;
}

enum mr_status mr_fold(const struct mr_context *context, struct mr_store *store,
                       struct mr_names *names, const struct mr_fold_options *options,
                       const char *path, struct mr_store_build_figures *figures,
                       struct mr_error *err)
{
    const struct mr_build_options build = {.ids = MR_IDS_TEXT,
                                           .name_key = options->name_key,
                                           .name_key_number = options->name_key_number,
                                           .drop_self_loops = options->drop_self_loops,
                                           .weights = options->weights != MR_FOLD_NONE,
                                           .force = options->force,
                                           .together = context->together,
                                           .zstd_level = options->zstd_level,
                                           .encoding = options->encoding};
    struct fold *fold = calloc(1, sizeof *fold);

    if (fold == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a fold");
    }
    fold->context = context;
    fold->store = store;
    fold->names = names;
    fold->options = options;
    fold->n_vertices = mr_store_get_info(store)->n_vertices;
    enum mr_status status = number_groups(fold, err);
    if (status == MR_OK) {
        status = mr_build_create(context, path, &build, &fold->build, err);
    }
    if (status == MR_OK) {
        status = fill_build(fold, err);
    }
    status = mr_build_finish(fold->build, status, figures, err);
    figures->n_alone = fold->n_alone;
    figures->n_edges_alone = fold->n_edges_alone;
    mr_memory_free(context->memory, fold->ids);
    mr_memory_free(context->memory, fold->members);
    mr_name_groups_destroy(fold->groups);
    free(fold);
    return status;
}
