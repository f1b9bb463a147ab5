/* SPDX-License-Identifier: Apache-2.0 */
/* Tests sizes, counts, numbers and choices as users type them. */
#include <math.h>
#include <string.h>

#include "cli/program/values.h"
#include "millrace/weights.h"
#include "tests/support/test.h"

/* ---- Sizes ---- */

static uint64_t size_of(const char *text)
{
    struct mr_size size;
    assert_int_equal(MR_OK, mr_value_size(text, &size, NULL));
    assert_true(size.percent == 0.0);
    return size.bytes;
}

static void sizes_have_decimal_and_binary_units(void **state)
{
    (void)state;
    assert_int_equal(0, size_of("0"));
    assert_int_equal(67108864, size_of("67108864"));
    assert_int_equal(17, size_of("17B"));
    assert_int_equal(64000, size_of("64k"));
    assert_int_equal(64000, size_of("64K"));
    assert_int_equal(64000000, size_of("64M"));
    assert_int_equal(64000000, size_of("64MB"));
    assert_int_equal(4000000000, size_of("4g"));
    assert_int_equal(2000000000000, size_of("2T"));
    assert_int_equal(65536, size_of("64Ki"));
    assert_int_equal(67108864, size_of("64Mi"));
    assert_int_equal(67108864, size_of("64MiB"));
    assert_int_equal(1610612736, size_of("1.5Gi"));
    assert_int_equal(1500000000, size_of("1.5G"));
    assert_int_equal(2199023255552, size_of("2Ti"));
    assert_int_equal(500, size_of("0.5k"));
}

static void whole_sizes_are_exact(void **state)
{
    (void)state;
    assert_int_equal(UINT64_MAX, size_of("18446744073709551615"));
    assert_int_equal(9007199254740993, size_of("9007199254740993"));
}

static void percentages_are_of_what_there_is(void **state)
{
    (void)state;
    struct mr_size size;
    assert_int_equal(MR_OK, mr_value_size("75%", &size, NULL));
    assert_int_equal(0, size.bytes);
    assert_int_equal(750, mr_size_resolve(size, 1000));
    assert_int_equal(MR_OK, mr_value_size("12.5%", &size, NULL));
    assert_int_equal(125, mr_size_resolve(size, 1000));
    assert_int_equal(MR_OK, mr_value_size("64k", &size, NULL));
    assert_int_equal(64000, mr_size_resolve(size, 1000));
}

static void check_size_error(const char *text, const char *message)
{
    struct mr_size size;
    struct mr_error err = {0};
    assert_int_equal(MR_ERROR_USAGE, mr_value_size(text, &size, &err));
    assert_string_equal(message, err.message);
}

static void other_sizes_are_refused(void **state)
{
    (void)state;
    static const char *const not_sizes[] = {"",    "k",    "64Q",   "64 M", "-1",  "+1",
                                            "1e9", "0x10", "64Mb4", "4i",   "4Bi", ".5G",
                                            "nan", "5%%",  "%",     "1,5G"};
    for (size_t i = 0; i < sizeof not_sizes / sizeof not_sizes[0]; i++) {
        check_size_error(not_sizes[i], "not a size; write bytes, or a number with k, M, G, T, Ki, "
                                       "Mi, Gi, Ti or %, such as 4G");
    }
    check_size_error("0%", "must be above 0% and at most 100%");
    check_size_error("100.1%", "must be above 0% and at most 100%");
    check_size_error("18446744073709551616", "is more than 64 bits can hold");
    check_size_error("18446745T", "is more than 64 bits can hold");
    check_size_error("18446745.5T", "is more than 64 bits can hold");
}

/* ---- Numbers ---- */

