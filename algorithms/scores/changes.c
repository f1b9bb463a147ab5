/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which scores changed by more than their error bounds. compare.c says how alike two rankings
 * are; this file says where they differ. The K largest changes of each kind are in a heap. Their
 * ranks are counted: the scores that ranks are asked for are sorted, and each page finds its place
 * among them, so that no order of all pages is needed. */
#include "algorithms/scores/compare.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "algorithms/base/sum.h"
#include "engine/base/bytes.h"
#include "engine/base/heap.h"
#include "engine/base/memory.h"

enum { PAIRS_PER_POLL = 1 << 20 };

/* While rows are chosen, the size of the change is in before.score. */
static bool is_smaller(const struct mr_change *a, const struct mr_change *b)
{
    const double x = a->before.score, y = b->before.score;
    return x < y || (!(x > y) && a->number > b->number);
}
MR_HEAP(smallest, struct mr_change, is_smaller)

/* How many scores are above `least`? */
struct question {
    double least;
    uint64_t n_above; /* and not above the next question */
    uint64_t *answer; /* gets the number, besides what it has */
};

struct changes {
    const struct mr_context *context;
    const struct mr_score_pair *pairs; /* [n] */
    uint64_t n, left_out;
    const struct mr_changes_scale *scales;
    struct question *questions; /* [n_questions] */
    uint64_t n_questions;
};

static double score_of(const struct mr_score_pair *pair, int side)
{
    return side == 0 ? pair->a : pair->b;
}

struct mr_changes_scale mr_changes_scale_of(const struct mr_score_pair *pairs, uint64_t n, int side,
                                            const struct mr_scores_side *given, bool shares)
{
    const double total = given->total;
    struct mr_sum sum = {0};

    for (uint64_t i = 0; i < n; i++) {
        const double score = score_of(&pairs[i], side);
        mr_sum_add(&sum, isnan(score) ? 0 : score);
    }
    /* The errors add up to what the sum is off, so those above and those below are half of all
     * errors each, and half of that. The sum itself is rounded. */
    const double off = fabs(mr_sum_value(&sum) - total) + 8 * DBL_EPSILON * total;
    return (struct mr_changes_scale){
        .factor = (shares ? 1.0 : (double)given->n_vertices) / total,
        .sum = mr_sum_value(&sum),
        .bound = given->adds_up ? fmin((given->bound + off) / 2, given->bound) : given->bound};
}

/* The kind of the change, and its size; MR_CHANGE_KINDS: none is proven. */
static unsigned classify(const struct changes *changes, uint64_t i, double *size)
{
    const struct mr_changes_scale *scales = changes->scales;
    const double before = changes->pairs[i].a * scales[0].factor;
    const double after = changes->pairs[i].b * scales[1].factor;

    if (i == changes->left_out || isnan(before) || isnan(after)) {
        *size = isnan(before) ? after : before;
        return i == changes->left_out ? MR_CHANGE_KINDS
               : isnan(before)        ? MR_CHANGE_NEW
                                      : MR_CHANGE_GONE;
    }
    /* The scores, the factors and their products are rounded once each, host sums a few times. */
    const double rounding = 8 * DBL_EPSILON * (fabs(before) + fabs(after));
    const double bounds = scales[0].bound * scales[0].factor + scales[1].bound * scales[1].factor;
    *size = fabs(after - before);
    return !(*size > bounds * (1 + 8 * DBL_EPSILON) + rounding) ? MR_CHANGE_KINDS
           : after > before                                     ? MR_CHANGE_GAINED
                                                                : MR_CHANGE_LOST;
}

/* The rows of a full list are a heap. */
static void keep(struct mr_change_list *list, uint64_t room, uint64_t number, double size)
{
    const struct mr_change change = {.number = number, .before = {.score = size}};

    if (list->n_rows < room) {
        list->rows[list->n_rows++] = change;
        if (list->n_rows == room) {
            smallest_make(list->rows, room);
        }
    } else if (room > 0 && is_smaller(&list->rows[0], &change)) {
        list->rows[0] = change;
        smallest_sift(list->rows, room, 0);
    }
}

/* Counts the changes of each kind, and fills the lists with the largest ones, best first. */
static enum mr_status find(struct changes *changes, uint64_t top, struct mr_change_list *lists,
                           struct mr_error *err)
{
    enum mr_status status = MR_OK;
    double size;

