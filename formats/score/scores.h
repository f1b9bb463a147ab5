/* SPDX-License-Identifier: Apache-2.0 */
/* Score files; millrace/scores.h has the functions that write and read them. */
#ifndef MR_FORMATS_SCORE_SCORES_H
#define MR_FORMATS_SCORE_SCORES_H

#include "engine/names/names.h"
#include "formats/table/row_writer.h"
#include "millrace/scores.h"

/* Check that scores in `n_columns` columns of pages with these names fit the file at `path`: lines
 * of score_uri.txt have one score and a URL. Looks at the first name. Errors: USAGE. */
enum mr_status mr_scores_check_uri(const char *path, unsigned n_columns, struct mr_names *names,
                                   uint64_t n_vertices, struct mr_error *err) MR_WARN_UNUSED;
/* Check that `path`, which may be NULL, may have plain lines: it is neither .csv nor .json nor
 * .npy, nor another table. Errors: USAGE. */
enum mr_status mr_scores_check_lines_path(const char *path, struct mr_error *err) MR_WARN_UNUSED;

/* Check that labels fit the file at `path`, which may be NULL: they are no numbers. Errors: USAGE.
 */
enum mr_status mr_scores_check_labels(const char *path, struct mr_error *err) MR_WARN_UNUSED;

/* Bytes that mr_scores_write takes beside the columns for a file at `path`, without only_top. */
uint64_t mr_scores_write_memory(const char *path, bool has_labels);

/* Write the header of a NumPy array as mr_scores_write does. The caller writes the values after it,
 * one column after the other. For callers that do not have all columns at once, and, with the name
 * that NumPy has for a type ("'<f8'", "[('page', '<u4'), ...]"), for values of any type. */
