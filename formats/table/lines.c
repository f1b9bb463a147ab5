/* SPDX-License-Identifier: Apache-2.0 */
/* Splits an input into lines. Readers of text formats use it. One buffer holds a line of maximum
 * length and one read; it grows for an object of JSON that is longer:
 *
 *     0        at                     end                             room
 *     | done   | lines not yet given  |  free                         | padding |
 *
 * When no whole line is left, the unfinished line moves to the front and 256 KiB are read behind
 * it. These bytes are then in the L2 cache while they are parsed.
 *
 * The read goes to the middle of a memory page. A read comes from the beginnings of pages, and a
 * Zen 3 copies only 1.6 GB/s, not 8, when the copy goes to an address a few bytes into a page. */
#include "formats/table/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

enum {
    READ_BYTES = 256 << 10,
    PAGE_BYTES = 4096,
    JOINED_BYTES = 64 << 10, /* the longest line with line ends in quotes */
    /* A read begins behind at most a line of maximum length and less than a page. One more byte is
     * for the LF that is added at the end. */
    ROOM_BYTES = PAGE_BYTES + MR_LINE_MAX_BYTES + READ_BYTES + 1,
    QUOTED_BYTES = 60
};

struct mr_lines {
    struct mr_memory *memory;
    struct mr_input *input;
    char *buffer; /* [room + MR_LINES_PADDING_BYTES] */
    size_t room; /* ROOM_BYTES, or more for a long object */
    size_t at, end;
    size_t whole; /* lines before this are whole; at <= whole <= end */
    bool begun;
    bool ended; /* the input has no more bytes */
    uint64_t number; /* number of the line that mr_lines_next returned last */
    uint64_t n_ends; /* line ends before `at`, of mr_lines_object */
    bool is_by_line; /* each object stands on a line of its own */
    uint64_t n_joined; /* more lines that belong to it */
    char separator; /* see mr_lines_join_quoted; '\0': quotes mean nothing */
};

enum mr_status mr_lines_open(const struct mr_context *context, struct mr_input *input,
                             struct mr_lines **out, struct mr_error *err)
{
    struct mr_lines *lines = calloc(1, sizeof *lines);

    *out = lines;
    if (lines == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, mr_input_name(input), ENOMEM, "cannot read");
    }
    lines->memory = context->memory;
    lines->input = input;
    lines->room = ROOM_BYTES;
    return mr_memory_array(context->memory, "line buffer", ROOM_BYTES + MR_LINES_PADDING_BYTES,
                           &lines->buffer, err);
}

void mr_lines_close(struct mr_lines *lines)
{
    if (lines != NULL) {
        mr_memory_free(lines->memory, lines->buffer);
        free(lines);
    }
}

/* Skip the mark as soon as the buffer holds enough bytes to recognise it. */
static void skip_byte_order_mark(struct mr_lines *lines)
{
    if (!lines->begun && (lines->end - lines->at >= 3 || lines->whole > 0 || lines->ended)) {
        lines->begun = true;
        if (lines->end - lines->at >= 3 &&
            memcmp(lines->buffer + lines->at, "\xef\xbb\xbf", 3) == 0) {
            lines->at += 3;
        }
    }
}

/* Only the first line can be too long: the others lie in the last read. */
static bool first_is_too_long(const struct mr_lines *lines)
{
    if (lines->end - lines->at <= MR_LINE_MAX_BYTES) {
        return false;
    }
    return memchr(lines->buffer + lines->at, '\n', MR_LINE_MAX_BYTES + 1) == NULL;
}

/* Move the bytes that were not given yet to the front, and read once behind them. A long object
 * moves only if there is no room behind it. */
static enum mr_status read_behind(struct mr_lines *lines, struct mr_error *err)
{
    const size_t held = lines->end - lines->at;
    const size_t front = (PAGE_BYTES / 2 - held) % PAGE_BYTES;
    size_t got;

    if (held <= MR_LINE_MAX_BYTES || lines->room - lines->end <= READ_BYTES) {
        if (PAGE_BYTES + held + READ_BYTES >= lines->room) {
            const enum mr_status status =
                mr_memory_resize(lines->memory, "line buffer", &lines->buffer,
                                 2 * lines->room + MR_LINES_PADDING_BYTES, err);
            if (status != MR_OK) {
                return status;
            }
            lines->room *= 2;
        }
        memmove(lines->buffer + front, lines->buffer + lines->at, held);
        lines->at = front;
        lines->end = front + held;
    }
    const enum mr_status status =
        mr_input_read(lines->input, lines->buffer + lines->end, READ_BYTES, &got, err);
    if (status == MR_OK) {
        lines->ended = got == 0;
        lines->end += got;
    }
    return status == MR_OK && lines->ended ? mr_input_check_lines(lines->input, err) : status;
}

