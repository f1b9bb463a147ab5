/* SPDX-License-Identifier: Apache-2.0 */
/* Score files of other programs. A score file usually has lines with tabs; its path chooses CSV,
 * JSON or Heritrix's score_uri.txt. On the way in, this file rewrites JSON and tables of other
 * programs to lines with tabs, so that formats/score/score_reader.c sees one kind of line only.
 * formats/table/table.h tells the separator and the header; the words of the header tell the
 * columns. */
#include "formats/score/score_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/stream/output.h"
#include "formats/table/column_words.h"
#include "formats/table/json_input.h"
#include "formats/table/table.h"

/* ---- Out ---- */

enum mr_score_kind mr_score_kind_of(const char *path)
{
    static const struct {
        const char *suffix;
        enum mr_score_kind kind;
    } kinds[] = {{"score_uri.txt", MR_SCORE_URI}, {".csv", MR_SCORE_CSV},
                 {".jsonl", MR_SCORE_JSONL},      {".ndjson", MR_SCORE_JSONL},
                 {".jl", MR_SCORE_JSONL},         {".json", MR_SCORE_JSON}};

    for (size_t i = 0; path != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (mr_output_has_suffix(path, kinds[i].suffix)) {
            return kinds[i].kind;
        }
    }
    return MR_SCORE_TSV;
}

/* ---- In ---- */

struct mr_score_lines {
    const struct mr_context *context;
    struct mr_input *input;
    struct mr_lines *lines;
    struct mr_score_columns columns;
    bool is_json;
    bool has_brackets; /* (NAME,SCORE), as GraphX writes them */
    char separator; /* of a table that is rewritten; '\0': lines have tabs already */
    bool has_row; /* `row` comes next: the header was made out of it */
    bool has_header; /* `header` comes next */
    char *row; /* [row_bytes], a line with tabs; of [MR_LINE_MAX_BYTES] */
    size_t row_bytes;
    char header[1024];
};

static enum mr_status bad_line(const struct mr_score_lines *lines, const char *reason,
                               struct mr_error *err)
{
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(lines->input),
                         mr_lines_number(lines->lines), "%s", reason);
}

/* Add a field to the row. False: it does not fit, or has a tab in it. */
static bool add_field(struct mr_score_lines *lines, bool is_first, const char *text, size_t bytes)
{
    if (lines->row_bytes + !is_first + bytes > MR_LINE_MAX_BYTES ||
        (bytes > 0 && memchr(text, '\t', bytes) != NULL)) {
        return false;
    }
    if (!is_first) {
        lines->row[lines->row_bytes++] = '\t';
    }
    memcpy(lines->row + lines->row_bytes, text, bytes);
    lines->row_bytes += bytes;
    return true;
}

static bool has_brackets(const char *line, const char *end)
{
    return end - line > 2 && line[0] == '(' && end[-1] == ')';
}

/* Rewrites a row with tabs, single quotes and decimal points. */
static enum mr_status take_row(struct mr_score_lines *lines, const char *line, size_t bytes,
                               struct mr_error *err)
{
    struct mr_table_row row;

    lines->row_bytes = 0;
    if (lines->has_brackets && has_brackets(line, line + bytes)) {
        line++;
        bytes -= 2;
    }
    if (!mr_table_split(line, line + bytes, lines->separator, &row)) {
        return bad_line(lines, "its quotes do not match", err);
    }
    for (unsigned i = 0; i < row.n_fields && i < MR_TABLE_FIELDS; i++) {
        const struct mr_table_field *field = &row.fields[i];
        const size_t before = lines->row_bytes + (i > 0);
        if (!add_field(lines, i == 0, field->text, field->bytes)) {
            return bad_line(lines, "a name with a tab in it, or too long", err);
        }
        char *text = lines->row + before;
        if (field->is_raw) {
            (void)mr_table_text(field, text, &bytes);
            lines->row_bytes = before + bytes;
        }
        char *comma = i > 0 && lines->separator != ',' && mr_table_is_number(field)
                          ? memchr(text, ',', field->bytes)
                          : NULL;
        if (comma != NULL) {
            *comma = '.';
        }
    }
    return MR_OK;
}

