/* SPDX-License-Identifier: Apache-2.0 */
/* FILE.meta.json beside a file of scores: what the program says of the run that made them. */
#ifndef MR_LIBRARY_SCORE_META_H
#define MR_LIBRARY_SCORE_META_H

#include <jansson.h>

#include "engine/names/names.h"
#include "engine/store/store.h"
#include "millrace/query.h"

/* FILE.meta.json of the file at `path`, as text that the caller frees; NULL: no memory. */
char *mr_meta_path(const char *path);

/* Reads FILE.meta.json of the file at `path`. The caller releases `*meta` with json_decref; it is
 * NULL if the file does not exist or is not a JSON object below 1 MiB. Errors: BUDGET. */
enum mr_status mr_meta_read(const struct mr_context *context, const char *path, json_t **meta,
                            struct mr_error *err) MR_WARN_UNUSED;

/* What is proven of the sum of the errors of all scores; NAN: nothing. A bound on something else
 * (relative_bound of katz, stationarity of opic) is none. `meta` may be NULL. */
double mr_meta_error_bound(const json_t *meta);

/* Sends a note if the metadata of the scores at `path` names another graph than that of `info`, or
 * none. `of` is what the note calls the graph. Errors: BUDGET. */
enum mr_status mr_meta_check_store(const struct mr_context *context, const char *path,
                                   const struct mr_store_info *info, const char *of,
                                   struct mr_error *err) MR_WARN_UNUSED;
/* The same for the graph that the metadata of the scores at `other` names. */
enum mr_status mr_meta_check_scores(const struct mr_context *context, const char *path,
                                    const char *other, struct mr_error *err) MR_WARN_UNUSED;

/* Fill `options` of mr_scores_explain from the metadata `meta` of the scores at `path`, of which
 * `column` is read (as in mr_scores_read), and read the files of the teleport that it names again,
 * to `teleport`, to which `options` points afterwards. `meta` may be NULL. Free `teleport` even
 * after an error. Errors: INPUT if there is no metadata, if it is that of another graph than `info`
 * has, and for scores that are not explained; those of mr_vertex_weights_read. */
enum mr_status mr_explain_file(const struct mr_context *context, const char *path,
                               const char *column, const json_t *meta,
                               const struct mr_store_info *info, struct mr_names *names,
                               struct mr_why_options *options, struct mr_vertex_weights *teleport,
                               struct mr_error *err) MR_WARN_UNUSED;

#endif
