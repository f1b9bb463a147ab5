/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a graph as stores of their own, which rankings of the program work on: its largest
 * component, Kleinberg's base set of a query, and the graph of Heritrix's offline PageRank. A
 * ranking needs no special case for them. The file that Heritrix's job passes from round to round
 * is here, too. */
#include "library/query/subset.h"

#include "algorithms/hits/hits.h"
#include "engine/builder/transpose.h"
#include "engine/scan/lists.h"
#include "engine/scan/neighbours.h"
#include "formats/graph_writer.h"

enum mr_status mr_part_of_largest(const struct mr_context *context, struct mr_store *store,
                                  struct mr_names *names, bool is_strong, const char *path,
                                  struct mr_store_build_figures *summary, struct mr_error *err)
{
    struct mr_vertex_set members = {0};
    enum mr_status status =
        mr_subset_of_largest(&members, context, store, names, NULL, is_strong, err);

    if (status == MR_OK) {
        status = mr_subgraph(context, store, &members, false, path, summary, err);
    }
    mr_vertex_set_destroy(&members);
    return status;
}

enum mr_status mr_part_of_query(const struct mr_context *context, struct mr_store *store,
                                const struct mr_vertex_weights *roots, uint64_t most_in_links,
                                const char *path, struct mr_store_build_figures *summary,
                                struct mr_error *err)
{
    struct mr_vertex_set members = {0};
    enum mr_status status =
        mr_vertex_set_create(context, mr_store_get_info(store)->n_vertices, &members, err);

    if (status == MR_OK) {
        status = mr_base_set(context, store, roots->entries, roots->n_entries,
                             most_in_links == 0 ? MR_BASE_SET_ALL : most_in_links, &members, err);
    }
    if (status == MR_OK) {
        status = mr_subgraph(context, store, &members, false, path, summary, err);
    }
    mr_vertex_set_destroy(&members);
    return status;
}

/* ---- Heritrix ---- */

static enum mr_status add_linked(void *data, uint64_t first, const uint32_t *degrees,
                                 const double *strengths, size_t n, struct mr_error *err)
{
    struct mr_vertex_set *linked = data;
    (void)strengths;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        if (degrees[i] > 0) {
            mr_vertex_set_add(linked, (uint32_t)(first + i));
        }
    }
    return MR_OK;
}

enum mr_status mr_part_of_heritrix(const struct mr_context *context, struct mr_store *store,
                                   const char *path, bool *is_whole,
                                   struct mr_store_build_figures *summary, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_vertex_set linked = {0};

    *is_whole = false;
    enum mr_status status = mr_vertex_set_create(context, info->n_vertices, &linked, err);
    if (status == MR_OK) {
        status = mr_degrees_read(context, store, MR_DEGREES_IN, add_linked, &linked, err);
    }
    if (status == MR_OK) {
        mr_vertex_set_rank(&linked);
        *is_whole = linked.n_members == info->n_vertices && info->n_self_loops == 0 &&
                    !info->duplicates_kept;
        status = *is_whole ? MR_OK : mr_subgraph(context, store, &linked, true, path, summary, err);
    }
    mr_vertex_set_destroy(&linked);
    return status;
}

struct ranked {
    struct mr_names *names;
    const struct mr_score_column *scores;
};

static enum mr_status name_of(void *data, uint32_t vertex, const char **name, size_t *bytes,
                              struct mr_error *err)
{
    return mr_names_get(((const struct ranked *)data)->names, vertex, name, bytes, err);
}

static double score_of(const void *data, uint32_t vertex)
{
    return mr_score_at(((const struct ranked *)data)->scores, vertex);
}

enum mr_status mr_heritrix_write(const struct mr_context *context, struct mr_store *store,
                                 struct mr_names *names, const struct mr_score_column *scores,
                                 const char *path, bool force, struct mr_error *err)
{
    const struct mr_graph_writer *format = mr_graph_writer_find("heritrix-pagerank");
    const struct mr_store_info *info = mr_store_get_info(store);
    struct ranked ranked = {names, scores};
    const struct mr_graph_output output = {.context = context,
                                           .format = format,
                                           .path = path,
                                           .force = force,
                                           .n_vertices = info->n_vertices,
                                           .n_edges = info->n_edges,
                                           .name = name_of,
                                           .score = score_of,
                                           .data = &ranked};
    struct mr_reverse reverse = {0};
    void *writer = NULL;

    enum mr_status status = mr_reverse_open(context, store, &reverse, err);
    if (status == MR_OK) {
        status = format->open(&output, &writer, err);
    }
    if (status == MR_OK) {
        status =
            mr_lists_read(context, reverse.store, false, UINT64_MAX, format->list, writer, err);
    }
    if (status == MR_OK) {
        status = format->commit(writer, err);
    } else {
        format->abandon(writer);
    }
    mr_reverse_close(&reverse);
    return status;
}
