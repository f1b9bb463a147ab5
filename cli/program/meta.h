/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of a run: FILE.meta.json beside a score file FILE, and the output of --json. */
#ifndef MR_CLI_PROGRAM_META_H
#define MR_CLI_PROGRAM_META_H

#include "cli/program/session.h"
#include "engine/pass/pass.h"
#include "library/score_meta.h"
#include "millrace/rank.h"

/* Adds argv, version, memory_limit_bytes, memory_peak_bytes (of the budget) and peak_rss_bytes
 * (of the process). Call it last, so that the peaks cover the whole run. */
void mr_meta_run(struct mr_json *json, const struct mr_session *session);

/* Adds the members that identify the graph: store, store_id, graph_id, vertices, edges,
 * links_bytes; profile where the names are canonical; links and the weights of classes where
 * they are in use. `path` is NULL for a temporary store. */
void mr_meta_store(struct mr_json *json, const char *path, const struct mr_store_info *info);

/* Adds the figure of a row. */
void mr_meta_figure(struct mr_json *json, const struct mr_rank_figure *row,
                    const struct mr_named_value *value);

/* Writes `json` to FILE.meta.json of the file at `path` and replaces an existing one. Does
 * nothing where `path` is standard output, a pipe or a device. */
enum mr_status mr_meta_write(struct mr_session *session, const struct mr_json *json,
                             const char *path, struct mr_error *err) MR_WARN_UNUSED;

#endif
