/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the subgraph that a set of vertices induces, as append builds its next store: out of the
 * edges and names of a store. The members are numbered in the order of their names. */
#include "engine/builder/transpose.h"

#include "engine/base/memory.h"
#include "engine/builder/store_edges.h"

/* Offers the names of the members out of those of the store. */
struct part_names {
    struct mr_names_source all;
    const struct mr_vertex_set *positions; /* those of the members, ranked */
    uint64_t at; /* the position of the next name of the walk */
    mr_names_visit visit;
    void *visit_data;
};

static enum mr_status visit_member(void *data, uint64_t number, const char *name, size_t name_bytes,
                                   struct mr_error *err)
{
    struct part_names *part = data;
    return mr_vertex_set_has(part->positions, (uint32_t)part->at++)
               ? part->visit(part->visit_data, number, name, name_bytes, err)
               : MR_OK;
}

static enum mr_status walk(const struct mr_names_source *source, mr_names_visit visit,
                           void *visit_data, struct mr_error *err)
{
    struct part_names *part = source->data;

    part->at = 0;
    part->visit = visit;
    part->visit_data = visit_data;
    return part->all.walk(&part->all, visit_member, part, err);
}

/* What the names of the members are. The first vertices keep the numbers that they are called
 * by. */
static enum mr_name_kind kind_of(enum mr_name_kind kind, const struct mr_vertex_set *positions)
{
    const uint64_t n = positions->n_members;
    const bool are_first = n == 0 || (mr_vertex_set_has(positions, (uint32_t)(n - 1)) &&
                                      mr_vertex_set_rank_of(positions, (uint32_t)(n - 1)) == n - 1);
    return kind == MR_NAMES_IDENTITY && !are_first ? MR_NAMES_NUMBERS : kind;
}

/* `vertices` [n_vertices] has the position of each vertex of the store. Makes them the vertices of
 * the subgraph, and sets the positions of the members. */
static void renumber(const struct mr_vertex_set *members, uint32_t *vertices,
                     struct mr_vertex_set *positions)
{
    for (uint64_t v = 0; v < members->n_vertices; v++) {
        if (mr_vertex_set_has(members, (uint32_t)v)) {
            mr_vertex_set_add(positions, vertices[v]);
        }
    }
    mr_vertex_set_rank(positions);
    for (uint64_t v = 0; v < members->n_vertices; v++) {
        vertices[v] = mr_vertex_set_has(members, (uint32_t)v)
                          ? mr_vertex_set_rank_of(positions, vertices[v])
                          : MR_LEFT_OUT;
    }
}

enum mr_status mr_subgraph(const struct mr_context *context, struct mr_store *store,
                           const struct mr_vertex_set *members, bool simple, const char *path,
                           struct mr_store_build_figures *summary, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_vertex_set positions = {0};
    struct part_names part = {.all = mr_names_of_store(context, store), .positions = &positions};
    struct mr_names_source names = {
        .walk = walk, .data = &part, .has_spellings = part.all.has_spellings};
    const struct mr_build_change change = {.store = store, .names = &names, .merges = simple};
    const struct mr_build_options options = {
        .ids = MR_IDS_DENSE, .n_vertices = members->n_members, .weights = info->has_weights};
    uint32_t *vertices = NULL;

    enum mr_status status = mr_edge_source_vertices(context, store, NULL, &vertices, err);
    if (status == MR_OK) {
        status = mr_vertex_set_create(context, info->n_vertices, &positions, err);
    }
    if (status == MR_OK) {
        renumber(members, vertices, &positions);
        names.kind = kind_of(part.all.kind, &positions);
        const struct mr_edge_source links = {
            .store = store, .vertices = vertices, .drops_self_loops = simple};
        status = mr_build_from_stores(context, path, &options, &change, &links, 1, summary, err);
    }
    mr_vertex_set_destroy(&positions);
    mr_memory_free(context->memory, vertices);
    return status;
}
