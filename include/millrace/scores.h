/* SPDX-License-Identifier: Apache-2.0 */
/* Files of scores: lines `name<TAB>score...` in the order of positions (names.h), the best K of
 * them, CSV, JSON, or NumPy arrays.
 *
 * Scores are written with the fewest digits, 15 to 17, that are read back to the same double, also
 * those of type float. Control bytes in names are written as \xNN, and the names with such bytes
 * are counted. A path that ends in ".gz" or ".zst" compresses the file. A file is written under a
 * temporary name and renamed when it is complete. */
#ifndef MILLRACE_SCORES_H
#define MILLRACE_SCORES_H

#include "millrace/names.h"

#ifdef __cplusplus
extern "C" {
#endif

enum mr_score_type {
    MR_SCORES_DOUBLE,
    MR_SCORES_FLOAT,
    /* labels, which are no numbers in a file: */
    MR_SCORES_VERTEX, /* uint32_t, a vertex: its name is written */
    MR_SCORES_WORD /* uint8_t, the number of a word */
};

struct mr_score_column {
    const char *name; /* for the header line: "score", "hub", "authority" */
    enum mr_score_type type;
    const void *values; /* of the type, [n_vertices], by vertex; borrowed */
    const char *const *words; /* of a WORD, by number, a NULL behind; else NULL */
};

struct mr_scores_options {
    size_t struct_size; /* sizeof(struct mr_scores_options) */
    bool force; /* replace an existing file */
    bool header; /* write a first line with the names of the columns; .csv has one anyway */
    bool only_top; /* write the `top` best rows only, best first, equal ones by vertex */
    uint64_t top; /* with only_top: the number of rows; above n_vertices means all */
    unsigned top_column; /* which column decides, from 0 */
    /* with only_top: write the first spelling of a page in the input instead of its name */
    bool originals;
    /* Write only the vertices whose bit is set, chosen[v / 8] >> v % 8 & 1; NULL: all. Not for
     * .npy. */
    const uint8_t *chosen;
    bool only_names; /* write no columns; top_column decides all the same */
    bool mark; /* begin a .csv with the mark of UTF-8, by which Excel knows it */
    const char *metadata; /* JSON, for the metadata of a .parquet or .duckdb; NULL: none */
    /* What the error of each score is at most. If it is above 0, a .parquet or .duckdb of the one
     * column "score" has its proven digits as the column "digits", up to 17: the relative error of
     * a score is at most 10^-digits. */
    double error_bound;
};
#define MR_SCORES_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(struct mr_scores_options), false, false, false, 0, 0, false, NULL, false, false,    \
            NULL, 0                                                                                \
    }

/* What was written. This struct does not grow in later versions. */
struct mr_scores_summary {
    uint64_t rows;
    uint64_t escaped; /* names with escaped bytes */
};

/* Write `columns[n_columns]` (n_columns > 0) of the vertices 0 .. n_vertices - 1 to `path`, and
 * publish the file. NULL and "-" are standard output. The end of `path` selects the format:
 *
 *   .csv                 rows with commas and quotes, below a header (RFC 4180)
 *   .jsonl .ndjson .jl   a JSON object per row, with "name" and a key per column
 *   .json                the same objects in one array
 *   .parquet             a Parquet file, if DuckDB's library is there; the key "millrace" of its
 *                        metadata has options->metadata
 *   .duckdb              a database with the table "result", whose comment is options->metadata
 *   .npy                 a NumPy array of format 1.0, rows in the order of positions
 *   score_uri.txt        lines of the only score and the name with a tab between; names are URLs
 *   any other            lines with tabs
 *
 * The shape of a NumPy array is (n,) for one column, and (n, n_columns) in Fortran order for
 * several columns, which must have the same type. `names` may then be NULL if the position of every
 * vertex is its number. only_top is an error for .npy, and so are labels, as for score_uri.txt.
 *
 * `options` may be NULL: all 0. `summary` may be NULL. Errors: USAGE when the file exists and
 * `force` is not set, for only_top with .npy, and for a score_uri.txt of several columns or of
 * names without "://" (INPUT after the first name); RUNTIME and BUDGET for the disk. Memory: a few
 * buffers, 4 MiB for vertices, and 16 bytes per row with only_top. Reads the names once; with
 * only_top of few rows, one lookup per row; of many, 4 bytes per vertex more, and the names wait on
 * disk if the budget has no room for them (context->tmp_dir). Reports progress as "write". */
