/* The graph that a ranking works on: a store, or an input from which a temporary one is built. */
#ifndef MR_CLI_GRAPH_GRAPH_H
#define MR_CLI_GRAPH_GRAPH_H

#include "cli/graph/import.h"
#include "cli/program/profile.h"
#include "engine/names/names.h"
#include "engine/store/store.h"

struct mr_graph {
    struct mr_store *store;
    struct mr_store *weighted; /* its links with weights, where they are wanted; else NULL */
    struct mr_names *names;
    struct mr_canonical canonical; /* of the names */
    char *temporary; /* path of the temporary store, or NULL */
};

/* Open the store that is the only operand, or import all operands into a temporary store (in --tmp,
 * or beside `output`, or beside the input) and open that. `import_given` names an import flag that
 * was given, which a store refuses, or is NULL. flags->weights: MUST opens the weights of a store, too;
 * otherwise a note says that they are not used. Close it even after an error. */
enum mr_status mr_graph_open(struct mr_session *session, const struct mr_import_flags *flags,
                             const char *import_given, const struct mr_parsed *parsed,
                             const char *output, struct mr_graph *graph,
                             struct mr_error *err) MR_WARN_UNUSED;

/* --weights does not go with flags that tell classes of links apart. Errors: USAGE. */
enum mr_status mr_graph_check_weights(bool weights, bool wants_classes,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Open the store at `path` and its names. `graph` may say already that the store is temporary. */
enum mr_status mr_graph_open_at(struct mr_session *session, const char *path,
                                struct mr_graph *graph, struct mr_error *err) MR_WARN_UNUSED;

/* Open the weights of the store; INPUT where it has none. */
enum mr_status mr_graph_open_weights(struct mr_session *session, struct mr_graph *graph,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* The links that are ranked: with their weights where those are open. */
static inline struct mr_store *mr_graph_links(const struct mr_graph *graph)
{
    return graph->weighted != NULL ? graph->weighted : graph->store;
}

/* A path for a temporary store: in --tmp, or beside `output`, or beside the first operand; `what` makes it
 * this process's only one of the kind. To be freed; mr_io_remove_store_dir removes the store. Errors:
 * BUDGET. */
enum mr_status mr_graph_temporary(const struct mr_session *session, const char *what,
                                  const struct mr_parsed *parsed, const char *output, char **path,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Also removes a temporary store. */
void mr_graph_close(struct mr_session *session, struct mr_graph *graph);

/* Is the only operand a store, or a directory, which cannot be anything else? */
bool mr_graph_is_store(const struct mr_parsed *parsed);

#endif
