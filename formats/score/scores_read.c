/* SPDX-License-Identifier: Apache-2.0 */
/* A file of scores into an array by vertex.
 *
 * Files come in the order of the names mostly, so that a cursor walks over the names beside the
 * lines, and a line that is not where the cursor stands is looked up. After some such lines the
 * rest of the file goes through a join (page_join.h): the ranks of a release are in the order of
 * their values. An .npy has no names: its rows are places. */
#include <math.h>
#include <string.h>

#include "engine/base/memory.h"
#include "formats/pages/page_join.h"
#include "formats/score/score_reader.h"
#include "formats/score/scores.h"
#include "formats/stream/output.h"
#include "formats/table/npy_reader.h"
#include "formats/table/table.h"

/* A page that a file leaves further ahead than LONGEST_WALK is looked up, and not walked to. The
 * join begins after MOST_LOOKUPS. */
enum { LONGEST_WALK = 1000, MOST_LOOKUPS = 64, LINES_PER_POLL = 4096 };

struct reader {
    const struct mr_context *context;
    struct mr_names *names;
    struct mr_input *input;
    const char *column;
    const char *negative; /* why scores below 0 are refused, or NULL */
    double *scores; /* [n]; NaN: none yet */
    uint64_t n;
    struct mr_name_cursor *walk; /* stands on the name at place `at` */
    uint64_t at;
    const char *name; /* NULL: past the last one */
    size_t name_bytes;
    uint64_t n_unknown;
    uint64_t n_lookups;
    struct mr_page_join *join; /* or NULL */
};

static enum mr_status walk_to(struct reader *reader, uint64_t place, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (reader->walk == NULL || place < reader->at || place - reader->at > LONGEST_WALK) {
        mr_name_cursor_close(reader->walk);
        reader->walk = NULL;
        reader->name = NULL;
        if (place >= reader->n) {
            return MR_OK;
        }
        status = mr_name_cursor_open(reader->names, (uint32_t)place, &reader->walk, err);
        reader->at = place;
        if (status == MR_OK) {
            status = mr_name_cursor_next(reader->walk, &reader->name, &reader->name_bytes, err);
        }
    }
    for (; reader->at < place && status == MR_OK; reader->at++) {
        status = mr_name_cursor_next(reader->walk, &reader->name, &reader->name_bytes, err);
    }
    return status;
}

static enum mr_status check_score(const struct reader *reader, double score, uint64_t line,
                                  struct mr_error *err)
{
    return reader->negative == NULL || score >= 0
               ? MR_OK
               : mr_error_line(err, MR_ERROR_INPUT, mr_input_name(reader->input), line, "%s",
                               reader->negative);
}

static enum mr_status take_joined(void *data, const struct mr_page_name *name, uint32_t vertex,
                                  bool found, struct mr_error *err)
{
    struct reader *reader = data;

    (void)err;
    if (found) {
        reader->scores[vertex] = name->weight;
    } else {
        reader->n_unknown++;
    }
    return MR_OK;
}

static enum mr_status begin_join(struct reader *reader, struct mr_error *err)
{
    mr_name_cursor_close(reader->walk);
    reader->walk = NULL;
    return mr_page_join_create(reader->context, reader->names,
                               mr_memory_available(reader->context->memory) / 2, take_joined,
                               reader, &reader->join, err);
}

static enum mr_status add_to_join(struct reader *reader, const char *name, size_t name_bytes,
                                  double score, struct mr_error *err)
{
    const struct mr_page_name line = {.name = name, .bytes = name_bytes, .weight = score};
    return mr_page_join_add(reader->join, &line, NULL, 0, err);
}

static enum mr_status take_line(struct reader *reader, const char *name, size_t name_bytes,
                                double score, uint64_t line, struct mr_error *err)
{
    uint32_t place = (uint32_t)reader->at, vertex;
    enum mr_status status = check_score(reader, score, line, err);
    if (status != MR_OK) {
        return status;
    }
    if (reader->join != NULL) {
        return add_to_join(reader, name, name_bytes, score, err);
    }
    if (reader->name == NULL || reader->name_bytes != name_bytes ||
        memcmp(reader->name, name, name_bytes) != 0) {
        bool found;
        if (++reader->n_lookups > MOST_LOOKUPS) {
            status = begin_join(reader, err);
            return status == MR_OK ? add_to_join(reader, name, name_bytes, score, err) : status;
        }
        status = mr_names_find(reader->names, name, name_bytes, &vertex, &found, err);
        if (status != MR_OK || !found) {
            reader->n_unknown += status == MR_OK;
            return status;
        }
        status = mr_names_position(reader->names, vertex, &place, err);
        if (status != MR_OK) {
            return status;
        }
    } else {
        vertex = mr_name_cursor_vertex(reader->walk);
    }
    reader->scores[vertex] = score;
    return walk_to(reader, (uint64_t)place + 1, err);
}

