/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the serialized graphs of GAPBS (.sg). They have the ends of all lists at one location of
 * the file and the targets at another. Two cursors read both side by side, so that memory is
 * bounded. The file must therefore be regular and uncompressed.
 *
 *     u8 directed, i64 m, i64 n, n + 1 i64 offsets, m targets of 4 bytes
 *
 * All numbers are little-endian. A directed graph is followed by its reverse, which is not read. An
 * undirected one has each edge in the lists of both ends; the builder gets it once, and the other
 * is checked against it. Source: GAPBS writer.h. */
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/random.h"
#include "engine/io/io.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/stream/input.h"
#include "formats/stream/output.h"

enum { SG_HEADER_BYTES = 17, TARGET_BYTES = 4, CURSOR_BYTES = 64 << 10 };

/* A location in the file; each has its own open file, so that they share nothing. */
struct sg_cursor {
    struct mr_file *file;
    uint64_t bytes; /* bytes of the file */
    uint64_t next; /* offset of the next byte to read into the buffer */
    size_t at, end; /* [at, end) of the buffer is not taken yet */
    uint8_t buffer[CURSOR_BYTES];
};

struct sg_reader {
    struct mr_graph_request request;
    struct mr_edge_batch batch;
    uint64_t n_vertices, n_edges;
    bool is_undirected; /* and the user does not want the edges as they are written */
    uint64_t balance; /* of an undirected graph: 0 if each edge is in the lists of both ends */
    struct sg_cursor offsets, targets;
};

/* ---- Cursors ---- */

static enum mr_status cursor_open(struct sg_cursor *cursor, const struct mr_graph_request *request,
                                  uint64_t offset, struct mr_error *err)
{
    cursor->next = offset;
    const enum mr_status status =
        mr_file_open(request->context->io, request->path, MR_OPEN_READ, &cursor->file, err);
    return status == MR_OK ? mr_file_size(cursor->file, &cursor->bytes, err) : status;
}

/* Fills the buffer so that `bytes` (<= 64) more are in it. */
static enum mr_status cursor_refill(struct sg_cursor *cursor, size_t bytes, struct mr_error *err)
{
    const size_t held = cursor->end - cursor->at;
    const uint64_t left = cursor->bytes - mr_min_u64(cursor->bytes, cursor->next);
    const uint64_t more = mr_min_u64(left, CURSOR_BYTES - held);

    if (held + more < bytes) {
        return mr_error_offset(err, MR_ERROR_INPUT, mr_file_path(cursor->file), cursor->next - held,
                               "the file ends here; get it again");
    }
    memmove(cursor->buffer, cursor->buffer + cursor->at, held);
    cursor->at = 0;
    cursor->end = held;
    const enum mr_status status = mr_input_file_read(
        cursor->file, mr_file_path(cursor->file), cursor->buffer + held, more, cursor->next, err);
    if (status == MR_OK) {
        cursor->end = held + more;
        cursor->next += more;
    }
    return status;
}

/* Takes the next `bytes` (1..64); they stay at `*data` until the next call. */
static inline enum mr_status cursor_take(struct sg_cursor *cursor, size_t bytes,
                                         const uint8_t **data, struct mr_error *err)
{
    const enum mr_status status =
        cursor->end - cursor->at < bytes ? cursor_refill(cursor, bytes, err) : MR_OK;

    if (status == MR_OK) {
        *data = cursor->buffer + cursor->at;
        cursor->at += bytes;
    }
    return status;
}

/* ---- The file ---- */

static void close_sg(void *data)
{
    struct sg_reader *reader = data;
    mr_file_abandon(reader->offsets.file);
    mr_file_abandon(reader->targets.file);
}

static enum mr_status check_file(const struct mr_graph_request *request, struct mr_error *err)
{
    uint64_t done, total;

    mr_input_position(request->input, &done, &total);
    if (mr_input_codec(request->input) != MR_INPUT_PLAIN || strcmp(request->path, "-") == 0) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(request->input), 0,
                             "this format is read in several places at once, and so only from an "
                             "uncompressed file; decompress it into one");
    }
    return total > 0 ? MR_OK
                     : mr_error_file(err, MR_ERROR_INPUT, mr_input_name(request->input), 0,
                                     "is empty, or no regular file");
}

/* Computes the size of the file: 17 + (1 + directed) * (8 (n + 1) + 4 m) bytes. Returns false
 * if it does not fit into 64 bits. */
