/* SPDX-License-Identifier: Apache-2.0 */
/* Reads "adjacency": a page, then all that it links to, on one line; a page without links stands
 * alone on its line. Tabs stand between the pages if more than half of the lines have one, else
 * blanks and tabs; --separator says another character. Lines of other programs have a colon behind
 * the page (1: 2 3) or an arrow (1 -> 2 3), which is left out if all lines have it. A comma inside
 * a name may stand between two pages. Such a line is a bad line unless the user has said the
 * separator; then each name is all between two of these. */
#include <stdio.h>
#include <string.h>

#include "formats/graph/graph_reader.h"
#include "formats/graph/line_reader.h"
#include "formats/table/table.h"

enum { LOOK_LINES = 1000, QUOTE = '"' };

struct adjacency_lines {
    struct mr_line_reader base;
    char separator; /* ' ': blanks and tabs */
    bool is_said;
    bool has_begun, has_colons, has_arrows; /* the first line with links says what all have */
};

/* Do tabs stand between the pages? */
static bool has_tabs(const char *data, size_t bytes)
{
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    const char *line, *end;
    unsigned n_lines = 0, n_tabs = 0;

    while (n_lines < LOOK_LINES && mr_table_line(&rows, '\0', &line, &end)) {
        const bool has_tab = memchr(line, '\t', (size_t)(end - line)) != NULL;
        n_tabs += has_tab;
        n_lines += has_tab || memchr(line, ' ', (size_t)(end - line)) != NULL;
    }
    return 2 * n_tabs > n_lines;
}

/* The next name of a line, without the blanks around it; NULL: there is none. */
static const char *next_name(char separator, const char **at, const char *end, size_t *bytes)
{
    while (separator != ' ' && *at < end) {
        const char *name = *at, *stop = memchr(name, separator, (size_t)(end - name));
        stop = stop != NULL ? stop : end;
        *at = stop < end ? stop + 1 : end;
        for (; name < stop && (*name == ' ' || *name == '\t'); name++) {
        }
        for (; stop > name && (stop[-1] == ' ' || stop[-1] == '\t'); stop--) {
        }
        *bytes = (size_t)(stop - name);
        if (name < stop) {
            return name;
        }
    }
    return separator == ' ' ? mr_lines_field(at, end, bytes) : NULL;
}

static bool has_colon(const char *name, size_t bytes)
{
    return bytes > 1 && name[bytes - 1] == ':';
}

/* Is it -> or => or a colon, alone? */
static bool is_arrow(const char *name, size_t bytes)
{
    return (bytes == 1 && *name == ':') ||
           (bytes > 1 && bytes < 4 && name[bytes - 1] == '>' && strspn(name, "-=") + 1 == bytes);
}

/* The comma, semicolon or bar in a name that may stand between two pages, or the quote that begins
 * it; 0: none. A URL may have these inside, but not before the scheme of another one. */
static char inner_separator(const char *name, size_t bytes)
{
    const bool is_url = memmem(name, bytes, "://", 3) != NULL;

    for (size_t i = 0; i < bytes; i++) {
        if (i == 0 && name[i] == QUOTE) {
            return QUOTE;
        }
        if (name[i] != ',' && name[i] != ';' && name[i] != '|') {
            continue;
        }
        size_t word = i + 1;
        for (; word < bytes && ((name[word] | 32) >= 'a' && (name[word] | 32) <= 'z'); word++) {
        }
        const bool is_last = i + 1 == bytes,
                   is_scheme = bytes - word >= 3 && memcmp(name + word, "://", 3) == 0,
                   is_name =
                       word > i + 1 || (word < bytes && name[word] >= '0' && name[word] <= '9');
        if (is_last || (is_url ? is_scheme : is_name)) {
            return name[i];
        }
    }
    return '\0';
}

/* Reports a line of which nobody knows where its names end. */
static enum mr_status refuse(struct adjacency_lines *reader, const char *line, const char *end,
                             char inner, struct mr_error *err)
{
    const char *other = inner == ',' ? "comma" : inner == ';' ? "semicolon" : "pipe";
    char what[MR_LINES_QUOTE_BYTES], reason[2 * MR_LINES_QUOTE_BYTES];

    (void)snprintf(what, sizeof what,
                   "a %s in a name: if it separates pages, say --format adjacency --separator %s",
                   other, other);
    (void)snprintf(reason, sizeof reason,
                   "%s; if it is a part of the name, say --format adjacency --separator %s",
                   inner == QUOTE  ? "a quote in a name: take quotes around names away"
                   : inner == '\0' ? "a colon or an arrow behind the page, and none in other lines"
                                   : what,
                   reader->separator == ' ' ? "blank" : "tab");
    return mr_line_reader_bad(&reader->base, line, end, reason, err);
}

