/* SPDX-License-Identifier: Apache-2.0 */
/* Reads links from tables (formats/table/table.h), and tells the lines that need this reader from
 * those that formats/graph/edge_text.h reads several times as fast. The words of the header show
 * which columns are the ends of a link, as cuGraph, Gephi, igraph, Neo4j, Neptune, ArangoDB and the
 * crawlers of sites write them; --columns names others. Without a header the first two columns are
 * source and target, and a third may hold a number; a table with more columns is refused, because
 * any of them may be the target.
 *
 * Ids are numbers if both ends of all rows of the look are numbers, otherwise names. A field
 * without a value (NULL) is no page. A row with more fields than the header, or than the other
 * rows, is a bad line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <xxhash.h>

#include "formats/graph/graph_reader.h"
#include "formats/graph/line_reader.h"
#include "formats/graph/link_columns.h"
#include "formats/graph/link_rows.h"
#include "formats/graph/query_edges.h"
#include "formats/stream/name_text.h"
#include "formats/stream/query.h"
#include "formats/table/column_words.h"
#include "formats/table/table.h"

static bool detect(const struct mr_graph_probe *probe)
{
    struct mr_table table;
    return mr_text_kind_of(probe->data, probe->bytes, &table) == MR_TEXT_TABLE;
}

/* ---- What a table says of its links ---- */

/* The types of the crawlers of sites, as kinds of links. */
static unsigned kinds_of_type(const struct mr_table_field *type)
{
    static const struct {
        const char *words;
        unsigned kinds;
    } types[] = {
        {" hyperlink a ahref text internal external ", MR_LINK_A | MR_LINK_NAVIGATION},
        {" image img ", MR_LINK_IMAGE | MR_LINK_EMBED},
        {" css stylesheet javascript js script font media video audio flash swf pdf favicon ",
         MR_LINK_EMBED},
        {" iframe ", MR_LINK_IFRAME | MR_LINK_NAVIGATION},
        {" frame ", MR_LINK_FRAME | MR_LINK_NAVIGATION},
        {" form ", MR_LINK_FORM | MR_LINK_NAVIGATION},
        {" area ", MR_LINK_AREA | MR_LINK_NAVIGATION},
        {" canonical relcanonical relnext relprev next prev pagination ",
         MR_LINK_LINK | MR_LINK_NAVIGATION},
        {" httpredirect redirect metarefresh javascriptredirect hstspolicy ", MR_LINK_REDIRECT},
        {" hreflang amp mobilealternate alternate ", MR_LINK_LINK}};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (type->bytes > 0 && type->bytes < MR_TABLE_WORD_BYTES &&
            mr_table_is(type, types[i].words)) {
            return types[i].kinds;
        }
    }
    return 0;
}

/* Columns besides source, target and weight. */
enum fact { TYPE, REL, FOLLOW, NOFOLLOW, WHERE, N_FACTS };

/* ---- Rows ---- */

struct csv_reader {
    struct mr_line_reader lines;
    struct mr_table table;
    int columns[3]; /* of source, target and weight; -1: none */
    int facts[N_FACTS]; /* columns; -1: none */
    bool are_lists[2]; /* sources, targets: several in one field */
    bool has_kinds; /* the types are those of a crawler */
    bool are_urls; /* ends are URLs in the look: "-" is none */
    bool has_decimals; /* numbers of the look have decimal commas, as 0,5 has */
    bool has_codes; /* the header says so: codes \xNN stand for bytes of names */
    bool is_said; /* the user named the columns; then counts rows by their fields: */
    unsigned n_first; /* fields of the first row; 0: it is not known */
    uint64_t blank_line; /* the number of the last one, or 0 */
    uint64_t n_uneven, n_no_rows; /* rows with another number of fields; bad lines */
    bool names; /* ids are names, not numbers */
    bool are_numbers; /* names that are numbers, some of them negative */
    double most[2]; /* ends of a query that are floats are below it; 0: they are none */
    bool is_numbered; /* NUMBER TARGET SOURCE */
    bool has_count; /* the file says that it has n_links */
    uint64_t n_links;
    uint64_t header_hash; /* of the header, which stands in each part of a table */
    size_t header_bytes; /* of it; 0: none */
    char header_first; /* its first byte */
    char words[2 * MR_TABLE_WORD_BYTES + 4]; /* of the ends, with blanks around; "": common ones */
    struct mr_table_row row; /* of an odd line */
    char field[MR_NAME_MAX_BYTES]; /* the text of a field that had quotes in it */
};

static bool is_comment(const char *line, const char *end)
{
    return (*line == '#' || *line == '%') && (line + 1 == end || line[1] == ' ' || line[1] == '\t');
}

static bool is_header_again(const struct csv_reader *reader, const char *line, size_t bytes)
{
    return bytes == reader->header_bytes && bytes > 0 && *line == reader->header_first &&
           XXH3_64bits(line, bytes) == reader->header_hash;
}

/* The field of a column; NULL if the row has none. */
static const struct mr_table_field *field_of(const struct mr_table_row *row, int column)
{
    return column >= 0 && (unsigned)column < row->n_fields ? &row->fields[column] : NULL;
}

