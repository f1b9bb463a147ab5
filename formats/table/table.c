/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of text, for all readers of graphs, lists and scores. The beginning of a file decides on
 * the separator and the header (mr_table_look); rows are then split one by one, without copies. The
 * rules compare separators by what each of them makes of all lines, because one line alone, such as
 * a URL with a comma in it, proves nothing. */
#include "formats/table/table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LOOK_ROWS = 1000, TITLE_LINES = 20 };

/* ---- Fields ---- */

static bool is_blank(char c, char separator)
{
    return c == ' ' || (c == '\t' && separator == ' ');
}

/* Takes the field at `*at`, which moves to the separator behind it. */
static bool take_field(const char **at, const char *end, char separator,
                       struct mr_table_field *field)
{
    const char *p = *at;

    *field = (struct mr_table_field){.is_quoted = p < end && *p == '"'};
    p += field->is_quoted;
    field->text = p;
    if (!field->is_quoted) {
        if (separator == ' ') {
            while (p < end && *p != ' ' && *p != '\t') {
                p++;
            }
        } else {
            p = memchr(p, separator, (size_t)(end - p));
            p = p != NULL ? p : end;
        }
        const char *stop = p;
        while (stop > field->text && stop[-1] == ' ') {
            stop--;
        }
        field->bytes = (size_t)(stop - field->text);
        *at = p;
        return true;
    }
    while ((p = p < end ? memchr(p, '"', (size_t)(end - p)) : NULL) != NULL && p + 1 < end &&
           p[1] == '"') {
        field->is_raw = true;
        p += 2;
    }
    if (p == NULL) {
        return false;
    }
    field->bytes = (size_t)(p - field->text);
    for (p++; p < end && *p != separator && is_blank(*p, separator); p++) {
    }
    *at = p;
    return p == end || *p == separator || is_blank(*p, separator);
}

bool mr_table_split(const char *line, const char *end, char separator, struct mr_table_row *row)
{
    const char *at = line;

    row->line = line;
    row->end = end;
    row->n_fields = 0;
    for (;;) {
        struct mr_table_field field;
        while (at < end && is_blank(*at, separator)) {
            at++;
        }
        if (separator == ' ' && at == end) {
            return true;
        }
        if (!take_field(&at, end, separator, &field)) {
            return false;
        }
        if (row->n_fields < MR_TABLE_FIELDS) {
            row->fields[row->n_fields] = field;
        }
        row->n_fields++;
        if (at == end) {
            return true;
        }
        at++;
    }
}

const char *mr_table_text(const struct mr_table_field *field, char *buffer, size_t *bytes)
{
    *bytes = field->bytes;
    if (!field->is_raw) {
        return field->text;
    }
    *bytes = 0;
    for (size_t i = 0; i < field->bytes; i++) {
        buffer[(*bytes)++] = field->text[i];
        i += field->text[i] == '"';
    }
    return buffer;
}

/* ---- Words and numbers ---- */

void mr_table_word(const char *text, size_t bytes, unsigned part, char word[MR_TABLE_WORD_BYTES])
{
    const char *const colon = memchr(text, ':', bytes);
    const char *at = text, *end = text + bytes;
    size_t n = 0, depth = 0;

    if (colon != NULL && colon > text && colon + 1 < end) {
        at = part == 0 ? text : colon + 1;
        end = part == 0 ? colon : end;
    }
    for (; at < end && n + 1 < MR_TABLE_WORD_BYTES; at++) {
        const unsigned char c = (unsigned char)*at, lower = c | 0x20;
        const bool is_letter = c >= 0x80 || (lower >= 'a' && lower <= 'z');
        depth += c == '(';
        if (depth == 0 && (is_letter || (c >= '0' && c <= '9'))) {
            word[n++] = (char)(c < 0x80 ? lower : c);
        }
        depth -= c == ')' && depth > 0;
    }
    word[n] = '\0';
}

const char *mr_table_place(const char *text, size_t bytes, const char *words)
{
    char word[MR_TABLE_WORD_BYTES + 2] = " ";
    const char *place = NULL;

    for (unsigned part = 0; part < 2 && place == NULL; part++) {
        mr_table_word(text, bytes, part, word + 1);
        if (word[1] != '\0') {
            strcat(word, " ");
            place = strstr(words, word);
        }
    }
    return place;
}

