/* What produced a score file: FILE.meta.json beside FILE, and --json. */
#ifndef MR_CLI_PROGRAM_META_H
#define MR_CLI_PROGRAM_META_H

#include "cli/program/session.h"
#include "engine/pass/pass.h"
#include "engine/store/store.h"

/* The command line, version, machine use: argv, version, threads, memory_limit_bytes,
 * memory_peak_bytes (of the budget), peak_rss_bytes (of the process, so call it last). */
void mr_meta_run(struct mr_json *json, const struct mr_session *session);

/* Which graph: store, store_id, graph_id, vertices, edges, codec level; profile where names are canonical,
 * and no spelling of the input. `path` may be NULL, for a
 * temporary store. */
void mr_meta_store(struct mr_json *json, const char *path, const struct mr_store_info *info);

/* What was read: io, direct, registered_buffers, edge_visits, bytes_read, degree_bytes_read,
 * pinned_bytes, decoded_bytes, packed_bytes, pinned_degree_bytes, pass_seconds, wait_seconds. */
void mr_meta_figures(struct mr_json *json, const struct mr_pass_figures *figures);

/* FILE.meta.json, to be released with json_decref; NULL where there is none, or what is there is no JSON
 * object of at most 1 MiB. */
json_t *mr_meta_read(struct mr_session *session, const char *path);

/* Write `json` to FILE.meta.json, replacing what is there: it belongs to FILE. Does nothing where
 * `path` is standard output, a pipe or a device. */
enum mr_status mr_meta_write(struct mr_session *session, const struct mr_json *json,
                             const char *path, struct mr_error *err) MR_WARN_UNUSED;

#endif
