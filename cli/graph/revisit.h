/* SPDX-License-Identifier: Apache-2.0 */
/* The order of --revisit for a store that knows the fetches of its pages. */
#ifndef MR_CLI_GRAPH_REVISIT_H
#define MR_CLI_GRAPH_REVISIT_H

#include "cli/graph/graph.h"
#include "formats/score/scores.h"

/* Raises times[n_vertices], of the last fetch of each page, to those in the fetch facts of the
 * graph's store, and sets the priorities of visits, [n_vertices]: the score in `column` times the
 * probability that the page has changed since its last fetch (docs/opic.md). Reads the facts
 * twice. */
enum mr_status mr_revisit_priorities(const struct mr_context *context, const struct mr_graph *graph,
                                     const struct mr_score_column *column, uint32_t *times,
                                     double *priorities, struct mr_error *err) MR_WARN_UNUSED;

#endif
