/* SPDX-License-Identifier: Apache-2.0 */
/* Reads NumPy .npy arrays of edges: shape (2, E), as edge_index of PyG and OGB, or (E, 2), with
 * integers of 4 or 8 bytes, in either byte order, C or Fortran order. A (2, 2) array is read as two
 * rows of (E, 2).
 *
 * In the order of the file, an array is pairs, or all sources and then all targets. Arrays of the
 * second kind are read at two locations at once and must therefore be regular uncompressed files.
 * Source: NumPy Enhancement Proposal 1 and numpy/lib/format.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/io/io.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"

static const char magic[] = "\x93NUMPY";

enum { MAGIC_BYTES = 6, PREFIX_BYTES = 12, HEADER_MAX = 4096, PIECE_IDS = 8192 };

struct npy_reader {
    struct mr_graph_request request;
    struct mr_file *file; /* for arrays of halves; otherwise NULL */
    uint64_t data_offset;
    uint64_t n_edges;
    unsigned id_bytes;
    bool big, is_signed, halves;
    struct mr_edge_batch batch;
    uint8_t ids[2][PIECE_IDS * 8];
};

static bool detect(const struct mr_graph_probe *probe)
{
    return probe->bytes >= MAGIC_BYTES && memcmp(probe->data, magic, MAGIC_BYTES) == 0;
}

static enum mr_status wrong(const struct npy_reader *reader, uint64_t offset, struct mr_error *err,
                            const char *reason)
{
    return mr_error_offset(err, MR_ERROR_INPUT, mr_input_name(reader->request.input), offset,
                           "%s; save an array of shape (2, E) or (E, 2) of int32 or int64", reason);
}

/* Reads `bytes` from the input; `*got` is smaller only at its end. */
static enum mr_status fill(struct mr_input *input, uint8_t *to, size_t bytes, size_t *got,
                           struct mr_error *err)
{
    size_t more = 1;
    enum mr_status status = MR_OK;

    for (*got = 0; *got < bytes && more > 0 && status == MR_OK; *got += more) {
        status = mr_input_read(input, to + *got, bytes - *got, &more, err);
    }
    return status;
}

/* The text after "'KEY':" in the dictionary, without leading blanks; NULL where there is none. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (at == NULL) {
        return NULL;
    }
    at += strlen(key);
    while (*at == ' ' || *at == ':') {
        at++;
    }
    return at;
}

static const char *parse_type(struct npy_reader *reader, const char *header)
{
    const char *type = value_of(header, "'descr'");

    if (type == NULL || type[0] != '\'' || strchr("<>=|", type[1]) == NULL || type[1] == '\0' ||
        (type[2] != 'i' && type[2] != 'u') || (type[3] != '4' && type[3] != '8') ||
        type[4] != '\'') {
        return "the elements are no integers of 4 or 8 bytes";
    }
    reader->big = type[1] == '>';
    reader->is_signed = type[2] == 'i';
    reader->id_bytes = (unsigned)(type[3] - '0');
    return NULL;
}

static const char *parse_shape(struct npy_reader *reader, const char *header)
{
    const char *order = value_of(header, "'fortran_order'");
    const char *shape = value_of(header, "'shape'");
    unsigned long long rows, columns;
    char close;

    if (order == NULL || shape == NULL ||
        sscanf(shape, "(%19llu , %19llu %c", &rows, &columns, &close) != 3 ||
        (close != ')' && close != ',')) {
        return "the array has not two dimensions";
    }
    const bool fortran = strncmp(order, "True", 4) == 0;
    if (columns == 2) {
        reader->n_edges = rows;
        reader->halves = fortran;
    } else if (rows == 2) {
        reader->n_edges = columns;
        reader->halves = !fortran;
    } else {
        return "neither dimension is 2";
    }
    return NULL;
}

static enum mr_status take_header(struct npy_reader *reader, struct mr_error *err)
{
    uint8_t prefix[PREFIX_BYTES];
    char header[HEADER_MAX + 1];
    size_t got;

    enum mr_status status = fill(reader->request.input, prefix, 10, &got, err);
    if (status != MR_OK) {
        return status;
    }
    if (got < 10 || memcmp(prefix, magic, MAGIC_BYTES) != 0 || prefix[6] < 1 || prefix[6] > 3) {
        return wrong(reader, 0, err, "this is no .npy file of version 1, 2 or 3");
    }
    uint64_t bytes = mr_get_u16(prefix + 8), prefix_bytes = 10;
    if (prefix[6] > 1) {
        status = fill(reader->request.input, prefix + 10, 2, &got, err);
        if (status != MR_OK) {
            return status;
        }
        bytes = got == 2 ? mr_get_u32(prefix + 8) : 0;
        prefix_bytes = 12;
    }
    if (bytes == 0 || bytes > HEADER_MAX) {
        return wrong(reader, 8, err, "the header has an unreasonable length");
    }
    status = fill(reader->request.input, (uint8_t *)header, bytes, &got, err);
    if (status != MR_OK) {
        return status;
    }
    if (got < bytes) {
        return wrong(reader, prefix_bytes, err, "the file ends within its header");
    }
    header[bytes] = '\0';
    reader->data_offset = prefix_bytes + bytes;
    const char *problem = parse_type(reader, header);
    problem = problem != NULL ? problem : parse_shape(reader, header);
    return problem == NULL ? MR_OK : wrong(reader, prefix_bytes, err, problem);
}

/* Checks that exactly the announced bytes follow. */
static enum mr_status check_size(struct npy_reader *reader, struct mr_error *err)
{
    uint64_t done, total, bytes, whole;

