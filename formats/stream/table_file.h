/* SPDX-License-Identifier: Apache-2.0 */
/* A Parquet file, compressed with zstd, or a database of DuckDB with the table "result", which
 * DuckDB writes from lines with tabs. The lines go through a pipe, and DuckDB reads it in a thread
 * of its own while they are made. Names have the form MR_NAME_UTF8, so that no field has a tab or a
 * line end in it. One thread at a time. */
#ifndef MR_FORMATS_STREAM_TABLE_FILE_H
#define MR_FORMATS_STREAM_TABLE_FILE_H

#include "formats/stream/duckdb.h"

struct mr_table_file;

/* Is it written so: does the path, which may be NULL, end in .parquet or .duckdb? */
bool mr_table_file_is(const char *path);
/* What it takes of the budget at least. */
#define MR_TABLE_FILE_BYTES MR_DUCKDB_LEAST_BYTES

/* Begin the file at `temporary`, which messages call `path`. `columns` are SQL: "'name': 'VARCHAR',
 * 'score': 'DOUBLE'"; if `bound` is above 0, it is at least the error of each value of column 2,
 * and a column "digits" has how many of its digits that proves; `metadata` is JSON, or NULL:
 * Parquet has it as the key "millrace", a table of a database as its comment. Errors: those of
 * mr_duckdb_open. Close it after an error as well; NULL is allowed. */
enum mr_status mr_table_file_open(const struct mr_context *context, const char *path,
                                  const char *temporary, const char *columns, double bound,
                                  const char *metadata, struct mr_table_file **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
/* The end of the pipe that takes the lines. */
int mr_table_file_descriptor(const struct mr_table_file *file);
/* Has DuckDB ended already? Then `finish` says why. */
bool mr_table_file_failed(const struct mr_table_file *file);
/* End the lines, and wait until the file is complete. Errors: mr_duckdb_failed, RUNTIME. */
enum mr_status mr_table_file_finish(struct mr_table_file *file,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_table_file_close(struct mr_table_file *file);

#endif
