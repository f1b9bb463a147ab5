/* SPDX-License-Identifier: Apache-2.0 */
/* Lines come in a scrambled order and leave by their places, from memory and through a temporary
 * file, whatever their lengths. */
#include "formats/stream/line_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/random.h"
#include "tests/support/test_streams.h"

/* The line at a place: a number, and for every 1000th place `long_bytes` more. */
static size_t make_line(uint64_t place, size_t long_bytes, char *line)
{
    size_t used = (size_t)sprintf(line, "%llu ", (unsigned long long)place);
    const size_t more = place % 1000 == 7 ? long_bytes : (size_t)(mr_random_mix(place) % 60);
    memset(line + used, 'x', more);
    line[used + more] = '\n';
    return used + more + 1;
}

static void check_order(struct test_context *test, uint64_t n, uint64_t line_bytes,
                        size_t long_bytes, bool on_disk)
{
    struct mr_line_order *order = NULL;
    struct mr_output *output = NULL;
    char *line = malloc(long_bytes + 100);
    char path[PATH_MAX];

    assert_non_null(line);
    assert_int_equal(mr_line_order_open(&test->context, n, line_bytes, &order, &test->err), MR_OK);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t place = (i * 7919 + 13) % n; /* 7919 and n have no common factor */
        const size_t bytes = make_line(place, long_bytes, line);
        assert_int_equal(mr_line_order_add(order, (uint32_t)place, line, bytes, &test->err), MR_OK);
    }
    (void)test_dir_path(&test->dir, "lines.txt", path);
    assert_int_equal(mr_output_open(&test->context, path, true, &output, &test->err), MR_OK);
    assert_int_equal(mr_line_order_write(order, output, &test->err), MR_OK);
    assert_int_equal(mr_output_commit(output, &test->err), MR_OK);
    assert_int_equal(mr_line_order_disk_bytes(order) > 0, on_disk);
    mr_line_order_close(order);

    FILE *file = fopen(path, "rb");
    char *found = malloc(long_bytes + 100);
    assert_non_null(file);
    assert_non_null(found);
    for (uint64_t place = 0; place < n; place++) {
        const size_t bytes = make_line(place, long_bytes, line);
        assert_int_equal(fread(found, 1, bytes, file), bytes);
        assert_memory_equal(found, line, bytes);
    }
    assert_int_equal(fgetc(file), EOF);
    (void)fclose(file);
    free(found);
    free(line);
}

static void lines_leave_by_their_places(void **state)
{
    struct test_context *test = *state;
    check_order(test, 1, 40, 0, false);
    check_order(test, 1000, 40, 0, false);
    check_order(test, 500000, 40, 0, true); /* 25 MB, with 64 MiB of memory */
    check_order(test, 100003, 40, 200000, true); /* lines longer than a buffer, 20 MB of them */
}

static void a_place_without_a_line_is_an_error(void **state)
{
    struct test_context *test = *state;
    struct mr_line_order *order = NULL;
    struct mr_output *output = NULL;
    char path[PATH_MAX];

    assert_int_equal(mr_line_order_open(&test->context, 2, 40, &order, &test->err), MR_OK);
    assert_int_equal(mr_line_order_add(order, 1, "b\n", 2, &test->err), MR_OK);
    (void)test_dir_path(&test->dir, "lines.txt", path);
    assert_int_equal(mr_output_open(&test->context, path, true, &output, &test->err), MR_OK);
    assert_int_equal(mr_line_order_write(order, output, &test->err), MR_ERROR_RUNTIME);
    mr_output_abandon(output);
    mr_line_order_close(order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_leave_by_their_places, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_place_without_a_line_is_an_error, test_context_set_up,
                                        test_context_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