/* Between tabs the blanks around a name belong to it. HTTrack writes "(from URL)". */
static struct mr_table_field page_of(const struct csv_reader *reader,
                                     const struct mr_table_row *row, int k)
{
    struct mr_table_field field = *field_of(row, reader->columns[k]);

    if (field.bytes > 6 && field.text[field.bytes - 1] == ')' &&
        memcmp(field.text, "(from ", 6) == 0) {
        field.text += 6;
        field.bytes -= 7;
        return field;
    }
    if (reader->names && !reader->are_numbers &&
        mr_table_separator(reader->table.separator) == '\t') {
        mr_table_keep_blanks(&field, row->line, row->end);
    }
    return field;
}

/* Returns NULL, or what is wrong with the fields of a row. */
static const char *split(const struct csv_reader *reader, const char *line, const char *end,
                         struct mr_table_row *row)
{
    const struct mr_table *table = &reader->table;

    if (!mr_table_split(line, end, table->separator, row)) {
        return "its quotes do not match";
    }
    for (int k = 0; k < 2; k++) {
        if ((unsigned)reader->columns[k] >= row->n_fields) {
            return "no source or no target";
        }
    }
    for (unsigned i = table->n_fields; i < row->n_fields && !reader->is_said; i++) {
        if (i >= MR_TABLE_FIELDS || row->fields[i].bytes > 0) {
            return table->has_header ? MR_TABLE_MORE_FIELDS : "more fields than the other lines";
        }
    }
    return NULL;
}

/* Takes the name of an end, in `room` [MR_NAME_MAX_BYTES] if it is not as in the line. Returns
 * NULL, or what is wrong. */
static const char *take_name(const struct csv_reader *reader, const struct mr_table_field *field,
                             char *room, const char **text, size_t *bytes)
{
    if (field->bytes > MR_NAME_MAX_BYTES) {
        return MR_NAME_IS_LONG;
    }
    if (memchr(field->text, '\n', field->bytes) != NULL) {
        return "a name has a line end in it";
    }
    if (!reader->is_said && mr_column_has_urls(field)) {
        return "several URLs in one field; write a line for each";
    }
    *text = mr_table_text(field, room, bytes);
    *bytes = reader->are_numbers ? mr_column_whole_bytes(field) : *bytes;
    if (reader->has_codes && memchr(*text, '\\', *bytes) != NULL) {
        *bytes = mr_name_unescape(*text, *bytes, room);
        *text = room;
    }
    return NULL;
}

/* Takes the id of an end, `k`: a number, or the number that the sink gives to the name. Returns
 * NULL, or what is wrong. */
static const char *take_id(struct csv_reader *reader, int k, const struct mr_table_field *field,
                           uint64_t *id, enum mr_status *status, struct mr_error *err)
{
    const struct mr_graph_sink *sink = reader->lines.batch.sink;
    const char *text;
    size_t bytes;

    if (reader->most[k] > 0 && (!mr_column_whole(field, id) || (double)*id >= reader->most[k])) {
        (void)snprintf(reader->field, sizeof reader->field,
                       "the %s is a float that is no whole number from 0, or stands for several; "
                       "cast its column: --sql \"select s::bigint, t::bigint from 'FILE'\"",
                       k == 0 ? "source" : "target");
        return reader->field;
    }
    if (!reader->names) {
        return !mr_column_whole(field, id)  ? "a vertex is no number"
               : mr_column_is_padded(field) ? MR_COLUMN_PADDED
               : sink->lines == NULL || mr_build_knows(sink->lines, *id)
                   ? NULL
                   : mr_line_reader_unknown(&reader->lines, *id, reader->field);
    }
    const char *reason = take_name(reader, field, reader->field, &text, &bytes);
    if (reason != NULL) {
        return reason;
    }
    *status = sink->name(sink->data, text, bytes, id, err);
    return *status == MR_OK && *id == UINT64_MAX ? "a name is not in the vertex list" : NULL;
}

/* Takes the weight of a row. Returns NULL, or what is wrong. */
static const char *take_weight(const struct csv_reader *reader, const struct mr_table_row *row,
                               double *weight)
{
    const struct mr_graph_request *request = &reader->lines.request;
    const struct mr_table_field *field = field_of(row, reader->columns[2]);

    if (field != NULL && !reader->has_decimals && mr_table_may_be_thousands(field)) {
        return "the comma of the weight may separate thousands or be a decimal one; write 1234 or "
               "1.234";
    }
    if (field == NULL || !mr_table_number(field, reader->table.separator, weight)) {
        return request->weights == MR_WEIGHTS_MUST
                   ? "the weight is missing or no number"
                   : "the weight is missing or no number; --no-weights reads past weights";
    }
    return mr_graph_refuses_weight(request, *weight) ? mr_graph_weight_reason(*weight) : NULL;
}

/* Does the row say that its link goes in both directions? */
static bool is_undirected(const struct csv_reader *reader, const struct mr_table_row *row)
{
    const struct mr_table_field *type = field_of(row, reader->facts[TYPE]);
    return !reader->lines.request.directed && type != NULL && mr_table_is(type, " undirected ");
}

static bool is_yes(const struct mr_table_field *field)
{
    return mr_table_is(field, " true t yes y 1 10 ");
}

