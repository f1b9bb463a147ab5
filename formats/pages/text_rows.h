/* SPDX-License-Identifier: Apache-2.0 */
/* Rows out of lines of text, by all threads: lines are parsed at the same time, and rows are taken
 * in the order of the file. For lists and files of scores. */
#ifndef MR_FORMATS_PAGES_TEXT_ROWS_H
#define MR_FORMATS_PAGES_TEXT_ROWS_H

#include "formats/crawl/fetch_log.h"
#include "formats/table/line_team.h"

struct mr_row_batch;

struct mr_text_rows {
    const struct mr_context *context;
    struct mr_input *input;
    struct mr_lines *lines; /* of the input; the lines that are left are read */
    struct mr_row begin; /* what each row is before it is parsed */
    /* Parse row->text, of line row->line. A row without a name is left out. Several threads call it
     * at the same time, and for a line with an error a second time, when its number is right. */
    enum mr_status (*parse)(void *data, struct mr_row *row, struct mr_error *err);
    /* Take a row, which may be changed; called for one row after the other. */
    enum mr_status (*take)(void *data, struct mr_row *row, struct mr_error *err);
    void *data; /* of both */
    const struct mr_row_batch *taken; /* the rows that have the turn; NULL: none yet */
};

/* Errors: the one at the first line of those of `parse` and `take`; of the input; of a request to
 * stop; BUDGET. */
enum mr_status mr_text_rows_read(struct mr_text_rows *rows, struct mr_error *err) MR_WARN_UNUSED;

/* How far the input is read, behind the row that is taken. */
struct mr_line_place mr_text_rows_place(const struct mr_text_rows *rows);

#endif
