/* SPDX-License-Identifier: Apache-2.0 */
/* Examines lines of text before they become a graph. Lines of two names have no signature, so any
 * text looks like them: a list of scores, a log, prose. formats/graph_format.c calls this when
 * detection has found nothing but text. The rules refuse what is no list of links, such as scores,
 * and lines whose further columns may be neighbours: lists of neighbours, rows of a matrix. Names
 * that a program made up may look like anything. With --columns SOURCE,TARGET these checks are off.
 * Texts of known kinds are refused before, by formats/stream/not_links.h. */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "formats/graph/edge_text.h"
#include "formats/graph/link_columns.h"
#include "formats/stream/output.h"

/* ---- Names ---- */

enum number { NO_NUMBER, WHOLE, FRACTION };

static enum number number_of(const struct mr_table_field *field)
{
    uint64_t whole;
    double value;

    if (mr_column_whole(field, &whole) || mr_column_is_negative(field)) {
        return WHOLE;
    }
    return mr_table_is_number(field) && mr_table_number(field, ',', &value) ? FRACTION : NO_NUMBER;
}

/* Has it punctuation that identifiers, hosts and URLs do not have? Names between tabs and commas
 * may be titles, with any of it inside. */
static bool is_odd(const char *name, size_t bytes, bool are_titles)
{
    const char last = name[bytes - 1];
    const bool is_address = name[0] == '[' && memchr(name, ':', bytes) != NULL; /* [::1]:80 */

    if (mr_table_is_sign(&(struct mr_table_field){.text = name, .bytes = bytes}) ||
        (strchr("{[<`", name[0]) != NULL && !is_address)) {
        return true;
    }
    if (are_titles) {
        return false;
    }
    if (memmem(name, bytes, "://", 3) != NULL) {
        return false;
    }
    return memchr(name, '"', bytes) != NULL || last == ':' || last == ';' || last == '{' ||
           (last == ',' && memchr(name, ',', bytes - 1) == NULL);
}

/* ---- Rows ---- */

struct text_row {
    uint64_t number; /* of its line */
    const char *line, *end;
    struct mr_table_field names[2];
    unsigned n_fields;
};

/* Counts over all rows. */
struct row_counts {
    bool are_titles; /* the separator is no blank */
    unsigned n_rows, n_single, n_odd;
    unsigned n_full; /* rows with two values, none of which is NULL */
    unsigned n_signs, n_back; /* "1 -> 2", "1 - 2"; of them "1 <- 2" */
    unsigned n_colons; /* the first field ends with one */
    unsigned n_quotes; /* rows with single quotes around both */
    unsigned n_weights; /* rows whose third field is a number */
    unsigned n_longer; /* rows with more fields than the table has */
    unsigned n_urls, n_more_urls; /* rows of two URLs; URLs behind the first two fields */
    unsigned n_pairs; /* rows with several hosts in a field */
    unsigned n_lists; /* rows with several URLs in a field */
    struct text_row first, second, odd, single, uneven,
        list; /* second: of the full ones; the last four: the first such row */
    unsigned n_even; /* fields of the first row that has two or more */
    struct text_column {
        unsigned n_numbers, n_whole, n_urls, n_dates;
        bool first_is_number;
    } columns[2];
};

/* Is it a date, and perhaps a time: 2020-01-31, 31.1.2020, 1/31/2020 10:00? */
static bool is_date(const struct mr_table_field *field)
{
    const char *at = field->text, *const end = at + field->bytes;
    unsigned parts[3], widths[3];
    char separator = '\0';

    for (unsigned k = 0; k < 3; k++) {
        const char *const begin = at;
        for (parts[k] = 0; at < end && at < begin + 4 && *at >= '0' && *at <= '9'; at++) {
            parts[k] = 10 * parts[k] + (unsigned)(*at - '0');
        }
        widths[k] = (unsigned)(at - begin);
        if (k < 2 && (at == end || strchr("-/.", *at) == NULL || (k > 0 && *at != separator))) {
            return false;
        }
        separator = k < 2 ? *at++ : separator;
    }
    const unsigned other = widths[0] == 4 ? 2 : 0; /* the year is the first or the last part */
    return widths[2 - other] == 4 && parts[1] > 0 && parts[1] <= 31 && parts[other] > 0 &&
           parts[other] <= 31 && widths[1] > 0 && widths[other] > 0 &&
           (at == end || *at == ' ' || *at == 'T');
}

