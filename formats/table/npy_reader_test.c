/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/table/npy_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/test_streams.h"

/* Make an array file of version 1 with this header text and these bytes. */
static size_t make(uint8_t *file, const char *header, const void *data, size_t bytes)
{
    const size_t length = strlen(header);
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (uint8_t)length;
    file[9] = (uint8_t)(length >> 8);
    memcpy(file + 10, header, length);
    memcpy(file + 10 + length, data, bytes);
    return 10 + length + bytes;
}

/* Returns the column as text, "1 2 3", or the error. */
static const char *read_column(struct test_context *test, const uint8_t *file, size_t bytes,
                               const char *column)
{
    static char rows[256];
    struct mr_input *input = NULL;
    struct mr_npy_reader *reader = NULL;
    const char *path = test_context_file(test, "scores.npy", file, bytes);
    bool is_npy = false, is_end = false;
    size_t used = 0;
    double score = 0;

    rows[0] = '\0';
    assert_int_equal(mr_input_open(&test->context, path, &input, NULL), MR_OK);
    assert_int_equal(mr_npy_probe(input, &is_npy, NULL), MR_OK);
    assert_true(is_npy);
    enum mr_status status = mr_npy_reader_open(&test->context, input, column, &reader, &test->err);
    while (status == MR_OK && !is_end) {
        status = mr_npy_reader_next(reader, &score, &is_end, &test->err);
        if (status == MR_OK && !is_end) {
            used += (size_t)snprintf(rows + used, sizeof rows - used, "%s%g", used > 0 ? " " : "",
                                     score);
        }
    }
    mr_npy_reader_close(reader);
    mr_input_close(input);
    return status != MR_OK ? test_context_error(test) : rows;
}

static void both_orders_both_widths(void **state)
{
    const double doubles[6] = {1, 2, 3, 4, 5, 6};
    const float floats[3] = {0.5F, 1.5F, -2};
    uint8_t file[512];

    size_t bytes = make(file, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n",
                        doubles, sizeof doubles);
    assert_string_equal(read_column(*state, file, bytes, "1"), "1 3 5");
    assert_string_equal(read_column(*state, file, bytes, NULL), "2 4 6");
    bytes = make(file, "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }\n", doubles,
                 sizeof doubles);
    assert_string_equal(read_column(*state, file, bytes, "1"), "1 2 3");
    assert_string_equal(read_column(*state, file, bytes, "2"), "4 5 6");
    bytes = make(file, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n", floats,
                 sizeof floats);
    assert_string_equal(read_column(*state, file, bytes, NULL), "0.5 1.5 -2");
    bytes = make(file, "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }\n", doubles, 0);
    assert_string_equal(read_column(*state, file, bytes, NULL), "");
}

static void big_endian(void **state)
{
    static const uint8_t one_and_two[16] = {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0x40};
    uint8_t file[512];
    const size_t bytes = make(file, "{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }\n",
                              one_and_two, sizeof one_and_two);
    assert_string_equal(read_column(*state, file, bytes, NULL), "1 2");
}

static void what_is_no_array_of_floats(void **state)
{
    const double doubles[2] = {1, 2}, nan[1] = {__builtin_nan("")};
    static const struct {
        const char *header, *column, *error;
    } cases[] = {
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }\n", NULL,
         "scores.npy: not an array of 4- or 8-byte floats; save it as numpy.float64 or float32"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 1), }\n", NULL,
         "scores.npy: its shape is neither (n,) nor (n, k)"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", NULL,
         "scores.npy: its shape is neither (n,) nor (n, k)"},
        {"{'descr': '<f8', 'shape': (2,), }\n", NULL,
         "scores.npy: its NumPy header lacks descr, fortran_order or shape"},
        {"{'descr': '<f8', 'fortran_order': True, 'shape': (9223372036854775807, 9), }\n", NULL,
         "scores.npy: its shape is larger than any file"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n", NULL,
         "scores.npy: ends before its array does; it was cut off"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", "2",
         "scores.npy: no score column 2; the array has 1, choose 1..1"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", "hub",
         "scores.npy: an array has no names to find column \"hub\"; give its number, 1..1"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 0), }\n", NULL,
         "scores.npy: no score column 0; the array has 0, choose 1..0"},
    };
    uint8_t file[512];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t bytes = make(file, cases[i].header, doubles, sizeof doubles);
        assert_string_equal(read_column(*state, file, bytes, cases[i].column), cases[i].error);
    }
    const size_t bytes =
        make(file, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n", nan, sizeof nan);
    assert_string_equal(read_column(*state, file, bytes, NULL),
                        "scores.npy: row 1 is not a finite number");
    assert_string_equal(read_column(*state, file, 40, NULL),
                        "scores.npy: ends before its array does; it was cut off");
    memcpy(file, "\x93NUMPY\x09\x00", 8);
    assert_string_equal(read_column(*state, file, bytes, NULL),
                        "scores.npy: not a NumPy array of a known version");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_orders_both_widths, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(big_endian, test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_array_of_floats, test_context_set_up,
                                        test_context_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
