/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the beginning of a score file: what separates its columns, which one is the name and
 * which one the score. score_reader.c takes all rows the same way. Lines with tabs are split at the
 * tabs alone, since every other byte belongs to a name; formats/table/table.h splits other tables.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/decimal.h"
#include "formats/score/score_reader_internal.h"
#include "formats/stream/double_text.h"
#include "formats/stream/query.h"
#include "formats/table/column_words.h"

enum {
    LIST_BYTES = 256,
    COLUMNS = 16 /* whose fields are looked at in all rows of the look */
};

const char *mr_score_name(const struct mr_score_reader *reader)
{
    return mr_input_name(reader->input);
}

enum mr_status mr_score_bad_line(const struct mr_score_reader *reader, const char *reason,
                                 struct mr_error *err)
{
    return mr_error_line(err, MR_ERROR_INPUT, mr_score_name(reader), mr_lines_number(reader->lines),
                         "%s", reason);
}

/* ---- Fields ---- */

static bool has_brackets(const char *line, const char *end)
{
    return end - line > 2 && line[0] == '(' && end[-1] == ')';
}

/* Splits (NAME,SCORE) or (ID,NAME,SCORE), where the name may have commas. */
static void split_brackets(const char *line, const char *end, struct mr_table_row *row)
{
    const char *comma = memrchr(line, ',', (size_t)(end - line)), *name = line + 1, *at = name;
    const unsigned n_fields = comma != NULL ? 2 : 1;
    uint64_t id;

    comma = comma != NULL ? comma : end - 1;
    if (mr_decimal_parse(&at, comma, &id) == MR_DECIMAL_OK && at < comma && *at == ',') {
        name = at + 1;
    }
    *row = (struct mr_table_row){.line = line, .end = end, .n_fields = n_fields};
    row->fields[0] = (struct mr_table_field){.text = name, .bytes = (size_t)(comma - name)};
    row->fields[1] = (struct mr_table_field){.text = comma + (n_fields - 1),
                                             .bytes = (size_t)(end - comma - n_fields)};
}

bool mr_score_split(const struct mr_score_reader *reader, char separator, const char *line,
                    const char *end, struct mr_table_row *row)
{
    if (reader->has_brackets && has_brackets(line, end)) {
        split_brackets(line, end, row);
        return true;
    }
    if (separator != '\0') {
        return mr_table_split(line, end, separator, row);
    }
    *row = (struct mr_table_row){.line = line, .end = end};
    for (const char *at = line, *stop; at != NULL; at = stop != NULL ? stop + 1 : NULL) {
        stop = memchr(at, '\t', (size_t)(end - at));
        if (row->n_fields < MR_TABLE_FIELDS) {
            row->fields[row->n_fields] = (struct mr_table_field){
                .text = at, .bytes = (size_t)((stop != NULL ? stop : end) - at)};
        }
        row->n_fields++;
    }
    return true;
}

bool mr_score_find_field(const char *line, const char *end, unsigned index,
                         struct mr_table_field *field)
{
    for (; index > 0; index--) {
        line = memchr(line, '\t', (size_t)(end - line));
        if (line == NULL) {
            return false;
        }
        line++;
    }
    const char *stop = memchr(line, '\t', (size_t)(end - line));
    *field = (struct mr_table_field){.text = line,
                                     .bytes = (size_t)((stop != NULL ? stop : end) - line)};
    return true;
}

/* Field `index` of a row; of lines with tabs also those that a row has no room for. */
static bool field_at(const struct mr_table_row *row, unsigned index, struct mr_table_field *field)
{
    if (index >= MR_TABLE_FIELDS) {
        return mr_score_find_field(row->line, row->end, index, field);
    }
    *field = row->fields[index];
    return true;
}

/* The length of a word like "nutch.score=" before a value; 0 when there is none. */
static size_t key_bytes(const struct mr_table_field *field)
{
    const char *text = field->text;
    size_t n = 0;
    while (n < field->bytes && ((text[n] >= 'a' && text[n] <= 'z') || text[n] == '.')) {
        n++;
    }
    return n > 0 && n < field->bytes && text[n] == '=' ? n + 1 : 0;
}

/* The field without a sign for percent at its end. */
static struct mr_table_field without_percent(const struct mr_table_field *field)
{
    struct mr_table_field number = *field;

