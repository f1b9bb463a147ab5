/* The reverse of a graph, for rankings that walk links both ways: given, the graph itself where links go
 * both ways, or a temporary store. */
#ifndef MR_CLI_GRAPH_REVERSE_H
#define MR_CLI_GRAPH_REVERSE_H

#include "cli/graph/graph.h"

struct mr_reverse {
    struct mr_store *store; /* borrowed from the graph where that is undirected */
    char *temporary; /* path of a temporary store, or NULL */
    bool is_borrowed;
};

/* Open the store at `path`, or with NULL make what is missing, and say so unless `quietly`. Errors: INPUT
 * when it is no reverse of the graph's store. Close it even after an error. */
enum mr_status mr_reverse_open(struct mr_session *session, const struct mr_graph *graph,
                               const char *path, bool quietly, const struct mr_parsed *parsed,
                               const char *output, struct mr_reverse *reverse,
                               struct mr_error *err) MR_WARN_UNUSED;
/* Also removes a temporary store. */
void mr_reverse_close(struct mr_session *session, struct mr_reverse *reverse);

#endif