/* Is the link one that --where, --link-kinds and --drop-nofollow keep? */
static bool is_wanted(const struct csv_reader *reader, const struct mr_table_row *row)
{
    const struct mr_edge_text_options *text = reader->lines.request.text;
    const struct mr_table_field *where = field_of(row, reader->facts[WHERE]),
                                *type = field_of(row, reader->facts[TYPE]),
                                *rel = field_of(row, reader->facts[REL]),
                                *follow = field_of(row, reader->facts[FOLLOW]),
                                *nofollow = field_of(row, reader->facts[NOFOLLOW]);
    if (text->where != NULL) {
        const char *value = strchr(text->where, '=') + 1;
        if (where == NULL || where->bytes != strlen(value) ||
            memcmp(where->text, value, where->bytes) != 0) {
            return false;
        }
    }
    if (text->drop_nofollow && ((rel != NULL && memmem(rel->text, rel->bytes, "nofollow", 8)) ||
                                (nofollow != NULL && is_yes(nofollow)) ||
                                (follow != NULL && follow->bytes > 0 && !is_yes(follow) &&
                                 !mr_table_is(follow, " follow dofollow ")))) {
        return false;
    }
    const unsigned wanted = text->link_kinds != 0 ? text->link_kinds : MR_LINKS_DEFAULT;
    return !reader->has_kinds || type == NULL || (kinds_of_type(type) & wanted) != 0;
}

/* The pages of a list, such as "b,c", "b; c", ["b", "c"], {b,c}. */
struct csv_list {
    const char *at, *end;
    char separator; /* '"': pages are in quotes; ':': URLs, each from its scheme on */
};

static struct csv_list begin_list(const struct mr_table_field *field)
{
    struct csv_list list = {.at = field->text, .end = field->text + field->bytes, .separator = ','};
    const bool is_json = field->bytes > 1 && ((*list.at == '[' && list.end[-1] == ']') ||
                                              (*list.at == '{' && list.end[-1] == '}'));

    if (is_json) {
        list.at++;
        list.end--;
    }
    const size_t bytes = (size_t)(list.end - list.at);
    if (is_json && (memchr(list.at, '"', bytes) != NULL || memchr(list.at, '\'', bytes) != NULL)) {
        list.separator = '"';
    } else if (memmem(list.at, bytes, "://", 3) != NULL) {
        list.separator = ':';
    } else if (memchr(list.at, '|', bytes) != NULL) {
        list.separator = '|';
    } else if (memchr(list.at, ';', bytes) != NULL) {
        list.separator = ';';
    }
    return list;
}

static bool begins_url(const char *at, const char *end)
{
    const char *const scheme = at;

    while (at < end && (*at | 32) >= 'a' && (*at | 32) <= 'z') {
        at++;
    }
    return at > scheme && end - at >= 3 && memcmp(at, "://", 3) == 0;
}

/* The end of the page at `list->at`. */
static const char *end_of_page(const struct csv_list *list, char quote)
{
    const char *at = list->at;

    if (list->separator != ':') {
        at = memchr(at, quote != '\0' ? quote : list->separator, (size_t)(list->end - at));
        return at != NULL ? at : list->end;
    }
    for (; at < list->end; at++) {
        const char *next = at;
        while (next < list->end && strchr(",;|@ \n", *next) != NULL) {
            next++;
        }
        if (next > at && (next == list->end || begins_url(next, list->end))) {
            return at;
        }
    }
    return at;
}

/* Takes the next page; one in quotes may be empty. Returns false at the end of the list. */
static bool next_of_list(struct csv_list *list, struct mr_table_field *page)
{
    const bool has_quotes = list->separator == '"';

    while (list->at < list->end && (has_quotes ? *list->at != '"' && *list->at != '\''
                                               : strchr(",;|@ \n", *list->at) != NULL)) {
        list->at++;
    }
    const char quote = has_quotes && list->at < list->end ? *list->at++ : '\0';
    const char *end = end_of_page(list, quote);
    *page = (struct mr_table_field){.text = list->at, .bytes = (size_t)(end - list->at)};
    list->at = end + (end < list->end);
    while (page->bytes > 0 && page->text[page->bytes - 1] == ' ') {
        page->bytes--;
    }
    return page->bytes > 0 || quote != '\0';
}

static enum mr_status add_link(struct csv_reader *reader, const uint64_t ids[2], double weight,
                               struct mr_error *err)
{
    struct mr_edge_batch *batch = &reader->lines.batch;
    const bool both = reader->lines.request.text->mirrors || is_undirected(reader, &reader->row);
    const enum mr_status status =
        both && ids[0] != ids[1] ? mr_edge_batch_add(batch, ids[1], ids[0], weight, err) : MR_OK;
    return status == MR_OK ? mr_edge_batch_add(batch, ids[0], ids[1], weight, err) : status;
}

/* Adds the links between the pages of both fields, one of which may be a list. Returns NULL, or
 * what is wrong. */
static const char *add_links(struct csv_reader *reader, double weight, enum mr_status *status,
                             struct mr_error *err)
{
    const int list = reader->are_lists[0] ? 0 : 1;
    const struct mr_table_field one = page_of(reader, &reader->row, 1 - list),
                                other = page_of(reader, &reader->row, list);
    struct mr_table_field page, text = other;
    uint64_t ids[2] = {0, 0};

    const char *reason = take_id(reader, 1 - list, &one, &ids[1 - list], status, err);

