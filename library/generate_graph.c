/* SPDX-License-Identifier: Apache-2.0 */
/* Writes synthetic graphs to stores and files, for the command `generate`. A store is built
 * directly from the generator, without a file in between. */
#include "library/generate_graph.h"

#include "formats/graph/pair_writer.h"
#include "formats/stream/output.h"
#include "formats/url/surt.h"

struct named_build {
    struct mr_build *build;
    const struct mr_generator *graph;
};

/* Names the pages as a build from a file of URLs does. */
static enum mr_status take_named(void *data, const struct mr_edge *edges, size_t n_edges,
                                 struct mr_error *err)
{
    const struct named_build *named = data;
    const struct mr_generator *graph = named->graph;
    char url[MR_GENERATOR_NAME_MAX_BYTES];
    enum mr_status status = MR_OK;

    for (size_t i = 0; status == MR_OK && i < n_edges; i++) {
        struct mr_edge edge;
        size_t bytes = graph->name(graph->model, (uint32_t)edges[i].source, url);
        status = mr_build_name(named->build, url, bytes, &edge.source, err);
        if (status == MR_OK) {
            bytes = graph->name(graph->model, (uint32_t)edges[i].target, url);
            status = mr_build_name(named->build, url, bytes, &edge.target, err);
        }
        if (status == MR_OK) {
            status = mr_build_edges(named->build, 0, &edge, NULL, 1, err);
        }
    }
    return status;
}

enum mr_status mr_generate_store(const struct mr_context *context, const char *path,
                                 const struct mr_generator *graph, bool is_named, bool has_hosts,
                                 const struct mr_build_options *wanted,
                                 struct mr_store_build_figures *summary, struct mr_error *err)
{
    const uint32_t key = has_hosts ? MR_NAME_KEY_HOST : MR_NAME_KEY_SURT;
    struct mr_build_options options = *wanted;
    struct mr_build *build = NULL;

    options.ids = is_named ? MR_IDS_TEXT : MR_IDS_DENSE;
    options.n_vertices = is_named ? 0 : graph->n_vertices;
    options.name_key = is_named ? mr_name_key_of(key) : NULL;
    options.name_key_number = is_named ? key : 0;
    enum mr_status status = mr_build_create(context, path, &options, &build, err);
    struct named_build named = {.build = build, .graph = graph};
    const struct mr_edge_sink sink =
        is_named ? (struct mr_edge_sink){.data = &named, .take = take_named} : mr_build_sink(build);
    if (status == MR_OK) {
        status = mr_build_expect(build, graph->n_edges, false, err);
    }
    if (status == MR_OK) {
        status = mr_generate(context, graph, &sink, err);
    }
    return mr_build_finish(build, status, summary, err);
}

enum mr_status mr_generate_file(const struct mr_context *context, const char *path,
                                const struct mr_generator *graph, bool is_named, bool force,
                                uint64_t *n_pairs, struct mr_error *err)
{
    struct mr_pairs written = {.path = path,
                               .format = mr_output_has_suffix(path, ".u32") ? MR_PAIRS_U32
                                                                            : MR_PAIRS_TEXT,
                               .force = force,
                               .namer = is_named ? graph->name : NULL,
                               .namer_data = graph->model};
    const struct mr_edge_sink sink = mr_pairs_sink(&written);
    const enum mr_status status = mr_generate(context, graph, &sink, err);

    *n_pairs = written.n_pairs;
    return status;
}

enum mr_status mr_generate_names(const struct mr_context *context, const char *path,
                                 const struct mr_generator *graph, bool force, struct mr_error *err)
{
    struct mr_output *output = NULL;
    char name[MR_GENERATOR_NAME_MAX_BYTES];
    enum mr_status status = mr_output_open(context, path, force, &output, err);

    for (uint64_t v = 0; v < graph->n_vertices && status == MR_OK; v++) {
        const size_t bytes = graph->name(graph->model, (uint32_t)v, name);
        status = v % 65536 == 0 ? mr_context_poll(context, err) : MR_OK;
        if (status == MR_OK) {
            status = mr_output_print(output, err, "%llu\t%.*s\n", (unsigned long long)v, (int)bytes,
                                     name);
        }
    }
    return mr_output_end(output, status, err);
}