    if (number.bytes > 1 && number.text[number.bytes - 1] == '%') {
        number.bytes -= number.text[number.bytes - 2] == ' ' ? 2 : 1;
    }
    return number;
}

static bool is_number(const struct mr_table_field *field)
{
    const struct mr_table_field number = without_percent(field);
    return mr_table_is_number(&number);
}

bool mr_score_is_value(const struct mr_score_reader *reader, const struct mr_table_field *field,
                       double *value)
{
    const size_t key = key_bytes(field);
    if (mr_double_read(field->text + key, field->bytes - key, value)) {
        return true;
    }
    const struct mr_table_field number = without_percent(field);
    const bool is_percent = number.bytes < field->bytes;
    const char separator = field->is_quoted && reader->separator == ',' ? ';' : reader->separator;
    const bool is_value = is_percent && mr_double_read(number.text, number.bytes, value)
                              ? true
                              : separator != '\0' && separator != ',' &&
                                    mr_table_is_number(&number) &&
                                    (reader->has_decimals || !mr_table_may_be_thousands(&number)) &&
                                    mr_table_number(&number, separator, value) && isfinite(*value);
    *value = is_value && is_percent ? *value / 100 : *value;
    return is_value;
}

static bool is_word(const struct mr_table_field *field, const char *word)
{
    return field->bytes == strlen(word) && memcmp(field->text, word, field->bytes) == 0;
}

/* ---- Which column ---- */

/* What the beginning of a table says of its columns. */
struct columns {
    struct mr_table_row row; /* the header, or the first row */
    bool has_header; /* `row` is one by its words */
    unsigned name;
    uint32_t floats; /* a bit for each column that has ids as 7.0 */
    int score; /* LAST, SEVERAL: numbers in several columns, none of which is called a score */
};
enum { LAST = -1, SEVERAL = -2 };
#define NO_NAME UINT_MAX /* `name`: no column is called a page, and the first one may be none */

static bool begins_like_header(const struct mr_table_row *row)
{
    return row->fields[0].bytes > 0 &&
           (row->fields[0].text[0] == '#' || is_word(&row->fields[0], "name"));
}

/* Lists the score columns of a header, for a message. */
static const char *list_columns(const struct mr_table_row *row, unsigned name_field,
                                char list[LIST_BYTES])
{
    size_t used = 0;

    list[0] = '\0';
    for (unsigned i = name_field == 0 ? 1 : 0; i < row->n_fields && i < MR_TABLE_FIELDS; i++) {
        char quote[MR_LINES_QUOTE_BYTES];
        if (i == name_field || used >= LIST_BYTES - 1) {
            continue;
        }
        (void)mr_lines_quote(row->fields[i].text, row->fields[i].bytes, quote);
        used +=
            (size_t)snprintf(list + used, LIST_BYTES - used, "%s%s", used > 0 ? ", " : "", quote);
    }
    return list;
}

/* The number of the field that the header calls `wanted`, searched from field `first` on; UINT_MAX
 * when there is none. Common Crawl puts a '#' before each name. */
static unsigned find_column(const struct mr_table_row *row, unsigned first, const char *wanted)
{
    struct mr_table_field field;

    for (unsigned i = first; i < row->n_fields && field_at(row, i, &field); i++) {
        const bool is_marked = field.bytes > 0 && field.text[0] == '#' && wanted[0] != '#';
        field.text += is_marked;
        field.bytes -= is_marked;
        if (is_word(&field, wanted)) {
            return i;
        }
    }
    return UINT_MAX;
}

