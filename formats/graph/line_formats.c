/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of one link in each line: "edges" (two numbers), "wel" (GAPBS .wel and similar files:
 * two numbers and a weight) and "urls" (two names). Further columns are ignored. What a comment
 * says about the direction of the links counts. A sink that has a builder of lines gets edges from
 * formats/graph/edge_text.h and urls from formats/graph/link_rows.h, by all threads. Weights, and
 * numbers that become names on their way, are rows of a table (formats/table/table.h), which are
 * several times slower.
 *
 * Tabs or blanks separate names. A name is all between two tabs, or a run of bytes other than blank
 * and tab. Commas, '#' and '%' belong to it, because URLs have them. A comment is therefore a line
 * that begins with '#' or '%' followed by a blank, a tab or its end. Fields without a value (NULL)
 * are no names. */
#include <string.h>
#include <strings.h>

#include "engine/base/decimal.h"
#include "formats/graph/edge_text.h"
#include "formats/graph/line_reader.h"
#include "formats/graph/link_columns.h"
#include "formats/graph/link_rows.h"
#include "formats/table/table.h"

/* ---- Direction ---- */

/* The word of a comment that says what its lines are; NULL: none. KONECT's is the first word, and
 * with other words it may be part of a sentence. */
static const char *direction_in(const char *at, const char *end)
{
    static const char *const words[] = {"undirected", "directed", "sym", "asym", "bip"};
    enum { N_WORDS = sizeof words / sizeof words[0], OF_SENTENCES = 2 };
    const char *found = NULL;
    const bool is_konect = *at == '%';

    for (unsigned n = 0; at < end; n++) {
        while (at < end && strchr("%# \t,;:.()=\"'", *at) != NULL) {
            at++;
        }
        const char *word = at;
        while (at < end && strchr("%# \t,;:.()=\"'", *at) == NULL) {
            at++;
        }
        const unsigned n_words = is_konect && n == 0 ? N_WORDS : OF_SENTENCES;
        for (unsigned i = 0; i < n_words; i++) {
            if (strlen(words[i]) == (size_t)(at - word) &&
                strncasecmp(word, words[i], strlen(words[i])) == 0) {
                if (found != NULL && found != words[i]) {
                    return NULL; /* "directed" beside "undirected" says nothing */
                }
                found = words[i];
            }
        }
    }
    return found;
}

enum mr_status mr_graph_direction(const struct mr_graph_request *request,
                                  struct mr_graph_head *head, struct mr_error *err)
{
    const char *data = NULL, *word = NULL;
    size_t bytes = 0;
    enum mr_status status = MR_OK;

    if (request->directed) {
        return MR_OK;
    }
    status = mr_input_peek(request->input, &data, &bytes, err);
    for (const char *at = data, *end = data + bytes; status == MR_OK && at < end && word == NULL;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        /* In lines of names a blank stands behind the mark of a comment. */
        const bool is_comment =
            (*at == '#' || *at == '%') &&
            (head->ids != MR_IDS_TEXT || stop - at < 2 || at[1] == ' ' || at[1] == '\t');
        word = is_comment ? direction_in(at, stop) : NULL;
        at = stop < end ? stop + 1 : end;
    }
    if (word != NULL && strcmp(word, "bip") == 0) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(request->input), 0,
                             "%% bip says that the two columns number different things, each from "
                             "1; name the sides: awk '!/^%%/ {print \"left/\" $1, \"right/\" $2}' "
                             "FILE | millrace ... -; --directed takes equal numbers for one page");
    }
    head->both_ways =
        word != NULL && (strcmp(word, "undirected") == 0 || strcmp(word, "sym") == 0) ? word : NULL;
    return status;
}

struct link_lines {
    struct mr_line_reader lines;
    char separator; /* of names: ' ', or that of a table with tabs */
    unsigned n_fields; /* of names 2, or 3 with a number, of numbers at most; 0: at least 2 */
    bool are_urls; /* most lines of names have two URLs */
};

/* ---- Lines of numbers ---- */

static enum mr_status open_lines(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    const struct mr_line_reader *reader = data;
    struct mr_table table;
    const char *text;
    size_t bytes;
    const enum mr_status status = mr_input_peek(reader->request.input, &text, &bytes, err);

    if (status != MR_OK) {
        return status;
    }
    mr_table_look(text, bytes, &(struct mr_table_wish){0}, &table);
    head->headless = mr_table_separator(table.separator);
    return mr_graph_direction(&reader->request, head, err);
}

/* The fields of the first line of numbers, if the user has not said what these are; else 0. */
static enum mr_status find_fields(const struct mr_graph_request *request, unsigned *n_fields,
                                  struct mr_error *err)
{
    struct mr_table_row row;
    const char *data;
    size_t bytes;
    bool is_good, is_list;

