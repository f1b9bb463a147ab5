/* SPDX-License-Identifier: Apache-2.0 */
/* Formatting, cutting and clearing errors; the first error wins. */
#include "engine/base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/context.h"
#include "tests/support/test.h"

static char text[2048];

static void the_first_error_wins(void **state)
{
    struct mr_error err = {.status = MR_OK};
    (void)state;
    assert_int_equal(mr_error_set(&err, MR_ERROR_INPUT, "first %d", 1), MR_ERROR_INPUT);
    assert_int_equal(mr_error_line(&err, MR_ERROR_RUNTIME, "f", 7, "second"), MR_ERROR_RUNTIME);
    assert_int_equal(err.status, MR_ERROR_INPUT);
    assert_int_equal(err.location_kind, MR_ERROR_LOCATION_NONE);
    assert_string_equal(mr_error_text(&err, text, sizeof text), "first 1");
}

static void every_position_has_its_text(void **state)
{
    struct mr_error err = {.status = MR_OK};
    (void)state;
    (void)mr_error_line(&err, MR_ERROR_INPUT, "links.txt", 12, "no number; remove it");
    assert_string_equal(mr_error_text(&err, text, sizeof text),
                        "links.txt:12: no number; remove it");
    mr_error_clear(&err);
    (void)mr_error_offset(&err, MR_ERROR_CORRUPT, "g.mill/blocks", 4096, "bad checksum");
    assert_string_equal(mr_error_text(&err, text, sizeof text),
                        "g.mill/blocks: offset 4096: bad checksum");
    mr_error_clear(&err);
    (void)mr_error_file(&err, MR_ERROR_RUNTIME, "out", ENOENT, "cannot open");
    assert_string_equal(mr_error_text(&err, text, sizeof text),
                        "out: cannot open: No such file or directory");
    assert_int_equal(err.os_errno, ENOENT);
    mr_error_clear(&err);
    (void)mr_error_file(&err, MR_ERROR_RUNTIME, NULL, 0, "plain");
    assert_string_equal(mr_error_text(&err, text, sizeof text), "plain");
}

static void a_null_error_only_returns_the_status(void **state)
{
    (void)state;
    assert_int_equal(mr_error_set(NULL, MR_ERROR_USAGE, "x"), MR_ERROR_USAGE);
    assert_int_equal(mr_error_file(NULL, MR_ERROR_RUNTIME, "f", EIO, "x"), MR_ERROR_RUNTIME);
    mr_error_clear(NULL);
}

static void long_texts_are_cut_and_terminated(void **state)
{
    struct mr_error err = {.status = MR_OK};
    char big[4096];
    (void)state;
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    (void)mr_error_file(&err, MR_ERROR_RUNTIME, big, EIO, "%s", big);
    assert_int_equal(strlen(err.file), sizeof err.file - 1);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    char small[8];
    assert_string_equal(mr_error_text(&err, small, sizeof small), "xxxxxxx");
}

static void a_file_name_is_not_a_format(void **state)
{
    struct mr_error err = {.status = MR_OK};
    (void)state;
    (void)mr_error_line(&err, MR_ERROR_INPUT, "100%s%n", 1, "odd name");
    assert_string_equal(mr_error_text(&err, text, sizeof text), "100%s%n:1: odd name");
}

enum { NOTE_BYTES = 64 };

static void take_note(void *data, const char *note)
{
    (void)snprintf(data, NOTE_BYTES, "%s", note);
}

static void a_raised_flag_interrupts(void **state)
{
    volatile sig_atomic_t cancel = 0;
    struct mr_error err = {.status = MR_OK};
    struct mr_context context = {.threads = 1};
    (void)state;
    assert_int_equal(mr_context_poll(&context, &err), MR_OK);
    context.cancel = &cancel;
    assert_int_equal(mr_context_poll(&context, &err), MR_OK);
    cancel = 1;
    assert_int_equal(mr_context_poll(&context, &err), MR_INTERRUPTED);
    assert_string_equal(err.message, "interrupted");
}

static void notes_reach_the_listener(void **state)
{
    char note[NOTE_BYTES] = "";
    struct mr_context context = {.threads = 1};
    (void)state;
    mr_context_note(&context, "nobody listens");
    context.note = take_note;
    context.note_data = note;
    mr_context_note(&context, "O_DIRECT refused by %s", "tmpfs");
    assert_string_equal(note, "O_DIRECT refused by tmpfs");
}

TEST_MAIN(cmocka_unit_test(the_first_error_wins), cmocka_unit_test(every_position_has_its_text),
          cmocka_unit_test(a_null_error_only_returns_the_status),
          cmocka_unit_test(long_texts_are_cut_and_terminated),
          cmocka_unit_test(a_file_name_is_not_a_format), cmocka_unit_test(a_raised_flag_interrupts),
          cmocka_unit_test(notes_reach_the_listener))
