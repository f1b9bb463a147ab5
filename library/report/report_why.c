/* SPDX-License-Identifier: Apache-2.0 */
/* Says why the best pages of a report have their scores, if the first file of scores is of the
 * PageRank family: one call of mr_scores_explain for all of them. A file
 * whose scores are not explained, such as one of harmonic centralities, has none of it. */
#include <string.h>

#include "engine/base/bytes.h"
#include "library/report/report.h"
#include "library/score_meta.h"

/* The store with the weights that counted. `*own` is that of the weights, or NULL. */
static enum mr_status open_weights(const struct mr_context *context, struct mr_report *report,
                                   const json_t *meta, struct mr_store **own, struct mr_error *err)
{
    return json_is_true(json_object_get(meta, "weights"))
               ? mr_store_open_weights(context, report->store, own, err)
               : MR_OK;
}

static enum mr_status explain(const struct mr_context *context, struct mr_report *report,
                              struct mr_error *err)
{
    const struct mr_report_scores *scores = &report->scores[0];
    const char *links = json_string_value(json_object_get(scores->meta, "links"));
    struct mr_why_options options = MR_WHY_OPTIONS_INIT;
    struct mr_vertex_weights teleport = {0};
    struct mr_store *weighted = NULL;
    uint32_t vertices[MR_REPORT_EXPLAINED];
    const size_t n = mr_min_u64(scores->n_top, MR_REPORT_EXPLAINED);

    options.top = MR_REPORT_LINKERS;
    for (size_t i = 0; i < n; i++) {
        vertices[i] = scores->top[i].vertex;
    }
    enum mr_status status = links != NULL && strcmp(links, "all") != 0
                                ? mr_error_set(err, MR_ERROR_INPUT, "only some links counted")
                                : mr_explain_file(context, scores->path, NULL, scores->meta,
                                                  mr_store_get_info(report->store), report->names,
                                                  &options, &teleport, err);
    if (status == MR_OK) {
        status = open_weights(context, report, scores->meta, &weighted, err);
    }
    if (status == MR_OK) {
        status =
            mr_scores_explain(context, weighted != NULL ? weighted : report->store, report->names,
                              scores->values, &options, vertices, n, report->whys, err);
    }
    report->n_whys = status == MR_OK ? n : 0;
    report->why_bound = options.error_bound;
    mr_store_close(weighted);
    mr_vertex_weights_free(&teleport);
    return status;
}

enum mr_status mr_report_explain(const struct mr_context *context, struct mr_report *report,
                                 struct mr_error *err)
{
    struct mr_error reason = {.status = MR_OK};

    if (report->n_scores == 0 || report->scores[0].meta == NULL) {
        return MR_OK;
    }
    const enum mr_status status = explain(context, report, &reason);
    if (status == MR_OK || status == MR_ERROR_INPUT || status == MR_ERROR_USAGE ||
        status == MR_ERROR_RUNTIME) {
        return MR_OK; /* the page says nothing about it */
    }
    if (err != NULL && err->status == MR_OK) {
        *err = reason;
    }
    return status;
}