static void look_at_name(struct row_counts *look, struct text_column *column,
                         const struct mr_table_field *name)
{
    const enum number kind = number_of(name);

    column->n_urls += mr_table_is_url(name);
    column->n_dates += is_date(name);
    column->n_numbers += kind != NO_NUMBER;
    column->n_whole += kind == WHOLE;
    column->first_is_number |= look->n_full == 0 && kind != NO_NUMBER;
}

/* Do several hosts or paths stand in the field, as in "a.org b.org"? */
static bool has_pair(const struct mr_table_field *field)
{
    const char *at = field->text, *const end = at + field->bytes, *word;
    unsigned n_words = 0, n_inner = 0;
    size_t bytes;

    while ((word = mr_lines_field(&at, end, &bytes)) != NULL) {
        bool is_inner = false;
        for (size_t i = 1; i + 1 < bytes; i++) {
            is_inner |= word[i] != '\0' && strchr("./:", word[i]) != NULL;
        }
        n_words++;
        n_inner += is_inner;
    }
    return n_words > 1 && n_inner == n_words;
}

static bool is_in_quotes(const struct mr_table_field *name)
{
    return name->bytes > 2 && name->text[0] == '\'' && name->text[name->bytes - 1] == '\'';
}

static void look_at_row(struct row_counts *look, const struct text_row *row)
{
    if (look->n_rows == 0) {
        look->first = *row;
    }
    if (row->n_fields < 2) {
        look->single = look->n_single++ == 0 ? *row : look->single;
    } else if (!mr_table_is_null(&row->names[0]) && !mr_table_is_null(&row->names[1])) {
        bool odd = false;
        for (unsigned k = 0; k < 2; k++) {
            const struct mr_table_field *name = &row->names[k];
            odd |= !name->is_quoted && is_odd(name->text, name->bytes, look->are_titles);
            look_at_name(look, &look->columns[k], name);
        }
        look->second = look->n_full++ == 1 ? *row : look->second;
        const bool lists = mr_column_has_urls(&row->names[0]) || mr_column_has_urls(&row->names[1]);
        look->n_pairs += look->are_titles && (has_pair(&row->names[0]) || has_pair(&row->names[1]));
        look->n_urls += mr_table_is_url(&row->names[0]) && mr_table_is_url(&row->names[1]);
        look->list = lists && look->n_lists == 0 ? *row : look->list;
        look->n_lists += lists;
        look->odd = odd && look->n_odd == 0 ? *row : look->odd;
        look->n_odd += odd;
        look->n_quotes += is_in_quotes(&row->names[0]) && is_in_quotes(&row->names[1]);
        if (mr_table_is_sign(&row->names[1])) {
            look->n_signs++;
            look->n_back += strchr("<\xe2", *row->names[1].text) != NULL &&
                            row->names[1].text[row->names[1].bytes - 1] != '>' &&
                            memcmp(row->names[1].text, "\xe2\x86\x92", 3) != 0;
        }
        look->n_colons +=
            row->names[0].bytes > 1 && row->names[0].text[row->names[0].bytes - 1] == ':';
    }
    look->n_even = look->n_even == 0 && row->n_fields > 1 ? row->n_fields : look->n_even;
    if (look->uneven.line == NULL && row->n_fields > 1 && row->n_fields != look->n_even) {
        look->uneven = *row;
    }
    look->n_rows++;
}

static void look_at_rows(struct row_counts *look, const char *data, size_t bytes,
                         const struct mr_table *table, const int columns[2])
{
    struct mr_table_rows rows = mr_table_rows_of(table, data, bytes);
    const char separator = table->separator != '\0' ? table->separator : ' ';
    struct mr_table_row fields;
    bool is_good;

    look->are_titles = separator != ' ';
    while (look->n_rows < MR_TABLE_LOOK_ROWS &&
           mr_table_next(&rows, separator, &fields, &is_good)) {
        const struct text_row row = {
            .number = rows.line,
            .line = fields.line,
            .end = fields.end,
            .names = {fields.fields[columns[0]], fields.fields[columns[1]]},
            .n_fields = fields.n_fields};
        if (fields.n_fields > 1 &&
            ((unsigned)columns[0] >= fields.n_fields || (unsigned)columns[1] >= fields.n_fields)) {
            continue; /* a bad line */
        }
        look_at_row(look, &row);
        look->n_longer += fields.n_fields > table->n_fields;
        for (unsigned i = 2; i < fields.n_fields && i < MR_TABLE_FIELDS; i++) {
            look->n_more_urls += mr_table_is_url(&fields.fields[i]);
        }
        look->n_weights += fields.n_fields == 3 && (mr_table_is_number(&fields.fields[2]) ||
                                                    mr_table_is_null(&fields.fields[2]));
    }
}

