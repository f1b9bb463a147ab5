/* SPDX-License-Identifier: Apache-2.0 */
/* How the scores of a file were made, for mr_scores_explain. */
#ifndef MR_LIBRARY_QUERY_EXPLAIN_FILE_H
#define MR_LIBRARY_QUERY_EXPLAIN_FILE_H

#include "engine/names/names.h"
#include "library/score_meta.h"
#include "millrace/query.h"

/* Fill `options` from the metadata `meta` of the scores at `path`, of which `column` is read (as in
 * mr_scores_read), and read the files of the teleport that it names again, to `teleport`, to which
 * `options` points afterwards. `meta` may be NULL. Free `teleport` even after an error. Errors:
 * INPUT if there is no metadata, if it is that of another graph than `info` has, and for scores
 * that are not explained; those of mr_vertex_weights_read. */
enum mr_status mr_explain_file(const struct mr_context *context, const char *path,
                               const char *column, const json_t *meta,
                               const struct mr_store_info *info, struct mr_names *names,
                               struct mr_why_options *options, struct mr_vertex_weights *teleport,
                               struct mr_error *err) MR_WARN_UNUSED;

#endif
