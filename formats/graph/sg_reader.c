/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the serialized graphs of GAPBS. They have the ends of all lists at one location of the file
 * and the targets at another. Two cursors read both side by side, so that memory is bounded. The
 * file must therefore be regular and uncompressed.
 *
 *     sg    u8 directed, i64 m, i64 n, n + 1 i64 offsets, m targets of 4 bytes
 *     wsg   the same with an i32 weight after each target
 *
 * All numbers are little-endian. A directed graph is followed by its reverse, which is not read.
 * Source: GAPBS writer.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/stream/cursor.h"
#include "formats/stream/output.h"

enum { SG_HEADER_BYTES = 17 };

struct sg_reader {
    struct mr_graph_request request;
    uint64_t n_vertices, n_edges;
    unsigned target_bytes; /* 4, or 8 with a weight after the target */
    struct mr_edge_batch batch;
    struct mr_cursor offsets, targets;
};

static void close_sg(void *data)
{
    struct sg_reader *reader = data;
    if (reader != NULL) {
        mr_cursor_close(&reader->offsets);
        mr_cursor_close(&reader->targets);
        free(reader);
    }
}

static enum mr_status create(const struct mr_graph_request *request, struct sg_reader **out,
                             struct mr_error *err)
{
    uint64_t done, total;

    *out = NULL;
    mr_input_position(request->input, &done, &total);
    if (mr_input_codec(request->input) != MR_INPUT_PLAIN || strcmp(request->path, "-") == 0) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(request->input), 0,
                             "this format is read in several places at once, and so only from an "
                             "uncompressed file; decompress it into one");
    }
    if (total == 0) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(request->input), 0,
                             "is empty, or no regular file");
    }
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    (*out)->request = *request;
    return MR_OK;
}

/* Computes the size of the file: 17 + (1 + directed) * (8 (n + 1) + m * each) bytes. Returns false
 * if it does not fit into 64 bits. */
static bool sg_size(uint64_t directed, uint64_t m, uint64_t n, unsigned each, uint64_t *bytes)
{
    uint64_t offsets, targets;

    if (mr_add_overflows(n, 1, &n) || mr_mul_overflows(n, 8, &offsets) ||
        mr_mul_overflows(m, each, &targets) || mr_add_overflows(offsets, targets, &offsets) ||
        mr_mul_overflows(offsets, 1 + directed, &offsets)) {
        return false;
    }
    return !mr_add_overflows(offsets, SG_HEADER_BYTES, bytes);
}

static bool is_sg(const struct mr_graph_probe *probe, unsigned each)
{
    const uint8_t *p = (const uint8_t *)probe->data;
    uint64_t bytes;

    return probe->bytes >= SG_HEADER_BYTES && p[0] <= 1 &&
           sg_size(p[0], mr_get_u64(p + 1), mr_get_u64(p + 9), each, &bytes) &&
           bytes == probe->file_bytes;
}

static bool detect_sg(const struct mr_graph_probe *probe)
{
    return is_sg(probe, 4) || mr_output_has_suffix(probe->path, ".sg");
}

static bool detect_wsg(const struct mr_graph_probe *probe)
{
    return is_sg(probe, 8) || mr_output_has_suffix(probe->path, ".wsg");
}

static enum mr_status open_sg_as(const struct mr_graph_request *request, unsigned each,
                                 struct mr_graph_head *head, void **out, struct mr_error *err)
{
    struct sg_reader *reader = NULL;
    const uint8_t *p = NULL;
    uint64_t bytes = 0;
    enum mr_status status = create(request, &reader, err);

    *out = NULL;
    if (reader == NULL) {
        return status;
    }
    if (status == MR_OK) {
        status = mr_cursor_open(&reader->offsets, request->context, request->path, 0, err);
    }
    if (status == MR_OK) {
        status = mr_cursor_take(&reader->offsets, SG_HEADER_BYTES, &p, err);
    }
    if (status == MR_OK) {
        reader->n_edges = mr_get_u64(p + 1);
        reader->n_vertices = mr_get_u64(p + 9);
        if (p[0] > 1 || !sg_size(p[0], reader->n_edges, reader->n_vertices, each, &bytes) ||
            bytes != reader->offsets.bytes) {
            status = mr_error_offset(
                err, MR_ERROR_INPUT, request->path, 0,
                "its first bytes announce %llu vertices and %llu edges, which "
                "do not make %llu bytes; is it a %s file, and whole?",
                (unsigned long long)reader->n_vertices, (unsigned long long)reader->n_edges,
                (unsigned long long)reader->offsets.bytes, each == 4 ? ".sg" : ".wsg");
        }
    }
    if (status == MR_OK) {
        reader->target_bytes = each;
        status = mr_cursor_open(&reader->targets, request->context, request->path,
                                SG_HEADER_BYTES + 8 * (reader->n_vertices + 1), err);
    }
    if (status != MR_OK) {
        close_sg(reader);
        return status;
    }
    *head = (struct mr_graph_head){.ids = MR_IDS_DENSE,
                                   .n_vertices = reader->n_vertices,
                                   .n_edges = reader->n_edges,
                                   .weighted = each == 8};
    *out = reader;
    return MR_OK;
}

