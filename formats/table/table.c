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

enum { TITLE_LINES = 20 };

/* ---- Fields ---- */

/* Is it a blank that may stand around quotes? Between tabs it belongs to the name. */
static bool is_blank(char c, char separator)
{
    return mr_table_separator(separator) != '\t' && (c == ' ' || (c == '\t' && separator == ' '));
}

/* Takes the field without quotes at `*at`, which moves to the separator behind it. */
static void take_plain(const char **at, const char *end, char separator,
                       struct mr_table_field *field)
{
    const char *p = *at;

    *field = (struct mr_table_field){.text = p};
    if (separator == ' ') {
        while (p < end && *p != ' ' && *p != '\t') {
            p++;
        }
    } else {
        p = memchr(p, mr_table_separator(separator), (size_t)(end - p));
        p = p != NULL ? p : end;
    }
    const char *stop = p;
    while (stop > field->text && stop[-1] == ' ') {
        stop--;
    }
    while (field->text < stop && *field->text == ' ') {
        field->text++;
    }
    field->bytes = (size_t)(stop - field->text);
    *at = p;
}

void mr_table_keep_blanks(struct mr_table_field *field, const char *line, const char *end)
{
    while (!field->is_quoted && field->bytes > 0 && field->text > line && field->text[-1] == ' ') {
        field->text--;
        field->bytes++;
    }
    while (!field->is_quoted && field->bytes > 0 && field->text + field->bytes < end &&
           field->text[field->bytes] == ' ') {
        field->bytes++;
    }
}

/* Takes the field at `*at`, which moves to the separator behind it. */
static bool take_field(const char **at, const char *end, char separator,
                       struct mr_table_field *field)
{
    const char *p = *at;

