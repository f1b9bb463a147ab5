/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/stream/output.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "formats/stream/input.h"
#include "tests/support/io_fault.h"
#include "tests/support/test_streams.h"

enum { BIG_BYTES = 3 << 20 };

static enum mr_status write_pieces(struct test_context *test, const char *path, bool force,
                                   const char *data, size_t bytes, size_t piece)
{
    struct mr_output *output = NULL;
    enum mr_status status = mr_output_open(&test->context, path, force, &output, &test->err);
    for (size_t at = 0; status == MR_OK && at < bytes; at += piece) {
        status =
            mr_output_write(output, data + at, bytes - at < piece ? bytes - at : piece, &test->err);
    }
    if (status != MR_OK) {
        mr_output_abandon(output);
        return status;
    }
    return mr_output_commit(output, &test->err);
}

static char *make_data(void)
{
    char *data = malloc(BIG_BYTES);
    uint64_t seed = 1;
    assert_non_null(data);
    for (size_t i = 0; i < BIG_BYTES; i++) {
        data[i] = (char)('a' + test_random(&seed) % 20);
    }
    return data;
}

static void every_codec_gives_back_what_was_written(void **state)
{
    struct test_context *test = *state;
    static const char *const names[] = {"plain", "x.gz", "x.zst"};
    char *data = make_data(), *again = malloc(BIG_BYTES + 1), path[PATH_MAX];
    for (size_t i = 0; i < 6; i++) {
        struct mr_input *input = NULL;
        size_t at = 0, got = 1, bytes = i < 3 ? BIG_BYTES : 0;
        (void)test_dir_path(&test->dir, names[i % 3], path);
        assert_int_equal(write_pieces(test, path, i >= 3, data, bytes, i == 0 ? BIG_BYTES : 77777),
                         MR_OK);
        assert_int_equal(mr_input_open(&test->context, path, &input, NULL), MR_OK);
        for (; got > 0; at += got) {
            assert_int_equal(mr_input_read(input, again + at, BIG_BYTES + 1 - at, &got, NULL),
                             MR_OK);
        }
        assert_int_equal(mr_input_codec(input), i < 3 || i > 3 ? (int)(i % 3) : MR_INPUT_PLAIN);
        assert_int_equal(at, bytes);
        assert_memory_equal(again, data, bytes);
        mr_input_close(input);
    }
    assert_int_equal(test_dir_count(test->dir.path), 3);
    free(again);
    free(data);
}

static void an_existing_file_needs_force(void **state)
{
    struct test_context *test = *state;
    const char *path = test_context_text(test, "out", "old");
    assert_int_equal(write_pieces(test, path, false, "new", 3, 3), MR_ERROR_USAGE);
    assert_string_equal(test_context_error(test), "out: exists; use --force to replace it");
    assert_true(test_dir_equals(path, "old", 3));
    assert_int_equal(write_pieces(test, path, true, "new", 3, 3), MR_OK);
    assert_true(test_dir_equals(path, "new", 3));
    assert_int_equal(write_pieces(test, test->dir.path, true, "new", 3, 3), MR_ERROR_USAGE);
    mr_error_clear(&test->err);
    assert_int_equal(test_dir_count(test->dir.path), 1);
}

static void an_abandoned_file_never_was(void **state)
{
    struct test_context *test = *state;
    struct mr_output *output = NULL;
    (void)test_dir_path(&test->dir, "out", test->path);
    assert_int_equal(mr_output_open(&test->context, test->path, false, &output, NULL), MR_OK);
    assert_int_equal(mr_output_write(output, "x", 1, NULL), MR_OK);
    mr_output_abandon(output);
    mr_output_abandon(NULL);
    assert_int_equal(test_dir_count(test->dir.path), 0);
}

static void devices_and_pipes_are_written_as_they_are(void **state)
{
    struct test_context *test = *state;
    char *data = make_data();
    assert_int_equal(write_pieces(test, "/dev/null", false, data, BIG_BYTES, 1000), MR_OK);
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    (void)test_dir_path(&test->dir, "fifo", test->path);
    assert_int_equal(mkfifo(test->path, 0600), 0);
    pid_t reader = fork();
    if (reader == 0) {
        /* Read in another process, and check the content there. */
        char *found = malloc(BIG_BYTES + 1), out[PATH_MAX];
        FILE *in = fopen(test->path, "rb");
        size_t n = in != NULL ? fread(found, 1, BIG_BYTES + 1, in) : 0;
        bool good = n == BIG_BYTES && memcmp(found, data, n) == 0;
        _exit(test_dir_write(test_dir_path(&test->dir, "verdict", out), good ? "y" : "n", 1) ? 0
                                                                                             : 1);
    }
    assert_int_equal(write_pieces(test, test->path, false, data, BIG_BYTES, 9999), MR_OK);
    assert_int_equal(waitpid(reader, NULL, 0), reader);
    char verdict[PATH_MAX];
    (void)test_dir_path(&test->dir, "verdict", verdict);
    assert_true(test_dir_equals(verdict, "y", 1));
    free(data);
}

