/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what a report says about a file of scores: the file of metadata beside it, the
 * distribution, the best pages, the levels that a crawler would get, and how alike files are. */
#include <math.h>
#include <string.h>

#include "algorithms/scores/compare.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/scan/neighbours.h"
#include "library/report/report.h"

static enum mr_status describe(const struct mr_context *context, struct mr_report *report,
                               const struct mr_best_score *best, struct mr_report_page *page,
                               struct mr_error *err)
{
    struct mr_degrees degrees = {0};
    const char *name = NULL;
    size_t bytes = 0;
    enum mr_status status = mr_vertex_degrees(context, report->store, best->vertex, &degrees, err);

    if (status == MR_OK) {
        status = mr_names_get(report->names, best->vertex, &name, &bytes, err);
    }
    if (status != MR_OK) {
        return status;
    }
    *page = (struct mr_report_page){.name = strndup(name, bytes),
                                    .score = best->score,
                                    .vertex = best->vertex,
                                    .in = degrees.in,
                                    .out = degrees.out};
    return page->name != NULL ? MR_OK
                              : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the report");
}

enum mr_status mr_report_find_top(const struct mr_context *context, struct mr_report *report,
                                  const double *values, const uint8_t *chosen,
                                  struct mr_report_page top[MR_REPORT_TOP], uint64_t *n_top,
                                  struct mr_error *err)
{
    struct mr_best_score best[MR_REPORT_TOP];
    const struct mr_score_column column = {
        .name = "score", .type = MR_SCORES_DOUBLE, .values = values};
    uint64_t k = mr_min_u64(report->n_vertices, report->n_best);
    enum mr_status status =
        mr_scores_best(&column, report->names, report->n_vertices, chosen, best, &k, err);

    while (status == MR_OK && *n_top < k) {
        status = describe(context, report, &best[*n_top], &top[*n_top], err);
        ++*n_top;
    }
    return status;
}

/* The pages of each level of `precedence` by quantiles, and the scores at its ends. */
static enum mr_status find_levels(const struct mr_context *context, struct mr_report *report,
                                  struct mr_report_scores *scores, struct mr_error *err)
{
    const struct mr_precedence_options options = {.struct_size = sizeof options,
                                                  .n_levels = MR_REPORT_LEVELS};
    uint8_t *levels = NULL;
    enum mr_status status =
        mr_memory_alloc(context->memory, "levels", report->n_vertices + 1, &levels, err);

    if (status == MR_OK) {
        status = mr_precedence_levels(context, scores->values, report->n_vertices, &options, levels,
                                      scores->level_pages, err);
    }
    for (uint64_t v = 0; status == MR_OK && v < report->n_vertices; v++) {
        const unsigned level = levels[v] - 1u;
        const double score = scores->values[v];
        scores->level_least[level] = fmin(scores->level_least[level], score);
        scores->level_most[level] = fmax(scores->level_most[level], score);
    }
    mr_memory_free(context->memory, levels);
    return status;
}

/* Counts the scores, and marks the vertices that have one. */
static void count_scores(const struct mr_report *report, struct mr_report_scores *scores,
                         uint8_t *chosen)
{
    for (uint64_t v = 0; v < report->n_vertices; v++) {
        if (!isnan(scores->values[v])) {
            chosen[v / 8] = (uint8_t)(chosen[v / 8] | 1u << v % 8);
            scores->n_found++;
        }
        if (scores->values[v] > 0.0) {
            scores->distribution.counts[mr_report_bin(scores->values[v])]++;
            scores->distribution.n++;
        }
    }
}

enum mr_status mr_report_read_scores(const struct mr_context *context, struct mr_report *report,
                                     const char *path, struct mr_error *err)
{
    struct mr_memory *memory = context->memory;
    struct mr_report_scores *scores = &report->scores[report->n_scores];
    const uint64_t n = report->n_vertices;
    uint8_t *chosen = NULL;
    enum mr_status status = mr_memory_alloc(memory, "scores", n * 8 + 8, &scores->values, err);

    scores->path = path;
    report->n_scores++;
    for (int i = 0; i < MR_REPORT_LEVELS; i++) {
        scores->level_least[i] = INFINITY;
        scores->level_most[i] = -INFINITY;
    }
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, "pages with scores", n / 8 + 1, &chosen, err);
    }
    if (status == MR_OK) {
        memset(chosen, 0, n / 8 + 1);
        status = mr_scores_read(context, path, NULL, report->names, n, scores->values, NULL, err);
    }
    if (status == MR_OK) {
        status = mr_meta_read(context, path, &scores->meta, err);
    }
    if (status == MR_OK) {
        status = mr_meta_check_store(context, path, mr_store_get_info(report->store),
                                     mr_store_path(report->store), err);
    }
    if (status == MR_OK) {
        count_scores(report, scores, chosen);
        if (scores->n_found == 0 && n > 0) {
            status = mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                   "has no score of a page of %s; give scores of its pages",
                                   mr_store_path(report->store));
        }
    }
    if (status == MR_OK) {
        status = mr_report_find_top(context, report, scores->values, chosen, scores->top,
                                    &scores->n_top, err);
    }
    if (status == MR_OK && scores->n_found == n) {
        status = find_levels(context, report, scores, err);
    }
    mr_memory_free(memory, chosen);
    return status;
}

enum mr_status mr_report_compare(const struct mr_context *context, struct mr_report *report,
                                 struct mr_error *err)
{
    const struct mr_compare_options options = {.struct_size = sizeof options,
                                               .top = report->n_best};
    enum mr_status status = MR_OK;

    for (unsigned i = 1; i < report->n_scores && status == MR_OK; i++) {
        struct mr_report_scores *scores = &report->scores[i];
        const struct mr_scores_side a = {.scores = report->scores[0].values,
                                         .n_vertices = report->n_vertices};
        const struct mr_scores_side b = {.scores = scores->values,
                                         .n_vertices = report->n_vertices};
        scores->compared.struct_size = sizeof scores->compared;
        status = mr_scores_compare(context, &a, &b, &options, &scores->compared, err);
    }
    return status;
}