/* ---- Blanks around names ---- */

/* Finds a name between tabs that stands in another row with other blanks around it. The blanks may
 * then be padding, and the two one page. */
static bool find_padded(const char *data, size_t bytes, const struct mr_table *table,
                        const int columns[2], struct text_row *found)
{
    struct mr_table_rows rows = mr_table_rows_of(table, data, bytes);
    struct text_row names[MR_TABLE_LOOK_ROWS];
    struct mr_table_row row;
    unsigned n = 0;
    bool is_good;

    while (mr_table_separator(table->separator) == '\t' && n < MR_TABLE_LOOK_ROWS &&
           mr_table_next(&rows, table->separator, &row, &is_good)) {
        names[n] = (struct text_row){.number = rows.line, .line = row.line, .end = row.end};
        for (int k = 0; k < 2 && (unsigned)columns[k] < row.n_fields; k++) {
            names[n].names[k] = row.fields[columns[k]];
        }
        n++;
    }
    for (unsigned i = 0; i < 2 * n; i++) {
        const struct mr_table_field *name = &names[i / 2].names[i % 2];
        struct mr_table_field padded = *name;
        mr_table_keep_blanks(&padded, names[i / 2].line, names[i / 2].end);
        for (unsigned k = 0; k < 2 * n && padded.bytes > name->bytes; k++) {
            struct mr_table_field other = names[k / 2].names[k % 2];
            const bool is_same =
                other.bytes == name->bytes && memcmp(other.text, name->text, name->bytes) == 0;
            mr_table_keep_blanks(&other, names[k / 2].line, names[k / 2].end);
            if (is_same && (other.bytes != padded.bytes ||
                            memcmp(other.text, padded.text, padded.bytes) != 0)) {
                *found = names[i / 2];
                return true;
            }
        }
    }
    return false;
}

/* ---- Neighbours behind the first two columns ---- */

/* Is the number a time of the years 1980 to 2040: seconds since 1970, thousandths to billionths of
 * them, or digits as in 20060821 and 20060821123000? */
static bool is_time(uint64_t number)
{
    const uint64_t day = number > UINT64_C(100000000000) ? number / 1000000 : number;
    const uint64_t month = day / 100 % 100, least = 315532800, most = UINT64_C(2208988800);
    bool is_since = false;

    for (uint64_t unit = 1; unit <= 1000000000; unit *= 1000) {
        is_since |= number >= least * unit && number < most * unit;
    }
    return is_since || (day >= 19800101 && day < 20400101 && month >= 1 && month <= 12 &&
                        day % 100 >= 1 && day % 100 <= 31);
}

/* Of three columns of whole numbers, the one that is no end of a link: an index, as a data frame
 * has, or times. A few rows that count may be a ring with weights. Returns it, from 1; 0: none. */
static unsigned other_column(const char *data, size_t bytes, char separator, bool *are_times)
{
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    struct mr_table_row row;
    enum { NO_RING = 16 };
    uint64_t ids[3] = {0}, begin = 0, last = 0, most = 0;
    unsigned n = 0, n_times[3] = {0}, n_values[3] = {0};
    bool is_good, differ = false, counts = true;

    for (; n < MR_TABLE_LOOK_ROWS && mr_table_next(&rows, separator, &row, &is_good); n++) {
        for (unsigned k = 0; k < 3; k++) {
            const bool has_value = row.n_fields == 3 && !mr_table_is_null(&row.fields[k]);
            if (!is_good || row.n_fields != 3 ||
                (has_value && !mr_column_whole(&row.fields[k], &ids[k]))) {
                return 0;
            }
            n_values[k] += has_value;
            n_times[k] += has_value && is_time(ids[k]);
        }
        begin = n == 0 ? ids[0] : begin;
        counts &= n_values[0] == n + 1 && begin <= 1 && ids[0] == begin + n;
        differ |= n > 0 && ids[2] != last;
        last = ids[2];
        most = ids[1] > most ? ids[1] : most;
    }
    for (unsigned k = 0; k < 2; k++) {
        *are_times = n > 0 && n_times[k] == n && n_times[1 - k] + n_times[2] == 0;
        if (*are_times) {
            return k + 1;
        }
    }
    return counts && n > 2 && differ && (n >= NO_RING || most >= begin + n);
}

