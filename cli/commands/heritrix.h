/* The graph that Heritrix's offline PageRank ranks ("Offline PageRank Analysis Notes", Heritrix 2.0.0).
 *
 * Only pages that a link leads to get a number there, be it one from themselves; links from others are
 * dropped with them, and links of a page to itself afterwards. So a page that nothing else links to stays,
 * with a score of 0.15, and one that links to nothing else is dangling. Lines count as often as they are
 * there. */
#ifndef MR_CLI_COMMANDS_HERITRIX_H
#define MR_CLI_COMMANDS_HERITRIX_H

#include "cli/commands/pagerank_flags.h"
#include "cli/graph/graph.h"

#define MR_HERITRIX_ROUNDS 10u /* by default: that of the notes' example */

struct mr_heritrix {
    struct mr_graph graph; /* a temporary store; zero where nothing had to be left out */
    uint64_t n_pages, n_self_loops; /* left out */
};

/* Refuse flags that are not of this arithmetic. */
enum mr_status mr_heritrix_check(const struct mr_pagerank_flags *flags,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Make that graph of `graph`, where it is another one. One reading of the in-degrees; where something is
 * left out, of the links and the names as well, and memory and disk of a build. Errors: USAGE for a store
 * without its self-loops. Close it even after an error. */
enum mr_status mr_heritrix_open(struct mr_session *session, const struct mr_graph *graph,
                                const struct mr_parsed *parsed, const char *output,
                                struct mr_heritrix *heritrix, struct mr_error *err) MR_WARN_UNUSED;
/* Also removes the temporary store. */
void mr_heritrix_close(struct mr_session *session, struct mr_heritrix *heritrix);

#endif
