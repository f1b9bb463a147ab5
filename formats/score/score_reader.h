/* SPDX-License-Identifier: Apache-2.0 */
/* Reads score files line by line: `name<TAB>score...`, the CSV and JSON of mr_scores_write, and
 * tables of other programs (formats/score/score_table.h).
 *
 * The first line is a header when its first field is "name" or begins with '#', and its chosen
 * column is not a number; or when it has words over numbers or URLs. Every other line must have a
 * name (any bytes but tab and line end, not empty) and a finite decimal number in the chosen
 * column, which may be written as "score=0.5". In Common Crawl's ranks, the name is in the column
 * that the header calls "#host_rev"; in tables of other programs, in that of a word such as "url",
 * "node" or "Id", or in that of the URLs.
 *
 * A page has one score. A name that comes twice among the first 16384 lines is an error, because a
 * list of links looks like scores otherwise. */
#ifndef MR_FORMATS_SCORE_SCORE_READER_H
#define MR_FORMATS_SCORE_SCORE_READER_H

#include "formats/stream/input.h"

struct mr_score_reader;

/* Begin at the first line of `input`, which is borrowed. `column` selects the score column:
 *
 * - a number: "1" is the first column after the name;
 * - a name in the header;
 * - NULL: the last column of the first line, which is the only one for PageRank and the authority
 * for HITS; in Common Crawl's ranks "#pr_val"; where columns look like "score=0.5", the first; in
 * tables of other programs that of a word such as "PageRank" or "score", or the last of numbers.
 *
 * Errors: INPUT when there is no such column; the message lists the columns. Memory: 256 KiB. Close
 * takes NULL. */
enum mr_status mr_score_reader_open(const struct mr_context *context, struct mr_input *input,
                                    const char *column, struct mr_score_reader **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_score_reader_close(struct mr_score_reader *reader);

/* Reads the next line: its name (`name[0..name_bytes)`, valid until the next call; NULL at the end)
 * and its score. Errors: INPUT at FILE:LINE for a line without a name and a score, or for a name
 * that comes again. */
enum mr_status mr_score_reader_next(struct mr_score_reader *reader, const char **name,
                                    size_t *name_bytes, double *score,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* The number of the line read last, from 1. */
uint64_t mr_score_reader_line(const struct mr_score_reader *reader);
/* Bytes of the input, decompressed, that were read and not returned yet. */
size_t mr_score_reader_pending(const struct mr_score_reader *reader);

#endif