/* Is it a matrix, each row of which is the line of a page: as many rows as columns, and in them 0
 * and 1, or nothing on the diagonal, or shares of 1? */
static bool is_matrix(const char *data, size_t bytes, char separator)
{
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    struct mr_table_row row;
    unsigned n_rows = 0, n_fields = 0;
    bool is_good, is_binary = true, is_empty_diagonal = true, are_shares = true;

    for (; mr_table_next(&rows, separator, &row, &is_good); n_rows++) {
        double sum = 0, value = 0;
        n_fields = n_rows == 0 ? row.n_fields : n_fields;
        if (!is_good || row.n_fields < 3 || row.n_fields != n_fields) {
            return false;
        }
        for (unsigned i = 0; i < n_fields && i < MR_TABLE_FIELDS; i++) {
            if (!mr_table_number(&row.fields[i], separator, &value)) {
                return false;
            }
            is_binary &= value == 0 || value == 1;
            is_empty_diagonal &= i != n_rows || value == 0;
            sum += value;
        }
        are_shares &= sum > 0.99 && sum < 1.01;
    }
    return n_rows > 0 && n_rows == n_fields && !rows.is_cut
               ? is_binary || is_empty_diagonal || are_shares
               : is_binary && rows.is_cut && n_fields > 3;
}

/* Does the second column have lists of pages, as in "a<TAB>b,c"? A part of a list is then a page of
 * another line. */
static char inner_separator(const char *data, size_t bytes, const struct mr_table *table)
{
    struct mr_table_rows rows = mr_table_rows_of(table, data, bytes);
    struct mr_table_field pages[2 * MR_TABLE_LOOK_ROWS], more[MR_TABLE_LOOK_ROWS]; /* 96 KB */
    char signs[MR_TABLE_LOOK_ROWS];
    struct mr_table_row row, list;
    unsigned n_pages = 0, n_more = 0;
    bool is_good;

    for (unsigned n = 0;
         n < MR_TABLE_LOOK_ROWS && mr_table_next(&rows, table->separator, &row, &is_good); n++) {
        for (unsigned i = 0; i < row.n_fields && i < 2; i++) {
            const struct mr_table_field *field = &row.fields[i];
            pages[n_pages++] = *field;
            for (const char *at = ",;|"; i == 1 && *at != '\0' && n_more < MR_TABLE_LOOK_ROWS;
                 at++) {
                if (*at != table->separator && !mr_table_is_url(field) &&
                    mr_table_split(field->text, field->text + field->bytes, *at, &list) &&
                    list.n_fields > 1) {
                    signs[n_more] = *at;
                    more[n_more++] = list.fields[0];
                }
            }
        }
    }
    for (unsigned i = 0; i < n_more; i++) {
        for (unsigned k = 0; k < n_pages && more[i].bytes > 0; k++) {
            if (more[i].bytes == pages[k].bytes &&
                memcmp(more[i].text, pages[k].text, more[i].bytes) == 0) {
                return signs[i];
            }
        }
    }
    return '\0';
}

/* ---- Verdicts ---- */

static const char not_as_many[] = "not as many words as in the other lines";
static const char matrix_row[] = "a row of a matrix, it seems, and no link";
static const char count_or_link[] = "the numbers of pages and of links, or a link";
static const char no_matrix[] = "write a line SOURCE TARGET for each entry that is not 0";
static const char pass_over[] = "tail -n +2 FILE | millrace ... - passes over it, --columns 1,2 "
                                "takes it for a link";
static const char many_columns[] = "more than two columns, and no header names them";
static const char choose_two[] =
    "--columns 1,2 takes the first two, --columns 1,3 the first and the third";
