/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one column of a NumPy array of floats, for commands that take score files. It reads the
 * array as a stream, so that compressed arrays and pipes work as well. A column of an array in
 * Fortran order is one run of bytes; in C order the reader skips the other columns of each row.
 * Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include "formats/table/npy_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "formats/table/decimal.h"

enum {
    BUFFER_BYTES = 64 << 10,
    PREFIX_BYTES = 8, /* magic and version */
    HEADER_MAX_BYTES = 4096
};

static const char magic[6] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y'};

struct mr_npy_reader {
    const struct mr_context *context;
    struct mr_input *input;
    uint8_t *buffer; /* [BUFFER_BYTES] */
    size_t used, filled;
    uint64_t rows, columns, column; /* `column` counts from 0 */
    uint64_t row; /* the next row */
    unsigned value_bytes;
    bool is_big_endian, is_fortran, is_placed;
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
    char quoted[32];
    (void)snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *at = strstr(header, quoted);
    if (at == NULL) {
        return NULL;
    }
    at += strlen(quoted);
    return at + strspn(at, " ");
}

/* Parse "(12,)" or "(12, 3)". */
static bool parse_shape(struct mr_npy_reader *reader, const char *at)
{
    const char *end = at + strlen(at);

    if (*at++ != '(' || mr_decimal_parse(&at, end, &reader->rows) != MR_DECIMAL_OK ||
        *at++ != ',') {
        return false;
    }
    at += strspn(at, " ");
    reader->columns = 1;
    if (*at == ')') {
        return true;
    }
    return mr_decimal_parse(&at, end, &reader->columns) == MR_DECIMAL_OK && *at == ')';
}

static enum mr_status parse_header(struct mr_npy_reader *reader, const char *header,
                                   struct mr_error *err)
{
    const char *descr = value_of(header, "descr"), *order = value_of(header, "fortran_order");
    const char *shape = value_of(header, "shape");
    uint64_t bytes;

    if (descr == NULL || order == NULL || shape == NULL) {
        return bad_file(reader, "its NumPy header lacks descr, fortran_order or shape", err);
    }
    if (strlen(descr) < 5 || (descr[1] != '<' && descr[1] != '>') || descr[2] != 'f' ||
        (descr[3] != '4' && descr[3] != '8') || descr[4] != descr[0]) {
        return bad_file(reader,
                        "not an array of 4- or 8-byte floats; save it as numpy.float64 or float32",
                        err);
    }
    reader->is_big_endian = descr[1] == '>';
    reader->value_bytes = (unsigned)(descr[3] - '0');
    reader->is_fortran = strncmp(order, "True", 4) == 0;
    if (!parse_shape(reader, shape)) {
        return bad_file(reader, "its shape is neither (n,) nor (n, k)", err);
    }
    if (mr_mul_overflows(reader->rows, mr_max_u64(reader->columns, 1), &bytes) ||
        mr_mul_overflows(bytes, reader->value_bytes, &bytes)) {
        return bad_file(reader, "its shape is larger than any file", err);
    }
    return MR_OK;
}

static enum mr_status read_header(struct mr_npy_reader *reader, struct mr_error *err)
{
    char header[HEADER_MAX_BYTES + 1];
    const uint8_t *data;
    uint64_t bytes;

    enum mr_status status = need(reader, PREFIX_BYTES, &data, err);
    if (status != MR_OK) {
        return status;
    }
    if (memcmp(data, magic, sizeof magic) != 0 || data[6] < 1 || data[6] > 3) {
        return bad_file(reader, "not a NumPy array of a known version", err);
    }
    const bool is_short = data[6] == 1;
    status = need(reader, is_short ? 2 : 4, &data, err);
    if (status != MR_OK) {
        return status;
    }
    bytes = is_short ? mr_get_u16(data) : mr_get_u32(data);
    if (bytes > HEADER_MAX_BYTES) {
        return bad_file(reader, "its NumPy header is too long for an array of floats", err);
    }
    status = need(reader, (size_t)bytes, &data, err);
    if (status != MR_OK) {
        return status;
    }
    memcpy(header, data, (size_t)bytes);
    header[bytes] = '\0';
    return parse_header(reader, header, err);
}

static enum mr_status choose_column(struct mr_npy_reader *reader, const char *column,
                                    struct mr_error *err)
{
    const char *at = column;
    uint64_t number = reader->columns;

    if (column != NULL &&
        (mr_decimal_parse(&at, column + strlen(column), &number) != MR_DECIMAL_OK || *at != '\0')) {
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
    void *buffer = NULL;

    *out = NULL;
    if (reader == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, mr_input_name(input), 0, "out of memory");
    }
    reader->context = context;
    reader->input = input;
    enum mr_status status =
        mr_memory_alloc(context->memory, "array buffer", BUFFER_BYTES, &buffer, err);
    reader->buffer = buffer;
    if (status == MR_OK) {
        status = read_header(reader, err);
    }
    if (status == MR_OK) {
        status = choose_column(reader, column, err);
    }
    if (status != MR_OK) {
        mr_npy_reader_close(reader);
        return status;
    }
    *out = reader;
    return MR_OK;
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
    for (unsigned i = 0; i < reader->value_bytes; i++) {
        const unsigned from = reader->is_big_endian ? reader->value_bytes - 1 - i : i;
        bits |= (uint64_t)data[from] << 8 * i;
    }
    if (reader->value_bytes == 8) {
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
    const uint64_t width = reader->value_bytes;
    const uint8_t *data;
    enum mr_status status = MR_OK;

    *is_end = reader->row == reader->rows;
    if (*is_end) {
        return MR_OK;
    }
    if (reader->is_fortran && !reader->is_placed) {
        status = skip(reader, reader->column * reader->rows * width, err);
        reader->is_placed = true;
    } else if (!reader->is_fortran) {
        status = skip(reader, reader->column * width, err);
    }
    if (status == MR_OK) {
        status = need(reader, reader->value_bytes, &data, err);
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
    return reader->is_fortran ? MR_OK
                              : skip(reader, (reader->columns - 1 - reader->column) * width, err);
}