    if (reason == NULL && *status == MR_OK && !reader->are_lists[list]) {
        reason = take_id(reader, list, &other, &ids[list], status, err);
        if (reason == NULL && *status == MR_OK) {
            *status = add_link(reader, ids, weight, err);
        }
        return reason;
    }
    if (reason == NULL && text.is_raw && text.bytes > sizeof reader->field) {
        return "a list in quotes is longer than 65536 bytes";
    }
    text.text = mr_table_text(&other, reader->field, &text.bytes);
    struct csv_list pages = begin_list(&text);
    while (reason == NULL && *status == MR_OK && next_of_list(&pages, &page)) {
        if (page.bytes == 0) {
            continue;
        }
        reason = pages.separator == '"' && memchr(page.text, '\\', page.bytes) != NULL
                     ? "a backslash in a list"
                     : take_id(reader, list, &page, &ids[list], status, err);
        if (reason == NULL && *status == MR_OK) {
            *status = add_link(reader, ids, weight, err);
        }
    }
    return reason;
}

/* Has the end no value? Logs write "-" for the page that a visit came from. */
static bool is_no_page(const struct csv_reader *reader, const struct mr_table_field *field)
{
    return mr_table_is_null(field) ||
           (reader->are_urls && field->bytes == 1 && *field->text == '-' && !field->is_quoted);
}

/* Returns NULL, or why the row has no link. `is_behind_blank`: a blank line stands before it. */
static const char *why_none(const struct csv_reader *reader, const struct mr_table_row *row,
                            bool is_behind_blank)
{
    const struct mr_table_field *one = field_of(row, reader->columns[0]),
                                *other = field_of(row, reader->columns[1]);

    if (reader->is_said || !reader->names || reader->has_codes) {
        return NULL;
    }
    return is_behind_blank && mr_table_is(one, MR_WORDS_PLAIN) && mr_table_is(other, MR_WORDS_PLAIN)
               ? "the header of another table, it seems; make files of both tables"
               : mr_table_why_none(one, other, reader->words[0] != '\0' ? reader->words : NULL);
}

/* Takes an end of a plain link. */
static bool take_end(const struct csv_reader *reader, const struct mr_table_row *row, int k,
                     struct mr_name_ref *name, uint64_t *id)
{
    const struct mr_table_field field = page_of(reader, row, k);
    const char *text;
    size_t bytes;

    if (is_no_page(reader, &field) || field.is_raw) {
        return false;
    }
    if (!reader->names) {
        return mr_column_whole(&field, id) && !mr_column_is_padded(&field) &&
               (reader->most[k] == 0 || (double)*id < reader->most[k]) &&
               mr_build_knows(reader->lines.batch.sink->lines, *id);
    }
    if ((reader->has_codes && memchr(field.text, '\\', field.bytes) != NULL) ||
        take_name(reader, &field, NULL, &text, &bytes) != NULL || bytes == 0) {
        return false;
    }
    *name = (struct mr_name_ref){
        .name = text, .name_bytes = (uint32_t)bytes, .hash = mr_build_name_hash(text, bytes)};
    return true;
}

/* A mr_link_rows_take. */
static bool take_row(const struct mr_line_reader *lines, struct mr_link_rows *rows, unsigned i,
                     const char *line, const char *end)
{
    const struct csv_reader *reader = (const struct csv_reader *)lines;
    struct mr_table_row row;
    double *weight = &rows->weights[i];

    *weight = 1;
    return line < end && !is_comment(line, end) &&
           !is_header_again(reader, line, (size_t)(end - line)) &&
           split(reader, line, end, &row) == NULL &&
           (!reader->is_said || row.n_fields == reader->n_first) &&
           why_none(reader, &row, i == 0 || rows->is_odd[i - 1]) == NULL &&
           is_wanted(reader, &row) && !is_undirected(reader, &row) &&
           (!lines->batch.weights || (take_weight(reader, &row, weight) == NULL && *weight != 0)) &&
           take_end(reader, &row, 0, &rows->names[i][0], &rows->ids[i][0]) &&
           take_end(reader, &row, 1, &rows->names[i][1], &rows->ids[i][1]);
}

static enum mr_status csv_line(struct mr_line_reader *lines, const char *line, const char *end,
                               struct mr_error *err)
{
    struct csv_reader *reader = (struct csv_reader *)lines;
    struct mr_edge_text_summary *summary = lines->request.summary;
    struct mr_table_row *row = &reader->row;
    double weight = 1;
    enum mr_status status = MR_OK;

    if (line == end || is_comment(line, end) ||
        is_header_again(reader, line, (size_t)(end - line))) {
        summary->blank += line == end;
        summary->comments += line < end;
        reader->blank_line = line == end ? mr_lines_number(lines->lines) : reader->blank_line;
        return MR_OK;
    }
    const char *reason = split(reader, line, end, row);
    reader->n_no_rows += reason != NULL;
    if (reason == NULL && reader->is_said) {
        reader->n_first = reader->n_first > 0 ? reader->n_first : row->n_fields;
        reader->n_uneven += row->n_fields != reader->n_first;
    }
    if (reason == NULL) {
        reason = why_none(reader, row,
                          reader->blank_line > 0 &&
                              reader->blank_line + 1 == mr_lines_number(lines->lines));
    }
    for (int k = 0; k < 2 && reason == NULL; k++) {
        const struct mr_table_field page = page_of(reader, row, k);
        if (is_no_page(reader, &page)) {
            summary->no_values++;
            return MR_OK;
        }
    }
    if (reason == NULL && !is_wanted(reader, row)) {
        summary->other_kinds += lines->request.text->where == NULL;
        return MR_OK;
    }
    if (reason == NULL && lines->batch.weights) {
        reason = take_weight(reader, row, &weight);
    }
    if (reason == NULL && weight != 0) {
        reason = add_links(reader, weight, &status, err);
    } else if (reason == NULL) {
        status = mr_edge_batch_add(&lines->batch, 0, 0, weight, err); /* it counts them */
    }
    return status == MR_OK && reason != NULL ? mr_line_reader_bad(lines, line, end, reason, err)
                                             : status;
}