/* Chooses the columns of the name and of the score. Sets `*is_row` if the line has a score. */
static enum mr_status choose_column(struct mr_score_reader *reader, const struct columns *columns,
                                    const char *column, bool *is_row, struct mr_error *err)
{
    const char *file = mr_score_name(reader);
    const struct mr_table_row *row = &columns->row;
    const unsigned n = row->n_fields - 1;
    const bool is_header = columns->has_header || begins_like_header(row);
    uint64_t number = n;
    struct mr_table_field field;
    char list[LIST_BYTES];
    double value;

    if (row->n_fields < 2) {
        const size_t bytes = (size_t)(row->end - row->line);
        const bool is_table =
            memchr(row->line, ',', bytes) != NULL || memchr(row->line, ';', bytes) != NULL;
        return mr_error_line(err, MR_ERROR_INPUT, file, 1, "%s; lines are NAME<TAB>SCORE",
                             is_table ? "no table: the lines have different numbers of columns, or "
                                        "quotes that do not match"
                                      : "no tab, so no score");
    }
    if (columns->name == NO_NAME) {
        return mr_error_line(err, MR_ERROR_INPUT, file, 1,
                             "no column is called a page; write page above the one that has them, "
                             "in place of \"%.*s\"",
                             (int)(row->fields[0].bytes < 64 ? row->fields[0].bytes : 64),
                             row->fields[0].text);
    }
    const unsigned host = is_header ? find_column(row, 0, "#host_rev") : UINT_MAX;
    reader->name_field = host != UINT_MAX ? host : columns->name;
    reader->n_fields = reader->separator != '\0' && !reader->has_brackets ? row->n_fields : 0;
    reader->has_whole_names =
        reader->name_field < COLUMNS && columns->floats >> reader->name_field & 1;
    reader->is_heritrix =
        n > 1 && row->fields[2].bytes >= 2 && memcmp(row->fields[2].text, "O:", 2) == 0;
    if (host != UINT_MAX) {
        column = column != NULL ? column : "#pr_val";
    } else if (column == NULL && columns->score == SEVERAL) {
        (void)list_columns(row, reader->name_field, list);
        return columns->has_header
                   ? mr_error_line(err, MR_ERROR_INPUT, file, 1,
                                   "none of its columns of numbers is called a score: %s; --column "
                                   "NAME says which one is, or keep only that one in the file",
                                   list)
                   : mr_error_line(err, MR_ERROR_INPUT, file, 1,
                                   "no header says which column has the score: %s; --column K, "
                                   "from 1 to %u, says which of these it is",
                                   list, n);
    } else if (column == NULL && columns->score >= 0) {
        number = (unsigned)columns->score + ((unsigned)columns->score < columns->name);
    } else if (column == NULL && (key_bytes(&row->fields[1]) > 0 || reader->is_heritrix)) {
        number = 1;
    }
    *is_row = false;
    if (column != NULL && !mr_decimal_whole(column, column + strlen(column), &number)) {
        if (!is_header) {
            return mr_error_line(err, MR_ERROR_INPUT, file, 1,
                                 "no header to name a column \"%s\"; give its number, 1..%u",
                                 column, n);
        }
        reader->column = find_column(row, reader->name_field == 0 ? 1 : 0, column);
        return reader->column != UINT_MAX && reader->column != reader->name_field
                   ? MR_OK
                   : mr_error_line(err, MR_ERROR_INPUT, file, 1,
                                   "no column \"%s\"; choose one of %s", column,
                                   list_columns(row, reader->name_field, list));
    }
    if (number < 1 || number > n) {
        return mr_error_line(err, MR_ERROR_INPUT, file, 1,
                             "no score column %llu; the line has %u, choose 1..%u",
                             (unsigned long long)number, n, n);
    }
    reader->column = (unsigned)number - (number <= reader->name_field ? 1 : 0);
    *is_row = !is_header ||
              (field_at(row, reader->column, &field) && mr_score_is_value(reader, &field, &value) &&
               row->fields[0].bytes > 0); /* no word is above the index of a data frame */
    reader->are_places = columns->has_header && field_at(row, reader->column, &field) &&
                         mr_table_is(&field, " rank ranking place position pos ");
    return MR_OK;
}

/* ---- Tables of other programs ---- */

/* Is the word of column `column` the number that pandas gives a column without a name? */
static bool is_place(const struct mr_table_field *field, unsigned column)
{
    return column > 0 && column <= 10 && field->bytes == 1 &&
           field->text[0] == '0' + (char)column - 1;
}

/* A mr_table_header: words, of which one is for the name or for the score, or none is above the
 * first column, as data frames write their index. */
static bool is_header(void *data, const struct mr_table_row *row)
{
    const bool has_index = row->n_fields > 1 && row->fields[0].bytes == 0;
    bool is_known = has_index;

    (void)data;
    for (unsigned i = 0; i < row->n_fields && i < MR_TABLE_FIELDS; i++) {
        const struct mr_table_field *field = &row->fields[i];
        if ((mr_table_is_number(field) && !(has_index && is_place(field, i))) ||
            mr_table_is_url(field) || (has_index && i > 0 && field->bytes == 0)) {
            return false;
        }
        is_known |= mr_table_is(field, MR_WORDS_SCORE_PAGE) || mr_table_is(field, MR_WORDS_SCORE) ||
                    mr_table_is(field, MR_WORDS_FETCH_WEIGHT);
    }
    return is_known;
}

