/* SPDX-License-Identifier: Apache-2.0 */
/* A file of scores into an array by vertex.
 *
 * Files come in the order of the names mostly, so that a cursor walks over the names beside the
 * lines, and a line that is not where the cursor stands is looked up. After some such lines the
 * rest of the file goes through a join (page_join.c): the ranks of a release are in the order of
 * their values. Rows without names, as those of an .npy, are places. */
#include <math.h>
#include <string.h>

#include "engine/base/memory.h"
#include "formats/pages/page_names.h"
#include "formats/score/score_reader.h"
#include "formats/score/scores.h"
#include "formats/stream/input_paths.h"

/* A page that a file leaves further ahead than LONGEST_WALK is looked up, and not walked to. The
 * join begins after MOST_LOOKUPS. */
enum { LONGEST_WALK = 1000, MOST_LOOKUPS = 64 };

#define GIVEN_TWICE "%s has a score already; a file may name a page once"

struct vertex_scores {
    const struct mr_context *context;
    struct mr_names *names;
    struct mr_input *input;
    const char *path; /* of the input, or of the directory */
    size_t n_files;
    const char *column;
    const char *negative; /* why scores below 0 are refused, or NULL */
    double *scores; /* [n]; NaN: none yet */
    uint64_t n;
    struct mr_name_cursor *walk; /* stands on the name at place `at` */
    uint64_t at;
    const char *name; /* NULL: past the last one */
    size_t name_bytes;
    uint64_t n_unknown;
    char first_unknown[MR_LINES_QUOTE_BYTES];
    uint64_t n_lookups;
    bool has_numbers; /* rows without names */
    struct mr_page_join *join; /* or NULL */
};

static enum mr_status walk_to(struct vertex_scores *reader, uint64_t place, struct mr_error *err)
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

static enum mr_status check_score(const struct vertex_scores *reader, double score, uint64_t line,
                                  struct mr_error *err)
{
    return reader->negative == NULL || score >= 0
               ? MR_OK
               : mr_error_line(err, MR_ERROR_INPUT, mr_input_name(reader->input), line, "%s",
                               reader->negative);
}

/* Sets the score of a page, which has none yet. */
static enum mr_status set_score(struct vertex_scores *reader, uint32_t vertex,
                                const struct mr_row *row, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];

    if (isnan(reader->scores[vertex])) {
        reader->scores[vertex] = row->values[0];
        return MR_OK;
    }
    (void)mr_lines_quote(row->name, row->name_bytes, quote);
    return reader->join == NULL || reader->n_files == 1 /* it may be a line of any of the files */
               ? mr_error_line(err, MR_ERROR_INPUT, reader->path, row->line, GIVEN_TWICE, quote)
               : mr_error_file(err, MR_ERROR_INPUT, reader->path, 0, GIVEN_TWICE, quote);
}

/* Counts a name that is no page, and remembers the first. */
static void count_unknown(struct vertex_scores *reader, const struct mr_row *row)
{
    if (reader->n_unknown++ == 0) {
        (void)mr_lines_quote(row->name, row->name_bytes, reader->first_unknown);
    }
}

static enum mr_status take_joined(void *data, const struct mr_row *name, uint32_t vertex,
                                  bool found, struct mr_error *err)
{
    struct vertex_scores *reader = data;

    if (found) {
        return set_score(reader, vertex, name, err);
    }
    count_unknown(reader, name);
    return MR_OK;
}

static enum mr_status begin_join(struct vertex_scores *reader, struct mr_error *err)
{
    mr_name_cursor_close(reader->walk);
    reader->walk = NULL;
    return mr_page_join_create(reader->context, reader->names,
                               mr_memory_available(reader->context->memory) / 2, take_joined,
                               reader, &reader->join, err);
}

/* A mr_row_take. */
static enum mr_status take_line(void *data, const struct mr_row *row, struct mr_error *err)
{
    struct vertex_scores *reader = data;
    uint32_t place = (uint32_t)reader->at, vertex;
    enum mr_status status = check_score(reader, row->values[0], row->line, err);
    if (status != MR_OK) {
        return status;
    }
    if (reader->join != NULL) {
        return mr_page_join_add(reader->join, row, NULL, 0, err);
    }
    if (reader->name == NULL || reader->name_bytes != row->name_bytes ||
        memcmp(reader->name, row->name, row->name_bytes) != 0) {
        bool found;
        if (++reader->n_lookups > MOST_LOOKUPS) {
            status = begin_join(reader, err);
            return status == MR_OK ? mr_page_join_add(reader->join, row, NULL, 0, err) : status;
        }
        status = mr_names_find(reader->names, row->name, row->name_bytes, &vertex, &found, err);
        if (status != MR_OK || !found) {
            if (status == MR_OK) {
                count_unknown(reader, row);
            }
            return status;
        }
        status = mr_names_position(reader->names, vertex, &place, err);
        if (status != MR_OK) {
            return status;
        }
    } else {
        vertex = mr_name_cursor_vertex(reader->walk);
    }
    status = set_score(reader, vertex, row, err);
    return status == MR_OK ? walk_to(reader, (uint64_t)place + 1, err) : status;
}

