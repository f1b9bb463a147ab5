/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of Java's text of numbers: values that the documentation of Java and published files of
 * Common Crawl have, and for many random numbers that the text reads back and that no shorter one
 * does. */
#include "formats/release/java_number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/random.h"

static void expect_double(double value, const char *expected)
{
    char text[MR_JAVA_NUMBER_BYTES];
    assert_int_equal(mr_java_double(value, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void expect_float(float value, const char *expected)
{
    char text[MR_JAVA_NUMBER_BYTES];
    assert_int_equal(mr_java_float(value, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void numbers_look_like_java(void **state)
{
    (void)state;
    expect_double(0, "0.0");
    expect_double(1, "1.0");
    expect_double(-1.5, "-1.5");
    expect_double(100, "100.0");
    expect_double(0.1, "0.1");
    expect_double(0.001, "0.001");
    expect_double(0.00099, "9.9E-4");
    expect_double(9999999, "9999999.0");
    expect_double(1e7, "1.0E7");
    expect_double(12345678, "1.2345678E7");
    expect_double(2e23, "2.0E23");
    expect_double(2.2250738585072014e-308, "2.2250738585072014E-308");
    expect_double(5e-324, "4.9E-324");
    expect_double(1.7976931348623157e308, "1.7976931348623157E308");
    expect_float(1.0e10F, "1.0E10");
    expect_float(3.4028235e38F, "3.4028235E38");
    expect_float(1.4e-45F, "1.4E-45");
    expect_float(33554432.0F, "3.3554432E7");
    expect_float(0.3F, "0.3");
    expect_float(16777216.0F, "1.6777216E7");
}

/* Lines of cc-main-2024-25-dec-jan-feb-host-ranks.txt.gz and of the domain ranks of 2018. */
static void numbers_look_like_common_crawl(void **state)
{
    static const char *const harmonic[] = {"3.4626736E7", "3.42356E7", "3.007577E7", "2.3747762E7"};
    static const char *const pagerank[] = {"0.005384977821460953", "0.0032959808223701",
                                           "4.481314067744052E-9", "0.012750407517909759"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        expect_float(strtof(harmonic[i], NULL), harmonic[i]);
        expect_double(strtod(pagerank[i], NULL), pagerank[i]);
    }
}

/* The number of digits of the first decimal of %e that reads back, counted from 1 on. */
static int least_digits(double value, char text[40])
{
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(text, 40, "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value) {
            return digits;
        }
    }
    return 18;
}

static void random_numbers_are_shortest(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        const uint64_t random = mr_random_at(1, 1, i);
        char text[MR_JAVA_NUMBER_BYTES], plain[40];
        double value;
        memcpy(&value, &random, sizeof value);
        if (i % 2 == 0) { /* half of them near the values of ranks */
            value = ldexp((double)(random >> 11), -60 - (int)(random & 15));
        }
        value = i % 64 == 0 ? ldexp(1, (int)(random % 2000) - 1000) : value;
        if (!isfinite(value) || value == 0) {
            continue;
        }
        (void)mr_java_double(value, text);
        assert_true(strtod(text, NULL) == value);
        int digits = 0, zeros = 0;
        for (const char *at = text; *at != '\0' && *at != 'E'; at++) {
            if (*at >= '0' && *at <= '9' && (digits > 0 || *at != '0')) {
                digits++;
                zeros = *at == '0' ? zeros + 1 : 0;
            }
        }
        const int least = least_digits(value, plain);
        assert_true(digits - zeros <= (least < 2 ? 2 : least));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_look_like_java),
        cmocka_unit_test(numbers_look_like_common_crawl),
        cmocka_unit_test(random_numbers_are_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
