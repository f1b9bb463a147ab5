/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles as text are what printf makes of them, and text is the double that strtod makes of it. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/stream/double_text.h"

static uint64_t state = 88172645463325252;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* The digits of a number before its exponent, without zeros at both ends. */
static size_t digits_of(const char *text, size_t bytes, char *digits)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes && text[i] != 'e'; i++) {
        if (text[i] >= '0' && text[i] <= '9' && (n > 0 || text[i] != '0')) {
            digits[n++] = text[i];
        }
    }
    while (n > 0 && digits[n - 1] == '0') {
        n--;
    }
    return n;
}

/* printf's text of the fewest digits that strtod reads back, by trying. */
static void check_shortest(double value)
{
    char expected[64], text[MR_DOUBLE_TEXT_BYTES + 1], wanted[64], found[64];
    int digits = 1;
    do {
        (void)snprintf(expected, sizeof expected, "%.*e", digits - 1, value);
    } while (strtod(expected, NULL) != value && digits++ < 17);
    const size_t n = mr_double_shortest(value, text);
    text[n] = '\0';
    const size_t n_wanted = digits_of(expected, strlen(expected), wanted);
    if (strtod(text, NULL) != value || digits_of(text, n, found) != n_wanted ||
        memcmp(found, wanted, n_wanted) != 0) {
        fail_msg("%s became %s", expected, text);
    }
}

/* The bytes of printf with 15 digits, or as many more as strtod needs. From 1e15 on printf may take
 * an exponent before it is needed. */
static void check(double value)
{
    char expected[64], text[MR_DOUBLE_TEXT_BYTES];
    int digits = fabs(value) < DBL_MIN && value != 0 ? 1 : 15;
    if (isfinite(value)) {
        check_shortest(value);
    }
    do {
        (void)snprintf(expected, sizeof expected, "%.*g", digits, value);
    } while (strtod(expected, NULL) != value && digits++ < 17);
    const size_t n = mr_double_shortest(value, text);
    if (!(fabs(value) >= 1e15) && (n != strlen(expected) || memcmp(text, expected, n) != 0)) {
        fail_msg("%s became %.*s", expected, (int)n, text);
    }
}

static void floats_are_the_shortest(void **unused)
{
    char expected[64], text[MR_DOUBLE_TEXT_BYTES];
    (void)unused;
    for (int i = 0; i < 100000; i++) {
        const uint32_t bits = (uint32_t)random_bits();
        float value;
        memcpy(&value, &bits, sizeof value);
        int digits = 6;
        while (snprintf(expected, sizeof expected, "%.*g", digits, (double)value) > 0 &&
               strtof(expected, NULL) != value && digits < 9) {
            digits++;
        }
        const size_t n = mr_single_shortest(value, text);
        assert_int_equal(n, strlen(expected));
        assert_memory_equal(text, expected, n);
    }
}

static void of_any_bits(void **unused)
{
    (void)unused;
    for (int i = 0; i < 200000; i++) {
        const uint64_t bits = random_bits();
        double value;
        memcpy(&value, &bits, sizeof value);
        check(value);
    }
}

/* Exponents and mantissas of scores, and neighbours of round numbers. */
static void of_the_size_of_scores(void **unused)
{
    (void)unused;
    for (int i = 0; i < 400000; i++) {
        const double mantissa = 1 + (double)(random_bits() >> 12) * 0x1p-52;
        check(ldexp(mantissa, (int)(random_bits() % 140) - 80));
    }
    for (int power = -30; power <= 20; power++) {
        for (int k = 1; k < 20; k++) {
            double value = k * pow(10, power);
            check(value);
            check(nextafter(value, INFINITY));
            check(nextafter(value, 0));
            check(ldexp(k, power));
        }
    }
}

/* Whole numbers and fractions of powers of two have few digits, and ties to round. */
static void of_few_digits(void **unused)
{
    (void)unused;
    for (int i = 0; i < 100000; i++) {
        check((double)(random_bits() >> (random_bits() % 60)));
        check((double)(random_bits() % 1000000) / 1000000);
        check(ldexp((double)(random_bits() >> 11), -(int)(random_bits() % 60)));
        check((double)(float)((double)(random_bits() >> 11) * 0x1p-53));
    }
    const double special[] = {0,    -0.0, 1,        -1,   0.5,  1e-4, 9.9999999999999995e-5,
                              1e16, 1e17, INFINITY, -1.5, 1e-5, 1e-22};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        check(special[i]);
    }
    check(NAN);
}

/* ---- Reading ---- */

static void check_text(const char *text)
{
    char *stop;
    double value = -77;
    const double expected = strtod(text, &stop);
    const bool is_number = *text != '\0' && *stop == '\0' && isfinite(expected) &&
                           strspn(text, "+-.eE0123456789") == strlen(text);
    const bool is_read = mr_double_read(text, strlen(text), &value);
    const bool is_equal = value == expected && signbit(value) == signbit(expected);
    if (is_read != is_number || (is_number && !is_equal)) {
        fail_msg("%s became %.17g, is %.17g", text, value, expected);
    }
}

static void numbers_of_any_length_are_read(void **unused)
{
    char text[80];
    (void)unused;
    for (int i = 0; i < 400000; i++) {
        const double mantissa = 1 + (double)(random_bits() >> 12) * 0x1p-52;
        const double value = ldexp(mantissa, (int)(random_bits() % 160) - 120);
        (void)snprintf(text, sizeof text, "%.*g", 1 + (int)(random_bits() % 20), value);
        check_text(text);
        (void)snprintf(text, sizeof text, "%s%llu.%llue%d", i % 3 == 0 ? "-" : "",
                       (unsigned long long)(random_bits() >> (random_bits() % 64)),
                       (unsigned long long)(random_bits() % 1000), (int)(random_bits() % 80) - 50);
        check_text(text);
    }
}

/* The middle of two doubles, and its neighbours in the last digit. */
static void ties_are_read(void **unused)
{
    char text[80];
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        const uint64_t odd = (random_bits() >> 10 | (uint64_t)1 << 53) | 1; /* 54 bits */
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)odd);
        check_text(text);
        for (int shift = 1; shift < 3; shift++) {
            (void)snprintf(text, sizeof text, "%.*f", shift, ldexp((double)(odd >> 1), -shift));
            check_text(text);
        }
        (void)snprintf(text, sizeof text, "%llu5e-1", (unsigned long long)(odd >> 2));
        check_text(text);
    }
}

static void other_text_is_refused(void **unused)
{
    (void)unused;
    const char *const texts[] = {"",
                                 "-",
                                 ".",
                                 "e5",
                                 "1e",
                                 "1e+",
                                 "1,5",
                                 "0x10",
                                 "inf",
                                 "nan",
                                 "1 ",
                                 " 1",
                                 "1..2",
                                 "1.2.3",
                                 "--1",
                                 "1e400",
                                 "1e-5",
                                 "-0",
                                 "0.0e99",
                                 "+3.",
                                 ".5",
                                 "1e99999999999",
                                 "00000000000000000000000001.5",
                                 "1e-400",
                                 "9007199254740993",
                                 "123456789012345678901234567890",
                                 "0.00000000000000000000000000001",
                                 "1E+7",
                                 "5."};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check_text(texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_the_shortest),        cmocka_unit_test(of_any_bits),
        cmocka_unit_test(of_the_size_of_scores),          cmocka_unit_test(of_few_digits),
        cmocka_unit_test(numbers_of_any_length_are_read), cmocka_unit_test(ties_are_read),
        cmocka_unit_test(other_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