    *n_fields = 0;
    const enum mr_status status = mr_input_peek(request->input, &data, &bytes, err);
    if (status == MR_OK && request->text->is_guessed) {
        struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
        if (mr_table_next(&rows, ' ', &row, &is_good)) {
            *n_fields = mr_edge_text_fields(row.line, row.end, &is_list);
        }
    }
    return status;
}

/* Blanks, tabs or commas stand between the columns; a comma in a later column is no separator. */
static char separator_of(const char *line, const char *end)
{
    while (line < end && strchr(" \t,", *line) == NULL) {
        line++;
    }
    while (line < end && (*line == ' ' || *line == '\t')) {
        line++;
    }
    return line < end && *line == ',' ? ',' : ' ';
}

/* Returns NULL, or what is wrong. */
static const char *take_id(const struct mr_edge_text_options *text, const struct mr_table_row *row,
                           unsigned column, uint64_t *id)
{
    if (column < row->n_fields) {
        const struct mr_table_field *field = &row->fields[column];
        if (text->is_guessed && mr_column_is_padded(field)) {
            return "zeros before a number; --format urls takes the ids as names, without weights";
        }
        if (mr_decimal_whole(field->text, field->text + field->bytes, id) && *id != UINT64_MAX) {
            return NULL;
        }
    }
    return column == 0 ? "the source must be a number" : "the target must be a number";
}

static const char *take_weight(const struct mr_graph_request *request,
                               const struct mr_table_row *row, double *weight)
{
    if (row->n_fields < 3 || !mr_table_number(&row->fields[2], ',', weight)) {
        return row->n_fields >= 3 && memchr(row->fields[2].text, ',', row->fields[2].bytes) != NULL
                   ? "a comma in the weight; write fractions with a point"
                   : "the weight is missing or no number";
    }
    return mr_graph_refuses_weight(request, *weight) ? mr_graph_weight_reason(*weight) : NULL;
}

/* A mr_line_handler. */
static enum mr_status take_line(struct mr_line_reader *reader, const char *line, const char *end,
                                struct mr_error *err)
{
    const struct mr_graph_request *request = &reader->request;
    struct mr_table_row row;
    uint64_t ids[2] = {0, 0};
    double weight = 1;

    while (line < end && strchr(" \t,", *line) != NULL) {
        line++;
    }
    if (line == end || *line == '#' || *line == '%') {
        request->summary->blank += line == end;
        request->summary->comments += line < end;
        return MR_OK;
    }
    const char *reason = mr_table_split(line, end, separator_of(line, end), &row)
                             ? take_id(request->text, &row, 0, &ids[0])
                             : "its quotes do not match";
    if (reason == NULL) {
        reason = take_id(request->text, &row, 1, &ids[1]);
    }
    const unsigned n_fields = ((const struct link_lines *)reader)->n_fields;
    bool is_list;
    if (reason == NULL && n_fields > 0 && row.n_fields > n_fields &&
        mr_edge_text_fields(line, end, &is_list) > n_fields) {
        reason = "more fields than the other lines";
    }
    if (reason == NULL && reader->batch.weights) {
        reason = take_weight(request, &row, &weight);
    }
    if (reason != NULL) {
        return mr_line_reader_bad(reader, line, end, reason, err);
    }
    enum mr_status status = MR_OK;
    if (request->text->mirrors && ids[0] != ids[1]) {
        status = mr_edge_batch_add(&reader->batch, ids[1], ids[0], weight, err);
    }
    return status == MR_OK ? mr_edge_batch_add(&reader->batch, ids[0], ids[1], weight, err)
                           : status;
}

/* ---- Lines of names ---- */

/* Takes the field at `*at` of a line; NULL where there is none. */
static const char *take_field(char separator, const char **at, const char *end, size_t *bytes)
{
    if (separator == ' ') {
        return mr_lines_field(at, end, bytes);
    }
    if (*at > end) {
        return NULL;
    }
    const char *begin = *at, *stop = memchr(begin, '\t', (size_t)(end - begin));
    stop = stop != NULL ? stop : end;
    *at = stop + 1;
    while (begin < stop && *begin == ' ') {
        begin++;
    }
    while (stop > begin && stop[-1] == ' ') {
        stop--;
    }
    *bytes = (size_t)(stop - begin);
    return begin;
}

