/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the subgraph that a set of vertices induces. It declares the members to a builder by name
 * and adds the edges whose both ends are members. The builder then numbers, sorts and writes them
 * as it does for any input. */
#include "engine/builder/subgraph.h"

#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/scan/edges.h"

struct edge_copy {
    struct mr_build *build;
    const struct mr_vertex_set *members;
    const uint64_t *ids; /* [n_members]: the id of each member in the build */
    struct mr_edge edges[MR_EDGES_BATCH];
    float weights[MR_EDGES_BATCH];
};

/* `weights` is NULL for a store without weights. */
static enum mr_status add_edges(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    struct edge_copy *copy = data;
    const struct mr_vertex_set *members = copy->members;
    size_t n = 0;

    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t source = pairs[i][0], target = pairs[i][1];
        if (mr_vertex_set_has(members, source) && mr_vertex_set_has(members, target)) {
            copy->weights[n] = weights == NULL ? 1 : weights[i];
            copy->edges[n++] = (struct mr_edge){copy->ids[mr_vertex_set_rank_of(members, source)],
                                                copy->ids[mr_vertex_set_rank_of(members, target)]};
        }
    }
    return n == 0 ? MR_OK
           : weights == NULL
               ? mr_build_edges(copy->build, copy->edges, n, err)
               : mr_build_weighted_edges(copy->build, 0, copy->edges, copy->weights, n, err);
}

static uint64_t parse_number(const char *text, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++) {
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    return number;
}

/* Declare the members to the builder, in the order of the names. Looks up the name of each member.
 * If vertices have an order of their own, that would be slow, so it reads all names in order
 * instead. */
static enum mr_status declare(const struct mr_context *context, struct mr_names *names,
                              const struct mr_vertex_set *members, bool is_text,
                              struct mr_build *build, uint64_t *ids, struct mr_error *err)
{
    struct mr_name_cursor *cursor = NULL;
    enum mr_status status = MR_OK;

    if (mr_names_are_ordered(names)) {
        status = mr_name_cursor_open(names, 0, &cursor, err);
    }
    for (uint64_t position = 0; position < members->n_vertices && status == MR_OK; position++) {
        const char *name = NULL;
        size_t name_bytes = 0;
        uint32_t vertex = (uint32_t)position;
        if (cursor != NULL) {
            status = mr_name_cursor_next(cursor, &name, &name_bytes, err);
            vertex = mr_name_cursor_vertex(cursor);
        }
        if (status != MR_OK || !mr_vertex_set_has(members, vertex)) {
            continue;
        }
        uint64_t *id = &ids[mr_vertex_set_rank_of(members, vertex)];
        status = mr_context_poll(context, err);
        if (status == MR_OK && cursor == NULL) {
            status = mr_names_get(names, vertex, &name, &name_bytes, err);
        }
        if (status == MR_OK && is_text) {
            status = mr_build_name(build, name, name_bytes, id, err);
        } else if (status == MR_OK) {
            *id = parse_number(name, name_bytes);
            status = mr_build_vertex(build, *id, err);
        }
    }
    mr_name_cursor_close(cursor);
    return status == MR_OK ? mr_build_freeze(build, err) : status;
}

static enum mr_status read_links(const struct mr_context *context, struct mr_store *store,
                                 struct mr_build *build, const struct mr_vertex_set *members,
                                 const uint64_t *ids, struct mr_error *err)
{
    struct edge_copy *copy = calloc(1, sizeof *copy);

    if (copy == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a subgraph");
    }
    copy->build = build;
    copy->members = members;
    copy->ids = ids;
    struct mr_store *weighted = NULL;
    enum mr_status status = MR_OK;
    if (mr_build_has_weights(build)) {
        status = mr_store_open_weights(context, store, &weighted, err);
    }
    if (status == MR_OK) {
        status = mr_edges_read_either(context, store, weighted, add_edges, copy, err);
    }
    mr_store_close(weighted);
    free(copy);
    return status;
}

enum mr_status mr_subgraph(const struct mr_context *context, struct mr_store *store,
                           struct mr_names *names, mr_name_key key,
                           const struct mr_vertex_set *members, bool drop_self_loops,
                           const char *path, struct mr_build_summary *summary, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const bool is_text = info->name_kind == MR_NAMES_TEXT;
    const struct mr_build_options options = {.struct_size = sizeof options,
                                             .ids = is_text ? MR_IDS_TEXT : MR_IDS_SPARSE,
                                             .name_key = is_text ? key : NULL,
                                             .name_key_number =
                                                 is_text ? info->name_key_number & 0xff : 0,
                                             .lists_names = is_text,
                                             .keep_duplicates = info->duplicates_kept,
                                             .weights = info->has_weights,
                                             .drop_self_loops = drop_self_loops};
    struct mr_build *build = NULL;
    void *ids = NULL;

    enum mr_status status = mr_memory_alloc(context->memory, "names of a subgraph",
                                            (members->n_members + 1) * sizeof(uint64_t), &ids, err);
    if (status == MR_OK) {
        status = mr_build_create(context, path, &options, &build, err);
    }
    if (status != MR_OK) {
        goto out;
    }
    status = declare(context, names, members, is_text, build, ids, err);
    if (status == MR_OK) {
        status = read_links(context, store, build, members, ids, err);
    }
    if (status != MR_OK) {
        mr_build_abandon(build);
        goto out;
    }
    status = mr_build_finish(build, summary, err);
out:
    mr_memory_free(context->memory, ids);
    return status;
}
