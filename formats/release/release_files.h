/* SPDX-License-Identifier: Apache-2.0 */
/* The files of one graph of a web-graph release, as Common Crawl publishes them. With the prefix P:
 *
 *     P-ranks.txt.gz                         #harmonicc_pos #harmonicc_val #pr_pos #pr_val
 *                                            #host_rev [#n_hosts], best harmonic centrality first
 *     P-outdegrees-indegrees.txt.gz          out TAB in TAB name [TAB count], in the order of names
 *     P-outdegrees-indegrees-topout.txt.gz   the 10,000 such lines with the most links, of those
 *                                            with more than 1,000; a header first. Equal ones
 *                                            are in the order of their lines
 *     P-outdegrees-indegrees-topin.txt.gz    the same by links to the page
 *     P-outdegree-distrib.txt.gz             "#arcs TAB #nodes", then each degree that occurs
 *     P-indegree-distrib.txt.gz
 *
 * A position is the place in the order of falling values, from 1 on; no two pages share one: of
 * equal values the name that comes first has the lower position, as the node with the lower number
 * has in their files. Values have the fewest digits that read back as the same number: harmonic
 * centrality is a float, PageRank a double. Checked against JoinSortRanks, process_webgraph.sh,
 * join_degrees and degree_distrib of commoncrawl/cc-webgraph. */
#ifndef MR_FORMATS_RELEASE_RELEASE_FILES_H
#define MR_FORMATS_RELEASE_RELEASE_FILES_H

#include "engine/names/names.h"
#include "formats/stream/output.h"

struct mr_release_files {
    uint64_t n; /* pages */
    /* .npy files with a row for each page in the order of names: values that are finite and >= 0;
     * the columns out and in. */
    const char *harmonic, *pagerank, *degrees;
    const char *name_title; /* of the column of names: "#host_rev" */
    /* A file of lines NAME<TAB>COUNT in the order of the names, whose counts become a last column
     * with this title; a title of NULL: none. */
    const char *counts, *count_title;
    const char *prefix; /* of the files; files that exist are replaced */
};

enum { MR_DEGREE_OUT, MR_DEGREE_IN, MR_DEGREE_KINDS };

struct mr_degree_figures {
    uint64_t least, most; /* degrees */
    uint64_t least_at, most_at; /* the first page with it, counted from 0 in the order of names */
    uint64_t n_zero; /* pages with degree 0 */
    uint64_t sum;
};

/* Write the files and publish them. Reads the names once. Memory: 24 bytes per page, 16 MiB, the
 * lines of the top lists, and up to half of the budget that is left for lines. Errors: INPUT for a
 * score below 0, and for files that do not fit the names; CORRUPT, RUNTIME, BUDGET. */
enum mr_status mr_release_files_write(const struct mr_context *context, struct mr_names *names,
                                      const struct mr_release_files *files,
                                      struct mr_degree_figures figures[MR_DEGREE_KINDS],
                                      struct mr_error *err) MR_WARN_UNUSED;

/* ---- Tables of degrees (degree_tables.c), for release_files.c alone ---- */

struct mr_degree_tables;

/* Begin the tables of `files`, which outlives them. Memory: 16 MiB, and the lines of the top lists.
 * Errors: INPUT if the degrees do not fit the names; RUNTIME, BUDGET. */
enum mr_status mr_degree_tables_open(const struct mr_context *context,
                                     const struct mr_release_files *files,
                                     struct mr_degree_figures figures[MR_DEGREE_KINDS],
                                     struct mr_degree_tables **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_degree_tables_close(struct mr_degree_tables *tables); /* NULL is allowed */

/* Add the next page. `columns` is its name, with its count, and a line end. */
enum mr_status mr_degree_tables_add(struct mr_degree_tables *tables, const char *columns,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* After the last page: write all tables, and fill the figures. */
enum mr_status mr_degree_tables_finish(struct mr_degree_tables *tables,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* Open PREFIX-NAME.txt.gz. */
enum mr_status mr_release_file_open(const struct mr_context *context,
                                    const struct mr_release_files *files, const char *name,
                                    struct mr_output **out, struct mr_error *err) MR_WARN_UNUSED;
/* Open an .npy file of n rows, and its column, as in mr_npy_reader_open. */
struct mr_release_rows {
    struct mr_input *input;
    struct mr_npy_reader *reader;
};
enum mr_status mr_release_rows_open(const struct mr_context *context, const char *path,
                                    const char *column, uint64_t n, struct mr_release_rows *rows,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_release_rows_close(struct mr_release_rows *rows);

/* Hand the first `n` lines of the file at `path` to `take`. */
enum mr_status mr_release_lines(const struct mr_context *context, const char *path, uint64_t n,
                                void (*take)(const char *line, size_t bytes),
                                struct mr_error *err) MR_WARN_UNUSED;

#endif