/* ---- Opening ---- */

/* Does a row of the look have such an end, in its source or its target? */
static bool has_end(struct csv_reader *reader, const char *data, size_t bytes,
                    bool (*is_such)(const struct mr_table_field *field))
{
    struct mr_table_rows rows = mr_table_rows_of(&reader->table, data, bytes);
    bool is_good, is_found = false;

    while (!is_found && mr_table_next(&rows, reader->table.separator, &reader->row, &is_good)) {
        for (int k = 0; k < 2; k++) {
            const struct mr_table_field *field = field_of(&reader->row, reader->columns[k]);
            is_found |= field != NULL && is_such(field);
        }
    }
    return is_found;
}

/* Refuses a header that has the word of an end twice. */
static enum mr_status check_words(const struct csv_reader *reader, struct mr_error *err)
{
    const struct mr_table_row *header = &reader->row;
    char words[2][MR_TABLE_WORD_BYTES];

    for (unsigned i = 0; i < header->n_fields && i < MR_TABLE_FIELDS; i++) {
        for (int k = 0; k < 2; k++) {
            const unsigned end = (unsigned)reader->columns[k] - reader->table.shift;
            mr_table_word(header->fields[i].text, header->fields[i].bytes, 0, words[0]);
            mr_table_word(header->fields[end].text, header->fields[end].bytes, 0, words[1]);
            if (i != end && i != (unsigned)reader->columns[1 - k] - reader->table.shift &&
                words[0][0] != '\0' && strcmp(words[0], words[1]) == 0) {
                return mr_error_file(
                    err, MR_ERROR_INPUT, mr_input_name(reader->lines.request.input), 0,
                    "has two columns with the name %s; choose by number: "
                    "--columns %u,%u",
                    words[0], (unsigned)reader->columns[0] + 1, (unsigned)reader->columns[1] + 1);
            }
        }
    }
    return MR_OK;
}

/* Finds the columns that say more of a link, by the words of the header. */
static enum mr_status find_facts(struct csv_reader *reader, const char *data, size_t bytes,
                                 struct mr_error *err)
{
    static const char *const words[] = {[TYPE] = MR_WORDS_LINK_TYPE,
                                        [REL] = MR_WORDS_LINK_REL,
                                        [FOLLOW] = MR_WORDS_FOLLOW,
                                        [NOFOLLOW] = MR_WORDS_NOFOLLOW};
    const struct mr_table *table = &reader->table;
    const struct mr_edge_text_options *text = reader->lines.request.text;
    const char *name = mr_input_name(reader->lines.request.input);
    struct mr_table_rows rows = {
        .at = table->header, .end = data + bytes, .by_line = !table->joins};
    bool is_good;

    memset(reader->facts, 0xff, sizeof reader->facts);
    if (text->where != NULL) { /* by its number, from 1 */
        const struct mr_table_field number = {.text = text->where,
                                              .bytes = strcspn(text->where, "=")};
        uint64_t column;
        reader->facts[WHERE] =
            mr_column_whole(&number, &column) && column >= 1 && column <= MR_TABLE_FIELDS
                ? (int)column - 1
                : -1;
    }
    if (table->has_header && mr_table_next(&rows, table->separator, &reader->row, &is_good)) {
        reader->header_bytes = (size_t)(reader->row.end - reader->row.line);
        reader->header_first = *reader->row.line;
        reader->header_hash = XXH3_64bits(reader->row.line, reader->header_bytes);
        const enum mr_status status =
            table->is_known && !reader->is_said ? check_words(reader, err) : MR_OK;
        if (status != MR_OK) {
            return status;
        }
        for (unsigned i = 0; i < reader->row.n_fields && i < MR_TABLE_FIELDS; i++) {
            const struct mr_table_field *field = &reader->row.fields[i];
            const int column = (int)(i + table->shift);
            for (int fact = 0; fact < WHERE; fact++) {
                reader->facts[fact] = reader->facts[fact] < 0 && mr_table_is(field, words[fact]) &&
                                              column != reader->columns[0] &&
                                              column != reader->columns[1]
                                          ? column
                                          : reader->facts[fact];
            }
            if (text->where != NULL && reader->facts[WHERE] < 0 &&
                mr_column_is_named(field, text->where, strcspn(text->where, "="))) {
                reader->facts[WHERE] = column;
            }
            for (int k = 0; k < 2 && table->is_known; k++) {
                const bool is_end = column == reader->columns[k];
                char word[MR_TABLE_WORD_BYTES];
                if (is_end) {
                    mr_table_word(field->text, field->bytes, 0, word);
                    const size_t n = strlen(reader->words);
                    (void)snprintf(reader->words + n, sizeof reader->words - n, " %s ", word);
                }
                reader->are_lists[k] |=
                    is_end && !reader->is_said &&
                    mr_table_is(field, k == 0 ? MR_WORDS_SOURCES : MR_WORDS_TARGETS);
                reader->has_codes |=
                    is_end && memmem(field->text, field->bytes, "(\\xNN)", 6) != NULL;
            }
        }
        /* Other tables have types, too, and no URLs. */
        const bool may_have_kinds = has_end(reader, data, bytes, mr_table_is_url) &&
                                    reader->facts[TYPE] >= 0 &&
                                    reader->facts[TYPE] != reader->facts[WHERE];
        while (!reader->has_kinds && may_have_kinds &&
               mr_table_next(&rows, table->separator, &reader->row, &is_good)) {
            const struct mr_table_field *type = field_of(&reader->row, reader->facts[TYPE]);
            reader->has_kinds = type != NULL && kinds_of_type(type) != 0;
        }
    }
    if (reader->are_lists[0] && reader->are_lists[1]) {
        return mr_error_file(err, MR_ERROR_INPUT, name, 0,
                             "both ends of a link are lists; unnest one of them in a query");
    }
    if (text->where != NULL && reader->facts[WHERE] < 0) {
        return mr_error_file(err, MR_ERROR_INPUT, name, 0,
                             "has no column for --where %s; a column has a name of the header or "
                             "a number, from 1",
                             text->where);
    }
    if (text->link_kinds != 0 && !reader->has_kinds) {
        return mr_error_file(err, MR_ERROR_USAGE, name, 0,
                             "--link-kinds: a table without a column Type cannot tell kinds of "
                             "links; leave it out");
    }
    if (text->drop_nofollow && reader->facts[REL] < 0 && reader->facts[FOLLOW] < 0 &&
        reader->facts[NOFOLLOW] < 0) {
        return mr_error_file(err, MR_ERROR_USAGE, name, 0,
                             "--drop-nofollow: a table without a column Rel, Follow or Nofollow "
                             "cannot tell which links are nofollow; leave it out");
    }
    return MR_OK;
}

