/* SPDX-License-Identifier: Apache-2.0 */
/* The counter of different values is within 6% of the truth, for few values and for many, and does
 * not count a value twice. */

#include "engine/base/distinct.h"
#include "engine/base/random.h"
#include "tests/support/test.h"

static void test_counts(void **state)
{
    static const uint64_t numbers[] = {0, 1, 100, 5000, 20000, 1000000};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct mr_distinct distinct = {{0}};
        for (uint64_t k = 0; k < 2 * numbers[i]; k++) {
            mr_distinct_add(&distinct, (uint32_t)(mr_random_mix(k / 2) >> 32));
        }
        const double count = (double)mr_distinct_count(&distinct), wanted = (double)numbers[i];
        assert_true(count >= 0.94 * wanted && count <= 1.06 * wanted);
    }
}

TEST_MAIN(cmocka_unit_test(test_counts))
