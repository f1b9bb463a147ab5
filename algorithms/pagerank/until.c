/* SPDX-License-Identifier: Apache-2.0 */
/* What --until asks after each certificate, and before one that may pay: does an error bound prove
 * an order, or levels? docs/solver.md, "Stopping early", has the proofs. Twins
 * (algorithms/pagerank/twins.h) have the same score; every other two pages count as different only
 * where their scores are further apart than the bound, however alike they look. */
#include "algorithms/pagerank/until.h"

#include <math.h>

#include "algorithms/scores/compare.h"
#include "engine/base/bytes.h"
#include "engine/base/heap.h"
#include "engine/base/memory.h"

/* ---- Order ---- */

/* Does `a` stand behind `b`? Equal scores stand in the order of the vertices. */
static inline bool is_worse(const struct mr_best_page *a, const struct mr_best_page *b)
{
    return a->score < b->score || (a->score == b->score && a->vertex > b->vertex);
}

/* The worst is on top. */
MR_HEAP(worst, struct mr_best_page, is_worse)

void mr_until_best(const double *scores, uint64_t n, struct mr_best_page *kept, uint64_t n_kept)
{
    for (uint64_t v = 0; v < n_kept; v++) {
        kept[v] = (struct mr_best_page){scores[v], v};
    }
    worst_make(kept, n_kept);
    for (uint64_t v = n_kept; v < n; v++) {
        if (scores[v] > kept[0].score) {
            kept[0] = (struct mr_best_page){scores[v], v};
            worst_sift(kept, n_kept, 0);
        }
    }
    worst_sort(kept, n_kept);
}

uint64_t mr_until_order_memory(uint64_t n, uint64_t count)
{
    return mr_round_up((count < n ? count : n) * sizeof(struct mr_best_page), 4096);
}

/* What is not further than the bound behind a page. */
struct followers {
    bool has_twin, has_other;
    double least_gap; /* of the others */
};

static void add_follower(struct followers *found, const struct mr_twins *twins, uint64_t page,
                         uint64_t other, double gap)
{
    if (mr_twins_are(twins, page, other)) {
        found->has_twin = true;
        return;
    }
    found->least_gap = found->has_other ? fmin(found->least_gap, gap) : gap;
    found->has_other = true;
}

static void add_place(struct mr_until_answer *answer, const struct followers *found)
{
    if (!found->has_other) {
        answer->n_ties += found->has_twin;
        return;
    }
    answer->n_close++;
    answer->wanted_bound =
        answer->is_proven ? found->least_gap : fmin(answer->wanted_bound, found->least_gap);
    answer->is_proven = false;
}

/* Of the pages that are not among the best. The last of these may have twins there, and what is
 * close behind a twin may be better than both: so all of them are looked at. */
static void follow_last(const double *scores, uint64_t n, const struct mr_best_page *last,
                        double bound, const struct mr_twins *twins, struct followers *found)
{
    for (uint64_t v = 0; v < n; v++) {
        const struct mr_best_page other = {scores[v], v};
        if (last->score - other.score <= bound && is_worse(&other, last)) {
            add_follower(found, twins, last->vertex, v, last->score - other.score);
        }
    }
}

enum mr_status mr_until_order(const struct mr_context *context, const double *scores, uint64_t n,
                              uint64_t count, double bound, const struct mr_twins *twins,
                              struct mr_until_answer *answer, struct mr_error *err)
{
    const uint64_t n_kept = count < n ? count : n;
    struct mr_best_page *kept = NULL;
    *answer = (struct mr_until_answer){.is_proven = true};
    if (n_kept == 0) {
        return MR_OK;
    }
    const enum mr_status status = mr_memory_alloc(context->memory, "pages whose order is wanted",
                                                  mr_until_order_memory(n, count), &kept, err);
    if (status != MR_OK) {
        return status;
    }
    mr_until_best(scores, n, kept, n_kept);
    for (uint64_t i = 0; i < n_kept; i++) {
        struct followers found = {0};
        if (i + 1 == n_kept) {
            follow_last(scores, n, &kept[i], bound, twins, &found);
        } else if (kept[i].score - kept[i + 1].score <= bound) {
            add_follower(&found, twins, kept[i].vertex, kept[i + 1].vertex,
                         kept[i].score - kept[i + 1].score);
        }
        add_place(answer, &found);
    }
    mr_memory_free(context->memory, kept);
    return MR_OK;
}

/* ---- Levels ---- */

/* Distances to a cut, counted in bins: OCTAVES halvings of the bound, each in STEPS equal parts,
 * and one bin for all that is smaller. */
enum { OCTAVES = 40, STEPS = 16, BINS = OCTAVES * STEPS + 1, MAX_CUTS = MR_PRECEDENCE_MAX_LEVELS };

/* Between two levels that are not empty. */
struct level_cut {
    struct mr_best_page best_below, worst_above;
    bool is_tie; /* those two are twins */
    uint64_t above[BINS], below[BINS]; /* where they are twins, without twins of theirs */
};

struct cuts {
    const struct mr_twins *twins;
    double bound;
    unsigned n;
    struct level_cut *cut; /* [MAX_CUTS], best first */
};

/* Bin of a distance in [0, bound]. */
static unsigned bin_of(double distance, double bound)
{
    int exponent;
    const double fraction = frexp(distance / bound, &exponent); /* in [1/2, 1) */
    if (!(distance > 0) || exponent <= -OCTAVES) {
        return 0;
    }
    if (exponent > 0) { /* distance = bound */
        return BINS - 1;
    }
    return 1 + (unsigned)(exponent + OCTAVES - 1) * STEPS +
           (unsigned)((fraction - 0.5) * 2 * STEPS);
}

