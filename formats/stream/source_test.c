/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/stream/input.h"
#include "formats/stream/input_internal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/support/io_fault.h"
#include "tests/support/test_streams.h"

static void expect_rest(struct mr_source *source, const char *expected)
{
    char text[64];
    size_t used = 0, got = 1;
    while (got > 0) {
        assert_int_equal(mr_source_read(source, text + used, 3, &got, NULL), MR_OK);
        used += got;
    }
    text[used] = '\0';
    assert_string_equal(text, expected);
}

static void files_know_their_length_and_rewind(void **state)
{
    struct test_context *test = *state;
    struct mr_source *source = NULL;
    const char *path = test_context_text(test, "file", "hello world");
    assert_int_equal(mr_source_open(&test->context, path, &source, NULL), MR_OK);
    assert_string_equal(mr_source_name(source), path);
    assert_int_equal(mr_source_total(source), 11);
    assert_int_equal(mr_source_keep(source, NULL), MR_OK);
    expect_rest(source, "hello world");
    assert_int_equal(mr_source_done(source), 11);
    assert_int_equal(mr_source_rewind(source, NULL), MR_OK);
    expect_rest(source, "hello world");
    mr_source_close(source);
    assert_int_equal(test_dir_count(test->dir.path), 1);
}

/* Run `body` in a child whose standard input is `path`, with `skip` bytes already read. */
static void with_stdin(struct test_context *test, const char *path, unsigned skip,
                       bool (*body)(struct test_context *))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        char byte[8];
        bool good = freopen(path, "rb", stdin) != NULL && read(0, byte, skip) == (ssize_t)skip;
        _exit(good && body(test) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static bool rest_of_stdin_twice(struct test_context *test)
{
    struct mr_source *source = NULL;
    bool good = mr_source_open(&test->context, "-", &source, NULL) == MR_OK &&
                mr_source_total(source) == 9 &&
                strcmp(mr_source_name(source), "standard input") == 0 &&
                mr_source_keep(source, NULL) == MR_OK;
    for (int round = 0; good && round < 2; round++) {
        char text[64];
        size_t got;
        good = mr_source_read(source, text, sizeof text, &got, NULL) == MR_OK && got == 9 &&
               memcmp(text, "llo world", 9) == 0 &&
               mr_source_read(source, text, sizeof text, &got, NULL) == MR_OK && got == 0 &&
               mr_source_rewind(source, NULL) == MR_OK;
    }
    mr_source_close(source);
    return good;
}

static void standard_input_goes_on_where_it_is(void **state)
{
    struct test_context *test = *state;
    with_stdin(test, test_context_text(test, "file", "hello world"), 2, rest_of_stdin_twice);
    assert_int_equal(test_dir_count(test->dir.path), 1);
}

static void a_pipe_rewinds_only_from_its_end(void **state)
{
    struct test_context *test = *state;
    struct mr_source *source = NULL;
    char byte;
    size_t got;
    (void)test_dir_path(&test->dir, "fifo", test->path);
    assert_int_equal(mkfifo(test->path, 0600), 0);
    if (fork() == 0) {
        FILE *out = fopen(test->path, "wb");
        _exit(out != NULL && fputs("piped", out) >= 0 && fclose(out) == 0 ? 0 : 1);
    }
    assert_int_equal(mr_source_open(&test->context, test->path, &source, NULL), MR_OK);
    assert_int_equal(mr_source_total(source), 0);
    assert_int_equal(mr_source_keep(source, NULL), MR_OK);
    assert_int_equal(mr_source_read(source, &byte, 1, &got, NULL), MR_OK);
    assert_int_equal(mr_source_rewind(source, &test->err), MR_ERROR_RUNTIME);
    assert_string_equal(test_context_error(test), "fifo: cannot be read again before its end");
    expect_rest(source, "iped");
    assert_int_equal(mr_source_rewind(source, NULL), MR_OK);
    expect_rest(source, "piped");
    mr_source_close(source);
}

static void a_file_that_shrinks_is_an_error(void **state)
{
    struct test_context *test = *state;
    struct mr_source *source = NULL;
    char text[32];
    size_t got;
    const char *path = test_context_text(test, "file", "hello world");
    assert_int_equal(mr_source_open(&test->context, path, &source, NULL), MR_OK);
    assert_int_equal(mr_source_read(source, text, 6, &got, NULL), MR_OK);
    assert_int_equal(truncate(path, 8), 0);
    assert_int_equal(mr_source_read(source, text, 6, &got, &test->err), MR_ERROR_INPUT);
    assert_string_equal(test_context_error(test),
                        "file: offset 6: the file became shorter while it was read");
    mr_source_close(source);

    struct mr_file *file = NULL; /* as readers of several places open it */
    assert_int_equal(mr_file_open(test->context.io, path, MR_OPEN_READ, &file, NULL), MR_OK);
    test->err = (struct mr_error){0};
    assert_int_equal(mr_input_file_read(file, "it", text, 4, 6, &test->err), MR_ERROR_INPUT);
    assert_string_equal(test_context_error(test),
                        "it: offset 6: the file became shorter while it was read");
    mr_file_abandon(file);
}

static void a_failing_disk_is_reported_by_name(void **state)
{
    struct test_context *test = *state;
    struct mr_source *source = NULL;
    struct mr_io *inner = test->context.io;
    const struct mr_fault_plan plan = {
        .kind = MR_FAULT_ERROR, .operations = MR_FAULT_ON_READ, .at = 1, .error_number = EIO};
    char text[32];
    size_t got;
    assert_int_equal(mr_io_create_fault(inner, &plan, &test->context.io, NULL), MR_OK);
    const char *path = test_context_text(test, "file", "hello world");
    assert_int_equal(mr_source_open(&test->context, path, &source, NULL), MR_OK);
    assert_int_equal(mr_source_read(source, text, 6, &got, &test->err), MR_ERROR_RUNTIME);
    assert_string_equal(test_context_error(test),
                        "file: cannot read 6 bytes at offset 0: Input/output error");
    mr_source_close(source);
}

static void a_bad_temporary_directory_is_named(void **state)
{
    struct test_context *test = *state;
    struct mr_source *source = NULL;
    const char *path = test_context_text(test, "empty", "");
    char missing[PATH_MAX];
    test->context.tmp_dir = test_dir_path(&test->dir, "missing", missing);
    assert_int_equal(mr_source_open(&test->context, path, &source, NULL), MR_OK);
    assert_int_equal(mr_source_keep(source, &test->err), MR_ERROR_RUNTIME);
    assert_non_null(strstr(test_context_error(test), "use --tmp for another directory"));
    mr_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_know_their_length_and_rewind, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(standard_input_goes_on_where_it_is, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_pipe_rewinds_only_from_its_end, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_shrinks_is_an_error, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_failing_disk_is_reported_by_name, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_bad_temporary_directory_is_named, test_context_set_up,
                                        test_context_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
