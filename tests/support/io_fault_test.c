/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the failing back end itself: each kind of failure comes at the operation that the plan
 * names, and at no other. */
#include "tests/support/io_fault.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/test.h"
#include "tests/support/test_dir.h"

struct fixture {
    struct test_dir dir;
    char path[PATH_MAX];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    bool made = test_dir_make(&f->dir, NULL);
    (void)test_dir_path(&f->dir, "links.1", f->path);
    return !made;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    test_dir_remove(&f->dir);
    free(f);
    return 0;
}

static struct mr_io *fault_io(struct mr_fault_plan plan)
{
    struct mr_io *real = NULL, *io = NULL;
    assert_int_equal(mr_io_create_real(&real, NULL), MR_OK);
    assert_int_equal(mr_io_create_fault(real, &plan, &io, NULL), MR_OK);
    return io;
}

/* Open (name), write twice, sync, close (sync): five changes. */
static enum mr_status write_file(struct mr_io *io, const char *path, struct mr_error *err)
{
    struct mr_file *file = NULL;
    enum mr_status status = mr_file_open(io, path, MR_OPEN_WRITE | MR_OPEN_TRUNCATE, &file, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_file_write(file, "12345678", 8, 0, err);
    if (status == MR_OK) {
        status = mr_file_write(file, "abcdefgh", 8, 8, err);
    }
    if (status == MR_OK) {
        status = mr_file_sync(file, err);
    }
    if (status != MR_OK) {
        mr_file_abandon(file);
        return status;
    }
    return mr_file_close(file, err);
}

static void without_a_fault_it_only_counts(void **state)
{
    struct fixture *f = *state;
    struct mr_io *io = fault_io((struct mr_fault_plan){.operations = MR_FAULT_ON_CHANGE, .at = 2});
    assert_int_equal(write_file(io, f->path, NULL), MR_OK);
    assert_int_equal(mr_io_fault_count(io), 5);
    mr_io_destroy(io);
}

static void every_change_can_fail(void **state)
{
    struct fixture *f = *state;
    uint64_t at = 0;
    enum mr_status status;
    do {
        struct mr_error err = {.status = MR_OK};
        struct mr_io *io = fault_io((struct mr_fault_plan){.kind = MR_FAULT_ERROR,
                                                           .operations = MR_FAULT_ON_CHANGE,
                                                           .at = ++at,
                                                           .error_number = ENOSPC});
        status = write_file(io, f->path, &err);
        assert_true(status == MR_OK || status == MR_ERROR_BUDGET);
        assert_int_equal(err.os_errno, status == MR_OK ? 0 : ENOSPC);
        mr_io_destroy(io);
    } while (status != MR_OK);
    assert_int_equal(at, 6);
}

static void a_disk_that_stays_full_fails_from_then_on(void **state)
{
    struct fixture *f = *state;
    struct mr_fault_plan plan = {
        .kind = MR_FAULT_ERROR, .operations = MR_FAULT_ON_SYNC, .at = 2, .error_number = EDQUOT};
    struct mr_io *io = fault_io(plan);
    assert_int_equal(write_file(io, f->path, NULL), MR_ERROR_BUDGET); /* at close */
    assert_int_equal(write_file(io, f->path, NULL), MR_OK);
    mr_io_destroy(io);
    plan.and_after = true;
    io = fault_io(plan);
    assert_int_equal(write_file(io, f->path, NULL), MR_ERROR_BUDGET);
    assert_int_equal(write_file(io, f->path, NULL), MR_ERROR_BUDGET);
    mr_io_destroy(io);
}

static void a_short_transfer_is_continued_or_fails(void **state)
{
    struct fixture *f = *state;
    char data[16];
    struct mr_fault_plan plan = {
        .kind = MR_FAULT_SHORT, .operations = MR_FAULT_ON_WRITE | MR_FAULT_ON_READ, .at = 1};
    struct mr_io *io = fault_io(plan);
    assert_int_equal(write_file(io, f->path, NULL), MR_OK);
    assert_int_equal(mr_io_fault_count(io), 3); /* 4 bytes, 4 bytes, 8 bytes */
    assert_true(test_dir_equals(f->path, "12345678abcdefgh", 16));
    mr_io_destroy(io);

    plan.error_number = EIO;
    io = fault_io(plan);
    struct mr_file *file = NULL;
    struct mr_error err = {.status = MR_OK};
    assert_int_equal(mr_file_open(io, f->path, MR_OPEN_READ, &file, NULL), MR_OK);
    assert_int_equal(mr_file_read(file, data, 16, 0, &err), MR_ERROR_RUNTIME);
    assert_string_equal(err.message, "cannot read 8 bytes at offset 8: Input/output error");
    assert_int_equal(mr_file_read(file, data, 16, 0, NULL), MR_OK);
    mr_file_abandon(file);
    mr_io_destroy(io);
}

static void flipped_reads_go_well_and_are_wrong(void **state)
{
    struct fixture *f = *state;
    const char wrote[] = "12345678abcdefgh";
    char data[16];
    struct mr_io *io = fault_io((struct mr_fault_plan){
        .kind = MR_FAULT_FLIP, .operations = MR_FAULT_ON_READ | MR_FAULT_ON_CHANGE, .at = 6});
    struct mr_file *file = NULL;
    assert_int_equal(write_file(io, f->path, NULL), MR_OK); /* five changes */
    assert_int_equal(mr_file_open(io, f->path, MR_OPEN_READ, &file, NULL), MR_OK);
    assert_int_equal(mr_file_read(file, data, 16, 0, NULL), MR_OK);
    for (size_t i = 0; i < sizeof data; i++) {
        assert_int_equal(data[i], (char)~wrote[i]);
    }
    assert_int_equal(mr_file_read(file, data, 16, 0, NULL), MR_OK);
    assert_memory_equal(data, wrote, 16);
    mr_file_abandon(file);
    mr_io_destroy(io);
}

static void a_crash_leaves_half_of_a_write(void **state)
{
    struct fixture *f = *state;
    pid_t child = fork();
    if (child == 0) {
        struct mr_io *io = fault_io((struct mr_fault_plan){
            .kind = MR_FAULT_CRASH, .operations = MR_FAULT_ON_WRITE, .at = 2});
        _exit(write_file(io, f->path, NULL) == MR_OK ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 99);
    assert_true(test_dir_equals(f->path, "12345678abcd", 12));
}

static void names_can_fail(void **state)
{
    struct fixture *f = *state;
    struct mr_io *io = fault_io((struct mr_fault_plan){.kind = MR_FAULT_ERROR,
                                                       .operations = MR_FAULT_ON_NAME,
                                                       .at = 1,
                                                       .and_after = true,
                                                       .error_number = EACCES});
    assert_int_equal(mr_io_make_dir(io, f->path, NULL), MR_ERROR_RUNTIME);
    assert_false(mr_io_exists(f->path));
    assert_true(test_dir_write(f->path, "x", 1));
    assert_int_equal(mr_io_unlink(io, f->path, NULL), MR_ERROR_RUNTIME);
    assert_int_equal(mr_io_rename(io, f->path, "x", MR_RENAME_REPLACE, NULL), MR_ERROR_RUNTIME);
    assert_int_equal(mr_io_sync_dir(io, f->dir.path, NULL), MR_ERROR_RUNTIME);
    mr_io_remove_store_dir(io, f->dir.path); /* the fault ends the removal; it does not hang */
    assert_true(mr_io_exists(f->path));
    assert_int_equal(mr_io_fault_count(io), 6);
    struct mr_file *file = NULL;
    assert_int_equal(mr_file_open(io, f->path, MR_OPEN_READ, &file, NULL), MR_OK);
    mr_file_abandon(file);
    mr_io_destroy(io);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(without_a_fault_it_only_counts), TEST(every_change_can_fail),
          TEST(a_disk_that_stays_full_fails_from_then_on),
          TEST(a_short_transfer_is_continued_or_fails), TEST(flipped_reads_go_well_and_are_wrong),
          TEST(a_crash_leaves_half_of_a_write), TEST(names_can_fail))
