/* SPDX-License-Identifier: Apache-2.0 */
/* Score files as lines with tabs, CSV and JSON: what a path asks for, and rows of them. Internal to
 * formats/. */
#ifndef MR_FORMATS_SCORE_SCORE_TABLE_H
#define MR_FORMATS_SCORE_SCORE_TABLE_H

#include "formats/table/lines.h"

enum mr_score_kind {
    MR_SCORE_TSV, /* any other suffix, and standard output */
    MR_SCORE_URI, /* score_uri.txt of Heritrix: SCORE<TAB>URL */
    MR_SCORE_CSV, /* .csv: RFC 4180 */
    MR_SCORE_JSONL, /* .jsonl, .ndjson, .jl: an object per line */
    MR_SCORE_JSON /* .json: an array of such objects, one per line */
};

enum mr_score_kind mr_score_kind_of(const char *path);

/* The columns of a file, from 0. */
struct mr_score_columns {
    bool has_header; /* the first line names the columns */
    unsigned name;
    unsigned score; /* MR_SCORE_LAST: the last one */
};
#define MR_SCORE_LAST (~0u)

/* Reads lines of any of these kinds, and tables of other programs, as lines with tabs, like
 * mr_lines_next. A JSON file gets its header from the keys of its first object. */
struct mr_score_lines;
enum mr_status mr_score_lines_open(const struct mr_context *context, struct mr_input *input,
                                   struct mr_score_lines **out,
                                   struct mr_error *err) MR_WARN_UNUSED;
/* Known after the first line. */
const struct mr_score_columns *mr_score_lines_columns(const struct mr_score_lines *lines);
void mr_score_lines_close(struct mr_score_lines *lines);
/* The line is valid until the next call; NULL at the end. Errors: INPUT at the line. */
enum mr_status mr_score_lines_next(struct mr_score_lines *lines, const char **line, size_t *bytes,
                                   struct mr_error *err) MR_WARN_UNUSED;
/* The lines of the input, for mr_lines_number and mr_lines_pending. */
const struct mr_lines *mr_score_lines_source(const struct mr_score_lines *lines);

#endif