/* The column of names where no word tells: the first, or the second where the first has no word
 * and counts the rows, or the only one without numbers. An index of a data frame may also be the
 * names. */
static unsigned first_name(const struct mr_table_row *header, const struct mr_table_row *first)
{
    const bool has_index = header->n_fields > 0 && header->fields[0].bytes == 0,
               has_score = header->n_fields > 0 && mr_table_is(&header->fields[0], MR_WORDS_SCORE);
    unsigned n_texts = 0, text = 0;

    if (has_index && (header->n_fields == 2 || mr_table_is(&header->fields[1], MR_WORDS_SCORE))) {
        return 0;
    }
    for (unsigned i = 1; i < first->n_fields && i < MR_TABLE_FIELDS; i++) {
        if (!is_number(&first->fields[i])) {
            n_texts++;
            text = i;
        }
    }
    if (header->n_fields > 1 && n_texts == 1 && first->n_fields > 0 &&
        (has_score || is_number(&first->fields[0]))) {
        return text;
    }
    return has_score || (has_index && is_number(&first->fields[1])) ? NO_NAME : has_index;
}

/* Chooses the columns of a table by its words: the name by its word, or the URLs, or the first
 * column with a header; the score by its word, or the only column of numbers. */
static void choose_by_words(struct columns *columns, const struct mr_table_row *header,
                            const struct mr_table_row *first)
{
    const int name = mr_table_find(header, MR_WORDS_SCORE_PAGE),
              score = mr_table_find(header, MR_WORDS_SCORE);
    unsigned n_urls = 0, url = 0, number = 0, n_numbers = 0;

    columns->name = name >= 0 ? (unsigned)name : first_name(header, first);
    for (unsigned i = 0; i < first->n_fields && i < MR_TABLE_FIELDS; i++) {
        if (mr_table_is_url(&first->fields[i])) {
            n_urls++;
            url = i;
        }
    }
    columns->name = n_urls == 1 ? url : columns->name;
    for (unsigned i = 0; i < first->n_fields && i < MR_TABLE_FIELDS; i++) {
        const bool may_be =
            i >= header->n_fields ||
            (header->fields[i].bytes > 0 && !mr_table_is(&header->fields[i], MR_WORDS_SCORE_PAGE));
        if (i != columns->name && may_be && is_number(&first->fields[i])) {
            number = i;
            n_numbers++;
        }
    }
    columns->score = score >= 0 && (unsigned)score != columns->name ? score
                     : n_numbers > 1 && header->n_fields > 0        ? SEVERAL
                     : n_numbers > 0                                ? (int)number
                                                                    : LAST;
}

/* What the fields of a column are in all rows of the look. */
struct kinds {
    bool are_urls, are_numbers, are_whole, are_floats, are_small, count_rows;
};

/* Fills kinds [COLUMNS] and `*first`, the first row. Returns the number of rows. */
static unsigned look_at_columns(struct mr_table_rows rows, char separator,
                                struct kinds kinds[COLUMNS], struct mr_table_row *first)
{
    struct mr_table_row row;
    bool is_good;
    unsigned n = 0;
    double value;

    for (; n < MR_TABLE_LOOK_ROWS && mr_table_next(&rows, separator, &row, &is_good); n++) {
        *first = n == 0 ? row : *first;
        for (unsigned i = 0; i < row.n_fields && i < COLUMNS; i++) {
            struct kinds *one = &kinds[i];
            const struct mr_table_field number = without_percent(&row.fields[i]);
            const bool is_one = mr_table_is_number(&number) &&
                                mr_table_number(&number, separator, &value) && isfinite(value),
                       is_whole = is_one && floor(value) == value;
            *one = n == 0 ? (struct kinds){true, true, true, true, true, true} : *one;
            one->are_urls &= mr_table_is_url(&row.fields[i]);
            one->are_numbers &= is_one || mr_table_is_null(&row.fields[i]);
            one->are_whole &= is_whole;
            one->are_floats &= is_whole && memchr(number.text, '.', number.bytes) != NULL;
            one->are_small &= is_one && value < 2;
            one->count_rows &= is_whole && (value == n || value == n + 1);
        }
    }
    return n;
}

