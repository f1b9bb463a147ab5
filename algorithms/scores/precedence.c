/* SPDX-License-Identifier: Apache-2.0 */
/* Turns scores into precedence levels. Levels are cut out of the ranking at a few ranks, so that
 * nothing is sorted. The score at each cut is found digit by digit, like a radix sort that follows
 * only the digits of some cut (the idea of selection: Blum, Floyd, Pratt, Rivest, Tarjan 1973; here
 * by counting). It takes eight sequential passes over the scores, a histogram per cut, and no copy.
 * A score then belongs between two cuts. Scores equal to that of a cut are counted off in the order
 * of the input. */

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/scores/compare.h"
#include "engine/base/bytes.h"
#include "engine/base/context.h"
#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"

enum {
    DEFAULT_LEVELS = 5,
    DIGIT_BITS = 8,
    DIGITS = 64 / DIGIT_BITS,
    RADIX = 1 << DIGIT_BITS,
    MAX_CUTS = MR_PRECEDENCE_MAX_LEVELS,
    FEW = 256
};

/* number of scores between two polls of the cancel flag */
#define POLL_INTERVAL ((uint64_t)1 << 20)

/* The worst score above a cut; level i ends behind it. */
struct precedence_cut {
    uint64_t key; /* the leading digits of the score, as far as they are known */
    uint64_t rank; /* rank of the score among those whose leading digits are `key` */
    uint64_t better; /* scores whose leading digits are smaller */
    uint64_t seen; /* equal scores met so far during the assignment */
};

struct ranking {
    const struct mr_context *context;
    const double *scores;
    uint64_t n_scores;
    unsigned n_levels;
    uint64_t ends[MAX_CUTS]; /* [n_levels]: scores on this level and on all better ones */
    unsigned n_cuts;
    struct precedence_cut cuts[MAX_CUTS]; /* [n_cuts], ascending; one per key once keys are known */
    uint64_t (*histograms)[RADIX]; /* [n_cuts] */
};

/* An unsigned number that is smaller for better scores. -0 and 0 are the same score. */
static inline uint64_t key_of(double score)
{
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t bits;

    score += 0.0;
    memcpy(&bits, &score, sizeof bits);
    return (bits & sign) != 0 ? bits : ~(bits | sign);
}

/* ---- Where levels end ---- */

static enum mr_status check_options(const struct mr_precedence_options *options, unsigned *n_levels,
                                    struct mr_error *err)
{
    double sum = 0.0;

    *n_levels = options->n_levels == 0 ? DEFAULT_LEVELS : options->n_levels;
    if (*n_levels > MR_PRECEDENCE_MAX_LEVELS) {
        return mr_error_set(err, MR_ERROR_USAGE, "%u levels; there can be 1 to %d", *n_levels,
                            MR_PRECEDENCE_MAX_LEVELS);
    }
    if (options->percentages == NULL) {
        return MR_OK;
    }
    if (options->logarithmic) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "percentages of levels by logarithm; say one or the other");
    }
    if (options->n_levels == 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "percentages for 0 levels; say for how many");
    }
    for (unsigned i = 0; i < *n_levels; i++) {
        if (!(options->percentages[i] > 0.0)) {
            return mr_error_set(err, MR_ERROR_USAGE, "the percentage of level %u is not above 0",
                                i + 1);
        }
        sum += options->percentages[i];
    }
    if (!(fabs(sum - 100.0) <= 1e-6)) {
        return mr_error_set(err, MR_ERROR_USAGE, "percentages add up to %.10g; make it 100", sum);
    }
    return MR_OK;
}

/* A level ends at the nearest whole number, halves rounded up: 7 scores on 5 levels are 1, 2, 1, 2,
 * 1. The first level always has a score, because the best page of a small host is still its
 * best. */
static void place_ends(struct ranking *ranking, const double *percentages)
{
    const uint64_t n = ranking->n_scores;
    const unsigned n_levels = ranking->n_levels;
    double percent = 0.0;

    for (unsigned i = 0; i + 1 < n_levels; i++) {
        if (percentages == NULL) {
            /* n * (i + 1) / n_levels without overflow, rounded. */
            const uint64_t rest = n % n_levels * (i + 1);
            ranking->ends[i] = n / n_levels * (i + 1) + (2 * rest + n_levels) / (2 * n_levels);
            continue;
        }
        percent += percentages[i];
        const double end = floor((double)n * (percent / 100.0) + 0.5);
        ranking->ends[i] = end < (double)n ? (uint64_t)end : n;
    }
    ranking->ends[n_levels - 1] = n;
    for (unsigned i = 0; i < n_levels && n > 0 && ranking->ends[i] == 0; i++) {
        ranking->ends[i] = 1;
    }
}

