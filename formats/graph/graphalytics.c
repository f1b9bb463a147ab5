/* SPDX-License-Identifier: Apache-2.0 */
/* Reads graphs of LDBC Graphalytics: BASE.v with one vertex per line, BASE.e with "source target
 * [weight ...]" and, if there is one, BASE.properties, which says whether the graph is directed.
 * The vertices are those of BASE.v, arbitrary 64-bit numbers. An undirected graph has each edge
 * once, and both directions are read. Source: the LDBC Graphalytics benchmark specification,
 * "Dataset format". */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/io/io.h"
#include "formats/graph/graph_reader.h"
#include "formats/graph/text_reader.h"
#include "formats/stream/decimal.h"
#include "formats/stream/properties.h"

enum { VERTEX_BATCH = 1024 };

struct graphalytics {
    struct mr_graph_request request;
    bool directed, weighted;
    struct mr_properties *properties; /* NULL: the graph has none */
    char *vertices_path, *edges_path;
};

static const char *const suffixes[] = {".properties", ".v", ".e", NULL};

static bool ends(const char *path, const char *suffix)
{
    const size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

static bool detect(const struct mr_graph_probe *probe)
{
    if (ends(probe->path, ".properties")) {
        return memmem(probe->data, probe->bytes, "graph.", 6) != NULL &&
               memmem(probe->data, probe->bytes, ".vertex-file", 12) != NULL;
    }
    if (!ends(probe->path, ".v") && !ends(probe->path, ".e")) {
        return false;
    }
    char other[4096]; /* no allocation, which could fail and change the format */
    const size_t length = strlen(probe->path);
    if (length >= sizeof other) {
        return false;
    }
    memcpy(other, probe->path, length + 1);
    other[length - 1] = other[length - 1] == 'v' ? 'e' : 'v';
    return mr_io_exists(probe->path) && mr_io_exists(other);
}

static void close_graph(void *data)
{
    struct graphalytics *reader = data;
    if (reader != NULL) {
        mr_properties_free(reader->properties);
        free(reader->vertices_path);
        free(reader->edges_path);
        free(reader);
    }
}

/* The path of `name` in the directory of `path`; the caller frees it. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *joined = malloc(length + strlen(name) + 1);

    if (joined != NULL) {
        memcpy(joined, path, length);
        memcpy(joined + length, name, strlen(name) + 1);
    }
    return joined;
}

static enum mr_status apply_properties(struct graphalytics *reader, const char *path,
                                       struct mr_error *err)
{
    const enum mr_status status =
        mr_properties_read(reader->request.context, path, &reader->properties, err);

    if (status != MR_OK) {
        return status;
    }
    const struct mr_properties *properties = reader->properties;
    const char *directed = mr_properties_get(properties, ".directed", true);
    const char *weights = mr_properties_get(properties, ".edge-properties.names", true);
    const char *vertices = mr_properties_get(properties, ".vertex-file", true);
    const char *edges = mr_properties_get(properties, ".edge-file", true);

    reader->directed = directed == NULL || strcasecmp(directed, "true") == 0;
    if (!reader->directed && strcasecmp(directed, "false") != 0) {
        return mr_properties_error(properties, ".directed", err, "must be true or false");
    }
    reader->weighted = weights != NULL && weights[0] != '\0';
    if (vertices != NULL) {
        free(reader->vertices_path);
        reader->vertices_path = beside(path, vertices);
    }
    if (edges != NULL) {
        free(reader->edges_path);
        reader->edges_path = beside(path, edges);
    }
    return MR_OK;
}

/* Compares the number of lines with the properties, because a file that was cut off has fewer. */
static enum mr_status check_count(const struct graphalytics *reader, const char *property,
                                  const char *path, uint64_t found, struct mr_error *err)
{
    const char *text =
        reader->properties == NULL ? NULL : mr_properties_get(reader->properties, property, true);
    uint64_t wanted;

    if (text == NULL || mr_decimal_parse(&text, text + strlen(text), &wanted) != MR_DECIMAL_OK ||
        wanted == found) {
        return MR_OK;
    }
    return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                         "has %llu, and the properties say %s = %llu; get the whole file, or mend "
                         "that line",
                         (unsigned long long)found, property + 1, (unsigned long long)wanted);
}