    mr_input_position(reader->request.input, &done, &total);
    if (mr_mul_overflows(reader->n_edges, 2ull * reader->id_bytes, &bytes) ||
        mr_add_overflows(bytes, reader->data_offset, &whole)) {
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
            err, MR_ERROR_INPUT, mr_input_name(reader->request.input), reader->data_offset,
            "%llu edges of %u bytes each are announced and %llu bytes follow; "
            "get the file again",
            (unsigned long long)reader->n_edges, 2 * reader->id_bytes,
            (unsigned long long)(total - mr_min_u64(total, reader->data_offset)));
    }
    return !reader->halves ? MR_OK
                           : mr_file_open(reader->request.context->io, reader->request.path,
                                          MR_OPEN_READ, &reader->file, err);
}

static void close_npy(void *data)
{
    struct npy_reader *reader = data;
    if (reader != NULL) {
        mr_file_abandon(reader->file);
        free(reader);
    }
}

static enum mr_status open_npy(const struct mr_graph_request *request, struct mr_graph_head *head,
                               void **out, struct mr_error *err)
{
    struct npy_reader *reader = calloc(1, sizeof *reader);

    *out = NULL;
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    reader->request = *request;
    enum mr_status status = take_header(reader, err);
    if (status == MR_OK) {
        status = check_size(reader, err);
    }
    if (status != MR_OK) {
        close_npy(reader);
        return status;
    }
    *head = (struct mr_graph_head){.ids = MR_IDS_SPARSE, .n_edges = reader->n_edges};
    *out = reader;
    return MR_OK;
}

static uint64_t id_at(const struct npy_reader *reader, const uint8_t *p)
{
    uint64_t id = reader->id_bytes == 4 ? mr_get_u32(p) : mr_get_u64(p);

    if (reader->big) {
        id = reader->id_bytes == 4 ? __builtin_bswap32((uint32_t)id) : __builtin_bswap64(id);
    }
    /* Negative numbers become numbers above all that are allowed. */
    return reader->is_signed && reader->id_bytes == 4 ? (uint64_t)(int64_t)(int32_t)id : id;
}

static enum mr_status add_edge(struct npy_reader *reader, uint64_t index, const uint8_t *source,
                               const uint8_t *target, struct mr_error *err)
{
    const uint64_t u = id_at(reader, source), v = id_at(reader, target);

    if (reader->is_signed ? (u | v) >> 63 != 0 : u == UINT64_MAX || v == UINT64_MAX) {
        char reason[64];
        (void)snprintf(reason, sizeof reason, "edge %llu has a negative vertex",
                       (unsigned long long)index);
        return wrong(reader, reader->data_offset, err, reason);
    }
    return mr_edge_batch_add(&reader->batch, u, v, 1, err);
}

static enum mr_status read_halves(struct npy_reader *reader, struct mr_error *err)
{
    const unsigned bytes = reader->id_bytes;
    enum mr_status status = MR_OK;

    for (uint64_t at = 0; at < reader->n_edges && status == MR_OK; at += PIECE_IDS) {
        const uint64_t n = mr_min_u64(PIECE_IDS, reader->n_edges - at);

        for (unsigned half = 0; half < 2 && status == MR_OK; half++) {
            status = mr_file_read(reader->file, reader->ids[half], n * bytes,
                                  reader->data_offset + (half * reader->n_edges + at) * bytes, err);
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
    const unsigned bytes = reader->id_bytes;
    enum mr_status status = MR_OK;
    size_t got;

    for (uint64_t at = 0; at < reader->n_edges && status == MR_OK; at += PIECE_IDS / 2) {
        const uint64_t n = mr_min_u64(PIECE_IDS / 2, reader->n_edges - at);

        status = fill(reader->request.input, reader->ids[0], n * 2 * bytes, &got, err);
        if (status == MR_OK && got < n * 2 * bytes) {
            return wrong(reader, reader->data_offset + at * 2 * bytes + got, err,
                         "the input ends within its edges");
        }
        for (uint64_t i = 0; i < n && status == MR_OK; i++) {
            const uint8_t *edge = reader->ids[0] + i * 2 * bytes;
            status = add_edge(reader, at + i, edge, edge + bytes, err);
        }
    }
    return status;
}

static enum mr_status read_npy(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct npy_reader *reader = data;

    reader->batch.request = &reader->request;
    reader->batch.sink = sink;
    const enum mr_status status =
        reader->halves ? read_halves(reader, err) : read_pairs(reader, err);
    return status == MR_OK ? mr_edge_batch_flush(&reader->batch, err) : status;
}

const struct mr_graph_format mr_format_npy = {.name = "npy",
                                              .mark = "npy",
                                              .title = "a NumPy array of edges",
                                              .detect = detect,
                                              .open = open_npy,
                                              .read = read_npy,
                                              .close = close_npy};
