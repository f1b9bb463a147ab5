/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/table/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/test_streams.h"

static struct mr_lines *open_lines(struct test_context *test, struct mr_input **input,
                                   const void *data, size_t bytes)
{
    struct mr_lines *lines = NULL;
    const char *path = test_context_file(test, "lines", data, bytes);
    assert_int_equal(mr_input_open(&test->context, path, input, NULL), MR_OK);
    assert_int_equal(mr_lines_open(&test->context, *input, &lines, NULL), MR_OK);
    return lines;
}

static void expect_line(struct mr_lines *lines, const char *expected, size_t expected_bytes)
{
    const char *line;
    size_t bytes;
    assert_int_equal(mr_lines_next(lines, &line, &bytes, NULL), MR_OK);
    if (expected == NULL) {
        assert_null(line);
        return;
    }
    assert_non_null(line);
    assert_int_equal(bytes, expected_bytes);
    assert_memory_equal(line, expected, bytes);
}

static void line_ends_and_marks_are_cut_and_nothing_else(void **state)
{
    static const char data[] = "\xef\xbb\xbf"
                               "a\nb\r\n\n\r\n\rc\r\r\n\0d\n\xef\xbb\xbfx";
    struct mr_input *input;
    struct mr_lines *lines = open_lines(*state, &input, data, sizeof data - 1);
    expect_line(lines, "a", 1);
    expect_line(lines, "b", 1);
    expect_line(lines, "", 0);
    expect_line(lines, "", 0);
    expect_line(lines, "\rc", 2);
    expect_line(lines, "\0d", 2);
    assert_int_equal(mr_lines_number(lines), 6);
    expect_line(lines, "x", 1);
    expect_line(lines, NULL, 0);
    expect_line(lines, NULL, 0);
    assert_int_equal(mr_lines_number(lines), 7);
    mr_lines_close(lines);
    mr_input_close(input);
}

static void short_inputs_are_read(void **state)
{
    static const char *const inputs[] = {"", "\n", "x", "\xef\xbb\xbf", "\xef\xbb\xbf\n", "\xef\n"};
    static const char *const first[] = {NULL, "", "x", NULL, "", "\xef"};
    for (size_t i = 0; i < 6; i++) {
        struct mr_input *input;
        struct mr_lines *lines = open_lines(*state, &input, inputs[i], strlen(inputs[i]));
        expect_line(lines, first[i], first[i] != NULL ? strlen(first[i]) : 0);
        expect_line(lines, NULL, 0);
        mr_lines_close(lines);
        mr_input_close(input);
    }
}

/* Lengths around all sizes that the buffer consists of. */
static void lines_survive_the_seams(void **state)
{
    static const size_t lengths[] = {0,      1,      262143,  262144, 262145,  5,       262142,
                                     524288, 786431, 1048575, 3,      1048576, 1048576, 7};
    const size_t n = sizeof lengths / sizeof lengths[0];
    char *data = malloc(8 << 20);
    size_t used = 0;
    assert_non_null(data);
    for (size_t i = 0; i < n; i++) {
        memset(data + used, 'a' + (int)i, lengths[i]);
        used += lengths[i];
        data[used++] = '\n';
    }
    for (int chunks = 0; chunks < 2; chunks++) {
        struct mr_input *input;
        struct mr_lines *lines = open_lines(*state, &input, data, used);
        if (chunks) {
            const char *chunk;
            size_t bytes, at = 0;
            while (mr_lines_chunk(lines, 0, SIZE_MAX, &chunk, &bytes, NULL) == MR_OK &&
                   chunk != NULL) {
                assert_true(bytes > 0 && chunk[bytes - 1] == '\n');
                assert_memory_equal(chunk, data + at, bytes);
                at += bytes;
            }
            assert_int_equal(at, used);
        } else {
            size_t at = 0;
            for (size_t i = 0; i < n; at += lengths[i++] + 1) {
                expect_line(lines, data + at, lengths[i]);
            }
            expect_line(lines, NULL, 0);
        }
        mr_lines_close(lines);
        mr_input_close(input);
    }
    free(data);
}

static void a_line_too_long_is_an_error_with_its_number(void **state)
{
    struct test_context *test = *state;
    static const size_t lengths[] = {1048577, 1100000, 1310720, 3000000};
    char *data = malloc(4 << 20);
    assert_non_null(data);
    for (size_t i = 0; i < 8; i++) {
        struct mr_input *input;
        const char *line = "";
        size_t bytes, length = lengths[i % 4];
        memset(data, 'x', 4 << 20);
        memcpy(data, "1\n2\n", 4);
        data[4 + length] = '\n';
        struct mr_lines *lines = open_lines(test, &input, data, 4 + length + (i < 4 ? 1 : 0));
        enum mr_status status = MR_OK;
        while (status == MR_OK && line != NULL) {
            status = mr_lines_next(lines, &line, &bytes, &test->err);
        }
        assert_int_equal(status, MR_ERROR_INPUT);
        assert_string_equal(test_context_error(test),
                            "lines:3: the line is longer than 1048576 bytes; is this a text file?");
        mr_lines_close(lines);
        mr_input_close(input);
    }
    free(data);
}