/* The number of fields of the first row of the look; 0: none is whole. */
static unsigned count_first(struct csv_reader *reader, const char *data, size_t bytes)
{
    struct mr_table_rows rows = mr_table_rows_of(&reader->table, data, bytes);
    bool is_good;

    while (mr_table_next(&rows, reader->table.separator, &reader->row, &is_good)) {
        if (is_good && split(reader, reader->row.line, reader->row.end, &reader->row) == NULL) {
            return reader->row.n_fields;
        }
    }
    return 0;
}

/* Does a row of the look say that its link goes in both directions? */
static bool find_undirected(struct csv_reader *reader, const char *data, size_t bytes)
{
    const struct mr_table *table = &reader->table;
    struct mr_table_rows rows = mr_table_rows_of(table, data, bytes);
    bool is_good, is_found = false;

    while (!is_found && reader->facts[TYPE] >= 0 &&
           mr_table_next(&rows, table->separator, &reader->row, &is_good)) {
        is_found = is_undirected(reader, &reader->row);
    }
    return is_found;
}

static enum mr_status refuse_columns(const char *name, const char *data, size_t bytes,
                                     const char *spec, struct mr_error *err)
{
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    struct mr_table_row row = {.line = data, .end = data};
    char quote[MR_LINES_QUOTE_BYTES];
    bool is_good;

    (void)mr_table_next(&rows, '\0', &row, &is_good);
    (void)mr_lines_quote(row.line, (size_t)(row.end - row.line), quote);
    return spec != NULL
               ? mr_error_line(err, MR_ERROR_INPUT, name, rows.line,
                               "%s: the table lacks some of the columns --columns %s; a column has "
                               "a name of the header or a number, from 1",
                               quote, spec)
               : mr_error_line(err, MR_ERROR_INPUT, name, rows.line,
                               "%s: no column is called source or target; say which they are with "
                               "--columns SOURCE,TARGET, by name or by number, from 1",
                               quote);
}

/* Describes the table, and refuses what is none. */
static enum mr_status find_columns(const struct mr_graph_request *request,
                                   struct csv_reader *reader, const char *data, size_t bytes,
                                   struct mr_error *err)
{
    const char *name = mr_input_name(request->input);
    const bool is_query = mr_query_is(request->path);
    struct mr_columns_found wanted = {.spec = request->text->column_names,
                                      .separator = is_query ? ',' : request->text->separator,
                                      .has_header = is_query};
    struct mr_table *table = &reader->table;

