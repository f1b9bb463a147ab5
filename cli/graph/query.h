/* What the commands that ask a store something share. */
#ifndef MR_CLI_GRAPH_QUERY_H
#define MR_CLI_GRAPH_QUERY_H

#include "cli/graph/graph.h"
#include "formats/stream/output.h"

/* Open the store at `path` and its names; mr_graph_close closes it, even after an error. */
enum mr_status mr_query_open(struct mr_session *session, const char *path, struct mr_graph *graph,
                             struct mr_error *err) MR_WARN_UNUSED;

/* The vertex called `name`, in any spelling. USAGE when there is none. */
enum mr_status mr_query_vertex(struct mr_graph *graph, const char *name, uint32_t *vertex,
                               struct mr_error *err) MR_WARN_UNUSED;

/* One line: the name of a vertex, escaped where it would break lines. */
enum mr_status mr_query_print_name(struct mr_output *out, const char *name, size_t name_bytes,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
