/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of a ranking: a store, or an input from which a temporary store is built. */
#ifndef MR_CLI_GRAPH_GRAPH_H
#define MR_CLI_GRAPH_GRAPH_H

#include "cli/graph/building.h"
#include "formats/url/host.h"

struct mr_graph {
    struct mr_store *store;
    /* the store with weights where the ranking uses weights; else NULL */
    struct mr_store *weighted;
    struct mr_names *names;
    struct mr_canonical canonical; /* the rules of the names */
    char *temporary; /* path of the temporary store, or NULL */
};

/* Opens the store that is the only operand. Otherwise imports all operands into a temporary
 * store (mr_session_temporary) and opens that. A store refuses options about inputs. One without
 * the classes of edges that `links` asks for becomes a temporary one with them. With
 * MR_WEIGHTS_MUST in import->weights it also opens the weights of the store; with MR_WEIGHTS_NONE a
 * note says that the weights are not used. Close the graph even after an error. */
enum mr_status mr_graph_open(struct mr_session *session, const struct mr_import_options *import,
                             const struct mr_links_flags *links, const struct mr_parsed *parsed,
                             struct mr_graph *graph, struct mr_error *err) MR_WARN_UNUSED;

/* Opens the store at `path` and its names, which find a page by any of its spellings. `graph` is
 * zero but for its `temporary`. Close it even after an error. */
enum mr_status mr_graph_open_at(struct mr_session *session, const char *path,
                                struct mr_graph *graph, struct mr_error *err) MR_WARN_UNUSED;

/* Prints the estimate of a command that takes `page_bytes` of memory for each page of the store at
 * `path`. */
enum mr_status mr_graph_estimate(struct mr_session *session, const char *path, uint64_t page_bytes,
                                 double passes, struct mr_error *err) MR_WARN_UNUSED;

/* Opens the weights of the store. Errors: INPUT where it has none. */
enum mr_status mr_graph_open_weights(struct mr_session *session, struct mr_graph *graph,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Returns the store to rank: with its weights where these are open. */
static inline struct mr_store *mr_graph_links(const struct mr_graph *graph)
{
    return graph->weighted != NULL ? graph->weighted : graph->store;
}

/* Opens the store at `path`, its names, and the links and weights that are asked for, whatever
 * --memory says: for --estimate. *beside: the memory that all this holds, without the bytes of the
 * index file of mr_graph_links(), which every ranking counts itself. *builds: a run makes a
 * temporary store with classes by `rule`; all links are open. */
enum mr_status mr_graph_open_to_estimate(struct mr_session *session, const char *path,
                                         const struct mr_links_flags *links, bool weighs,
                                         enum mr_class_rule rule, struct mr_graph *graph,
                                         uint64_t *beside, bool *builds,
                                         struct mr_error *err) MR_WARN_UNUSED;

/* The class of edges of a place in "all|external|internal", but for all. */
static inline uint32_t mr_links_class(int links)
{
    return 1u << (links == 1 ? MR_LINK_EXTERNAL : MR_LINK_INTERNAL);
}

/* Closes the graph and removes a temporary store. */
void mr_graph_close(struct mr_session *session, struct mr_graph *graph);

/* Returns whether the only operand is a directory; a directory can only be a store. */
bool mr_graph_is_store(const struct mr_parsed *parsed);

/* ---- Pages of the graph ---- */

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

#endif