bool mr_table_is(const struct mr_table_field *field, const char *words)
{
    return mr_table_place(field->text, field->bytes, words) != NULL;
}

bool mr_table_is_url(const struct mr_table_field *field)
{
    return memmem(field->text, field->bytes, "://", 3) != NULL;
}

bool mr_table_is_number(const struct mr_table_field *field)
{
    bool has_digit = false;

    for (size_t i = 0; i < field->bytes; i++) {
        const char c = field->text[i];
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit &&
            (c == '\0' || strchr("+-.,eE", c) == NULL || (!has_digit && (c | 32) == 'e'))) {
            return false;
        }
        has_digit |= is_digit;
    }
    return has_digit;
}

bool mr_table_number(const struct mr_table_field *field, char separator, double *value)
{
    char number[64], *end = number;

    if (field->bytes == 0 || field->bytes >= sizeof number) {
        return false;
    }
    memcpy(number, field->text, field->bytes);
    number[field->bytes] = '\0';
    char *comma = separator != ',' ? strchr(number, ',') : NULL;
    if (comma != NULL) {
        *comma = '.';
    }
    *value = strtod(number, &end);
    return *end == '\0';
}

/* ---- Rows of the beginning ---- */

struct mr_table_rows mr_table_begin_rows(const char *data, size_t bytes)
{
    const bool is_marked = bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0;
    return (struct mr_table_rows){.at = data + (is_marked ? 3 : 0),
                                  .end = data + bytes,
                                  .is_cut = bytes == MR_INPUT_PEEK_BYTES};
}

bool mr_table_line(struct mr_table_rows *rows, char separator, const char **line, const char **end)
{
    const char *const all_end = rows->end, *stop = rows->at, *first = NULL;
    unsigned n_lines = 0;

    if (rows->at >= all_end) {
        return false;
    }
    do {
        stop = stop < all_end ? memchr(stop, '\n', (size_t)(all_end - stop)) : NULL;
        if (stop == NULL && rows->is_cut) {
            return false;
        }
        first = first == NULL ? stop : first;
        n_lines++;
    } while (stop != NULL && mr_lines_is_open(rows->at, (size_t)(stop - rows->at), separator) &&
             stop++ != NULL);
    if (stop == NULL && first != NULL) { /* a quote is missing */
        stop = first;
        n_lines = 1;
    }
    *line = rows->at;
    *end = stop != NULL ? stop : all_end;
    rows->at = stop != NULL ? stop + 1 : all_end;
    rows->line += n_lines;
    *end -= *end > *line && (*end)[-1] == '\r';
    return true;
}

/* Does Excel say the separator in this first line? */
static bool is_separator_line(const char *line, const char *end)
{
    return end - line == 5 && strncasecmp(line, "sep=", 4) == 0;
}

bool mr_table_next(struct mr_table_rows *rows, char separator, struct mr_table_row *row,
                   bool *is_good)
{
    const char *line, *end;

    while (mr_table_line(rows, separator, &line, &end)) {
        const char *at = line;
        while (at < end && (*at == ' ' || *at == '\t')) {
            at++;
        }
        const bool is_comment = at < end && (*at == '#' || *at == '%');
        if (at < end && !is_comment && !(rows->line == 1 && is_separator_line(line, end))) {
            *is_good = mr_table_split(line, end, separator, row);
            return true;
        }
    }
    return false;
}

/* ---- A header that the caller knows ---- */

/* Is it a title line above a header: of another number of fields, or with only the first field? */
static bool is_title(const struct mr_table_row *row, unsigned n_fields)
{
    unsigned n_filled = 0;
    for (unsigned i = 1; i < row->n_fields && i < MR_TABLE_FIELDS; i++) {
        n_filled += row->fields[i].bytes > 0;
    }
    return row->n_fields != n_fields || n_filled == 0;
}

