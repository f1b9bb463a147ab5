/* SPDX-License-Identifier: Apache-2.0 */
/* Tests distances between words, and which word is suggested. */

#include "cli/program/spelling.h"

#include "tests/support/test.h"

static void distances_are_those_of_the_definition(void **state)
{
    (void)state;
    assert_int_equal(0, mr_spelling_distance("damping", "damping"));
    assert_int_equal(0, mr_spelling_distance("", ""));
    assert_int_equal(3, mr_spelling_distance("", "abc"));
    assert_int_equal(3, mr_spelling_distance("abc", ""));
    assert_int_equal(1, mr_spelling_distance("dampin", "damping"));
    assert_int_equal(1, mr_spelling_distance("dampinge", "damping"));
    assert_int_equal(1, mr_spelling_distance("domping", "damping"));
    assert_int_equal(1, mr_spelling_distance("dmaping", "damping"));
    assert_int_equal(3, mr_spelling_distance("kitten", "sitting"));
    assert_int_equal(3,
                     /* 2 if swapped letters could be moved apart */
                     mr_spelling_distance("ca", "abc"));
}

static void long_words_are_far_from_everything(void **state)
{
    (void)state;
    char word[101];
    for (int i = 0; i < 100; i++) {
        word[i] = 'a';
    }
    word[100] = '\0';
    assert_int_equal(200, mr_spelling_distance(word, word));
}

static const char *nearest_of(const char *word)
{
    struct mr_spelling spelling = {.word = word};
    mr_spelling_consider(&spelling, "damping");
    mr_spelling_consider(&spelling, "tolerance");
    mr_spelling_consider(&spelling, "io");
    mr_spelling_consider(&spelling, "tmp");
    mr_spelling_consider(&spelling, "iterations");
    return mr_spelling_best(&spelling);
}

static void the_nearest_is_suggested(void **state)
{
    (void)state;
    assert_string_equal("damping", nearest_of("dampign"));
    assert_string_equal("tolerance", nearest_of("tollerance"));
    assert_string_equal("iterations", nearest_of("iteration"));
    assert_string_equal("io", nearest_of("oi"));
}

static void an_abbreviation_is_near(void **state)
{
    (void)state;
    assert_string_equal("tolerance", nearest_of("tol"));
    assert_string_equal("damping", nearest_of("da"));
}

static void nothing_is_suggested_for_something_else(void **state)
{
    (void)state;
    assert_null(nearest_of("frobnicate"));
    assert_null(nearest_of("x"));
    assert_null(nearest_of("top"));
    assert_null(nearest_of(""));
    const struct mr_spelling nothing_known = {.word = "damping"};
    assert_null(mr_spelling_best(&nothing_known));
}

TEST_MAIN(cmocka_unit_test(distances_are_those_of_the_definition),
          cmocka_unit_test(long_words_are_far_from_everything),
          cmocka_unit_test(the_nearest_is_suggested), cmocka_unit_test(an_abbreviation_is_near),
          cmocka_unit_test(nothing_is_suggested_for_something_else))