static const char an_index[] = "its first column counts the rows, it seems";
static const char choose_ends[] =
    "--columns 2,3 takes the other two as links, --columns 1,2,3 the first two and a weight";
static const char choose_around[] =
    "--columns 1,3 takes the other two as links, --columns 1,2,3 the first two and a weight";
static const char is_padded[] = "a name that stands elsewhere with other blanks around it";
static const char trim[] = "sed -E 's/ *(\\t|$) */\\1/g; s/^ *//' FILE | millrace ... - takes the "
                           "blanks away, --columns SOURCE,TARGET takes names as they are";
static const char take_two[] = "if its first two columns are links, say --columns 1,2";

const char *mr_text_way_out(const char *name, const char *way_out, char text[MR_WAY_OUT_BYTES])
{
    static const char file[] = " FILE | ";
    const char *suffix = strrchr(name, '.');
    const char *program = suffix == NULL                ? NULL
                          : strcmp(suffix, ".gz") == 0  ? "gzip -dc"
                          : strcmp(suffix, ".zst") == 0 ? "zstd -dc"
                                                        : NULL;
    const char *end = strstr(way_out, file), *begin = end;

    if (program == NULL || end == NULL) {
        return way_out;
    }
    const char *const rest = end + sizeof file - 1;
    while (begin > way_out && !(begin - way_out > 1 && memcmp(begin - 2, ": ", 2) == 0)) {
        begin--;
    }
    end -= end[-1] == '<' ? 2 : 0;
    (void)snprintf(text, MR_WAY_OUT_BYTES, "%.*s%s%s%.*s | %s", (int)(begin - way_out), way_out,
                   program, file, (int)(end - begin), begin, rest);
    return text;
}

static enum mr_status refuse(const char *name, const struct text_row *row, struct mr_error *err,
                             const char *verdict, const char *way_out)
{
    char quote[MR_LINES_QUOTE_BYTES], text[MR_WAY_OUT_BYTES];
    return mr_error_line(err, MR_ERROR_INPUT, name, row->number, "%s: %s; %s",
                         mr_lines_quote(row->line, (size_t)(row->end - row->line), quote), verdict,
                         mr_text_way_out(name, way_out, text));
}

/* Refuses lists of neighbours. Such lines with blanks or tabs are those of --format adjacency. */
static enum mr_status refuse_lists(const char *name, const struct text_row *row, char separator,
                                   const char *verdict, struct mr_error *err)
{
    char way_out[160];
    (void)snprintf(
        way_out, sizeof way_out,
        separator == ' ' || mr_table_separator(separator) == '\t'
            ? "--format adjacency takes a page and all that it links to, --columns 1,2 "
              "the first two"
            : "--format adjacency --separator '%c' takes a page and all that it links to, "
              "--columns 1,2 the first two",
        separator);
    return refuse(name, row, err, verdict, way_out);
}

/* Refuses three columns of numbers one of which is no end of a link. */
static enum mr_status refuse_other(const char *name, const struct text_row *row, const char *data,
                                   size_t bytes, char separator, struct mr_error *err)
{
    bool are_times = false;
    const unsigned column = other_column(data, bytes, separator, &are_times);

    return column == 0 ? MR_OK
                       : refuse(name, row, err,
                                !are_times    ? an_index
                                : column == 1 ? "its first column has times, it seems"
                                              : "its second column has times, it seems",
                                column == 1 ? choose_ends : choose_around);
}

/* Refuses several pages in one field. `inner` stands between them; 0: any sign before a URL. */
static enum mr_status refuse_field(const char *name, const struct text_row *row, char separator,
                                   char inner, struct mr_error *err)
{
    const bool are_tabs = mr_table_separator(separator) == '\t';
    const char both[] = {inner, are_tabs ? '\0' : separator, '\0'};
    char way_out[192], command[64];

    (void)snprintf(command, sizeof command, "tr '%s' '%s' < FILE", both,
                   are_tabs ? "\\t" : "\\t\\t");
    (void)snprintf(way_out, sizeof way_out,
                   "write a line for each link, or, if each line is a page and all that it links "
                   "to: %s | millrace ... --format adjacency -",
                   inner != '\0' ? command : "sed -E 's#[,;| ]+([a-z]+://)#\\t\\1#g' FILE");
    return refuse(name, row, err, "several pages in one field", way_out);
}

