/* SPDX-License-Identifier: Apache-2.0 */
/* The measured choice of a codec: it measures something, follows from its own figures, and leaves
 * nothing behind. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/tile/codec_choice.h"
#include "tests/support/io_fault.h"
#include "tests/support/test_dir.h"

static unsigned count_entries(const char *path)
{
    unsigned count = 0;
    DIR *dir = opendir(path);
    while (readdir(dir) != NULL) {
        count++;
    }
    closedir(dir);
    return count - 2; /* . and .. */
}

static void test_the_choice_follows_from_the_figures(void **unused)
{
    (void)unused;
    struct test_dir dir;
    struct mr_context context = {.threads = 2};
    struct mr_codec_choice c;
    assert_true(test_dir_make(&dir, NULL));
    assert_int_equal(mr_memory_create(MR_MEMORY_FLOOR_BYTES, &context.memory, NULL), MR_OK);
    assert_int_equal(mr_io_create_real(&context.io, NULL), MR_OK);
    assert_int_equal(mr_codec_choose(&context, dir.path, 9, &c, NULL), MR_OK);
    assert_true(c.disk_bytes_per_second > 1e6);
    assert_true(c.keys_ns > 0 && c.zstd_ns >= 0); /* 0 where the machine was disturbed */
    assert_true(c.plain_bytes > 1 && c.plain_bytes < 2);
    assert_true(c.zstd_bytes > 0.15 * c.plain_bytes && c.zstd_bytes < 0.5 * c.plain_bytes);
    assert_int_equal(c.zstd_level, c.zstd_pass_ns < c.plain_pass_ns ? 9 : 0);
    assert_int_equal(count_entries(dir.path), 0);
    mr_io_destroy(context.io);
    mr_memory_destroy(context.memory);
    test_dir_remove(&dir);
}

static void test_a_full_disk_is_an_error_and_leaves_nothing(void **unused)
{
    (void)unused;
    struct test_dir dir;
    struct mr_context context = {.threads = 1};
    struct mr_codec_choice c;
    struct mr_io *real;
    const struct mr_fault_plan plan = {.kind = MR_FAULT_ERROR,
                                       .operations = MR_FAULT_ON_WRITE,
                                       .at = 3,
                                       .and_after = true,
                                       .error_number = ENOSPC};
    assert_true(test_dir_make(&dir, NULL));
    assert_int_equal(mr_memory_create(UINT64_MAX, &context.memory, NULL), MR_OK);
    assert_int_equal(mr_io_create_real(&real, NULL), MR_OK);
    assert_int_equal(mr_io_create_fault(real, &plan, &context.io, NULL), MR_OK);
    assert_int_equal(mr_codec_choose(&context, dir.path, 9, &c, NULL), MR_ERROR_BUDGET);
    assert_int_equal(count_entries(dir.path), 0);
    mr_io_destroy(context.io);
    mr_memory_destroy(context.memory);
    test_dir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_choice_follows_from_the_figures),
        cmocka_unit_test(test_a_full_disk_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