/* Takes a score without a name: rows are places. A mr_row_take. */
static enum mr_status take_number(void *data, const struct mr_row *row, struct mr_error *err)
{
    struct vertex_scores *reader = data;
    uint32_t vertex = 0;
    enum mr_status status = check_score(reader, row->values[0], reader->at + 1, err);

    if (status == MR_OK && reader->at < reader->n) {
        status = mr_names_vertex(reader->names, (uint32_t)reader->at, &vertex, err);
        reader->scores[vertex] = row->values[0];
    }
    reader->at++;
    return status;
}

/* Reads the rows of one file. */
static enum mr_status read_rows(struct vertex_scores *reader, struct mr_error *err)
{
    struct mr_score_reader *rows = NULL;
    enum mr_status status =
        mr_score_reader_open(reader->context, reader->input, reader->column, reader->n, &rows, err);
    const bool has_names = status == MR_OK && mr_score_reader_has_names(rows);

    reader->has_numbers |= !has_names;
    if (has_names && reader->join == NULL && reader->walk == NULL) {
        status = walk_to(reader, 0, err);
    }
    if (status == MR_OK) {
        status = mr_score_reader_rest(rows, has_names ? take_line : take_number, reader, err);
    }
    mr_score_reader_close(rows);
    return status;
}

static enum mr_status read_files(struct vertex_scores *reader, const char *path,
                                 struct mr_error *err)
{
    struct mr_input_paths paths;

    enum mr_status status = mr_input_paths_find(&path, 1, false, &paths, err);
    reader->n_files = paths.n;
    reader->path = mr_input_path_name(path);
    for (size_t i = 0; i < paths.n && status == MR_OK; i++) {
        status = mr_input_open(reader->context, paths.items[i].path, &reader->input, err);
        if (status == MR_OK) {
            reader->path = reader->join == NULL ? mr_input_name(reader->input) : reader->path;
            status = read_rows(reader, err);
        }
        reader->path = mr_input_path_name(path);
        mr_input_close(reader->input);
        reader->input = NULL;
    }
    mr_input_paths_free(&paths);
    if (status == MR_OK && reader->has_numbers && reader->at != reader->n) {
        status = mr_error_file(err, MR_ERROR_INPUT, mr_input_path_name(path), 0,
                               "has %llu rows for %llu pages; scores without names must be from "
                               "this graph",
                               (unsigned long long)reader->at, (unsigned long long)reader->n);
    }
    if (status == MR_OK && reader->join != NULL) {
        status = mr_page_join_finish(reader->join, err);
    }
    mr_page_join_destroy(reader->join);
    mr_name_cursor_close(reader->walk);
    return status;
}

/* Refuses a file that names no page of the graph, with names of both. */
static enum mr_status none_found(const struct vertex_scores *reader, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES] = "";
    const char *name;
    size_t bytes;

    if (reader->n > 0 && mr_names_get(reader->names, 0, &name, &bytes, NULL) == MR_OK) {
        (void)mr_lines_quote(name, bytes, quote);
    }
    return mr_error_file(err, MR_ERROR_INPUT, reader->path, 0,
                         "none of its %llu names is a page of the graph: the first is %s, and a "
                         "page of the graph is %s; give scores of this graph, by its names",
                         (unsigned long long)reader->n_unknown, reader->first_unknown, quote);
}

enum mr_status mr_scores_read_from(const struct mr_context *context, const char *path,
                                   const char *column, struct mr_names *names, uint64_t n_vertices,
                                   const char *negative, double *scores,
                                   struct mr_scores_found *found, bool *has_names,
                                   struct mr_error *err)
{
    struct vertex_scores reader = {.context = context,
                                   .names = names,
                                   .column = column,
                                   .negative = negative,
                                   .scores = scores,
                                   .n = n_vertices};
    uint64_t n_found = 0;

    for (uint64_t v = 0; v < n_vertices; v++) {
        scores[v] = NAN;
    }
    const enum mr_status status = read_files(&reader, path, err);
    if (has_names != NULL) {
        *has_names = !reader.has_numbers;
    }
    for (uint64_t v = 0; v < n_vertices && status == MR_OK; v++) {
        n_found += isnan(scores[v]) ? 0 : 1;
    }
    if (status == MR_OK && found != NULL) {
        *found = (struct mr_scores_found){.n_found = n_found, .n_unknown = reader.n_unknown};
    }
    return status == MR_OK && n_found == 0 && reader.n_unknown > 0 ? none_found(&reader, err)
                                                                   : status;
}

enum mr_status mr_scores_read(const struct mr_context *context, const char *path,
                              const char *column, struct mr_names *names, uint64_t n_vertices,
                              double *scores, struct mr_scores_found *found, struct mr_error *err)
{
    return mr_scores_read_from(context, path, column, names, n_vertices, NULL, scores, found, NULL,
                               err);
}
