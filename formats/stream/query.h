/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that DuckDB reads, as text: CSV below a header, as the readers of all tables take it. A
 * table of one column is a list, a line for each value, without a header.
 *
 * Numbers and texts are written from DuckDB's vectors. DuckDB casts all other types to text. A text
 * is in quotes, NULL is an empty field. The order of the rows is that of the query. One thread at a
 * time. A reader that has looked at the beginning of the text may take the rows as they are in
 * place of it (formats/graph/query_edges.h). */
#ifndef MR_FORMATS_STREAM_QUERY_H
#define MR_FORMATS_STREAM_QUERY_H

#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "formats/stream/duckdb.h"

struct mr_query;

/* Does DuckDB read it? "sql:QUERY", and paths, patterns and addresses that end in .parquet or
 * .duckdb. */
bool mr_query_is(const char *path);

/* Begin to read. A query may have statements before it, with semicolons between (ATTACH, LOAD). Of
 * a .duckdb file it is its only table. Errors: those of mr_duckdb_open and mr_duckdb_failed; INPUT
 * for a database with several tables. Close it after an error as well; NULL is allowed. */
enum mr_status mr_query_open(const struct mr_context *context, const char *path,
                             struct mr_query **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_query_close(struct mr_query *table);

/* Read up to `capacity` (> 0) bytes of the text. `*got` is 0 only at the end. */
enum mr_status mr_query_read(struct mr_query *table, void *buffer, size_t capacity, size_t *got,
                             struct mr_error *err) MR_WARN_UNUSED;

/* ---- Rows as they are ---- */

enum { MR_QUERY_ROWS = 2048 }; /* of a chunk, at most */

/* DuckDB's types of columns that it does not cast to text. */
enum mr_query_type {
    MR_QUERY_TINYINT = 2,
    MR_QUERY_SMALLINT,
    MR_QUERY_INTEGER,
    MR_QUERY_BIGINT,
    MR_QUERY_UTINYINT,
    MR_QUERY_USMALLINT,
    MR_QUERY_UINTEGER,
    MR_QUERY_UBIGINT,
    MR_QUERY_FLOAT,
    MR_QUERY_DOUBLE,
    MR_QUERY_VARCHAR = 17
};

/* A chunk of rows. */
struct mr_query_rows {
    void *chunk; /* NULL: none */
    uint64_t n, first; /* rows; the number of the first one, from 0 */
};

/* A column of a chunk. */
struct mr_query_column {
    int type;
    bool is_number; /* its texts are numbers */
    bool is_list; /* its texts are lists: JSON, each item in quotes */
    bool has_parts; /* a value, or an item of a list, is a struct, a map or another list */
    const uint8_t *data;
    const uint64_t *valid; /* bits, or NULL: all rows have values */
};

/* What a column holds, without its rows; type 0: there is none. */
struct mr_query_column mr_query_column_at(const struct mr_query *query, uint64_t index);
/* Go back to the first row, for mr_query_next. Returns false if more than the first 128 KiB of the
 * text were read: then only mr_query_read goes on. */
bool mr_query_restart(struct mr_query *query);
/* Take the next rows, to be released; `rows->n` is 0 at the end. Other threads may use and release
 * the rows taken before. */
enum mr_status mr_query_next(struct mr_query *query, struct mr_query_rows *rows,
                             struct mr_error *err) MR_WARN_UNUSED;
/* The bytes of all texts in the rows. */
uint64_t mr_query_text_bytes(const struct mr_query *query, const struct mr_query_rows *rows);
struct mr_query_column mr_query_vector(const struct mr_query *query,
                                       const struct mr_query_rows *rows, uint64_t index);
/* Is the column of an end of links a list? False for one that is not there. `name` is that of the
 * table, for messages. Errors: INPUT if values have parts of their own. */
enum mr_status mr_query_look_at_end(const struct mr_query *query, const char *name, int index,
                                    bool *is_list, struct mr_error *err) MR_WARN_UNUSED;
void mr_query_release(const struct mr_query *query, struct mr_query_rows *rows);
/* The text of one row, without its end, until the next call. A thread may call it while another
 * one takes rows. */
enum mr_status mr_query_row(struct mr_query *query, const struct mr_query_rows *rows, uint64_t row,
                            const char **text, size_t *bytes, struct mr_error *err) MR_WARN_UNUSED;

static inline bool mr_query_is_null(const struct mr_query_column *column, uint64_t row)
{
    return column->valid != NULL && (column->valid[row / 64] >> row % 64 & 1) == 0;
}

/* The integer at a row; of a signed type, its two's complement in 64 bits, which `*is_negative`
 * tells from a large number. */
static inline uint64_t mr_query_integer(const struct mr_query_column *column, uint64_t row,
                                        bool *is_negative)
{
    int64_t number = 0;

    *is_negative = false;
    switch (column->type) {
    case MR_QUERY_TINYINT:
        number = ((const int8_t *)column->data)[row];
        break;
    case MR_QUERY_SMALLINT:
        number = ((const int16_t *)column->data)[row];
        break;
    case MR_QUERY_INTEGER:
        number = ((const int32_t *)column->data)[row];
        break;
    case MR_QUERY_BIGINT:
        number = ((const int64_t *)column->data)[row];
        break;
    case MR_QUERY_UTINYINT:
        return column->data[row];
    case MR_QUERY_USMALLINT:
        return ((const uint16_t *)column->data)[row];
    case MR_QUERY_UINTEGER:
        return ((const uint32_t *)column->data)[row];
    default:
        return ((const uint64_t *)column->data)[row];
    }
    *is_negative = number < 0;
    return (uint64_t)number;
}

/* Writes it. Returns its end. */
static inline char *mr_query_put_integer(const struct mr_query_column *column, uint64_t row,
                                         char *to)
{
    bool is_negative;
    const uint64_t number = mr_query_integer(column, row, &is_negative);

    *to = '-';
    return mr_decimal_put(to + is_negative, is_negative ? -number : number);
}

/* The number at a row of a column of numbers. */
static inline double mr_query_real(const struct mr_query_column *column, uint64_t row)
{
    if (column->type == MR_QUERY_DOUBLE) {
        return ((const double *)column->data)[row];
    }
    if (column->type == MR_QUERY_FLOAT) {
        return (double)((const float *)column->data)[row];
    }
    bool is_negative;
    const uint64_t number = mr_query_integer(column, row, &is_negative);
    return is_negative ? (double)(int64_t)number : (double)number;
}

/* The text at a row of a column of texts, which is not NULL: 4 bytes of its length, and up to 12
 * bytes of the text or, behind its first 4 bytes, its address. */
static inline const char *mr_query_text(const struct mr_query_column *column, uint64_t row,
                                        uint64_t *bytes)
{
    const uint8_t *entry = column->data + row * 16;
    const char *text;

    *bytes = mr_get_u32(entry);
    memcpy(&text, entry + 8, sizeof text);
    return *bytes <= 12 ? (const char *)entry + 4 : text;
}

#endif
