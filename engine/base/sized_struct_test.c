/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that begin with their size, between programs and libraries of different versions. */
#include <string.h>

#include "engine/base/sized_struct.h"

#include "tests/support/test.h"

struct old {
    size_t struct_size;
    uint32_t a, b;
};
struct new
{
    size_t struct_size;
    uint32_t a, b;
    uint64_t c;
};

static void test_shorter_options_are_completed_with_defaults(void **unused)
{
    (void)unused;
    const struct old given = {sizeof given, 1, 2};
    struct new taken = {.c = 9};
    assert_int_equal(mr_sized_copy(&given, &taken, sizeof taken, NULL), MR_OK);
    assert_int_equal(taken.struct_size, sizeof taken);
    assert_int_equal(taken.a, 1);
    assert_int_equal(taken.b, 2);
    assert_int_equal(taken.c, 9);
    assert_int_equal(mr_sized_copy(NULL, &taken, sizeof taken, NULL), MR_OK);
    assert_int_equal(taken.a, 1);
}

static void test_longer_options_are_good_as_long_as_the_rest_is_zero(void **unused)
{
    (void)unused;
    struct new given = {sizeof given, 1, 2, 0};
    struct old taken;
    struct mr_error err = {0};
    assert_int_equal(mr_sized_copy(&given, &taken, sizeof taken, &err), MR_OK);
    assert_int_equal(taken.b, 2);
    given.c = 1;
    assert_int_equal(mr_sized_copy(&given, &taken, sizeof taken, &err), MR_ERROR_USAGE);
    assert_string_equal(err.message,
                        "the options have fields that this version of the library does "
                        "not know; use a newer one");
}

static void test_a_size_that_was_not_set_is_refused(void **unused)
{
    (void)unused;
    const struct old given = {0, 1, 2};
    struct old taken;
    struct mr_error err = {0};
    assert_int_equal(mr_sized_copy(&given, &taken, sizeof taken, &err), MR_ERROR_USAGE);
    assert_string_equal(err.message,
                        "the options have a struct_size of 0; set it to the size of the struct");
}

static void test_figures_fill_what_both_have(void **unused)
{
    (void)unused;
    const struct old short_figures = {0, 3, 4};
    const struct new long_figures = {0, 3, 4, 5};
    struct new to_long = {sizeof to_long, 7, 7, 7};
    struct {
        struct old figures;
        uint64_t behind;
    } to_short = {{sizeof to_short.figures, 7, 7}, 7};

    mr_sized_give(&short_figures, sizeof short_figures, &to_long);
    assert_int_equal(to_long.struct_size, sizeof to_long);
    assert_int_equal(to_long.a, 3);
    assert_int_equal(to_long.b, 4);
    assert_int_equal(to_long.c, 0);
    mr_sized_give(&long_figures, sizeof long_figures, &to_short.figures);
    assert_int_equal(to_short.figures.b, 4);
    assert_int_equal(to_short.behind, 7);
    mr_sized_give(&long_figures, sizeof long_figures, NULL);
}

TEST_MAIN(cmocka_unit_test(test_shorter_options_are_completed_with_defaults),
          cmocka_unit_test(test_longer_options_are_good_as_long_as_the_rest_is_zero),
          cmocka_unit_test(test_a_size_that_was_not_set_is_refused),
          cmocka_unit_test(test_figures_fill_what_both_have))
