/* --start: scores of a file, by name or in the order of the vertices. */
#ifndef MR_CLI_COMMANDS_PAGERANK_START_H
#define MR_CLI_COMMANDS_PAGERANK_START_H

#include "cli/graph/graph.h"

/* start[v], [n_vertices], summing to 1: pages that `path` has share k/n, in proportion to their scores there,
 * of the k of n pages that it has; each other page gets 1/n. Names that are no page of the graph are counted
 * and noted. An .npy must have one row per page. Errors: INPUT at FILE:LINE, and when no page has a score
 * above 0. Free with mr_memory_free. */
enum mr_status mr_pagerank_start_read(struct mr_session *session, const struct mr_graph *graph,
                                      const char *path, double **start,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
