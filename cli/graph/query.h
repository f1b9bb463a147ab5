/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the commands share which look up pages in a store: find, show and others. */
#ifndef MR_CLI_GRAPH_QUERY_H
#define MR_CLI_GRAPH_QUERY_H

#include "cli/graph/graph.h"
#include "formats/stream/output.h"

/* Finds the vertex whose name or spelling is `name`, perhaps in the form MR_NAME_LINE. Errors:
 * USAGE where there is none. */
enum mr_status mr_query_vertex(struct mr_graph *graph, const char *name, uint32_t *vertex,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Reads the scores of all pages from a file of a ranking of this store, in any order: `*scores`
 * [n_vertices], which the caller frees. Memory: 8 bytes per vertex. Errors: INPUT if a page has no
 * score, or the file has other pages. */
enum mr_status mr_query_scores(struct mr_session *session, struct mr_graph *graph, const char *path,
                               const char *column, double **scores,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Prints the name of a vertex as one line (MR_NAME_LINE). */
enum mr_status mr_query_print_name(struct mr_output *out, const char *name, size_t name_bytes,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
