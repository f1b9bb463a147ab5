/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rows of score files, for all commands that take scores. The beginning of the file
 * decides what it is, which field is the name and which is the score (score_look.c); all later rows
 * are taken the same way. Names do not stay in memory, except for hashes of the first ones, which
 * detect files that are lists of links. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "formats/score/score_reader_internal.h"
#include "formats/stream/double_text.h"
#include "formats/stream/name_text.h"
#include "formats/stream/output.h"
#include "formats/table/column_words.h"

enum { NUMBERS_BYTES = 64 << 10, SEEN_NAMES = 1 << 14, LINES_PER_POLL = 4096 };

/* ---- JSON ---- */

static enum mr_status take_json(struct mr_score_reader *reader, const char *text, size_t bytes,
                                struct mr_row *row, struct mr_error *err)
{
    struct mr_json_input json = {0};
    const json_t *name = NULL;
    const char *reason = NULL;
    char digits[32], missing[MR_LINES_QUOTE_BYTES + 32], quote[MR_LINES_QUOTE_BYTES];
    enum mr_status status = mr_score_object(reader, text, bytes, &json, &name, &reason, err);

    if (status == MR_OK && reason == NULL) {
        const json_t *score = json_object_get(json.root, reader->key);
        row->name = mr_json_as_text(name, digits, &row->name_bytes);
        row->name_bytes = mr_name_unescape(row->name, row->name_bytes, reader->text);
        row->name = reader->text;
        const bool is_value = mr_score_json(score, &row->values[0]);
        row->values[0] = is_value ? row->values[0] : (double)NAN;
        if (!is_value && !json_is_null(score)) {
            (void)snprintf(missing, sizeof missing, "no number %s among its values",
                           mr_lines_quote(reader->key, strlen(reader->key), quote));
            reason = missing;
        }
    }
    if (reason != NULL) {
        status = mr_score_bad_line(reader, reason, err);
    }
    if (json.memory != NULL) {
        mr_json_input_free(&json);
    }
    return status;
}

/* ---- Lines ---- */

static enum mr_status bad_row(const struct mr_score_reader *reader, const struct mr_row *row,
                              const char *reason, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    return mr_error_line(err, MR_ERROR_INPUT, mr_score_name(reader), row->line,
                         "%s: %s; lines are NAME<TAB>SCORE, the score a finite number",
                         mr_lines_quote(row->text, row->bytes, quote), reason);
}

/* Was the name there already? Remembers it as long as there is room. */
static bool was_seen(struct mr_score_reader *reader, const struct mr_row *row)
{
    const uint64_t n = reader->seen.n;
    uint32_t number;

    return n < SEEN_NAMES &&
           mr_hash_set_add(&reader->seen, XXH3_128bits(row->name, row->name_bytes), &number,
                           NULL) == MR_OK &&
           number < n;
}

/* Is it the NaN of a computation? A database writes NULL. */
static bool is_nan(const struct mr_table_field *field)
{
    return field->bytes == 3 && strncasecmp(field->text, "nan", 3) == 0;
}

/* Is it a blank line, a comment, or the header again, as of files that cat put together? */
static bool is_passed_over(const struct mr_score_reader *reader, const struct mr_row *row)
{
    size_t n = 0;

    while (n < row->bytes && strchr(" \t,;", row->text[n] != '\0' ? row->text[n] : 'x') != NULL) {
        n++;
    }
    return n == row->bytes ||
           (mr_lines_is_comment(row->text, row->bytes) &&
            memchr(row->text, '\t', row->bytes) == NULL) ||
           (reader->header != 0 && XXH3_64bits(row->text, row->bytes) == reader->header);
}

/* Finds the name and the score of a line; NaN: it has none. Of lines with tabs, which several
 * threads may call it for, it changes the row alone. */
static enum mr_status take_line(struct mr_score_reader *reader, struct mr_row *row,
                                struct mr_error *err)
{
    const char *const end = row->text + row->bytes;
    struct mr_table_field name = {0}, score;
    bool has_fields;

