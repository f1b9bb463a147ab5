/* SPDX-License-Identifier: Apache-2.0 */
/* The reverse of a graph, for rankings that follow edges in both directions. It is a store that
 * the user names, the graph itself where the graph is undirected, or a temporary store. */
#ifndef MR_CLI_GRAPH_REVERSE_H
#define MR_CLI_GRAPH_REVERSE_H

#include "cli/graph/graph.h"

struct mr_reverse {
    struct mr_store *store; /* borrowed from the graph where that is undirected */
    char *temporary; /* path of a temporary store, or NULL */
    bool is_borrowed;
};

/* Opens the store at `path`. If `path` is NULL and the graph is directed, makes a temporary
 * reverse, with a note unless `quietly`. Errors: INPUT where the store at `path` is not the
 * reverse of the graph. Close it even after an error. */
enum mr_status mr_reverse_open(struct mr_session *session, const struct mr_graph *graph,
                               const char *path, bool quietly, struct mr_reverse *reverse,
                               struct mr_error *err) MR_WARN_UNUSED;
/* Closes the reverse and removes a temporary store. */
void mr_reverse_close(struct mr_session *session, struct mr_reverse *reverse);

#endif
