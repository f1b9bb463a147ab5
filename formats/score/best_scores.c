/* SPDX-License-Identifier: Apache-2.0 */
/* The best K scores of a column or a stream, for tables of the best pages, and the places of all
 * rows in the order of the scores. The best K come from a heap of K vertices whose root is the
 * worst of them; this needs 16 bytes per row and no sort of all scores. Places come from a radix
 * sort. */
#include <string.h>

#include "engine/base/heap.h"
#include "engine/base/sort.h"
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

struct mr_score_stream mr_score_stream_of(const struct mr_score_column *column)
{
    return (struct mr_score_stream){
        .name = column->name, .type = column->type, .score = column_score, .data = (void *)column};
}

enum mr_status mr_scores_best(const struct mr_score_column *column, struct mr_names *names,
                              uint64_t n_vertices, const uint8_t *chosen,
                              struct mr_best_score *best, uint64_t *k, struct mr_error *err)
{
    const struct mr_score_stream stream = mr_score_stream_of(column);
    return mr_scores_best_of_stream(&stream, names, n_vertices, chosen, best, k, err);
}

/* ---- All places ---- */

/* A number that is the smaller, the larger the score is. -0 is 0. */
static uint64_t falling(double score)
{
    const double value = score + 0.0;
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 != 0 ? bits : ~bits & ~((uint64_t)1 << 63);
}

/* Sorts by the upper half of `falling` with the position below it, then equal halves by the lower
 * one. */
static void sort_positions(const double *scores, uint64_t *keys, uint64_t n)
{
    mr_sort_u64_in_place(keys, n);
    for (uint64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && keys[end] >> 32 == keys[i] >> 32;) {
            end++;
        }
        for (uint64_t j = i; j < end && end - i > 1; j++) {
            const uint32_t position = (uint32_t)keys[j];
            keys[j] = falling(scores[position]) << 32 | position;
        }
        mr_sort_u64_in_place(keys + i, end - i);
    }
}

enum mr_status mr_scores_places(const struct mr_score_stream *stream, struct mr_names *names,
                                uint64_t n_vertices, const uint8_t *chosen, double *scores,
                                uint64_t *keys, uint32_t *places, uint64_t *k, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    uint64_t n_found = 0;

    for (uint64_t position = 0; position < n_vertices && status == MR_OK; position++) {
        uint32_t vertex = 0;
        status = mr_names_vertex(names, (uint32_t)position, &vertex, err);
        places[position] = MR_NO_PLACE;
        if (status == MR_OK && mr_score_is_chosen(chosen, vertex)) {
            status = stream->score(stream->data, vertex, &scores[position], err);
            keys[n_found++] = falling(scores[position]) >> 32 << 32 | position;
        }
    }
    if (status != MR_OK || n_found == 0) {
        *k = 0;
        return status;
    }
    sort_positions(scores, keys, n_found);
    *k = n_found < *k ? n_found : *k;
    for (uint64_t i = 0; i < *k; i++) {
        places[(uint32_t)keys[i]] = (uint32_t)i;
    }
    return MR_OK;
}
