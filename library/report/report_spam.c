/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what a report says about spam mass (library/rank/spam_mass.h). It needs the scores of
 * `trustrank`, and PageRank: either `trustrank --spam-mass` wrote both to one file, or a file of
 * `pagerank` is given too. The metadata of both have the sums of the unnormalised vectors, so that
 * the masses are those of `trustrank --spam-mass`, without another ranking. */
#include <math.h>
#include <string.h>

#include "engine/base/memory.h"
#include "library/report/report.h"

static const char *meta_text(const struct mr_report_scores *scores, const char *key)
{
    const char *text = json_string_value(json_object_get(scores->meta, key));
    return text != NULL ? text : "";
}

double mr_report_real(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The sum of a vector before it was normalised; older files call it score_sum. */
static double sum_of(const json_t *object)
{
    const double sum = mr_report_real(object, "unnormalised_sum");
    return isnan(sum) ? mr_report_real(object, "score_sum") : sum;
}

/* The same for vector `i` of a file of `trustrank`. */
static double vector_sum(const struct mr_report_scores *trust, size_t i)
{
    return sum_of(json_array_get(json_object_get(trust->meta, "vectors"), i));
}

/* Trust is linear in the trusted pages, unless lost score is spread over all pages. */
static bool is_trust(const struct mr_report_scores *scores)
{
    return strcmp(meta_text(scores, "algorithm"), "trustrank") == 0 &&
           strcmp(meta_text(scores, "dangling"), "uniform") != 0 && vector_sum(scores, 0) > 0.0;
}

static bool is_absent(const json_t *meta, const char *field)
{
    const json_t *value = json_object_get(meta, field);
    return value == NULL || json_is_null(value);
}

/* Whether the file has the PageRank that belongs to the trust: same links, damping and weights, and
 * jumps to all pages. */
static bool is_pagerank_of(const struct mr_report_scores *scores,
                           const struct mr_report_scores *trust)
{
    return strcmp(meta_text(scores, "algorithm"), "pagerank") == 0 &&
           strcmp(meta_text(scores, "graph_id"), meta_text(trust, "graph_id")) == 0 &&
           mr_report_real(scores->meta, "damping") == mr_report_real(trust->meta, "damping") &&
           sum_of(scores->meta) > 0.0 &&
           json_is_true(json_object_get(scores->meta, "weights")) ==
               json_is_true(json_object_get(trust->meta, "weights")) &&
           is_absent(scores->meta, "teleport") && is_absent(scores->meta, "seeds");
}

static bool has_spam_mass(const struct mr_report_scores *trust)
{
    return json_is_true(json_object_get(trust->meta, "spam_mass")) && vector_sum(trust, 1) > 0.0;
}

/* Reads the PageRank of a file of `trustrank --spam-mass`: its first column. */
static enum mr_status read_pagerank(const struct mr_context *context, struct mr_report *report,
                                    const char *path, struct mr_error *err)
{
    const enum mr_status status =
        mr_memory_alloc(context->memory, "PageRank of the trust", report->n_vertices * 8 + 8,
                        &report->spam.own_pagerank, err);

    report->spam.pagerank = report->spam.own_pagerank;
    return status == MR_OK ? mr_scores_read(context, path, "1", report->names, report->n_vertices,
                                            report->spam.own_pagerank, NULL, err)
                           : status;
}

/* Finds the trust and its PageRank among the files; leaves spam->trust NULL where there is none. */
static enum mr_status find_files(const struct mr_context *context, struct mr_report *report,
                                 struct mr_error *err)
{
    struct mr_report_spam *spam = &report->spam;

    for (unsigned i = 0; i < report->n_scores; i++) {
        const struct mr_report_scores *trust = &report->scores[i];
        if (is_trust(trust) && has_spam_mass(trust)) {
            spam->trust = trust;
            spam->rank_sum = vector_sum(trust, 1);
            return read_pagerank(context, report, trust->path, err);
        }
        for (unsigned k = 0; k < report->n_scores && is_trust(trust); k++) {
            if (is_pagerank_of(&report->scores[k], trust)) {
                spam->trust = trust;
                spam->rank_sum = sum_of(report->scores[k].meta);
                spam->pagerank = report->scores[k].values;
                return MR_OK;
            }
        }
    }
    return MR_OK;
}

struct mr_spam mr_report_spam_at(const struct mr_report *report, uint32_t vertex)
{
    const struct mr_report_spam *spam = &report->spam;

    return mr_spam_of(spam->trust->values[vertex] * spam->trust_sum,
                      spam->pagerank[vertex] * spam->rank_sum, spam->trust_sum, spam->rank_sum,
                      spam->good_share);
}

/* Counts the pages of much PageRank by their share of spam mass; marks those of the last class. */
static void classify(struct mr_report *report, uint8_t *chosen)
{
    static const double most[MR_REPORT_SPAM_CLASSES] = {0.5, 0.9, 0.98, INFINITY};
    struct mr_report_spam *spam = &report->spam;
    const double average = 1.0 / (double)report->n_vertices;

    for (uint64_t v = 0; v < report->n_vertices; v++) {
        const struct mr_spam page = mr_report_spam_at(report, (uint32_t)v);
        int class = 0;
        if (!(page.pagerank >= MR_REPORT_SPAM_TIMES * average)) {
            continue;
        }
        while (page.share >= most[class]) {
            class ++;
        }
        spam->pages[class]++;
        spam->scores[class] += page.pagerank;
        if (class == MR_REPORT_SPAM_CLASSES - 1) {
            chosen[v / 8] = (uint8_t)(chosen[v / 8] | 1u << v % 8);
        }
    }
}

enum mr_status mr_report_read_spam(const struct mr_context *context, struct mr_report *report,
                                   double good_share, struct mr_error *err)
{
    struct mr_report_spam *spam = &report->spam;
    const uint64_t n = report->n_vertices;
    void *chosen = NULL;
    enum mr_status status = find_files(context, report, err);

    if (status == MR_OK && spam->trust == NULL && good_share > 0.0) {
        status =
            mr_error_set(err, MR_ERROR_USAGE,
                         "--good-share needs the scores of 'millrace trustrank --spam-mass', or "
                         "those of trustrank and of pagerank, with their .meta.json");
    }
    if (status != MR_OK || spam->trust == NULL) {
        return status;
    }
    const json_t *meta = spam->trust->meta;
    const double written = mr_report_real(meta, "good_share");
    spam->trust_sum = vector_sum(spam->trust, 0);
    spam->n_trusted = (uint64_t)fmax(0.0, mr_report_real(meta, "trusted_vertices"));
    spam->good_share = good_share > 0.0 ? good_share
                       : written > 0.0  ? written
                                        : (double)spam->n_trusted / (double)n;
    status = mr_memory_alloc(context->memory, "suspicious pages", n / 8 + 1, &chosen, err);
    if (status == MR_OK) {
        memset(chosen, 0, n / 8 + 1);
        classify(report, chosen);
        status = mr_report_find_top(context, report, spam->pagerank, chosen, spam->top,
                                    &spam->n_top, err);
    }
    mr_memory_free(context->memory, chosen);
    return status;
}