static void counts_are_whole_and_in_range(void **state)
{
    (void)state;
    uint64_t count = 0;
    struct mr_error err = {0};

    assert_int_equal(MR_OK, mr_value_count("126", 1, 126, &count, NULL));
    assert_int_equal(126, count);
    assert_int_equal(MR_OK, mr_value_count("18446744073709551615", 0, UINT64_MAX, &count, NULL));
    assert_int_equal(UINT64_MAX, count);
    assert_int_equal(MR_ERROR_USAGE, mr_value_count("127", 1, 126, &count, &err));
    assert_string_equal("must be from 1 to 126", err.message);
    mr_error_clear(&err);
    assert_int_equal(MR_ERROR_USAGE, mr_value_count("0", 1, UINT64_MAX, &count, &err));
    assert_string_equal("must be at least 1", err.message);
    static const char *const not_counts[] = {"", "-1", "+1", "1.0", "1e3", " 1", "1k", "0x1"};
    for (size_t i = 0; i < sizeof not_counts / sizeof not_counts[0]; i++) {
        mr_error_clear(&err);
        assert_int_equal(MR_ERROR_USAGE, mr_value_count(not_counts[i], 0, 9, &count, &err));
        assert_string_equal("not a whole number; write its digits, such as 1000", err.message);
    }
    mr_error_clear(&err);
    assert_int_equal(MR_ERROR_USAGE,
                     mr_value_count("18446744073709551616", 0, UINT64_MAX, &count, &err));
    assert_string_equal("must be from 0 to 18446744073709551615", err.message);
    assert_int_equal(UINT64_MAX, count);
}

static void reals_are_in_range(void **state)
{
    (void)state;
    const struct mr_range damping = {.least = 0.0, .most = 1.0, .below_most = true};
    const struct mr_range tolerance = {.least = 0.0, .most = INFINITY, .above_least = true};
    double real = 0.0;
    struct mr_error err = {0};

    assert_int_equal(MR_OK, mr_value_real("0.85", &damping, &real, NULL));
    assert_true(real == 0.85);
    assert_int_equal(MR_OK, mr_value_real("0", &damping, &real, NULL));
    assert_int_equal(MR_OK, mr_value_real("1e-9", &tolerance, &real, NULL));
    assert_true(real == 1e-9);
    assert_int_equal(MR_ERROR_USAGE, mr_value_real("1", &damping, &real, &err));
    assert_string_equal("must be at least 0 and below 1", err.message);
    mr_error_clear(&err);
    assert_int_equal(MR_ERROR_USAGE, mr_value_real("0", &tolerance, &real, &err));
    assert_string_equal("must be above 0", err.message);
    mr_error_clear(&err);
    assert_int_equal(MR_ERROR_USAGE, mr_value_real("1e999", &tolerance, &real, &err));
    assert_string_equal("must be above 0", err.message);
    static const char *const not_reals[] = {"",      "nan",  "inf",  "0x1p-1",
                                            "0.5.5", "half", " 0.5", "e"};
    for (size_t i = 0; i < sizeof not_reals / sizeof not_reals[0]; i++) {
        mr_error_clear(&err);
        assert_int_equal(MR_ERROR_USAGE, mr_value_real(not_reals[i], &damping, &real, &err));
        assert_string_equal("not a number; must be at least 0 and below 1", err.message);
    }
}

static void choices_are_words(void **state)
{
    (void)state;
    int choice = -1;
    struct mr_error err = {0};

    assert_int_equal(MR_OK, mr_value_choice("auto", "auto|uring|pread", &choice, NULL));
    assert_int_equal(0, choice);
    assert_int_equal(MR_OK, mr_value_choice("pread", "auto|uring|pread", &choice, NULL));
    assert_int_equal(2, choice);
    assert_int_equal(MR_ERROR_USAGE, mr_value_choice("ring", "auto|uring|pread", &choice, &err));
    assert_string_equal("must be auto, uring or pread; did you mean uring?", err.message);
    mr_error_clear(&err);
    assert_int_equal(MR_ERROR_USAGE, mr_value_choice("mmap", "auto|uring|pread", &choice, &err));
    assert_string_equal("must be auto, uring or pread", err.message);
    mr_error_clear(&err);
    assert_int_equal(MR_ERROR_USAGE, mr_value_choice("auto|uring", "auto|uring", &choice, &err));
    mr_error_clear(&err);
    assert_int_equal(MR_ERROR_USAGE, mr_value_choice("u64", "u32", &choice, &err));
    assert_string_equal("must be u32", err.message);
}

/* ---- Sizes and counts as text ---- */

