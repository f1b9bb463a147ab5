/* SPDX-License-Identifier: Apache-2.0 */
/* Tests levels against a plain stable sort, and the errors. */
#include <math.h>
#include <stdlib.h>

#include "algorithms/scores/compare.h"
#include "engine/base/context.h"
#include "engine/base/memory.h"
#include "tests/support/test.h"

static struct mr_context context;
static volatile sig_atomic_t cancel;

static int set_up(void **state)
{
    (void)state;
    cancel = 0;
    context = (struct mr_context){.threads = 1, .cancel = &cancel};
    return mr_memory_create(64u << 20, &context.memory, NULL) == MR_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    mr_memory_destroy(context.memory);
    return 0;
}

/* ---- The oracle: sort, best first, equal ones by position; then cut. ---- */

struct entry {
    double score;
    size_t position;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    if (x->score != y->score) {
        return x->score > y->score ? -1 : 1;
    }
    return x->position < y->position ? -1 : 1;
}

/* `shares` of the levels are in per cent. The ends of levels are rounded to nearest, as the header
 * says. */
static void expect_levels(const double *scores, size_t n, const double *shares, unsigned n_levels,
                          uint8_t *levels)
{
    struct entry *entries = calloc(n + 1, sizeof *entries);
    assert_non_null(entries);
    for (size_t i = 0; i < n; i++) {
        entries[i] = (struct entry){scores[i], i};
    }
    qsort(entries, n, sizeof *entries, compare_entries);
    double sum = 0.0;
    size_t rank = 0;
    for (unsigned level = 0; level < n_levels; level++) {
        sum += shares[level];
        size_t end =
            level + 1 == n_levels ? n : (size_t)floor((double)n * sum / 100.0 + 0.5 + 1e-9);
        end = end == 0 ? 1 : end;
        for (; rank < end && rank < n; rank++) {
            levels[entries[rank].position] = (uint8_t)(level + 1);
        }
    }
    free(entries);
}

static void check_against_sort(const double *scores, size_t n, const double *percentages,
                               unsigned n_levels)
{
    const struct mr_precedence_options options = {
        .struct_size = sizeof options, .n_levels = n_levels, .percentages = percentages};
    double shares[MR_PRECEDENCE_MAX_LEVELS];
    uint64_t counts[MR_PRECEDENCE_MAX_LEVELS];
    uint64_t expected_counts[MR_PRECEDENCE_MAX_LEVELS] = {0};
    uint8_t *levels = calloc(n + 1, 1);
    uint8_t *expected = calloc(n + 1, 1);

    assert_non_null(levels);
    assert_non_null(expected);
    for (unsigned i = 0; i < n_levels; i++) {
        shares[i] = percentages != NULL ? percentages[i] : 100.0 / n_levels;
    }
    expect_levels(scores, n, shares, n_levels, expected);
    for (size_t i = 0; i < n; i++) {
        expected_counts[expected[i] - 1]++;
    }
    struct mr_error err = {0};
    assert_int_equal(MR_OK,
                     mr_precedence_levels(&context, scores, n, &options, levels, counts, &err));
    assert_memory_equal(expected, levels, n + 1);
    assert_memory_equal(expected_counts, counts, n_levels * sizeof counts[0]);
    free(levels);
    free(expected);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* ---- Levels ---- */

static void quintiles_of_ten(void **state)
{
    (void)state;
    const double scores[10] = {0.1, 1.0, 0.2, 0.9, 0.3, 0.8, 0.4, 0.7, 0.5, 0.6};
    const uint8_t expected[10] = {5, 1, 5, 1, 4, 2, 4, 2, 3, 3};
    const struct mr_precedence_options options = {.struct_size = sizeof options};
    uint8_t levels[10];
    uint64_t counts[5];

    assert_int_equal(MR_OK,
                     mr_precedence_levels(&context, scores, 10, &options, levels, counts, NULL));
    assert_memory_equal(expected, levels, sizeof levels);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(2, counts[i]);
    }
}

static void equal_scores_go_by_position(void **state)
{
    (void)state;
    const double scores[6] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    const uint8_t expected[6] = {1, 1, 2, 2, 3, 3};
    const struct mr_precedence_options options = {.struct_size = sizeof options, .n_levels = 3};
    uint8_t levels[6];

    assert_int_equal(MR_OK,
                     mr_precedence_levels(&context, scores, 6, &options, levels, NULL, NULL));
    assert_memory_equal(expected, levels, sizeof levels);
}

