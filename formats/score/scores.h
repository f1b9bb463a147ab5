/* Score files: TSV `name<TAB>score...` in the order of the names (engine/names/names.h, "place"), or the best K of it, the
 * same as CSV or JSON, or NumPy arrays.
 *
 * Scores are written as %.17g, floats as well, and read back to the same value. Names with control
 * bytes in them are %-escaped and counted. */
#ifndef MR_FORMATS_SCORE_SCORES_H
#define MR_FORMATS_SCORE_SCORES_H

#include "engine/names/names.h"

enum mr_score_type { MR_SCORES_DOUBLE, MR_SCORES_FLOAT };

struct mr_score_column {
    const char *name; /* for the header line: "score", "hub", "authority" */
    enum mr_score_type type;
    const void *values; /* double or float [n_vertices], borrowed */
};

struct mr_scores_options {
    size_t struct_size; /* sizeof(struct mr_scores_options) */
    bool force; /* replace an existing file */
    bool header; /* first line "name<TAB>" and the columns' names */
    bool only_top; /* the `top` best only, best first, equal ones by vertex */
    uint64_t top; /* with only_top: how many; more than n_vertices means all */
    unsigned top_column; /* which column decides, from 0 */
    bool
        originals; /* with only_top: a page is called by the first of its spellings, as it was met */
};

struct mr_scores_summary {
    uint64_t rows;
    uint64_t escaped; /* names that needed it */
};

/* Write `columns[n_columns]` of vertices 0..n_vertices-1 to `path` (formats/stream/output.h: NULL and "-"
 * are standard output, .gz and .zst compress) and publish it. Where `path` ends in .csv, rows have commas and quotes
 * (RFC 4180); in .jsonl, .ndjson or .jl, they are JSON objects, "name" and a key per column; in .json, an
 * array of these, one per line; then `header` does not matter. Where `path` ends in .npy, a NumPy
 * array of format 1.0 instead: shape (n,) for one column, (n, n_columns) in Fortran order for
 * several, which must be of one type, rows in the order of the names; `names` may then be NULL where vertices have
 * no order of their own, and only_top is USAGE. Memory: a few
 * buffers; 4 bytes per row of the top. `summary` may be NULL. Reports progress "write". */
enum mr_status mr_scores_write(const struct mr_context *context, const char *path,
                               struct mr_names *names, uint64_t n_vertices,
                               const struct mr_score_column *columns, unsigned n_columns,
                               const struct mr_scores_options *options,
                               struct mr_scores_summary *summary,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Whether `path`, which may be NULL, ends as mr_scores_write knows it, or in no way that says what the file is. Errors:
 * USAGE for .parquet, .xlsx, .zip and their like. */
enum mr_status mr_scores_check_path(const char *path, struct mr_error *err) MR_WARN_UNUSED;
/* The same for plain lines, which are neither .csv nor .json nor .npy. */
enum mr_status mr_scores_check_lines_path(const char *path, struct mr_error *err) MR_WARN_UNUSED;

/* The header of a NumPy array that mr_scores_write would write: the columns' values follow, one column
 * after the other. For those who do not have all columns at once. */
struct mr_output;
enum mr_status mr_scores_npy_begin(struct mr_output *output, enum mr_score_type type,
                                   uint64_t n_vertices, uint64_t n_columns,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Names alone, one per line in their order: what goes beside an .npy. */
enum mr_status mr_scores_write_names(const struct mr_context *context, const char *path,
                                     struct mr_names *names, uint64_t n_vertices, bool force,
                                     struct mr_scores_summary *summary,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