static bool find_known(struct mr_table_rows text, char separator, const struct mr_table_wish *wish,
                       struct mr_table *table)
{
    struct mr_table_rows from = text;
    struct mr_table_row row;
    unsigned n_titles = 0;
    bool is_good;

    for (; n_titles < TITLE_LINES && mr_table_next(&text, separator, &row, &is_good); n_titles++) {
        const unsigned n_fields = row.n_fields;
        if (!is_good || n_fields < 2 || !wish->is_header(wish->data, &row)) {
            if (separator == ' ') {
                return false; /* any words may stand in the lines below */
            }
            continue;
        }
        table->header = row.line;
        for (unsigned i = 0; i < n_titles && mr_table_next(&from, separator, &row, &is_good); i++) {
            if (!is_title(&row, n_fields)) {
                return false;
            }
        }
        table->separator = separator;
        table->has_header = table->is_known = true;
        table->n_fields = n_fields;
        table->row = text.at;
        return true;
    }
    return false;
}

/* ---- What a separator makes of all lines ---- */

/* What all fields of a column have in common, as bits. */
enum kind { NUMBERS = 1, URLS = 2, MARKED = 4 };

struct shape {
    unsigned n_rows, n_first, n_fields, n_least; /* fields of the first row, of the others */
    bool is_even; /* all rows but the first have n_fields */
    bool is_quoted; /* the first field of each row but the first is in quotes */
    bool recurs; /* a field of the first row stands in another row, too */
    struct mr_table_row first;
    const char *second; /* begin of the second row */
    unsigned kinds[MR_TABLE_FIELDS]; /* without the first row */
    unsigned first_kinds[MR_TABLE_FIELDS];
};

static unsigned kinds_of(const struct mr_table_field *field)
{
    unsigned kinds = mr_table_is_number(field) ? NUMBERS : 0;

    kinds |= mr_table_is_url(field) ? URLS : 0;
    for (size_t i = 0; i < field->bytes; i++) {
        const char c = field->text[i];
        kinds |= (c >= '0' && c <= '9') || (c != '\0' && strchr("./:@", c)) ? MARKED : 0;
    }
    return kinds;
}

static void add_row(struct shape *shape, const struct mr_table_row *row)
{
    if (shape->n_rows == 1) {
        shape->n_fields = row->n_fields;
        shape->second = row->line;
        shape->is_quoted = true;
        memset(shape->kinds, 0xff, sizeof shape->kinds);
    }
    shape->is_even &= row->n_fields == shape->n_fields;
    shape->n_least = row->n_fields < shape->n_least ? row->n_fields : shape->n_least;
    shape->is_quoted &= row->fields[0].is_quoted;
    for (unsigned i = 0; i < row->n_fields && i < MR_TABLE_FIELDS; i++) {
        const struct mr_table_field *field = &row->fields[i];
        shape->kinds[i] &= kinds_of(field);
        for (unsigned k = 0; k < 2 && k < shape->n_first; k++) {
            const struct mr_table_field *word = &shape->first.fields[k];
            shape->recurs |= word->bytes > 0 && word->bytes == field->bytes &&
                             memcmp(word->text, field->text, word->bytes) == 0;
        }
    }
}

/* Returns false where quotes do not match. */
static bool shape_of(struct mr_table_rows text, char separator, struct shape *shape)
{
    struct mr_table_row row;
    bool is_good = true;

    *shape = (struct shape){.is_even = true, .n_least = UINT32_MAX};
    while (shape->n_rows < LOOK_ROWS && mr_table_next(&text, separator, &row, &is_good)) {
        if (!is_good || row.n_fields == 0) {
            return false;
        }
        if (shape->n_rows == 0) {
            shape->first = row;
            shape->n_first = row.n_fields;
            for (unsigned i = 0; i < row.n_fields && i < MR_TABLE_FIELDS; i++) {
                shape->first_kinds[i] = kinds_of(&row.fields[i]);
            }
        } else {
            add_row(shape, &row);
        }
        shape->n_rows++;
    }
    if (shape->n_rows == 1) {
        shape->n_fields = shape->n_least = shape->n_first;
    }
    return shape->n_rows > 0;
}

