/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a score file twice, for commands that turn scores into lines of another file.
 *
 * Names are never held in memory. The first reading collects one number per line. Then the caller
 * computes what it needs from all numbers, such as levels. The second reading calls a function of
 * the caller for each line, with its name. Standard input and pipes are copied to the temporary
 * directory during the first reading. */
#ifndef MR_FORMATS_SCORE_PRECEDENCE_FILE_H
#define MR_FORMATS_SCORE_PRECEDENCE_FILE_H

#include "engine/base/hash_set.h"
#include "engine/names/names.h"
#include "formats/pages/page_list.h"
#include "formats/url/canonical.h"

struct mr_score_file;

/* Open a score file ("-" is standard input) and read one column of it (see mr_score_reader_open).
 * `column` outlives it. Memory: 8 bytes per line, growing by half. The caller will take
 * `later_row_bytes` more for each line; an error about the budget asks for these too. Errors: INPUT
 * at FILE:LINE; BUDGET. */
enum mr_status mr_score_file_open(const struct mr_context *context, const char *path,
                                  const char *column, uint64_t later_row_bytes,
                                  struct mr_score_file **out, struct mr_error *err) MR_WARN_UNUSED;
/* The same of a store: its rows are the names in their order. `scores` [n_vertices] are those of
 * the vertices, and are copied. `names` outlives the file. */
enum mr_status mr_score_file_of_names(const struct mr_context *context, struct mr_names *names,
                                      uint64_t n_vertices, const double *scores,
                                      struct mr_score_file **out,
                                      struct mr_error *err) MR_WARN_UNUSED;
/* `file` may be NULL. */
void mr_score_file_close(struct mr_score_file *file);

/* The scores [n_scores] in the order of the file. They live as long as `file`. */
const double *mr_score_file_scores(const struct mr_score_file *file, uint64_t *n_scores);

/* Takes row `row` of the scores, whose name is `name[name_bytes]`. */
typedef enum mr_status (*mr_score_row_take)(void *data, uint64_t row, const char *name,
                                            size_t name_bytes, struct mr_error *err);

/* Read the lines again, in order, and call `take` for each. Errors: INPUT when the file has changed
 * since it was opened; those of `take`. */
enum mr_status mr_score_file_visit(struct mr_score_file *file, mr_score_row_take take, void *data,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* ---- Rows by name (row_table.c) ----
 *
 * Finds rows of a score file by name, without a store: for precedence, whose lists of fetched pages
 * and scores of hosts come from elsewhere., by their hashes
 * (engine/base/hash_set.h). */

struct mr_row_table;
enum { MR_ROW_TABLE_ROW_BYTES = MR_HASH_SET_TEXT_BYTES };

/* Make the table of all rows of `file`, [n_rows] of them, which are read once. `file` outlives the
 * table. Errors: those of
 * mr_score_file_visit; INPUT for 2^32 rows or more. */
enum mr_status mr_row_table_open(const struct mr_context *context, struct mr_score_file *file,
                                 struct mr_row_table **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_row_table_close(struct mr_row_table *table); /* NULL is allowed */

/* The row of this name, the first one where several have it. Returns false if there is none. */
bool mr_row_table_find(const struct mr_row_table *table, const char *name, size_t name_bytes,
                       uint32_t *row);

/* Mark the rows of the pages that files name: mr_page_marks_read, with the bits, times and what is
 * wanted of `marks`. `canonical` made the names of the rows. */
enum mr_status mr_row_table_read(const struct mr_row_table *table, const char *const *files,
                                 size_t n_files, const struct mr_canonical *canonical,
                                 const struct mr_page_marks *marks,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