MR_API enum mr_status mr_scores_write(const struct mr_context *context, const char *path,
                                      struct mr_names *names, uint64_t n_vertices,
                                      const struct mr_score_column *columns, unsigned n_columns,
                                      const struct mr_scores_options *options,
                                      struct mr_scores_summary *summary,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Write the names alone, one per line, in the order of positions. Such a file names the rows of an
 * .npy file. Errors: as mr_scores_write. */
MR_API enum mr_status mr_scores_write_names(const struct mr_context *context, const char *path,
                                            struct mr_names *names, uint64_t n_vertices, bool force,
                                            struct mr_scores_summary *summary,
                                            struct mr_error *err) MR_WARN_UNUSED;

/* How a file of scores matches a graph. This struct does not grow in later versions. */
struct mr_scores_found {
    uint64_t n_found; /* vertices with a score */
    uint64_t n_unknown; /* rows whose name is not a vertex */
};

/* Read one column of the file at `path` ("-": standard input) into `scores[n_vertices]`, by vertex.
 * Lines are matched by name, rows of an .npy file by position. A vertex without a score gets NaN.
 * A page has one score, and a row without one (NULL, an empty field) is passed over. `column` is
 * the number of a score column ("1" is the first after the name), or its name in the header, or
 * NULL for the last one of numbers, with a header for that of a word such as "score" or the only
 * one of numbers. `names` are those of the graph, and n_vertices is their number. `found` may be
 * NULL.
 *
 * Errors: INPUT with FILE:LINE for a value that is not a score and for a name that has a score
 * already; INPUT for an array of another length, for a column that does not exist, for a file that
 * names no page of the graph, and, if `column` is NULL, for places (1 to N) in place of scores.
 * Time: one reading of the names if the file is in their order, else a lookup per line. Memory: 2
 * MiB. */
MR_API enum mr_status mr_scores_read(const struct mr_context *context, const char *path,
                                     const char *column, struct mr_names *names,
                                     uint64_t n_vertices, double *scores,
                                     struct mr_scores_found *found,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* ---- Comparing ---- */

struct mr_compare_options {
    size_t struct_size; /* sizeof(struct mr_compare_options) */
    /* a vertex that one side lacks has score 0 there; otherwise it is left out */
    bool missing_is_zero;
    uint64_t top; /* K of the overlap; 0 means 100 */
};
#define MR_COMPARE_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(struct mr_compare_options), false, 100                                              \
    }

struct mr_compare_figures {
    size_t struct_size; /* sizeof(struct mr_compare_figures), set by the caller */
    uint64_t n_a, n_b; /* vertices with a score on side a, on side b */
    uint64_t n_common; /* vertices with a score on both sides */
    uint64_t n_compared; /* vertices that tau, rho, L1 and L-infinity count */
    uint64_t n_different; /* compared vertices whose two scores differ */
    /* tau-b; NaN if all scores of one side are equal, or if there are fewer than two vertices */
    double kendall_tau;
    double spearman_rho; /* of ranks, where equal scores share the mean; NaN as for tau */
    double l1; /* sum of |a - b| */
    double l_infinity; /* largest |a - b| */
    uint64_t top; /* K, but at most the number of vertices of the shorter side */
    /* vertices that are among the K best of both sides, with all vertices of each side */
    uint64_t top_common;
    bool by_row; /* rows of files were matched by their number, because a file is an .npy */
    double sum_a, sum_b; /* of all scores of side a, of side b */
};

/* Scores of one side: a file, or an array. */
struct mr_scores_side {
    const char *path, *column; /* as in mr_scores_read; the path is NULL with `scores` */
    const double *scores; /* [n_vertices]: finite, or NaN where the side has none */
    uint64_t n_vertices; /* of the array; or of the graph that a file has all scores of */
    /* For mr_scores_find_changes, what is proven of a file. Where n_vertices is 0, the file of
     * metadata beside it (FILE.meta.json) says it, and the fields below. */
    double bound; /* at most the sum of the errors of all scores */
    double total; /* what the scores are a share of: 1, or n_vertices for --scale pages */
    bool adds_up; /* the exact scores add up to `total`; false where dangling mass is lost */
};

/* Compare two arrays, the scores of the same vertices (fewer than 2^32), or two files, which need
 * no store: lines are matched by name, in any order, and rows by their number if a file is an .npy.
 * Equal scores share their rank; for the overlap they rank by index, lower first, or in the order
 * of file a. `options` may be NULL. tau-b is counted exactly, in integers (Knight 1966), and so is
 * rho. Errors: USAGE for an array and a file, and for arrays of other lengths; INPUT for an
 * infinite score, with FILE:LINE for a line that is not a score, and for files without a common
 * page; BUDGET, INTERRUPTED. Time: O(n log n). Memory: 32 bytes per page; for pages that are not in
 * the same order in both files up to 54 more. */
MR_API enum mr_status
mr_scores_compare(const struct mr_context *context, const struct mr_scores_side *a,
                  const struct mr_scores_side *b, const struct mr_compare_options *options,
                  struct mr_compare_figures *figures, struct mr_error *err) MR_WARN_UNUSED;

/* ---- Changes ---- */

enum mr_change_kind { MR_CHANGE_GAINED, MR_CHANGE_LOST, MR_CHANGE_NEW, MR_CHANGE_GONE };
#define MR_CHANGE_KINDS 4

struct mr_changes_options {
    size_t struct_size; /* sizeof(struct mr_changes_options) */
    uint64_t top; /* how many rows each list has at most; 0 means 100 */
    /* Compare shares of the whole, which add up to 1. Otherwise scores are multiplied by the number
     * of pages of their graph, so that the mean is 1: a page does not lose because the graph grows.
     */
    bool shares;
    bool hosts; /* also compare the sums of hosts */
};
#define MR_CHANGES_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(struct mr_changes_options), 100, false, true                                        \
    }

