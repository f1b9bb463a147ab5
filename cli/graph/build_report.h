/* What a build says of itself once it is done. */
#ifndef MR_CLI_GRAPH_BUILD_REPORT_H
#define MR_CLI_GRAPH_BUILD_REPORT_H

#include "cli/program/session.h"
#include "engine/build/build.h"

/* The summary of a build on standard error: what came in, and what it became; `store` NULL leaves the
 * second out. What was built as the reverse of what is asked for (`reversed`) says nothing of dangling vertices.
 * And the same as JSON. */
void mr_build_report(struct mr_session *session, const char *store, bool reversed,
                     const struct mr_build_summary *summary);
void mr_build_json(struct mr_json *json, const char *store, const struct mr_build_summary *summary);

#endif
