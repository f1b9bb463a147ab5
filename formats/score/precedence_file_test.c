/* SPDX-License-Identifier: Apache-2.0 */
/* The two readings of a score file: order, escapes, columns, and files that change. */
#include "formats/score/precedence_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/stream/output.h"
#include "tests/support/test_streams.h"

struct writer {
    const uint8_t *levels;
    struct mr_output *output;
    uint64_t n_rows, escaped;
};

/* Writes `NAME LEVEL`; refuses level 0. */
static enum mr_status write_level(void *data, uint64_t row, const char *name, size_t name_bytes,
                                  struct mr_error *err)
{
    struct writer *writer = data;
    if (writer->levels[row] == 0) {
        return mr_error_set(err, MR_ERROR_RUNTIME, "level 0");
    }
    writer->n_rows++;
    enum mr_status status = mr_output_name_escaped(writer->output, name, name_bytes, MR_NAME_URI,
                                                   &writer->escaped, err);
    return status != MR_OK ? status
                           : mr_output_print(writer->output, err, " %u\n", writer->levels[row]);
}

static enum mr_status write_levels(struct test_context *test, struct mr_score_file *file,
                                   const uint8_t *levels, const char *path, struct writer *writer)
{
    *writer = (struct writer){.levels = levels};
    enum mr_status status =
        mr_output_open(&test->context, path, false, &writer->output, &test->err);
    if (status == MR_OK) {
        status = mr_score_file_visit(file, write_level, writer, &test->err);
    }
    return mr_output_end(writer->output, status, &test->err);
}

static void lines_are_written_in_order(void **state)
{
    struct test_context *test = *state;
    struct mr_score_file *file = NULL;
    static const uint8_t levels[] = {1, 126, 5};
    struct writer writer;
    char out[PATH_MAX];
    uint64_t n = 0;
    const char *path = test_context_text(
        test, "scores", "name\thub\tauthority\nhttp://a/\t1\t2\nhttp://b/x y\t3\t4\nc\x01\t5\t6\n");
    assert_int_equal(mr_score_file_open(&test->context, path, NULL, 0, &file, NULL), MR_OK);
    const double *scores = mr_score_file_scores(file, &n);
    assert_int_equal(n, 3);
    assert_true(scores[0] == 2 && scores[1] == 4 && scores[2] == 6);
    (void)test_dir_path(&test->dir, "out", out);
    assert_int_equal(write_levels(test, file, levels, out, &writer), MR_OK);
    const char *expected = "http://a/ 1\nhttp://b/x%20y 126\nc%01 5\n";
    assert_true(test_dir_equals(out, expected, strlen(expected)));
    assert_int_equal(writer.n_rows, 3);
    assert_int_equal(writer.escaped, 2);
    mr_score_file_close(file);
}

static void a_pipe_is_read_twice_and_leaves_nothing(void **state)
{
    struct test_context *test = *state;
    struct mr_score_file *file = NULL;
    enum { N = 200000 };
    uint8_t *levels = malloc(N);
    struct writer writer;
    char out[PATH_MAX], *expected = malloc(N * 16);
    uint64_t n = 0, used = 0;
    (void)test_dir_path(&test->dir, "fifo", test->path);
    assert_int_equal(mkfifo(test->path, 0600), 0);
    if (fork() == 0) {
        FILE *pipe = fopen(test->path, "wb");
        for (int i = 0; pipe != NULL && i < N; i++) {
            (void)fprintf(pipe, "u%d\t%d\n", i, i);
        }
        _exit(pipe != NULL && fclose(pipe) == 0 ? 0 : 1);
    }
    assert_int_equal(mr_score_file_open(&test->context, test->path, "1", 0, &file, NULL), MR_OK);
    const double *scores = mr_score_file_scores(file, &n);
    assert_int_equal(n, N);
    for (uint64_t i = 0; i < n; i++) {
        assert_true(scores[i] == (double)i);
        levels[i] = (uint8_t)(1 + i % 126);
        used += (uint64_t)sprintf(expected + used, "u%d %d\n", (int)i, levels[i]);
    }
    (void)test_dir_path(&test->dir, "out", out);
    assert_int_equal(write_levels(test, file, levels, out, &writer), MR_OK);
    mr_score_file_close(file);
    assert_true(test_dir_equals(out, expected, used));
    assert_int_equal(test_dir_count(test->dir.path), 2);
    free(expected);
    free(levels);
}