/* No distance in the bin is smaller. */
static double bin_least(unsigned bin, double bound)
{
    if (bin == 0) {
        return 0;
    }
    const int octave = (int)(bin - 1) / STEPS;
    const double fraction = 0.5 + 0.5 * ((bin - 1) % STEPS) / STEPS;
    return ldexp(fraction, octave - OCTAVES + 1) * bound;
}

/* The most pages whose distances can add up to `budget`. */
static double most_pages(const uint64_t *bins, double bound, double budget)
{
    double pages = 0, left = budget;
    for (unsigned b = 0; b < BINS; b++) {
        const double least = bin_least(b, bound), count = (double)bins[b];
        if (count * least > left) {
            return pages + floor(left / least) + 1; /* + 1 for the rounding here */
        }
        pages += count;
        left -= count * least;
    }
    return pages;
}

static double pages_that_may_move(const struct cuts *cuts, double budget)
{
    double pages = 0;
    for (unsigned c = 0; c < cuts->n; c++) {
        const struct level_cut *cut = &cuts->cut[c];
        if (cut->worst_above.score - cut->best_below.score > budget) {
            continue;
        }
        const double down = most_pages(cut->above, cuts->bound, budget);
        const double up = most_pages(cut->below, cuts->bound, budget);
        pages += 2 * (cut->is_tie ? fmax(down, up) : fmin(down, up));
    }
    return pages;
}

/* The worst page of each level and the best of the next. */
static void place_cuts(struct cuts *cuts, const double *scores, const uint8_t *levels, uint64_t n,
                       unsigned n_levels, unsigned *cut_behind)
{
    struct mr_best_page best[MAX_CUTS + 1] = {{0}}, worst[MAX_CUTS + 1] = {{0}};
    bool has_pages[MAX_CUTS + 1] = {false};
    unsigned last = 0;
    for (uint64_t v = 0; v < n; v++) {
        const unsigned l = levels[v];
        const struct mr_best_page page = {scores[v], v};
        if (!has_pages[l] || is_worse(&best[l], &page)) {
            best[l] = page;
        }
        if (!has_pages[l] || is_worse(&page, &worst[l])) {
            worst[l] = page;
        }
        has_pages[l] = true;
    }
    cut_behind[0] = 0;
    for (unsigned l = 1; l <= n_levels; l++) {
        if (has_pages[l] && last > 0) {
            struct level_cut *cut = &cuts->cut[cuts->n++];
            cut->worst_above = worst[last];
            cut->best_below = best[l];
            cut->is_tie = mr_twins_are(cuts->twins, worst[last].vertex, best[l].vertex);
        }
        last = has_pages[l] ? l : last;
        cut_behind[l] = cuts->n; /* cuts before this one are above the level */
    }
}

static bool is_tied(const struct cuts *cuts, const struct level_cut *cut, uint64_t v)
{
    return cut->is_tie && (mr_twins_are(cuts->twins, v, cut->worst_above.vertex) ||
                           mr_twins_are(cuts->twins, v, cut->best_below.vertex));
}

static void count_distances(struct cuts *cuts, const double *scores, const uint8_t *levels,
                            uint64_t n, const unsigned *cut_behind)
{
    for (uint64_t v = 0; v < n; v++) {
        for (unsigned c = cut_behind[levels[v]]; c-- > 0;) {
            struct level_cut *cut = &cuts->cut[c];
            const double distance = cut->worst_above.score - scores[v];
            if (distance > cuts->bound) {
                break;
            }
            if (!is_tied(cuts, cut, v)) {
                cut->below[bin_of(distance, cuts->bound)]++;
            }
        }
        for (unsigned c = cut_behind[levels[v]]; c < cuts->n; c++) {
            struct level_cut *cut = &cuts->cut[c];
            const double distance = scores[v] - cut->best_below.score;
            if (distance > cuts->bound) {
                break;
            }
            if (!is_tied(cuts, cut, v)) {
                cut->above[bin_of(distance, cuts->bound)]++;
            }
        }
    }
}

uint64_t mr_until_levels_memory(void)
{
    return mr_round_up(MAX_CUTS * sizeof(struct level_cut), 4096) + (UINT64_C(300) << 10);
}

enum mr_status mr_until_levels(const struct mr_context *context, const double *scores, uint64_t n,
                               unsigned n_levels, double share, double bound,
                               const struct mr_twins *twins, uint8_t *levels,
                               struct mr_until_answer *answer, struct mr_error *err)
{
    const struct mr_precedence_options options = {.struct_size = sizeof options,
                                                  .n_levels = n_levels};
    struct cuts cuts = {.twins = twins, .bound = bound};
    unsigned cut_behind[MAX_CUTS + 1]; /* by level: the first cut below it */
    *answer = (struct mr_until_answer){.is_proven = true};
    enum mr_status status = mr_precedence_levels(context, scores, n, &options, levels, NULL, err);
    if (status == MR_OK) {
        status = mr_memory_alloc(context->memory, "distances to the levels' ends",
                                 MAX_CUTS * sizeof(struct level_cut), &cuts.cut, err);
    }
    if (status != MR_OK) {
        return status;
    }
    place_cuts(&cuts, scores, levels, n, n_levels, cut_behind);
    count_distances(&cuts, scores, levels, n, cut_behind);
    const double all = (double)n;
    answer->share = n == 0 ? 0 : fmin(pages_that_may_move(&cuts, bound) / all, 1);
    answer->is_proven = answer->share <= share;
    for (int halvings = 1; halvings < OCTAVES && !answer->is_proven; halvings++) {
        const double budget = ldexp(bound, -halvings);
        if (pages_that_may_move(&cuts, budget) <= share * all) {
            answer->wanted_bound = budget;
            break;
        }
    }
    mr_memory_free(context->memory, cuts.cut);
    return MR_OK;
}
