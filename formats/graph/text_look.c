/* SPDX-License-Identifier: Apache-2.0 */
/* Examines lines of text before they become a graph. Lines of two names have no signature, so any
 * text looks like them: a list of scores, a log, prose. formats/graph_format.c calls this when
 * detection has found nothing but text. The rules refuse only what is certainly not a list of
 * links, because names that a program made up may look like anything. With --format urls these
 * checks are off. */
#include "formats/graph/text_look.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/stream/csv_field.h"
#include "formats/stream/decimal.h"
#include "formats/stream/input.h"
#include "formats/stream/lines.h"

enum { LOOK_ROWS = 1000, MOST_FIELDS = 16 };

/* ---- Lines ---- */

struct text {
    const char *at, *end;
    bool is_cut; /* the last line may be incomplete */
    uint64_t line; /* number of the line read last, from 1 */
};

static struct text text_of(const char *data, size_t bytes)
{
    const bool marked = bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0;
    return (struct text){
        .at = data + (marked ? 3 : 0), .end = data + bytes, .is_cut = bytes == MR_INPUT_PEEK_BYTES};
}

/* Takes the next line, without its end. Returns false when there is no complete one. */
static bool next_line(struct text *text, const char **line, const char **end)
{
    if (text->at >= text->end) {
        return false;
    }
    const char *stop = memchr(text->at, '\n', (size_t)(text->end - text->at));
    if (stop == NULL && text->is_cut) {
        return false;
    }
    *line = text->at;
    *end = stop != NULL ? stop : text->end;
    text->at = stop != NULL ? stop + 1 : text->end;
    *end -= *end > *line && (*end)[-1] == '\r';
    text->line++;
    return true;
}

static bool begins(const char *line, const char *end, const char *words)
{
    const size_t bytes = strlen(words);
    return (size_t)(end - line) >= bytes && strncasecmp(line, words, bytes) == 0;
}

/* ---- Known kinds ---- */

static bool is_crawldb(const char *data, size_t bytes)
{
    static const char mark[] = "\tVersion: ";
    struct text text = text_of(data, bytes);
    const char *line, *end;

    while (next_line(&text, &line, &end)) {
        if (line < end) {
            return begins(line, end, "Url,Status code,") ||
                   (memmem(line, (size_t)(end - line), mark, sizeof mark - 1) != NULL &&
                    next_line(&text, &line, &end) && begins(line, end, "Status: "));
        }
    }
    return false;
}

/* Is it GraphViz or GML? Both begin with "graph". NULL: neither. */
static const char *graph_language(struct text *text, const char *line, const char *end)
{
    if (begins(line, end, "Creator \"")) {
        return "GML";
    }
    if (begins(line, end, "digraph") || begins(line, end, "strict ") ||
        (begins(line, end, "graph") && memchr(line, '{', (size_t)(end - line)) != NULL)) {
        return "GraphViz";
    }
    if (!begins(line, end, "graph")) {
        return NULL;
    }
    line += strlen("graph");
    while (line < end && (*line == ' ' || *line == '\t')) {
        line++;
    }
    /* the bracket is on the next line */
    const bool next = line == end && next_line(text, &line, &end);
    return (line < end && *line == '[')         ? "GML"
           : next && line < end && *line == '{' ? "GraphViz"
                                                : NULL;
}

enum mr_status mr_text_refuse_known(const char *name, const char *data, size_t bytes,
                                    struct mr_error *err)
{
    struct text text = text_of(data, bytes);
    const char *line, *end, *kind = NULL;

    if (is_crawldb(data, bytes)) {
        return mr_error_file(err, MR_ERROR_INPUT, name, 0, "%s", MR_CRAWLDB_REFUSAL);
    }
    do {
        if (!next_line(&text, &line, &end)) {
            return MR_OK;
        }
        while (line < end && (*line == ' ' || *line == '\t')) {
            line++;
        }
    } while (line == end);
    if (begins(line, end, "<http")) {
        kind = "RDF";
    } else if (*line == '<') {
        kind = "XML or HTML";
    } else if (begins(line, end, "*vertices") || begins(line, end, "*network")) {
        kind = "Pajek";
    } else {
        kind = graph_language(&text, line, end);
    }
    return kind == NULL ? MR_OK
                        : mr_error_file(err, MR_ERROR_INPUT, name, 0,
                                        "is %s, which is not read; write its links as lines of "
                                        "two names, or as a table with the columns source and "
                                        "target",
                                        kind);
}

