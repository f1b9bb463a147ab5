/* SPDX-License-Identifier: Apache-2.0 */
/* What lines of links are, and which of their columns are the ends of a link. Internal to
 * formats/graph. All functions take the beginning of an input, `data[bytes]` from mr_input_peek. */
#ifndef MR_FORMATS_GRAPH_LINK_COLUMNS_H
#define MR_FORMATS_GRAPH_LINK_COLUMNS_H

#include "engine/base/decimal.h"
#include "engine/base/error.h"
#include "formats/table/table.h"

/* The columns to look for, and what was found. */
struct mr_columns_found {
    const char *spec; /* SOURCE,TARGET[,WEIGHT] of --columns, or NULL */
    char separator; /* of --separator, or '\0' */
    bool has_header; /* the first row names the columns, whatever the words; two are the ends */
    int columns[3]; /* of source, target and weight; -1: none */
    bool by_number[3]; /* the spec has a number, from 1 */
};

/* Describe the table by its header, or by its rows. Returns false if it is none. */
bool mr_columns_find(const char *data, size_t bytes, struct mr_columns_found *found,
                     struct mr_table *table);

/* Is the first row a count, such as "4 4 3" (rows, columns, entries) above lines of two numbers?
 * `*n_links` gets the number of links that it says. table->may_be_header: it may be a link. */
bool mr_columns_find_count(const char *data, size_t bytes, struct mr_table *table,
                           uint64_t *n_links);

/* Is it the input_links.txt of Heritrix's offline PageRank, NUMBER TARGET SOURCE? */
bool mr_columns_find_numbered(const char *data, size_t bytes, struct mr_table *table);

/* Are both ends of nearly all rows numbers? `*are_ids`: of all rows, without a sign and a
 * fraction, as formats/graph/edge_text.h reads them. */
bool mr_columns_are_numbers(const char *data, size_t bytes, const struct mr_table *table,
                            const int columns[2], bool *are_ids);

/* What lines without a mark of their own are. NONE: binary data. NUMBERS and NAMES are for
 * formats/graph/edge_text.h: two numbers, or two names with blanks or tabs between, and perhaps a
 * number behind them. TABLE is for csv_edges.c. `*table` describes the lines. */
enum mr_text_kind { MR_TEXT_NONE, MR_TEXT_NUMBERS, MR_TEXT_NAMES, MR_TEXT_TABLE };
enum mr_text_kind mr_text_kind_of(const char *data, size_t bytes, struct mr_table *table);

/* The columns of source, target and weight (-1: none) in a header: those that `spec` says, or, if
 * it is NULL, those that their words show. Returns false if the header lacks one of them. */
bool mr_columns_of_header(const struct mr_table_row *header, const char *spec, int columns[3]);

/* The bytes of a field without a fraction of zeros: data frames write 1.0 for an id. 1.000 may be a
 * thousand. */
static inline size_t mr_column_whole_bytes(const struct mr_table_field *field)
{
    size_t bytes = field->bytes;

    while (bytes > 0 && field->text[bytes - 1] == '0') {
        bytes--;
    }
    const bool is_fraction = bytes > 1 && field->text[bytes - 1] == '.';
    return is_fraction && bytes < field->bytes && field->bytes - bytes != 3 ? bytes - 1
                                                                            : field->bytes;
}

/* Floats tell whole numbers from each other that are below these. */
#define MR_SINGLE_WHOLE 0x1p24
#define MR_DOUBLE_WHOLE 0x1p53

/* The whole number in a field. Returns false if there is none. */
static inline bool mr_column_whole(const struct mr_table_field *field, uint64_t *number)
{
    return (mr_decimal_whole(field->text, field->text + field->bytes, number) ||
            mr_decimal_whole(field->text, field->text + mr_column_whole_bytes(field), number)) &&
           *number != UINT64_MAX;
}

/* Has the field zeros before a whole number, as 00501? A code of a fixed length is a name: 501 is
 * another. */
static inline bool mr_column_is_padded(const struct mr_table_field *field)
{
    uint64_t number;
    return field->bytes > 1 && field->text[0] == '0' && field->text[1] != '.' &&
           mr_column_whole(field, &number);
}
#define MR_COLUMN_PADDED "zeros before a number; --format urls takes the ids as names"

/* Is it a whole number below 0? */
bool mr_column_is_negative(const struct mr_table_field *field);

/* Does a second URL begin inside the field, as in http://a.org/;http://b.org/? */
bool mr_column_has_urls(const struct mr_table_field *field);

/* Is `name[bytes]`, which the user says, the name of the column in this field of the header? */
bool mr_column_is_named(const struct mr_table_field *field, const char *name, size_t bytes);

/* ---- Refusals (text_look.c) ----
 *
 * Decides whether a text holds links, or something else with two words per line. Internal to
 * formats/. */

/* Refuse lines whose first two columns are not the names of two pages, whose further columns may be
 * neighbours, or whose separator is not certain. Only the first 1000 lines are examined. `table`
 * describes the lines; NULL: lines of numbers, between which blanks, tabs and commas may stand.
 * Scores, ids beside their URLs, prose, lists, rows of a matrix and markup are refused. With
 * `has_weights` the user says that the third number of a line is a weight. Errors: INPUT, at the
 * line that shows it. */
enum mr_status mr_text_look(const char *name, const char *data, size_t bytes,
                            const struct mr_table *table, bool has_weights,
                            struct mr_error *err) MR_WARN_UNUSED;

/* The way out for the input `name`: "COMMAND FILE | millrace", at the beginning or behind ": ",
 * decompresses it first if its suffix asks for that. Returns `way_out` or `text`. */
enum { MR_WAY_OUT_BYTES = 384 };
const char *mr_text_way_out(const char *name, const char *way_out, char text[MR_WAY_OUT_BYTES]);

/* Refuse a first line of two numbers that may count the pages and links of the lines below, or be a
 * link. Returns INPUT. */
enum mr_status mr_text_refuse_count(const char *name, const char *data, size_t bytes,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Refuse a table whose header names its ends, `columns`, if one of these has numbers or URLs alone
 * and the other none: counts of links, titles. Errors: INPUT. */
enum mr_status mr_text_look_at_ends(const char *name, const char *data, size_t bytes,
                                    const struct mr_table *table, const int columns[2],
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