/* Are there numbers in all rows that have values, except perhaps in a header? */
static bool all_numbers(const struct row_counts *look, const struct text_column *column)
{
    return column->n_numbers > (column->first_is_number ? 0u : 1u) &&
           column->n_numbers + (column->first_is_number ? 0u : 1u) == look->n_full;
}

static bool all_whole(const struct row_counts *look, const struct text_column *column)
{
    return all_numbers(look, column) && column->n_whole == column->n_numbers;
}

/* Describes the column that shows scores, dates or a list of numbered pages; NULL: none. */
static const char *no_ids(const struct row_counts *look)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct text_column *column = &look->columns[k], *other = &look->columns[1 - k];
        const bool are_numbers = all_numbers(look, column) ||
                                 (all_numbers(look, other) && 2 * column->n_numbers > look->n_full);
        if (are_numbers && column->n_whole < column->n_numbers) {
            return all_numbers(look, other)
                       ? "numbers that are not whole, as scores are, and no ids (1.000 may be a "
                         "thousand)"
                       : "names and numbers that are not whole, as scores are, and no links";
        }
        if (all_whole(look, column) && other->n_numbers == 0) {
            return "numbers and names, as in a list of numbered pages, and no links";
        }
        if (column->n_dates > 0 &&
            column->n_dates + (look->n_full > 2 && column->n_dates > 1) >= look->n_full) {
            return "dates, and no pages";
        }
    }
    return NULL;
}

/* The separator of lines of numbers. */
static char separator_of(const char *data, size_t bytes)
{
    for (const char *separator = "\t,"; *separator != '\0'; separator++) {
        struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
        struct mr_table_row row;
        bool is_good;
        if (mr_table_next(&rows, *separator, &row, &is_good) && is_good && row.n_fields > 1) {
            return *separator;
        }
    }
    return ' ';
}

/* Refuses lines of another form than names between separators. */
static enum mr_status refuse_form(const char *name, const struct row_counts *look, bool is_matrix,
                                  struct mr_error *err)
{
    const bool are_more = look->uneven.line != NULL || look->n_even > 2;

    if (look->n_single == look->n_rows) {
        return refuse(name, &look->first, err, "one word a line, and no links",
                      "links are lines of two names, a page and one that it links to");
    }
    if (is_matrix) {
        return refuse(name, &look->first, err, matrix_row, no_matrix);
    }
    if (look->n_signs == look->n_rows && are_more) {
        const struct mr_table_field *sign = &look->first.names[1];
        return refuse(name, &look->first, err, "a sign between two pages",
                      look->n_back == look->n_rows ? "--columns 3,1 takes the two beside it"
                      : sign->text[sign->bytes - 1] != '>'
                          ? "--columns 1,3 takes the two beside it"
                          : "--columns 1,3 takes the two beside it, --format adjacency a page and "
                            "all that it links to");
    }
    if (look->n_quotes == look->n_rows) {
        return refuse(name, &look->first, err, "single quotes around the names",
                      "tr -d \"'\" < FILE | millrace ... - takes them away, --columns 1,2 takes "
                      "names as they are");
    }
    if (look->n_colons == look->n_rows) {
        return refuse(name, &look->first, err,
                      are_more ? "a page and all that it links to, it seems"
                               : "a key and its value, or a page and one that it links to",
                      "--format adjacency takes such lines");
    }
    return MR_OK;
}

/* ---- Lines of numbers ---- */

/* Is it "1,234 56" or "1 234<TAB>56": two numbers, of which the first has thousands, or three? */
static bool may_have_thousands(const struct text_row *row)
{
    const char *at = row->line;
    const size_t most = (size_t)(row->end - at), first = strspn(at, "0123456789");

    if (first == 0 || first > 3 || first + 5 > most || strchr(" ,\t", at[first]) == NULL) {
        return false;
    }
    const char *const second = at + first + 1;
    return strspn(second, "0123456789") == 3 && second[3] != at[first] &&
           strchr(" ,\t", second[3]) != NULL;
}

/* Does KONECT say in its first comment what its columns are? */
static bool is_konect(const char *data, size_t bytes)
{
    static const char *const marks[] = {"% sym", "% asym", "% bip"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (bytes > strlen(marks[i]) && memcmp(data, marks[i], strlen(marks[i])) == 0) {
            return true;
        }
    }
    return false;
}

