/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of texts against an array indexed by text. */
#include "engine/base/hash_set.h"

#include <string.h>

#include "tests/support/test.h"
#include "tests/support/test_streams.h"

enum { TEXTS = 3000, CALLS = 20000 };

static XXH128_hash_t hash_of(uint32_t text)
{
    return XXH3_128bits(&text, sizeof text);
}

static void texts_are_numbered_as_they_come(void **state)
{
    struct test_context *test = *state;
    struct mr_hash_set set = {.memory = test->context.memory, .name = "texts"};
    uint32_t expected[TEXTS], number, n = 0;
    uint64_t seed = 1;

    assert_int_equal(mr_hash_set_find(&set, hash_of(0)), MR_HASH_SET_NONE);
    for (int round = 0; round < 2; round++) {
        memset(expected, 0xff, sizeof expected);
        for (unsigned i = 0; i < CALLS; i++) {
            const uint32_t text = (uint32_t)(test_random(&seed) % TEXTS);
            assert_int_equal(mr_hash_set_find(&set, hash_of(text)), expected[text]);
            assert_int_equal(mr_hash_set_add(&set, hash_of(text), &number, NULL), MR_OK);
            expected[text] = expected[text] == MR_HASH_SET_NONE ? n++ : expected[text];
            assert_int_equal(number, expected[text]);
            assert_int_equal(set.n, n);
        }
        mr_hash_set_free(&set);
        n = 0;
    }
}

static void numbers_can_be_skipped(void **state)
{
    struct test_context *test = *state;
    struct mr_hash_set set = {.memory = test->context.memory, .name = "texts"};
    uint32_t number;

    assert_int_equal(mr_hash_set_reserve(&set, 100, NULL), MR_OK);
    for (uint32_t i = 0; i < 100; i += 2) {
        assert_int_equal(mr_hash_set_add(&set, hash_of(i), &number, NULL), MR_OK);
        assert_int_equal(number, i);
        mr_hash_set_skip(&set);
    }
    assert_int_equal(mr_hash_set_add(&set, hash_of(1), &number, NULL), MR_OK); /* a larger table */
    assert_int_equal(number, 100);
    for (uint32_t i = 0; i < 100; i += 2) {
        assert_int_equal(mr_hash_set_find(&set, hash_of(i)), i);
    }
    mr_hash_set_free(&set);
}

#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, test_context_set_up, test_context_tear_down)

TEST_MAIN(TEST(texts_are_numbered_as_they_come), TEST(numbers_can_be_skipped))