/* Read until a whole line follows `at`, or the input ends. `line` is the number of the next
 * line. */
static enum mr_status refill(struct mr_lines *lines, uint64_t line, struct mr_error *err)
{
    size_t searched = lines->end - lines->at;

    lines->whole = 0;
    while (!lines->ended && lines->whole == 0) {
        enum mr_status status = read_behind(lines, err);
        if (status != MR_OK) {
            return status;
        }
        const char *from = lines->buffer + lines->at + searched;
        const char *last = memrchr(from, '\n', (size_t)(lines->buffer + lines->end - from));
        lines->whole = last == NULL ? 0 : (size_t)(last - lines->buffer) + 1;
        skip_byte_order_mark(lines);
        searched = lines->end - lines->at;
        if (first_is_too_long(lines)) {
            return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(lines->input), line,
                                 "the line is longer than %u bytes; is this a text file?",
                                 MR_LINE_MAX_BYTES);
        }
    }
    if (lines->ended && lines->whole == 0 && lines->end > lines->at) {
        lines->buffer[lines->end++] = '\n';
        lines->whole = lines->end;
    }
    return MR_OK;
}

void mr_lines_join_quoted(struct mr_lines *lines, char separator)
{
    lines->separator = separator;
}

bool mr_lines_is_open(const char *line, size_t bytes, char separator)
{
    const char *const end = line + bytes;
    size_t n_quotes = 0;

    for (const char *at = line; (at = memchr(at, '"', (size_t)(end - at))) != NULL; at++) {
        n_quotes++;
    }
    if (n_quotes % 2 == 0) {
        return false;
    }
    for (const char *at = line; at != NULL && at < end; at += at != NULL) {
        for (; at < end && *at == ' '; at++) {
        }
        if (at < end && *at == '"') {
            do { /* to the quote that no other follows */
                at = memchr(at + 1, '"', (size_t)(end - at - 1));
            } while (at != NULL && at + 1 < end && at[1] == '"' && ++at);
            if (at == NULL) {
                return true;
            }
        }
        at = memchr(at, separator, (size_t)(end - at));
    }
    return false;
}

/* The line end of the row at `at` that is not in quotes. Where there is none within JOINED_BYTES, a
 * quote is missing, and the row ends with its first line. `*n_more` is the number of its further
 * lines. Returns NULL if the bytes behind `end` decide, unless there are none (`is_all`). */
static const char *end_of_row(const struct mr_lines *lines, const char *at, const char *end,
                              bool is_all, uint64_t *n_more)
{
    const char *const alone = memchr(at, '\n', (size_t)(end - at)), *stop = alone;

    *n_more = 0;
    while (lines->separator != '\0' &&
           mr_lines_is_open(at, (size_t)(stop - at), lines->separator)) {
        stop = stop + 1 < end ? memchr(stop + 1, '\n', (size_t)(end - stop - 1)) : NULL;
        if (stop == NULL && !is_all && end - at <= JOINED_BYTES) {
            return NULL;
        }
        if (stop == NULL || stop - at > JOINED_BYTES) {
            *n_more = 0;
            return alone;
        }
        ++*n_more;
    }
    return stop;
}

const char *mr_lines_row_end(const struct mr_lines *lines, const char *at, const char *end,
                             uint64_t *n_more)
{
    return end_of_row(lines, at, end, true, n_more);
}

/* The bytes of whole rows from `at` on, at least one and about `most`. */
static enum mr_status find_rows(struct mr_lines *lines, uint64_t first_line, size_t most,
                                size_t *bytes, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    uint64_t n_more;

    *bytes = 0;
    while (status == MR_OK && *bytes < most && lines->at + *bytes < lines->whole) {
        const char *const from = lines->buffer + lines->at + *bytes, *const end = lines->buffer +
                                                                                  lines->whole;
        const size_t left = mr_min_u64(most - *bytes, (size_t)(end - from));
        const char *quote = lines->separator != '\0' ? memchr(from, '"', left) : NULL;
        const char *last = memrchr(from, '\n', quote != NULL ? (size_t)(quote - from) : left);
        if (last == NULL && quote != NULL) {
            last = end_of_row(lines, from, end, lines->ended, &n_more);
        } else if (last == NULL) {
            last = memchr(from + left, '\n', (size_t)(end - from) - left);
        }
        if (last == NULL) {
            status = refill(lines, first_line + 1, err);
        } else {
            *bytes = (size_t)(last + 1 - lines->buffer) - lines->at;
            if (quote == NULL) {
                break;
            }
        }
    }
    return status;
}

