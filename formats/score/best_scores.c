/* SPDX-License-Identifier: Apache-2.0 */
/* The best K scores of a column or a stream, for tables of the best pages and for rows in the order
 * of the scores. They come from a heap of K vertices whose root is the worst of them; this needs
 * 16 bytes per row and no sort of all scores. */
#include "engine/base/heap.h"
#include "formats/score/scores.h"

/* Does `a` come before `b` in the list? Of equal scores the first in the input's order does. */
static bool is_better(const struct mr_best_score *a, const struct mr_best_score *b)
{
    return a->score > b->score || (a->score == b->score && a->position < b->position);
}

/* The worst is on top. */
static bool is_worse(const struct mr_best_score *a, const struct mr_best_score *b)
{
    return is_better(b, a);
}
MR_HEAP(worst, struct mr_best_score, is_worse)

enum mr_status mr_scores_best_of_stream(const struct mr_score_stream *stream,
                                        struct mr_names *names, uint64_t n_vertices,
                                        const uint8_t *chosen, struct mr_best_score *best,
                                        uint64_t *k, struct mr_error *err)
{
    uint64_t n_found = 0;

    if (*k == 0) {
        return MR_OK;
    }

    for (uint64_t position = 0; position < n_vertices; position++) {
        struct mr_best_score next = {.position = (uint32_t)position};
        enum mr_status status = mr_names_vertex(names, next.position, &next.vertex, err);
        const bool is_wanted = status == MR_OK && mr_score_is_chosen(chosen, next.vertex);
        if (is_wanted) {
            status = stream->score(stream->data, next.vertex, &next.score, err);
        }
        if (status != MR_OK) {
            return status;
        }
        if (!is_wanted) {
            continue;
        }
        if (n_found < *k) {
            best[n_found++] = next;
            if (n_found == *k) {
                worst_make(best, *k);
            }
        } else if (is_better(&next, &best[0])) {
            best[0] = next;
            worst_sift(best, *k, 0);
        }
    }
    if (n_found < *k) {
        worst_make(best, n_found);
    }
    *k = n_found;
    worst_sort(best, n_found);
    return MR_OK;
}

/* The score of a stream that is a column. */
static enum mr_status column_score(void *data, uint64_t vertex, double *score, struct mr_error *err)
{
    (void)err;
    *score = mr_score_at(data, vertex);
    return MR_OK;
}

enum mr_status mr_scores_best(const struct mr_score_column *column, struct mr_names *names,
                              uint64_t n_vertices, const uint8_t *chosen,
                              struct mr_best_score *best, uint64_t *k, struct mr_error *err)
{
    struct mr_score_column read = *column;
    const struct mr_score_stream stream = {.score = column_score, .data = &read};
    return mr_scores_best_of_stream(&stream, names, n_vertices, chosen, best, k, err);
}
