/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader of score files shares with its look at their beginning: score_look.c decides what
 * a file is and which columns it takes, score_reader.c reads the rows. Internal to them. */
#ifndef MR_FORMATS_SCORE_SCORE_READER_INTERNAL_H
#define MR_FORMATS_SCORE_SCORE_READER_INTERNAL_H

#include "engine/base/hash_set.h"
#include "formats/score/score_reader.h"
#include "formats/table/json_input.h"
#include "formats/table/npy_reader.h"
#include "formats/table/table.h"

enum mr_score_form {
    MR_SCORE_LINES,
    MR_SCORE_OBJECTS,
    MR_SCORE_ARRAY,
    MR_SCORE_NUMBERS,
    MR_SCORE_RANKS
};

struct mr_score_reader {
    struct mr_input *input;
    const struct mr_context *context;
    enum mr_score_form form;
    struct mr_lines *lines; /* NULL without names */
    struct mr_npy_reader *array; /* of MR_SCORE_ARRAY */
    char separator; /* of a table; '\0': tabs, and no quotes */
    bool has_decimals; /* commas of scores are decimal ones */
    bool has_brackets; /* (NAME,SCORE), as GraphX writes them */
    bool is_heritrix; /* PAGE, SCORE, O:...: "dummy" is no page */
    unsigned n_fields; /* of a row of a table at most; 0: any number */
    uint64_t header; /* the hash of the header, which may come again; 0: none */
    unsigned name_field; /* from 0 */
    bool has_whole_names; /* ids as 7.0, which is page 7 */
    unsigned column; /* field of the score, from 0 */
    char *key; /* of MR_SCORE_OBJECTS: the one of the score */
    struct mr_hash_set seen; /* the first names */
    struct mr_text_rows rest; /* of mr_score_reader_rest */
    mr_row_take take; /* NULL except during it */
    void *take_data;
    const char *first; /* the first line, read to find the column; NULL once a caller got it */
    size_t first_bytes;
    uint64_t n; /* scores without names so far */
    uint64_t n_missing; /* rows without a score */
    uint64_t n_scores, sum, squares; /* of whole scores, modulo 2^64 */
    bool has_column; /* the caller says it, so that places are scores as well */
    bool has_parts; /* a score that is not whole */
    bool are_places; /* by the word of the column */
    unsigned width; /* of MR_SCORE_RANKS: bytes of a number */
    size_t used, held; /* of the bytes in `text` */
    bool is_over; /* the input has no more bytes for `text` */
    char text[MR_LINE_MAX_BYTES]; /* the latest name that is not as in the line; or numbers */
};

/* ---- The look ---- */

/* Decide on the columns by the beginning of the file, `data[bytes]`, and open `lines`. `column` is
 * that of mr_score_reader_open. Errors: INPUT, BUDGET. */
enum mr_status mr_score_begin_lines(struct mr_score_reader *reader, const char *data, size_t bytes,
                                    const char *column, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_score_begin_objects(struct mr_score_reader *reader, const char *data,
                                      size_t bytes, const char *column,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* ---- Fields, for the rows ---- */

/* Split a line with `separator`. Returns false where quotes do not match. */
bool mr_score_split(const struct mr_score_reader *reader, char separator, const char *line,
                    const char *end, struct mr_table_row *row);
/* Find field `index` of a line with tabs, of which there can be any number. */
bool mr_score_find_field(const char *line, const char *end, unsigned index,
                         struct mr_table_field *field);
/* Read a score, which may have a decimal comma in a table with another separator. */
bool mr_score_is_value(const struct mr_score_reader *reader, const struct mr_table_field *field,
                       double *value);
/* Parse an object, to be freed if `json->memory` is not NULL. Sets `*reason` if it is none, or has
 * no name, which `*name` gets. */
enum mr_status mr_score_object(struct mr_score_reader *reader, const char *text, size_t bytes,
                               struct mr_json_input *json, const json_t **name, const char **reason,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Read a score of an object, a number or a text of one. */
bool mr_score_json(const json_t *value, double *score);

const char *mr_score_name(const struct mr_score_reader *reader); /* of the file */
/* The error at the line that was read last. */
enum mr_status mr_score_bad_line(const struct mr_score_reader *reader, const char *reason,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
