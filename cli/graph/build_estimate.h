/* SPDX-License-Identifier: Apache-2.0 */
/* What building a store from inputs takes. */
#ifndef MR_CLI_GRAPH_BUILD_ESTIMATE_H
#define MR_CLI_GRAPH_BUILD_ESTIMATE_H

#include "cli/program/session.h"

/* Number of edges that `inputs` seem to have: mr_edge_guess_make. Errors: USAGE for standard
 * input. */
enum mr_status mr_import_guess_edges(struct mr_session *session, const char *const *inputs,
                                     size_t n_inputs, uint64_t *edges,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* What building that many edges takes. */
struct mr_estimate mr_build_estimate(const struct mr_session *session, uint64_t edges,
                                     bool undirected);

#endif
