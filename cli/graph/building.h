/* SPDX-License-Identifier: Apache-2.0 */
/* What commands that build stores share: --codec, --estimate, the summary as text or JSON. */
#ifndef MR_CLI_GRAPH_BUILDING_H
#define MR_CLI_GRAPH_BUILDING_H

#include "cli/program/session.h"
#include "library/import/import_files.h"

/* What building that many edges takes. */
struct mr_estimate mr_build_estimate(const struct mr_session *session, uint64_t edges,
                                     bool undirected);

/* mr_build_report prints the summary to standard error: what was read, and the size of the
 * store. If `store` is NULL, it prints only the first part. If `reversed`, the store is the
 * reverse of the graph that the user asked for, and the summary leaves out dangling vertices.
 * mr_build_json adds the same figures to `json`. */
void mr_build_report(struct mr_session *session, const char *store, bool reversed,
                     const struct mr_build_summary *summary);
/* One line, if links of older captures were left out. */
void mr_build_report_older(struct mr_session *session, const struct mr_build_summary *summary);
void mr_build_json(struct mr_json *json, const char *store, const struct mr_build_summary *summary);

/* Reads "plain", "zstd" (level 9) or "zstd:LEVEL" into an int: 0 for plain, the level for zstd. */
enum mr_status mr_codec_parse(const char *text, void *zstd_level,
                              struct mr_error *err) MR_WARN_UNUSED;

#endif