/* Writes the row of an object: the name, then every number, in the order of the keys. The keys are
 * the header. */
static const char *take_object(struct mr_score_lines *lines, json_t *root)
{
    const json_t *name = mr_json_find(root, MR_WORDS_SCORE_PAGE);
    const char *key;
    json_t *value;
    char digits[32];
    size_t bytes, used = (size_t)snprintf(lines->header, sizeof lines->header, "name");
    const char *text = mr_json_as_text(name, digits, &bytes);

    lines->row_bytes = 0;
    if (text == NULL || bytes == 0 || !add_field(lines, true, text, bytes)) {
        return "no \"name\" or \"url\" of a page";
    }
    json_object_foreach(root, key, value)
    {
        char number[32];
        if (!json_is_number(value) || value == name) {
            continue;
        }
        const int n = snprintf(number, sizeof number, "%.17g", json_number_value(value));
        if (!add_field(lines, false, number, (size_t)n) ||
            used + strlen(key) + 2 > sizeof lines->header) {
            return "too long";
        }
        used += (size_t)snprintf(lines->header + used, sizeof lines->header - used, "\t%s", key);
    }
    return used > 4 ? NULL : "no score among its values";
}

static enum mr_status take_json(struct mr_score_lines *lines, const char *line, size_t bytes,
                                struct mr_error *err)
{
    struct mr_json_input json;
    const char *reason;

    enum mr_status status = mr_json_input_parse(lines->context->memory, line, bytes, 0, &json, err);
    if (status != MR_OK) {
        return status;
    }
    reason = json.root == NULL           ? json.reason
             : json_is_object(json.root) ? take_object(lines, json.root)
                                         : "no JSON object";
    if (reason != NULL) {
        status = bad_line(lines, reason, err);
    }
    mr_json_input_free(&json);
    return status;
}

/* ---- The beginning ---- */

/* A mr_table_header: words, of which one is for the name or for the score. */
static bool is_header(void *data, const struct mr_table_row *row)
{
    bool is_known = false;

    (void)data;
    for (unsigned i = 0; i < row->n_fields && i < MR_TABLE_FIELDS; i++) {
        const struct mr_table_field *field = &row->fields[i];
        if (mr_table_is_number(field) || mr_table_is_url(field)) {
            return false;
        }
        is_known |= mr_table_is(field, MR_WORDS_SCORE_PAGE) || mr_table_is(field, MR_WORDS_SCORE);
    }
    return is_known;
}

/* The column whose header stands first in `words`, or -1. */
static int find_words(const struct mr_table_row *header, const char *words)
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

/* Chooses the columns of a table that another program wrote: the name by its word, or the URLs, or
 * the first column with a header; the score by its word, or the last column of numbers. */
static void choose_columns(struct mr_score_lines *lines, const struct mr_table_row *header,
                           const struct mr_table_row *first)
{
    struct mr_score_columns *columns = &lines->columns;
    const int name = find_words(header, MR_WORDS_SCORE_PAGE),
              score = find_words(header, MR_WORDS_SCORE);
    unsigned n_urls = 0, url = 0, number = 0;

    columns->name =
        name >= 0 ? (unsigned)name : header->n_fields > 0 && header->fields[0].bytes == 0;
    for (unsigned i = 0; i < first->n_fields && i < MR_TABLE_FIELDS; i++) {
        if (mr_table_is_url(&first->fields[i])) {
            n_urls++;
            url = i;
        }
    }
    if (n_urls == 1) {
        columns->name = url;
    }
    for (unsigned i = 0; i < first->n_fields && i < MR_TABLE_FIELDS; i++) {
        if (i != columns->name && mr_table_is_number(&first->fields[i])) {
            number = i;
        }
    }
    columns->score = score >= 0 && (unsigned)score != columns->name ? (unsigned)score : number;
}

