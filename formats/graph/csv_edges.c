/* SPDX-License-Identifier: Apache-2.0 */
/* Reads links from tables (formats/table/table.h). The words of the header show which columns are
 * the ends of a link, as cuGraph, Gephi, igraph, Neo4j, Neptune, ArangoDB and the crawlers of sites
 * write them; --columns names others. Without a header the first two columns are source and target,
 * if every line has the same number of fields. formats/graph/edge_text.h reads lines of two names
 * or numbers with blanks or tabs between, several times as fast; this reader takes those that it
 * would read wrongly: names of several words, quotes, headers.
 *
 * Ids are numbers if those of the first row are numbers, otherwise names. A column that no word
 * names may hold a neighbour. A row with more fields than the header, or than the other rows, is
 * therefore a bad line, and a file whose third column has names of pages is refused. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/base/decimal.h"
#include "formats/graph/graph_reader.h"
#include "formats/graph/line_reader.h"
#include "formats/graph/text_look.h"
#include "formats/table/column_words.h"
#include "formats/table/table.h"

enum { LOOK_ROWS = 1000, COUNTED_LINKS = 64 };

/* ---- Columns by their words ---- */

/* Is the rest of a word made of affixes? */
static bool are_affixes(const char *rest)
{
    while (*rest != '\0') {
        const char *affix = MR_WORDS_AFFIX;
        size_t n = strcspn(affix, " ");
        while (n > 0 && strncmp(rest, affix, n) != 0) {
            affix += n + 1;
            n = strcspn(affix, " ");
        }
        if (n == 0) {
            return false;
        }
        rest += n;
    }
    return true;
}

