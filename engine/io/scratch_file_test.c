/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files hold data, have no name meanwhile, and count their space. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/io/scratch_file.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

static void test_data_comes_back_and_no_name_is_left(void **unused)
{
    (void)unused;
    struct test_dir dir, tmp;
    struct mr_context context;
    struct mr_scratch_file *file;
    struct mr_scratch_use use = {0};
    char data[5000], found[5000];
    memset(data, 'x', sizeof data);
    assert_true(test_dir_make(&dir, NULL) && test_dir_make(&tmp, NULL));
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    for (int round = 0; round < 2; round++) { /* beside the output, then in --tmp */
        context.tmp_dir = round == 0 ? NULL : tmp.path;
        const char *place = round == 0 ? dir.path : "/nonexistent";
        char other[1100]; /* of the user, and stays */
        (void)snprintf(other, sizeof other, "%s/a", round == 0 ? dir.path : tmp.path);
        assert_int_equal(mkdir(other, 0700), 0);
        assert_int_equal(mr_scratch_file_open(&context, place, "a", &use, &file, NULL), MR_OK);
        assert_int_equal(rmdir(other), 0);
        assert_int_equal(test_dir_count(dir.path), 0);
        assert_int_equal(test_dir_count(tmp.path), 0);
        assert_int_equal(mr_scratch_file_write(file, data, sizeof data, 100, NULL), MR_OK);
        assert_int_equal(use.bytes, sizeof data);
        assert_int_equal(mr_scratch_file_read(file, found, sizeof found, 100, NULL), MR_OK);
        assert_memory_equal(found, data, sizeof data);
        mr_scratch_file_discard(file, 100, 1000);
        assert_int_equal(use.bytes, sizeof data - 1000);
        mr_scratch_file_close(file);
        assert_int_equal(use.bytes, 0);
        assert_int_equal(use.peak_bytes, sizeof data);
    }
    mr_scratch_file_close(NULL);
    test_context_close(&context);
    test_dir_remove(&tmp);
    test_dir_remove(&dir);
}

static void test_failures_leave_nothing(void **unused)
{
    (void)unused;
    struct test_dir dir;
    struct mr_scratch_use use = {0};
    assert_true(test_dir_make(&dir, NULL));
    for (uint64_t at = 1; at <= 3; at++) { /* open, unlink; there is no third operation */
        const struct mr_fault_plan plan = {
            .kind = MR_FAULT_ERROR, .operations = MR_FAULT_ON_NAME, .at = at, .error_number = EIO};
        struct mr_context context;
        struct mr_scratch_file *file;
        assert_true(test_context_open_fault(&context, UINT64_MAX, 1, &plan));
        enum mr_status status = mr_scratch_file_open(&context, dir.path, "a", &use, &file, NULL);
        assert_int_equal(status, at < 3 ? MR_ERROR_RUNTIME : MR_OK);
        assert_true((file != NULL) == (status == MR_OK));
        mr_scratch_file_close(file);
        assert_int_equal(test_dir_count(dir.path), 0);
        test_context_close(&context);
    }
    struct mr_context context;
    struct mr_scratch_file *file;
    struct mr_error err = {.status = MR_OK};
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    context.tmp_dir = "/nonexistent/tmp";
    assert_int_equal(mr_scratch_file_open(&context, dir.path, "a", &use, &file, &err),
                     MR_ERROR_RUNTIME);
    assert_non_null(strstr(err.file, "/nonexistent/tmp"));
    test_context_close(&context);
    test_dir_remove(&dir);
}

TEST_MAIN(cmocka_unit_test(test_data_comes_back_and_no_name_is_left),
          cmocka_unit_test(test_failures_leave_nothing))