/* ---- Names ---- */

static bool is_url(const char *name, size_t bytes)
{
    return memmem(name, bytes, "://", 3) != NULL;
}

enum number { NO_NUMBER, WHOLE, FRACTION };

static enum number number_of(const char *name, size_t bytes)
{
    char number[64], *stop;
    uint64_t whole;
    const char *at = name;

    if (mr_decimal_parse(&at, name + bytes, &whole) == MR_DECIMAL_OK && at == name + bytes) {
        return WHOLE;
    }
    if (bytes >= sizeof number) {
        return NO_NUMBER;
    }
    memcpy(number, name, bytes);
    number[bytes] = '\0';
    if (strspn(number, "0123456789+-.eE") != bytes || strpbrk(number, "0123456789") == NULL) {
        return NO_NUMBER;
    }
    (void)strtod(number, &stop);
    return *stop == '\0' ? FRACTION : NO_NUMBER;
}

/* Has it punctuation that identifiers, hosts and URLs do not have? */
static bool is_odd(const char *name, size_t bytes)
{
    const char last = name[bytes - 1];
    bool has_letter = false;

    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = (unsigned char)name[i];
        has_letter |= c >= 128 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
    }
    if (!has_letter || strchr("{[\"<`", name[0]) != NULL) {
        return true;
    }
    if (is_url(name, bytes)) {
        return false;
    }
    return memchr(name, '"', bytes) != NULL || last == ':' || last == ';' || last == '{' ||
           (last == ',' && memchr(name, ',', bytes - 1) == NULL);
}

/* ---- Rows ---- */

struct row {
    uint64_t number; /* of its line */
    const char *line, *end;
    const char *names[2]; /* NULL: the row has no such field */
    size_t bytes[2];
    unsigned n_fields;
};

static struct row split(const char *line, const char *end, char separator)
{
    struct row row = {.line = line, .end = end};
    const char *at = line, *name;
    size_t bytes;
    bool raw;

    for (;;) {
        if (separator == '\0') {
            name = mr_lines_field(&at, end, &bytes);
        } else if (at == NULL || !mr_csv_field(&at, end, separator, &name, &bytes, &raw)) {
            name = NULL;
        }
        if (name == NULL) {
            return row;
        }
        if (row.n_fields < 2) {
            row.names[row.n_fields] = name;
            row.bytes[row.n_fields] = bytes;
        }
        row.n_fields++;
    }
}

/* Counts over all rows. */
struct look {
    unsigned n_rows, n_single, n_odd, n_urls; /* n_urls: rows of two URLs */
    struct row first, second, odd, uneven; /* `odd` and `uneven`: the first such row */
    bool has_uneven;
    unsigned n_of_fields[MOST_FIELDS + 1];
    struct column {
        unsigned n_numbers, n_whole, n_urls;
        bool first_is_number;
        bool counts; /* each whole number is its predecessor plus one */
        uint64_t last;
    } columns[2];
};

static void look_at_name(struct look *look, struct column *column, const char *name, size_t bytes)
{
    const enum number kind = number_of(name, bytes);
    uint64_t value = 0;

    column->n_urls += is_url(name, bytes);
    column->n_numbers += kind != NO_NUMBER;
    column->n_whole += kind == WHOLE;
    if (look->n_rows == 0) {
        column->first_is_number = kind != NO_NUMBER;
        column->counts = true;
    }
    if (kind == WHOLE) {
        (void)mr_decimal_parse(&name, name + bytes, &value);
        column->counts &= column->n_whole == 1 || value == column->last + 1;
    }
    column->last = value;
}

static void look_at_row(struct look *look, const struct row *row)
{
    if (look->n_rows == 0) {
        look->first = *row;
    } else if (look->n_rows == 1) {
        look->second = *row;
    }
    look->n_of_fields[row->n_fields < MOST_FIELDS ? row->n_fields : MOST_FIELDS]++;
    if (row->n_fields < 2) {
        look->n_single++;
    } else {
        const bool odd = row->bytes[0] == 0 || row->bytes[1] == 0 ||
                         is_odd(row->names[0], row->bytes[0]) ||
                         is_odd(row->names[1], row->bytes[1]);
        look->odd = odd && look->n_odd == 0 ? *row : look->odd;
        look->n_odd += odd;
        look->n_urls += row->bytes[0] > 0 && row->bytes[1] > 0 &&
                        is_url(row->names[0], row->bytes[0]) &&
                        is_url(row->names[1], row->bytes[1]);
        for (unsigned k = 0; k < 2; k++) {
            look_at_name(look, &look->columns[k], row->names[k], row->bytes[k]);
        }
    }
    if (look->n_rows > 0 && !look->has_uneven && row->n_fields != look->first.n_fields) {
        look->uneven = *row;
        look->has_uneven = true;
    }
    look->n_rows++;
}