static void what_the_writer_refuses_leaves_nothing(void **state)
{
    struct test_context *test = *state;
    struct mr_score_file *file = NULL;
    static const uint8_t levels[] = {1, 0};
    struct writer writer;
    char out[PATH_MAX];
    (void)test_dir_path(&test->dir, "out", out);
    const char *path = test_context_text(test, "scores", "a\t1\nb\t2\n");
    assert_int_equal(mr_score_file_open(&test->context, path, NULL, 0, &file, NULL), MR_OK);
    assert_int_equal(write_levels(test, file, levels, out, &writer), MR_ERROR_RUNTIME);
    assert_string_equal(test_context_error(test), "level 0");
    mr_score_file_close(file);
    assert_int_equal(test_dir_count(test->dir.path), 1);
}

static void a_file_that_changes_is_noticed(void **state)
{
    struct test_context *test = *state;
    struct mr_score_file *file = NULL;
    static const uint8_t levels[] = {1, 2};
    struct writer writer;
    char out[PATH_MAX];
    (void)test_dir_path(&test->dir, "out", out);
    const char *path = test_context_text(test, "scores", "a\t1\nb\t2\n");
    assert_int_equal(mr_score_file_open(&test->context, path, NULL, 0, &file, NULL), MR_OK);
    (void)test_context_text(test, "scores", "a\t1111\n");
    assert_int_equal(write_levels(test, file, levels, out, &writer), MR_ERROR_INPUT);
    mr_error_clear(&test->err);
    mr_score_file_close(file);
    (void)test_context_text(test, "scores", "a\t1\nb\t2\n");
    assert_int_equal(mr_score_file_open(&test->context, path, NULL, 0, &file, NULL), MR_OK);
    (void)test_context_text(test, "scores", "a\t1111\n\n");
    assert_int_equal(write_levels(test, file, levels, out, &writer), MR_ERROR_INPUT);
    mr_error_clear(&test->err);
    mr_score_file_close(file);
    (void)test_context_text(test, "scores", "a\t11\nb\t22\n");
    assert_int_equal(test_dir_count(test->dir.path), 1);
}

static void an_empty_file_has_no_lines(void **state)
{
    struct test_context *test = *state;
    struct mr_score_file *file = NULL;
    struct writer writer;
    char out[PATH_MAX];
    uint64_t n = 1;
    const char *path = test_context_text(test, "scores", "");
    assert_int_equal(mr_score_file_open(&test->context, path, NULL, 0, &file, NULL), MR_OK);
    (void)mr_score_file_scores(file, &n);
    assert_int_equal(n, 0);
    (void)test_dir_path(&test->dir, "out", out);
    assert_int_equal(write_levels(test, file, NULL, out, &writer), MR_OK);
    assert_true(test_dir_equals(out, "", 0));
    mr_score_file_close(file);
}

static void scores_beyond_the_budget_are_refused(void **state)
{
    struct test_context *test = *state;
    struct mr_score_file *file = NULL;
    enum { N = 4 << 20 };
    enum { LINE = 11 };
    char *text = malloc(LINE * N + 1);
    assert_non_null(text);
    for (size_t i = 0; i < N; i++) {
        (void)snprintf(text + LINE * i, LINE + 1, "%08zu\t1\n", i);
    }
    mr_memory_destroy(test->context.memory);
    assert_int_equal(mr_memory_create(32u << 20, &test->context.memory, NULL), MR_OK);
    const char *path = test_context_file(test, "scores", text, LINE * (size_t)N);
    assert_int_equal(mr_score_file_open(&test->context, path, NULL, 0, &file, &test->err),
                     MR_ERROR_BUDGET);
    assert_non_null(strstr(test->err.message, "scores needs"));
    mr_score_file_close(file);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_are_written_in_order, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_pipe_is_read_twice_and_leaves_nothing,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(what_the_writer_refuses_leaves_nothing, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_changes_is_noticed, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(an_empty_file_has_no_lines, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(scores_beyond_the_budget_are_refused, test_context_set_up,
                                        test_context_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