/* A score in the scale that is compared. Equal scores share their rank, from 1. By the bound, the
 * exact rank is one of `best` to `worst`. NaN and 0 where a side has no such page. */
struct mr_ranked_score {
    double score;
    uint64_t rank, best, worst;
};

struct mr_change {
    char *name; /* of the page or the host; ends with a NUL behind name_bytes */
    size_t name_bytes;
    uint64_t number; /* of the page or host, in the order of the files */
    struct mr_ranked_score before, after;
};

/* Rows of one kind, the largest change first, equal ones in the order of the files. */
struct mr_change_list {
    struct mr_change *rows; /* [n_rows] */
    uint64_t n_rows;
    uint64_t n; /* that there are, listed or not */
};

/* The caller frees it with mr_changes_free. This struct does not grow in later versions. */
struct mr_changes {
    struct mr_change_list lists[2][MR_CHANGE_KINDS]; /* of pages, and of hosts */
    uint64_t n_before, n_after, n_common; /* pages of each file, and of both */
    /* at most the error of a score, or of the sum of several, in the scale that is compared */
    double bound_before, bound_after;
    struct mr_memory *memory; /* of the lists */
};

/* Find the pages whose change between two rankings is larger than both bounds together: their exact
 * scores differ in this direction, too. They are in the lists GAINED and LOST; pages that only one
 * file has are in NEW and GONE, best first. The sums of hosts are compared in the same way. Pages
 * are matched by name, in any order.
 *
 * Where exact scores add up to the same as the scores of the file, the bound of a page is half that
 * of the sum of all errors, since errors above and below are equal.
 *
 * Errors: those of mr_scores_compare; INPUT for a file without a bound, for one that has not
 * the scores of all pages, and for an array without names; USAGE for "-" and for arrays, since
 * both files are read twice. Memory: 16 bytes per page, 20 with hosts and 38 per host; 54 more
 * where pages are not in the same order in both files. */
MR_API enum mr_status
mr_scores_find_changes(const struct mr_context *context, const struct mr_scores_side *before,
                       const struct mr_scores_side *after, const struct mr_changes_options *options,
                       struct mr_changes *changes, struct mr_error *err) MR_WARN_UNUSED;
/* Free the lists. A zeroed struct is allowed. Call it before the context is destroyed. */
MR_API void mr_changes_free(struct mr_changes *changes);

#ifdef __cplusplus
}
#endif

#endif