static void look_at_rows(struct look *look, const char *data, size_t bytes, char separator)
{
    struct text text = text_of(data, bytes);
    const char *line, *end;

    while (look->n_rows < LOOK_ROWS && next_line(&text, &line, &end)) {
        const char *at = line;
        while (at < end && (*at == ' ' || *at == '\t')) {
            at++;
        }
        const bool comment = at < end && (*at == '#' || *at == '%') &&
                             (at + 1 == end || at[1] == ' ' || at[1] == '\t');
        if (at < end && !comment) {
            struct row row = split(line, end, separator);
            row.number = text.line;
            look_at_row(look, &row);
        }
    }
}

/* ---- Verdicts ---- */

static enum mr_status refuse(const char *name, const struct row *row, struct mr_error *err,
                             const char *verdict, char separator, const char *way_out)
{
    char quote[MR_LINES_QUOTE_BYTES];
    return mr_error_line(err, MR_ERROR_INPUT, name, row->number, "%s: %s; %s",
                         mr_lines_quote(row->line, (size_t)(row->end - row->line), quote), verdict,
                         separator != '\0' ? "a header such as source,target says that they are"
                                           : way_out);
}

/* Are there numbers in all rows, except perhaps in a header? */
static bool all_numbers(const struct look *look, const struct column *column)
{
    return column->n_numbers > 0 &&
           column->n_numbers + (column->first_is_number ? 0u : 1u) == look->n_rows;
}

static bool all_whole(const struct look *look, const struct column *column)
{
    return all_numbers(look, column) && column->n_whole == column->n_numbers;
}

/* Describes the column that shows scores or a list of numbered pages; NULL: none. */
static const char *scores_or_ids(const struct look *look)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct column *column = &look->columns[k], *other = &look->columns[1 - k];
        if (all_numbers(look, column) && !all_whole(look, column)) {
            return "names and numbers that are not whole, as scores are, and no links";
        }
        if (all_whole(look, column) && !all_numbers(look, other) &&
            (other->n_urls >= column->n_whole || (column->counts && column->n_whole > 1))) {
            return "numbers and names, as in a list of numbered pages, and no links";
        }
    }
    return NULL;
}

static bool is_uneven(const struct look *look)
{
    unsigned most = 0;
    for (unsigned n = 0; n <= MOST_FIELDS; n++) {
        most = look->n_of_fields[n] > most ? look->n_of_fields[n] : most;
    }
    return 2 * look->n_urls < look->n_rows && 10 * (look->n_rows - most) > look->n_rows;
}

enum mr_status mr_text_look(const char *name, const char *data, size_t bytes, char separator,
                            struct mr_error *err)
{
    struct look look = {0};

    look_at_rows(&look, data, bytes, separator);
    if (look.n_rows == 0) {
        return MR_OK;
    }
    if (look.n_single == look.n_rows) {
        return refuse(name, &look.first, err, "one word a line, and no links", '\0',
                      "links are lines of two names, a page and one that it links to");
    }
    const char *numbers = scores_or_ids(&look);
    if (numbers != NULL) {
        return refuse(name, look.n_rows > 1 ? &look.second : &look.first, err, numbers, separator,
                      "--format urls takes both for names of pages");
    }
    if (look.n_rows > 1 && look.n_urls == look.n_rows - 1 &&
        look.columns[0].n_urls == look.n_urls && look.columns[1].n_urls == look.n_urls &&
        !is_url(look.first.line, (size_t)(look.first.end - look.first.line))) {
        return refuse(name, &look.first, err,
                      "a header, it seems, that does not say which columns are source and target",
                      '\0', "call them so, or leave the line out");
    }
    if (4 * look.n_odd > look.n_rows) {
        return refuse(name, &look.odd, err, "neither URLs nor hosts nor ids", separator,
                      "--format urls takes the first two words of each line for a link");
    }
    if (is_uneven(&look)) {
        return refuse(name, &look.uneven, err, "not as many words as in the first line", separator,
                      "--format adjacency takes a page and all that it links to, --format urls the "
                      "first two words of each line");
    }
    return MR_OK;
}