enum mr_status mr_scores_npy_header(struct mr_output *output, const char *type, uint64_t n_rows,
                                    uint64_t n_columns, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_scores_npy_begin(struct mr_output *output, enum mr_score_type type,
                                   uint64_t n_vertices, uint64_t n_columns,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Append `n` of `width` columns that stand side by side, in the order of the names, by all threads.
 * Errors: those of writing, BUDGET. */
enum mr_status mr_scores_npy_columns(struct mr_output *output, enum mr_score_type type,
                                     struct mr_names *names, uint64_t n_vertices,
                                     const void *values, unsigned width, unsigned n,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* One of the best scores of a column. */
struct mr_best_score {
    double score;
    uint32_t position, vertex;
};

/* Fill `best` with the best of the chosen vertices (a bit per vertex; NULL: all), at most *k, best
 * first, equal ones by position. Sets *k to their number. `best` has room for *k, which is at most
 * n_vertices. Time: O(n log k), for most inputs O(n). */
enum mr_status mr_scores_best(const struct mr_score_column *column, struct mr_names *names,
                              uint64_t n_vertices, const uint8_t *chosen,
                              struct mr_best_score *best, uint64_t *k,
                              struct mr_error *err) MR_WARN_UNUSED;

/* A column whose values are made while they are read. Within each of the two parts of the vertices
 * that a store keeps apart (engine/store/core_map.h) vertices come in ascending order, if those of
 * the store have positions by name or core first. */
struct mr_score_stream {
    const char *name;
    enum mr_score_type type;
    enum mr_status (*score)(void *data, uint64_t vertex, double *score, struct mr_error *err);
    void *data;
};

/* A stream of the values of `column`, which outlives it. */
struct mr_score_stream mr_score_stream_of(const struct mr_score_column *column);

/* The positions of the best *k chosen vertices, best first, equal ones by position, as an array
 * (*order)[*k] that the caller frees even after an error. Sets *k to their number, and scores
 * [n_vertices], by position. Reads the stream once. Memory: 8 bytes per vertex, and 8 more if there
 * is room, so that all threads sort. Time: O(n). */
enum mr_status mr_scores_order(const struct mr_context *context,
                               const struct mr_score_stream *stream, struct mr_names *names,
                               uint64_t n_vertices, const uint8_t *chosen, double *scores,
                               uint32_t **order, uint64_t *k, struct mr_error *err) MR_WARN_UNUSED;

/* mr_scores_best of a stream. Reads it once. */
enum mr_status mr_scores_best_of_stream(const struct mr_score_stream *stream,
                                        struct mr_names *names, uint64_t n_vertices,
                                        const uint8_t *chosen, struct mr_best_score *best,
                                        uint64_t *k, struct mr_error *err) MR_WARN_UNUSED;

static inline double mr_score_at(const struct mr_score_column *column, uint64_t vertex)
{
    switch (column->type) {
    case MR_SCORES_FLOAT:
        return (double)((const float *)column->values)[vertex];
    case MR_SCORES_VERTEX:
        return ((const uint32_t *)column->values)[vertex];
    case MR_SCORES_WORD:
        return ((const uint8_t *)column->values)[vertex];
    default:
        return ((const double *)column->values)[vertex];
    }
}

/* Is the column one of labels, not of scores? */
static inline bool mr_score_is_label(const struct mr_score_column *column)
{
    return column->type >= MR_SCORES_VERTEX;
}

static inline bool mr_score_is_chosen(const uint8_t *chosen, uint64_t vertex)
{
    return chosen == NULL || (chosen[vertex / 8] >> vertex % 8 & 1) != 0;
}

/* mr_scores_write of one column that is a stream. `names` must not be NULL. Reads the stream once.
 */
enum mr_status mr_scores_write_stream(const struct mr_context *context, const char *path,
                                      struct mr_names *names, uint64_t n_vertices,
                                      const struct mr_score_stream *stream,
                                      const struct mr_scores_options *options,
                                      struct mr_scores_summary *summary,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* mr_scores_read, but scores below 0 are refused where `negative` says why; it may be NULL.
 * `*has_names`: the rows were matched by name, all of them; it may be NULL. */
enum mr_status mr_scores_read_from(const struct mr_context *context, const char *path,
                                   const char *column, struct mr_names *names, uint64_t n_vertices,
                                   const char *negative, double *scores,
                                   struct mr_scores_found *found, bool *has_names,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* ---- The best pages of each of many seeds (seed_pages.c) ----
 *
 * A file has rows of seed, page, score, bound and proven, or a record of NumPy for each seed: n,
 * bound, proven, and `top` pages, by position, and scores. */

struct mr_push_answer;

struct mr_seed_pages {
    const struct mr_context *context;
    struct mr_names *names;
    uint64_t top; /* pages of a seed at most */
    bool is_npy;
    struct mr_row_writer rows; /* of an .npy only its output */
    /* Names of a call. They are looked up in the order of their vertices, since a block has many of
     * them. */
    uint64_t *found; /* [most_rows]: vertex << 32 | row */
    struct mr_seed_page_name {
        uint32_t at, bytes; /* in `text`; 0 bytes: it had no room there */
    } * names_of; /* [most_rows], by row */
    char *text;
};

/* Refuse a path whose suffix wants another file. NULL is standard output. Errors: USAGE. */
enum mr_status mr_seed_pages_check(const char *path, struct mr_error *err) MR_WARN_UNUSED;

/* What mr_seed_pages_open allocates for calls with up to `most_rows` pages. */
uint64_t mr_seed_pages_memory(uint64_t most_rows);

/* Open the file at `path`, of `n_seeds`, as mr_row_writer_open does. The caller sets context, names
 * and top, and zeros, or rows.is_aligned. It writes all seeds, some in each call, ends pages->rows,
 * and closes, after an error as well. Errors: BUDGET, and those of names and outputs. */
enum mr_status mr_seed_pages_open(struct mr_seed_pages *pages, const char *path, bool force,
                                  bool header, bool mark, uint64_t n_seeds, uint64_t most_rows,
                                  struct mr_error *err) MR_WARN_UNUSED;
/* Write what mr_push_best found of seeds [n_seeds] with these names. */
enum mr_status mr_seed_pages_write(struct mr_seed_pages *pages, char *const *seeds,
                                   uint64_t n_seeds, const struct mr_push_answer *answers,
                                   const uint32_t *vertices, const double *scores,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_seed_pages_close(struct mr_seed_pages *pages);

#endif
