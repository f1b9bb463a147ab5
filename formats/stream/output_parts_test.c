/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that several threads write: the bytes of one thread, plain and compressed, whatever the
 * parts take; errors of any of them end the output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/stream/output.h"
#include "tests/support/test_context.h"

enum { N_ROWS = 1000, FAILS_AT = 700 };

/* Row i has a text of its own, and every 97th one is longer than what a part holds. */
struct table {
    const char *end; /* of each row */
    bool fails;
    unsigned n_open, n_closed;
};

static enum mr_status open_one(void *data, void **worker, struct mr_error *err)
{
    struct table *table = data;
    (void)err;
    table->n_open++;
    *worker = table;
    return MR_OK;
}

static void close_one(void *data, void *worker)
{
    struct table *table = data;
    assert_ptr_equal(table, worker);
    table->n_closed++;
}

static enum mr_status write_some(void *worker, struct mr_output *output, uint64_t first,
                                 uint64_t end, struct mr_error *err)
{
    const struct table *table = worker;
    static const char filler[1000] = "a long row ";
    enum mr_status status = MR_OK;
    for (uint64_t i = first; i < end && status == MR_OK; i++) {
        if (table->fails && i == FAILS_AT) {
            return mr_error_set(err, MR_ERROR_INPUT, "row %llu is bad", (unsigned long long)i);
        }
        status =
            mr_output_print(output, err, "row %llu %llx%s", (unsigned long long)i,
                            (unsigned long long)(i * UINT64_C(0x9e3779b97f4a7c15)), table->end);
        for (unsigned k = 0; i % 97 == 0 && k < 2500 && status == MR_OK; k++) {
            status = mr_output_write(output, filler, sizeof filler, err);
        }
    }
    return status;
}

static enum mr_status write_file(const char *path, unsigned threads, uint64_t limit, bool fails,
                                 uint64_t n_rows, struct mr_error *err)
{
    struct mr_context context;
    struct mr_output *output = NULL;
    struct table table = {.end = "\n", .fails = fails};
    const struct mr_output_rows rows = {.n_rows = n_rows,
                                        .rows_per_part = 32,
                                        .data = &table,
                                        .open = open_one,
                                        .close = close_one,
                                        .write = write_some};
    assert_true(test_context_open(&context, limit, threads));
    enum mr_status status = mr_output_open(&context, path, true, &output, err);
    assert_int_equal(status, MR_OK);
    status = mr_output_write(output, "head\n", 5, err);
    if (status == MR_OK) {
        status = mr_output_write_rows(output, &rows, err);
    }
    if (status == MR_OK) {
        status = mr_output_write(output, "foot\n", 5, err);
    }
    assert_int_equal(table.n_open, table.n_closed);
    if (status == MR_OK) {
        status = mr_output_commit(output, err);
    } else {
        mr_output_abandon(output);
    }
    test_context_close(&context);
    return status;
}

static char *slurp(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*bytes + 1);
    assert_int_equal(fread(text, 1, *bytes, file), *bytes);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(path), 0);
    return text;
}

static void any_threads_write_the_same_bytes(void **unused)
{
    (void)unused;
    const char *const suffixes[] = {".txt", ".gz", ".zst"};
    for (unsigned k = 0; k < 3; k++) {
        char path[64];
        (void)snprintf(path, sizeof path, "parts_test%s", suffixes[k]);
        for (uint64_t n = 0; n <= N_ROWS; n += N_ROWS / 2) {
            size_t bytes, others;
            assert_int_equal(write_file(path, 1, UINT64_MAX, false, n, NULL), MR_OK);
            char *expected = slurp(path, &bytes);
            for (unsigned threads = 2; threads <= 8; threads += 3) {
                /* the second time with memory for few threads */
                for (uint64_t limit = UINT64_MAX; limit != 0;
                     limit = limit == UINT64_MAX ? UINT64_C(36) << 20 : 0) {
                    assert_int_equal(write_file(path, threads, limit, false, n, NULL), MR_OK);
                    char *text = slurp(path, &others);
                    assert_int_equal(others, bytes);
                    assert_memory_equal(text, expected, bytes);
                    free(text);
                }
            }
            free(expected);
        }
    }
}

static enum mr_status write_nothing(void *worker, struct mr_output *output, uint64_t first,
                                    uint64_t end, struct mr_error *err)
{
    (void)worker, (void)output, (void)first, (void)end, (void)err;
    return MR_OK;
}

/* A table whose rows are all left out: a compressed file of it has one empty frame. */
static void parts_without_rows_leave_a_whole_file(void **unused)
{
    (void)unused;
    const char *const paths[] = {"parts_test.txt", "parts_test.gz", "parts_test.zst"};
    for (unsigned k = 0; k < 3; k++) {
        char *expected = NULL;
        size_t bytes = 0, others;
        for (unsigned threads = 1; threads <= 8; threads *= 2) {
            struct mr_context context;
            struct mr_output *output = NULL;
            struct table table = {.end = "\n"};
            const struct mr_output_rows rows = {.n_rows = N_ROWS,
                                                .rows_per_part = 32,
                                                .data = &table,
                                                .open = open_one,
                                                .close = close_one,
                                                .write = write_nothing};
            assert_true(test_context_open(&context, UINT64_MAX, threads));
            assert_int_equal(mr_output_open(&context, paths[k], true, &output, NULL), MR_OK);
            assert_int_equal(mr_output_write_rows(output, &rows, NULL), MR_OK);
            assert_int_equal(mr_output_commit(output, NULL), MR_OK);
            test_context_close(&context);
            char *text = slurp(paths[k], &others);
            if (expected == NULL) {
                expected = text;
                bytes = others;
                assert_int_equal(bytes > 0, k > 0);
                continue;
            }
            assert_int_equal(others, bytes);
            assert_memory_equal(text, expected, bytes);
            free(text);
        }
        free(expected);
    }
}

/* Everything comes back through the decompressor. */
static void frames_are_read_as_one_file(void **unused)
{
    (void)unused;
    char command[128];
    size_t bytes, others;
    assert_int_equal(write_file("parts_test.txt", 3, UINT64_MAX, false, N_ROWS, NULL), MR_OK);
    char *expected = slurp("parts_test.txt", &bytes);
    assert_int_equal(write_file("parts_test.gz", 3, UINT64_MAX, false, N_ROWS, NULL), MR_OK);
    (void)snprintf(command, sizeof command, "gzip -dc parts_test.gz > parts_test.out");
    assert_int_equal(system(command), 0);
    char *text = slurp("parts_test.out", &others);
    assert_int_equal(others, bytes);
    assert_memory_equal(text, expected, bytes);
    assert_int_equal(unlink("parts_test.gz"), 0);
    free(text);
    free(expected);
}

static void a_bad_row_ends_the_output(void **unused)
{
    (void)unused;
    for (unsigned threads = 1; threads <= 8; threads += 7) {
        struct mr_error error = {0};
        assert_int_equal(write_file("parts_test.txt", threads, UINT64_MAX, true, N_ROWS, &error),
                         MR_ERROR_INPUT);
        assert_non_null(strstr(error.message, "row 700 is bad"));
        assert_int_not_equal(access("parts_test.txt", F_OK), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_threads_write_the_same_bytes),
        cmocka_unit_test(parts_without_rows_leave_a_whole_file),
        cmocka_unit_test(frames_are_read_as_one_file),
        cmocka_unit_test(a_bad_row_ends_the_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
