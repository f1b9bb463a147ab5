/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles as text are what printf makes of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

static void check(double value)
{
    char expected[64], text[MR_DOUBLE_TEXT_BYTES];
    const int bytes = snprintf(expected, sizeof expected, "%.17g", value);
    const size_t n = mr_double_text(value, text);
    if (n != (size_t)bytes || memcmp(text, expected, n) != 0) {
        fail_msg("%s became %.*s", expected, (int)n, text);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_any_bits),
        cmocka_unit_test(of_the_size_of_scores),
        cmocka_unit_test(of_few_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
