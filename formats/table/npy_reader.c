/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one column of a NumPy array of floats, for commands that take score files. It reads the
 * array as a stream, so that compressed arrays and pipes work as well. A column of an array in
 * Fortran order is one run of bytes; in C order the reader skips the other columns of each row.
 * Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include "formats/table/npy_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "engine/base/memory.h"

enum {
    BUFFER_BYTES = 64 << 10,
    PREFIX_BYTES = 10, /* magic, version, length of the header; in later versions 2 more */
    HEADER_MAX_BYTES = 4096
};

static const char magic[6] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y'};

struct mr_npy_reader {
    const struct mr_context *context;
    struct mr_input *input;
    uint8_t *buffer; /* [BUFFER_BYTES] */
    size_t used, filled;
    struct mr_npy_head head;
    uint64_t rows, columns, column; /* `column` counts from 0 */
    uint64_t row; /* the next row */
    bool is_placed;
};

enum mr_status mr_npy_probe(struct mr_input *input, bool *is_npy, struct mr_error *err)
{
    const char *data;
    size_t bytes;

    const enum mr_status status = mr_input_peek(input, &data, &bytes, err);
    *is_npy = status == MR_OK && bytes >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
    return status;
}

static enum mr_status bad_file(const struct mr_npy_reader *reader, const char *reason,
                               struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(reader->input), 0, "%s", reason);
}

/* ---- Bytes ---- */

/* Have `bytes` (at most BUFFER_BYTES) more bytes together in the buffer. */
static enum mr_status need(struct mr_npy_reader *reader, size_t bytes, const uint8_t **data,
                           struct mr_error *err)
{
    if (reader->filled - reader->used < bytes) {
        memmove(reader->buffer, reader->buffer + reader->used, reader->filled - reader->used);
        reader->filled -= reader->used;
        reader->used = 0;
    }
    while (reader->filled < bytes) {
        size_t got;
        const enum mr_status status = mr_input_read(reader->input, reader->buffer + reader->filled,
                                                    BUFFER_BYTES - reader->filled, &got, err);
        if (status != MR_OK) {
            return status;
        }
        if (got == 0) {
            return bad_file(reader, "ends before its array does; it was cut off", err);
        }
        reader->filled += got;
    }
    *data = reader->buffer + reader->used;
    reader->used += bytes;
    return MR_OK;
}

static enum mr_status skip(struct mr_npy_reader *reader, uint64_t bytes, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    while (bytes > 0 && status == MR_OK) {
        const uint8_t *data;
        const size_t part = (size_t)mr_min_u64(bytes, BUFFER_BYTES);
        status = need(reader, part, &data, err);
        bytes -= part;
        if (status == MR_OK) {
            status = mr_context_poll(reader->context, err);
        }
    }
    return status;
}

/* ---- The header ---- */

/* The text after 'KEY': in the header, without blanks; NULL when the key is missing. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    return at == NULL ? NULL : at + strlen(key) + strspn(at + strlen(key), " :");
}

/* Parses "(12,)" or "(12, 3)". */
static void parse_shape(struct mr_npy_head *head, const char *at)
{
    const char *end = at + strlen(at);

    if (*at++ != '(' || mr_decimal_parse(&at, end, &head->shape[0]) != MR_DECIMAL_OK) {
        return;
    }
    at += strspn(at, " ");
    if (*at++ != ',') {
        return;
    }
    at += strspn(at, " ");
    head->shape[1] = 1;
    if (*at == ')') {
        head->n_dimensions = 1;
    } else if (mr_decimal_parse(&at, end, &head->shape[1]) == MR_DECIMAL_OK) {
        at += strspn(at, " ,");
        head->n_dimensions = *at == ')' ? 2 : 0;
    }
}

static enum mr_npy_problem parse_header(struct mr_npy_head *head, const char *header)
{
    const char *type = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'");
    const char *shape = value_of(header, "'shape'");

    if (type == NULL || order == NULL || shape == NULL) {
        return MR_NPY_LACKS;
    }
    if (strlen(type) >= 5 && strchr("<>=|", type[1]) != NULL && strchr("fiu", type[2]) != NULL &&
        (type[3] == '4' || type[3] == '8') && type[4] == type[0]) {
        head->kind = type[2];
        head->value_bytes = (unsigned)(type[3] - '0');
        head->is_big_endian = type[1] == '>';
    }
    head->is_fortran = strncmp(order, "True", 4) == 0;
    parse_shape(head, shape);
    return MR_NPY_OK;
}

enum mr_status mr_npy_head_read(struct mr_input *input, struct mr_npy_head *head,
                                enum mr_npy_problem *problem, struct mr_error *err)
{
    uint8_t prefix[PREFIX_BYTES + 2];
    char header[HEADER_MAX_BYTES + 1];
    size_t got = 0, more = 0;

    *head = (struct mr_npy_head){.text_offset = PREFIX_BYTES};
    enum mr_status status = mr_input_fill(input, prefix, PREFIX_BYTES, &got, err);
    *problem = got < PREFIX_BYTES ? MR_NPY_CUT : MR_NPY_NONE;
    if (status != MR_OK || got < PREFIX_BYTES || memcmp(prefix, magic, sizeof magic) != 0 ||
        prefix[6] < 1 || prefix[6] > 3) {
        return status;
    }
    uint64_t bytes = mr_get_u16(prefix + 8);
    if (prefix[6] > 1) {
        status = mr_input_fill(input, prefix + PREFIX_BYTES, 2, &more, err);
        bytes = more == 2 ? mr_get_u32(prefix + 8) : 0;
        head->text_offset += 2;
    }
    *problem = MR_NPY_LONG_HEADER;
    if (status != MR_OK || bytes == 0 || bytes > HEADER_MAX_BYTES) {
        return status;
    }
    status = mr_input_fill(input, header, bytes, &got, err);
    *problem = MR_NPY_CUT;
    if (status == MR_OK && got == bytes) {
        header[bytes] = '\0';
        head->data_offset = head->text_offset + bytes;
        *problem = parse_header(head, header);
    }
    return status;
}

