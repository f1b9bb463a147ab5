/* SPDX-License-Identifier: Apache-2.0 */
/* The best pages of a ranking for people: what a ranking prints on a terminal, and the list "top"
 * of its JSON. */
#ifndef MR_CLI_GRAPH_BEST_PAGES_H
#define MR_CLI_GRAPH_BEST_PAGES_H

#include "cli/graph/graph.h"
#include "cli/program/json.h"
#include "formats/score/scores.h"

enum { MR_BEST_PAGES = 10, MR_BEST_PAGES_MOST = 1000 }; /* rows without --top, and with it */

struct mr_best_pages {
    const struct mr_graph *graph;
    const struct mr_score_column *columns; /* [n_columns] */
    unsigned n_columns;
    unsigned leading; /* the column that decides */
    double bound; /* proven for the sum of the errors of a column; below 0: nothing is proven */
    const uint8_t *chosen; /* a bit per vertex; NULL: all */
    uint64_t k; /* how many pages, at most; 0: MR_BEST_PAGES in a table, none in JSON */
};

/* Does a ranking without -o or with --top print a table, because people read its output? */
bool mr_best_pages_wanted(const char *output, uint64_t top);

/* Prints a table of the best pages to standard output. With k = 0 it says how to get the rest.
 * Scores are rounded to the digits that `bound` proves. */
enum mr_status mr_best_pages_print(struct mr_session *session, const struct mr_best_pages *best,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Prints `json` to standard output, with the best pages as the list "top" where k > 0. Scores have
 * all their digits there. */
enum mr_status mr_best_pages_json(struct mr_session *session, const struct mr_best_pages *best,
                                  const struct mr_json *json, struct mr_error *err) MR_WARN_UNUSED;

/* Returns the number of decimals that a bound on the error proves: rounding to them changes a score
 * by more than the bound may. 0 to 17. */
int mr_proven_decimals(double bound);

/* The error bound in the .meta.json beside a file of scores; below 0 if there is none. */
double mr_bound_beside(const struct mr_context *context, const char *scores);

#endif
