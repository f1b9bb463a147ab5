/* SPDX-License-Identifier: Apache-2.0 */
/* What lines of links are: a table, lines of two numbers or lines of two names, and which columns
 * are the ends of a link. Detection asks here, and the readers of tables and of lines do so when
 * they open an input, so that both decide by the same rules. The words of the header show the
 * columns, as cuGraph, Gephi, igraph, Neo4j, Neptune, ArangoDB and the crawlers of sites write
 * them. */
#include "formats/graph/link_columns.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/base/decimal.h"
#include "formats/graph/edge_text.h"
#include "formats/table/column_words.h"

enum { COUNTED_LINKS = 64, WEIGHTED_LINKS = 3 };

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
    char source[MR_TABLE_WORD_BYTES] = "", target[MR_TABLE_WORD_BYTES] = "";
    enum { NONE = -1, SEVERAL = -2 };
    int pages[2] = {NONE, NONE}, alone = -1;
    bool fits = false; /* source and target have the same words beside them, such as "url" */

    columns[0] = columns[1] = columns[2] = -1;
    for (int i = 0; i < n; i++) {
        const struct mr_table_field *field = &row->fields[i];
        const bool is_source =
            is_end(field, MR_WORDS_SOURCE, source) || mr_table_is(field, MR_WORDS_SOURCES);
        const bool is_target =
            is_end(field, MR_WORDS_TARGET, target) || mr_table_is(field, MR_WORDS_TARGETS);
        for (int k = 0; k < n && is_source && !fits; k++) {
            const bool are_targets = !mr_table_is(field, MR_WORDS_SOURCES) &&
                                     mr_table_is(&row->fields[k], MR_WORDS_TARGETS);
            if (k != i && (is_end(&row->fields[k], MR_WORDS_TARGET, target) || are_targets)) {
                fits = !are_targets && strcmp(source, target) == 0;
                columns[0] = fits || columns[0] < 0 ? i : columns[0];
                columns[1] = fits || columns[1] < 0 ? k : columns[1];
            }
        }
        alone = alone < 0 && (is_source || is_target) ? i : alone;
        if (mr_table_is(field, MR_WORDS_LINKS_PAGE)) {
            pages[0] = pages[0] == NONE ? i : SEVERAL;
        } else if (mr_table_is(field, MR_WORDS_LINKS_THING)) {
            pages[1] = pages[1] == NONE ? i : SEVERAL;
        }
        columns[2] = columns[2] < 0 && mr_table_is(field, MR_WORDS_LINK_WEIGHT) ? i : columns[2];
    }
    /* The page is the end that is missing. */
    const int page = pages[0] == NONE ? pages[1] : pages[0];
    if (columns[0] < 0 && alone >= 0 && page >= 0) {
        const bool is_source = is_end(&row->fields[alone], MR_WORDS_SOURCE, source) ||
                               mr_table_is(&row->fields[alone], MR_WORDS_SOURCES);
        columns[0] = is_source ? alone : page;
        columns[1] = is_source ? page : alone;
    }
    return columns[0] >= 0;
}

/* ---- Columns that the user names ---- */

bool mr_column_is_negative(const struct mr_table_field *field)
{
    const struct mr_table_field rest = {.text = field->text + 1, .bytes = field->bytes - 1};
    uint64_t number;

    return field->bytes > 1 && field->text[0] == '-' && mr_column_whole(&rest, &number);
}

