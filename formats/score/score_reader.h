/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of scores row by row:
 *
 *     lines       `name<TAB>score...`, with or without a header; what mr_scores_write writes
 *     tables      CSV and tables of other programs (formats/table/table.h), GraphX's (NAME,SCORE)
 *     JSON        an object for each page, in an array or one after the other
 *     no names    arrays of NumPy, LAW's .ranks, HyperBall's floats, numbers alone: a score for
 *                 each page, in order
 *
 * The first line is a header when its first field is "name" or begins with '#', and its chosen
 * column is not a number; or when it has words over numbers or URLs. Every other line must have a
 * name (any bytes but tab and line end, not empty) and a finite decimal number in the chosen
 * column, which may be written as "score=0.5" or "50%". Lines without a score (NULL), blank lines,
 * comments and the header again are passed over. In Common Crawl's ranks, the name is in the column
 * that the header calls "#host_rev"; in tables of other programs, in that of a word such as "url",
 * "node" or "Id", or in that of the URLs.
 *
 * A page has one score. A name that comes twice among the first 16384 lines is an error, because a
 * list of links looks like scores otherwise. Scores that are places are one, too (check_scores). */
#ifndef MR_FORMATS_SCORE_SCORE_READER_H
#define MR_FORMATS_SCORE_SCORE_READER_H

#include "formats/pages/text_rows.h"
#include "formats/stream/input.h"

struct mr_score_reader;

/* Begin at the first byte of `input`, which is borrowed. `column` selects the score column:
 *
 * - a number: "1" is the first column after the name;
 * - a name in the header, or a key of the objects;
 * - NULL: the last column of numbers, which is the only one for PageRank and the authority for
 * HITS; in Common Crawl's ranks "#pr_val"; where columns look like "score=0.5", the first; with
 * a header or keys that of a word such as "PageRank" or "score", or the only one of numbers.
 *
 * `n_pages` is how many scores there should be; 0: not known. Data that are neither .npy nor .ranks
 * nor .f32 need it: their size tells doubles from floats.
 *
 * Errors: INPUT when there is no such column; the message lists the columns. Memory: 256 KiB and a
 * line. Close takes NULL. */
enum mr_status mr_score_reader_open(const struct mr_context *context, struct mr_input *input,
                                    const char *column, uint64_t n_pages,
                                    struct mr_score_reader **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_score_reader_close(struct mr_score_reader *reader);

/* Have the scores names? Otherwise they are in the order of the pages. */
bool mr_score_reader_has_names(const struct mr_score_reader *reader);

/* Reads the next row: its name, which is valid until the next call and NULL if the scores have
 * none, its score in values[0], and its number as `line`: of the line, or of the score, from 1.
 * `*is_end` is true past the last row. Errors: INPUT at FILE:LINE for a line without a name and a
 * score, or for a name that comes again; INPUT for a score that is not finite. */
enum mr_status mr_score_reader_next(struct mr_score_reader *reader, struct mr_row *row,
                                    bool *is_end, struct mr_error *err) MR_WARN_UNUSED;
/* Call `take` for all rows that are left, in their order. Of lines with tabs the threads parse
 * chunks at the same time (formats/pages/text_rows.h), and `take` is called in any of them. Errors:
 * as above; those of `take`; of a request to stop. */
enum mr_status mr_score_reader_rest(struct mr_score_reader *reader, mr_row_take take, void *data,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* How far the input is read, behind the row that was returned or is taken. */
struct mr_line_place mr_score_reader_place(const struct mr_score_reader *reader);

#endif