static enum mr_status look_at_numbers(const char *name, const char *data, size_t bytes,
                                      bool has_weights, struct mr_error *err)
{
    struct mr_table_rows rows = mr_table_begin_rows(data, bytes);
    struct mr_table_row fields;
    struct text_row row = {0}, uneven = {0}, words = {0}, first = {0};
    const char separator = separator_of(data, bytes);
    unsigned n_even = 0, n = 0, n_words = 0, n_pairs = 0, n_names = 0, n_thousands = 0;
    bool is_good, is_list;

    for (; n < MR_TABLE_LOOK_ROWS && mr_table_next(&rows, ' ', &fields, &is_good); n++) {
        row = (struct text_row){.number = rows.line, .line = fields.line, .end = fields.end};
        row.n_fields = mr_edge_text_fields(row.line, row.end, &is_list);
        if (is_list) {
            return refuse_field(name, &row, separator, ',', err);
        }
        first = n == 0 ? row : first;
        n_pairs += row.n_fields == 2;
        n_thousands += row.n_fields == 3 && may_have_thousands(&row);
        n_names += strchr("0123456789+-.\"", fields.fields[0].text[0]) == NULL;
        n_even = n_even == 0 && row.n_fields > 1 ? row.n_fields : n_even;
        if (row.n_fields > 1 && row.n_fields != n_even && uneven.line == NULL) {
            uneven = row;
        }
        if (fields.n_fields == 3 && fields.fields[2].text[0] != '{' && /* networkx's {} */
            !mr_table_is_number(&fields.fields[2]) && !mr_table_is_null(&fields.fields[2])) {
            words = n_words++ == 0 ? row : words;
        }
    }
    if (is_matrix(data, bytes, separator)) {
        return refuse(name, &row, err, matrix_row, no_matrix);
    }
    if (n > 1 && first.n_fields == 2 && *first.line >= '0' && *first.line <= '9' &&
        (n_names == n - 1 || (n_pairs == 1 && n > 2))) {
        return refuse(name, &first, err, count_or_link, pass_over);
    }
    if (uneven.line != NULL) {
        return refuse_lists(name, &uneven, separator, not_as_many, err);
    }
    if (n > 0 && n_thousands == n) {
        return refuse(name, &first, err, "a number with thousands apart, or three columns",
                      "write 1234, or say --columns 1,2 if its first two columns are links");
    }
    const char blank_or_comma = separator == ',' ? ',' : ' ';
    if (!has_weights && refuse_other(name, &first, data, bytes, blank_or_comma, err) != MR_OK) {
        return MR_ERROR_INPUT;
    }
    if ((n_even > 3 && !is_konect(data, bytes)) || (n > 0 && n_words == n)) {
        return refuse(name, n_words > 0 ? &words : &row, err, many_columns, choose_two);
    }
    return MR_OK;
}

/* Are the names of one column URLs, and is none of the other? */
static bool are_unlike(const struct row_counts *look)
{
    const unsigned a = look->columns[0].n_urls, b = look->columns[1].n_urls;
    return (a == 0 && 10 * b >= 9 * look->n_rows) || (b == 0 && 10 * a >= 9 * look->n_rows);
}

static enum mr_status refuse_separator(const char *name, const struct row_counts *look,
                                       const struct mr_table *table, struct mr_error *err)
{
    char way_out[128];
    (void)snprintf(way_out, sizeof way_out, "--separator '%c' or --separator '%c' says it",
                   table->separator, table->other);
    return refuse(name, &look->first, err, "two characters may separate its columns", way_out);
}

enum mr_status mr_text_look_at_ends(const char *name, const char *data, size_t bytes,
                                    const struct mr_table *table, const int columns[2],
                                    struct mr_error *err)
{
    struct row_counts look = {0};

    look_at_rows(&look, data, bytes, table, columns);
    const char *numbers = look.n_rows > 0 ? no_ids(&look) : NULL;
    if (numbers == NULL && find_padded(data, bytes, table, columns, &look.odd)) {
        return refuse(name, &look.odd, err, is_padded, trim);
    }
    return numbers != NULL || (look.n_rows > 0 && are_unlike(&look))
               ? refuse(name, &look.first, err,
                        numbers != NULL ? numbers : "URLs beside what are no URLs, and no links",
                        "--columns SOURCE,TARGET names the columns of its links, by name or by "
                        "number, from 1")
               : MR_OK;
}

