/* SPDX-License-Identifier: Apache-2.0 */
/* What a bound proves, against adversaries: no vector within the bound may show another order, or
 * more pages on other levels, than the answer allows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/pagerank/until.h"
#include "algorithms/scores/compare.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

enum { MOST = 60 };

TEST_RANDOM(0x853c49e6748fea9b)

static double random_unit(void)
{
    return random_below(1u << 30) / (double)(1u << 30);
}

/* Twins by one mark each. */
static uint64_t in_links[MOST];
static uint32_t out_degree[MOST];
static const struct mr_twins twins = {in_links, out_degree};

/* Scores with twins, ties that are none and near misses; returns how many. */
static uint64_t make_scores(double *scores)
{
    const uint64_t n = 1 + random_below(MOST);
    for (uint64_t v = 0; v < n; v++) {
        const uint64_t other = v > 0 ? random_below((uint32_t)v) : 0;
        const uint32_t kind = v > 0 ? random_below(8) : 7;
        scores[v] = kind < 3 ? scores[other] : 0.1 + random_below(20) + 0.01 * random_unit();
        in_links[v] = kind < 2 ? in_links[other] : v + 1;
        out_degree[v] = 1;
    }
    return n;
}

static const double *compared;

static int by_score(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    if (compared[x] != compared[y]) {
        return compared[x] > compared[y] ? -1 : 1;
    }
    return x < y ? -1 : 1;
}

static void sort_by_score(const double *scores, uint64_t *order, uint64_t n)
{
    for (uint64_t v = 0; v < n; v++) {
        order[v] = v;
    }
    compared = scores;
    qsort(order, n, sizeof *order, by_score);
}

/* Pages that may have another place than the one they have among the first `count`: one behind them
 * is neither a twin nor further away than the bound. Of those among the first the next one alone is
 * asked. */
static void test_an_order_is_proven_when_every_gap_is_wider_than_the_bound(void **unused)
{
    (void)unused;
    struct mr_context context;
    unsigned n_proven = 0, n_tied = 0;
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    for (unsigned round = 0; round < 1000; round++) {
        double scores[MOST];
        uint64_t order[MOST], n = make_scores(scores), count = 1 + random_below(MOST + 5);
        const double bound = pow(10, -4 * random_unit());
        struct mr_until_answer answer;
        sort_by_score(scores, order, n);
        double least = INFINITY;
        uint64_t n_ties = 0, n_close = 0;
        for (uint64_t i = 0; i < count && i < n; i++) {
            bool has_twin = false, has_other = false;
            for (uint64_t j = i + 1; j < (i + 1 == count ? n : i + 2) && j < n; j++) {
                const double gap = scores[order[i]] - scores[order[j]];
                const bool is_twin = in_links[order[i]] == in_links[order[j]];
                has_twin |= is_twin;
                has_other |= !is_twin && gap <= bound;
                least = !is_twin && gap <= bound ? fmin(least, gap) : least;
            }
            n_close += has_other;
            n_ties += has_twin && !has_other;
        }
        assert_int_equal(mr_until_order(&context, scores, n, count, bound, &twins, &answer, NULL),
                         MR_OK);
        assert_int_equal(answer.is_proven, n_close == 0);
        assert_int_equal(answer.n_ties, n_ties);
        assert_int_equal(answer.n_close, n_close);
        if (!answer.is_proven) {
            assert_true(answer.wanted_bound == least);
        }
        n_proven += answer.is_proven;
        n_tied += answer.is_proven && n_ties > 0;
    }
    assert_true(n_proven > 100 && n_proven < 900 && n_tied > 33); /* all happen */
    test_context_close(&context);
}

/* B is the twin of A, and C may be better than both: the best page is not proven. */
static void test_what_is_close_behind_a_twin_of_the_last_counts(void **unused)
{
    (void)unused;
    const double scores[] = {0.5, 0.4, 0.35, 0.1};
    uint64_t marks[] = {7, 7, 8, 9};
    uint32_t degrees[] = {1, 1, 1, 1};
    const struct mr_twins pair = {marks, degrees};
    struct mr_context context;
    struct mr_until_answer answer;
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    assert_int_equal(mr_until_order(&context, scores, 4, 1, 0.2, &pair, &answer, NULL), MR_OK);
    assert_false(answer.is_proven);
    assert_int_equal(answer.n_close, 1);
    assert_int_equal(mr_until_order(&context, scores, 4, 1, 0.125, &pair, &answer, NULL), MR_OK);
    assert_true(answer.is_proven);
    assert_int_equal(answer.n_ties, 1);
    test_context_close(&context);
}