    if (reader->separator == '\0') {
        has_fields = mr_score_find_field(row->text, end, reader->column, &score) &&
                     mr_score_find_field(row->text, end, reader->name_field, &name);
    } else {
        struct mr_table_row fields;
        if (!mr_score_split(reader, reader->separator, row->text, end, &fields)) {
            return mr_score_bad_line(reader, "its quotes do not match", err);
        }
        if (reader->column >= MR_TABLE_FIELDS) {
            return mr_score_bad_line(reader, "more than 128 columns; give lines with tabs", err);
        }
        if (reader->n_fields > 0 && fields.n_fields > reader->n_fields) {
            return bad_row(reader, row, "more columns than the first line; quotes hold commas",
                           err);
        }
        has_fields = reader->column < fields.n_fields && reader->name_field < fields.n_fields;
        score = fields.fields[has_fields ? reader->column : 0];
        name = fields.fields[has_fields ? reader->name_field : 0];
    }
    const bool is_value = has_fields && mr_score_is_value(reader, &score, &row->values[0]);
    if (!is_value && is_passed_over(reader, row)) {
        return MR_OK;
    }
    if (!has_fields) {
        return bad_row(reader, row, "too few columns", err);
    }
    if (!is_value && (!mr_table_is_null(&score) || is_nan(&score))) {
        return bad_row(reader, row, "the score is no number", err);
    }
    row->values[0] = is_value ? row->values[0] : (double)NAN;
    if (name.bytes == 0) {
        return bad_row(reader, row, "the name is empty", err);
    }
    row->name = mr_table_text(&name, reader->text, &row->name_bytes);
    return MR_OK;
}

static bool is_dummy(const char *line, size_t bytes)
{
    return bytes > 6 && memcmp(line, "dummy\t", 6) == 0;
}

/* Counts a score, for check_scores. */
static void count_score(struct mr_score_reader *reader, double score)
{
    const uint64_t whole = score >= 0 && score < 0x1p32 ? (uint64_t)score : 0;

    reader->has_parts |= (double)whole != score;
    reader->n_scores++;
    reader->sum += whole;
    reader->squares += whole * whole;
}

/* Refuses the places 1 to N, or N numbers from 0: the best page has the least. Notes how many rows
 * have no score. A handful of scores may be whole. */
static enum mr_status check_scores(struct mr_score_reader *reader, struct mr_error *err)
{
    const unsigned __int128 n = reader->n_scores, least = reader->are_places ? 2 : 10;
    char count[64];

    if (reader->n_missing > 0) {
        mr_context_note(reader->context, "%s: %s without a score; left out", mr_score_name(reader),
                        mr_count_of_text(reader->n_missing, "row", count));
    }
    for (unsigned first = 0; first < 2 && n >= least && !reader->has_parts; first++) {
        const unsigned __int128 last = n - 1 + first;
        if (reader->sum == (uint64_t)(last * (last + 1) / 2) && !reader->has_column &&
            reader->squares == (uint64_t)(last * (last + 1) * (2 * last + 1) / 6)) {
            return mr_error_file(err, MR_ERROR_INPUT, mr_score_name(reader), 0,
                                 "has each number from %u to %llu once: places or ids, and no "
                                 "scores, of which the largest is best; give a score, such as 1 / "
                                 "place, or --column to take these numbers as scores",
                                 first, (unsigned long long)last);
        }
    }
    return MR_OK;
}

/* Decodes the name, and refuses one that comes again. */
static enum mr_status end_row(struct mr_score_reader *reader, struct mr_row *row,
                              struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];

    count_score(reader, row->values[0]);
    if (reader->form == MR_SCORE_LINES && memchr(row->name, '\\', row->name_bytes) != NULL) {
        row->name_bytes = mr_name_unescape(row->name, row->name_bytes, reader->text);
        row->name = reader->text;
    }
    double number;
    if (reader->has_whole_names && mr_double_read(row->name, row->name_bytes, &number) &&
        number >= 0 && number < 0x1p53) {
        row->name_bytes = (size_t)snprintf(reader->text, sizeof reader->text, "%.0f", number);
        row->name = reader->text;
    }
    return !was_seen(reader, row)
               ? MR_OK
               : mr_error_line(err, MR_ERROR_INPUT, mr_score_name(reader), row->line,
                               "%s has a score already; a file may name a page once, a list of "
                               "links is no file of scores",
                               mr_lines_quote(row->name, row->name_bytes, quote));
}

static enum mr_status parse_row(void *data, struct mr_row *row, struct mr_error *err)
{
    struct mr_score_reader *reader = data;

    return reader->is_heritrix && is_dummy(row->text, row->bytes) ? MR_OK
                                                                  : take_line(reader, row, err);
}

