/* SPDX-License-Identifier: Apache-2.0 */
/* Writes graphs for LDBC Graphalytics, for `export` and `convert`: BASE.v, BASE.e, BASE.properties.
 * A symmetric graph is written as an undirected one, with each edge once. The properties come last,
 * because they contain the number of edges. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/graph/graph_output.h"
#include "formats/stream/output.h"
#include "formats/stream/properties.h"

struct graphalytics_writer {
    struct mr_graph_output graph;
    struct mr_output *edges, *vertices, *properties;
    uint64_t n_edges; /* written */
    char name[]; /* the last part of the path, without suffix */
};

static const char *const suffixes[] = {".properties", ".v", ".e", NULL};

static void abandon(void *data)
{
    struct graphalytics_writer *writer = data;
    if (writer != NULL) {
        mr_output_abandon(writer->edges);
        mr_output_abandon(writer->vertices);
        mr_output_abandon(writer->properties);
        free(writer);
    }
}

static enum mr_status open_one(struct graphalytics_writer *writer, const char *suffix,
                               struct mr_output **out, struct mr_error *err)
{
    char *path = mr_path_sibling(writer->graph.path, suffixes, suffix);
    const enum mr_status status =
        path == NULL ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path")
                     : mr_output_open(writer->graph.context, path, writer->graph.force, out, err);
    free(path);
    return status;
}

static uint64_t number_of(const struct graphalytics_writer *writer, uint32_t vertex)
{
    return writer->graph.numbers == NULL ? vertex : writer->graph.numbers[vertex];
}

static enum mr_status open_graph(const struct mr_graph_output *graph, void **out,
                                 struct mr_error *err)
{
    const char *slash = strrchr(graph->path, '/');
    char *name = mr_path_sibling(slash == NULL ? graph->path : slash + 1, suffixes, "");
    struct graphalytics_writer *writer =
        name == NULL ? NULL : calloc(1, sizeof *writer + strlen(name) + 1);
    enum mr_status status = MR_OK;

    *out = NULL;
    if (writer == NULL) {
        free(name);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a writer");
    }
    memcpy(writer->name, name, strlen(name) + 1);
    free(name);
    writer->graph = *graph;
    status = open_one(writer, ".e", &writer->edges, err);
    if (status == MR_OK) {
        status = open_one(writer, ".v", &writer->vertices, err);
    }
    if (status == MR_OK) {
        status = open_one(writer, ".properties", &writer->properties, err);
    }
    for (uint64_t v = 0; v < graph->n_vertices && status == MR_OK; v++) {
        status =
            mr_output_print(writer->vertices, err, "%" PRIu64 "\n", number_of(writer, (uint32_t)v));
    }
    if (status != MR_OK) {
        abandon(writer);
        return status;
    }
    *out = writer;
    return MR_OK;
}

static enum mr_status write_list(void *data, uint32_t vertex, const uint32_t *others,
                                 const float *weights, size_t n_others, struct mr_error *err)
{
    struct graphalytics_writer *writer = data;
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < n_others && status == MR_OK; i++) {
        if (writer->graph.symmetric && others[i] < vertex) {
            continue;
        }
        status = mr_output_print(writer->edges, err, "%" PRIu64 " %" PRIu64,
                                 number_of(writer, vertex), number_of(writer, others[i]));
        if (status == MR_OK && weights != NULL) {
            status = mr_output_print(writer->edges, err, " %.9g", (double)weights[i]);
        }
        if (status == MR_OK) {
            status = mr_output_print(writer->edges, err, "\n");
        }
        writer->n_edges++;
    }
    return status;
}

static enum mr_status write_properties(struct graphalytics_writer *writer, struct mr_error *err)
{
    const char *name = writer->name;
    struct mr_output *to = writer->properties;
    enum mr_status status = mr_output_print(to, err, "graph.%s.vertex-file = %s.v\n", name, name);

    if (status == MR_OK) {
        status = mr_output_print(to, err, "graph.%s.edge-file = %s.e\n", name, name);
    }
    if (status == MR_OK) {
        status = mr_output_print(
            to, err, "graph.%s.meta.vertices = %" PRIu64 "\ngraph.%s.meta.edges = %" PRIu64 "\n",
            name, writer->graph.n_vertices, name, writer->n_edges);
    }
    if (status == MR_OK && writer->graph.weighted) {
        status = mr_output_print(to, err,
                                 "graph.%s.edge-properties.names = weight\n"
                                 "graph.%s.edge-properties.types = real\n",
                                 name, name);
    }
    return status == MR_OK ? mr_output_print(to, err, "graph.%s.directed = %s\n", name,
                                             writer->graph.symmetric ? "false" : "true")
                           : status;
}

static enum mr_status commit(void *data, struct mr_error *err)
{
    struct graphalytics_writer *writer = data;
    struct mr_output **outputs[] = {&writer->vertices, &writer->edges, &writer->properties};
    enum mr_status status = write_properties(writer, err);

    for (unsigned i = 0; i < 3 && status == MR_OK; i++) {
        status = mr_output_commit(*outputs[i], err);
        *outputs[i] = NULL;
    }
    abandon(writer);
    return status;
}

const struct mr_graph_writer mr_writer_graphalytics = {.name = "graphalytics",
                                                       .title = "LDBC Graphalytics",
                                                       .suffixes = {".e"},
                                                       .wants = MR_WANTS_LISTS,
                                                       .weighs = MR_WEIGHS_IF_THERE,
                                                       .several_files = true,
                                                       .family = suffixes,
                                                       .open = open_graph,
                                                       .list = write_list,
                                                       .commit = commit,
                                                       .abandon = abandon};