    if (p == end || *p != '"' || separator == MR_TABLE_TAB_PLAIN) {
        take_plain(at, end, separator, field);
        return true;
    }
    *field = (struct mr_table_field){.text = ++p, .is_quoted = true};
    while ((p = p < end ? memchr(p, '"', (size_t)(end - p)) : NULL) != NULL && p + 1 < end &&
           p[1] == '"') {
        field->is_raw = true;
        p += 2;
    }
    bool encloses = p != NULL;
    if (encloses) {
        field->bytes = (size_t)(p - field->text);
        for (p++; p < end && *p != separator && is_blank(*p, separator); p++) {
        }
        encloses = p == end || *p == separator || is_blank(*p, separator);
    }
    if (!encloses && separator == '\t') { /* the quote belongs to the name */
        take_plain(at, end, separator, field);
        return true;
    }
    *at = p;
    return encloses;
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
    const bool is_inside = bytes > 1 && text[0] == '(' && text[bytes - 1] == ')';
    const char *at = text + is_inside, *end = text + bytes - is_inside;
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

int mr_table_find(const struct mr_table_row *header, const char *words)
{
    const char *best = NULL;
    int column = -1;

    for (unsigned i = 0; i < header->n_fields && i < MR_TABLE_FIELDS; i++) {
        const struct mr_table_field *field = &header->fields[i];
        const char *place = mr_table_place(field->text, field->bytes, words);
        if (place != NULL && (best == NULL || place < best)) {
            best = place;
            column = (int)i;
        }
    }
    return column;
}

bool mr_table_is_sign(const struct mr_table_field *field)
{
    static const char arrow[] = "\xe2\x86"; /* of U+2190 and the characters behind it, in UTF-8 */

    for (size_t i = 0; i < field->bytes; i++) {
        const unsigned char c = (unsigned char)field->text[i];
        if (c >= 128 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z')) {
            return field->bytes == 3 && memcmp(field->text, arrow, 2) == 0;
        }
    }
    return field->bytes > 0;
}

#define TAKES "; --columns 1,2 takes it for a link"

const char *mr_table_why_none(const struct mr_table_field *one, const struct mr_table_field *other,
                              const char *words)
{
    const char *firsts = words != NULL ? words : "sftd";

    if (one->bytes == 0 || other->bytes == 0 || one->bytes >= MR_TABLE_WORD_BYTES ||
        other->bytes >= MR_TABLE_WORD_BYTES || one->is_quoted != other->is_quoted) {
        return NULL;
    }
    if (mr_table_is_sign(one) && mr_table_is_sign(other)) {
        return "no letters and no digits, and no link, it seems" TAKES;
    }
    if ((mr_table_is_number(other) && mr_table_is(one, " total totals sum count ")) ||
        (mr_table_is_number(one) && mr_table_is(other, " total rows row links edges lines "))) {
        return "a count of the lines, and no link, it seems" TAKES;
    }
    if (one->bytes == other->bytes && memcmp(one->text, other->text, one->bytes) == 0 &&
        mr_table_is(one, " string str text varchar object int integer bigint int64 long double ")) {
        return "types of columns, and no link, it seems" TAKES;
    }
    const char *letter = one->text; /* behind the sign of a comment, as in "#source" */
    for (; letter + 1 < one->text + one->bytes && strchr("#%/", *letter) != NULL; letter++) {
    }
    if (strchr(firsts, *letter | 0x20) == NULL) {
        return NULL;
    }
    words = words != NULL ? words : " source target src dst from to ";
    const char *first = mr_table_place(one->text, one->bytes, words),
               *second = first == NULL ? NULL : mr_table_place(other->text, other->bytes, words);
    return second != NULL && second != first ? "the words of a header, and no link, it seems" TAKES
                                             : NULL;
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

bool mr_table_may_be_thousands(const struct mr_table_field *field)
{
    const char *comma = memchr(field->text, ',', field->bytes), *end = field->text + field->bytes;
    return comma != NULL && end - comma == 4 && comma > field->text && comma - field->text < 4 &&
           *field->text >= '1' && *field->text <= '9';
}

bool mr_table_has_decimals(struct mr_table_rows rows, char separator)
{
    struct mr_table_row row;
    bool is_good, has = false;

    while (!has && mr_table_next(&rows, separator, &row, &is_good)) {
        for (unsigned i = 1; i < row.n_fields && i < MR_TABLE_FIELDS; i++) {
            const struct mr_table_field *field = &row.fields[i];
            has |= mr_table_is_number(field) && !mr_table_may_be_thousands(field) &&
                   memchr(field->text, ',', field->bytes) != NULL;
        }
    }
    return has;
}

bool mr_table_is_null(const struct mr_table_field *field)
{
    static const char words[] = " \\N nan NaN None NULL null NA N/A n/a #N/A <NA> ";

    if (field->bytes == 0 || field->bytes > 4 || field->is_quoted || field->text[0] == '\0' ||
        strchr("\\nN#<", field->text[0]) == NULL) {
        return field->bytes == 0;
    }
    char word[8] = " ";
    memcpy(word + 1, field->text, field->bytes);
    memcpy(word + 1 + field->bytes, " ", 2);
    return memchr(field->text, ' ', field->bytes) == NULL && strstr(words, word) != NULL;
}

/* ---- Rows of the beginning ---- */

struct mr_table_rows mr_table_begin_rows(const char *data, size_t bytes)
{
    return (struct mr_table_rows){
        .at = data, .end = data + bytes, .is_cut = bytes == MR_INPUT_PEEK_BYTES};
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
    } while (stop != NULL && !rows->by_line && separator != MR_TABLE_TAB_PLAIN &&
             mr_lines_is_open(rows->at, (size_t)(stop - rows->at), separator) && stop++ != NULL);
    if (stop == NULL && first != NULL) { /* a quote is missing */
        stop = first;
        n_lines = 1;
    }
    *line = rows->at;
    *end = stop != NULL ? stop : all_end;
    rows->at = stop != NULL ? stop + 1 : all_end;
    rows->line += n_lines;
    mr_lines_trim(line, end);
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
        const bool is_header = rows->header != NULL && (size_t)(end - line) == rows->header_bytes &&
                               memcmp(line, rows->header, rows->header_bytes) == 0;
        if (at < end && !is_comment && !is_header &&
            !(rows->line == 1 && is_separator_line(line, end))) {
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

enum kind { NUMBERS = 1, URLS = 2, HOSTS = 4, MARKED = 8, KINDS = 4 };

struct shape {
    unsigned n_rows, n_first, n_fields, n_least; /* fields of the first row, of the others */
    unsigned n_even; /* rows but the first with n_fields */
    unsigned n_of[MR_TABLE_FIELDS + 1]; /* rows but the first with so many fields */
    bool has_bad_quotes, has_quotes, has_stray_quotes;
    bool is_quoted; /* the first field of each row but the first is in quotes */
    bool recurs; /* a field of the first row stands in another row, too */
    struct mr_table_row first;
    const char *second; /* begin of the second row */
    unsigned n_kinds[MR_TABLE_FIELDS][KINDS]; /* fields of each kind, without the first row */
    unsigned first_kinds[MR_TABLE_FIELDS];
};

/* Is it a word with a dot inside, as a.example is? */
static bool is_host(const struct mr_table_field *field)
{
    const char *dot = memchr(field->text, '.', field->bytes);
    return dot != NULL && dot > field->text && dot + 1 < field->text + field->bytes &&
           memchr(field->text, ' ', field->bytes) == NULL && !mr_table_is_number(field);
}

static unsigned kinds_of(const struct mr_table_field *field)
{
    unsigned kinds = mr_table_is_number(field) ? NUMBERS : 0;

    kinds |= mr_table_is_url(field) ? URLS : 0;
    for (size_t i = 0; i < field->bytes; i++) {
        const char c = field->text[i];
        kinds |= (c >= '0' && c <= '9') || (c != '\0' && strchr("./:@", c)) ? MARKED : 0;
    }
    return kinds | (is_host(field) ? HOSTS : 0);
}

static void add_row(struct shape *shape, const struct mr_table_row *row)
{
    if (shape->n_rows == 1) {
        shape->second = row->line;
        shape->is_quoted = true;
    }
    shape->n_of[row->n_fields < MR_TABLE_FIELDS ? row->n_fields : MR_TABLE_FIELDS]++;
    shape->n_least = row->n_fields < shape->n_least ? row->n_fields : shape->n_least;
    shape->is_quoted &= row->n_fields > 0 && row->fields[0].is_quoted;
    for (unsigned i = 0; i < row->n_fields && i < MR_TABLE_FIELDS; i++) {
        const struct mr_table_field *field = &row->fields[i];
        const unsigned kinds = kinds_of(field);
        for (unsigned k = 0; k < KINDS; k++) {
            shape->n_kinds[i][k] += (kinds >> k & 1) != 0 || mr_table_is_null(field);
        }
        for (unsigned k = 0; k < 2 && k < shape->n_first; k++) {
            const struct mr_table_field *word = &shape->first.fields[k];
            shape->recurs |= word->bytes > 0 && word->bytes == field->bytes &&
                             memcmp(word->text, field->text, word->bytes) == 0;
        }
    }
}

static void look_at_quotes(struct shape *shape, const struct mr_table_row *row)
{
    for (unsigned i = 0; i < row->n_fields && i < MR_TABLE_FIELDS; i++) {
        const struct mr_table_field *field = &row->fields[i];
        shape->has_quotes |= field->is_quoted;
        shape->has_stray_quotes |=
            !field->is_quoted && memchr(field->text, '"', field->bytes) != NULL;
    }
}

/* Returns false if there is no row. */
static bool shape_of(struct mr_table_rows text, char separator, struct shape *shape)
{
    struct mr_table_row row;
    bool is_good = true;

    *shape = (struct shape){.n_least = UINT32_MAX};
    while (shape->n_rows < MR_TABLE_LOOK_ROWS && mr_table_next(&text, separator, &row, &is_good)) {
        if (shape->n_rows == 0) { /* a header may come again */
            text.header = row.line;
            text.header_bytes = (size_t)(row.end - row.line);
        }
        shape->has_bad_quotes |= !is_good || row.n_fields == 0;
        look_at_quotes(shape, &row);
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
    for (unsigned i = 0; i <= MR_TABLE_FIELDS; i++) {
        if (shape->n_of[i] > shape->n_even) {
            shape->n_even = shape->n_of[i];
            shape->n_fields = i;
        }
    }
    if (shape->n_rows == 1) {
        shape->n_fields = shape->n_least = shape->n_first;
    }
    return shape->n_rows > 0;
}

/* Are nearly all fields of a column of this kind? */
static bool are(const struct shape *shape, unsigned column, enum kind kind)
{
    const unsigned k = kind == NUMBERS ? 0 : kind == URLS ? 1 : kind == HOSTS ? 2 : 3;
    return column < MR_TABLE_FIELDS && shape->n_rows > 1 &&
           10 * shape->n_kinds[column][k] >= 9 * (shape->n_rows - 1);
}

bool mr_table_are_numbers(const struct mr_table_field *field)
{
    const char *at = field->text, *const end = at + field->bytes;
    bool are = field->bytes > 0;

    while (are && at < end) {
        const char *blank = memchr(at, ' ', (size_t)(end - at));
        const struct mr_table_field word = {.text = at,
                                            .bytes = (size_t)((blank != NULL ? blank : end) - at)};
        are = word.bytes == 0 || mr_table_is_number(&word);
        at = blank != NULL ? blank + 1 : end;
    }
    return are;
}

/* Does the first row name the columns? `*may_be`: it may, above names with digits, dots or slashes.
 */
static bool has_header(const struct shape *shape, unsigned shift, bool *may_be)
{
    const struct mr_table_field *first = shape->first.fields;
    unsigned n_typed = 0, n_hosts = 0, n_marked = 0, n_words = 0;

    *may_be = false;
    for (unsigned i = 0; i < shape->n_first && i < MR_TABLE_FIELDS; i++) {
        if ((shape->first_kinds[i] & (NUMBERS | URLS)) != 0 || mr_table_are_numbers(&first[i])) {
            return false;
        }
        const bool is_word = (shape->first_kinds[i] & MARKED) == 0;
        n_words += first[i].bytes > 0;
        n_typed += are(shape, i + shift, NUMBERS) || are(shape, i + shift, URLS);
        n_hosts += is_word && are(shape, i + shift, HOSTS);
        n_marked += is_word && are(shape, i + shift, MARKED);
    }
    if (shape->n_rows < 2 || n_words == 0 || shape->recurs ||
        (shape->n_first == 2 && first[0].bytes == first[1].bytes &&
         memcmp(first[0].text, first[1].text, first[0].bytes) == 0)) {
        return false;
    }
    *may_be = n_marked >= 2;
    return n_hosts >= 2 || (shape->n_first == 2 ? n_typed == 2 : n_typed > 0);
}

/* The first row has a field less than the others if R wrote the table: rows have quoted names. */
static unsigned shift_of(const struct shape *shape, char separator)
{
    return shape->n_rows > 1 && shape->n_first + 1 == shape->n_fields &&
           shape->n_even == shape->n_rows - 1 && shape->is_quoted &&
           (separator == ' ' || mr_table_separator(separator) == '\t');
}

/* Have all rows the same number of fields, of two or more? */
static bool is_even(const struct shape *shape, char separator)
{
    const unsigned shift = shift_of(shape, separator);
    bool may_be;
    return !shape->has_bad_quotes && shape->n_fields >= 2 && shape->n_rows > 0 &&
           shape->n_even + 1 >= shape->n_rows &&
           (shape->n_first == shape->n_fields || (shift > 0 && has_header(shape, shift, &may_be)));
}

/* Has more than half of the rows the same number of fields, of two or more? */
static bool is_nearly_even(const struct shape *shape)
{
    return shape->n_fields >= 2 &&
           2 * (shape->n_even + (shape->n_first == shape->n_fields)) > shape->n_rows;
}

/* ---- The separator ---- */

/* How quotes are read in a table with tabs. */
static char tab_of(struct mr_table_rows text, bool *joins)
{
    struct shape shape;

    *joins = false;
    text.by_line = true;
    if (!shape_of(text, '\t', &shape) || (!shape.has_stray_quotes && is_even(&shape, '\t'))) {
        return '\t';
    }
    text.by_line = false;
    if (shape_of(text, '\t', &shape) && !shape.has_stray_quotes && is_even(&shape, '\t')) {
        *joins = true;
        return '\t';
    }
    text.by_line = true;
    return shape_of(text, '\t', &shape) && shape.has_stray_quotes ? MR_TABLE_TAB_PLAIN : '\t';
}

/* What all lines have in common. */
struct lines_look {
    unsigned n_lines, n_tabs; /* lines with a tab */
    unsigned n_urls; /* lines of two URLs with blanks between, and perhaps a number behind */
};

/* Is it a URL, or the key of one, com,example)/path? */
static bool is_place(const struct mr_table_field *field)
{
    return mr_table_is_url(field) || memmem(field->text, field->bytes, ")/", 2) != NULL;
}

static struct lines_look look_at_lines(struct mr_table_rows text)
{
    struct lines_look look = {0};
    struct mr_table_row row;
    bool is_good;

    text.by_line = true;
    while (look.n_lines < MR_TABLE_LOOK_ROWS && mr_table_next(&text, ' ', &row, &is_good)) {
        look.n_lines++;
        look.n_tabs += memchr(row.line, '\t', (size_t)(row.end - row.line)) != NULL;
        look.n_urls +=
            is_good &&
            (row.n_fields == 2 || (row.n_fields == 3 && mr_table_is_number(&row.fields[2]))) &&
            is_place(&row.fields[0]) && is_place(&row.fields[1]);
    }
    return look;
}

/* Does a comma stand in numbers only, one in each, and not in the first field, which is a page?
 * Then it is their decimal point. */
static bool is_decimal_comma(struct mr_table_rows text, char separator)
{
    struct mr_table_row row;
    double value;
    bool is_good;

    for (unsigned n = 0; n < MR_TABLE_LOOK_ROWS && mr_table_next(&text, separator, &row, &is_good);
         n++) {
        for (unsigned i = 0; i < row.n_fields && i < MR_TABLE_FIELDS; i++) {
            const struct mr_table_field *field = &row.fields[i];
            if (!field->is_quoted && memchr(field->text, ',', field->bytes) != NULL &&
                (i == 0 || !mr_table_is_number(field) ||
                 !mr_table_number(field, separator, &value))) {
                return false;
            }
        }
    }
    return true;
}

/* The separator of lines without a header that the caller knows; '\0': they have none. */
static char choose(struct mr_table_rows text, unsigned n_least, struct mr_table *table)
{
    const struct lines_look lines = look_at_lines(text);
    char even = '\0', near = '\0';
    struct shape shape;

    table->joins = true;
    if (lines.n_lines == 0) {
        return '\0';
    }
    const bool lacks_tabs = n_least > 0 && shape_of(text, '\t', &shape) && shape.n_first < n_least;
    if (2 * lines.n_tabs > lines.n_lines && !lacks_tabs) {
        return tab_of(text, &table->joins);
    }
    if (lines.n_urls == lines.n_lines) {
        return ' ';
    }
    for (const char *at = ",;|"; *at != '\0'; at++) {
        const bool fits = shape_of(text, *at, &shape) &&
                          (n_least > 0 ? shape.n_first >= n_least && shape.n_least >= n_least &&
                                             !shape.has_bad_quotes
                                       : is_even(&shape, *at));
        if (fits && even == ',' && is_decimal_comma(text, *at)) {
            even = '\0';
        }
        table->other = fits && even != '\0' ? *at : table->other;
        even = fits && even == '\0' ? *at : even;
        near = near == '\0' && is_nearly_even(&shape) ? *at : near;
    }
    if (even != '\0' || near != '\0') {
        return even != '\0' ? even : near;
    }
    table->joins = false;
    const bool has_rows = shape_of(text, ' ', &shape);
    const bool fits =
        n_least > 0 ? shape.n_first >= n_least && shape.n_least >= n_least : is_even(&shape, ' ');
    return has_rows && fits ? ' ' : '\0';
}

/* Takes the header and the first row of a table whose header the caller does not know. */
static void find_rows(struct mr_table_rows text, struct mr_table *table)
{
    struct shape shape;

    text.by_line = !table->joins;
    if (!shape_of(text, table->separator, &shape)) {
        return;
    }
    const unsigned shift = shift_of(&shape, table->separator);
    table->has_header = has_header(&shape, shift, &table->may_be_header);
    table->may_be_header &= !table->has_header;
    table->is_even = is_even(&shape, table->separator);
    table->has_quotes = shape.has_quotes;
    table->n_fields = shape.n_fields;
    table->shift = table->has_header ? shift : 0;
    table->header = shape.first.line;
    table->row = table->has_header ? shape.second : text.at;
}

/* The rows below a header that the caller knows. */
static void look_at_rows(struct mr_table_rows text, struct mr_table *table)
{
    struct shape shape;

    text.at = table->header;
    text.by_line = !table->joins;
    if (shape_of(text, table->separator, &shape) && shape.n_rows > 1) {
        table->is_even = shape.n_even + 1 == shape.n_rows;
        table->shift = shift_of(&shape, table->separator);
        table->n_fields += table->shift;
    }
}

void mr_table_look(const char *data, size_t bytes, const struct mr_table_wish *wish,
                   struct mr_table *table)
{
    const struct mr_table_rows all = mr_table_begin_rows(data, bytes);
    struct mr_table_rows text = all;
    const char *line, *end;
    char said[2] = {wish->separator, '\0'};

    *table = (struct mr_table){.row = text.at};
    if (mr_table_line(&text, '\0', &line, &end) && is_separator_line(line, end)) {
        said[0] = said[0] != '\0' ? said[0] : line[4];
    } else {
        text = all;
    }
    for (const char *at = said[0] != '\0' ? said : "\t,;| ";
         *at != '\0' && wish->is_header != NULL && !table->is_known; at++) {
        struct mr_table_rows rows = text;
        table->joins = *at != ' ';
        const char separator = *at == '\t' ? tab_of(text, &table->joins) : *at;
        rows.by_line = !table->joins;
        if (find_known(rows, separator, wish, table)) {
            look_at_rows(text, table);
        }
    }
    if (!table->is_known) {
        table->joins = said[0] != ' ';
        table->separator = said[0] == '\t'   ? tab_of(text, &table->joins)
                           : said[0] != '\0' ? said[0]
                                             : choose(text, wish->n_least, table);
        if (table->separator != '\0') {
            find_rows(text, table);
        }
    }
    text = all;
    text.by_line = !table->joins;
    while (table->separator != '\0' && text.at < table->row &&
           mr_table_line(&text, table->separator, &line, &end)) {
        table->n_before++;
    }
}

struct mr_table_rows mr_table_rows_of(const struct mr_table *table, const char *data, size_t bytes)
{
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    const char *line, *end;

    rows.by_line = !table->joins;
    if (!table->has_header) {
        return rows;
    }
    rows.at = table->header;
    if (mr_table_line(&rows, table->separator, &line, &end)) {
        rows.header = line;
        rows.header_bytes = (size_t)(end - line);
    }
    rows.at = table->row;
    rows.line = table->n_before;
    return rows;
}

enum mr_status mr_table_begin(const struct mr_table *table, struct mr_lines *lines,
                              struct mr_error *err)
{
    enum mr_status status = MR_OK;
    const char *line;
    size_t bytes;

    if (table->joins) {
        mr_lines_join_quoted(lines, table->separator);
    }
    for (unsigned i = 0; i < table->n_before && status == MR_OK; i++) {
        status = mr_lines_next(lines, &line, &bytes, err);
    }
    return status;
}
