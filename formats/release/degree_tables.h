/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of degrees as Common Crawl publishes them beside its ranks. With the prefix P:
 *
 *     P-outdegrees-indegrees.txt.gz          out TAB in TAB name [TAB count], in the order of names
 *     P-outdegrees-indegrees-topout.txt.gz   the 10,000 such lines with the most links, of those
 *                                            with more than 1,000; a header first. Equal ones
 *                                            are in the order of their lines
 *     P-outdegrees-indegrees-topin.txt.gz    the same by links to the page
 *     P-outdegree-distrib.txt.gz             "#arcs TAB #nodes", then each degree that occurs
 *     P-indegree-distrib.txt.gz
 *
 * Checked against join_degrees and degree_distrib of cc-webgraph's process_webgraph.sh. */
#ifndef MR_FORMATS_SCORE_DEGREE_TABLES_H
#define MR_FORMATS_SCORE_DEGREE_TABLES_H

#include "engine/names/names.h"

struct mr_degree_tables_options {
    size_t struct_size; /* sizeof(struct mr_degree_tables_options) */
    uint64_t n; /* pages */
    const char *degrees; /* an .npy file with the columns out and in, rows in the order of names */
    const char *name_title; /* of the column of names; NULL: "#host_rev" */
    const char *counts, *count_title; /* as in struct mr_ranks_options */
    const char *prefix; /* of the files */
    bool force;
};

enum { MR_DEGREE_OUT, MR_DEGREE_IN, MR_DEGREE_KINDS };

struct mr_degree_figures {
    uint64_t least, most; /* degrees */
    uint64_t least_at, most_at; /* the first page with it, counted from 0 in the order of names */
    uint64_t n_zero; /* pages with degree 0 */
    uint64_t sum;
};

/* Write the tables and publish them. Reads degrees and names once. Memory: 16 MiB, and the lines of
 * the top lists. Errors: INPUT where degrees or counts do not fit the names; USAGE where a file
 * exists without `force`; RUNTIME, BUDGET. */
enum mr_status mr_degree_tables_write(const struct mr_context *context, struct mr_names *names,
                                      const struct mr_degree_tables_options *options,
                                      struct mr_degree_figures figures[MR_DEGREE_KINDS],
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
