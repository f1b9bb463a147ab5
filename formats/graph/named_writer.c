/* SPDX-License-Identifier: Apache-2.0 */
/* Writes edges with the names of their pages, for `export` and `convert`: lines of two names with a
 * tab between (urls), a table (csv), or objects in lines (jsonl). `build` reads all of them. */
#include <stdlib.h>

#include "formats/graph/graph_output.h"
#include "formats/stream/output.h"

enum kind { LINES, CSV, JSON };

struct named_writer {
    struct mr_graph_output graph;
    struct mr_output *output;
    enum kind kind;
    uint64_t escaped;
};

static void abandon(void *data)
{
    struct named_writer *writer = data;
    if (writer != NULL) {
        mr_output_abandon(writer->output);
        free(writer);
    }
}

static enum mr_status commit(void *data, struct mr_error *err)
{
    struct named_writer *writer = data;
    const enum mr_status status = mr_output_commit(writer->output, err);
    if (status == MR_OK && writer->escaped > 0) {
        mr_context_note(
            writer->graph.context,
            "names with control bytes: %llu; these are written as \\xNN, and build reads "
            "four characters",
            (unsigned long long)writer->escaped);
    }
    free(writer);
    return status;
}

static enum mr_status open(const struct mr_graph_output *graph, void **out, struct mr_error *err)
{
    struct named_writer *writer = calloc(1, sizeof *writer);

    *out = NULL;
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a writer");
    }
    writer->graph = *graph;
    writer->kind = graph->format[0] == 'c' ? CSV : graph->format[0] == 'j' ? JSON : LINES;
    enum mr_status status =
        mr_output_open(graph->context, graph->path, graph->force, &writer->output, err);
    if (status == MR_OK && writer->kind == CSV) {
        status = mr_output_print(writer->output, err, "source,target%s\n",
                                 graph->weighted ? ",weight" : "");
    }
    if (status != MR_OK) {
        abandon(writer);
        return status;
    }
    *out = writer;
    return MR_OK;
}

static enum mr_status put_name(struct named_writer *writer, uint32_t vertex, struct mr_error *err)
{
    const struct mr_name_texts *names = writer->graph.names;
    const char *name = names->text + names->ends[vertex];
    const size_t bytes = (size_t)(names->ends[vertex + 1] - names->ends[vertex]);

    return writer->kind == LINES ? mr_output_name_escaped(writer->output, name, bytes, MR_NAME_LINE,
                                                          &writer->escaped, err)
                                 : mr_output_name_field(writer->output, writer->kind == JSON, name,
                                                        bytes, &writer->escaped, err);
}

static enum mr_status put_pair(struct named_writer *writer, const uint32_t pair[2],
                               const float *weight, struct mr_error *err)
{
    static const char *const before[] = {"", "", "{\"from\":"};
    static const char *const between[] = {"\t", ",", ",\"to\":"};
    static const char *const after[] = {"\n", "\n", "}\n"};
    struct mr_output *output = writer->output;

    enum mr_status status = mr_output_print(output, err, "%s", before[writer->kind]);
    if (status == MR_OK) {
        status = put_name(writer, pair[0], err);
    }
    if (status == MR_OK) {
        status = mr_output_print(output, err, "%s", between[writer->kind]);
    }
    if (status == MR_OK) {
        status = put_name(writer, pair[1], err);
    }
    if (status == MR_OK && weight != NULL) {
        status = mr_output_print(output, err, ",%.9g", (double)*weight);
    }
    return status == MR_OK ? mr_output_print(output, err, "%s", after[writer->kind]) : status;
}

static enum mr_status put_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < n_pairs && status == MR_OK; i++) {
        status = put_pair(data, pairs[i], weights == NULL ? NULL : &weights[i], err);
    }
    return status;
}

#define NAMED                                                                                      \
    .wants_names = true, .open = open, .pairs = put_pairs, .commit = commit, .abandon = abandon

const struct mr_graph_writer mr_writer_urls = {
    .name = "urls", .title = "lines of two names", .suffixes = {".urls"}, NAMED};
const struct mr_graph_writer mr_writer_csv = {.name = "csv",
                                              .title = "a table of names",
                                              .suffixes = {".csv"},
                                              .weighs = MR_WEIGHS_IF_THERE,
                                              NAMED};
const struct mr_graph_writer mr_writer_jsonl = {
    .name = "jsonl", .title = "JSON with names", .suffixes = {".jsonl", ".ndjson", ".jl"}, NAMED};