static enum mr_status open_sg(const struct mr_graph_request *request, struct mr_graph_head *head,
                              void **out, struct mr_error *err)
{
    return open_sg_as(request, 4, head, out, err);
}

static enum mr_status open_wsg(const struct mr_graph_request *request, struct mr_graph_head *head,
                               void **out, struct mr_error *err)
{
    return open_sg_as(request, 8, head, out, err);
}

/* ---- Lists ---- */

/* Passes the next `n` targets to the sink as those of `source`. */
static enum mr_status take_targets(struct sg_reader *reader, uint64_t source, uint64_t n,
                                   struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        const uint8_t *p;
        float weight = 1;

        status = mr_cursor_take(&reader->targets, reader->target_bytes, &p, err);
        if (status != MR_OK) {
            return status;
        }
        const uint64_t target = mr_get_u32(p);
        const uint64_t offset = reader->targets.next - (reader->targets.end - reader->targets.at) -
                                reader->target_bytes;
        if (reader->target_bytes == 8) {
            weight = (float)(int32_t)mr_get_u32(p + 4);
        }
        if (target >= reader->n_vertices) {
            return mr_error_offset(err, MR_ERROR_INPUT, mr_file_path(reader->targets.file), offset,
                                   "target %llu of vertex %llu is not below %llu",
                                   (unsigned long long)target, (unsigned long long)source,
                                   (unsigned long long)reader->n_vertices);
        }
        if (mr_graph_refuses_weight(&reader->request, (double)weight)) {
            return mr_error_offset(err, MR_ERROR_INPUT, mr_file_path(reader->targets.file), offset,
                                   "%s", mr_graph_weight_reason((double)weight));
        }
        status = mr_edge_batch_add(&reader->batch, source, target, weight, err);
    }
    return status;
}

static enum mr_status bad_offset(const struct sg_reader *reader, uint64_t vertex, uint64_t offset,
                                 struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_INPUT, mr_file_path(reader->offsets.file), 0,
                         "offset %llu of vertex %llu: they must begin with 0, ascend and end with "
                         "%llu",
                         (unsigned long long)offset, (unsigned long long)vertex,
                         (unsigned long long)reader->n_edges);
}

/* Reads all offsets. The targets of vertex v go from its offset to that of the next vertex. */
static enum mr_status read_offsets(struct sg_reader *reader, struct mr_error *err)
{
    uint64_t begin = 0;
    const uint8_t *p;

    for (uint64_t v = 0; v <= reader->n_vertices; v++) {
        enum mr_status status = mr_cursor_take(&reader->offsets, 8, &p, err);
        if (status != MR_OK) {
            return status;
        }
        const uint64_t end = mr_get_u64(p);
        if (end < begin || end > reader->n_edges ||
            (v == 0 && end != 0 && reader->n_vertices > 0) ||
            (v == reader->n_vertices && end != reader->n_edges)) {
            return bad_offset(reader, v, end, err);
        }
        if (v > 0) {
            status = take_targets(reader, v - 1, end - begin, err);
        }
        if (status != MR_OK) {
            return status;
        }
        begin = end;
    }
    return MR_OK;
}

static enum mr_status read_sg(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct sg_reader *reader = data;

    reader->batch.request = &reader->request;
    reader->batch.sink = sink;
    reader->batch.weights = reader->request.weights && reader->target_bytes == 8;
    const enum mr_status status = read_offsets(reader, err);
    return status == MR_OK ? mr_edge_batch_flush(&reader->batch, err) : status;
}

const struct mr_graph_format mr_format_sg = {.name = "sg",
                                             .title = "GAPBS serialized graph",
                                             .detect = detect_sg,
                                             .open = open_sg,
                                             .read = read_sg,
                                             .close = close_sg};
const struct mr_graph_format mr_format_wsg = {.name = "wsg",
                                              .title = "GAPBS weighted serialized graph",
                                              .detect = detect_wsg,
                                              .open = open_wsg,
                                              .read = read_sg,
                                              .close = close_sg};
