/* SPDX-License-Identifier: Apache-2.0 */
/* --start: reads the scores that a ranking starts from, by name or by position. */
#ifndef MR_CLI_RANKING_PAGERANK_START_H
#define MR_CLI_RANKING_PAGERANK_START_H

#include "cli/graph/graph.h"

/* Fills start[v], [n_vertices]. With `as_they_are` (Heritrix) a page has its score in the file,
 * or 1. Otherwise the sum is 1. If the file has k of the n pages, these share k/n in proportion to
 * their scores, and each other page gets 1/n. Counts names that are no page of the graph and prints
 * a note. An .npy must have one row per page, in the order of the names. Errors: INPUT at
 * FILE:LINE, or where no page has a score above 0. Free `*start` with mr_memory_free. */
enum mr_status mr_pagerank_start_read(struct mr_session *session, const struct mr_graph *graph,
                                      const char *path, bool as_they_are, double **start,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