static enum mr_status read_lines(struct reader *reader, struct mr_error *err)
{
    struct mr_score_reader *lines = NULL;
    enum mr_status status =
        mr_score_reader_open(reader->context, reader->input, reader->column, &lines, err);
    if (status == MR_OK) {
        status = walk_to(reader, 0, err);
    }
    while (status == MR_OK) {
        const char *name;
        size_t name_bytes;
        double score;
        status = mr_score_reader_next(lines, &name, &name_bytes, &score, err);
        if (status != MR_OK || name == NULL) {
            break;
        }
        const uint64_t line = mr_score_reader_line(lines);
        status = take_line(reader, name, name_bytes, score, line, err);
        if (status == MR_OK && line % LINES_PER_POLL == 0) {
            status = mr_context_poll(reader->context, err);
        }
    }
    if (status == MR_OK && reader->join != NULL) {
        status = mr_page_join_finish(reader->join, err);
    }
    mr_page_join_destroy(reader->join);
    mr_name_cursor_close(reader->walk);
    mr_score_reader_close(lines);
    return status;
}

static enum mr_status read_array(struct reader *reader, struct mr_error *err)
{
    struct mr_npy_reader *array = NULL;
    enum mr_status status =
        mr_npy_reader_open(reader->context, reader->input, reader->column, &array, err);
    if (status == MR_OK && mr_npy_reader_rows(array) != reader->n) {
        status = mr_error_file(err, MR_ERROR_INPUT, mr_input_name(reader->input), 0,
                               "has %llu rows for %llu pages; an array has no names, so it must be "
                               "from this graph",
                               (unsigned long long)mr_npy_reader_rows(array),
                               (unsigned long long)reader->n);
    }
    for (uint64_t v = 0; v < reader->n && status == MR_OK; v++) {
        bool is_end;
        uint32_t vertex = 0;
        status = mr_names_vertex(reader->names, (uint32_t)v, &vertex, err);
        if (status == MR_OK) {
            status = mr_npy_reader_next(array, &reader->scores[vertex], &is_end, err);
        }
        if (status == MR_OK) {
            status = check_score(reader, reader->scores[vertex], v + 1, err);
        }
    }
    mr_npy_reader_close(array);
    return status;
}

/* ---- Numbers without names, by place ---- */

/* What a file has: lines of names, an array of NumPy, or numbers alone. */
enum form { LINES, ARRAY, NUMBERS, BIG_ENDIAN };

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
        const struct mr_table_field token = {.text = begin, .bytes = (size_t)(at - begin)};
        double value;
        if (begin < at && at < end) { /* the last one may be cut */
            if (!mr_table_is_number(&token) || !mr_table_number(&token, ',', &value)) {
                return false;
            }
            n++;
        }
    }
    return n > 0;
}

static enum mr_status find_form(const char *path, struct mr_input *input, enum form *form,
                                struct mr_error *err)
{
    const char *data = NULL;
    size_t bytes = 0;
    bool is_array = false;
    enum mr_status status = mr_npy_probe(input, &is_array, err);

    if (status == MR_OK) {
        status = mr_input_peek(input, &data, &bytes, err);
    }
    *form = is_array                               ? ARRAY
            : mr_output_has_suffix(path, ".ranks") ? BIG_ENDIAN
            : are_numbers(data, bytes)             ? NUMBERS
                                                   : LINES;
    return status;
}

static enum mr_status take_number(struct reader *reader, double score, struct mr_error *err)
{
    uint32_t vertex = 0;
    enum mr_status status =
        reader->at < reader->n && isfinite(score)
            ? mr_names_vertex(reader->names, (uint32_t)reader->at, &vertex, err)
            : mr_error_file(
                  err, MR_ERROR_INPUT, mr_input_name(reader->input), 0,
                  reader->at < reader->n
                      ? "number %llu is no finite score (%llu pages)"
                      : "has more than %llu numbers for %llu pages; numbers without names "
                        "must be from this graph",
                  (unsigned long long)reader->at, (unsigned long long)reader->n);
    if (status == MR_OK) {
        status = check_score(reader, score, reader->at + 1, err);
    }
    if (status == MR_OK) {
        reader->scores[vertex] = score;
        reader->at++;
    }
    return status;
}