    if (bytes == 0) { /* the first of many parts may be empty */
        *table = (struct mr_table){.separator = ',', .row = data};
        reader->columns[1] = 1;
        reader->columns[2] = -1;
        return MR_OK;
    }
    const bool is_table = mr_columns_find(data, bytes, &wanted, table);
    memcpy(reader->columns, wanted.columns, sizeof reader->columns);
    reader->is_said = wanted.spec != NULL;
    struct mr_table other;
    const bool may_be_other = !table->is_known && !reader->is_said && !is_query;
    reader->has_count =
        may_be_other && mr_columns_find_count(data, bytes, &other, &reader->n_links);
    if (reader->has_count && other.may_be_header) {
        return mr_text_refuse_count(name, data, bytes, err);
    }
    if (reader->has_count) {
        *table = other;
        reader->columns[2] = other.n_fields == 3 ? 2 : -1;
        return MR_OK;
    }
    reader->is_numbered = may_be_other && mr_columns_find_numbered(data, bytes, &other);
    if (reader->is_numbered) {
        *table = other;
        reader->columns[0] = 2;
        reader->columns[1] = 1;
        reader->columns[2] = -1;
        return MR_OK;
    }
    if (is_table && !table->is_known && !reader->is_said && table->has_header &&
        table->n_fields - table->shift != 2) {
        return refuse_columns(name, data, bytes, NULL, err);
    }
    bool has_all = is_table || !reader->is_said;
    for (int k = 0; k < 3 && is_query && reader->is_said; k++) {
        has_all &=
            reader->columns[k] < 0 ||
            mr_query_column_at(mr_input_query(request->input), (uint64_t)reader->columns[k]).type !=
                0;
    }
    if (!has_all) {
        return refuse_columns(name, data, bytes, wanted.spec, err);
    }
    for (int k = 0; k < 3; k++) {
        const bool shifts = reader->columns[k] >= 0 && !wanted.by_number[k];
        reader->columns[k] += shifts ? (int)table->shift : 0;
    }
    const struct mr_query *query = mr_input_query(request->input);
    enum mr_status status = MR_OK;
    for (int k = 0; k < 2 && query != NULL && status == MR_OK; k++) {
        status = mr_query_look_at_end(query, name, reader->columns[k], &reader->are_lists[k], err);
    }
    return status != MR_OK || reader->is_said || reader->are_lists[0] || reader->are_lists[1]
               ? status
           : table->is_known ? mr_text_look_at_ends(name, data, bytes, table, reader->columns, err)
                             : mr_text_look(name, data, bytes, table, false, err);
}

/* Are ends of a query columns of floats? `*have_texts`: others are texts. */
static bool find_floats(struct csv_reader *reader, bool *have_texts)
{
    const struct mr_query *query = mr_input_query(reader->lines.request.input);

    *have_texts = false;
    for (int k = 0; k < 2 && query != NULL; k++) {
        const struct mr_query_column column =
            mr_query_column_at(query, (uint64_t)reader->columns[k]);
        reader->most[k] = column.type == MR_QUERY_FLOAT    ? MR_SINGLE_WHOLE
                          : column.type == MR_QUERY_DOUBLE ? MR_DOUBLE_WHOLE
                                                           : 0;
        *have_texts |= !column.is_number;
    }
    return reader->most[0] + reader->most[1] > 0;
}

static enum mr_status open_csv(void *opened, struct mr_graph_head *head, struct mr_error *err)
{
    struct csv_reader *reader = opened;
    const struct mr_graph_request *request = &reader->lines.request;
    const char *data;
    size_t bytes;
    bool are_ids, have_texts;

    enum mr_status status = mr_input_peek(request->input, &data, &bytes, err);
    if (status == MR_OK) {
        status = mr_line_reader_begin(&reader->lines, csv_line, err);
    }
    if (status == MR_OK) {
        status = find_columns(request, reader, data, bytes, err);
    }
    if (status == MR_OK) {
        status = find_facts(reader, data, bytes, err);
    }
    if (status == MR_OK) {
        const bool have_floats = find_floats(reader, &have_texts);
        reader->are_numbers =
            reader->has_count ||
            (!request->text->are_names && !reader->is_numbered && !reader->has_codes &&
             !reader->are_lists[0] && !reader->are_lists[1] &&
             ((have_floats && !have_texts) ||
              mr_columns_are_numbers(data, bytes, &reader->table, reader->columns, &are_ids)));
        reader->names = !reader->has_count && /* one negative id, and all are names */
                        (!reader->are_numbers ||
                         (!have_floats && has_end(reader, data, bytes, mr_column_is_negative)));
        if (have_floats && reader->names) {
            return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(request->input), 0,
                                 "a column of floats beside names is no end of a link; cast it: "
                                 "--sql \"select s::bigint, t from 'FILE'\"");
        }
        *head = (struct mr_graph_head){.ids = reader->names ? MR_IDS_TEXT : MR_IDS_SPARSE,
                                       .weighted = reader->columns[2] >= 0};
        if (!reader->is_said && reader->table.is_known) {
            const bool are_first = reader->columns[0] == 0 && reader->columns[1] == 1;
            head->with_ends = are_first ? '\0' : mr_table_separator(reader->table.separator);
        } else if (!reader->is_said && !reader->table.has_header && bytes > 0) {
            head->headless = mr_table_separator(reader->table.separator);
        }
        reader->has_decimals = mr_table_has_decimals(mr_table_rows_of(&reader->table, data, bytes),
                                                     reader->table.separator);
        reader->n_first = reader->is_said ? count_first(reader, data, bytes) : 0;
        reader->are_urls =
            reader->names && !reader->is_numbered && has_end(reader, data, bytes, mr_table_is_url);
        status = mr_graph_direction(request, head, err);
        if (!reader->has_count && find_undirected(reader, data, bytes)) {
            head->both_ways = "Undirected";
            head->mirrors = true;
        }
    }
    return status;
}