/* Notes which columns have ids as 7.0, and chooses those of a table without a header, all of whose
 * rows show what the columns hold: the name is in the only column of URLs, in the only one without
 * numbers, or in the first one, and the score is the last number. Heritrix writes SCORE URL, Aduana
 * a hash, a number, the URL and at the end the score, GraphFrames an id, a name and the score. */
static enum mr_status choose_by_rows(const struct mr_score_reader *reader, struct columns *columns,
                                     const struct mr_table *table, struct mr_table_rows rows,
                                     struct mr_error *err)
{
    const char separator = mr_table_separator(table->separator);
    struct kinds kinds[COLUMNS] = {0};
    struct mr_table_row first = {0};
    const unsigned n_rows = look_at_columns(rows, table->separator, kinds, &first);
    const unsigned n = first.n_fields < COLUMNS ? first.n_fields : COLUMNS;
    unsigned n_urls = 0, n_texts = 0, url = 0, text = 0, n_fractions = 0, n_numbers = 0, last = 0;

    for (unsigned i = 0; i < n; i++) {
        columns->floats |= (uint32_t)kinds[i].are_floats << i;
        n_urls += kinds[i].are_urls;
        url = kinds[i].are_urls ? i : url;
        n_texts += !kinds[i].are_numbers;
        text = kinds[i].are_numbers ? text : i;
    }
    if (table->has_header || n_rows == 0 || n < 2 || first.n_fields > COLUMNS) {
        return MR_OK;
    }
    /* A label of ids may stand behind them. */
    const bool is_name = n_texts == 1 && (text + 1 < n || n == 2 || !kinds[0].are_whole);
    columns->name = n_urls == 1 ? url
                    : is_name   ? text
                              : n_texts == 0 && n == 2 && !kinds[0].are_whole && kinds[1].are_whole;
    if (n_texts == 0 && n > 2 && n_rows > 2 && kinds[0].count_rows && kinds[1].are_whole &&
        !kinds[n - 1].are_whole) {
        return mr_error_line(err, MR_ERROR_INPUT, mr_score_name(reader), 1,
                             "no header says whether the first column has pages or counts the "
                             "rows; cut -d'%c' -f2- drops one that counts them, and a first line "
                             "page%cn%cscore says that it has pages",
                             separator, separator, separator);
    }
    for (unsigned i = 0; i < n; i++) {
        if (i != columns->name && kinds[i].are_numbers &&
            !(kinds[i].count_rows && n_rows > 2 && n > 2)) {
            n_numbers++;
            n_fractions += !kinds[i].are_whole;
            last = i;
        }
    }
    columns->score = n_numbers > 0 ? (int)last : LAST;
    if (n_fractions > 0 && kinds[last].are_whole && !kinds[last].are_small && n_rows > 2) {
        columns->score = SEVERAL;
    }
    return MR_OK;
}

/* Does the table need more than its tabs: other separators, quotes, decimal commas? */
static bool needs_splitting(struct mr_table_rows rows, char separator)
{
    struct mr_table_row row;
    bool is_good, all_quoted = true, has_comma = false;

    while (mr_table_next(&rows, separator, &row, &is_good)) {
        all_quoted &= is_good && row.fields[0].is_quoted;
        for (unsigned i = 1; i < row.n_fields && i < MR_TABLE_FIELDS; i++) {
            has_comma |= mr_table_is_number(&row.fields[i]) &&
                         memchr(row.fields[i].text, ',', row.fields[i].bytes) != NULL;
        }
    }
    return mr_table_separator(separator) != '\t' || all_quoted || has_comma;
}

/* Has the first row a URL? */
static bool has_url(struct mr_table_rows rows)
{
    struct mr_table_row row;
    bool is_good, has = false;

    if (mr_table_next(&rows, ' ', &row, &is_good)) {
        for (unsigned i = 0; i < row.n_fields && i < MR_TABLE_FIELDS; i++) {
            has |= mr_table_is_url(&row.fields[i]);
        }
    }
    return has;
}