/* Takes the whole numbers in `data[bytes]`; `*used` gets their bytes. `is_last`: no more follows.
 */
static enum mr_status take_numbers(struct reader *reader, enum form form, const char *data,
                                   size_t bytes, bool is_last, size_t *used, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    *used = 0;
    while (status == MR_OK && form == BIG_ENDIAN && bytes - *used >= sizeof(double)) {
        uint64_t bits = 0;
        double score;
        for (size_t i = 0; i < sizeof bits; i++) {
            bits = bits << 8 | (unsigned char)data[*used + i];
        }
        memcpy(&score, &bits, sizeof score);
        *used += sizeof score;
        status = take_number(reader, score, err);
    }
    while (status == MR_OK && form == NUMBERS) {
        while (*used < bytes && is_between(data[*used])) {
            ++*used;
        }
        size_t end = *used;
        while (end < bytes && !is_between(data[end])) {
            end++;
        }
        if (end == *used || (end == bytes && !is_last)) {
            break;
        }
        const struct mr_table_field token = {.text = data + *used, .bytes = end - *used};
        double score = NAN;
        if (!mr_table_number(&token, ',', &score)) {
            score = NAN;
        }
        status = take_number(reader, score, err);
        *used = end;
    }
    return status;
}

/* Scores as LAW and webgraph-rs write them: a number for each page, in the order of the pages. */
static enum mr_status read_numbers(struct reader *reader, enum form form, struct mr_error *err)
{
    char buffer[4096];
    size_t held = 0, got = 1, used = 0;
    enum mr_status status = MR_OK;

    while (status == MR_OK && got > 0) {
        status = mr_input_read(reader->input, buffer + held, sizeof buffer - held, &got, err);
        held += status == MR_OK ? got : 0;
        if (status == MR_OK) {
            status = take_numbers(reader, form, buffer, held, got == 0, &used, err);
        }
        if (status == MR_OK && used == 0 && held == sizeof buffer) {
            got = 0; /* a word of this length is no number */
        }
        held -= used;
        memmove(buffer, buffer + used, held);
    }
    return status == MR_OK && (reader->at != reader->n || held > 0)
               ? mr_error_file(err, MR_ERROR_INPUT, mr_input_name(reader->input), 0,
                               "has %llu numbers%s for %llu pages; numbers without names must be "
                               "from this graph",
                               (unsigned long long)reader->at,
                               held > 0 ? " and something else" : "", (unsigned long long)reader->n)
               : status;
}

enum mr_status mr_scores_read_from(const struct mr_context *context, const char *path,
                                   const char *column, struct mr_names *names, uint64_t n_vertices,
                                   const char *negative, double *scores,
                                   struct mr_scores_found *found, struct mr_error *err)
{
    struct reader reader = {.context = context,
                            .names = names,
                            .column = column,
                            .negative = negative,
                            .scores = scores,
                            .n = n_vertices};
    enum form form = LINES;

    for (uint64_t v = 0; v < n_vertices; v++) {
        scores[v] = NAN;
    }
    enum mr_status status = mr_input_open(context, path, &reader.input, err);
    if (status == MR_OK) {
        status = find_form(path, reader.input, &form, err);
    }
    if (status == MR_OK) {
        status = form == ARRAY   ? read_array(&reader, err)
                 : form == LINES ? read_lines(&reader, err)
                                 : read_numbers(&reader, form, err);
    }
    mr_input_close(reader.input);
    if (status == MR_OK && found != NULL) {
        *found = (struct mr_scores_found){.n_unknown = reader.n_unknown};
        for (uint64_t v = 0; v < n_vertices; v++) {
            found->n_found += isnan(scores[v]) ? 0 : 1;
        }
    }
    return status;
}

enum mr_status mr_scores_read(const struct mr_context *context, const char *path,
                              const char *column, struct mr_names *names, uint64_t n_vertices,
                              double *scores, struct mr_scores_found *found, struct mr_error *err)
{
    return mr_scores_read_from(context, path, column, names, n_vertices, NULL, scores, found, err);
}