/* Digits prove nothing: without twins equal scores are close, whatever the bound is. */
static void test_equal_scores_are_no_ties(void **unused)
{
    (void)unused;
    const double scores[] = {0.25, 0.25, 0.25, 0.25};
    const struct mr_twins none = {NULL, NULL};
    struct mr_context context;
    struct mr_until_answer answer;
    uint8_t levels[4];
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    assert_int_equal(mr_until_order(&context, scores, 4, 1, 1e-12, &none, &answer, NULL), MR_OK);
    assert_false(answer.is_proven);
    assert_int_equal(answer.n_ties, 0);
    assert_int_equal(
        mr_until_levels(&context, scores, 4, 2, 0.5, 1e-12, &none, levels, &answer, NULL), MR_OK);
    assert_false(answer.is_proven);
    assert_true(answer.share == 1);
    test_context_close(&context);
}

/* Move pages across the ends of levels as cheaply as can be: the page before an end changes places
 * with the one behind it. Twins stay twins. Returns how many pages have another level; where scores
 * are equal, they stay in order. */
static uint64_t attack(const struct mr_context *context, const double *scores, uint64_t n,
                       unsigned n_levels, double budget)
{
    const struct mr_precedence_options options = {.struct_size = sizeof options,
                                                  .n_levels = n_levels};
    double moved[MOST], ranks[MOST];
    uint8_t before[MOST], after[MOST];
    uint64_t order[MOST], n_changed = 0;
    memcpy(moved, scores, n * sizeof *scores);
    assert_int_equal(mr_precedence_levels(context, scores, n, &options, before, NULL, NULL), MR_OK);
    sort_by_score(scores, order, n);
    const uint64_t first =
        random_below((uint32_t)n); /* of the ends, any may be the best to begin with */
    for (uint64_t k = 0; k + 1 < n; k++) {
        const uint64_t i = (first + k) % (n - 1);
        for (uint64_t width = 0; before[order[i]] != before[order[i + 1]]; width++) {
            if (width > i || i + 1 + width >= n) {
                break;
            }
            const uint64_t above = order[i - width], below = order[i + 1 + width];
            double cost = 0, to = scores[below] + 5e-10;
            for (uint64_t v = 0; v < n; v++) { /* with their twins */
                cost += in_links[v] == in_links[above]   ? fabs(moved[v] - (to - 1e-9))
                        : in_links[v] == in_links[below] ? fabs(moved[v] - to)
                                                         : 0;
            }
            if (cost > budget || in_links[above] == in_links[below] || to < 1e-9 ||
                moved[above] != scores[above] || moved[below] != scores[below]) {
                break;
            }
            budget -= cost;
            for (uint64_t v = 0; v < n; v++) {
                moved[v] = in_links[v] == in_links[above]   ? to - 1e-9
                           : in_links[v] == in_links[below] ? to
                                                            : moved[v];
            }
        }
    }
    /* What is equal now keeps its order. */
    uint64_t by_moved[MOST];
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = i;
        for (; at > 0 && moved[by_moved[at - 1]] < moved[order[i]]; at--) {
            by_moved[at] = by_moved[at - 1];
        }
        by_moved[at] = order[i];
    }
    for (uint64_t i = 0; i < n; i++) {
        ranks[by_moved[i]] = (double)(n - i);
    }
    assert_int_equal(mr_precedence_levels(context, ranks, n, &options, after, NULL, NULL), MR_OK);
    for (uint64_t v = 0; v < n; v++) {
        n_changed += before[v] != after[v];
    }
    return n_changed;
}

static void test_no_vector_within_the_bound_moves_more_pages(void **unused)
{
    (void)unused;
    struct mr_context context;
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    uint64_t n_moved = 0, n_proven = 0;
    for (unsigned round = 0; round < 300; round++) {
        double scores[MOST];
        uint8_t levels[MOST];
        const uint64_t n = 1 + make_scores(scores) / 2;
        const unsigned n_levels = 1 + random_below(9);
        const double bound = 10 * pow(10, -4 * random_unit());
        struct mr_until_answer answer;
        assert_int_equal(mr_until_levels(&context, scores, n, n_levels, 0.2, bound, &twins, levels,
                                         &answer, NULL),
                         MR_OK);
        assert_int_equal(answer.is_proven, answer.share <= 0.2);
        for (unsigned attempt = 0; attempt < 4; attempt++) {
            const uint64_t changed = attack(&context, scores, n, n_levels, bound);
            n_moved += changed;
            assert_true((double)changed <= answer.share * (double)n + 1e-9);
        }
        n_proven += answer.is_proven;
        if (!answer.is_proven && answer.wanted_bound > 0) { /* the promise holds */
            assert_int_equal(mr_until_levels(&context, scores, n, n_levels, 0.2,
                                             answer.wanted_bound / 1.2, &twins, levels, &answer,
                                             NULL),
                             MR_OK);
            assert_true(answer.is_proven);
        }
    }
    assert_true(n_moved > 5 && n_proven > 30 && n_proven < 290); /* both happen */
    test_context_close(&context);
}

TEST_MAIN(cmocka_unit_test(test_an_order_is_proven_when_every_gap_is_wider_than_the_bound),
          cmocka_unit_test(test_what_is_close_behind_a_twin_of_the_last_counts),
          cmocka_unit_test(test_equal_scores_are_no_ties),
          cmocka_unit_test(test_no_vector_within_the_bound_moves_more_pages))