/* Make a cut for every level that is not empty, except the last one. */
static void place_cuts(struct ranking *ranking)
{
    uint64_t previous = 0;

    for (unsigned i = 0; i < ranking->n_levels; i++) {
        const uint64_t end = ranking->ends[i];
        if (end > previous && end < ranking->n_scores) {
            ranking->cuts[ranking->n_cuts++] = (struct precedence_cut){.rank = end - 1};
        }
        previous = end;
    }
}

/* ---- The scores at the cuts ---- */

/* The index of the first cut of [0, n_cuts) whose key is at least `key`. */
static inline unsigned find_cut(const struct ranking *ranking, uint64_t key)
{
    unsigned low = 0, high = ranking->n_cuts;
    MR_FIND_FIRST(low, high, middle, ranking->cuts[middle].key < key);
    return low;
}

/* Count the digit at `shift` of all scores that share their leading digits with a cut, in the
 * histogram of the first such cut. */
static enum mr_status count_digit(struct ranking *ranking, unsigned shift, struct mr_error *err)
{
    for (unsigned i = 0; i < ranking->n_cuts; i++) {
        memset(&ranking->histograms[i], 0, sizeof ranking->histograms[i]);
    }
    for (uint64_t i = 0; i < ranking->n_scores; i++) {
        if (i % POLL_INTERVAL == 0) {
            const enum mr_status status = mr_context_poll(ranking->context, err);
            if (status != MR_OK) {
                return status;
            }
        }
        const uint64_t leading = key_of(ranking->scores[i]) >> shift;
        const unsigned at = find_cut(ranking, leading >> DIGIT_BITS);
        if (at < ranking->n_cuts && ranking->cuts[at].key == leading >> DIGIT_BITS) {
            ranking->histograms[at][leading % RADIX]++;
        }
    }
    return MR_OK;
}

/* Append the digit that the histogram gives to the key of each cut. */
static void extend_keys(struct ranking *ranking)
{
    unsigned first = 0; /* the first cut with the same leading digits; it has the histogram */
    uint64_t group = ranking->n_cuts > 0 ? ranking->cuts[0].key : 0;

    for (unsigned i = 0; i < ranking->n_cuts; i++) {
        struct precedence_cut *cut = &ranking->cuts[i];
        unsigned digit = 0;

        if (cut->key != group) {
            first = i;
            group = cut->key;
        }
        while (cut->rank >= ranking->histograms[first][digit]) {
            cut->rank -= ranking->histograms[first][digit];
            cut->better += ranking->histograms[first][digit];
            digit++;
            assert(digit < RADIX);
        }
        cut->key = cut->key << DIGIT_BITS | digit;
    }
}

static enum mr_status find_cut_scores(struct ranking *ranking, struct mr_error *err)
{
    for (unsigned digit = DIGITS; digit-- > 0;) {
        const enum mr_status status = count_digit(ranking, digit * DIGIT_BITS, err);
        if (status != MR_OK) {
            return status;
        }
        extend_keys(ranking);
    }
    /* Merge cuts at equal scores into one. */
    unsigned n = 0;
    for (unsigned i = 0; i < ranking->n_cuts; i++) {
        if (n == 0 || ranking->cuts[n - 1].key != ranking->cuts[i].key) {
            ranking->cuts[n++] = ranking->cuts[i];
        }
    }
    ranking->n_cuts = n;
    return MR_OK;
}

/* ---- Levels ---- */

/* The level (from 0) of the score with this rank (from 0). */
static unsigned level_of_rank(const struct ranking *ranking, uint64_t rank)
{
    unsigned low = 0, high = ranking->n_levels - 1;
    MR_FIND_FIRST(low, high, middle, ranking->ends[middle] <= rank);
    return low;
}

static enum mr_status assign_levels(struct ranking *ranking, uint8_t *levels, uint64_t *counts,
                                    struct mr_error *err)
{
    /* the level of scores that are better than cut i and worse than cut i - 1 */
    uint8_t between[MAX_CUTS + 1];

    for (unsigned i = 0; i < ranking->n_cuts; i++) {
        const uint64_t rank = ranking->cuts[i].better;
        between[i] = (uint8_t)level_of_rank(ranking, rank > 0 ? rank - 1 : 0);
    }
    between[ranking->n_cuts] =
        (uint8_t)level_of_rank(ranking, ranking->n_scores > 0 ? ranking->n_scores - 1 : 0);
    for (uint64_t i = 0; i < ranking->n_scores; i++) {
        if (i % POLL_INTERVAL == 0) {
            const enum mr_status status = mr_context_poll(ranking->context, err);
            if (status != MR_OK) {
                return status;
            }
        }
        const uint64_t key = key_of(ranking->scores[i]);
        const unsigned at = find_cut(ranking, key);
        unsigned level = between[at];
        if (at < ranking->n_cuts && ranking->cuts[at].key == key) {
            struct precedence_cut *cut = &ranking->cuts[at];
            level = level_of_rank(ranking, cut->better + cut->seen++);
        }
        levels[i] = (uint8_t)(level + 1);
        counts[level]++;
    }
    return MR_OK;
}

