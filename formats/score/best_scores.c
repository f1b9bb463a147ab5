/* SPDX-License-Identifier: Apache-2.0 */
/* The best K scores of a column or a stream, for tables of the best pages, and the order of all
 * rows by their scores. The best K come from a heap of K vertices whose root is the worst of them;
 * this needs 16 bytes per row and no sort of all scores. The order comes from keys that the threads
 * divide among buckets, each of which one thread sorts by radix. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/heap.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/base/team.h"
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

/* ---- All in order ----
 *
 * A key has the score above, as many of its bits as there is room for, and the position below, so
 * that no two are equal and no order depends on the threads. */

enum { CHUNKS = 64, BUCKETS = 64, SAMPLES = 16 * BUCKETS, LEAST_KEYS = 1 << 16 };

struct ordering {
    const struct mr_score_stream *stream;
    struct mr_names *names;
    const uint8_t *chosen;
    uint64_t n; /* vertices */
    unsigned n_threads;
    double *scores; /* [n], by position */
    uint64_t *keys, *temp; /* [n] */
    uint64_t lowest, highest; /* of `falling` */
    unsigned bits, shift; /* of a position; bits of a score that a key has no room for */
    uint64_t splitters[BUCKETS]; /* the least key of each bucket; 0 first */
    uint64_t ends[CHUNKS][BUCKETS];
};

/* A number that is the smaller, the larger the score is. -0 is 0. */
static uint64_t falling(double score)
{
    const double value = score + 0.0;
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 != 0 ? bits : ~bits & ~((uint64_t)1 << 63);
}

static uint64_t chunk_start(const struct ordering *o, unsigned chunk)
{
    return o->n / CHUNKS * chunk + mr_min_u64(chunk, o->n % CHUNKS);
}

/* Scores, and `falling` of them as keys; of what is not chosen the largest number. */
static enum mr_status take_scores(const struct ordering *o, unsigned chunk, uint64_t range[2],
                                  uint64_t *n_found, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    range[0] = UINT64_MAX;
    range[1] = *n_found = 0;
    for (uint64_t p = chunk_start(o, chunk); p < chunk_start(o, chunk + 1) && status == MR_OK;
         p++) {
        uint32_t vertex = 0;
        status = mr_names_vertex(o->names, (uint32_t)p, &vertex, err);
        o->keys[p] = UINT64_MAX;
        if (status == MR_OK && mr_score_is_chosen(o->chosen, vertex)) {
            status = o->stream->score(o->stream->data, vertex, &o->scores[p], err);
            o->keys[p] = falling(o->scores[p]);
            range[0] = mr_min_u64(range[0], o->keys[p]);
            range[1] = mr_max_u64(range[1], o->keys[p]);
            (*n_found)++;
        }
    }
    return status;
}

/* All threads read a column; only one reads what is made in the order of the vertices. */
static enum mr_status take_all_scores(struct ordering *o, uint64_t *n_found, struct mr_error *err)
{
    uint64_t ranges[CHUNKS][2], found[CHUNKS];
    enum mr_status status = MR_OK;

    if (o->stream->score == column_score) {
#pragma omp parallel for num_threads(mr_team_threads(o->n_threads)) schedule(dynamic)
        for (int c = 0; c < CHUNKS; c++) {
            /* names of a store and columns in memory do not fail */
            (void)take_scores(o, (unsigned)c, ranges[c], &found[c], NULL);
        }
    } else {
        for (unsigned c = 0; c < CHUNKS && status == MR_OK; c++) {
            status = take_scores(o, c, ranges[c], &found[c], err);
        }
    }
    o->lowest = UINT64_MAX;
    o->highest = *n_found = 0;
    for (unsigned c = 0; c < CHUNKS && status == MR_OK; c++) {
        o->lowest = mr_min_u64(o->lowest, ranges[c][0]);
        o->highest = mr_max_u64(o->highest, ranges[c][1]);
        *n_found += found[c];
    }
    return status;
}

static unsigned bucket_of(const struct ordering *o, uint64_t key)
{
    unsigned bucket = 0;

    for (unsigned step = BUCKETS / 2; step > 0; step /= 2) {
        bucket += key >= o->splitters[bucket + step] ? step : 0;
    }
    return bucket;
}

static void make_keys(struct ordering *o, unsigned chunk)
{
    for (uint64_t p = chunk_start(o, chunk); p < chunk_start(o, chunk + 1); p++) {
        if (o->keys[p] != UINT64_MAX) {
            o->keys[p] = (o->keys[p] - o->lowest) >> o->shift << o->bits | p;
        }
    }
}

static void choose_splitters(struct ordering *o)
{
    uint64_t samples[SAMPLES];

    for (uint64_t i = 0; i < SAMPLES; i++) {
        samples[i] = o->keys[o->n / SAMPLES * i];
    }
    mr_sort_u64_in_place(samples, SAMPLES);
    for (unsigned b = 1; b < BUCKETS; b++) {
        o->splitters[b] = samples[b * (SAMPLES / BUCKETS)];
    }
}

