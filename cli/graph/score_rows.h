/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a score file side by side with the names of a store, both in the order of the names. */
#ifndef MR_CLI_GRAPH_SCORE_ROWS_H
#define MR_CLI_GRAPH_SCORE_ROWS_H

#include "cli/program/session.h"
#include "formats/score/score_reader.h"

struct mr_score_rows {
    struct mr_input *input;
    struct mr_score_reader *reader;
    const char *name; /* name of the next row; NULL at the end */
    size_t name_bytes;
    double score;
    uint64_t n_found; /* rows handed out */
};

/* Opens the score file at `path`; `column` is as in mr_score_reader_open. Close `rows` even
 * after an error; mr_score_rows_close also accepts zeroed or closed rows. */
enum mr_status mr_score_rows_open(struct mr_session *session, const char *path, const char *column,
                                  struct mr_score_rows *rows, struct mr_error *err) MR_WARN_UNUSED;
void mr_score_rows_close(struct mr_score_rows *rows);

/* Reads the score of the next vertex, whose name is `name` [name_bytes]. `*found` is false where
 * the file has no row for it. */
enum mr_status mr_score_rows_next(struct mr_score_rows *rows, const char *name, size_t name_bytes,
                                  double *score, bool *found, struct mr_error *err) MR_WARN_UNUSED;

/* Ends after the last of n_vertices vertices. Returns INPUT if rows are left, which belong to other
 * pages or are in another order, or if a page has no row. */
enum mr_status mr_score_rows_end(const struct mr_score_rows *rows, uint64_t n_vertices,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
