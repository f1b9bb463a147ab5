/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that a printed bound is never below the bound. */
#include <math.h>
#include <stdlib.h>

#include "engine/base/count_text.h"

#include "tests/support/test.h"

static void bounds_have_two_digits(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal("8.7e-11", mr_bound_text(8.7e-11, text));
    assert_string_equal("1.0e-09", mr_bound_text(1e-9, text));
    assert_string_equal("2.0e+00", mr_bound_text(2.0, text));
    assert_string_equal("0", mr_bound_text(0.0, text));
    assert_string_equal("infinite", mr_bound_text(INFINITY, text));
    assert_string_equal("infinite", mr_bound_text(NAN, text));
}

static void bounds_are_rounded_up(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal("8.8e-11", mr_bound_text(8.7000001e-11, text));
    assert_string_equal("8.8e-11", mr_bound_text(8.74e-11, text));
    assert_string_equal("1.0e-10", mr_bound_text(9.91e-11, text));
    uint64_t random = 1;
    for (int i = 0; i < 100000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const double bound = ldexp(1.0 + (double)(random >> 12) * 0x1p-52, -(int)(random % 1074));
        const double shown = strtod(mr_bound_text(bound, text), NULL);
        assert_true(shown >= bound);
        assert_true(shown <= bound * 1.11 || bound < 1e-300);
    }
}

TEST_MAIN(cmocka_unit_test(bounds_have_two_digits), cmocka_unit_test(bounds_are_rounded_up))
