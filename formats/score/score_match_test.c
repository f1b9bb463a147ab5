/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of two score files, by name and by number, against lists written by hand. */
#include "formats/score/score_match.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/test_streams.h"

/* Returns "1/2 3/- -/4 (1)": the pairs, and how many were matched side by side; or the error. */
static const char *match(struct test_context *test, const char *a, const char *b)
{
    static char text[512];
    char path_a[PATH_MAX];
    struct mr_score_match result;
    size_t used = 0;

    (void)snprintf(path_a, sizeof path_a, "%s", test_context_text(test, "a.tsv", a));
    const char *path_b = test_context_text(test, "b.tsv", b);
    const enum mr_status status = mr_score_match_read(&test->context, path_a, NULL, path_b, NULL,
                                                      NULL, NULL, &result, &test->err);
    if (status != MR_OK) {
        assert_null(result.pairs);
        return test_context_error(test);
    }
    for (uint64_t i = 0; i < result.n_pairs; i++) {
        const double scores[2] = {result.pairs[i].a, result.pairs[i].b};
        for (int side = 0; side < 2; side++) {
            used += isnan(scores[side])
                        ? (size_t)snprintf(text + used, sizeof text - used, "-")
                        : (size_t)snprintf(text + used, sizeof text - used, "%g", scores[side]);
            used += (size_t)snprintf(text + used, sizeof text - used, side == 0 ? "/" : " ");
        }
    }
    (void)snprintf(text + used, sizeof text - used, "(%u)", (unsigned)result.n_side_by_side);
    mr_score_match_free(&result);
    return text;
}

static void by_name_in_any_order(void **state)
{
    assert_string_equal(match(*state, "x\t1\ny\t2\n", "x\t3\ny\t4\n"), "1/3 2/4 (2)");
    assert_string_equal(match(*state, "x\t1\ny\t2\nz\t3\n", "x\t4\nz\t5\ny\t6\n"),
                        "1/4 2/6 3/5 (1)");
    assert_string_equal(match(*state, "name\tscore\nx\t1\n", "x\t2\n"), "1/2 (1)");
}

static void pages_that_one_file_lacks(void **state)
{
    assert_string_equal(match(*state, "x\t1\ny\t2\n", "y\t3\nz\t4\n"), "1/- 2/3 -/4 (0)");
    assert_string_equal(match(*state, "x\t1\n", "x\t2\ny\t3\n"), "1/2 -/3 (1)");
}

static void files_without_a_common_page(void **state)
{
    const char *text = match(*state, "x\t1\ny\t2\n", "z\t3\n");
    assert_true(strncmp(text, "a.tsv: names no page that /", 27) == 0);
    assert_non_null(strstr(text,
                           "/b.tsv names: the first ones are \"x\" and \"z\"; give scores of the "
                           "same pages, called by the same names"));
    assert_string_equal(match(*state, "", "y\t3\n"),
                        "a.tsv: has no scores; there is nothing to compare");
    assert_string_equal(match(*state, "y\t3\n", "name\tscore\n"),
                        "b.tsv: has no scores; there is nothing to compare");
    assert_string_equal(match(*state, "", ""), "a.tsv: has no scores; there is nothing to compare");
}

static void levels_and_what_other_crawlers_read(void **state)
{
    assert_string_equal(match(*state, "http://a/ 1\nhttp://b/ 5\n",
                              "http://b/\tscore=2.5\tlevel=1\n"
                              "http://a/\tscore=1\tlevel=2\n"),
                        "1/1 5/2.5 (0)");
    assert_string_equal(match(*state, "u\tnutch.score=0.25\n",
                              "#pr_pos\t#pr_val\t#host_rev\n1\t0.5\tu\n2\t0.1\tv\n"),
                        "0.25/0.5 -/0.1 (1)");
}

static void a_name_given_twice(void **state)
{
    assert_string_equal(match(*state, "x\t1\nx\t2\n", "y\t3\n"),
                        "a.tsv:2: \"x\" has a score already; a file may name a page once, a list "
                        "of links is no file of scores");
    assert_string_equal(match(*state, "x\t1\n", "y\t3\nz\t1\nz\t2\n"),
                        "b.tsv:3: \"z\" has a score already; a file may name a page once, a list "
                        "of links is no file of scores");
}

static void lines_that_are_no_scores(void **state)
{
    assert_string_equal(match(*state, "x\t1\n", "x\tnan\n"),
                        "b.tsv:1: \"x\\x09nan\": the score is no number; lines are NAME<TAB>SCORE, "
                        "the score a finite number");
}

/* The files are long enough to grow the table a few times. Each page must find its partner. */
static void many_pages_in_opposite_order(void **state)
{
    enum { N = 200000 };
    struct test_context *test = *state;
    char path_a[PATH_MAX];
    char *a = malloc(N * 20), *b = malloc(N * 20);
    struct mr_score_match result;
    size_t at = 0, bt = 0;

    for (int i = 0; i < N; i++) {
        at += (size_t)sprintf(a + at, "p%d\t%d\n", i, 2 * i);
        bt += (size_t)sprintf(b + bt, "p%d\t%d\n", N - i, 2 * (N - i));
    }
    (void)snprintf(path_a, sizeof path_a, "%s", test_context_file(test, "a.tsv", a, at));
    const char *path_b = test_context_file(test, "b.tsv", b, bt);
    assert_int_equal(
        mr_score_match_read(&test->context, path_a, NULL, path_b, NULL, NULL, NULL, &result, NULL),
        MR_OK);
    assert_int_equal(result.n_pairs, N + 1);
    assert_true(result.pairs[0].a == 0 && isnan(result.pairs[0].b));
    for (int i = 1; i < N; i++) {
        assert_true(result.pairs[i].a == 2 * i && result.pairs[i].b == 2 * i);
    }
    assert_true(isnan(result.pairs[N].a) && result.pairs[N].b == 2 * N);
    mr_score_match_free(&result);
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(by_name_in_any_order, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(pages_that_one_file_lacks, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(files_without_a_common_page, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(levels_and_what_other_crawlers_read, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_name_given_twice, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(lines_that_are_no_scores, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(many_pages_in_opposite_order, test_context_set_up,
                                        test_context_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