/* Looks at the names of a line before one of them is a page. `*inner`: see inner_separator. Returns
 * false if the line differs from others. */
static bool look(struct adjacency_lines *reader, const char *line, const char *end, char *inner)
{
    bool colon = false, arrow = false;
    const char *at = line, *name;
    unsigned n = 0;
    size_t bytes;

    *inner = '\0';
    for (; (name = next_name(reader->separator, &at, end, &bytes)) != NULL; n++) {
        if (n == 0) {
            colon = has_colon(name, bytes);
        } else if (n == 1 && is_arrow(name, bytes)) {
            arrow = true;
            continue;
        } else if (has_colon(name, bytes) || is_arrow(name, bytes)) {
            return false;
        }
        *inner = *inner == '\0' ? inner_separator(name, bytes - (n == 0 && colon)) : *inner;
    }
    if (!reader->has_begun && (n > 1 || colon)) {
        reader->has_begun = true;
        reader->has_colons = colon;
        reader->has_arrows = arrow;
    }
    return *inner == '\0' && (n == 1 ? colon <= reader->has_colons
                                     : colon == reader->has_colons && arrow == reader->has_arrows);
}

/* A name other than a URL may have blanks in it. */
static enum mr_status number(struct mr_line_reader *base, const char *name, size_t bytes,
                             uint64_t *id, struct mr_error *err)
{
    const struct mr_graph_sink *sink = base->batch.sink;

    if (memmem(name, bytes, "://", 3) != NULL || bytes > MR_NAME_MAX_BYTES) {
        return mr_line_reader_number(base, name, bytes, id, err);
    }
    return sink->name(sink->data, name, bytes, id, err);
}

static enum mr_status take_line(struct mr_line_reader *base, const char *line, const char *end,
                                struct mr_error *err)
{
    struct adjacency_lines *reader = (struct adjacency_lines *)base;
    const char *at = line, *name;
    uint64_t source = UINT64_MAX, target;
    size_t bytes;
    char inner;
    enum mr_status status = MR_OK;

    if (line == end || *line == '#') {
        base->request.summary->blank += line == end;
        base->request.summary->comments += line < end;
        return MR_OK;
    }
    const bool has_quotes = reader->is_said && reader->separator != ' ' &&
                            reader->separator != '\t' &&
                            memchr(line, QUOTE, (size_t)(end - line)) != NULL;
    inner = QUOTE;
    if (has_quotes || (!reader->is_said && !look(reader, line, end, &inner))) {
        return refuse(reader, line, end, inner, err);
    }
    for (unsigned n = 0;
         status == MR_OK && (name = next_name(reader->separator, &at, end, &bytes)) != NULL; n++) {
        if (n == 1 && reader->has_arrows) {
            continue;
        }
        bytes -= n == 0 && reader->has_colons && has_colon(name, bytes);
        status = number(base, name, bytes, n == 0 ? &source : &target, err);
        if (status == MR_OK && (n == 0 ? source : target) == UINT64_MAX) {
            return mr_line_reader_bad(base, line, end, MR_LINE_NO_PAGE, err);
        }
        if (status == MR_OK) {
            status = n == 0 ? mr_edge_batch_page(&base->batch, NULL, &source, err)
                            : mr_edge_batch_add(&base->batch, source, target, 1.0F, err);
        }
    }
    return status;
}

static enum mr_status open_lines(void *opened, struct mr_graph_head *head, struct mr_error *err)
{
    struct adjacency_lines *reader = opened;
    const struct mr_graph_request *request = &reader->base.request;
    const char *data;
    size_t bytes;
    enum mr_status status = mr_input_peek(request->input, &data, &bytes, err);

    (void)head;
    if (status == MR_OK) {
        reader->is_said = request->text->separator != '\0';
        reader->separator = reader->is_said         ? request->text->separator
                            : has_tabs(data, bytes) ? '\t'
                                                    : ' ';
        status = mr_line_reader_begin(&reader->base, take_line, err);
    }
    return status;
}

const struct mr_graph_format mr_format_adjacency = {.name = "adjacency",
                                                    .title = "pages with their links",
                                                    .takes_separator = true,
                                                    .may_have_numbers = true,
                                                    .reader_bytes = sizeof(struct adjacency_lines),
                                                    .head = {.ids = MR_IDS_TEXT},
                                                    .open = open_lines,
                                                    .read = mr_line_reader_read,
                                                    .close = mr_line_reader_close};