static void a_full_device_is_a_budget(void **state)
{
    struct test_context *test = *state;
    assert_int_equal(write_pieces(test, "/dev/full", false, "x", 1, 1), MR_ERROR_BUDGET);
    assert_string_equal(test_context_error(test),
                        "/dev/full: cannot write; free some space or write elsewhere (-o): No "
                        "space left on device");
}

/* Fail each operation in turn: expect an error, nothing published, nothing left behind and no
 * leak. */
static void every_failure_leaves_nothing(void **state)
{
    struct test_context *test = *state;
    char *data = make_data(), path[PATH_MAX];
    (void)test_dir_path(&test->dir, "out.zst", path);
    struct mr_io *real = test->context.io;
    mr_io_destroy(real);
    uint64_t n_operations = 1;
    for (uint64_t at = 0; at <= n_operations; at++) {
        const struct mr_fault_plan plan = {.kind = MR_FAULT_ERROR,
                                           .operations = MR_FAULT_ON_CHANGE,
                                           .at = at,
                                           .error_number = ENOSPC};
        assert_int_equal(mr_io_create_real(&real, NULL), MR_OK);
        assert_int_equal(mr_io_create_fault(real, &plan, &test->context.io, NULL), MR_OK);
        enum mr_status status = write_pieces(test, path, false, data, BIG_BYTES, 50000);
        if (at == 0) {
            n_operations = mr_io_fault_count(test->context.io);
            assert_true(n_operations > 5);
            assert_int_equal(status, MR_OK);
            assert_int_equal(unlink(path), 0);
        } else if (status != MR_OK) {
            assert_int_equal(status, MR_ERROR_BUDGET);
            mr_error_clear(&test->err);
        }
        /* The last operation syncs the directory: the file exists, but may not be permanent. */
        (void)unlink(path);
        assert_int_equal(test_dir_count(test->dir.path), 0);
        mr_io_destroy(test->context.io);
    }
    assert_int_equal(mr_io_create_real(&test->context.io, NULL), MR_OK);
    free(data);
}

static void names_are_escaped_and_counted(void **state)
{
    struct test_context *test = *state;
    struct mr_output *output = NULL;
    uint64_t escaped = 0;
    (void)test_dir_path(&test->dir, "out", test->path);
    assert_int_equal(mr_output_open(&test->context, test->path, false, &output, NULL), MR_OK);
    assert_int_equal(
        mr_output_name_escaped(output, "a b%\xc3\xa4", 6, MR_NAME_LINE, &escaped, NULL), MR_OK);
    assert_int_equal(escaped, 0);
    assert_int_equal(
        mr_output_name_escaped(output, "\na\0b\x7f\t", 6, MR_NAME_LINE, &escaped, NULL), MR_OK);
    assert_int_equal(escaped, 1);
    assert_int_equal(mr_output_name_escaped(output, "a b", 3, MR_NAME_URI, &escaped, NULL), MR_OK);
    assert_int_equal(escaped, 2);
    assert_int_equal(mr_output_print(output, NULL, "|%d|", 5), MR_OK);
    assert_int_equal(mr_output_commit(output, NULL), MR_OK);
    static const char expected[] = "a b%\xc3\xa4\\x0aa\\x00b\\x7f\\x09a%20b|5|";
    assert_true(test_dir_equals(test->path, expected, sizeof expected - 1));
}

/* A name of any bytes, as text. In the second form the same, if that is another text. */
static const char *const names[][3] = {
    {"http://a/%01%FF\xc3\xa9", "http://a/%01%FF\xc3\xa9"},
    {"\x01x", "\\x01x"},
    {"\\x01x", "\\x5cx01x"},
    {"\\x5cx01x", "\\x5cx5cx01x"},
    {"\\x4 \\x0A \\y \\", "\\x4 \\x0A \\y \\"}, /* no codes of ours */
    {"\\x41", "\\x5cx41"},
    {"\\\x01\\x\x02", "\\\\x01\\x\\x02"},
    {"a\xc2\x9b"
     "2J\xc2\xa0",
     "a\\xc2\\x9b"
     "2J\xc2\xa0"},
    {"\xe2\x80\xae"
     "gpj.exe",
     "\\xe2\\x80\\xaegpj.exe"},
    {"\xe2\x80\xa6\xe2\x81\xa6\xd8\x9c", "\xe2\x80\xa6\\xe2\\x81\\xa6\\xd8\\x9c"},
    {"\xff"
     "a\xc3",
     "\xff"
     "a\xc3",
     "\\xffa\\xc3"},
    {"# a", "\\x23 a", "# a"},
    {"#", "\\x23", "#"},
    {"#a # b", "#a # b"},
    {"\"a\"", "\\x22a\"", "\"a\""},
    {"\"a\" b", "\"a\" b"},
    {"  ", "\\x20\\x20", "  "},
    {" a ", " a "},
    {"\\x23", "\\x5cx23"},
    {"\xef\xbb\xbf"
     "a",
     "\\xef\\xbb\\xbfa",
     "\xef\xbb\xbf"
     "a"},
    {"\xed\xa0\x80\\x80", "\xed\xa0\x80\\x5cx80", "\\xed\\xa0\\x80\\x5cx80"},
};