/* Chooses the columns of a table without a header whose first column is not that of the pages: the
 * only column of URLs, and the last one of numbers. Heritrix writes SCORE URL, Aduana a hash, a
 * number, the URL and at the end the score. */
static void choose_by_row(struct mr_score_lines *lines, const struct mr_table_row *first)
{
    unsigned n_urls = 0, n_numbers = 0;

    for (unsigned i = 0; i < first->n_fields && i < MR_TABLE_FIELDS; i++) {
        n_urls += mr_table_is_url(&first->fields[i]);
        n_numbers += mr_table_is_number(&first->fields[i]);
    }
    if (n_urls == 1 && n_numbers > 0 && !mr_table_is_url(&first->fields[0])) {
        choose_columns(lines, &(struct mr_table_row){.n_fields = 0}, first);
    }
}

/* Does the table need more than its tabs: other separators, quotes, decimal commas? */
static bool needs_rewriting(const char *data, size_t bytes, const struct mr_table *table)
{
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    struct mr_table_row row;
    bool is_good, all_quoted = true, has_comma = false;

    rows.at = table->row;
    while (mr_table_next(&rows, table->separator, &row, &is_good)) {
        all_quoted &= is_good && row.fields[0].is_quoted;
        for (unsigned i = 1; i < row.n_fields && i < MR_TABLE_FIELDS; i++) {
            has_comma |= mr_table_is_number(&row.fields[i]) &&
                         memchr(row.fields[i].text, ',', row.fields[i].bytes) != NULL;
        }
    }
    return mr_table_separator(table->separator) != '\t' || all_quoted || has_comma;
}

/* Takes the header of a table, and the columns that its words say. */
static enum mr_status take_header(struct mr_score_lines *lines, const char *data, size_t bytes,
                                  const struct mr_table *table, struct mr_error *err)
{
    const char *const all_end = data + bytes;
    const char *end = memchr(table->header, '\n', (size_t)(all_end - table->header));
    struct mr_table_row header, first = {.n_fields = 0};
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    const char separator = lines->separator;
    bool is_good;

    end = end == NULL ? all_end : end - (end > table->header && end[-1] == '\r');
    lines->separator = table->separator;
    enum mr_status status = take_row(lines, table->header, (size_t)(end - table->header), err);
    lines->separator = separator;
    if (status != MR_OK || lines->row_bytes + 2 > sizeof lines->header) {
        return status == MR_OK ? bad_line(lines, "its header is too long", err) : status;
    }
    (void)snprintf(lines->header, sizeof lines->header, "%s%.*s", table->shift > 0 ? "\t" : "",
                   (int)lines->row_bytes, lines->row);
    lines->has_header = lines->columns.has_header = true;
    (void)mr_table_split(lines->header, lines->header + strlen(lines->header), '\t', &header);
    rows.at = table->row;
    (void)mr_table_next(&rows, table->separator, &first, &is_good);
    if (header.fields[0].bytes != 4 || memcmp(header.fields[0].text, "name", 4) != 0) {
        choose_columns(lines, &header, &first);
    }
    return MR_OK;
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

static enum mr_status begin(struct mr_score_lines *lines, struct mr_error *err)
{
    struct mr_table table = {.separator = '\0'};
    const char *data;
    size_t bytes;
    enum mr_status status = mr_input_peek(lines->input, &data, &bytes, err);

    if (status != MR_OK || bytes == 0) {
        return status;
    }
    lines->is_json = mr_json_begins(data, bytes);
    if (*data == '#') { /* a name, or a header as Common Crawl has it, and no comment */
        const char *end = memchr(data, '\n', bytes);
        const size_t n = end != NULL ? (size_t)(end - data) : bytes;
        const bool is_csv = memchr(data, '\t', n) == NULL && memchr(data, ',', n) != NULL;
        table = (struct mr_table){.separator = is_csv ? ',' : '\0', .row = data};
    } else if (!lines->is_json) {
        mr_table_look(data, bytes, &(struct mr_table_wish){.is_header = is_header}, &table);
    }
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    struct mr_table_row first;
    bool is_good;
    rows.at = table.row;
    if (table.separator == ',' && mr_table_next(&rows, ',', &first, &is_good)) {
        lines->has_brackets = has_brackets(first.line, first.end);
    }
    rows.at = table.row;
    if (table.separator == ' ' && !table.is_known && table.n_fields > 2) {
        table.separator = has_url(rows) ? ' ' : '\0'; /* a name may have blanks, a URL has none */
        table.has_header &= table.separator != '\0';
    }
    if (!table.has_header && table.separator != '\0' &&
        mr_table_next(&rows, table.separator, &first, &is_good) && is_good) {
        choose_by_row(lines, &first);
    }
    const bool rewrites =
        lines->is_json || (table.separator != '\0' && needs_rewriting(data, bytes, &table));
    if (!rewrites && !table.has_header) {
        return MR_OK;
    }
    lines->row = malloc(MR_LINE_MAX_BYTES);
    if (lines->row == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, mr_input_name(lines->input), 0,
                             "out of memory for a line");
    }
    lines->separator = rewrites ? table.separator : '\0';
    if (!lines->is_json) {
        status = mr_table_begin(&table, lines->lines, err);
        mr_lines_join_quoted(lines->lines, lines->separator);
    }
    return status == MR_OK && table.has_header ? take_header(lines, data, bytes, &table, err)
                                               : status;
}

