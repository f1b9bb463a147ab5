/* SPDX-License-Identifier: Apache-2.0 */
/* Reads NumPy .npy arrays of edges: shape (2, E), as edge_index of PyG and OGB, or (E, 2), with
 * integers of 4 or 8 bytes, in either byte order, C or Fortran order. A (2, 2) array is read as two
 * rows of (E, 2).
 *
 * In the order of the file, an array is pairs, or all sources and then all targets. Arrays of the
 * second kind are read at two locations at once and must therefore be regular uncompressed files.
 * Source: NumPy Enhancement Proposal 1 and numpy/lib/format.py. */
#include <stdio.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/io/io.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/stream/input.h"
#include "formats/table/npy_reader.h"

enum { PIECE_IDS = 8192 };

struct npy_reader {
    struct mr_graph_request request;
    struct mr_edge_batch batch;
    struct mr_file *file; /* for arrays of halves; otherwise NULL */
    struct mr_npy_head head;
    uint64_t n_edges;
    bool halves;
    uint8_t ids[2][PIECE_IDS * 8];
};

static bool detect(const struct mr_graph_probe *probe)
{
    return probe->bytes >= 6 && memcmp(probe->data, "\x93NUMPY", 6) == 0;
}

static enum mr_status wrong(const struct npy_reader *reader, uint64_t offset, struct mr_error *err,
                            const char *reason)
{
    return mr_error_offset(err, MR_ERROR_INPUT, mr_input_name(reader->request.input), offset,
                           "%s; save an array of shape (2, E) or (E, 2) of int32 or int64", reason);
}

static enum mr_status take_header(struct npy_reader *reader, struct mr_error *err)
{
    static const char *const reasons[] = {
        [MR_NPY_NONE] = "this is no .npy file of version 1, 2 or 3",
        [MR_NPY_LONG_HEADER] = "the header has an unreasonable length",
        [MR_NPY_CUT] = "the file ends within its header",
        [MR_NPY_LACKS] = "the elements are no integers of 4 or 8 bytes"};
    struct mr_npy_head *head = &reader->head;
    enum mr_npy_problem problem;

    const enum mr_status status = mr_npy_head_read(reader->request.input, head, &problem, err);
    if (status != MR_OK || problem != MR_NPY_OK) {
        return status != MR_OK ? status
                               : wrong(reader,
                                       problem == MR_NPY_NONE          ? 0
                                       : problem == MR_NPY_LONG_HEADER ? 8
                                                                       : head->text_offset,
                                       err, reasons[problem]);
    }
    const uint64_t rows = head->shape[0], columns = head->shape[1];
    const char *reason = head->kind != 'i' && head->kind != 'u'
                             ? "the elements are no integers of 4 or 8 bytes"
                         : head->n_dimensions != 2   ? "the array has not two dimensions"
                         : rows != 2 && columns != 2 ? "neither dimension is 2"
                                                     : NULL;
    reader->n_edges = columns == 2 ? rows : columns;
    reader->halves = (columns == 2) == head->is_fortran;
    return reason == NULL ? MR_OK : wrong(reader, head->text_offset, err, reason);
}

/* Checks that exactly the announced bytes follow. */
static enum mr_status check_size(struct npy_reader *reader, struct mr_error *err)
{
    uint64_t done, total, bytes, whole;

    mr_input_position(reader->request.input, &done, &total);
    if (mr_mul_overflows(reader->n_edges, 2ull * reader->head.value_bytes, &bytes) ||
        mr_add_overflows(bytes, reader->head.data_offset, &whole)) {
        return wrong(reader, 0, err, "the shape is impossible");
    }
    const bool is_file = strcmp(reader->request.path, "-") != 0 && total > 0;
    if (reader->halves && (mr_input_codec(reader->request.input) != MR_INPUT_PLAIN || !is_file)) {
        return wrong(reader, 0, err,
                     "all sources come before all targets and are read side by side with them, "
                     "which takes an uncompressed file; decompress it into one");
    }
    if (mr_input_codec(reader->request.input) != MR_INPUT_PLAIN || total == 0) {
        return MR_OK;
    }
    if (total != whole) {
        return mr_error_offset(
            err, MR_ERROR_INPUT, mr_input_name(reader->request.input), reader->head.data_offset,
            "%llu edges of %u bytes each are announced and %llu bytes follow; "
            "get the file again",
            (unsigned long long)reader->n_edges, 2 * reader->head.value_bytes,
            (unsigned long long)(total - mr_min_u64(total, reader->head.data_offset)));
    }
    return !reader->halves ? MR_OK
                           : mr_file_open(reader->request.context->io, reader->request.path,
                                          MR_OPEN_READ, &reader->file, err);
}