/* What stands behind the names of a line? Returns NULL, or what is wrong with it. */
static const char *take_rest(const struct link_lines *reader, const char *at, const char *end,
                             bool *is_longer)
{
    struct mr_table_field third = {0}, fourth;

    third.text = take_field(reader->separator, &at, end, &third.bytes);
    *is_longer = third.text != NULL && third.bytes > 0;
    if (reader->n_fields == 0 || !*is_longer) {
        return NULL;
    }
    fourth.text = take_field(reader->separator, &at, end, &fourth.bytes);
    return reader->n_fields < 3 || (fourth.text != NULL && fourth.bytes > 0)
               ? "more fields than the other lines"
           : mr_table_is_number(&third) || mr_table_is_null(&third)
               ? NULL
               : "its third field is no number, as in the other lines";
}

static bool has_no_link(const char *line, const char *end)
{
    while (line < end && (*line == ' ' || *line == '\t')) {
        line++;
    }
    return line == end;
}

static bool is_comment(const struct link_lines *reader, const char *line, const char *end)
{
    while (reader->separator == ' ' && line < end && (*line == ' ' || *line == '\t')) {
        line++;
    }
    return line < end && (*line == '#' || *line == '%') &&
           (line + 1 == end || line[1] == ' ' || line[1] == '\t');
}

