/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all graph formats, the detection of an input's format, and the sink that leads edges
 * into a builder. Commands find a format here, open its reader and read into the sink. This file
 * alone knows all formats, so that a new one needs one struct and one line in the list. */
#include "formats/graph_format.h"

#include <stdlib.h>
#include <string.h>

#include "formats/graph/edge_batch.h"
#include "formats/graph/link_columns.h"
#include "formats/stream/not_links.h"
#include "formats/stream/output.h"

/* ---- The list ---- */

/* binary_edges.c: records of two ids and nothing else */
extern const struct mr_graph_format mr_format_u32, mr_format_u64, mr_format_u32be, mr_format_u64be;
/* adjacency_text.c */
extern const struct mr_graph_format mr_format_ascii_graph, mr_format_metis;
/* bvgraph.c */
extern const struct mr_graph_format mr_format_bvgraph;
/* sg_reader.c */
extern const struct mr_graph_format mr_format_sg;
/* csv_edges.c */
extern const struct mr_graph_format mr_format_csv;
/* common_crawl.c */
extern const struct mr_graph_format mr_format_common_crawl;
/* adjacency_lines.c, crawl_lines.c, crawl_json.c, nutch_lines.c, nutch_sequence.c, warc_links.c */
extern const struct mr_graph_format mr_format_adjacency, mr_format_crawl_log, mr_format_cdxj,
    mr_format_heritrix_pagerank, mr_format_jsonl, mr_format_nutch, mr_format_nutch_sequence,
    mr_format_wat, mr_format_warc, mr_format_arc;
/* line_formats.c */
extern const struct mr_graph_format mr_format_wel, mr_format_edges, mr_format_urls;
/* matrix_market.c */
extern const struct mr_graph_format mr_format_matrix_market;
/* npy_edges.c */
extern const struct mr_graph_format mr_format_npy;

/* The order of detection: formats with a mark of their own, then formats that a heuristic
 * recognises, then plain text. */
