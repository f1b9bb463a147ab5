/* SPDX-License-Identifier: Apache-2.0 */
/* Finds rows of a score file by name, without a store: for precedence, whose lists of fetched pages
 * and scores of hosts come from elsewhere., by their hashes
 * (engine/base/hash_set.h). */
#ifndef MR_FORMATS_SCORE_ROW_TABLE_H
#define MR_FORMATS_SCORE_ROW_TABLE_H

#include "engine/base/hash_set.h"
#include "formats/pages/page_marks.h"
#include "formats/score/precedence_file.h"
#include "formats/url/canonical.h"

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