static void names_come_back_from_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (int k = 1; k <= 2; k++) {
            const enum mr_name_form form = k == 1 ? MR_NAME_LINE : MR_NAME_UTF8;
            const char *wanted = names[i][k] != NULL ? names[i][k] : names[i][1];
            char text[200], back[200];
            text[mr_name_escape(names[i][0], strlen(names[i][0]), form, text)] = '\0';
            assert_string_equal(text, wanted);
            back[mr_name_unescape(text, strlen(text), back)] = '\0';
            assert_string_equal(back, names[i][0]);
        }
    }
    uint64_t random = 1; /* and names of few different bytes */
    for (int round = 0; round < 100000; round++) {
        static const char bytes[] = "\\x05cef #\"23\xc2\x80\x01%\xff";
        char name[8], text[32], back[32];
        for (size_t i = 0; i < sizeof name; i++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            name[i] = bytes[(random >> 33) % (sizeof bytes - 1)];
        }
        const enum mr_name_form form = round % 2 == 0 ? MR_NAME_LINE : MR_NAME_UTF8;
        const size_t text_bytes = mr_name_escape(name, sizeof name, form, text);
        assert_int_equal(mr_name_unescape(text, text_bytes, back), sizeof name);
        assert_memory_equal(back, name, sizeof name);
    }
}

static bool has_code(unsigned char c, bool is_last, enum mr_name_form form)
{
    switch (c) {
    case ' ':
        return form >= MR_NAME_URI || (form == MR_NAME_TABLE && is_last);
    case ',':
        return form == MR_NAME_URI_ITEM;
    case 0x7f:
        return true;
    default:
        return c < ' ' || (c >= 0x80 && (form == MR_NAME_UTF8 || form == MR_NAME_MESSAGE));
    }
}

/* Each byte at each place among others: some are looked at eight at a time. */
static void a_byte_with_a_code_is_found_anywhere(void **state)
{
    (void)state;
    for (unsigned form = MR_NAME_LINE; form <= MR_NAME_URI_ITEM; form++) {
        for (unsigned c = 0; c < 256; c++) {
            for (size_t at = 1; at < 20; at++) {
                char name[20];
                size_t n_odd;
                memset(name, '~', sizeof name);
                name[at] = (char)c;
                const char *odd = mr_name_find_odd(name, name + sizeof name, form, &n_odd);
                assert_int_equal(odd - name,
                                 has_code((unsigned char)c, at == 19, form) ? at : sizeof name);
            }
        }
        for (size_t at = 1; at < 17; at++) {
            char name[20];
            size_t n_odd;
            memset(name, '!', sizeof name);
            memcpy(name + at, "\\x0a", 4);
            const char *odd = mr_name_find_odd(name, name + sizeof name, form, &n_odd);
            assert_int_equal(odd - name, form < MR_NAME_MESSAGE ? at : sizeof name);
        }
    }
}

static void suffixes_are_seen_through_compression(void **state)
{
    (void)state;
    assert_true(mr_output_has_suffix("a.npy", ".npy"));
    assert_true(mr_output_has_suffix("a.npy.gz", ".npy"));
    assert_true(mr_output_has_suffix("a.npy.zst", ".npy"));
    assert_false(mr_output_has_suffix("a.npy.xz", ".npy"));
    assert_false(mr_output_has_suffix("npy", ".npy"));
    assert_false(mr_output_has_suffix(".gz", ".npy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_codec_gives_back_what_was_written,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(an_existing_file_needs_force, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(an_abandoned_file_never_was, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(devices_and_pipes_are_written_as_they_are,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_full_device_is_a_budget, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(every_failure_leaves_nothing, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test(names_come_back_from_text),
        cmocka_unit_test_setup_teardown(names_are_escaped_and_counted, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test(a_byte_with_a_code_is_found_anywhere),
        cmocka_unit_test(suffixes_are_seen_through_compression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