struct keyed_score {
    uint64_t key;
    uint32_t at; /* index of the score */
};

static int compare_ranked(const void *left, const void *right)
{
    const struct keyed_score *a = left, *b = right;
    return a->key != b->key ? (a->key < b->key ? -1 : 1) : (a->at > b->at) - (a->at < b->at);
}

/* Sorts up to FEW scores. The pages of a host are few, and there are many hosts. */
static void level_few(const struct ranking *ranking, uint8_t *levels, uint64_t *counts)
{
    struct keyed_score ranked[FEW];

    for (uint32_t i = 0; i < ranking->n_scores; i++) {
        ranked[i] = (struct keyed_score){key_of(ranking->scores[i]), i};
    }
    qsort(ranked, ranking->n_scores, sizeof ranked[0], compare_ranked);
    for (uint32_t rank = 0; rank < ranking->n_scores; rank++) {
        const unsigned level = level_of_rank(ranking, rank);
        levels[ranked[rank].at] = (uint8_t)(level + 1);
        counts[level]++;
    }
}

static enum mr_status level_many(struct ranking *ranking, uint8_t *levels, uint64_t *counts,
                                 struct mr_error *err)
{
    struct mr_memory *memory = ranking->context->memory;

    place_cuts(ranking);
    enum mr_status status = mr_memory_array(memory, "precedence histograms", ranking->n_cuts,
                                            &ranking->histograms, err);
    if (status == MR_OK) {
        status = find_cut_scores(ranking, err);
    }
    if (status == MR_OK) {
        status = assign_levels(ranking, levels, counts, err);
    }
    mr_memory_free(memory, ranking->histograms);
    return status;
}

/* Scores are numbers of at most `most`. */
static enum mr_status check_scores(const struct ranking *ranking, double most, struct mr_error *err)
{
    for (uint64_t i = 0; i < ranking->n_scores; i++) {
        if (!(ranking->scores[i] <= most)) {
            return mr_error_set(err, MR_ERROR_INPUT, "score %llu is %s", (unsigned long long)i + 1,
                                isnan(ranking->scores[i])
                                    ? "not a number"
                                    : "infinite, and so levels by logarithm have no width");
        }
    }
    return MR_OK;
}

/* Scores are below infinity. */
static enum mr_status level_by_logarithm(const struct ranking *ranking, uint8_t *levels,
                                         uint64_t *counts, struct mr_error *err)
{
    const double *scores = ranking->scores;
    const unsigned n_levels = ranking->n_levels;
    enum mr_status status = MR_OK;
    double best = -INFINITY, least = INFINITY;

    for (uint64_t i = 0; i < ranking->n_scores; i++) {
        best = scores[i] > best ? scores[i] : best;
        least = scores[i] > 0.0 && scores[i] < least ? scores[i] : least;
    }
    const double top = best > 0.0 ? log(best) : 0.0, span = top - log(least);
    for (uint64_t i = 0; i < ranking->n_scores; i++) {
        double place = n_levels - 1;
        if (i % POLL_INTERVAL == 0 && (status = mr_context_poll(ranking->context, err)) != MR_OK) {
            return status;
        }
        if (scores[i] > 0.0) {
            place = span > 0.0 ? floor((top - log(scores[i])) / span * n_levels) : 0.0;
        } else if (scores[i] >= best) { /* no score is above 0 */
            place = 0.0;
        }
        const unsigned level = place < n_levels ? (unsigned)place : n_levels - 1;
        levels[i] = (uint8_t)(level + 1);
        counts[level]++;
    }
    return MR_OK;
}

enum mr_status mr_precedence_levels(const struct mr_context *context, const double *scores,
                                    uint64_t n_scores, const struct mr_precedence_options *options,
                                    uint8_t *levels, uint64_t *level_counts, struct mr_error *err)
{
    struct ranking ranking = {.context = context, .scores = scores, .n_scores = n_scores};
    struct mr_precedence_options taken = MR_PRECEDENCE_OPTIONS_INIT;
    uint64_t counts[MR_PRECEDENCE_MAX_LEVELS] = {0};

    enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);
    if (status == MR_OK) {
        status = check_options(&taken, &ranking.n_levels, err);
    }
    if (status != MR_OK) {
        return status;
    }
    status = check_scores(&ranking, taken.logarithmic ? DBL_MAX : INFINITY, err);
    if (status != MR_OK) {
        return status;
    }
    place_ends(&ranking, taken.percentages);
    if (taken.logarithmic) {
        status = level_by_logarithm(&ranking, levels, counts, err);
    } else if (n_scores <= FEW) {
        status = mr_context_poll(context, err);
        if (status == MR_OK) {
            level_few(&ranking, levels, counts);
        }
    } else {
        status = level_many(&ranking, levels, counts, err);
    }
    if (status == MR_OK && level_counts != NULL) {
        memcpy(level_counts, counts, ranking.n_levels * sizeof counts[0]);
    }
    return status;
}
