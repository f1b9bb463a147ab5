/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the best pages at the end of `crawl-rank`. Its steps are commands that ran in processes of
 * their own, so the scores are read back from their file, and the proven bound from the file of
 * metadata beside it. Pages that the ranking left out (--heritrix) have no scores and are not
 * listed. */
#include "cli/release/crawl_summary.h"

#include <math.h>
#include <string.h>

#include "cli/graph/best_pages.h"
#include "engine/base/memory.h"

/* Marks the vertices that have a score. */
static void choose(const double *scores, uint64_t n, uint8_t *chosen)
{
    for (uint64_t v = 0; v < n; v++) {
        if (!isnan(scores[v])) {
            chosen[v / 8] = (uint8_t)(chosen[v / 8] | 1u << v % 8);
        }
    }
}

enum mr_status mr_crawl_summary_print(struct mr_session *session, const char *store,
                                      const char *ranks, bool *has_hosts, struct mr_error *err)
{
    struct mr_memory *memory = session->context.memory;
    struct mr_graph graph = {0};
    struct mr_scores_found found = {0};
    void *scores = NULL, *chosen = NULL;
    uint64_t n = 0;
    enum mr_status status = mr_graph_open_at(session, store, &graph, err);

    if (status == MR_OK) {
        n = mr_store_get_info(graph.store)->n_vertices;
        *has_hosts = mr_store_get_info(graph.store)->name_kind == MR_NAMES_TEXT;
        status = mr_memory_alloc(memory, "scores", n * sizeof(double) + 8, &scores, err);
    }
    if (status == MR_OK) {
        status =
            mr_scores_read(&session->context, ranks, NULL, graph.names, n, scores, &found, err);
    }
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, "pages with scores", n / 8 + 1, &chosen, err);
    }
    if (status == MR_OK) {
        memset(chosen, 0, n / 8 + 1);
        choose(scores, n, chosen);
        const struct mr_score_column column = {
            .name = "score", .type = MR_SCORES_DOUBLE, .values = scores};
        const struct mr_best_pages best = {.graph = &graph,
                                           .columns = &column,
                                           .n_columns = 1,
                                           .bound = mr_bound_beside(ranks),
                                           .chosen = chosen,
                                           .k = MR_BEST_PAGES};
        status = mr_best_pages_print(session, &best, err);
    }
    (void)putchar('\n');
    mr_memory_free(memory, chosen);
    mr_memory_free(memory, scores);
    mr_graph_close(session, &graph);
    return status;
}
