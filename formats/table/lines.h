/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of an input, without copying: as chunks of whole lines, or one by one.
 *
 * A line ends with LF; the last line may lack it. Any other byte belongs to the line, NUL and CR
 * included, with two exceptions: a UTF-8 byte order mark at the start of the input is skipped, and
 * mr_lines_next leaves out what mr_lines_trim does. Memory: 1.25 MiB, charged to the budget; for a
 * longer object of JSON up to three times its bytes. Bytes are copied only where a line straddles
 * two reads. One thread at a time. */
#ifndef MR_FORMATS_TABLE_LINES_H
#define MR_FORMATS_TABLE_LINES_H

#include <string.h>

#include "formats/stream/input.h"

struct mr_lines;

#define MR_LINE_MAX_BYTES      (1u << 20) /* the longest line accepted, without its end */
#define MR_OBJECT_MAX_BYTES    (64u << 20) /* the longest object of JSON, as a page of a WARC */
#define MR_LINES_PADDING_BYTES 96 /* readable bytes after each chunk, without meaning */
#define MR_LINES_QUOTE_BYTES   256 /* holds any mr_lines_quote */

/* Leave out what stands around a line where files with byte order marks were put together, or line
 * ends were converted twice: marks before it, CRs behind it. */
static inline void mr_lines_trim(const char **line, const char **end)
{
    while (*end > *line && (*end)[-1] == '\r') {
        --*end;
    }
    while (*end - *line >= 3 && memcmp(*line, "\xef\xbb\xbf", 3) == 0) {
        *line += 3;
    }
}

/* Begin to read `input`, which is borrowed and outlives the lines. Errors: BUDGET. Close takes
 * NULL. */
enum mr_status mr_lines_open(const struct mr_context *context, struct mr_input *input,
                             struct mr_lines **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_lines_close(struct mr_lines *lines);

/* The next whole lines, about 256 KiB of them, or `most_bytes` if that is less, `data[0..bytes)`,
 * valid until the next call. Rows whose lines are joined are whole. Every line ends with LF; one is
 * added where the input's last line lacks it. `*data` is NULL at the end. `first_line` is the
 * number of lines before, for the error about a line that is too long (MR_ERROR_INPUT at that
 * line). mr_lines_next may come before it, not behind it, and does not count its lines. */
enum mr_status mr_lines_chunk(struct mr_lines *lines, uint64_t first_line, size_t most_bytes,
                              const char **data, size_t *bytes,
                              struct mr_error *err) MR_WARN_UNUSED;

/* The next line without its end, `line[0..bytes)`, not terminated, valid until the next call.
 * `*line` is NULL at the end. Errors: INPUT for a line that is too long. */
enum mr_status mr_lines_next(struct mr_lines *lines, const char **line, size_t *bytes,
                             struct mr_error *err) MR_WARN_UNUSED;
/* The next object of a JSON text, `text[0..bytes)`, valid until the next call: of an array or of
 * lines, on one line or over several. What stands outside of arrays and is no object comes as a
 * line of its own. `*text` is NULL at the end. Errors: INPUT for an object of more than
 * MR_OBJECT_MAX_BYTES, and for other lines that are too long; BUDGET. Do not mix with
 * mr_lines_next. */
enum mr_status mr_lines_object(struct mr_lines *lines, const char **text, size_t *bytes,
                               struct mr_error *err) MR_WARN_UNUSED;
/* The bytes of the object of JSON that begins at `text`; 0: it does not end in `bytes`. */
size_t mr_lines_object_bytes(const char *text, size_t bytes);
/* From now on a line of mr_lines_next goes on behind a line end inside quotes, as a row of a table
 * with this separator does. The number of such a line is that of its beginning. */
void mr_lines_join_quoted(struct mr_lines *lines, char separator);
/* The line end of the row at `at` in a chunk that ends at `end`, and how many more lines it has.
 * For any number of threads. */
const char *mr_lines_row_end(const struct mr_lines *lines, const char *at, const char *end,
                             uint64_t *n_more);
/* Does a quoted field of `line[bytes]` go on behind the line end? */
bool mr_lines_is_open(const char *line, size_t bytes, char separator);
/* Number of the line that mr_lines_next returned last, or on which the object begins, from 1. */
uint64_t mr_lines_number(const struct mr_lines *lines);
/* Say the number, where the caller has lines of its own. */
void mr_lines_set_number(struct mr_lines *lines, uint64_t number);
/* Bytes that were read from the input and not returned yet. */
size_t mr_lines_pending(const struct mr_lines *lines);

/* Write `text[bytes]` to `buffer` for a message: in double quotes, cut to 60 bytes with "..." after
 * it, bytes outside printable ASCII as \xNN. Returns `buffer`. */
const char *mr_lines_quote(const char *text, size_t bytes, char buffer[MR_LINES_QUOTE_BYTES]);

/* The next field of a line: a run of bytes other than blank and tab, from `*at` up to `end`; `*at`
 * moves behind it. Returns its first byte; NULL where there is no field. */
const char *mr_lines_field(const char **at, const char *end, size_t *bytes);

/* The name of a line of a list, and where what stands behind it begins. A name ends at a tab or at
 * the end of the line, and blanks belong to it. A URL, and any name if `is_word` (numbers, hosts),
 * has none: the blanks around it are left out, and it ends before a blank with a number or a
 * comment (#) behind it. Returns NULL for a blank line. */
const char *mr_lines_name(const char *line, const char *end, bool is_word, size_t *bytes,
                          const char **rest);

/* Is the line of a list a comment: '#' with a blank, a tab or nothing behind it? */
static inline bool mr_lines_is_comment(const char *line, size_t bytes)
{
    return bytes > 0 && *line == '#' && (bytes == 1 || line[1] == ' ' || line[1] == '\t');
}

#endif
