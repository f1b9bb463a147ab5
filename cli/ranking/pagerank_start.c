/* SPDX-License-Identifier: Apache-2.0 */
/* pagerank --start: the scores of an earlier ranking, scaled, and a share for the pages that it
 * does not have. */
#include "cli/ranking/pagerank_start.h"

#include <math.h>
#include <string.h>

#include "cli/program/meta.h"
#include "engine/base/memory.h"
#include "formats/score/scores.h"

/* Scales the scores, and gives 1/n to pages without a score. */
static enum mr_status complete(struct mr_session *session, const char *path, bool as_they_are,
                               double *start, uint64_t n_pages, const struct mr_scores_found *found,
                               struct mr_error *err)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    const double n = (double)n_pages, n_known = (double)found->n_found;
    double largest = 0, sum = 0;
    char count[32], missing[32];
    for (uint64_t v = 0; v < n_pages; v++) {
        largest = fmax(largest, start[v]);
    }
    if (!(largest > 0)) {
        return mr_error_file(
            err, MR_ERROR_INPUT, name, 0,
            "gives no page of the graph a score above 0; use scores of this graph");
    }
    for (uint64_t v = 0; v < n_pages; v++) {
        sum += isnan(start[v]) ? 0 : start[v] / largest;
    }
    for (uint64_t v = 0; v < n_pages; v++) {
        const double scaled = as_they_are ? start[v] : start[v] / largest / sum * (n_known / n);
        start[v] = isnan(start[v]) ? (as_they_are ? 1 : 1 / n) : scaled;
    }
    if (found->n_unknown > 0 || found->n_found < n_pages) {
        mr_session_say(session,
                       "note: %s: %s of its names are not pages of the graph, %s pages of the "
                       "graph are not in it",
                       name, mr_count_text(found->n_unknown, count),
                       mr_count_text(n_pages - found->n_found, missing));
    }
    return MR_OK;
}

enum mr_status mr_pagerank_start_read(struct mr_session *session, const struct mr_graph *graph,
                                      const char *path, bool as_they_are, double **start,
                                      struct mr_error *err)
{
    const struct mr_context *context = &session->context;
    const uint64_t n_pages = mr_store_get_info(graph->store)->n_vertices;
    struct mr_scores_found found;
    void *memory = NULL;

    *start = NULL;
    if (n_pages == 0) {
        return MR_OK;
    }
    enum mr_status status = mr_memory_alloc(context->memory, "scores to start from",
                                            n_pages * sizeof(double), &memory, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_scores_read_from(context, path, NULL, graph->names, n_pages,
                                 "the score is negative; a start takes scores that are not", memory,
                                 &found, err);
    if (status == MR_OK) {
        status =
            mr_meta_check_store(session, path, mr_store_get_info(graph->store), "the graph", err);
    }
    if (status == MR_OK) {
        status = complete(session, path, as_they_are, memory, n_pages, &found, err);
    }
    if (status != MR_OK) {
        mr_memory_free(context->memory, memory);
        return status;
    }
    *start = memory;
    return MR_OK;
}