/* Has the row no name or no score? Counts the latter. */
static bool is_left_out(struct mr_score_reader *reader, const struct mr_row *row)
{
    const bool is_missing = row->name != NULL && isnan(row->values[0]);

    reader->n_missing += is_missing;
    return row->name == NULL || is_missing;
}

static enum mr_status next_line(struct mr_score_reader *reader, struct mr_row *row, bool *is_end,
                                struct mr_error *err)
{
    enum mr_status status = MR_OK;

    do {
        const bool is_first = reader->first != NULL;
        row->name = NULL;
        row->text = reader->first;
        row->bytes = reader->first_bytes;
        reader->first = NULL;
        if (!is_first) {
            status = reader->form == MR_SCORE_OBJECTS
                         ? mr_lines_object(reader->lines, &row->text, &row->bytes, err)
                         : mr_lines_next(reader->lines, &row->text, &row->bytes, err);
        }
        *is_end = status == MR_OK && row->text == NULL;
        if (status != MR_OK || *is_end) {
            return status == MR_OK ? check_scores(reader, err) : status;
        }
        row->line = mr_lines_number(reader->lines);
        status = reader->form == MR_SCORE_OBJECTS
                     ? take_json(reader, row->text, row->bytes, row, err)
                     : parse_row(reader, row, err);
    } while (status == MR_OK && is_left_out(reader, row));
    return status == MR_OK ? end_row(reader, row, err) : status;
}

/* ---- Lines by all threads ---- */

static enum mr_status take_row(void *data, struct mr_row *row, struct mr_error *err)
{
    struct mr_score_reader *reader = data;

    if (is_left_out(reader, row)) {
        return MR_OK;
    }
    const enum mr_status status = end_row(reader, row, err);
    return status == MR_OK ? reader->take(reader->take_data, row, err) : status;
}

/* ---- Numbers without names ---- */

static bool is_between(char c)
{
    return c != '\0' && strchr(" \t\r\n,[]", c) != NULL;
}

/* Are there numbers alone, one in a line or all in the brackets of JSON? */
static bool are_numbers(const char *data, size_t bytes)
{
    const char *at = data, *const end = data + bytes;
    const bool is_json = bytes > 0 && *data == '[';
    unsigned n = 0;

    while (at < end) {
        for (; at < end && is_between(*at); at++) {
            if (!is_json && *at != '\r' && *at != '\n') {
                return false;
            }
        }
        const char *begin = at;
        while (at < end && !is_between(*at)) {
            at++;
        }
        double value;
        if (begin < at && at < end) { /* the last one may be cut */
            if (!mr_double_read(begin, (size_t)(at - begin), &value)) {
                return false;
            }
            n++;
        }
    }
    return n > 0;
}