/* Does the first row name the columns? */
static bool has_header(const struct shape *shape, unsigned shift)
{
    unsigned n_typed = 0, n_marked = 0, n_words = 0;

    for (unsigned i = 0; i < shape->n_first && i < MR_TABLE_FIELDS; i++) {
        if ((shape->first_kinds[i] & (NUMBERS | URLS)) != 0) {
            return false;
        }
        const unsigned below = i + shift < MR_TABLE_FIELDS ? shape->kinds[i + shift] : 0;
        n_words += shape->first.fields[i].bytes > 0;
        n_typed += (below & (NUMBERS | URLS)) != 0;
        n_marked += (below & MARKED) != 0 && (shape->first_kinds[i] & MARKED) == 0;
    }
    if (shape->n_rows < 2 || n_words == 0 || shape->recurs) {
        return false;
    }
    return n_marked >= 2 || (shape->n_first == 2 ? n_typed == 2 : n_typed > 0);
}

/* The first row has a field less than the others if R wrote the table: rows have quoted names. */
static unsigned shift_of(const struct shape *shape, char separator)
{
    return shape->n_rows > 1 && shape->n_first + 1 == shape->n_fields && shape->is_even &&
           shape->is_quoted && (separator == ' ' || separator == '\t');
}

/* Is it a table with this separator, without a header that the caller knows? */
static bool find_even(struct mr_table_rows text, char separator, unsigned n_least,
                      struct mr_table *table)
{
    struct shape shape;

    if (!shape_of(text, separator, &shape)) {
        return false;
    }
    const unsigned shift = shift_of(&shape, separator);
    const bool is_header = has_header(&shape, shift);
    const bool is_even = shape.n_fields >= 2 && shape.is_even &&
                         shape.n_first + (is_header ? shift : 0) == shape.n_fields;
    if (!is_even && (n_least < 2 || shape.n_least < n_least || shape.n_first < n_least)) {
        return false;
    }
    table->separator = separator;
    table->has_header = is_header;
    table->is_even = is_even;
    table->n_fields = shape.n_fields;
    table->shift = is_header ? shift : 0;
    table->header = shape.first.line;
    table->row = is_header ? shape.second : text.at;
    return true;
}

/* The rows below a header that the caller knows. */
static void look_at_rows(struct mr_table_rows text, struct mr_table *table)
{
    struct shape shape;

    text.at = table->header;
    if (shape_of(text, table->separator, &shape) && shape.n_rows > 1 && shape.is_even) {
        table->is_even = true;
        table->shift = shift_of(&shape, table->separator);
        table->n_fields = shape.n_fields > table->n_fields ? shape.n_fields : table->n_fields;
    }
}

void mr_table_look(const char *data, size_t bytes, const struct mr_table_wish *wish,
                   struct mr_table *table)
{
    const struct mr_table_rows all = mr_table_begin_rows(data, bytes);
    struct mr_table_rows text = all;
    const char *line, *end, *at, *separators = wish->separators;
    char excel[2] = "";

    *table = (struct mr_table){.row = text.at};
    separators = separators != NULL ? separators : "\t,;| ";
    if (mr_table_line(&text, '\0', &line, &end) && is_separator_line(line, end)) {
        excel[0] = line[4];
        separators = excel;
    } else {
        text = all;
    }
    for (at = separators; *at != '\0' && wish->is_header != NULL && !table->is_known; at++) {
        if (find_known(text, *at, wish, table)) {
            look_at_rows(text, table);
        }
    }
    for (at = separators; *at != '\0' && table->separator == '\0'; at++) {
        (void)find_even(text, *at, wish->n_least, table);
    }
    text = all;
    while (table->separator != '\0' && text.at < table->row &&
           mr_table_line(&text, table->separator, &line, &end)) {
        table->n_before++;
    }
}

enum mr_status mr_table_begin(const struct mr_table *table, struct mr_lines *lines,
                              struct mr_error *err)
{
    enum mr_status status = MR_OK;
    const char *line;
    size_t bytes;

    mr_lines_join_quoted(lines, table->separator);
    for (unsigned i = 0; i < table->n_before && status == MR_OK; i++) {
        status = mr_lines_next(lines, &line, &bytes, err);
    }
    return status;
}