static void note_columns(const struct csv_reader *reader)
{
    const struct mr_table *table = &reader->table;
    const struct mr_graph_request *request = &reader->lines.request;
    const char *name = mr_input_name(request->input);

    if (reader->has_count) {
        mr_context_note(request->context,
                        "%s:%u is read as a count of the links below it, and not as a link", name,
                        table->n_before);
    } else if (reader->is_numbered) {
        mr_context_note(request->context,
                        "%s is read as Heritrix's input_links.txt, lines NUMBER TARGET SOURCE; if "
                        "the source comes first, say --columns 2,3",
                        name);
    } else if (!table->is_known && !reader->is_said) {
        mr_context_note(request->context,
                        "%s has no header%s; its first column is read as source, the second as "
                        "target; if the target comes first, say --columns target-source",
                        name,
                        table->has_header     ? " with known names, and its first line is no link"
                        : table->n_fields > 2 ? ", and its further columns are ignored"
                                              : "");
    }
}

/* May all threads take the rows? */
static bool is_by_all(const struct csv_reader *reader)
{
    return reader->lines.batch.sink->lines != NULL && !reader->are_lists[0] &&
           !reader->are_lists[1] && (!reader->is_said || reader->n_first > 0);
}

/* Are plain rows two numbers, below a line that names them? */
static enum mr_plain_lines plain_rows(const struct csv_reader *reader)
{
    const struct mr_table *table = &reader->table;
    const bool are_plain = is_by_all(reader) && table->has_header && table->n_before == 1 &&
                           table->n_fields == 2 && table->shift == 0 && !reader->names &&
                           !reader->is_said && !reader->has_count && reader->facts[WHERE] < 0 &&
                           reader->columns[2] < 0 && reader->most[0] + reader->most[1] == 0;

    return !are_plain ? MR_PLAIN_NONE : reader->columns[0] == 1 ? MR_PLAIN_TURNED : MR_PLAIN_LINKS;
}

/* May formats/graph/query_edges.h take the rows of a query? No column but those of the links says
 * anything of them. */
static bool is_direct(const struct csv_reader *reader)
{
    const struct mr_edge_text_options *text = reader->lines.request.text;
    struct mr_query *query = mr_input_query(reader->lines.request.input);

    return query != NULL && reader->lines.batch.sink->lines != NULL && reader->table.has_header &&
           reader->table.shift == 0 && !reader->has_count && !reader->is_numbered &&
           !reader->are_lists[0] && !reader->are_lists[1] && !reader->has_codes &&
           reader->facts[TYPE] < 0 && reader->facts[WHERE] < 0 && !text->drop_nofollow &&
           mr_query_restart(query);
}

static enum mr_status read_directly(struct csv_reader *reader, struct mr_error *err)
{
    struct mr_query_links links = {.are_names = reader->names,
                                   .is_said = reader->is_said,
                                   .words = reader->words[0] != '\0' ? reader->words : NULL};
    memcpy(links.columns, reader->columns, sizeof links.columns);
    return mr_query_edges_read(&reader->lines, mr_input_query(reader->lines.request.input), &links,
                               err);
}

static enum mr_status read_csv(void *data, struct mr_error *err)
{
    struct csv_reader *reader = data;
    const struct mr_graph_request *request = &reader->lines.request;

    note_columns(reader);
    if (is_direct(reader)) {
        return read_directly(reader, err);
    }
    const struct mr_edge_text_summary *summary = request->summary;
    const uint64_t before = summary->lines - summary->blank - summary->comments;
    const enum mr_plain_lines plain = plain_rows(reader);
    struct mr_table table = reader->table;

    table.joins &= plain == MR_PLAIN_NONE; /* numbers have no line ends in them */
    reader->lines.notes_skipped = plain != MR_PLAIN_NONE;
    enum mr_status status = mr_table_begin(&table, reader->lines.lines, err);
    if (status == MR_OK) {
        status = is_by_all(reader)
                     ? mr_link_rows_read(&reader->lines, reader->names, take_row, plain, err)
                     : mr_line_reader_read(reader, err);
    }
    if (status == MR_OK && reader->is_said && reader->n_uneven > 0) {
        mr_context_note(request->context,
                        "%s: %llu of %llu rows have another number of fields than the first one; "
                        "--columns takes the same columns of all",
                        mr_input_name(request->input), (unsigned long long)reader->n_uneven,
                        (unsigned long long)(summary->lines - summary->blank - summary->comments -
                                             before - reader->n_no_rows));
    }
    const uint64_t n = reader->lines.batch.n_edges + reader->lines.batch.n + reader->lines.n_bad;
    const char *name = mr_input_name(request->input);
    char command[64], text[MR_WAY_OUT_BYTES];

    (void)snprintf(command, sizeof command, "tail -n +%u FILE | millrace ... -",
                   reader->table.n_before + 1);
    return status == MR_OK && reader->has_count && n != reader->n_links
               ? mr_error_line(err, MR_ERROR_INPUT, name, reader->table.n_before,
                               "a count of %llu links, it seems, above %llu; leave the line out "
                               "(%s), or say --columns 1,2 if it is a link",
                               (unsigned long long)reader->n_links, (unsigned long long)n,
                               mr_text_way_out(name, command, text))
               : status;
}

const struct mr_graph_format mr_format_csv = {.name = "csv",
                                              .title = "a table",
                                              .rows = MR_ROWS_OF_TABLE,
                                              .takes_separator = true,
                                              .tells_nofollow = true,
                                              .link_kinds = MR_LINKS_DEFAULT |
                                                            MR_LINKS_OF_ELEMENTS | MR_LINK_EMBED,
                                              .detect = detect,
                                              .reader_bytes = sizeof(struct csv_reader),
                                              .open = open_csv,
                                              .read = read_csv,
                                              .close = mr_line_reader_close};