/* Has the name a sign that URLs, hosts and addresses have? */
static bool has_mark(const struct mr_table_field *name)
{
    for (size_t i = 0; i < name->bytes; i++) {
        if (name->text[i] != '\0' && strchr(":/.@", name->text[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Returns NULL, or why two names are no link. */
static const char *why_none(const struct link_lines *reader, const struct mr_table_field names[2])
{
    if (reader->separator == ' ' && (mr_table_is_sign(&names[0]) || mr_table_is_sign(&names[1]))) {
        return "a name without letters and digits; --columns 1,2 takes it";
    }
    if (reader->are_urls && !has_mark(&names[0]) && !has_mark(&names[1])) {
        return "no URLs, as in the other lines; --columns 1,2 takes them";
    }
    return mr_table_why_none(&names[0], &names[1], NULL);
}

/* Takes both names of a line, or finds that one has no value. Returns NULL, or what is wrong. */
static const char *take_names(const struct link_lines *reader, const char *line, const char *end,
                              struct mr_table_field names[2], bool *is_null, bool *is_longer)
{
    const char *at = line;

    *is_null = *is_longer = false;
    for (unsigned k = 0; k < 2; k++) {
        struct mr_table_field *name = &names[k];
        *name = (struct mr_table_field){0};
        name->text = take_field(reader->separator, &at, end, &name->bytes);
        if (name->text == NULL) {
            return "no second field";
        }
        if (reader->separator != ' ') {
            mr_table_keep_blanks(name, line, end);
        }
        if (name->bytes > MR_NAME_MAX_BYTES) {
            return MR_NAME_IS_LONG;
        }
        if (name->bytes <= 4 && mr_table_is_null(name)) {
            *is_null = true;
        } else if (name->bytes > 1 && name->text[0] == '"' && name->text[name->bytes - 1] == '"' &&
                   reader->separator != MR_TABLE_TAB_PLAIN && reader->n_fields > 0) {
            return "quotes around a name; --format csv takes them away";
        }
    }
    const char *reason = *is_null || reader->n_fields == 0 ? NULL : why_none(reader, names);
    return reason != NULL ? reason : take_rest(reader, at, end, is_longer);
}

/* A mr_link_rows_take. */
static bool take_name_row(const struct mr_line_reader *lines, struct mr_link_rows *rows,
                          unsigned row, const char *line, const char *end)
{
    const struct link_lines *reader = (const struct link_lines *)lines;
    struct mr_table_field names[2];
    bool is_null;

    if (has_no_link(line, end) || is_comment(reader, line, end) ||
        take_names(reader, line, end, names, &is_null, &rows->is_longer[row]) != NULL || is_null) {
        return false;
    }
    rows->weights[row] = 1;
    for (unsigned k = 0; k < 2; k++) {
        rows->names[row][k] =
            (struct mr_name_ref){.name = names[k].text,
                                 .name_bytes = (uint32_t)names[k].bytes,
                                 .hash = mr_build_name_hash(names[k].text, names[k].bytes)};
    }
    return true;
}

/* A mr_line_handler of the lines that are no plain links. */
static enum mr_status take_odd_names(struct mr_line_reader *lines, const char *line,
                                     const char *end, struct mr_error *err)
{
    const struct link_lines *reader = (const struct link_lines *)lines;
    struct mr_edge_text_summary *summary = lines->request.summary;
    struct mr_table_field names[2];
    uint64_t ids[2] = {0, 0};
    bool is_null, is_longer;
    enum mr_status status = MR_OK;

    if (has_no_link(line, end) || is_comment(reader, line, end)) {
        summary->blank += has_no_link(line, end);
        summary->comments += !has_no_link(line, end);
        return MR_OK;
    }
    const char *reason = take_names(reader, line, end, names, &is_null, &is_longer);
    summary->extra_columns += is_longer;
    if (reason == NULL && is_null) {
        summary->no_values++;
        return MR_OK;
    }
    for (unsigned k = 0; k < 2 && reason == NULL && status == MR_OK; k++) {
        status =
            mr_build_name(lines->batch.sink->lines, names[k].text, names[k].bytes, &ids[k], err);
        reason = ids[k] != UINT64_MAX ? NULL
                 : k == 0             ? "the first name is not in the vertex list"
                                      : "the second name is not in the vertex list";
    }
    return status == MR_OK ? mr_line_reader_bad(lines, line, end, reason, err) : status;
}

/* Have most lines of the look two URLs? */
static bool have_urls(const char *data, size_t bytes)
{
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    struct mr_table_row row;
    unsigned n = 0, n_urls = 0;
    bool is_good;

    for (; n < MR_TABLE_LOOK_ROWS && mr_table_next(&rows, ' ', &row, &is_good); n++) {
        n_urls +=
            row.n_fields > 1 && mr_table_is_url(&row.fields[0]) && mr_table_is_url(&row.fields[1]);
    }
    return n_urls > 1 && 3 * n_urls >= 2 * n;
}

/* Lines of names that the user calls so may have any words behind the first two. */
static enum mr_status read_names(struct link_lines *reader, struct mr_error *err)
{
    const struct mr_graph_request *request = &reader->lines.request;
    struct mr_table table;
    const char *data;
    size_t bytes;

    enum mr_status status = mr_input_peek(request->input, &data, &bytes, err);
    reader->separator = ' ';
    if (status == MR_OK && mr_text_kind_of(data, bytes, &table) != MR_TEXT_NONE) {
        const bool has_tabs = mr_table_separator(table.separator) == '\t';
        reader->separator = has_tabs ? table.separator : ' ';
        reader->n_fields = request->text->is_guessed ? table.n_fields : 0;
        reader->are_urls = reader->n_fields > 0 && have_urls(data, bytes);
    }
    if (status == MR_OK) {
        status = mr_line_reader_begin(&reader->lines, take_odd_names, err);
    }
    reader->lines.notes_skipped = true;
    return status == MR_OK
               ? mr_link_rows_read(&reader->lines, true, take_name_row, MR_PLAIN_NONE, err)
               : status;
}

/* ---- Formats ---- */

static enum mr_status read_lines(void *data, struct mr_error *err)
{
    struct mr_line_reader *reader = data;
    const struct mr_graph_request *request = &reader->request;
    struct mr_build *build = reader->batch.sink->lines;

    if (build != NULL && request->format->head.ids == MR_IDS_TEXT) {
        return read_names(data, err);
    }
    if (build != NULL && !request->format->head.weighted) {
        return mr_edge_text_read(reader, err);
    }
    enum mr_status status = find_fields(request, &((struct link_lines *)data)->n_fields, err);
    status = status == MR_OK ? mr_line_reader_begin(reader, take_line, err) : status;
    return status == MR_OK ? mr_line_reader_read(reader, err) : status;
}

/* Plain text of two columns. Detection tries it last. */
static bool detect_edges(const struct mr_graph_probe *probe)
{
    struct mr_table table;
    return mr_text_kind_of(probe->data, probe->bytes, &table) == MR_TEXT_NUMBERS;
}

static bool detect_urls(const struct mr_graph_probe *probe)
{
    return memchr(probe->data, '\0', probe->bytes) == NULL;
}

#define LINES                                                                                      \
    .reader_bytes = sizeof(struct link_lines), .open = open_lines, .read = read_lines,             \
    .close = mr_line_reader_close
const struct mr_graph_format mr_format_wel = {.name = "wel",
                                              .title = "lines of two numbers and a weight",
                                              .head = {.ids = MR_IDS_SPARSE, .weighted = true},
                                              LINES};
const struct mr_graph_format mr_format_edges = {.name = "edges",
                                                .rows = MR_ROWS_OF_NUMBERS,
                                                .title = "lines of two numbers",
                                                .detect = detect_edges,
                                                .head = {.ids = MR_IDS_SPARSE},
                                                LINES};
const struct mr_graph_format mr_format_urls = {.name = "urls",
                                               .rows = MR_ROWS_OF_NAMES,
                                               .title = "lines of two names",
                                               .detect = detect_urls,
                                               .head = {.ids = MR_IDS_TEXT},
                                               LINES};
