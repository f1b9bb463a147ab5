/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints are read back as written, and refused if they belong to another run, are damaged, cut
 * or too long. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/io/checkpoint.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

static const char text[] = "graph 17, damping 0.85";

struct fixture {
    struct test_dir dir;
    struct mr_context context;
    char path[PATH_MAX];
    uint64_t a[3];
    float b[1000];
    struct mr_checkpoint_part parts[3]; /* the last one is empty */
};

static void open_fixture(struct fixture *f)
{
    assert_true(test_dir_make(&f->dir, NULL));
    assert_true(test_context_open(&f->context, UINT64_MAX, 1));
    (void)snprintf(f->path, sizeof f->path, "%s/x.checkpoint", f->dir.path);
    for (unsigned i = 0; i < 1000; i++) {
        f->a[i % 3] = i;
        f->b[i] = (float)i / 3;
    }
    f->parts[0] = (struct mr_checkpoint_part){f->a, sizeof f->a};
    f->parts[1] = (struct mr_checkpoint_part){f->b, sizeof f->b};
    f->parts[2] = (struct mr_checkpoint_part){f->b, 0};
}

static void close_fixture(struct fixture *f)
{
    test_context_close(&f->context);
    test_dir_remove(&f->dir);
}

static enum mr_status read_as(struct fixture *f, const char *whose, uint64_t b_bytes,
                              unsigned n_parts)
{
    uint64_t a[3];
    float b[1001];
    const struct mr_checkpoint_part parts[] = {{a, sizeof a}, {b, b_bytes}, {b, 0}};
    struct mr_error error = {0};
    enum mr_status status =
        mr_checkpoint_read(f->context.io, f->path, whose, parts, n_parts, &error);
    assert_int_equal(status, error.status);
    if (status == MR_OK) {
        assert_memory_equal(a, f->a, sizeof a);
        assert_memory_equal(b, f->b, sizeof f->b);
    } else {
        assert_non_null(strstr(error.file, "x.checkpoint"));
        assert_true(strlen(error.message) > 10);
    }
    return status;
}

static void test_what_was_written_is_read_and_nothing_else(void **unused)
{
    (void)unused;
    struct fixture f;
    open_fixture(&f);
    assert_int_equal(read_as(&f, text, sizeof f.b, 3), MR_ERROR_USAGE); /* there is none */
    for (unsigned round = 0; round < 2; round++) { /* the second replaces the first */
        f.a[0] = round;
        assert_int_equal(mr_checkpoint_write(f.context.io, f.path, text, f.parts, 3, NULL), MR_OK);
        assert_int_equal(read_as(&f, text, sizeof f.b, 3), MR_OK);
        assert_int_equal(test_dir_count(f.dir.path), 1);
    }
    assert_int_equal(read_as(&f, "graph 17, damping 0.9", sizeof f.b, 3), MR_ERROR_USAGE);
    assert_int_equal(read_as(&f, "graph 17, damping 0.85 ", sizeof f.b, 3), MR_ERROR_USAGE);
    assert_int_equal(read_as(&f, text, sizeof f.b - 4, 3), MR_ERROR_CORRUPT);
    assert_int_equal(read_as(&f, text, sizeof f.b + 4, 3), MR_ERROR_CORRUPT);
    assert_int_equal(read_as(&f, text, sizeof f.b, 2), MR_ERROR_CORRUPT);
    close_fixture(&f);
}

static void test_every_damage_is_noticed(void **unused)
{
    (void)unused;
    struct fixture f;
    open_fixture(&f);
    assert_int_equal(mr_checkpoint_write(f.context.io, f.path, text, f.parts, 3, NULL), MR_OK);
    uint8_t whole[5000];
    FILE *file = fopen(f.path, "rb");
    assert_non_null(file);
    const size_t n = fread(whole, 1, sizeof whole, file);
    assert_true(n > 4000 && n < sizeof whole - 1);
    (void)fclose(file);
    for (size_t at = 0; at < n; at += at < 150 ? 1 : 29) { /* one byte changed */
        whole[at] ^= 0x40;
        assert_true(test_dir_write(f.path, whole, n));
        assert_int_not_equal(read_as(&f, text, sizeof f.b, 3), MR_OK);
        whole[at] ^= 0x40;
    }
    for (size_t left = 0; left < n; left += left < 200 ? 1 : 101) { /* cut */
        assert_true(test_dir_write(f.path, whole, left));
        assert_int_not_equal(read_as(&f, text, sizeof f.b, 3), MR_OK);
    }
    assert_true(test_dir_write(f.path, whole, n + 1)); /* longer */
    assert_int_equal(read_as(&f, text, sizeof f.b, 3), MR_ERROR_CORRUPT);
    assert_true(test_dir_write(f.path, whole, n));
    assert_int_equal(read_as(&f, text, sizeof f.b, 3), MR_OK);
    close_fixture(&f);
}

static void test_a_failing_disk_leaves_the_old_one(void **unused)
{
    (void)unused;
    struct fixture f;
    open_fixture(&f);
    assert_int_equal(mr_checkpoint_write(f.context.io, f.path, text, f.parts, 3, NULL), MR_OK);
    bool failed = true;
    for (uint64_t at = 1; failed; at++) {
        const struct mr_fault_plan plan = {
            .kind = MR_FAULT_ERROR, .operations = MR_FAULT_ON_CHANGE, .at = at, .error_number = 5};
        struct mr_context context;
        assert_true(test_context_open_fault(&context, UINT64_MAX, 1, &plan));
        failed = mr_checkpoint_write(context.io, f.path, text, f.parts, 3, NULL) != MR_OK;
        test_context_close(&context);
        assert_int_equal(read_as(&f, text, sizeof f.b, 3), MR_OK);
        assert_true(at < 100);
    }
    close_fixture(&f);
}

static void test_only_a_checkpoint_is_replaced(void **unused)
{
    (void)unused;
    static const char *const others[] = {"", "1 2\n", "MRCHKPT", "MRCHKPT \nabc", "MILLRACE"};
    struct fixture f;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct mr_error error = {0};
        assert_true(test_dir_write(f.path, others[i], strlen(others[i])));
        assert_int_equal(mr_checkpoint_may_replace(f.path, NULL), MR_ERROR_USAGE);
        assert_int_equal(mr_checkpoint_write(f.context.io, f.path, text, f.parts, 3, &error),
                         MR_ERROR_USAGE);
        assert_string_equal(error.message,
                            "is not a checkpoint and is not replaced; name another file with "
                            "--checkpoint");
        assert_true(test_dir_equals(f.path, others[i], strlen(others[i])));
    }
    assert_true(test_dir_write(f.path, "MRCHKPT\n damaged", 16));
    assert_int_equal(mr_checkpoint_may_replace(f.path, NULL), MR_OK);
    assert_int_equal(mr_checkpoint_write(f.context.io, f.path, text, f.parts, 3, NULL), MR_OK);
    assert_int_equal(read_as(&f, text, sizeof f.b, 3), MR_OK);
    close_fixture(&f);
}

TEST_MAIN(cmocka_unit_test(test_what_was_written_is_read_and_nothing_else),
          cmocka_unit_test(test_every_damage_is_noticed),
          cmocka_unit_test(test_a_failing_disk_leaves_the_old_one),
          cmocka_unit_test(test_only_a_checkpoint_is_replaced))
