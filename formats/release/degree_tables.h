/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of degrees of release_files.h. Internal to the folder. */
#ifndef MR_FORMATS_RELEASE_DEGREE_TABLES_H
#define MR_FORMATS_RELEASE_DEGREE_TABLES_H

#include "formats/release/release_files.h"
#include "formats/stream/output.h"

struct mr_degree_tables;

/* Begin the tables of `files`, which outlives them. Memory: 16 MiB, and the lines of the top lists.
 * Errors: INPUT if the degrees do not fit the names; RUNTIME, BUDGET. */
enum mr_status mr_degree_tables_open(const struct mr_context *context,
                                     const struct mr_release_files *files,
                                     struct mr_degree_figures figures[MR_DEGREE_KINDS],
                                     struct mr_degree_tables **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_degree_tables_close(struct mr_degree_tables *tables); /* NULL is allowed */

/* Add the next page. `columns` is its name, with its count, and a line end. */
enum mr_status mr_degree_tables_add(struct mr_degree_tables *tables, const char *columns,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* After the last page: write all tables, and fill the figures. */
enum mr_status mr_degree_tables_finish(struct mr_degree_tables *tables,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* Open PREFIX-NAME.txt.gz. */
enum mr_status mr_release_file_open(const struct mr_context *context,
                                    const struct mr_release_files *files, const char *name,
                                    struct mr_output **out, struct mr_error *err) MR_WARN_UNUSED;
/* Open an .npy file of n rows, and its column, as in mr_npy_reader_open. */
struct mr_release_rows {
    struct mr_input *input;
    struct mr_npy_reader *reader;
};
enum mr_status mr_release_rows_open(const struct mr_context *context, const char *path,
                                    const char *column, uint64_t n, struct mr_release_rows *rows,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_release_rows_close(struct mr_release_rows *rows);

#endif