static enum mr_status open_graph(const struct mr_graph_request *request, struct mr_graph_head *head,
                                 void **out, struct mr_error *err)
{
    struct graphalytics *reader = calloc(1, sizeof *reader);
    char *properties = mr_path_sibling(request->path, suffixes, ".properties");
    enum mr_status status = MR_OK;

    *out = NULL;
    if (reader == NULL || properties == NULL) {
        free(properties);
        free(reader);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    *reader = (struct graphalytics){
        .request = *request,
        .directed = true,
        .vertices_path = mr_path_sibling(request->path, suffixes, ".v"),
        .edges_path = mr_path_sibling(request->path, suffixes, ".e"),
    };
    if (mr_io_exists(properties)) {
        status = apply_properties(reader, properties, err);
    }
    if (status == MR_OK && (reader->vertices_path == NULL || reader->edges_path == NULL)) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    free(properties);
    if (status != MR_OK) {
        close_graph(reader);
        return status;
    }
    reader->directed |= request->directed;
    *head = (struct mr_graph_head){.ids = MR_IDS_SPARSE,
                                   .weighted = reader->weighted,
                                   .both_ways = reader->directed ? NULL : "directed = false",
                                   .mirrors = true};
    *out = reader;
    return MR_OK;
}

/* Reads one vertex per line. The rest of the line is a property and is skipped. */
static enum mr_status read_vertices(struct mr_text_reader *text, const struct mr_graph_sink *sink,
                                    uint64_t *n_lines, struct mr_error *err)
{
    uint64_t ids[VERTEX_BATCH];
    size_t n = 0;
    struct mr_token token;
    enum mr_status status;

    for (;;) {
        status = mr_text_reader_word(text, &token, err);
        if (status == MR_OK && (n == VERTEX_BATCH || token.kind == MR_TOKEN_END)) {
            status = sink->vertices(sink->data, ids, n, err);
            text->request.summary->vertices += n;
            n = 0;
        }
        if (status != MR_OK || token.kind == MR_TOKEN_END) {
            return status;
        }
        status = mr_text_reader_check(text, &token, "a vertex", 0, UINT64_MAX - 1, err);
        ids[n++] = token.number;
        ++*n_lines;
        if (status == MR_OK) {
            status = mr_tokens_skip_line(text->tokens, err);
        }
        if (status != MR_OK) {
            return status;
        }
    }
}

static enum mr_status read_edges(struct mr_text_reader *text, bool directed, bool weighted,
                                 uint64_t *n_lines, struct mr_error *err)
{
    struct mr_token token;
    enum mr_status status;

    for (;;) {
        uint64_t ids[2];
        double weight = 1;

        status = mr_text_reader_word(text, &token, err);
        if (status != MR_OK || token.kind == MR_TOKEN_END) {
            break;
        }
        for (unsigned i = 0; i < 2 && status == MR_OK; i++) {
            status = i == 0 ? MR_OK : mr_tokens_next(text->tokens, &token, err);
            if (status == MR_OK) {
                status = mr_text_reader_check(text, &token, "a vertex", 0, UINT64_MAX - 1, err);
            }
            ids[i] = token.number;
        }
        if (status == MR_OK && weighted) {
            status = mr_text_reader_weight(text, &weight, err);
        }
        ++*n_lines;
        if (status == MR_OK) {
            status = mr_edge_batch_add(&text->batch, ids[0], ids[1], weight, err);
        }
        if (status == MR_OK && !directed && ids[0] != ids[1]) {
            status = mr_edge_batch_add(&text->batch, ids[1], ids[0], weight, err);
        }
        if (status == MR_OK) {
            status = mr_tokens_skip_line(text->tokens, err);
        }
        if (status != MR_OK) {
            break;
        }
    }
    return status == MR_OK ? mr_edge_batch_flush(&text->batch, err) : status;
}

/* Reads both files, one after the other, each with its own text reader. */
static enum mr_status read_graph(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct graphalytics *reader = data;
    enum mr_status status = MR_OK;

    for (unsigned part = 0; part < 2 && status == MR_OK; part++) {
        struct mr_graph_request request = reader->request;
        const char *path = part == 0 ? reader->vertices_path : reader->edges_path;
        uint64_t n_lines = 0;
        void *text = NULL;

        request.input = NULL;
        status = mr_input_open(request.context, path, &request.input, err);
        if (status == MR_OK) {
            status = mr_text_reader_open(&request, sizeof(struct mr_text_reader), &text, err);
        }
        if (status == MR_OK) {
            mr_text_reader_begin(text, sink, reader->weighted);
            status = part == 0 ? read_vertices(text, sink, &n_lines, err)
                               : read_edges(text, reader->directed,
                                            reader->weighted && request.weights, &n_lines, err);
        }
        if (status == MR_OK) {
            status = check_count(reader, part == 0 ? ".meta.vertices" : ".meta.edges", path,
                                 n_lines, err);
        }
        mr_text_reader_close(text);
        mr_input_close(request.input);
    }
    return status;
}

const struct mr_graph_format mr_format_graphalytics = {.name = "graphalytics",
                                                       .title = "LDBC Graphalytics",
                                                       .detect = detect,
                                                       .open = open_graph,
                                                       .read = read_graph,
                                                       .close = close_graph};
