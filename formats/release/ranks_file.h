/* SPDX-License-Identifier: Apache-2.0 */
/* Files of ranks in the layout of Common Crawl's web graphs:
 *
 *     #harmonicc_pos #harmonicc_val #pr_pos #pr_val #host_rev [#n_hosts]
 *
 * with tabs between, a line for each page, best harmonic centrality first. A position is the place
 * in the order of falling values, from 1 on; no two pages share one: of equal values the name that
 * comes first has the lower position, as the node with the lower number has in their files. Values
 * have the fewest digits that read back as the same number: harmonic centrality is a float,
 * PageRank a double. Columns and order are checked against commoncrawl/cc-webgraph, JoinSortRanks
 * and process_webgraph.sh. */
#ifndef MR_FORMATS_SCORE_RANKS_FILE_H
#define MR_FORMATS_SCORE_RANKS_FILE_H

#include "engine/names/names.h"
#include "formats/stream/output.h"

struct mr_ranks_options {
    size_t struct_size; /* sizeof(struct mr_ranks_options) */
    uint64_t n; /* pages */
    const float *harmonic; /* [n] by position of the name; finite, >= 0 */
    const double *pagerank; /* [n] likewise */
    const char *name_title; /* of the column of names; NULL: "#host_rev" */
    /* A file of lines NAME<TAB>COUNT in the order of the names, whose counts become a last column
     * with the title `count_title`; NULL: none. */
    const char *counts;
    const char *count_title;
    const char *directory; /* of the temporary file where context->tmp_dir is NULL; NULL: "." */
    bool force;
};

struct mr_ranks_summary {
    uint64_t escaped; /* names with bytes written as \xNN */
    uint64_t temporary_bytes;
};

/* Write the ranks to `path` and publish them. Memory: 16 bytes per page beside the arrays, 8 of
 * them only for a time, and up to half of the budget that is left for lines. Errors: INPUT for a
 * score below 0, and for counts that do not fit the names; USAGE where the file exists without
 * `force`; CORRUPT, RUNTIME, BUDGET. */
enum mr_status mr_ranks_write(const struct mr_context *context, struct mr_names *names,
                              const struct mr_ranks_options *options, const char *path,
                              struct mr_ranks_summary *summary,
                              struct mr_error *err) MR_WARN_UNUSED;

/* Counts of a file of lines NAME<TAB>COUNT, one after the other. Close takes NULL. The next count
 * is UINT64_MAX past the last line. Errors: INPUT with file and line. */
struct mr_counts;
enum mr_status mr_counts_open(const struct mr_context *context, const char *path,
                              struct mr_counts **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_counts_close(struct mr_counts *counts);
enum mr_status mr_counts_next(struct mr_counts *counts, uint64_t *count,
                              struct mr_error *err) MR_WARN_UNUSED;

#endif