static void zero_equals_minus_zero(void **state)
{
    (void)state;
    const double scores[4] = {-0.0, 0.0, -0.0, 0.0};
    const uint8_t expected[4] = {1, 1, 2, 2};
    const struct mr_precedence_options options = {.struct_size = sizeof options, .n_levels = 2};
    uint8_t levels[4];

    assert_int_equal(MR_OK,
                     mr_precedence_levels(&context, scores, 4, &options, levels, NULL, NULL));
    assert_memory_equal(expected, levels, sizeof levels);
}

static void random_scores_agree_with_a_sort(void **state)
{
    (void)state;
    uint64_t random = 1;
    double scores[700];

    for (unsigned round = 0; round < 400; round++) {
        const size_t n = next_random(&random) % 700;
        const unsigned n_levels = 1 + (unsigned)next_random(&random) % MR_PRECEDENCE_MAX_LEVELS;
        const uint64_t distinct = 1 + next_random(&random) % (round % 2 == 0 ? 5 : 100000);
        for (size_t i = 0; i < n; i++) {
            const double value = (double)(next_random(&random) % distinct);
            scores[i] = round % 3 == 0 ? value - 0.5 * (double)distinct : ldexp(value, -60);
        }
        check_against_sort(scores, n, NULL, n_levels);
    }
}

static void extreme_scores_are_ordered(void **state)
{
    (void)state;
    const double scores[] = {-INFINITY, 5e-324, -5e-324, 1.0, INFINITY, -1e308, 1e308, 0.0};
    check_against_sort(scores, sizeof scores / sizeof scores[0], NULL, 8);
}

static void percentages_cut_where_they_say(void **state)
{
    (void)state;
    const double percentages[4] = {10.0, 20.0, 30.0, 40.0};
    const double uneven[3] = {0.1, 99.8, 0.1};
    double scores[1000];
    uint64_t random = 2;

    for (size_t i = 0; i < 1000; i++) {
        scores[i] = (double)(next_random(&random) % 300);
    }
    for (size_t n = 0; n <= 1000; n += 37) {
        check_against_sort(scores, n, percentages, 4);
        check_against_sort(scores, n, uneven, 3);
    }
}

static void fewer_scores_than_levels(void **state)
{
    (void)state;
    const double scores[2] = {2.0, 1.0};
    check_against_sort(scores, 0, NULL, 5);
    check_against_sort(scores, 1, NULL, 5);
    check_against_sort(scores, 2, NULL, 126);
}

static void the_best_of_few_is_on_level_1(void **state)
{
    (void)state;
    const struct mr_precedence_options by_logarithm = {.struct_size = sizeof by_logarithm,
                                                       .logarithmic = true};
    const double scores[2] = {1.0, 2.0}, zeros[2] = {0.0, -0.0}, below[2] = {-2.0, -1.0};
    const double percentages[2] = {1.0, 99.0};
    struct mr_precedence_options options = {.struct_size = sizeof options};
    uint8_t levels[2];
    uint64_t counts[5];

    for (unsigned n_levels = 1; n_levels <= MR_PRECEDENCE_MAX_LEVELS; n_levels++) {
        options.n_levels = n_levels;
        for (size_t n = 1; n <= 2; n++) {
            assert_int_equal(
                MR_OK, mr_precedence_levels(&context, scores, n, &options, levels, NULL, NULL));
            assert_int_equal(levels[n - 1], 1);
        }
    }
    options.n_levels = 5;
    assert_int_equal(MR_OK,
                     mr_precedence_levels(&context, scores, 2, &options, levels, counts, NULL));
    assert_true(levels[0] == 4 && counts[0] == 1 && counts[3] == 1);
    options.n_levels = 2;
    options.percentages = percentages;
    assert_int_equal(MR_OK,
                     mr_precedence_levels(&context, scores, 2, &options, levels, NULL, NULL));
    assert_true(levels[0] == 2 && levels[1] == 1);
    assert_int_equal(MR_OK,
                     mr_precedence_levels(&context, zeros, 2, &by_logarithm, levels, NULL, NULL));
    assert_true(levels[0] == 1 && levels[1] == 1);
    assert_int_equal(MR_OK,
                     mr_precedence_levels(&context, below, 2, &by_logarithm, levels, NULL, NULL));
    assert_true(levels[0] == 5 && levels[1] == 1);
}