enum mr_status mr_lines_chunk(struct mr_lines *lines, uint64_t first_line, size_t most_bytes,
                              const char **data, size_t *bytes, struct mr_error *err)
{
    enum mr_status status = lines->at < lines->whole ? MR_OK : refill(lines, first_line + 1, err);

    *bytes = 0;
    if (status == MR_OK) {
        status = find_rows(lines, first_line, most_bytes, bytes, err);
    }
    *data = *bytes > 0 ? lines->buffer + lines->at : NULL;
    lines->at += *bytes;
    return status;
}

enum mr_status mr_lines_next(struct mr_lines *lines, const char **line, size_t *bytes,
                             struct mr_error *err)
{
    enum mr_status status = MR_OK;

    *line = NULL;
    *bytes = 0;
    if (lines->at >= lines->whole) {
        status = refill(lines, lines->number + 1, err);
        if (status != MR_OK || lines->at >= lines->whole) {
            return status;
        }
    }
    lines->number += 1 + lines->n_joined;
    const char *stop = NULL;
    while (status == MR_OK && stop == NULL) {
        stop = end_of_row(lines, lines->buffer + lines->at, lines->buffer + lines->whole,
                          lines->ended, &lines->n_joined);
        status = stop == NULL ? refill(lines, lines->number + 1, err) : MR_OK;
    }
    if (status != MR_OK) {
        return status;
    }
    *line = lines->buffer + lines->at;
    lines->at += (size_t)(stop - *line) + 1;
    mr_lines_trim(line, &stop);
    *bytes = (size_t)(stop - *line);
    return status;
}

/* ---- JSON ---- */

/* Pass over what stands between objects: blanks, line ends, commas and brackets of arrays. */
static enum mr_status skip_between(struct mr_lines *lines, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    while (status == MR_OK) {
        for (; lines->at < lines->end && lines->begun; lines->at++) {
            const char byte = lines->buffer[lines->at];
            if (byte == '\0' || strchr(" \t\r\n,[]", byte) == NULL) {
                return MR_OK;
            }
            lines->n_ends += byte == '\n';
        }
        if (lines->ended) {
            break;
        }
        status = read_behind(lines, err);
        skip_byte_order_mark(lines);
    }
    return status;
}

struct json_scan {
    size_t bytes; /* passed */
    unsigned depth; /* open brackets */
    bool in_string, escaped;
    uint64_t n_ends; /* line ends passed */
};

/* Pass one byte. Returns true behind the bracket that closes the value. */
static bool pass_byte(struct json_scan *scan, char byte)
{
    scan->bytes++;
    scan->n_ends += byte == '\n';
    if (scan->in_string) {
        scan->in_string = scan->escaped || byte != '"';
        scan->escaped = !scan->escaped && byte == '\\';
        return false;
    }
    scan->in_string = byte == '"';
    scan->depth += byte == '{' || byte == '[';
    return (byte == '}' || byte == ']') && (scan->depth == 0 || --scan->depth == 0);
}

size_t mr_lines_object_bytes(const char *text, size_t bytes)
{
    struct json_scan scan = {0};

    while (scan.bytes < bytes) {
        if (pass_byte(&scan, text[scan.bytes])) {
            return scan.bytes;
        }
    }
    return 0;
}

/* Does the item end at this line end? What is no object does, and so does each object of a file
 * that has one per line: in others no line begins with {". */
static bool ends_with_line(struct mr_lines *lines, const struct json_scan *scan)
{
    const char *const start = lines->buffer + lines->at, *const at = start + scan->bytes;

    if (*at != '\n') {
        return false;
    }
    lines->is_by_line |= lines->buffer + lines->end - at > 2 && at[1] == '{' && at[2] == '"';
    return lines->is_by_line || *start != '{';
}

enum mr_status mr_lines_object(struct mr_lines *lines, const char **text, size_t *bytes,
                               struct mr_error *err)
{
    struct json_scan scan = {0};
    bool is_done = false;
    enum mr_status status = skip_between(lines, err);