/* Splits the header, and chooses the columns by its words unless it is one of ours. */
static enum mr_status take_header(struct mr_score_reader *reader, struct mr_table_rows rows,
                                  const struct mr_table *table, struct columns *columns,
                                  struct mr_error *err)
{
    const char *line = table->header, *end = rows.end;
    struct mr_table_rows all = {.at = line, .end = end, .by_line = !table->joins};
    struct mr_table_row first = {.n_fields = 0}, *header = &columns->row;
    bool is_good;

    (void)mr_table_line(&all, table->separator, &line, &end);
    if (!mr_score_split(reader, table->separator, line, end, header)) {
        return mr_error_line(err, MR_ERROR_INPUT, mr_score_name(reader), 1,
                             "its quotes do not match");
    }
    if (table->shift > 0 && header->n_fields < MR_TABLE_FIELDS) {
        memmove(header->fields + 1, header->fields, header->n_fields * sizeof header->fields[0]);
        header->fields[0] = (struct mr_table_field){.text = header->line};
        header->n_fields++;
    }
    columns->has_header = true;
    (void)mr_table_next(&rows, table->separator, &first, &is_good);
    struct mr_table_row row; /* empty fields of the first row say nothing of their columns */
    for (unsigned n = 1;
         n < MR_TABLE_LOOK_ROWS && mr_table_next(&rows, table->separator, &row, &is_good); n++) {
        for (unsigned i = 0; i < first.n_fields && i < row.n_fields && i < MR_TABLE_FIELDS; i++) {
            first.fields[i] = mr_table_is_null(&first.fields[i]) ? row.fields[i] : first.fields[i];
        }
    }
    choose_by_words(columns, header, &first);
    return MR_OK;
}

/* Finds out what separates the columns. Fills `columns` as far as the beginning of the file says
 * something of them: with a header, until the first line is read. */
static enum mr_status look(struct mr_score_reader *reader, const char *data, size_t bytes,
                           struct mr_table *table, struct columns *columns, struct mr_error *err)
{
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    const char *end = memchr(data, '\n', bytes);
    end = end != NULL ? end : data + bytes;
    *table = (struct mr_table){.separator = '\0'};
    reader->has_brackets = has_brackets(data, end - (end > data && end[-1] == '\r'));
    if (*data == '#' || reader->has_brackets) { /* a name, or a header as Common Crawl has it */
        const size_t n = (size_t)(end - data);
        const bool is_csv = memchr(data, '\t', n) == NULL && memchr(data, ',', n) != NULL;
        reader->has_brackets &= is_csv;
        *table = (struct mr_table){.separator = is_csv ? ',' : '\0', .row = data};
    } else {
        const struct mr_table_wish wish = {
            .separator = mr_query_is(mr_score_name(reader)) ? ',' : '\0', .is_header = is_header};
        mr_table_look(data, bytes, &wish, table);
    }
    struct mr_table_rows begin = rows;
    begin.at = table->row;
    rows = begin;
    if (table->separator == ' ' && !table->is_known && table->n_fields > 2 && !has_url(rows)) {
        table->separator = '\0'; /* a name may have blanks, a URL has none */
        table->has_header = false;
    }
    rows = begin;
    enum mr_status status = MR_OK;
    if (table->separator != '\0' && !reader->has_brackets) {
        status = choose_by_rows(reader, columns, table, begin, err);
    }
    if (table->separator != '\0' && needs_splitting(begin, table->separator)) {
        reader->separator = table->separator;
        reader->has_decimals = mr_table_has_decimals(begin, table->separator);
    }
    return table->has_header && status == MR_OK ? take_header(reader, begin, table, columns, err)
                                                : status;
}

/* The bytes of the blank lines and comments at the beginning; a tab makes a line a row. */
static size_t skip_comments(const char *data, size_t bytes, unsigned *n_lines)
{
    const char *at = data, *stop;

    while ((stop = memchr(at, '\n', (size_t)(data + bytes - at))) != NULL) {
        const size_t n = (size_t)(stop - at) - (stop > at && stop[-1] == '\r');
        if (n > 0 && (!mr_lines_is_comment(at, n) || memchr(at, '\t', n) != NULL)) {
            break;
        }
        at = stop + 1;
        (*n_lines)++;
    }
    return (size_t)(at - data);
}

static uint64_t hash_of(const char *text, const char *end)
{
    return XXH3_64bits(text, (size_t)(end - text));
}