/* ---- Refusals ---- */

static void nan_is_refused(void **state)
{
    (void)state;
    const double scores[3] = {1.0, NAN, 2.0};
    const struct mr_precedence_options options = {.struct_size = sizeof options};
    uint8_t levels[3];
    struct mr_error err = {0};

    assert_int_equal(MR_ERROR_INPUT,
                     mr_precedence_levels(&context, scores, 3, &options, levels, NULL, &err));
    assert_string_equal("score 2 is not a number", err.message);
}

static void levels_by_logarithm_refuse_infinity(void **state)
{
    (void)state;
    const struct mr_precedence_options by_logarithm = {
        .struct_size = sizeof by_logarithm, .n_levels = 2, .logarithmic = true};
    const double scores[3] = {1.0, 2.0, INFINITY}, low[3] = {1.0, 2.0, -INFINITY};
    uint8_t levels[3];
    struct mr_error err = {0};

    assert_int_equal(MR_ERROR_INPUT,
                     mr_precedence_levels(&context, scores, 3, &by_logarithm, levels, NULL, &err));
    assert_string_equal("score 3 is infinite, and so levels by logarithm have no width",
                        err.message);
    assert_int_equal(MR_OK, mr_precedence_levels(&context, scores, 3, NULL, levels, NULL, NULL));
    assert_int_equal(1, levels[2]);
    assert_int_equal(MR_OK,
                     mr_precedence_levels(&context, low, 3, &by_logarithm, levels, NULL, NULL));
    assert_true(levels[0] == 2 && levels[1] == 1 && levels[2] == 2);
}

static void options_without_sense_are_refused(void **state)
{
    (void)state;
    const double scores[1] = {1.0};
    const double short_of_100[2] = {50.0, 49.0};
    const double not_positive[2] = {100.0, 0.0};
    struct mr_precedence_options options = {.struct_size = sizeof options, .n_levels = 127};
    uint8_t levels[1];
    struct mr_error err = {0};

    assert_int_equal(MR_ERROR_USAGE,
                     mr_precedence_levels(&context, scores, 1, &options, levels, NULL, &err));
    assert_string_equal("127 levels; there can be 1 to 126", err.message);

    options.n_levels = 2;
    options.percentages = short_of_100;
    mr_error_clear(&err);
    assert_int_equal(MR_ERROR_USAGE,
                     mr_precedence_levels(&context, scores, 1, &options, levels, NULL, &err));
    assert_string_equal("percentages add up to 99; make it 100", err.message);

    options.percentages = not_positive;
    mr_error_clear(&err);
    assert_int_equal(MR_ERROR_USAGE,
                     mr_precedence_levels(&context, scores, 1, &options, levels, NULL, &err));
    assert_string_equal("the percentage of level 2 is not above 0", err.message);

    options.logarithmic = true;
    mr_error_clear(&err);
    assert_int_equal(MR_ERROR_USAGE,
                     mr_precedence_levels(&context, scores, 1, &options, levels, NULL, &err));
    assert_string_equal("percentages of levels by logarithm; say one or the other", err.message);
}

static void cancelling_stops_it(void **state)
{
    (void)state;
    const double scores[3] = {1.0, 2.0, 3.0};
    const struct mr_precedence_options options = {.struct_size = sizeof options};
    uint8_t levels[3];

    cancel = 1;
    assert_int_equal(MR_INTERRUPTED,
                     mr_precedence_levels(&context, scores, 3, &options, levels, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quintiles_of_ten),
        cmocka_unit_test(equal_scores_go_by_position),
        cmocka_unit_test(zero_equals_minus_zero),
        cmocka_unit_test(random_scores_agree_with_a_sort),
        cmocka_unit_test(extreme_scores_are_ordered),
        cmocka_unit_test(percentages_cut_where_they_say),
        cmocka_unit_test(fewer_scores_than_levels),
        cmocka_unit_test(the_best_of_few_is_on_level_1),
        cmocka_unit_test(nan_is_refused),
        cmocka_unit_test(levels_by_logarithm_refuse_infinity),
        cmocka_unit_test(options_without_sense_are_refused),
        cmocka_unit_test(cancelling_stops_it),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