    *text = NULL;
    *bytes = 0;
    lines->number = lines->n_ends + 1;
    while (status == MR_OK && !is_done) {
        while (lines->at + scan.bytes < lines->end && !is_done) {
            is_done = ends_with_line(lines, &scan) ||
                      pass_byte(&scan, lines->buffer[lines->at + scan.bytes]);
        }
        const bool is_object = scan.bytes > 0 && lines->buffer[lines->at] == '{';
        const size_t most = is_object ? MR_OBJECT_MAX_BYTES : MR_LINE_MAX_BYTES;
        if (scan.bytes > most) {
            return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(lines->input), lines->number,
                                 "the %s is longer than %zu bytes; is this a text file?",
                                 is_object ? "object" : "line", most);
        }
        if (lines->ended) {
            break;
        }
        struct mr_error problem = {.status = MR_OK};
        status = is_done ? MR_OK : read_behind(lines, &problem);
        if (status == MR_ERROR_BUDGET) {
            status = mr_error_line(err, status, mr_input_name(lines->input), lines->number, "%s",
                                   problem.message);
        } else if (status != MR_OK && err != NULL && err->status == MR_OK) {
            *err = problem;
        }
    }
    if (status == MR_OK && scan.bytes > 0) {
        lines->is_by_line |= is_done && scan.n_ends == 0;
        lines->n_ends += scan.n_ends;
        *text = lines->buffer + lines->at;
        lines->at += scan.bytes;
        while (scan.bytes > 1 && strchr(" \t\r,", (*text)[scan.bytes - 1]) != NULL) {
            scan.bytes--;
        }
        *bytes = scan.bytes;
    }
    return status;
}

size_t mr_lines_pending(const struct mr_lines *lines)
{
    return lines->end - lines->at;
}

uint64_t mr_lines_number(const struct mr_lines *lines)
{
    return lines->number;
}

void mr_lines_set_number(struct mr_lines *lines, uint64_t number)
{
    lines->number = number;
}

const char *mr_lines_quote(const char *text, size_t bytes, char buffer[MR_LINES_QUOTE_BYTES])
{
    size_t shown = bytes < QUOTED_BYTES ? bytes : QUOTED_BYTES;
    char *to = buffer;

    *to++ = '"';
    for (size_t i = 0; i < shown; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte >= 0x20 && byte < 0x7f) {
            *to++ = (char)byte;
        } else {
            static const char digits[] = "0123456789abcdef";
            *to++ = '\\';
            *to++ = 'x';
            *to++ = digits[byte >> 4];
            *to++ = digits[byte & 15];
        }
    }
    *to++ = '"';
    *to = '\0';
    if (shown < bytes) {
        memcpy(to, "...", 4);
    }
    return buffer;
}

/* Is one of eight bytes a blank or a tab? (Mycroft 1987: a byte of zero.) */
static bool has_separator(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    uint64_t word;
    memcpy(&word, text, sizeof word);
    const uint64_t blanks = word ^ (ones * ' '), tabs = word ^ (ones * '\t');
    return (((blanks - ones) & ~blanks) | ((tabs - ones) & ~tabs)) & highs;
}

const char *mr_lines_field(const char **at, const char *end, size_t *bytes)
{
    const char *start = *at;
    while (start < end && (*start == ' ' || *start == '\t')) {
        start++;
    }
    const char *stop = start;
    while (end - stop >= 8 && !has_separator(stop)) {
        stop += 8;
    }
    while (stop < end && *stop != ' ' && *stop != '\t') {
        stop++;
    }
    *at = stop;
    *bytes = (size_t)(stop - start);
    return stop > start ? start : NULL;
}

/* Can it stand behind a name without a tab: a comment or a number? */
static bool is_behind(const char *at, const char *end)
{
    while (at < end && *at == ' ') {
        at++;
    }
    if (at < end && *at == '#') {
        return true;
    }
    at += at < end && (*at == '-' || *at == '+');
    at += at < end && *at == '.';
    return at < end && *at >= '0' && *at <= '9';
}

const char *mr_lines_name(const char *line, const char *end, bool is_word, size_t *bytes,
                          const char **rest)
{
    const char *const tab = memchr(line, '\t', (size_t)(end - line));
    const char *const stop = tab != NULL ? tab : end, *at = line, *more;
    size_t n = 0, more_bytes = 0;
    const char *word = mr_lines_field(&at, stop, &n);

    *bytes = (size_t)(stop - line);
    *rest = stop;
    if (word == NULL) {
        return tab != NULL ? line : NULL;
    }
    if (!is_word && memmem(word, n, "://", 3) == NULL) {
        return line;
    }
    more = at;
    if (mr_lines_field(&more, stop, &more_bytes) == NULL || (tab == NULL && is_behind(at, end))) {
        *bytes = n;
        *rest = at;
        return word;
    }
    return line;
}
