/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the rows of a table: lines with tabs, CSV, or JSON, as the suffix of its path says, or
 * columns for a person at a terminal. All commands that print rows use it. Internal to formats,
 * library and cli. */
#ifndef MR_FORMATS_TABLE_ROW_WRITER_H
#define MR_FORMATS_TABLE_ROW_WRITER_H

#include <stdio.h>

#include "formats/stream/output.h"

enum mr_row_form {
    MR_ROWS_TSV, /* any other suffix, and standard output */
    MR_ROWS_CSV, /* .csv: RFC 4180, below a header */
    MR_ROWS_TABLE, /* .parquet, .duckdb: lines with tabs that DuckDB takes */
    MR_ROWS_ALIGNED, /* on a terminal: columns below a heading, the names last */
    MR_ROWS_JSONL, /* .jsonl, .ndjson, .jl: an object per line */
    MR_ROWS_JSON /* .json: an array of such objects, one per line */
};

enum mr_cell_type {
    MR_CELL_NAME, /* text; odd bytes become codes (name_text.h), and are counted */
    MR_CELL_ID, /* text that is a number, which a table of DuckDB then has */
    MR_CELL_LABEL, /* text, not counted: the name of another row */
    MR_CELL_FLAG, /* 1 or 0 in `count`; true or false in JSON */
    MR_CELL_COUNT,
    MR_CELL_SINGLE, /* a real that is a float */
    MR_CELL_REAL /* the shortest text that is read back */
};

struct mr_row_column {
    const char *name; /* plain: without quotes and control bytes */
    enum mr_cell_type type;
    bool absent; /* the rows have no such cell */
};

struct mr_cell {
    const char *text; /* [bytes]; of a number how a terminal shows it, with a zero; NULL: %.6g */
    size_t bytes;
    uint64_t count;
    double real;
};

#define MR_ROW_COLUMNS 20u /* of an aligned table, at most */

/* Lives where the caller likes; copies of it write rows of one table to several outputs. */
struct mr_row_writer {
    enum mr_row_form form;
    const struct mr_row_column *columns; /* [n_columns], borrowed */
    size_t n_columns;
    struct mr_output *output;
    uint64_t n_rows, n_escaped; /* that were written; names with codes */
    bool in_row; /* cells of a row were written */
    const char *metadata; /* JSON for a table of DuckDB, or NULL; the caller sets it */
    double bound; /* for the digits of column 2 in such a table; 0: none; the caller sets it */
    bool is_aligned; /* the caller sets it */
    /* Of an aligned table: the texts of the cells of up to 1000 rows, which decide its widths,
     * at most 100. */
    FILE *held;
    char *texts;
    size_t texts_bytes;
    int widths[MR_ROW_COLUMNS];
};

enum mr_row_form mr_row_form_of(const char *path);

/* Refuses a path, which may be NULL, whose suffix asks for another kind of file, such as .xlsx;
 * .npy only if `numbers` is false, and .parquet or .duckdb if there is no DuckDB that writes it.
 * Errors: USAGE. */
enum mr_status mr_row_form_check(const char *path, bool numbers,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Refuses the mark of UTF-8, --bom, for a path that is no .csv. Errors: USAGE. */
enum mr_status mr_row_form_check_mark(const char *path, bool mark,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Opens `path` as mr_output_open does, and writes what stands before the rows: in lines a header if
 * `header` says so, in CSV the mark of UTF-8 if `mark` says so. The caller sets columns and
 * n_columns. A table of one column is not aligned. */
enum mr_status mr_row_writer_open(struct mr_row_writer *rows, const struct mr_context *context,
                                  const char *path, bool force, bool header, bool mark,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Writes a row of cells [n_columns]; or a row cell by cell, in the order of the columns. */
enum mr_status mr_row_writer_add(struct mr_row_writer *rows, const struct mr_cell *cells,
                                 struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_row_writer_cell(struct mr_row_writer *rows, size_t column,
                                  const struct mr_cell *cell, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_row_writer_next(struct mr_row_writer *rows, struct mr_error *err) MR_WARN_UNUSED;

/* Ends the table, if it was opened; not its output. */
enum mr_status mr_row_writer_finish(struct mr_row_writer *rows,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Ends the table, and the output as mr_output_end does, if it was opened. */
enum mr_status mr_row_writer_end(struct mr_row_writer *rows, enum mr_status status,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