/* Sorts the keys, which end up in o->keys. */
static void sort_keys(struct ordering *o)
{
    if (o->temp == NULL || o->n < LEAST_KEYS) {
        mr_sort_u64_in_place(o->keys, o->n);
        return;
    }
    choose_splitters(o);
#pragma omp parallel for num_threads(mr_team_threads(o->n_threads)) schedule(dynamic)
    for (int c = 0; c < CHUNKS; c++) {
        for (uint64_t p = chunk_start(o, (unsigned)c); p < chunk_start(o, (unsigned)c + 1); p++) {
            o->ends[c][bucket_of(o, o->keys[p])]++;
        }
    }
    uint64_t sum = 0;
    for (unsigned b = 0; b < BUCKETS; b++) {
        for (unsigned c = 0; c < CHUNKS; c++) {
            const uint64_t count = o->ends[c][b];
            o->ends[c][b] = sum;
            sum += count;
        }
    }
#pragma omp parallel for num_threads(mr_team_threads(o->n_threads)) schedule(dynamic)
    for (int c = 0; c < CHUNKS; c++) {
        for (uint64_t p = chunk_start(o, (unsigned)c); p < chunk_start(o, (unsigned)c + 1); p++) {
            o->temp[o->ends[c][bucket_of(o, o->keys[p])]++] = o->keys[p];
        }
    }
#pragma omp parallel for num_threads(mr_team_threads(o->n_threads)) schedule(dynamic)
    for (int b = 0; b < BUCKETS; b++) {
        const uint64_t first = b == 0 ? 0 : o->ends[CHUNKS - 1][b - 1];
        mr_sort_u64(o->temp + first, o->keys + first, o->ends[CHUNKS - 1][b] - first);
    }
    uint64_t *const sorted = o->temp;
    o->temp = o->keys;
    o->keys = sorted;
}

/* Keys [first, end) have equal bits of scores; those bits that are not in the keys decide. */
static void sort_run(struct ordering *o, uint64_t first, uint64_t end)
{
    const uint64_t mask = ((uint64_t)1 << o->bits) - 1;
    uint64_t last = 0;
    bool is_sorted = true;

    for (uint64_t i = first; i < end; i++) {
        const uint64_t position = o->keys[i] & mask;
        const uint64_t rest =
            (falling(o->scores[position]) - o->lowest) & (((uint64_t)1 << o->shift) - 1);
        is_sorted &= rest >= last;
        last = rest;
        o->keys[i] = rest << o->bits | position;
    }
    if (!is_sorted) {
        mr_sort_u64_in_place(o->keys + first, end - first);
    }
}

/* The first key from `i` on, before `end`, whose score differs from that of the key before it. */
static uint64_t next_run(const struct ordering *o, uint64_t i, uint64_t end)
{
    while (i > 0 && i < end && o->keys[i] >> o->bits == o->keys[i - 1] >> o->bits) {
        i++;
    }
    return i;
}

static void sort_runs(struct ordering *o, uint64_t n_found)
{
    uint64_t starts[CHUNKS + 1];

    for (unsigned c = 0; c <= CHUNKS; c++) { /* before any key of a run is changed */
        starts[c] = next_run(o, n_found / CHUNKS * c, n_found);
    }
    starts[CHUNKS] = n_found;
#pragma omp parallel for num_threads(mr_team_threads(o->n_threads)) schedule(dynamic)
    for (int c = 0; c < CHUNKS; c++) {
        for (uint64_t i = starts[c], end; i < starts[c + 1]; i = end) {
            end = next_run(o, i + 1, starts[c + 1]);
            if (end > i + 1) {
                sort_run(o, i, end);
            }
        }
    }
}

enum mr_status mr_scores_order(const struct mr_context *context,
                               const struct mr_score_stream *stream, struct mr_names *names,
                               uint64_t n_vertices, const uint8_t *chosen, double *scores,
                               uint32_t **order, uint64_t *k, struct mr_error *err)
{
    struct ordering *o = calloc(1, sizeof *o);
    uint64_t n_found = 0;

    *order = NULL;
    if (o == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for sorted rows");
    }
    o->stream = stream;
    o->names = names;
    o->chosen = chosen;
    o->n = n_vertices;
    o->n_threads = n_vertices < LEAST_KEYS ? 1 : context->threads;
    o->scores = scores;
    enum mr_status status =
        mr_memory_array(context->memory, "order of sorted rows", n_vertices, &o->keys, err);
    if (status == MR_OK) { /* without the second array one thread sorts in place */
        struct mr_error none = {0};
        const enum mr_status room =
            mr_memory_array(context->memory, "order of sorted rows", n_vertices, &o->temp, &none);
        o->temp = room == MR_OK ? o->temp : NULL;
        status = take_all_scores(o, &n_found, err);
    }
    if (status == MR_OK && n_found > 0) {
        const uint64_t range = o->highest - o->lowest;
        o->bits = 64 - (unsigned)__builtin_clzll(n_vertices);
        const unsigned score_bits = range == 0 ? 0 : 64 - (unsigned)__builtin_clzll(range);
        o->shift = score_bits + o->bits > 64 ? score_bits + o->bits - 64 : 0;
#pragma omp parallel for num_threads(mr_team_threads(o->n_threads)) schedule(dynamic)
        for (int c = 0; c < CHUNKS; c++) {
            make_keys(o, (unsigned)c);
        }
        sort_keys(o);
        if (o->shift > 0) {
            sort_runs(o, n_found);
        }
    }
    *k = mr_min_u64(*k, n_found);
    for (uint64_t i = 0; i < *k && status == MR_OK; i++) { /* in place */
        const uint32_t position = (uint32_t)(o->keys[i] & (((uint64_t)1 << o->bits) - 1));
        memcpy((char *)o->keys + i * sizeof position, &position, sizeof position);
    }
    mr_memory_free(context->memory, o->temp);
    *order = (uint32_t *)o->keys;
    free(o);
    return status;
}
