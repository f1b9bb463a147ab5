/* Files of scores: lines `name<TAB>score...` in the order of the names (names.h, "position"), or
 * the best K of them; the same as CSV or JSON; or NumPy arrays.
 *
 * Scores are written as %.17g, floats as well, and read back to the same value. Names with
 * control bytes in them are %-escaped and counted. ".gz" and ".zst" at the end of a path
 * compress. A file is written under a temporary name and renamed when it is whole. */
#ifndef MILLRACE_SCORES_H
#define MILLRACE_SCORES_H

#include "millrace/names.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mr_score_type { MR_SCORES_DOUBLE, MR_SCORES_FLOAT };

struct mr_score_column {
    const char *name; /* for the header line: "score", "hub", "authority" */
    enum mr_score_type type;
    const void *values; /* double or float [n_vertices], by vertex; borrowed */
};

struct mr_scores_options {
    size_t struct_size; /* sizeof(struct mr_scores_options) */
    bool force; /* replace an existing file */
    bool header; /* first line "name<TAB>" and the columns' names */
    bool only_top; /* the `top` best only, best first, equal ones by vertex */
    uint64_t top; /* with only_top: how many; more than n_vertices means all */
    unsigned top_column; /* which column decides, from 0 */
    bool originals; /* with only_top: call a page by its first spelling, as it was met */
};

/* What was written. It does not grow in later versions. */
struct mr_scores_summary {
    uint64_t rows;
    uint64_t escaped; /* names that needed it */
};

/* Write `columns[n_columns]` (n_columns > 0) of vertices 0 .. n_vertices - 1 to `path` (NULL and
 * "-" are standard output) and publish it. Where `path` ends in .csv, rows have commas and
 * quotes (RFC 4180); in .jsonl, .ndjson or .jl, rows are JSON objects, "name" and a key per
 * column; in .json, an array of these, one per line; `header` then does not matter. Where `path`
 * ends in .npy, a NumPy array of format 1.0 instead: shape (n,) for one column, (n, n_columns)
 * in Fortran order for several, which must be of one type, rows in the order of the names;
 * `names` may then be NULL where vertices have no order of their own, and only_top is USAGE.
 * `options` may be NULL: all 0. `summary` may be NULL. Errors: USAGE when the file exists
 * without force, and for .parquet, .xlsx, .zip and their like; RUNTIME and BUDGET of the disk.
 * Memory: a few buffers; 4 bytes per row of the top. One reading of the names, one lookup per
 * row of the top. Reports progress "write". */
MR_API enum mr_status mr_scores_write(const struct mr_context *context, const char *path,
                                      struct mr_names *names, uint64_t n_vertices,
                                      const struct mr_score_column *columns, unsigned n_columns,
                                      const struct mr_scores_options *options,
                                      struct mr_scores_summary *summary,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Names alone, one per line in their order: what goes beside an .npy. */
MR_API enum mr_status mr_scores_write_names(const struct mr_context *context, const char *path,
                                            struct mr_names *names, uint64_t n_vertices, bool force,
                                            struct mr_scores_summary *summary,
                                            struct mr_error *err) MR_WARN_UNUSED;

/* What a file of scores has of a graph. It does not grow in later versions. */
struct mr_scores_found {
    uint64_t n_found; /* vertices with a score */
    uint64_t n_unknown; /* rows whose names are no vertex */
};

/* Read one column of the file at `path` ("-": standard input) into `scores[n_vertices]`, by
 * vertex: lines are matched by name, rows of an .npy by position. A vertex without a score gets
 * NaN, of a name given twice the last score counts. `column` is the number of a score column
 * ("1" is the first after the name), or its name in the header, or NULL: the last. `names` are
 * those of the graph, n_vertices their number. `found` may be NULL. Errors: INPUT at FILE:LINE
 * for what is no score, INPUT for an array of another length and for a column that is not there.
 * Time: side by side with the names where the file is in their order, else a lookup per line.
 * Memory: 2 MiB. */
MR_API enum mr_status mr_scores_read(const struct mr_context *context, const char *path,
                                     const char *column, struct mr_names *names,
                                     uint64_t n_vertices, double *scores,
                                     struct mr_scores_found *found,
                                     struct mr_error *err) MR_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
