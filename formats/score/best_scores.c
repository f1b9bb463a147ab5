/* SPDX-License-Identifier: Apache-2.0 */
/* The best K scores of a column or a stream, for tables of the best pages and for rows in the order
 * of the scores. They come from a heap of K vertices whose root is the worst of them; this needs
 * 16 bytes per row and no sort of all scores. */
#include "formats/score/scores.h"

/* Does `a` come before `b` in the list? Of equal scores the first in the input's order does. */
static bool is_better(const struct mr_best_score *a, const struct mr_best_score *b)
{
    return a->score > b->score || (a->score == b->score && a->position < b->position);
}

/* Restores the heap heap[n], whose root at 0 is the worst, after the entry `at` became better. */
static void sift_down(struct mr_best_score *heap, uint64_t n, uint64_t at)
{
    const struct mr_best_score moved = heap[at];
    for (uint64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && is_better(&heap[child], &heap[child + 1])) {
            child++;
        }
        if (!is_better(&moved, &heap[child])) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

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
            for (uint64_t i = *k / 2; n_found == *k && i > 0; i--) {
                sift_down(best, *k, i - 1);
            }
        } else if (is_better(&next, &best[0])) {
            best[0] = next;
            sift_down(best, *k, 0);
        }
    }
    for (uint64_t i = n_found < *k ? n_found / 2 : 0; i > 0; i--) {
        sift_down(best, n_found, i - 1);
    }
    *k = n_found;
    /* Moves the worst to the end of the heap until the array is sorted. */
    for (uint64_t n = n_found; n > 1; n--) {
        const struct mr_best_score worst = best[0];
        best[0] = best[n - 1];
        best[n - 1] = worst;
        sift_down(best, n - 1, 0);
    }
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