/* Is the word one of these? `rest` gets what stands beside it. */
static bool find_word(const char *word, const char *words, char rest[MR_TABLE_WORD_BYTES])
{
    const size_t bytes = strlen(word);

    for (size_t n; *words != '\0'; words += n + 1) {
        const bool alone = *words == '=';
        words += alone;
        n = strcspn(words, " ");
        if (n > bytes || (n == bytes && word[0] <= '9') || (alone && n != bytes)) {
            continue;
        }
        const bool is_first = memcmp(word, words, n) == 0;
        if (is_first || memcmp(word + bytes - n, words, n) == 0) {
            (void)snprintf(rest, MR_TABLE_WORD_BYTES, "%.*s", (int)(bytes - n),
                           is_first ? word + n : word);
            if (are_affixes(rest)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_end(const struct mr_table_field *field, const char *words,
                   char rest[MR_TABLE_WORD_BYTES])
{
    char word[MR_TABLE_WORD_BYTES];

    for (unsigned part = 0; part < 2; part++) {
        mr_table_word(field->text, field->bytes, part, word);
        if (find_word(word, words, rest)) {
            return true;
        }
    }
    return false;
}

/* Finds the columns of source, target and weight (-1: none) by the words of a header row. Returns
 * false if it names no source and target. */
static bool find_link_columns(const struct mr_table_row *row, int columns[3])
{
    const int n = (int)(row->n_fields < MR_TABLE_FIELDS ? row->n_fields : MR_TABLE_FIELDS);
    char source[MR_TABLE_WORD_BYTES], target[MR_TABLE_WORD_BYTES];
    int page = -1, alone = -1;
    bool fits = false; /* source and target have the same words beside them, such as "url" */

    columns[0] = columns[1] = columns[2] = -1;
    for (int i = 0; i < n; i++) {
        const struct mr_table_field *field = &row->fields[i];
        const bool is_source = is_end(field, MR_WORDS_SOURCE, source);
        for (int k = 0; k < n && is_source && !fits; k++) {
            if (k != i && is_end(&row->fields[k], MR_WORDS_TARGET, target)) {
                fits = strcmp(source, target) == 0;
                columns[0] = fits || columns[0] < 0 ? i : columns[0];
                columns[1] = fits || columns[1] < 0 ? k : columns[1];
            }
        }
        alone = alone < 0 && (is_source || is_end(field, MR_WORDS_TARGET, target)) ? i : alone;
        page = page < 0 && mr_table_is(field, MR_WORDS_LINKS_PAGE) ? i : page;
        columns[2] = columns[2] < 0 && mr_table_is(field, MR_WORDS_LINK_WEIGHT) ? i : columns[2];
    }
    if (columns[0] < 0 && alone >= 0 && page >= 0) { /* the page is the end that is missing */
        const bool is_source = is_end(&row->fields[alone], MR_WORDS_SOURCE, source);
        columns[0] = is_source ? alone : page;
        columns[1] = is_source ? page : alone;
    }
    return columns[0] >= 0;
}

/* ---- Columns that the user names ---- */

static bool whole_number(const struct mr_table_field *field, uint64_t *number)
{
    return mr_decimal_whole(field->text, field->text + field->bytes, number) &&
           *number != UINT64_MAX;
}

/* What header to look for, and the columns that it shows. */
struct wanted {
    const char *spec; /* SOURCE,TARGET[,WEIGHT] of --columns, or NULL */
    int columns[3];
    bool by_number[3];
};

/* Is the part of the spec the name of the field? */
static bool is_named(const struct mr_table_field *field, const char *name, size_t bytes)
{
    char wanted[MR_TABLE_WORD_BYTES], word[MR_TABLE_WORD_BYTES];
    if (field->bytes == bytes && memcmp(field->text, name, bytes) == 0) {
        return true;
    }
    mr_table_word(name, bytes, 0, wanted);
    mr_table_word(field->text, field->bytes, 0, word);
    return word[0] != '\0' && strcmp(word, wanted) == 0;
}

/* Finds the columns of the spec: numbers, from 1, and the names of a header, or NULL. Returns false
 * if `header` lacks a name. */
static bool take_spec(struct wanted *wanted, const struct mr_table_row *header)
{
    const char *at = wanted->spec;

    wanted->columns[2] = -1;
    for (int k = 0; k < 3 && at != NULL; k++) {
        const size_t bytes = strcspn(at, ",");
        const struct mr_table_field part = {.text = at, .bytes = bytes};
        uint64_t number;
        int column = -1;
        wanted->by_number[k] = whole_number(&part, &number);
        if (wanted->by_number[k]) {
            column = number >= 1 && number <= MR_TABLE_FIELDS ? (int)number - 1 : -1;
        } else if (header != NULL) {
            for (unsigned i = 0; i < header->n_fields && i < MR_TABLE_FIELDS && column < 0; i++) {
                column = is_named(&header->fields[i], at, bytes) ? (int)i : -1;
            }
        }
        if (column < 0) {
            return false;
        }
        wanted->columns[k] = column;
        at = at[bytes] == ',' ? at + bytes + 1 : NULL;
    }
    return true;
}

/* A mr_table_header. */
static bool is_header(void *data, const struct mr_table_row *row)
{
    struct wanted *wanted = data;
    int columns[3];

    if (wanted->spec == NULL) {
        return find_link_columns(row, wanted->columns);
    }
    const bool has_names = !take_spec(wanted, NULL);
    return has_names ? take_spec(wanted, row) : find_link_columns(row, columns);
}

/* ---- Tables without a header that is known ---- */

/* May the field be a name of several words, such as Marie Curie, or a URL with a blank in it? Words
 * with dots, slashes or colons inside may be several names, and numbers are. */
static bool is_one_name(const struct mr_table_field *field, bool *has_blanks)
{
    const char *at = field->text, *const end = at + field->bytes, *word;
    unsigned n_words = 0, n_inner = 0, n_numbers = 0, n_urls = 0;
    size_t bytes;

    while ((word = mr_lines_field(&at, end, &bytes)) != NULL) {
        const struct mr_table_field part = {.text = word, .bytes = bytes};
        bool is_inner = false;
        for (size_t i = 0; i + 1 < bytes; i++) {
            is_inner |= strchr("./:", word[i]) != NULL && word[i] != '\0';
        }
        n_words++;
        n_inner += is_inner;
        n_urls += mr_table_is_url(&part);
        n_numbers += mr_table_is_number(&part);
    }
    *has_blanks |= n_words > 1;
    return n_words == 1 ||
           (n_words > 1 && n_numbers < n_words && n_urls < 2 && (n_inner < n_words || n_urls == 1));
}

static bool has_csv_suffix(const char *path)
{
    const char *const suffix = strcasestr(path, ".csv");
    return suffix != NULL && (suffix[4] == '\0' || strcasecmp(suffix + 4, ".gz") == 0 ||
                              strcasecmp(suffix + 4, ".zst") == 0);
}

/* Is it a table without a known header that edge_text.h would read wrongly? Text that is no table
 * has commas, too, so names with blanks count where the user says that it is a table (`is_said`).
 */
static bool is_bare(const char *data, size_t bytes, const struct mr_table *table, bool is_said)
{
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    struct mr_table_row row;
    const char separator = table->separator;
    bool has_quotes = false, all_quoted = true, has_blanks = false, are_weights = true, is_good;

    for (unsigned n = 0;
         n < LOOK_ROWS && !table->has_header && mr_table_next(&rows, separator, &row, &is_good);
         n++) {
        for (unsigned k = 0; k < 2; k++) {
            if (!is_good || row.n_fields < 2 || !is_one_name(&row.fields[k], &has_blanks)) {
                return false;
            }
            has_quotes |= row.fields[k].is_quoted;
            all_quoted &= row.fields[k].is_quoted;
        }
        are_weights &= mr_table_is_number(&row.fields[1]);
    }
    if (table->has_header || (has_blanks && are_weights)) { /* "a b<TAB>3" is a link of weight 3 */
        return table->has_header;
    }
    if (separator == ' ' || separator == '\t') {
        return has_quotes || (separator == '\t' && has_blanks);
    }
    return (separator != ',' || mr_edge_text_detect(data, bytes, 2) == MR_IDS_TEXT) &&
           (!has_blanks || is_said || all_quoted);
}

/* Describes the table by its header, or by its rows. Returns false if it is none, or if
 * edge_text.h reads it. */
static bool find_table(const char *data, size_t bytes, bool is_said, struct wanted *wanted,
                       struct mr_table *table)
{
    const char *separators = "\t\0,\0;\0|\0 ";
    struct mr_table_wish wish = {.is_header = is_header, .data = wanted};

    if (wanted->spec != NULL) {
        for (int k = 0; take_spec(wanted, NULL) && k < 3; k++) {
            const unsigned column = (unsigned)(wanted->columns[k] + 1);
            wish.n_least = column > wish.n_least ? column : wish.n_least;
        }
        mr_table_look(data, bytes, &wish, table);
        return table->separator != '\0' && (table->is_known || take_spec(wanted, NULL));
    }
    mr_table_look(data, bytes, &wish, table);
    if (table->is_known) {
        return true;
    }
    wanted->columns[0] = 0;
    wanted->columns[1] = 1;
    wanted->columns[2] = -1;
    wish.is_header = NULL;
    for (int i = 0; i < 5; i++) {
        wish.separators = separators + 2 * (size_t)i;
        mr_table_look(data, bytes, &wish, table);
        if (table->separator != '\0' && is_bare(data, bytes, table, is_said)) {
            return true;
        }
    }
    return false;
}

/* The number of fields if all are whole numbers and there are at most three; otherwise 0. */
static unsigned take_numbers(const struct mr_table_row *row, uint64_t numbers[3])
{
    for (unsigned i = 0; i < row->n_fields; i++) {
        if (i == 3 || !whole_number(&row->fields[i], &numbers[i])) {
            return 0;
        }
    }
    return row->n_fields;
}

/* Is the first row a count, such as "4 4 3" (rows, columns, entries) above lines of two numbers? No
 * id may be above it, and so many links must follow; where the look does not have all of them, that
 * is checked at the end. "100 99" may be a link, so it must have all of them, and not few. */
static bool find_count(const char *data, size_t bytes, struct mr_table *table, uint64_t *n_links)
{
    for (const char *separator = "\t, "; *separator != '\0'; separator++) {
        struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
        struct mr_table_row row;
        uint64_t count[3] = {0}, ids[3], n_rows = 0;
        unsigned n = 0;
        bool is_good = true;

        if (mr_table_next(&rows, *separator, &row, &is_good) && is_good) {
            n = take_numbers(&row, count);
        }
        *table = (struct mr_table){
            .separator = *separator, .n_before = (unsigned)rows.line, .n_fields = 2};
        while (n >= 2 && mr_table_next(&rows, *separator, &row, &is_good)) {
            const bool fits = is_good && take_numbers(&row, ids) == 2 && ids[0] <= count[0] &&
                              ids[1] <= count[n == 3 ? 1 : 0];
            n = fits ? n : 0;
            n_rows++;
        }
        *n_links = count[n > 0 ? n - 1 : 0];
        if (n_rows > 0 && n > 0 && (n_rows == *n_links || (n == 3 && rows.is_cut)) &&
            (n == 3 || (n_rows >= COUNTED_LINKS && !rows.is_cut))) {
            return true;
        }
    }
    return false;
}

static bool is_same(const struct mr_table_field *a, const struct mr_table_field *b)
{
    return a->bytes == b->bytes && memcmp(a->text, b->text, a->bytes) == 0;
}

/* Is it the input_links.txt of Heritrix's offline PageRank, NUMBER TARGET SOURCE? Lines with the
 * same target stand together and have its number. Where each line has another number, the numbers
 * may be those of the lines, and the source may come first. */
static bool find_numbered(const char *data, size_t bytes, struct mr_table *table)
{
    for (const char *separator = " \t"; *separator != '\0'; separator++) {
        struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
        struct mr_table_row row, last = {.n_fields = 0};
        uint64_t number;
        unsigned n_repeated = 0;
        bool fits = true, is_good;

        for (; fits && mr_table_next(&rows, *separator, &row, &is_good); last = row) {
            fits = is_good && row.n_fields == 3 && whole_number(&row.fields[0], &number) &&
                   mr_table_is_url(&row.fields[1]) && mr_table_is_url(&row.fields[2]);
            if (fits && last.n_fields > 0) {
                const bool is_repeated = is_same(&row.fields[0], &last.fields[0]);
                fits = is_repeated == is_same(&row.fields[1], &last.fields[1]);
                n_repeated += is_repeated;
            }
        }
        if (fits && n_repeated > 0) {
            *table = (struct mr_table){.separator = *separator, .row = data, .n_fields = 3};
            return true;
        }
    }
    return false;
}

static bool detect(const struct mr_graph_probe *probe)
{
    struct wanted wanted = {0};
    struct mr_table table;
    uint64_t n_links;

    return find_table(probe->data, probe->bytes, has_csv_suffix(probe->path), &wanted, &table) ||
           find_count(probe->data, probe->bytes, &table, &n_links) ||
           find_numbered(probe->data, probe->bytes, &table);
}

/* ---- Rows ---- */

struct csv_reader {
    struct mr_line_reader lines;
    struct mr_table table;
    int columns[3]; /* of source, target and weight; -1: none */
    int type; /* the column that may say "Undirected" (Gephi); -1: none */
    bool is_said; /* the user named the columns */
    bool names; /* ids are names, not numbers */
    bool is_numbered; /* NUMBER TARGET SOURCE */
    bool has_count; /* the file says that it has n_links */
    uint64_t n_links;
    struct mr_table_row row;
    char field[MR_NAME_MAX_BYTES]; /* the text of a field that had quotes in it */
};

/* Returns NULL, or what is wrong with the fields of a row. */
static const char *split(struct csv_reader *reader, const char *line, const char *end)
{
    struct mr_table_row *row = &reader->row;
    const struct mr_table *table = &reader->table;

    if (!mr_table_split(line, end, table->separator, row)) {
        return "its quotes do not match";
    }
    for (int k = 0; k < 2; k++) {
        if ((unsigned)reader->columns[k] >= row->n_fields ||
            row->fields[reader->columns[k]].bytes == 0) {
            return "no source or no target";
        }
    }
    for (unsigned i = table->n_fields; i < row->n_fields && !reader->is_said; i++) {
        if (i >= MR_TABLE_FIELDS || row->fields[i].bytes > 0) {
            return table->has_header ? "more fields than the header"
                                     : "more fields than the other lines";
        }
    }
    return NULL;
}

/* Takes the id of an end: a number, or the number that the sink gives to the name. Returns NULL, or
 * what is wrong. */
static const char *take_id(struct csv_reader *reader, int k, uint64_t *id, enum mr_status *status,
                           struct mr_error *err)
{
    const struct mr_graph_sink *sink = reader->lines.batch.sink;
    const struct mr_table_field *field = &reader->row.fields[reader->columns[k]];
    size_t bytes;

    if (!reader->names) {
        return whole_number(field, id) ? NULL : "a vertex is no number";
    }
    if (field->bytes > MR_NAME_MAX_BYTES) {
        return "a name is longer than 65536 bytes";
    }
    if (memchr(field->text, '\n', field->bytes) != NULL) {
        return "a name has a line end in it";
    }
    const char *text = mr_table_text(field, reader->field, &bytes);
    *status = sink->name(sink->data, text, bytes, id, err);
    return *status == MR_OK && *id == UINT64_MAX ? "a name is not in the vertex list" : NULL;
}

/* Takes the weight of a row. Returns NULL, or what is wrong. */
static const char *take_weight(const struct csv_reader *reader, double *weight)
{
    const struct mr_graph_request *request = &reader->lines.request;
    const unsigned column = (unsigned)reader->columns[2];

    if (column >= reader->row.n_fields ||
        !mr_table_number(&reader->row.fields[column], reader->table.separator, weight)) {
        return request->weights == MR_WEIGHTS_MUST
                   ? "the weight is missing or no number"
                   : "the weight is missing or no number; --no-weights reads past weights";
    }
    return mr_graph_refuses_weight(request, *weight) ? mr_graph_weight_reason(*weight) : NULL;
}

/* Does the row say that its link goes in both directions? */
static bool is_undirected(const struct csv_reader *reader)
{
    return !reader->lines.request.directed && reader->type >= 0 &&
           (unsigned)reader->type < reader->row.n_fields &&
           mr_table_is(&reader->row.fields[reader->type], " undirected ");
}

static enum mr_status csv_line(struct mr_line_reader *lines, const char *line, const char *end,
                               struct mr_error *err)
{
    struct csv_reader *reader = (struct csv_reader *)lines;
    uint64_t ids[2] = {0, 0};
    double weight = 1;
    enum mr_status status = MR_OK;

    if (line == end || (*line == '#' && (line + 1 == end || line[1] == ' '))) {
        lines->request.summary->blank += line == end;
        lines->request.summary->comments += line < end;
        return MR_OK;
    }
    const char *reason = split(reader, line, end);
    if (reason == NULL && lines->batch.weights) {
        reason = take_weight(reader, &weight);
    }
    for (int k = 0; k < 2 && reason == NULL && status == MR_OK && weight != 0; k++) {
        reason = take_id(reader, k, &ids[k], &status, err);
    }
    if (status != MR_OK) {
        return status;
    }
    if (reason != NULL) {
        return mr_line_reader_bad(lines, line, end, reason, err);
    }
    if ((lines->request.text->mirrors || is_undirected(reader)) && ids[0] != ids[1]) {
        status = mr_edge_batch_add(&lines->batch, ids[1], ids[0], weight, err);
    }
    return status == MR_OK ? mr_edge_batch_add(&lines->batch, ids[0], ids[1], weight, err) : status;
}

/* ---- Opening ---- */

/* Are the ends of the first row names? */
static bool has_names(struct csv_reader *reader, const char *data, const char *end)
{
    struct mr_table_rows rows = {.at = data, .end = end};
    uint64_t id;
    bool is_good;

    return mr_table_next(&rows, reader->table.separator, &reader->row, &is_good) && is_good &&
           split(reader, reader->row.line, reader->row.end) == NULL &&
           !(whole_number(&reader->row.fields[reader->columns[0]], &id) &&
             whole_number(&reader->row.fields[reader->columns[1]], &id));
}

/* Finds the column that says of each row whether it is directed. Returns true if one is not. */
static bool find_type(struct csv_reader *reader, const char *data, size_t bytes)
{
    const struct mr_table *table = &reader->table;
    struct mr_table_rows rows = {.at = table->header, .end = data + bytes};
    bool is_good, is_found = false;

    reader->type = -1;
    if (!table->is_known || table->header == NULL ||
        !mr_table_next(&rows, table->separator, &reader->row, &is_good)) {
        return false;
    }
    for (unsigned i = 0; i < reader->row.n_fields && i < MR_TABLE_FIELDS; i++) {
        if (mr_table_is(&reader->row.fields[i], " type ")) {
            reader->type = (int)(i + table->shift);
        }
    }
    while (!is_found && reader->type >= 0 &&
           mr_table_next(&rows, table->separator, &reader->row, &is_good)) {
        is_found = is_undirected(reader);
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
    struct wanted wanted = {.spec = request->text->column_names};
    struct mr_table *table = &reader->table;

    if (bytes == 0) { /* the first of many parts may be empty */
        *table = (struct mr_table){.separator = ',', .row = data};
        reader->columns[1] = 1;
        reader->columns[2] = -1;
        return MR_OK;
    }
    const bool is_table = find_table(data, bytes, has_csv_suffix(request->path), &wanted, table) ||
                          find_table(data, bytes, true, &wanted, table);
    memcpy(reader->columns, wanted.columns, sizeof reader->columns);
    reader->is_said = wanted.spec != NULL;
    reader->has_count =
        !is_table && !reader->is_said && find_count(data, bytes, table, &reader->n_links);
    if (reader->has_count) {
        return MR_OK;
    }
    reader->is_numbered = !is_table && !reader->is_said && find_numbered(data, bytes, table);
    if (reader->is_numbered) {
        reader->columns[0] = 2;
        reader->columns[1] = 1;
        reader->columns[2] = -1;
        return MR_OK;
    }
    if (!is_table || (table->has_header && !table->is_known && !reader->is_said &&
                      table->n_fields - table->shift != 2)) {
        return refuse_columns(name, data, bytes, wanted.spec, err);
    }
    for (int k = 0; k < 3; k++) {
        const bool shifts = reader->columns[k] >= 0 && !wanted.by_number[k];
        reader->columns[k] += shifts ? (int)table->shift : 0;
    }
    return table->is_known || reader->is_said
               ? MR_OK
               : mr_text_look(name, data, bytes, table->separator, err);
}

static enum mr_status open_csv(void *opened, struct mr_graph_head *head, struct mr_error *err)
{
    struct csv_reader *reader = opened;
    const struct mr_graph_request *request = &reader->lines.request;
    const char *data;
    size_t bytes;

    enum mr_status status = mr_input_peek(request->input, &data, &bytes, err);
    if (status == MR_OK) {
        status = mr_line_reader_begin(&reader->lines, csv_line, err);
    }
    if (status == MR_OK) {
        status = find_columns(request, reader, data, bytes, err);
    }
    if (status == MR_OK) {
        reader->names = !reader->has_count && has_names(reader, reader->table.row, data + bytes);
        *head = (struct mr_graph_head){.ids = reader->names ? MR_IDS_TEXT : MR_IDS_SPARSE,
                                       .weighted = reader->columns[2] >= 0};
        status = mr_graph_direction(request, head, err);
        if (find_type(reader, data, bytes)) {
            head->both_ways = "Undirected";
            head->mirrors = true;
        }
    }
    return status == MR_OK ? mr_table_begin(&reader->table, reader->lines.lines, err) : status;
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

static enum mr_status read_csv(void *data, struct mr_error *err)
{
    struct csv_reader *reader = data;
    const struct mr_graph_request *request = &reader->lines.request;

    note_columns(reader);
    const enum mr_status status = mr_line_reader_read(reader, err);
    const uint64_t n = reader->lines.batch.n_edges + reader->lines.batch.n + reader->lines.n_bad;
    return status == MR_OK && reader->has_count && n != reader->n_links
               ? mr_error_line(err, MR_ERROR_INPUT, mr_input_name(request->input),
                               reader->table.n_before,
                               "a count of %llu links, it seems, above %llu; leave the line out "
                               "(tail -n +%u FILE | millrace ... -), or say --columns 1,2 if it is "
                               "a link",
                               (unsigned long long)reader->n_links, (unsigned long long)n,
                               reader->table.n_before + 1)
               : status;
}

const struct mr_graph_format mr_format_csv = {.name = "csv",
                                              .title = "a table",
                                              .detect = detect,
                                              .reader_bytes = sizeof(struct csv_reader),
                                              .open = open_csv,
                                              .read = read_csv,
                                              .close = mr_line_reader_close};