enum mr_status mr_score_begin_lines(struct mr_score_reader *reader, const char *data, size_t bytes,
                                    const char *column, struct mr_error *err)
{
    struct columns columns = {.score = LAST};
    struct mr_table table;
    bool is_row = true;
    const char *text;
    size_t n_bytes;
    unsigned n_comments = 0;
    const size_t comments = skip_comments(data, bytes, &n_comments);
    enum mr_status status =
        bytes > comments ? look(reader, data + comments, bytes - comments, &table, &columns, err)
                         : MR_OK;

    if (status == MR_OK && columns.has_header) {
        status = choose_column(reader, &columns, column, &is_row, err);
        table.n_before -= is_row && table.n_before > 0; /* its words are a name and a score */
        reader->header = is_row ? 0 : hash_of(columns.row.line, columns.row.end);
    }
    if (status == MR_OK) {
        status = mr_lines_open(reader->context, reader->input, &reader->lines, err);
    }
    for (; n_comments > 0 && status == MR_OK; n_comments--) {
        status = mr_lines_next(reader->lines, &text, &n_bytes, err);
    }
    if (status == MR_OK && (reader->separator != '\0' || columns.has_header)) {
        status = mr_table_begin(&table, reader->lines, err);
        mr_lines_join_quoted(reader->lines, reader->separator);
    }
    if (status != MR_OK || columns.has_header) {
        return status;
    }
    status = mr_lines_next(reader->lines, &reader->first, &reader->first_bytes, err);
    if (status != MR_OK || reader->first == NULL) {
        return status;
    }
    if (!mr_score_split(reader, reader->separator, reader->first,
                        reader->first + reader->first_bytes, &columns.row)) {
        return mr_score_bad_line(reader, "its quotes do not match", err);
    }
    status = choose_column(reader, &columns, column, &is_row, err);
    reader->header = is_row ? 0 : hash_of(columns.row.line, columns.row.end);
    reader->first = is_row ? reader->first : NULL;
    return status;
}

/* ---- JSON ---- */

bool mr_score_json(const json_t *value, double *score)
{
    *score = json_number_value(value);
    return json_is_number(value) ||
           (json_is_string(value) &&
            mr_double_read(json_string_value(value), json_string_length(value), score));
}

/* The only text among the values of an object that is no number; or NULL. */
static const json_t *only_text(const json_t *object)
{
    const char *key;
    json_t *value;
    const json_t *found = NULL;
    unsigned n = 0;
    double number;

    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (json_is_string(value) && !mr_score_json(value, &number)) {
            found = value;
            n++;
        }
    }
    return n == 1 ? found : NULL;
}

/* Are the keys of the object names, all of whose values are numbers? */
static bool has_names(const json_t *object)
{
    const char *key;
    json_t *value;
    bool are_numbers = true;

    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        are_numbers &= json_is_number(value);
    }
    return are_numbers && json_object_size(object) > 0;
}

enum mr_status mr_score_object(struct mr_score_reader *reader, const char *text, size_t bytes,
                               struct mr_json_input *json, const json_t **name, const char **reason,
                               struct mr_error *err)
{
    const enum mr_status status =
        mr_json_input_parse(reader->context->memory, text, bytes, 0, json, err);
    char digits[32];
    size_t name_bytes = 0;

    if (status == MR_OK) {
        *name = mr_json_find(json->root, MR_WORDS_URL);
        *name = *name != NULL ? *name : mr_json_find(json->root, MR_WORDS_SCORE_PAGE);
        *name = *name != NULL ? *name : only_text(json->root);
        *reason = json->root == NULL            ? json->reason
                  : !json_is_object(json->root) ? "no JSON object"
                  : mr_json_as_text(*name, digits, &name_bytes) != NULL && name_bytes > 0
                      ? (name_bytes > MR_LINE_MAX_BYTES ? "a name that is too long" : NULL)
                  : has_names(json->root)
                      ? "an object of names and scores; jq -r 'to_entries[] | [.key, .value] | "
                        "@tsv' FILE makes lines of it"
                      : "no \"name\" or \"url\" of a page; objects are {\"name\": NAME, "
                        "\"score\": SCORE}";
    }
    return status;
}

