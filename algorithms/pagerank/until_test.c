/* What a bound proves, against adversaries: no vector within the bound may show another order, or more pages on
 * other levels, than the answer allows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/pagerank/until.h"
#include "algorithms/scores/precedence.h"
#include "tests/support/test_context.h"

enum { MOST = 60 };

static uint64_t state = 0x853c49e6748fea9b;

static uint32_t random_below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 20) % n);
}

static double random_unit(void)
{
    return random_below(1u << 30) / (double)(1u << 30);
}

/* Scores with ties and near misses; returns how many. */
static uint64_t make_scores(double *scores)
{
    const uint64_t n = 1 + random_below(MOST);
    for (uint64_t v = 0; v < n; v++) {
        scores[v] = v > 0 && random_below(4) == 0 ? scores[random_below((uint32_t)v)]
                                                  : 0.1 + random_below(20) + 0.01 * random_unit();
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

static void test_an_order_is_proven_when_every_gap_is_wider_than_the_bound(void **unused)
{
    (void)unused;
    struct mr_context context;
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    for (unsigned round = 0; round < 3000; round++) {
        double scores[MOST];
        uint64_t order[MOST], n = make_scores(scores), count = 1 + random_below(MOST + 5);
        const double bound = pow(10, -4 * random_unit());
        struct mr_until_answer answer;
        sort_by_score(scores, order, n);
        double least = INFINITY;
        uint64_t n_ties = 0;
        for (uint64_t i = 0; i < count && i + 1 < n; i++) {
            const double gap = scores[order[i]] - scores[order[i + 1]];
            n_ties += gap == 0;
            least = gap > 0 ? fmin(least, gap) : least;
        }
        assert_int_equal(
            mr_until_order(&context, scores, n, count, bound, MR_TIE_SHARE_DOUBLE, &answer, NULL),
            MR_OK);
        assert_int_equal(answer.is_proven, least > bound);
        assert_int_equal(answer.n_ties, n_ties);
        if (!answer.is_proven) {
            assert_true(answer.wanted_bound == least);
        }
    }
    test_context_close(&context);
}

/* Move pages across the ends of levels as cheaply as can be: swap the page before an end with the one behind. */
static uint64_t attack(const struct mr_context *context, const double *scores, uint64_t n,
                       unsigned n_levels, double budget)
{
    const struct mr_precedence_options options = {.struct_size = sizeof options,
                                                  .n_levels = n_levels};
    double moved[MOST];
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
            const double cost = scores[above] - scores[below] + 1e-9;
            if (cost > budget || moved[above] != scores[above] || moved[below] != scores[below] ||
                scores[above] == scores[below]) {
                break;
            }
            budget -= cost;
            moved[above] = scores[below] - 5e-10; /* change places, a little more */
            moved[below] = scores[below] + 5e-10;
            if (moved[above] < 0) {
                return 0;
            }
        }
    }
    assert_int_equal(mr_precedence_levels(context, moved, n, &options, after, NULL, NULL), MR_OK);
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
    for (unsigned round = 0; round < 600; round++) {
        double scores[MOST];
        uint8_t levels[MOST];
        const uint64_t n = 1 + make_scores(scores) / 2;
        const unsigned n_levels = 1 + random_below(9);
        const double bound = 10 * pow(10, -4 * random_unit());
        struct mr_until_answer answer;
        assert_int_equal(mr_until_levels(&context, scores, n, n_levels, 0.2, bound,
                                         MR_TIE_SHARE_DOUBLE, levels, &answer, NULL),
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
                                             answer.wanted_bound / 1.2, MR_TIE_SHARE_DOUBLE, levels,
                                             &answer, NULL),
                             MR_OK);
            assert_true(answer.is_proven);
        }
    }
    assert_true(n_moved > 20 && n_proven > 60 && n_proven < 580); /* both happen */
    test_context_close(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_order_is_proven_when_every_gap_is_wider_than_the_bound),
        cmocka_unit_test(test_no_vector_within_the_bound_moves_more_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
