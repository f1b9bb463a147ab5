/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the score of each page for commands that walk all names of a store. Rankings write
 * scores in the order of the names, so one walk over both finds every score without a table in
 * memory. */
#include "cli/graph/score_rows.h"

#include <string.h>

static enum mr_status advance(struct mr_score_rows *rows, struct mr_error *err)
{
    return mr_score_reader_next(rows->reader, &rows->name, &rows->name_bytes, &rows->score, err);
}

enum mr_status mr_score_rows_open(struct mr_session *session, const char *path, const char *column,
                                  struct mr_score_rows *rows, struct mr_error *err)
{
    *rows = (struct mr_score_rows){0};
    enum mr_status status = mr_input_open(&session->context, path, &rows->input, err);
    if (status == MR_OK) {
        status = mr_score_reader_open(&session->context, rows->input, column, &rows->reader, err);
    }
    if (status == MR_OK) {
        status = advance(rows, err);
    }
    return status;
}

void mr_score_rows_close(struct mr_score_rows *rows)
{
    mr_score_reader_close(rows->reader);
    mr_input_close(rows->input);
    *rows = (struct mr_score_rows){0};
}

enum mr_status mr_score_rows_next(struct mr_score_rows *rows, const char *name, size_t name_bytes,
                                  double *score, bool *found, struct mr_error *err)
{
    *found = false;
    if (rows->name == NULL || name_bytes != rows->name_bytes ||
        memcmp(name, rows->name, name_bytes) != 0) {
        return MR_OK;
    }
    *found = true;
    *score = rows->score;
    rows->n_found++;
    return advance(rows, err);
}

enum mr_status mr_score_rows_end(const struct mr_score_rows *rows, uint64_t n_vertices,
                                 struct mr_error *err)
{
    if (rows->name == NULL) {
        return rows->n_found == n_vertices
                   ? MR_OK
                   : mr_error_file(err, MR_ERROR_INPUT, mr_input_name(rows->input), 0,
                                   "has scores of %llu of the %llu pages; scores have to come from "
                                   "a ranking of this store, without --top",
                                   (unsigned long long)rows->n_found,
                                   (unsigned long long)n_vertices);
    }
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(rows->input),
                         mr_score_reader_line(rows->reader),
                         "%.*s is no page of the store, or is not in the order of the store; use "
                         "scores from a ranking of this store, without --top",
                         (int)(rows->name_bytes < 200 ? rows->name_bytes : 200), rows->name);
}