    for (uint64_t i = 0; i < changes->n; i++) {
        const unsigned kind = classify(changes, i, &size);
        if (kind < MR_CHANGE_KINDS) {
            lists[kind].n++;
        }
    }
    for (unsigned kind = 0; status == MR_OK && kind < MR_CHANGE_KINDS; kind++) {
        status = mr_memory_array(changes->context->memory, "changes",
                                 mr_min_u64(lists[kind].n, top), &lists[kind].rows, err);
    }
    for (uint64_t i = 0; status == MR_OK && i < changes->n; i++) {
        const unsigned kind = classify(changes, i, &size);
        if (kind < MR_CHANGE_KINDS) {
            keep(&lists[kind], mr_min_u64(lists[kind].n, top), i, size);
        }
        status = i % PAIRS_PER_POLL == 0 ? mr_context_poll(changes->context, err) : MR_OK;
    }
    for (unsigned kind = 0; status == MR_OK && kind < MR_CHANGE_KINDS; kind++) {
        smallest_sort(lists[kind].rows, lists[kind].n_rows);
    }
    return status;
}

/* ---- Ranks ---- */

static int compare_questions(const void *left, const void *right)
{
    const double a = ((const struct question *)left)->least;
    const double b = ((const struct question *)right)->least;
    return (a > b) - (a < b);
}

static void ask(struct changes *changes, double least, unsigned more, uint64_t *answer)
{
    *answer = more;
    changes->questions[changes->n_questions++] = (struct question){least, 0, answer};
}

/* Asks for the ranks of one side. Two scores in one file have errors of twice the bound together;
 * at most so far above may those be that are truly below, and the other way round. */
static void ask_ranks(struct changes *changes, struct mr_change *row, int side)
{
    const struct mr_changes_scale *scale = &changes->scales[side];
    const double score = score_of(&changes->pairs[row->number], side);
    const double far = 2 * scale->bound * (1 + 4 * DBL_EPSILON) + 4 * DBL_EPSILON * fabs(score);

    struct mr_ranked_score *ranked = side == 0 ? &row->before : &row->after;

    *ranked = (struct mr_ranked_score){.score = score * scale->factor};
    if (!isnan(score)) {
        ask(changes, score, 1, &ranked->rank);
        ask(changes, score + far, 1, &ranked->best);
        ask(changes, nextafter(score - far, -INFINITY), 0, &ranked->worst);
    }
}

/* Adds each score of the side to the last question that it is above. */
static enum mr_status count(struct changes *changes, int side, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; status == MR_OK && i < changes->n; i++) {
        const double score = score_of(&changes->pairs[i], side);
        uint64_t low = 0, high = changes->n_questions; /* questions below `low` are below it */
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;
            if (changes->questions[middle].least < score) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low > 0 && i != changes->left_out) {
            changes->questions[low - 1].n_above++;
        }
        status = i % PAIRS_PER_POLL == 0 ? mr_context_poll(changes->context, err) : MR_OK;
    }
    return status;
}

static enum mr_status rank(struct changes *changes, int side, struct mr_change_list *lists,
                           struct mr_error *err)
{
    uint64_t n_above = 0;

    changes->n_questions = 0;
    for (unsigned kind = 0; kind < MR_CHANGE_KINDS; kind++) {
        for (uint64_t i = 0; i < lists[kind].n_rows; i++) {
            ask_ranks(changes, &lists[kind].rows[i], side);
        }
    }
    qsort(changes->questions, changes->n_questions, sizeof *changes->questions, compare_questions);
    const enum mr_status status = count(changes, side, err);
    for (uint64_t i = changes->n_questions; status == MR_OK && i-- > 0;) {
        n_above += changes->questions[i].n_above;
        *changes->questions[i].answer += n_above;
    }
    return status;
}

enum mr_status mr_changes_list(const struct mr_context *context, const struct mr_score_pair *pairs,
                               uint64_t n, uint64_t left_out,
                               const struct mr_changes_scale scales[2], uint64_t top,
                               struct mr_change_list lists[MR_CHANGE_KINDS], struct mr_error *err)
{
    struct changes changes = {
        .context = context, .pairs = pairs, .n = n, .left_out = left_out, .scales = scales};
    uint64_t n_rows = 0;

    enum mr_status status = find(&changes, top, lists, err);
    for (unsigned kind = 0; kind < MR_CHANGE_KINDS; kind++) {
        n_rows += lists[kind].n_rows;
    }
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "ranks", 3 * n_rows, &changes.questions, err);
    }
    for (int side = 0; side < 2 && status == MR_OK && n_rows > 0; side++) {
        status = rank(&changes, side, lists, err);
    }
    mr_memory_free(context->memory, changes.questions);
    return status;
}