static bool sg_size(uint64_t directed, uint64_t m, uint64_t n, uint64_t *bytes)
{
    uint64_t offsets, targets;

    if (mr_add_overflows(n, 1, &n) || mr_mul_overflows(n, 8, &offsets) ||
        mr_mul_overflows(m, TARGET_BYTES, &targets) ||
        mr_add_overflows(offsets, targets, &offsets) ||
        mr_mul_overflows(offsets, 1 + directed, &offsets)) {
        return false;
    }
    return !mr_add_overflows(offsets, SG_HEADER_BYTES, bytes);
}

static bool detect(const struct mr_graph_probe *probe)
{
    const uint8_t *p = (const uint8_t *)probe->data;
    uint64_t bytes;

    return (probe->bytes >= SG_HEADER_BYTES && p[0] <= 1 &&
            sg_size(p[0], mr_get_u64(p + 1), mr_get_u64(p + 9), &bytes) &&
            bytes == probe->file_bytes) ||
           mr_output_has_suffix(probe->path, ".sg");
}

static enum mr_status open_sg(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    struct sg_reader *reader = data;
    const struct mr_graph_request *request = &reader->request;
    const uint8_t *p = NULL;
    uint64_t bytes = 0;
    enum mr_status status = check_file(request, err);

    if (status == MR_OK) {
        status = cursor_open(&reader->offsets, request, 0, err);
    }
    if (status == MR_OK) {
        status = cursor_take(&reader->offsets, SG_HEADER_BYTES, &p, err);
    }
    if (status == MR_OK) {
        reader->n_edges = mr_get_u64(p + 1);
        reader->n_vertices = mr_get_u64(p + 9);
        if (p[0] > 1 || !sg_size(p[0], reader->n_edges, reader->n_vertices, &bytes) ||
            bytes != reader->offsets.bytes) {
            status = mr_error_offset(err, MR_ERROR_INPUT, request->path, 0,
                                     "its first bytes announce %llu vertices and %llu edges, which "
                                     "do not make %llu bytes; is it a .sg file, and whole?",
                                     (unsigned long long)reader->n_vertices,
                                     (unsigned long long)reader->n_edges,
                                     (unsigned long long)reader->offsets.bytes);
        }
    }
    if (status == MR_OK) {
        reader->is_undirected = p[0] == 0 && !request->directed;
        status = cursor_open(&reader->targets, request,
                             SG_HEADER_BYTES + 8 * (reader->n_vertices + 1), err);
    }
    head->n_vertices = reader->n_vertices;
    head->n_edges = reader->n_edges;
    head->both_ways = reader->is_undirected ? "undirected" : NULL;
    return status;
}

/* ---- Lists ---- */

/* Passes the next `n` targets to the sink as those of `source`. */
static enum mr_status take_targets(struct sg_reader *reader, uint64_t source, uint64_t n,
                                   struct mr_error *err)
{
    const bool gives_once = reader->is_undirected && !reader->request.text->mirrors;
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        const uint8_t *p;

        status = cursor_take(&reader->targets, TARGET_BYTES, &p, err);
        if (status != MR_OK) {
            return status;
        }
        const uint64_t target = mr_get_u32(p);
        if (target >= reader->n_vertices) {
            const uint64_t offset =
                reader->targets.next - (reader->targets.end - reader->targets.at) - TARGET_BYTES;
            return mr_error_offset(err, MR_ERROR_INPUT, mr_file_path(reader->targets.file), offset,
                                   "target %llu of vertex %llu is not below %llu",
                                   (unsigned long long)target, (unsigned long long)source,
                                   (unsigned long long)reader->n_vertices);
        }
        if (source < target) {
            reader->balance += mr_random_at(0, source, target);
        } else if (source > target) {
            reader->balance -= mr_random_at(0, target, source);
        }
        if (source <= target || !gives_once) {
            status = mr_edge_batch_add(&reader->batch, source, target, 1, err);
        }
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
static enum mr_status read_sg(void *data, struct mr_error *err)
{
    struct sg_reader *reader = data;
    uint64_t begin = 0;
    const uint8_t *p;

    for (uint64_t v = 0; v <= reader->n_vertices; v++) {
        enum mr_status status = cursor_take(&reader->offsets, 8, &p, err);
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
    return !reader->is_undirected || reader->balance == 0
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, mr_file_path(reader->targets.file), 0,
                               "says that it is undirected, but the lists of two ends of an edge "
                               "differ; --directed takes them as they are written");
}

const struct mr_graph_format mr_format_sg = {.name = "sg",
                                             .title = "GAPBS serialized graph",
                                             .detect = detect,
                                             .reader_bytes = MR_READER_BYTES(struct sg_reader),
                                             .head = {.ids = MR_IDS_DENSE},
                                             .open = open_sg,
                                             .read = read_sg,
                                             .close = close_sg};