enum mr_status mr_text_refuse_count(const char *name, const char *data, size_t bytes,
                                    struct mr_error *err)
{
    const struct mr_table any = {.separator = ' '};
    struct row_counts look = {0};

    look_at_rows(&look, data, bytes, &any, (const int[2]){0, 0});
    return refuse(name, &look.first, err, count_or_link, pass_over);
}

enum mr_status mr_text_look(const char *name, const char *data, size_t bytes,
                            const struct mr_table *table, bool has_weights, struct mr_error *err)
{
    struct row_counts look = {0};

    if (table == NULL) {
        return look_at_numbers(name, data, bytes, has_weights || mr_output_has_suffix(name, ".wel"),
                               err);
    }
    const char separator = table->separator != '\0' ? table->separator : ' ';
    look_at_rows(&look, data, bytes, table, (const int[2]){0, 1});
    if (look.n_rows == 0) {
        return MR_OK;
    }
    const enum mr_status status = refuse_form(name, &look, is_matrix(data, bytes, separator), err);
    if (status != MR_OK) {
        return status;
    }
    if (table->other != '\0') {
        return refuse_separator(name, &look, table, err);
    }
    if (table->may_be_header) {
        return refuse(name, &look.first, err, "the names of the columns, or a link", pass_over);
    }
    if (look.n_even > 2 && look.first.names[0].bytes == 0 && look.columns[0].n_whole > 0) {
        return refuse(name, &look.first, err, "the first column has no name and counts the rows",
                      "tail -n +2 FILE | millrace ... --columns 2,3 -");
    }
    const char *numbers = no_ids(&look);
    if (numbers != NULL) {
        return refuse(
            name, look.n_full > 1 && !table->has_header ? &look.second : &look.first, err, numbers,
            table->n_fields > 2 ? "if its links are behind these, --columns 2,3 takes them, and "
                                  "--columns 3,2 if the target comes first"
                                : take_two);
    }
    if (find_padded(data, bytes, table, (const int[2]){0, 1}, &look.odd)) {
        return refuse(name, &look.odd, err, is_padded, trim);
    }
    if (4 * look.n_odd > look.n_rows) {
        return refuse(name, &look.odd, err, "neither URLs nor hosts nor ids", take_two);
    }
    if (look.n_single == 1 && look.first.n_fields == 1 && look.n_rows > 1 &&
        mr_table_are_numbers(&look.first.names[0])) {
        return refuse(name, &look.first, err, "a count of the lines below, it seems",
                      "tail -n +2 FILE | millrace ... - passes over it");
    }
    if (refuse_other(name, &look.first, data, bytes, separator, err) != MR_OK) {
        return MR_ERROR_INPUT;
    }
    if (table->separator == '\0') {
        const bool differ = look.uneven.line != NULL || look.n_single > 0;
        return refuse_lists(name,
                            look.uneven.line != NULL ? &look.uneven
                            : differ                 ? &look.single
                                                     : &look.first,
                            ' ', differ ? not_as_many : "more than two words", err);
    }
    if (3 * look.n_longer > look.n_rows) { /* fewer are bad lines */
        return refuse_lists(name, look.uneven.line != NULL ? &look.uneven : &look.first,
                            table->separator, not_as_many, err);
    }
    const bool are_anchors = look.n_urls == look.n_rows && look.n_more_urls == 0;
    if (!are_anchors && table->n_fields > 2 &&
        (table->n_fields > 3 || look.n_weights < look.n_rows)) {
        return refuse(name, &look.first, err, many_columns, choose_two);
    }
    if (are_unlike(&look)) {
        return refuse(name, &look.first, err, "URLs beside what are no URLs, and no links",
                      take_two);
    }
    if (look.n_lists > 0) {
        return refuse_field(name, &look.list, separator, '\0', err);
    }
    const char inner = 2 * look.n_pairs > look.n_rows ? ' ' : inner_separator(data, bytes, table);
    return inner != '\0' ? refuse_field(name, &look.first, separator, inner, err) : MR_OK;
}
