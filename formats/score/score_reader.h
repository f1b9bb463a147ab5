/* Score files read back, line by line: `name<TAB>score...`; and what else mr_scores_write makes with names, CSV and
 * JSON.
 *
 * A first line whose first field is "name" or begins with '#', and whose chosen column is no
 * number, is a header. Every other line must have the name (any bytes but tab and line end, not
 * empty) and a finite decimal number in the chosen column, perhaps as "score=0.5". In Common Crawl's
 * ranks the name is in the column that the header calls "#host_rev".
 *
 * A page has one score. A name that comes twice among the first 16384 lines is an error, so that lists of
 * links are told from scores. */
#ifndef MR_FORMATS_SCORE_SCORE_READER_H
#define MR_FORMATS_SCORE_SCORE_READER_H

#include "formats/stream/input.h"

struct mr_score_reader;

/* Begin at the first line of `input`, which is borrowed. `column` is the number of a score column
 * ("1" is the first after the name), or its name in the header, or NULL: the last of the first
 * line, which is the only one for PageRank and the authority for HITS; "#pr_val" of Common Crawl's ranks; the first of
 * columns like "score=0.5". Errors: INPUT when there is no such column, naming those there are. Memory: 256 KiB. Close
 * takes NULL. */
enum mr_status mr_score_reader_open(const struct mr_context *context, struct mr_input *input,
                                    const char *column, struct mr_score_reader **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* The same, and lines `URI<space>LEVEL` are read, too, the level as the score. */
enum mr_status mr_score_reader_open_levels(const struct mr_context *context, struct mr_input *input,
                                           const char *column, struct mr_score_reader **out,
                                           struct mr_error *err) MR_WARN_UNUSED;
void mr_score_reader_close(struct mr_score_reader *reader);

/* The next line: its name (`name[0..name_bytes)`, valid until the next call; NULL at the end) and
 * score. Errors: INPUT at FILE:LINE for a line that is none, or a name again. */
enum mr_status mr_score_reader_next(struct mr_score_reader *reader, const char **name,
                                    size_t *name_bytes, double *score,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* Line of the last name, from 1. */
uint64_t mr_score_reader_line(const struct mr_score_reader *reader);

/* A finite decimal number ("0.5", "-1e-7", ".5", "3") filling all of `text[bytes]`; no hexadecimal,
 * no "inf", no "nan". False if it is none. The locale must be "C", as it is in a program that never
 * calls setlocale. */
bool mr_score_parse(const char *text, size_t bytes, double *value);

#endif