/* ---- Lines ---- */

enum mr_status mr_score_lines_open(const struct mr_context *context, struct mr_input *input,
                                   struct mr_score_lines **out, struct mr_error *err)
{
    struct mr_score_lines *lines = calloc(1, sizeof *lines);

    *out = lines;
    if (lines == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, mr_input_name(input), 0,
                             "out of memory for a reader");
    }
    lines->context = context;
    lines->input = input;
    lines->columns.score = MR_SCORE_LAST;
    enum mr_status status = mr_lines_open(context, input, &lines->lines, err);
    if (status == MR_OK) {
        status = begin(lines, err);
    }
    return status;
}

void mr_score_lines_close(struct mr_score_lines *lines)
{
    if (lines != NULL) {
        mr_lines_close(lines->lines);
        free(lines->row);
        free(lines);
    }
}

const struct mr_score_columns *mr_score_lines_columns(const struct mr_score_lines *lines)
{
    return &lines->columns;
}

enum mr_status mr_score_lines_next(struct mr_score_lines *lines, const char **line, size_t *bytes,
                                   struct mr_error *err)
{
    const bool is_first = lines->is_json && !lines->columns.has_header;
    enum mr_status status = MR_OK;

    if (lines->has_header || lines->has_row) {
        *line = lines->has_header ? lines->header : lines->row;
        *bytes = lines->has_header ? strlen(lines->header) : lines->row_bytes;
        lines->has_header = lines->has_row = false;
        return MR_OK;
    }
    status = lines->is_json ? mr_lines_object(lines->lines, line, bytes, err)
                            : mr_lines_next(lines->lines, line, bytes, err);
    if (status != MR_OK || *line == NULL || (!lines->is_json && lines->separator == '\0')) {
        return status;
    }
    status =
        lines->is_json ? take_json(lines, *line, *bytes, err) : take_row(lines, *line, *bytes, err);
    lines->columns.has_header |= is_first;
    lines->has_row = is_first;
    *line = is_first ? lines->header : lines->row;
    *bytes = is_first ? strlen(lines->header) : lines->row_bytes;
    return status;
}

const struct mr_lines *mr_score_lines_source(const struct mr_score_lines *lines)
{
    return lines->lines;
}
