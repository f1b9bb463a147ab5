/* Writes score files: TSV `name<TAB>score...` in the order of the names ("position" in
 * engine/names/names.h), or the best K lines of it, or NumPy arrays.
 *
 * Scores are written as %.17g, floats as well, so that reading gives the same value. Names with
 * control bytes are %-escaped and counted. */
#ifndef MR_FORMATS_SCORE_SCORES_H
#define MR_FORMATS_SCORE_SCORES_H

#include "engine/names/names.h"

enum mr_score_type { MR_SCORES_DOUBLE, MR_SCORES_FLOAT };

struct mr_score_column {
    const char *name; /* for the header line: "score", "hub", "authority" */
    enum mr_score_type type;
    const void *values; /* double or float [n_vertices], by vertex; borrowed */
};

struct mr_scores_options {
    size_t struct_size; /* sizeof(struct mr_scores_options) */
    bool force; /* replace an existing file */
    bool header; /* the first line is "name<TAB>" and the names of the columns */
    bool only_top; /* write only the `top` best, best first; equal scores by vertex */
    uint64_t top; /* how many with only_top; more than n_vertices means all */
    unsigned top_column; /* the column that decides, from 0 */
    bool originals; /* with only_top: write the first spelling of a page instead of its name */
};

struct mr_scores_summary {
    uint64_t rows;
    uint64_t escaped; /* names that were escaped */
};

/* Write `columns[n_columns]` of vertices 0..n_vertices-1 to `path` and publish it
 * (formats/stream/output.h: NULL and "-" are standard output, .gz and .zst compress). Rows are in
 * the order of the names.
 *
 * Where `path` ends in .npy, write a NumPy array of format 1.0 instead: shape (n,) for one column,
 * (n, n_columns) in Fortran order for several, which must have one type. `names` may be NULL for an
 * array of vertices that are in the order of the names.
 *
 * Errors: USAGE for only_top, or columns of several types, with .npy; USAGE when `path` exists and
 * `force` is not set; CORRUPT when the store has too few names. Memory: a few buffers, and 4 bytes
 * per row with only_top. `summary` may be NULL. Reports progress "write". */
enum mr_status mr_scores_write(const struct mr_context *context, const char *path,
                               struct mr_names *names, uint64_t n_vertices,
                               const struct mr_score_column *columns, unsigned n_columns,
                               const struct mr_scores_options *options,
                               struct mr_scores_summary *summary,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Write the header of a NumPy array as mr_scores_write does. The caller writes the values after it,
 * one column after the other. For callers that do not have all columns at once. */
struct mr_output;
enum mr_status mr_scores_npy_begin(struct mr_output *output, enum mr_score_type type,
                                   uint64_t n_vertices, uint64_t n_columns,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Write the names alone, one per line in their order: the file that goes with an .npy. */
enum mr_status mr_scores_write_names(const struct mr_context *context, const char *path,
                                     struct mr_names *names, uint64_t n_vertices, bool force,
                                     struct mr_scores_summary *summary,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
