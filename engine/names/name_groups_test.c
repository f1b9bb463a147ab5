/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that names are in one group if the group's names are equal, wherever they are in the order,
 * and that memory stays within the documented limit. */
#include "engine/names/name_groups.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/memory.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"

/* The text before the first slash; empty if there is none. */
static size_t before_slash(void *data, const char *name, size_t name_bytes, char *out)
{
    const char *slash = memchr(name, '/', name_bytes);
    const size_t bytes = slash == NULL ? 0 : (size_t)(slash - name);
    ++*(unsigned *)data;
    memcpy(out, name, bytes);
    return bytes;
}

static void names_of_a_group_are_equal_wherever_they_are(void **state)
{
    static const char *const names[] = {"a/1", "a/2", "lone", "lone", "b/1",
                                        "a/3", "",    "c/1",  "b/2"};
    static const unsigned same_as[] = {0, 0, 2, 3, 4, 0, 6, 7, 4};
    enum { N = sizeof names / sizeof names[0] };
    struct mr_context context;
    struct mr_name_groups *groups = NULL;
    unsigned n_calls = 0;
    (void)state;
    assert_true(test_context_open(&context, MR_MEMORY_FLOOR_BYTES, 1));
    assert_int_equal(
        mr_name_groups_create(&context, N, NULL, before_slash, &n_calls, &groups, NULL), MR_OK);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(mr_name_groups_add(groups, names[i], strlen(names[i]), NULL), MR_OK);
    }
    assert_int_equal(n_calls, N);
    assert_int_equal(mr_name_groups_finish(groups, NULL), MR_OK);
    const uint32_t *of = mr_name_groups_of(groups);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            assert_int_equal(of[i] == of[j], same_as[i] == same_as[j]);
        }
    }
    mr_name_groups_destroy(groups);
    test_context_close(&context);
}

/* 100,000 groups, each in two places. */
static void many_groups_take_the_memory_that_is_promised(void **state)
{
    enum { N = 200000 };
    struct mr_context context;
    struct mr_name_groups *groups = NULL;
    struct mr_error err = {0};
    unsigned n_calls = 0;
    char name[32];
    (void)state;
    assert_true(test_context_open(&context, MR_MEMORY_FLOOR_BYTES + (16 << 20), 1));
    assert_int_equal(
        mr_name_groups_create(&context, N, NULL, before_slash, &n_calls, &groups, NULL), MR_OK);
    for (unsigned i = 0; i < N; i++) {
        const int bytes = snprintf(name, sizeof name, "%u/%u", i % (N / 2), i);
        assert_int_equal(mr_name_groups_add(groups, name, (size_t)bytes, NULL), MR_OK);
    }
    assert_int_equal(mr_name_groups_finish(groups, NULL), MR_OK);
    const uint32_t *of = mr_name_groups_of(groups);
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(of[i], i % (N / 2));
    }
    mr_name_groups_destroy(groups);
    groups = NULL;

    /* With less memory there is an error. */
    const uint64_t taken = mr_memory_available(context.memory) - (1 << 20);
    assert_int_equal(mr_memory_charge(context.memory, "test", taken, NULL), MR_OK);
    enum mr_status status =
        mr_name_groups_create(&context, 1000, NULL, before_slash, &n_calls, &groups, &err);
    for (unsigned i = 0; i < 1000 && status == MR_OK; i++) {
        const int bytes = snprintf(name, sizeof name, "%u/", i);
        status = mr_name_groups_add(groups, name, (size_t)bytes, &err);
    }
    assert_int_equal(status, MR_OK);
    mr_name_groups_destroy(groups);
    assert_int_equal(
        mr_name_groups_create(&context, N * 4, NULL, before_slash, &n_calls, &groups, &err),
        MR_ERROR_BUDGET);
    mr_name_groups_destroy(groups);
    mr_memory_discharge(context.memory, "test", taken);
    test_context_close(&context);
}

TEST_MAIN(cmocka_unit_test(names_of_a_group_are_equal_wherever_they_are),
          cmocka_unit_test(many_groups_take_the_memory_that_is_promised))
