/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that DuckDB reads, as text: CSV below a header, as the readers of all tables take it. A
 * table of one column is a list, a line for each value, without a header.
 *
 * Numbers and texts are written from DuckDB's vectors. DuckDB casts all other types to text. A text
 * is in quotes, NULL is an empty field. The order of the rows is that of the query. One thread at a
 * time. */
#ifndef MR_FORMATS_STREAM_QUERY_H
#define MR_FORMATS_STREAM_QUERY_H

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

#endif