/* The bytes of the comments and of the header before numbers alone; `bytes`: there are none. */
static size_t before_numbers(const char *data, size_t bytes)
{
    const char *at = data, *const end = data + bytes, *stop;
    bool is_before = true;

    while (is_before && (stop = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        const size_t n = (size_t)(stop - at) - (stop > at && stop[-1] == '\r');
        const struct mr_table_field word = {.text = at, .bytes = n};
        is_before = mr_lines_is_comment(at, n) || mr_table_is(&word, MR_WORDS_SCORE) ||
                    mr_table_is(&word, MR_WORDS_FETCH_WEIGHT);
        at = is_before ? stop + 1 : at;
    }
    return are_numbers(at, (size_t)(end - at)) ? (size_t)(at - data) : bytes;
}

/* Takes the number at the beginning of the bytes that are held. Returns its bytes, 0 if it may go
 * on behind them. */
static size_t take_number(const struct mr_score_reader *reader, double *score)
{
    const char *const at = reader->text + reader->used;
    const size_t bytes = reader->held - reader->used;
    size_t n = 0;

    if (reader->form == MR_SCORE_RANKS) {
        uint64_t bits = 0;
        float value;
        for (; n < reader->width && n < bytes; n++) {
            bits = bits << 8 | (unsigned char)at[n];
        }
        const uint32_t low = (uint32_t)bits;
        memcpy(score, &bits, sizeof bits);
        memcpy(&value, &low, sizeof value);
        *score = reader->width == sizeof value ? (double)value : *score;
        *score = n == reader->width && *score >= 0 ? *score : (double)NAN;
        return n == reader->width || reader->is_over ? n : 0;
    }
    while (n < bytes && !is_between(at[n])) {
        n++;
    }
    *score = mr_double_read(at, n, score) ? *score : (double)NAN;
    return n < bytes || reader->is_over || n == NUMBERS_BYTES ? n : 0;
}

static enum mr_status next_number(struct mr_score_reader *reader, struct mr_row *row, bool *is_end,
                                  struct mr_error *err)
{
    size_t got = 0, n = 0;
    enum mr_status status = MR_OK;

    while (status == MR_OK && n == 0) {
        while (reader->form == MR_SCORE_NUMBERS && reader->used < reader->held &&
               is_between(reader->text[reader->used])) {
            reader->used++;
        }
        n = reader->used < reader->held ? take_number(reader, &row->values[0]) : 0;
        *is_end = n == 0 && reader->is_over;
        if (n > 0 || *is_end) {
            break;
        }
        reader->held -= reader->used;
        memmove(reader->text, reader->text + reader->used, reader->held);
        reader->used = 0;
        status = mr_input_read(reader->input, reader->text + reader->held,
                               NUMBERS_BYTES - reader->held, &got, err);
        reader->held += status == MR_OK ? got : 0;
        reader->is_over = got == 0;
    }
    reader->used += n;
    return status == MR_OK && !*is_end && !isfinite(row->values[0])
               ? mr_error_file(
                     err, MR_ERROR_INPUT, mr_score_name(reader), 0,
                     reader->form == MR_SCORE_RANKS
                         ? "number %llu of %u bytes, the highest first, is no score: below "
                           "0, not finite or cut; numpy.save writes any numbers as .npy"
                         : "number %llu is no finite score",
                     (unsigned long long)reader->n, reader->width)
               : status;
}

/* ---- Files ---- */

static bool has_control_bytes(const char *data, size_t bytes)
{
    bool has = false;
    for (size_t i = 0; i < bytes && !has; i++) {
        has = (unsigned char)data[i] < ' ' && memchr("\t\n\r\f", data[i], 4) == NULL;
    }
    return has;
}

/* The bytes of each number of LAW and WebGraph: by the suffix, or by the size of the file if it is
 * known for how many pages they are. 0: no such file. */
static unsigned width_of(const struct mr_score_reader *reader, uint64_t n_pages, const char *data,
                         size_t bytes)
{
    uint64_t done, size;

    mr_input_position(reader->input, &done, &size);
    const bool is_data = n_pages > 0 && mr_input_codec(reader->input) == MR_INPUT_PLAIN &&
                         has_control_bytes(data, bytes);
    return mr_output_has_suffix(mr_score_name(reader), ".ranks") ? sizeof(double)
           : mr_output_has_suffix(mr_score_name(reader), ".f32") ? sizeof(float)
           : is_data && size == sizeof(double) * n_pages         ? sizeof(double)
           : is_data && size == sizeof(float) * n_pages          ? sizeof(float)
                                                                 : 0;
}

static enum mr_status begin(struct mr_score_reader *reader, const char *column, uint64_t n_pages,
                            struct mr_error *err)
{
    const char *data;
    size_t bytes;
    bool is_array = false;
    enum mr_status status = mr_npy_probe(reader->input, &is_array, err);

    if (status == MR_OK) {
        status = mr_input_peek(reader->input, &data, &bytes, err);
    }
    if (status != MR_OK) {
        return status;
    }
    reader->width = width_of(reader, n_pages, data, bytes);
    if (!is_array && reader->width == 0 && memchr(data, '\0', bytes) != NULL) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_score_name(reader), 0,
                             "is data and no text; numbers without names, the highest byte first, "
                             "are called .ranks (LAW's, 8 bytes) or .f32 (HyperBall's, 4 bytes), "
                             "and numpy.save writes any numbers as .npy");
    }
    const size_t before = is_array || reader->width > 0 ? 0 : before_numbers(data, bytes);
    reader->form = is_array                      ? MR_SCORE_ARRAY
                   : reader->width > 0           ? MR_SCORE_RANKS
                   : before < bytes              ? MR_SCORE_NUMBERS
                   : mr_json_begins(data, bytes) ? MR_SCORE_OBJECTS
                                                 : MR_SCORE_LINES;
    if (reader->form == MR_SCORE_ARRAY) {
        return mr_npy_reader_open(reader->context, reader->input, column, &reader->array, err);
    }
    if (reader->form >= MR_SCORE_NUMBERS) {
        size_t got = 1;
        for (size_t left = reader->form == MR_SCORE_NUMBERS ? before : 0;
             left > 0 && got > 0 && status == MR_OK; left -= got) {
            status = mr_input_read(reader->input, reader->text,
                                   left < NUMBERS_BYTES ? left : NUMBERS_BYTES, &got, err);
        }
        return status;
    }
    status = mr_hash_set_reserve(&reader->seen, SEEN_NAMES, err);
    return status != MR_OK ? status
           : reader->form == MR_SCORE_OBJECTS
               ? mr_score_begin_objects(reader, data, bytes, column, err)
               : mr_score_begin_lines(reader, data, bytes, column, err);
}