static void sizes_and_counts_are_readable(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal("0 bytes", mr_size_text(0, text));
    assert_string_equal("999 bytes", mr_size_text(999, text));
    assert_string_equal("1.0 kB", mr_size_text(1000, text));
    assert_string_equal("1.0 MB", mr_size_text(999999, text));
    assert_string_equal("64.0 MB", mr_size_text(64000000, text));
    assert_string_equal("18.4 EB", mr_size_text(UINT64_MAX, text));
    assert_string_equal("1.0 MB", mr_size_text_of(999999, 64000000, text));
    assert_string_equal("1.0 MiB", mr_size_text_of(1 << 20, 64 << 20, text));
    assert_string_equal("0", mr_count_text(0, text));
    assert_string_equal("999", mr_count_text(999, text));
    assert_string_equal("1,000", mr_count_text(1000, text));
    assert_string_equal("18,446,744,073,709,551,615", mr_count_text(UINT64_MAX, text));
}

/* Each answer is in the units of what was typed, and as an option it is enough, and no more than a
 * unit too much. */
static void sizes_are_answered_in_the_units_that_were_typed(void **state)
{
    static const struct {
        const char *typed, *unit;
    } rows[] = {{"33M", "M"},    {"33000k", "M"}, {"33100k", "M"},   {"64000000", "M"},
                {"1.5G", "M"},   {"2T", "M"},     {"32Mi", "Mi"},    {"33000Ki", "Mi"},
                {"1.5Gi", "Mi"}, {"2Ti", "Mi"},   {"34567891", "Mi"}};
    static const uint64_t sizes[] = {1, 999999, 1000000, 1 << 20, 33000001, UINT64_C(1) << 40};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
            struct mr_size asked, answer;
            char text[32];
            assert_int_equal(MR_OK, mr_value_size(rows[i].typed, &asked, NULL));
            mr_size_option(sizes[j], asked.bytes, text);
            assert_string_equal(text + strspn(text, "0123456789"), rows[i].unit);
            assert_int_equal(MR_OK, mr_value_size(text, &answer, NULL));
            assert_true(answer.bytes >= sizes[j] && answer.bytes - sizes[j] < 1 << 20);
        }
    }
}

static void unknown_names_are_a_number_or_a_share(void **state)
{
    uint64_t value = 0;
    struct mr_error err = {0};

    (void)state;
    assert_int_equal(MR_OK, mr_value_unknown("17", &value, NULL));
    assert_int_equal(17, value);
    assert_int_equal(MR_OK, mr_value_unknown("12.5%", &value, NULL));
    assert_true(value == MR_UNKNOWN_PERCENT(12.5));
    assert_int_equal(MR_OK, mr_value_unknown("0%", &value, NULL));
    assert_true(value == MR_UNKNOWN_PERCENT(0));
    static const char *const refused[] = {
        "", "%", "101%", "-1", "x%", "1e9%", "9223372036854775808"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        err = (struct mr_error){0};
        assert_int_equal(MR_ERROR_USAGE, mr_value_unknown(refused[i], &value, &err));
        assert_string_equal("must be a whole number, or a share such as 20%", err.message);
    }
}

static void words_are_quoted_as_a_shell_takes_them(void **state)
{
    static const struct {
        const char *word, *quoted;
    } cases[] = {{"a/b-1.mill", "a/b-1.mill"}, {"a b", "'a b'"},
                 {"it's", "'it'\\''s'"},       {"", "''"},
                 {"$HOME", "'$HOME'"},         {"*.txt", "'*.txt'"}};
    char text[32];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(strlen(cases[i].quoted), mr_value_quote(cases[i].word, text, sizeof text));
        assert_string_equal(cases[i].quoted, text);
    }
    assert_int_equal(10, mr_value_quote("12345 78", text, 5));
    assert_string_equal("'123", text);
}

TEST_MAIN(cmocka_unit_test(sizes_have_decimal_and_binary_units),
          cmocka_unit_test(whole_sizes_are_exact),
          cmocka_unit_test(percentages_are_of_what_there_is),
          cmocka_unit_test(other_sizes_are_refused),
          cmocka_unit_test(counts_are_whole_and_in_range), cmocka_unit_test(reals_are_in_range),
          cmocka_unit_test(choices_are_words),
          cmocka_unit_test(unknown_names_are_a_number_or_a_share),
          cmocka_unit_test(sizes_and_counts_are_readable),
          cmocka_unit_test(words_are_quoted_as_a_shell_takes_them),
          cmocka_unit_test(sizes_are_answered_in_the_units_that_were_typed))
