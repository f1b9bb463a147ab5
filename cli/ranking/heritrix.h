/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of Heritrix's offline PageRank ("Offline PageRank Analysis Notes", Heritrix 2.0.0).
 *
 * A page gets a number there only if a link leads to it; a link from the page itself is enough.
 * Pages without a number are dropped with their links. Links of a page to itself are dropped
 * after that. So a page that has only its own link stays, with a score of 0.15. A page that
 * links only to itself becomes dangling. Repeated lines count as often as they occur. */
#ifndef MR_CLI_RANKING_HERITRIX_H
#define MR_CLI_RANKING_HERITRIX_H

#include "cli/graph/graph.h"
#include "formats/score/scores.h"

struct mr_heritrix {
    struct mr_graph graph; /* a temporary store; zeroed where nothing is left out */
    uint64_t n_pages, n_self_loops; /* what the graph leaves out */
};

/* Makes that graph from `graph` in a temporary store, if they differ. Reads the in-degrees once.
 * If something is left out, also reads the edges and names once, and takes the memory and disk
 * of a build. Errors: USAGE for a store that was built without self-loops. Close it even after
 * an error. */
enum mr_status mr_heritrix_open(struct mr_session *session, const struct mr_graph *graph,
                                const struct mr_parsed *parsed, struct mr_heritrix *heritrix,
                                struct mr_error *err) MR_WARN_UNUSED;
/* Closes the graph and removes the temporary store. */
void mr_heritrix_close(struct mr_session *session, struct mr_heritrix *heritrix);

/* Writes the file of --heritrix-file: names, scores and links of `graph`, which was ranked, as the
 * format heritrix-pagerank. Makes a temporary reverse. Time: a look-up of a name per link. */
enum mr_status mr_heritrix_write(struct mr_session *session, const struct mr_graph *graph,
                                 const struct mr_score_column *scores, const char *path, bool force,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