enum mr_status mr_score_reader_open(const struct mr_context *context, struct mr_input *input,
                                    const char *column, uint64_t n_pages,
                                    struct mr_score_reader **out, struct mr_error *err)
{
    struct mr_score_reader *reader = calloc(1, sizeof *reader);

    *out = reader;
    if (reader == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, mr_input_name(input), ENOMEM, "cannot read");
    }
    reader->context = context;
    reader->input = input;
    reader->has_column = column != NULL;
    reader->seen = (struct mr_hash_set){.memory = context->memory, .name = "first names"};
    return begin(reader, column, n_pages, err);
}

void mr_score_reader_close(struct mr_score_reader *reader)
{
    if (reader != NULL) {
        mr_hash_set_free(&reader->seen);
        mr_npy_reader_close(reader->array);
        mr_lines_close(reader->lines);
        free(reader->key);
        free(reader);
    }
}

bool mr_score_reader_has_names(const struct mr_score_reader *reader)
{
    return reader->form <= MR_SCORE_OBJECTS;
}

enum mr_status mr_score_reader_next(struct mr_score_reader *reader, struct mr_row *row,
                                    bool *is_end, struct mr_error *err)
{
    *row = (struct mr_row){.line = ++reader->n, .n_values = 1};
    *is_end = false;
    if (reader->form <= MR_SCORE_OBJECTS) {
        return next_line(reader, row, is_end, err);
    }
    const enum mr_status status =
        reader->form == MR_SCORE_ARRAY
            ? mr_npy_reader_next(reader->array, &row->values[0], is_end, err)
            : next_number(reader, row, is_end, err);
    if (status == MR_OK && !*is_end) {
        count_score(reader, row->values[0]);
    }
    return status == MR_OK && *is_end ? check_scores(reader, err) : status;
}

struct mr_line_place mr_score_reader_place(const struct mr_score_reader *reader)
{
    struct mr_line_place place;

    if (reader->take != NULL && reader->rest.taken != NULL) {
        return mr_text_rows_place(&reader->rest);
    }
    mr_input_position(reader->input, &place.done, &place.total);
    place.pending =
        reader->lines != NULL ? mr_lines_pending(reader->lines) : reader->held - reader->used;
    return place;
}

enum mr_status mr_score_reader_rest(struct mr_score_reader *reader, mr_row_take take, void *data,
                                    struct mr_error *err)
{
    const bool by_all = reader->form == MR_SCORE_LINES && reader->separator == '\0';
    struct mr_row row;
    bool is_end = false;
    enum mr_status status = MR_OK;

    while (status == MR_OK && !is_end && !(by_all && reader->first == NULL)) {
        status = mr_score_reader_next(reader, &row, &is_end, err);
        if (status == MR_OK && !is_end) {
            status = take(data, &row, err);
        }
        if (status == MR_OK && row.line % LINES_PER_POLL == 0) {
            status = mr_context_poll(reader->context, err);
        }
    }
    if (status == MR_OK && !is_end && reader->lines != NULL) {
        reader->rest = (struct mr_text_rows){.context = reader->context,
                                             .input = reader->input,
                                             .lines = reader->lines,
                                             .begin = {.n_values = 1},
                                             .parse = parse_row,
                                             .take = take_row,
                                             .data = reader};
        reader->take = take;
        reader->take_data = data;
        status = mr_text_rows_read(&reader->rest, err);
        reader->take = NULL;
        status = status == MR_OK ? check_scores(reader, err) : status;
    }
    return status;
}