/* Objects of many sizes among short ones, by line and in an array; number and bytes of each. */
static void a_long_object_is_read_within_the_budget(void **state)
{
    static const size_t lengths[] = {1048577, 1310721, 5, 3000000, 9000000, 7, MR_OBJECT_MAX_BYTES};
    enum { N = sizeof lengths / sizeof lengths[0] };
    struct test_context fixture, *test = &fixture;
    const size_t room = 100 << 20;
    char *data = malloc(room);

    (void)state;
    assert_non_null(data);
    assert_int_equal(test_context_make(test, UINT64_MAX), 0);
    for (unsigned by_line = 0; by_line < 2; by_line++) {
        struct mr_input *input;
        const char *text;
        size_t used = 0, bytes;
        for (unsigned i = 0; i < N; i++) {
            data[used++] = by_line ? '\n' : i == 0 ? '[' : ',';
            memset(data + used, 'x', lengths[i]);
            memcpy(data + used, "{\"", 2);
            data[used + lengths[i] - 2] = '"';
            data[used + lengths[i] - 1] = '}';
            used += lengths[i];
        }
        data[used++] = by_line ? '\n' : ']';
        struct mr_lines *lines = open_lines(test, &input, data, used);
        size_t at = 1;
        for (unsigned i = 0; i < N; i++) {
            assert_int_equal(mr_lines_object(lines, &text, &bytes, &test->err), MR_OK);
            assert_int_equal(bytes, lengths[i]);
            assert_memory_equal(text, data + at, bytes);
            assert_int_equal(mr_lines_number(lines), by_line ? i + 2 : 1);
            at += bytes + 1;
        }
        assert_int_equal(mr_lines_object(lines, &text, &bytes, &test->err), MR_OK);
        assert_null(text);
        mr_lines_close(lines);
        mr_input_close(input);
    }
    /* Too long, and too long for the budget. */
    memset(data, 'x', room);
    memcpy(data, "\n{\"", 3);
    for (unsigned is_small = 0; is_small < 2; is_small++) {
        struct mr_input *input;
        const char *text;
        size_t bytes;
        const uint64_t taken =
            is_small ? mr_memory_available(test->context.memory) - (20u << 20) : 0;
        assert_int_equal(mr_memory_charge(test->context.memory, "test", taken, NULL), MR_OK);
        struct mr_lines *lines = open_lines(test, &input, data, MR_OBJECT_MAX_BYTES + 3);
        assert_int_equal(mr_lines_object(lines, &text, &bytes, &test->err),
                         is_small ? MR_ERROR_BUDGET : MR_ERROR_INPUT);
        const char *message = test_context_error(test);
        assert_int_equal(strncmp(message,
                                 is_small ? "lines:2: out of memory budget: line buffer needs "
                                          : "lines:2: the object is longer than 67108864 bytes",
                                 45),
                         0);
        mr_error_clear(&test->err);
        mr_lines_close(lines);
        mr_input_close(input);
        mr_memory_discharge(test->context.memory, "test", taken);
    }
    test_context_remove(test);
    free(data);
}

static void quotes_are_short_and_printable(void **state)
{
    char quote[MR_LINES_QUOTE_BYTES], all[100];
    (void)state;
    assert_string_equal(mr_lines_quote("a\tb\0\x7f\xff", 6, quote), "\"a\\x09b\\x00\\x7f\\xff\"");
    memset(all, 1, sizeof all);
    assert_int_equal(strlen(mr_lines_quote(all, sizeof all, quote)), 60 * 4 + 2 + 3);
}

static void fields_are_runs_without_blanks(void **state)
{
    const char *text = " a\t\tbc ", *at = text, *end = text + strlen(text);
    size_t bytes;
    (void)state;
    assert_ptr_equal(mr_lines_field(&at, end, &bytes), text + 1);
    assert_int_equal(bytes, 1);
    assert_ptr_equal(mr_lines_field(&at, end, &bytes), text + 4);
    assert_int_equal(bytes, 2);
    assert_null(mr_lines_field(&at, end, &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(line_ends_and_marks_are_cut_and_nothing_else,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(short_inputs_are_read, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(lines_survive_the_seams, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_line_too_long_is_an_error_with_its_number,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test(a_long_object_is_read_within_the_budget),
        cmocka_unit_test(quotes_are_short_and_printable),
        cmocka_unit_test(fields_are_runs_without_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