static enum mr_status read_header(struct mr_npy_reader *reader, struct mr_error *err)
{
    static const char *const reasons[] = {
        [MR_NPY_NONE] = "not a NumPy array of a known version",
        [MR_NPY_LONG_HEADER] = "its NumPy header is too long for an array of floats",
        [MR_NPY_CUT] = "ends before its array does; it was cut off",
        [MR_NPY_LACKS] = "its NumPy header lacks descr, fortran_order or shape"};
    struct mr_npy_head *head = &reader->head;
    enum mr_npy_problem problem;
    uint64_t bytes;

    const enum mr_status status = mr_npy_head_read(reader->input, head, &problem, err);
    if (status != MR_OK || problem != MR_NPY_OK) {
        return status != MR_OK ? status : bad_file(reader, reasons[problem], err);
    }
    if (head->kind != 'f') {
        return bad_file(reader,
                        "not an array of 4- or 8-byte floats; save it as numpy.float64 or float32",
                        err);
    }
    if (head->n_dimensions == 0) {
        return bad_file(reader, "its shape is neither (n,) nor (n, k)", err);
    }
    reader->rows = head->shape[0];
    reader->columns = head->shape[1];
    return mr_mul_overflows(reader->rows, mr_max_u64(reader->columns, 1), &bytes) ||
                   mr_mul_overflows(bytes, head->value_bytes, &bytes)
               ? bad_file(reader, "its shape is larger than any file", err)
               : MR_OK;
}

static enum mr_status choose_column(struct mr_npy_reader *reader, const char *column,
                                    struct mr_error *err)
{
    uint64_t number = reader->columns;

    if (column != NULL && !mr_decimal_whole(column, column + strlen(column), &number)) {
        return mr_error_file(
            err, MR_ERROR_USAGE, mr_input_name(reader->input), 0,
            "an array has no names to find column \"%s\"; give its number, 1..%llu", column,
            (unsigned long long)reader->columns);
    }
    if (number < 1 || number > reader->columns) {
        return mr_error_file(err, MR_ERROR_USAGE, mr_input_name(reader->input), 0,
                             "no score column %llu; the array has %llu, choose 1..%llu",
                             (unsigned long long)number, (unsigned long long)reader->columns,
                             (unsigned long long)reader->columns);
    }
    reader->column = number - 1;
    return MR_OK;
}

enum mr_status mr_npy_reader_open(const struct mr_context *context, struct mr_input *input,
                                  const char *column, struct mr_npy_reader **out,
                                  struct mr_error *err)
{
    struct mr_npy_reader *reader = calloc(1, sizeof *reader);

    *out = reader;
    if (reader == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, mr_input_name(input), 0, "out of memory");
    }
    reader->context = context;
    reader->input = input;
    enum mr_status status =
        mr_memory_array(context->memory, "array buffer", BUFFER_BYTES, &reader->buffer, err);
    if (status == MR_OK) {
        status = read_header(reader, err);
    }
    if (status == MR_OK) {
        status = choose_column(reader, column, err);
    }
    return status;
}

void mr_npy_reader_close(struct mr_npy_reader *reader)
{
    if (reader != NULL) {
        mr_memory_free(reader->context->memory, reader->buffer);
        free(reader);
    }
}

uint64_t mr_npy_reader_rows(const struct mr_npy_reader *reader)
{
    return reader->rows;
}

/* ---- Rows ---- */

static double value_at(const struct mr_npy_reader *reader, const uint8_t *data)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < reader->head.value_bytes; i++) {
        const unsigned from = reader->head.is_big_endian ? reader->head.value_bytes - 1 - i : i;
        bits |= (uint64_t)data[from] << 8 * i;
    }
    if (reader->head.value_bytes == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    const uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof value);
    return (double)value;
}

enum mr_status mr_npy_reader_next(struct mr_npy_reader *reader, double *score, bool *is_end,
                                  struct mr_error *err)
{
    const uint64_t width = reader->head.value_bytes;
    const uint8_t *data;
    enum mr_status status = MR_OK;

    *is_end = reader->row == reader->rows;
    if (*is_end) {
        return MR_OK;
    }
    if (reader->head.is_fortran && !reader->is_placed) {
        status = skip(reader, reader->column * reader->rows * width, err);
        reader->is_placed = true;
    } else if (!reader->head.is_fortran) {
        status = skip(reader, reader->column * width, err);
    }
    if (status == MR_OK) {
        status = need(reader, reader->head.value_bytes, &data, err);
    }
    if (status != MR_OK) {
        return status;
    }
    *score = value_at(reader, data);
    reader->row++;
    if (!isfinite(*score)) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(reader->input), 0,
                             "row %llu is not a finite number", (unsigned long long)reader->row);
    }
    return reader->head.is_fortran
               ? MR_OK
               : skip(reader, (reader->columns - 1 - reader->column) * width, err);
}
