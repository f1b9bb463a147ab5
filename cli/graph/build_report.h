/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a finished build, as text or JSON. */
#ifndef MR_CLI_GRAPH_BUILD_REPORT_H
#define MR_CLI_GRAPH_BUILD_REPORT_H

#include "cli/program/session.h"
#include "engine/builder/build.h"

/* mr_build_report prints the summary to standard error: what was read, and the size of the
 * store. If `store` is NULL, it prints only the first part. If `reversed`, the store is the
 * reverse of the graph that the user asked for, and the summary leaves out dangling vertices.
 * mr_build_json adds the same figures to `json`. */
void mr_build_report(struct mr_session *session, const char *store, bool reversed,
                     const struct mr_build_summary *summary);
/* One line, if links of older captures were left out. */
void mr_build_report_older(struct mr_session *session, const struct mr_build_summary *summary);
void mr_build_json(struct mr_json *json, const char *store, const struct mr_build_summary *summary);

#endif
