/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/decimal.h"

#include <inttypes.h>
#include <stdio.h>

#include "tests/support/test.h"
#include "tests/support/test_dir.h"

static void quick_and_careful_agree_with_printf(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        char text[64];
        uint64_t value = test_random(&seed) >> test_random(&seed) % 64, got = 1;
        int zeros = (int)(test_random(&seed) % 4);
        int n = snprintf(text, 32, "%.*s%llu", zeros, "0000", (unsigned long long)value);
        /* Any byte may follow, also the neighbours '/' and ':' of the digits. */
        char next = (char)test_random(&seed);
        next = next >= '0' && next <= '9' ? ':' : next;
        memset(text + n, next, 24);
        const char *at = text;
        assert_int_equal(mr_decimal_parse(&at, text + n, &got), MR_DECIMAL_OK);
        assert_int_equal(got, value);
        assert_ptr_equal(at, text + n);
        const char *end = mr_decimal_quick(text, &got);
        if (n <= 16) {
            assert_ptr_equal(end, text + n);
            assert_int_equal(got, value);
        } else {
            assert_null(end);
        }
    }
}

static void what_is_no_number_is_told(void **state)
{
    uint64_t value;
    const char *at = "x";
    (void)state;
    assert_int_equal(mr_decimal_parse(&at, at + 1, &value), MR_DECIMAL_NONE);
    assert_int_equal(mr_decimal_parse(&at, at, &value), MR_DECIMAL_NONE);
    at = "18446744073709551615";
    assert_int_equal(mr_decimal_parse(&at, at + 20, &value), MR_DECIMAL_OK);
    at = "18446744073709551616";
    assert_int_equal(mr_decimal_parse(&at, at + 20, &value), MR_DECIMAL_TOO_LARGE);
    at = "99999999999999999999999999999999";
    const char *end = at + 32;
    assert_int_equal(mr_decimal_parse(&at, end, &value), MR_DECIMAL_TOO_LARGE);
    assert_ptr_equal(at, end);
    at = "120x";
    assert_true(mr_decimal_whole(at, at + 3, &value) && value == 120);
    assert_false(mr_decimal_whole(at, at + 4, &value));
    assert_false(mr_decimal_whole(at, at, &value));
    assert_false(mr_decimal_whole(end - 32, end, &value));
    for (int c = 0; c < 256; c++) {
        char text[20];
        memset(text, c, sizeof text);
        assert_true(mr_decimal_quick(text, &value) == NULL);
    }
}

static void written_numbers_are_those_of_printf(void **state)
{
    char text[24], wanted[24];
    (void)state;

    for (uint64_t power = 1;; power *= 10) {
        for (uint64_t number = power - 2; number != power + 3; number++) {
            const int bytes = sprintf(wanted, "%" PRIu64, number);
            assert_int_equal(mr_decimal_put(text, number) - text, bytes);
            assert_memory_equal(text, wanted, (size_t)bytes);
        }
        if (power > UINT64_MAX / 10) {
            break;
        }
    }
    for (uint32_t number = 0; number < 100000000; number += 1009) {
        const int bytes = sprintf(wanted, "%" PRIu32, number);
        assert_int_equal(mr_decimal_put(text, number) - text, bytes);
        assert_memory_equal(text, wanted, (size_t)bytes);
    }
}

TEST_MAIN(cmocka_unit_test(quick_and_careful_agree_with_printf),
          cmocka_unit_test(what_is_no_number_is_told),
          cmocka_unit_test(written_numbers_are_those_of_printf))