static void close_npy(void *data)
{
    struct npy_reader *reader = data;
    mr_file_abandon(reader->file);
}

static enum mr_status open_npy(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    struct npy_reader *reader = data;
    const enum mr_status status = take_header(reader, err);

    head->n_edges = reader->n_edges;
    return status == MR_OK ? check_size(reader, err) : status;
}

static uint64_t id_at(const struct npy_reader *reader, const uint8_t *p)
{
    uint64_t id = reader->head.value_bytes == 4 ? mr_get_u32(p) : mr_get_u64(p);

    if (reader->head.is_big_endian) {
        id =
            reader->head.value_bytes == 4 ? __builtin_bswap32((uint32_t)id) : __builtin_bswap64(id);
    }
    /* Negative numbers become numbers above all that are allowed. */
    return reader->head.kind == 'i' && reader->head.value_bytes == 4
               ? (uint64_t)(int64_t)(int32_t)id
               : id;
}

static enum mr_status add_edge(struct npy_reader *reader, uint64_t index, const uint8_t *source,
                               const uint8_t *target, struct mr_error *err)
{
    const uint64_t u = id_at(reader, source), v = id_at(reader, target);

    if (reader->head.kind == 'i' ? (u | v) >> 63 != 0 : u == UINT64_MAX || v == UINT64_MAX) {
        char reason[64];
        (void)snprintf(reason, sizeof reason, "edge %llu has a negative vertex",
                       (unsigned long long)index);
        return wrong(reader, reader->head.data_offset, err, reason);
    }
    return mr_edge_batch_add(&reader->batch, u, v, 1, err);
}

static enum mr_status read_halves(struct npy_reader *reader, struct mr_error *err)
{
    const unsigned bytes = reader->head.value_bytes;
    enum mr_status status = MR_OK;

    for (uint64_t at = 0; at < reader->n_edges && status == MR_OK; at += PIECE_IDS) {
        const uint64_t n = mr_min_u64(PIECE_IDS, reader->n_edges - at);

        for (unsigned half = 0; half < 2 && status == MR_OK; half++) {
            status = mr_input_file_read(
                reader->file, mr_file_path(reader->file), reader->ids[half], n * bytes,
                reader->head.data_offset + (half * reader->n_edges + at) * bytes, err);
        }
        for (uint64_t i = 0; i < n && status == MR_OK; i++) {
            status = add_edge(reader, at + i, reader->ids[0] + i * bytes,
                              reader->ids[1] + i * bytes, err);
        }
    }
    return status;
}

static enum mr_status read_pairs(struct npy_reader *reader, struct mr_error *err)
{
    const unsigned bytes = reader->head.value_bytes;
    enum mr_status status = MR_OK;
    size_t got;

    for (uint64_t at = 0; at < reader->n_edges && status == MR_OK; at += PIECE_IDS / 2) {
        const uint64_t n = mr_min_u64(PIECE_IDS / 2, reader->n_edges - at);

        status = mr_input_fill(reader->request.input, reader->ids[0], n * 2 * bytes, &got, err);
        if (status == MR_OK && got < n * 2 * bytes) {
            return wrong(reader, reader->head.data_offset + at * 2 * bytes + got, err,
                         "the input ends within its edges");
        }
        for (uint64_t i = 0; i < n && status == MR_OK; i++) {
            const uint8_t *edge = reader->ids[0] + i * 2 * bytes;
            status = add_edge(reader, at + i, edge, edge + bytes, err);
        }
    }
    return status;
}

static enum mr_status read_npy(void *data, struct mr_error *err)
{
    struct npy_reader *reader = data;
    return reader->halves ? read_halves(reader, err) : read_pairs(reader, err);
}

const struct mr_graph_format mr_format_npy = {.name = "npy",
                                              .mark = "npy",
                                              .title = "a NumPy array of edges",
                                              .detect = detect,
                                              .reader_bytes = MR_READER_BYTES(struct npy_reader),
                                              .head = {.ids = MR_IDS_SPARSE},
                                              .open = open_npy,
                                              .read = read_npy,
                                              .close = close_npy};
