/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of text: what separates the columns, which line names them, and the fields of a row.
 * Readers of graphs, of lists and of scores read their tables with it:
 *
 *     mr_input_peek, mr_table_look     separator, header and number of columns
 *     mr_table_begin                   passes over the lines before the first row
 *     mr_lines_next, mr_table_split    row by row
 *
 * A column is found by its name: mr_table_is compares it with words, without regard to case, blanks
 * and punctuation. UTF-16 and CR line ends are no matter of tables: formats/stream/input.h converts
 * them. Source: RFC 4180. */
#ifndef MR_FORMATS_TABLE_TABLE_H
#define MR_FORMATS_TABLE_TABLE_H

#include "formats/table/lines.h"

enum {
    MR_TABLE_FIELDS = 128,
    MR_TABLE_WORD_BYTES = 64,
    MR_TABLE_LOOK_ROWS = 1000 /* so many rows show what a table holds */
};

/* A field without the blanks and quotes around it; mr_table_keep_blanks brings blanks back. */
struct mr_table_field {
    const char *text; /* [bytes], in the line */
    size_t bytes;
    bool is_quoted;
    bool is_raw; /* it has doubled quotes, which are still doubled */
};

struct mr_table_row {
    const char *line, *end;
    unsigned n_fields;
    struct mr_table_field fields[MR_TABLE_FIELDS]; /* [min(n_fields, MR_TABLE_FIELDS)] */
};

/* The separator of a table with tabs between its columns whose quotes are bytes of its names, as in
 * the title "Heroes" (album). Lines of such a table never go on behind their end. */
#define MR_TABLE_TAB_PLAIN '\v'

/* The separator as it stands in the file. */
static inline char mr_table_separator(char separator)
{
    return separator == MR_TABLE_TAB_PLAIN ? '\t' : separator;
}

/* Split a line into its fields. Blanks and tabs in a run separate the columns where `separator` is
 * ' '. Returns false where quotes do not match. */
bool mr_table_split(const char *line, const char *end, char separator, struct mr_table_row *row);

/* Widen a field of a row between tabs by the blanks around it, which belong to a name. */
void mr_table_keep_blanks(struct mr_table_field *field, const char *line, const char *end);

/* The text of a field with single quotes in it: that of the line, or a copy in `buffer`, which has
 * room for field->bytes. Sets `*bytes`. */
const char *mr_table_text(const struct mr_table_field *field, char *buffer, size_t *bytes);

/* Write the letters and digits of a header word in lower case to `word`, without what stands in
 * parentheses: "Source URL", "source_url" and "~SourceURL" are all "sourceurl". Of a word with a
 * type behind a colon (name:START_ID, weight:Double), `part` 0 is what stands before it and 1 what
 * stands behind it; without a colon both are the word. */
void mr_table_word(const char *text, size_t bytes, unsigned part, char word[MR_TABLE_WORD_BYTES]);

/* Where a part of the text stands in `words`, such as " url uri ": normalised, a blank around each.
 * NULL: it does not. */
const char *mr_table_place(const char *text, size_t bytes, const char *words);
/* Is the field, or a part of it, among `words`: " url uri ", normalised, a blank around each? */
bool mr_table_is(const struct mr_table_field *field, const char *words);

/* The column of the header whose word stands first in `words`; -1: none. */
int mr_table_find(const struct mr_table_row *header, const char *words);

/* Is the field a number, perhaps with a fraction, a decimal comma or an exponent? */
bool mr_table_is_number(const struct mr_table_field *field);
/* Is the field numbers with blanks between, as a count of pages and links is above lines with tabs?
 */
bool mr_table_are_numbers(const struct mr_table_field *field);
/* Does the field have "://" in it? */
bool mr_table_is_url(const struct mr_table_field *field);

/* The number in a field, which may have a decimal comma in tables with another separator. Returns
 * false if there is none. "nan" and "inf" are numbers. */
bool mr_table_number(const struct mr_table_field *field, char separator, double *value);

/* May the comma of a number separate thousands, as in 1,234? It is a decimal one in 0,234 and 1,25.
 */
bool mr_table_may_be_thousands(const struct mr_table_field *field);

/* Has the field bytes, and neither letters nor digits, as an arrow and a line drawn? */
bool mr_table_is_sign(const struct mr_table_field *field);