bool mr_column_has_urls(const struct mr_table_field *field)
{
    const char *at = field->text, *const end = at + field->bytes;

    for (bool is_first = true; (at = memmem(at, (size_t)(end - at), "://", 3)) != NULL;
         at += 3, is_first = false) {
        const char *scheme = at;
        while (scheme > field->text && ((scheme[-1] | 32) >= 'a' && (scheme[-1] | 32) <= 'z')) {
            scheme--;
        }
        if (!is_first && scheme > field->text && strchr(",;| \n", scheme[-1]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Is the part of the spec the name of the field? */
bool mr_column_is_named(const struct mr_table_field *field, const char *name, size_t bytes)
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
static bool take_spec(struct mr_columns_found *wanted, const struct mr_table_row *header)
{
    const char *at = wanted->spec;

    wanted->columns[2] = -1;
    for (int k = 0; k < 3 && at != NULL; k++) {
        const size_t bytes = strcspn(at, ",");
        const struct mr_table_field part = {.text = at, .bytes = bytes};
        uint64_t number;
        int column = -1;
        wanted->by_number[k] = mr_column_whole(&part, &number);
        if (wanted->by_number[k]) {
            column = number >= 1 && number <= MR_TABLE_FIELDS ? (int)number - 1 : -1;
        } else if (header != NULL) {
            for (unsigned i = 0; i < header->n_fields && i < MR_TABLE_FIELDS && column < 0; i++) {
                column = mr_column_is_named(&header->fields[i], at, bytes) ? (int)i : -1;
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

bool mr_columns_of_header(const struct mr_table_row *header, const char *spec, int columns[3])
{
    struct mr_columns_found wanted = {.spec = spec};

    const bool has_them =
        spec == NULL ? find_link_columns(header, wanted.columns) : take_spec(&wanted, header);
    memcpy(columns, wanted.columns, sizeof wanted.columns);
    return has_them;
}

/* A mr_table_header. */
static bool is_header(void *data, const struct mr_table_row *row)
{
    struct mr_columns_found *wanted = data;
    int columns[3];

    if (wanted->spec == NULL) {
        const bool are_known = find_link_columns(row, wanted->columns);
        if (!are_known && wanted->has_header && row->n_fields == 2) {
            memcpy(wanted->columns, (const int[]){0, 1, -1}, sizeof wanted->columns);
        }
        return are_known || (wanted->has_header && row->n_fields == 2);
    }
    const bool has_names = !take_spec(wanted, NULL);
    return has_names ? take_spec(wanted, row) : find_link_columns(row, columns);
}

/* ---- Which lines are a table ---- */

static bool has_digit(const struct mr_table_field *field)
{
    for (size_t i = 0; i < field->bytes; i++) {
        if (field->text[i] >= '0' && field->text[i] <= '9') {
            return true;
        }
    }
    return false;
}

/* How sure is it that the field names a column? 2: a word for an end of a link or its page, or one
 * like retweeted_user; 1: a word for a thing, which may be a page; 0: not at all. */
static unsigned column_word(const struct mr_table_field *field)
{
    static const char *const ends[] = {"_user", "_id", "_url", "_page", "_name", "_node"};
    char rest[MR_TABLE_WORD_BYTES];
    bool is_sure = is_end(field, MR_WORDS_SOURCE, rest) || is_end(field, MR_WORDS_TARGET, rest) ||
                   mr_table_is(field, MR_WORDS_LINKS_PAGE) ||
                   mr_table_is(field, MR_WORDS_LINKS_THING);

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t n = strlen(ends[i]);
        is_sure |= field->bytes > n && strncasecmp(field->text + field->bytes - n, ends[i], n) == 0;
    }
    if (mr_table_is_url(field) || memchr(field->text, '.', field->bytes) != NULL ||
        memchr(field->text, '#', field->bytes) != NULL || has_digit(field)) {
        return 0;
    }
    return is_sure ? 2 : mr_table_is(field, MR_WORDS_PLAIN);
}

/* Is it a property, as a.name and b.id of Cypher? */
static bool is_property(const struct mr_table_field *field)
{
    const char *dot = memchr(field->text, '.', field->bytes);
    const struct mr_table_field word = {
        .text = dot != NULL ? dot + 1 : field->text,
        .bytes = dot != NULL ? (size_t)(field->text + field->bytes - dot) - 1 : 0};

    return mr_table_is(&word, " name id url uri title ");
}

/* Takes two words of which both name columns as the header. `table->may_be_header` if
 * one surely does. */
static void find_plain_header(const char *data, size_t bytes, struct mr_table *table)
{
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    struct mr_table_row row;
    bool is_good;

    rows.by_line = !table->joins;
    if (table->has_header || table->separator == '\0' ||
        !mr_table_next(&rows, table->separator, &row, &is_good) || !is_good || row.n_fields != 2 ||
        rows.at == rows.end) {
        return;
    }
    const unsigned a = column_word(&row.fields[0]), b = column_word(&row.fields[1]);
    table->may_be_header |= a + b == 2 && (a == 0 || b == 0) &&
                            !mr_table_is_number(&row.fields[0]) &&
                            !mr_table_is_number(&row.fields[1]);
    table->may_be_header |= is_property(&row.fields[0]) && is_property(&row.fields[1]);
    table->may_be_header |=
        mr_table_is(&row.fields[0], MR_WORDS_PAIRS) && mr_table_is(&row.fields[1], MR_WORDS_PAIRS);
    if (a > 0 && b > 0) {
        table->has_header = true;
        table->may_be_header = false;
        table->header = row.line;
        table->row = rows.at;
        table->n_before = (unsigned)rows.line;
    }
}

/* Describes the table by its header, or by its rows. Returns false if it is none. */
bool mr_columns_find(const char *data, size_t bytes, struct mr_columns_found *wanted,
                     struct mr_table *table)
{
    struct mr_table_wish wish = {
        .separator = wanted->separator, .is_header = is_header, .data = wanted};

    for (int k = 0; wanted->spec != NULL && take_spec(wanted, NULL) && k < 3; k++) {
        const unsigned column = (unsigned)(wanted->columns[k] + 1);
        wish.n_least = column > wish.n_least ? column : wish.n_least;
    }
    mr_table_look(data, bytes, &wish, table);
    if (wanted->spec != NULL) {
        return table->separator != '\0' && (table->is_known || take_spec(wanted, NULL));
    }
    if (!table->is_known) {
        wanted->columns[0] = 0;
        wanted->columns[1] = 1;
        wanted->columns[2] = -1;
        find_plain_header(data, bytes, table);
    }
    return table->separator != '\0';
}

/* The number of fields if all are whole numbers and there are at most three; otherwise 0. */
static unsigned take_numbers(const struct mr_table_row *row, uint64_t numbers[3])
{
    for (unsigned i = 0; i < row->n_fields; i++) {
        if (i == 3 || !mr_column_whole(&row->fields[i], &numbers[i])) {
            return 0;
        }
    }
    return row->n_fields;
}

/* Is the first row a count, such as "4 4 3" (rows, columns, entries) above lines of two numbers, or
 * of three as in SMAT, which is square and counts ids from 0? No id may be above it, and so many
 * links must follow; where the look does not have all of them, that is checked at the end. "100 99"
 * may be a link, so it must have all of them, and few leave it open; so do ids from 1 above weights
 * and few weights. "9 9 1" above one weight is a link. */
bool mr_columns_find_count(const char *data, size_t bytes, struct mr_table *table,
                           uint64_t *n_links)
{
    for (const char *separator = "\t, "; *separator != '\0'; separator++) {
        struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
        struct mr_table_row row;
        uint64_t count[3] = {0}, ids[2], n_rows = 0;
        unsigned n = 0;
        bool is_good = true, is_open = false;

        if (mr_table_next(&rows, *separator, &row, &is_good) && is_good) {
            n = take_numbers(&row, count);
        }
        *table = (struct mr_table){
            .separator = *separator, .n_before = (unsigned)rows.line, .n_fields = 2};
        while (n >= 2 && mr_table_next(&rows, *separator, &row, &is_good)) {
            table->n_fields = n_rows++ == 0 && n == 3 && row.n_fields == 3 ? 3 : table->n_fields;
            const bool fits = is_good && row.n_fields == table->n_fields &&
                              mr_column_whole(&row.fields[0], &ids[0]) &&
                              mr_column_whole(&row.fields[1], &ids[1]) &&
                              (row.n_fields == 2 ||
                               (count[0] == count[1] && mr_table_is_number(&row.fields[2]))) &&
                              ids[0] <= count[0] && ids[1] <= count[n == 3 ? 1 : 0];
            is_open |= fits && row.n_fields == 3 && (ids[0] == count[0] || ids[1] == count[0]);
            n = fits ? n : 0;
        }
        *n_links = count[n > 0 ? n - 1 : 0];
        is_open |=
            table->n_fields == 3 ? n_rows < WEIGHTED_LINKS : n == 2 && n_rows < COUNTED_LINKS;
        table->may_be_header = is_open;
        if (n_rows > 0 && n > 0 && (n_rows == *n_links || (n == 3 && rows.is_cut)) &&
            (n == 3 ? table->n_fields == 2 || n_rows > 1 : n_rows > 1 && !rows.is_cut)) {
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
bool mr_columns_find_numbered(const char *data, size_t bytes, struct mr_table *table)
{
    for (const char *separator = " \t"; *separator != '\0'; separator++) {
        struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
        struct mr_table_row row, last = {.n_fields = 0};
        uint64_t number;
        unsigned n_repeated = 0;
        bool fits = true, is_good;

        for (; fits && mr_table_next(&rows, *separator, &row, &is_good); last = row) {
            fits = is_good && row.n_fields == 3 && mr_column_whole(&row.fields[0], &number) &&
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

static bool have_padded(const char *data, size_t bytes, const struct mr_table *table,
                        const int columns[2])
{
    struct mr_table_rows rows = mr_table_rows_of(table, data, bytes);
    struct mr_table_row row;
    bool is_good, have = false;

    for (unsigned n = 0;
         !have && n < MR_TABLE_LOOK_ROWS && mr_table_next(&rows, table->separator, &row, &is_good);
         n++) {
        for (unsigned k = 0; k < 2 && is_good && (unsigned)columns[k] < row.n_fields; k++) {
            have |= mr_column_is_padded(&row.fields[columns[k]]);
        }
    }
    return have;
}

/* Are both ends of all rows numbers? `*are_ids`: without a sign and a fraction, and with blanks,
 * tabs or commas between, as formats/graph/edge_text.h reads them. */
bool mr_columns_are_numbers(const char *data, size_t bytes, const struct mr_table *table,
                            const int columns[2], bool *are_ids)
{
    struct mr_table_rows rows = mr_table_rows_of(table, data, bytes);
    struct mr_table_row row;
    uint64_t id;
    unsigned n_rows = 0, n_numbers = 0, n_ids = 0;
    bool is_good;

    for (; n_rows < MR_TABLE_LOOK_ROWS && mr_table_next(&rows, table->separator, &row, &is_good);
         n_rows++) {
        unsigned n_good = 0, n_plain = 0;
        for (unsigned k = 0; k < 2 && is_good && (unsigned)columns[k] < row.n_fields; k++) {
            const struct mr_table_field *field = &row.fields[columns[k]];
            const bool is_null = mr_table_is_null(field);
            n_good += is_null || mr_column_whole(field, &id) || mr_column_is_negative(field);
            n_plain += !field->is_quoted && !is_null && mr_column_whole(field, &id) &&
                       mr_column_whole_bytes(field) == field->bytes;
        }
        n_numbers += n_good == 2;
        n_ids += n_plain == 2;
    }
    *are_ids = n_rows > 0 && n_ids == n_rows;
    return n_rows > 0 && 10 * n_numbers >= 9 * n_rows && !have_padded(data, bytes, table, columns);
}

/* Is the third of three fields a number in all rows? */
static bool have_weights(const char *data, size_t bytes, const struct mr_table *table)
{
    struct mr_table_rows rows = mr_table_rows_of(table, data, bytes);
    struct mr_table_row row;
    bool is_good, have = true;

    for (unsigned n = 0;
         have && n < MR_TABLE_LOOK_ROWS && mr_table_next(&rows, table->separator, &row, &is_good);
         n++) {
        have = row.n_fields < 3 || mr_table_is_number(&row.fields[2]) ||
               mr_table_is_null(&row.fields[2]);
    }
    return have;
}

enum mr_text_kind mr_text_kind_of(const char *data, size_t bytes, struct mr_table *table)
{
    struct mr_columns_found wanted = {0};
    uint64_t n_links;
    bool are_ids;

    if (memchr(data, '\0', bytes) != NULL) {
        return MR_TEXT_NONE;
    }
    const bool is_table = mr_columns_find(data, bytes, &wanted, table);
    struct mr_table other;
    if ((is_table && table->is_known) || mr_columns_find_count(data, bytes, &other, &n_links) ||
        mr_columns_find_numbered(data, bytes, &other)) {
        return MR_TEXT_TABLE;
    }
    if (is_table && table->has_header) {
        return MR_TEXT_TABLE;
    }
    if (mr_edge_text_detect(data, bytes, 2) != MR_IDS_TEXT &&
        !(is_table && have_padded(data, bytes, table, wanted.columns))) {
        return !is_table || table->separator == ';' || table->separator == '|' ||
                       (mr_columns_are_numbers(data, bytes, table, wanted.columns, &are_ids) &&
                        !are_ids)
                   ? is_table ? MR_TEXT_TABLE : MR_TEXT_NUMBERS
                   : MR_TEXT_NUMBERS;
    }
    const bool are_blanks = table->separator == ' ' || mr_table_separator(table->separator) == '\t';
    return is_table && (!are_blanks || table->has_quotes || table->n_fields > 3 ||
                        !have_weights(data, bytes, table) ||
                        mr_columns_are_numbers(data, bytes, table, wanted.columns, &are_ids))
               ? MR_TEXT_TABLE
               : MR_TEXT_NAMES;
}