/* Adds the keys of an object's numbers to `keys`, but for that of its name. */
static enum mr_status add_keys(struct mr_score_reader *reader, const char *text, size_t bytes,
                               json_t *keys, const char **reason, struct mr_error *err)
{
    struct mr_json_input json = {0};
    const json_t *name = NULL;
    const char *key;
    json_t *value;
    double number;
    enum mr_status status = mr_score_object(reader, text, bytes, &json, &name, reason, err);

    if (status == MR_OK && *reason != NULL) {
        (void)snprintf(reader->text, sizeof reader->text, "%s", *reason);
        *reason = reader->text;
    }
    json_object_foreach(status == MR_OK && *reason == NULL ? json.root : NULL, key, value)
    {
        if (mr_score_json(value, &number) && value != name && json_object_get(keys, key) == NULL &&
            json_object_set(keys, key, value) != 0) {
            status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a key");
        }
    }
    if (json.memory != NULL) {
        mr_json_input_free(&json);
    }
    return status;
}

/* Chooses the key of the score among those of the numbers, in their order: by its word, or the only
 * one, as choose_by_words does. */
static enum mr_status choose_key(struct mr_score_reader *reader, json_t *keys, const char *column,
                                 struct mr_error *err)
{
    struct columns columns = {.row = {.n_fields = 1}, .has_header = true, .score = LAST};
    struct mr_table_row *row = &columns.row;
    const char *key;
    json_t *value;
    uint64_t number;
    bool is_row, has_number = false;
    enum mr_status status = MR_OK;

    row->line = row->end = "";
    row->fields[0] = (struct mr_table_field){.text = "name", .bytes = 4};
    json_object_foreach(keys, key, value)
    {
        has_number |= json_is_number(value);
    }
    void *next;
    json_object_foreach_safe(keys, next, key, value)
    {
        if (has_number && !json_is_number(value)) { /* such as an id beside a score */
            (void)json_object_del(keys, key);
        }
    }
    json_object_foreach(keys, key, value)
    {
        if (row->n_fields < MR_TABLE_FIELDS) {
            row->fields[row->n_fields] = (struct mr_table_field){.text = key, .bytes = strlen(key)};
        }
        row->n_fields++;
    }
    if (row->n_fields == 1) {
        return mr_score_bad_line(reader, "no score among its values", err);
    }
    if (column == NULL || mr_decimal_whole(column, column + strlen(column), &number) ||
        json_object_get(keys, column) == NULL) {
        const int score = mr_table_find(row, MR_WORDS_SCORE);
        columns.score = score > 0 ? score : row->n_fields > 2 ? SEVERAL : LAST;
        status = choose_column(reader, &columns, column, &is_row, err);
        unsigned n = 0;
        json_object_foreach(keys, key, value)
        {
            column = ++n == reader->column ? key : column;
        }
    }
    if (status == MR_OK) {
        reader->key = strdup(column);
        status = reader->key != NULL
                     ? MR_OK
                     : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a key");
    }
    return status;
}

/* Looks at the keys of the objects in the beginning of the file, `data[bytes]`. */
enum mr_status mr_score_begin_objects(struct mr_score_reader *reader, const char *data,
                                      size_t bytes, const char *column, struct mr_error *err)
{
    const char *at = data, *const end = data + bytes, *reason = NULL;
    json_t *keys = json_object();
    enum mr_status status =
        keys != NULL ? MR_OK : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for keys");

    for (size_t n = 0, length = 1; status == MR_OK && length > 0 && n < MR_TABLE_LOOK_ROWS; n++) {
        at = memchr(at, '{', (size_t)(end - at));
        length = at != NULL ? mr_lines_object_bytes(at, (size_t)(end - at)) : 0;
        if (length > 0) {
            reason = NULL;
            status = add_keys(reader, at, length, keys, &reason, err);
            at += length;
        }
    }
    if (status == MR_OK) {
        status = mr_lines_open(reader->context, reader->input, &reader->lines, err);
    }
    if (status == MR_OK) {
        status = mr_lines_object(reader->lines, &reader->first, &reader->first_bytes, err);
    }
    if (status == MR_OK && reader->first != NULL) { /* it may be longer than the beginning */
        reason = NULL;
        status = add_keys(reader, reader->first, reader->first_bytes, keys, &reason, err);
        status =
            status == MR_OK && reason != NULL ? mr_score_bad_line(reader, reason, err) : status;
        status = status == MR_OK ? choose_key(reader, keys, column, err) : status;
    }
    json_decref(keys);
    return status;
}