#define MR_TABLE_MORE_FIELDS "more fields than the header; --columns takes them by number"
/* What is wrong with the ends of a link; NULL: nothing. They may be words for the ends of a link,
 * as those of a header that a sort or cat put among the rows, or a count below the rows. `words`
 * are those of the header, with blanks around; NULL: common ones. If only one is in quotes, as
 * export writes it, both are names. */
const char *mr_table_why_none(const struct mr_table_field *one, const struct mr_table_field *other,
                              const char *words);

/* Does the field have no value: is it empty, or \N, nan, NaN, None, NULL, null, NA, N/A, n/a, #N/A
 * or <NA> without quotes?
 */
bool mr_table_is_null(const struct mr_table_field *field);

/* The lines of a look at the beginning, from mr_input_peek. */
struct mr_table_rows {
    const char *at, *end;
    bool is_cut; /* the last line may be incomplete */
    bool by_line; /* quotes hold no line ends */
    const char *header; /* [header_bytes], a line that is passed over; or NULL */
    size_t header_bytes;
    uint64_t line; /* number of the line taken last, from 1 */
};

struct mr_table_rows mr_table_begin_rows(const char *data, size_t bytes);
/* Takes the next line, without its end, as mr_lines_next does. Returns false where there is none,
 * or none that is whole. */
bool mr_table_line(struct mr_table_rows *rows, char separator, const char **line, const char **end);
/* Takes the next line that is neither blank nor a comment (# or %). Returns false where there is
 * none, or none that is whole. `*is_good` is false where its quotes do not match. */
bool mr_table_next(struct mr_table_rows *rows, char separator, struct mr_table_row *row,
                   bool *is_good);

/* Does the caller know this row as a header? It may note the columns that it looks for. */
typedef bool (*mr_table_header)(void *data, const struct mr_table_row *row);

/* What a caller looks for; all zero: any table. */
struct mr_table_wish {
    char separator; /* the user says it; '\0': the lines decide */
    mr_table_header is_header;
    void *data; /* for is_header */
    unsigned n_least; /* rows need not have the same number of fields, but so many; 0: the same */
};

struct mr_table {
    char separator; /* '\0': it is no table */
    bool has_header; /* the last of the lines before the first row names the columns */
    bool is_known; /* the caller knows the header */
    bool is_even; /* all rows of the look have `n_fields` */
    bool has_quotes; /* fields of the look are in quotes */
    bool may_be_header; /* the first row may name the columns, or be one */
    bool joins; /* a quoted field may have line ends in it */
    char other; /* a second separator that fits as well: the lines do not decide; '\0': none */
    unsigned n_before; /* lines before the first row, as mr_lines_next counts them */
    unsigned n_fields; /* of a row; of the header if rows differ */
    unsigned shift; /* 1: each row begins with its own name, for which the header has no word */
    const char *header, *row; /* in the data of the look; `row` is its end where there is none */
};

/* Describe the table that begins with `data[bytes]`, from mr_input_peek. A header that the caller
 * knows may have comments and title lines above it; its separator is that of the table. Otherwise
 * the lines decide:
 *
 *   1. blanks if each line is two URLs, which have none
 *   2. tabs if more than half of the lines have one
 *   3. the one of , ; | that gives all lines the same number of fields, of two or more; else the
 *      one that does so in more than half of the lines: the others are bad lines
 *   4. blanks if all lines have the same number of words, of two or more
 *
 * A first row of words is then a header if nearly all fields below it are numbers or URLs: in one
 * column, and of two columns in both. A first row is a header, too, if two columns have words in it
 * above hosts; above other names with digits, dots or slashes it may be one.
 * Time: a few readings of the data. */
void mr_table_look(const char *data, size_t bytes, const struct mr_table_wish *wish,
                   struct mr_table *table);

/* The rows of the look below the header, which may come again and is passed over. */
struct mr_table_rows mr_table_rows_of(const struct mr_table *table, const char *data, size_t bytes);

/* Has a number behind the first column of these rows a decimal comma for certain? */
bool mr_table_has_decimals(struct mr_table_rows rows, char separator);

/* Pass over the lines before the first row. */
enum mr_status mr_table_begin(const struct mr_table *table, struct mr_lines *lines,
                              struct mr_error *err) MR_WARN_UNUSED;

#endif
