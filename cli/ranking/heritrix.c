/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the graph that Heritrix's offline PageRank ranks, for `pagerank --heritrix`. It leaves
 * out pages without in-links and self-loops, takes repeated links once, as the job GenGraph does,
 * and writes the rest to a temporary store. So the
 * solver needs no special case for this graph. */
#include "cli/ranking/heritrix.h"

#include "engine/builder/subgraph.h"
#include "engine/builder/transpose.h"
#include "engine/io/workspace.h"
#include "engine/scan/lists.h"
#include "engine/scan/neighbours.h"
#include "formats/graph_writer.h"

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

static enum mr_status make_part(struct mr_session *session, const struct mr_graph *graph,
                                const struct mr_vertex_set *linked, struct mr_heritrix *heritrix,
                                struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(graph->store);
    char **path = &heritrix->graph.temporary;
    char n_pages[32], n_loops[32];

    enum mr_status status = mr_session_temporary(session, "heritrix", path, err);
    if (status != MR_OK) {
        return status;
    }
    heritrix->n_pages = info->n_vertices - linked->n_members;
    heritrix->n_self_loops = info->n_self_loops;
    mr_session_say(session,
                   "note: --heritrix leaves out pages without a link to them (%s) and self-loops "
                   "(%s)%s; making a temporary store without them in %s",
                   mr_count_text(heritrix->n_pages, n_pages),
                   mr_count_text(heritrix->n_self_loops, n_loops),
                   info->duplicates_kept ? ", and counts repeated links once" : "",
                   mr_workspace_parent(&session->context));
    status = mr_subgraph(&session->context, graph->store, linked, true, *path, NULL, err);
    return status == MR_OK ? mr_graph_open_at(session, *path, &heritrix->graph, err) : status;
}

enum mr_status mr_heritrix_open(struct mr_session *session, const struct mr_graph *graph,
                                const struct mr_parsed *parsed, struct mr_heritrix *heritrix,
                                struct mr_error *err)
{
    const struct mr_context *context = &session->context;
    const struct mr_store_info *info = mr_store_get_info(graph->store);
    struct mr_vertex_set linked = {0};

    *heritrix = (struct mr_heritrix){0};
    if (info->self_loops_dropped) {
        return mr_error_file(err, MR_ERROR_USAGE, parsed->operands[0], 0,
                             "was built with --self-loops drop, and --heritrix needs the links of "
                             "pages to themselves; build it without that flag");
    }
    enum mr_status status = mr_vertex_set_create(context, info->n_vertices, &linked, err);
    if (status == MR_OK) {
        status = mr_degrees_read(context, graph->store, MR_DEGREES_IN, add_linked, &linked, err);
    }
    if (status == MR_OK) {
        mr_vertex_set_rank(&linked);
        if (linked.n_members < info->n_vertices || info->n_self_loops > 0 ||
            info->duplicates_kept) {
            status = make_part(session, graph, &linked, heritrix, err);
        }
    }
    mr_vertex_set_destroy(&linked);
    return status;
}

void mr_heritrix_close(struct mr_session *session, struct mr_heritrix *heritrix)
{
    mr_graph_close(session, &heritrix->graph);
    *heritrix = (struct mr_heritrix){0};
}

/* ---- The file of the job ---- */

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

enum mr_status mr_heritrix_write(struct mr_session *session, const struct mr_graph *graph,
                                 const struct mr_score_column *scores, const char *path, bool force,
                                 struct mr_error *err)
{
    const struct mr_graph_writer *format = mr_graph_writer_find("heritrix-pagerank");
    const struct mr_store_info *info = mr_store_get_info(graph->store);
    struct ranked ranked = {graph->names, scores};
    const struct mr_graph_output output = {.context = &session->context,
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

    enum mr_status status = mr_reverse_open(&session->context, graph->store, &reverse, err);
    if (status == MR_OK) {
        status = format->open(&output, &writer, err);
    }
    if (status == MR_OK) {
        status = mr_lists_read(&session->context, reverse.store, format->list, writer, err);
    }
    if (status == MR_OK) {
        status = format->commit(writer, err);
    } else {
        format->abandon(writer);
    }
    mr_reverse_close(&reverse);
    return status;
}