static const struct mr_graph_format *const formats[] = {
    &mr_format_bvgraph,
    &mr_format_wat,
    &mr_format_warc,
    &mr_format_arc,
    &mr_format_nutch,
    &mr_format_nutch_sequence,
    &mr_format_heritrix_pagerank,
    &mr_format_common_crawl,
    &mr_format_crawl_log,
    &mr_format_cdxj,
    &mr_format_jsonl,
    &mr_format_adjacency,
    &mr_format_npy,
    &mr_format_matrix_market,
    &mr_format_sg,
    &mr_format_u32,
    &mr_format_u64,
    &mr_format_u32be,
    &mr_format_u64be,
    &mr_format_ascii_graph,
    &mr_format_metis,
    &mr_format_csv,
    &mr_format_wel,
    &mr_format_edges,
    &mr_format_urls,
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

const struct mr_graph_format *mr_graph_format_at(size_t index)
{
    return index < N_FORMATS ? formats[index] : NULL;
}

const struct mr_graph_format *mr_graph_format_find(const char *name)
{
    name = strcmp(name, "snap") == 0 ? "edges" : name;
    for (size_t i = 0; i < N_FORMATS; i++) {
        if (strcmp(formats[i]->name, name) == 0) {
            return formats[i];
        }
    }
    return NULL;
}

enum mr_status mr_graph_format_check(const struct mr_graph_probe *probe, const char *name,
                                     const struct mr_graph_format *format, struct mr_error *err)
{
    struct mr_table table;

    if (format->rows != MR_ROWS_OF_NAMES && format->rows != MR_ROWS_OF_NUMBERS) {
        return MR_OK;
    }
    const enum mr_text_kind kind = mr_text_kind_of(probe->data, probe->bytes, &table);
    return mr_text_look(name, probe->data, probe->bytes, kind == MR_TEXT_NUMBERS ? NULL : &table,
                        probe->has_weights, err);
}

const struct mr_graph_format *mr_graph_format_of_mark(const char *data, size_t bytes)
{
    const struct mr_graph_probe probe = {.path = "-", .data = data, .bytes = bytes};

    for (size_t i = 0; i < N_FORMATS && bytes > 0; i++) {
        if (formats[i]->mark != NULL && formats[i]->detect(&probe)) {
            return formats[i];
        }
    }
    return NULL;
}

enum mr_status mr_graph_format_detect(const struct mr_graph_probe *probe,
                                      const struct mr_graph_format **out, struct mr_error *err)
{
    const char *name = strcmp(probe->path, "-") == 0 ? "standard input" : probe->path;

    *out = mr_graph_format_of_mark(probe->data, probe->bytes);
    const enum mr_status status =
        *out == NULL ? mr_not_links_refuse_text(name, probe->data, probe->bytes, false, err)
                     : MR_OK;
    if (status != MR_OK) {
        return status;
    }
    for (size_t i = 0; i < N_FORMATS; i++) {
        const struct mr_graph_format *format = formats[i];
        if (format->detect != NULL
                ? format->detect(probe)
                : format->suffix != NULL && mr_output_has_suffix(probe->path, format->suffix)) {
            *out = format;
            return mr_graph_format_check(probe, name, format, err);
        }
    }
    return mr_error_file(err, MR_ERROR_INPUT, name, 0,
                         "binary data of no known format; if it is raw numbers, say which with "
                         "--format ('millrace help inputs' lists the formats)");
}

/* ---- Readers ---- */

enum mr_status mr_graph_reader_open(const struct mr_graph_format *format,
                                    const struct mr_graph_request *request,
                                    struct mr_graph_head *head, struct mr_graph_reader **out,
                                    struct mr_error *err)
{
    struct mr_graph_reader *reader = calloc(1, format->reader_bytes);

    *out = reader;
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    reader->request = *request;
    reader->request.format = format;
    *head = format->head;
    const enum mr_status status = format->open != NULL ? format->open(reader, head, err) : MR_OK;
    reader->batch.request = &reader->request;
    reader->batch.weights = head->weighted && request->weights != MR_WEIGHTS_NONE;
    return status;
}

enum mr_status mr_graph_reader_read(struct mr_graph_reader *reader,
                                    const struct mr_graph_sink *sink, struct mr_error *err)
{
    reader->batch.sink = sink;
    const enum mr_status status = reader->request.format->read(reader, err);
    return status == MR_OK && reader->batch.n > 0 ? mr_edge_batch_flush(&reader->batch, err)
                                                  : status;
}

void mr_graph_reader_close(struct mr_graph_reader *reader)
{
    if (reader != NULL && reader->request.format->close != NULL) {
        reader->request.format->close(reader);
    }
    free(reader);
}

/* ---- Into a builder ---- */

static enum mr_status build_name(void *data, const char *name, size_t name_bytes, uint64_t *id,
                                 struct mr_error *err)
{
    struct mr_graph_build_sink *sink = data;
    return mr_build_name(sink->build, name, name_bytes, id, err);
}

static enum mr_status build_capture(void *data, const struct mr_capture *capture, uint64_t *id,
                                    struct mr_error *err)
{
    struct mr_graph_build_sink *sink = data;
    return sink->ids == MR_IDS_TEXT && !sink->swap ? mr_build_capture(sink->build, capture, id, err)
                                                   : MR_OK;
}

static enum mr_status check_known(const struct mr_graph_build_sink *sink,
                                  const struct mr_edge *edges, size_t n_edges, uint64_t first,
                                  struct mr_error *err)
{
    for (size_t i = 0; i < n_edges; i++) {
        const uint64_t ids[2] = {edges[i].source, edges[i].target};

        for (unsigned k = 0; k < 2; k++) {
            if (!mr_build_knows(sink->build, ids[k])) {
                return mr_error_file(err, MR_ERROR_INPUT, sink->input, 0,
                                     "edge %llu: vertex %llu is not %s",
                                     (unsigned long long)(first + i), (unsigned long long)ids[k],
                                     sink->ids == MR_IDS_DENSE ? "below the number of vertices"
                                                               : "in the list of vertices");
            }
        }
    }
    return MR_OK;
}

/* Add edges with weights; each weight is 1 where `weights` is NULL. */
static enum mr_status build_weighted(struct mr_graph_build_sink *sink, unsigned worker,
                                     const struct mr_edge *edges, const float *weights,
                                     size_t n_edges, struct mr_error *err)
{
    for (size_t i = 0; weights != NULL && sink->may_forget_weights && i < n_edges; i++) {
        if (!mr_weight_is_good(weights[i])) {
            sink->bad_weight = weights[i];
            sink->has_forgotten_weights = true;
            mr_build_forget_weights(sink->build);
            break;
        }
    }
    return mr_build_edges(sink->build, worker, edges, weights, n_edges, err);
}

static enum mr_status hand_over(struct mr_graph_build_sink *sink, unsigned worker,
                                struct mr_edge *edges, const float *weights, size_t n_edges,
                                uint64_t first, struct mr_error *err)
{
    if (sink->ids == MR_IDS_DENSE || mr_build_is_frozen(sink->build)) {
        enum mr_status status = check_known(sink, edges, n_edges, first, err);
        if (status != MR_OK) {
            return status;
        }
    }
    for (size_t i = 0; sink->swap && i < n_edges; i++) {
        edges[i] = (struct mr_edge){edges[i].target, edges[i].source};
    }
    sink->n_edges += n_edges;
    return mr_build_has_weights(sink->build)
               ? build_weighted(sink, worker, edges, weights, n_edges, err)
               : mr_build_edges(sink->build, worker, edges, NULL, n_edges, err);
}

static enum mr_status build_edges(void *data, struct mr_edge *edges, const float *weights,
                                  size_t n_edges, struct mr_error *err)
{
    struct mr_graph_build_sink *sink = data;
    return hand_over(sink, 0, edges, weights, n_edges, sink->n_edges, err);
}

static enum mr_status build_edges_by(void *data, unsigned worker, struct mr_edge *edges,
                                     size_t n_edges, uint64_t first, struct mr_error *err)
{
    struct mr_graph_build_sink *sink = data;
    return hand_over(sink, worker, edges, NULL, n_edges, first, err);
}

static enum mr_status build_room(void *data, unsigned worker, uint32_t (**pairs)[2],
                                 uint32_t *n_edges, struct mr_error *err)
{
    struct mr_graph_build_sink *sink = data;
    *pairs = NULL;
    return sink->swap || sink->ids != MR_IDS_SPARSE || mr_build_is_frozen(sink->build)
               ? MR_OK
               : mr_build_room(sink->build, worker, pairs, n_edges, err);
}

static void build_filled(void *data, unsigned worker, uint32_t n_edges, uint64_t first)
{
    struct mr_graph_build_sink *sink = data;
    sink->n_edges += n_edges;
    mr_build_filled(sink->build, worker, n_edges, first);
}

struct mr_graph_sink mr_graph_sink_of_build(struct mr_graph_build_sink *build, unsigned n_workers)
{
    return (struct mr_graph_sink){.data = build,
                                  .name = build_name,
                                  .capture = build_capture,
                                  .edges = build_edges,
                                  .edges_by = build_edges_by,
                                  .room = build_room,
                                  .filled = build_filled,
                                  .n_workers = n_workers,
                                  .lines = build->build};
}
