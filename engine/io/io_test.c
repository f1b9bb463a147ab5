/* SPDX-License-Identifier: Apache-2.0 */
/* Files and names over the table of file operations: modes, short files, full disks, renames,
 * removal. */
#include "engine/io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/test.h"
#include "tests/support/test_dir.h"

struct fixture {
    struct test_dir dir;
    struct mr_io *io;
    struct mr_error err;
    char a[PATH_MAX], b[PATH_MAX];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    return !test_dir_make(&f->dir, NULL) || mr_io_create_real(&f->io, NULL) != MR_OK ||
           test_dir_path(&f->dir, "a", f->a) == NULL || test_dir_path(&f->dir, "b", f->b) == NULL;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mr_io_destroy(f->io);
    test_dir_remove(&f->dir);
    free(f);
    return 0;
}

static struct mr_file *open_ok(struct fixture *f, const char *path, unsigned flags)
{
    struct mr_file *file = NULL;
    assert_int_equal(mr_file_open(f->io, path, flags, &file, &f->err), MR_OK);
    return file;
}

static void what_is_written_is_read(void **state)
{
    struct fixture *f = *state;
    struct mr_file *file = open_ok(f, f->a, MR_OPEN_READ | MR_OPEN_WRITE);
    char data[6] = "";
    uint64_t bytes = 0;
    assert_int_equal(mr_file_write(file, "world", 6, 6, NULL), MR_OK);
    assert_int_equal(mr_file_write(file, "hello ", 6, 0, NULL), MR_OK);
    assert_int_equal(mr_file_sync(file, NULL), MR_OK);
    assert_int_equal(mr_file_read(file, data, 6, 6, NULL), MR_OK);
    assert_string_equal(data, "world");
    assert_int_equal(mr_file_size(file, &bytes, NULL), MR_OK);
    assert_int_equal(bytes, 12);
    assert_string_equal(mr_file_path(file), f->a);
    assert_ptr_equal(mr_file_io(file), f->io);
    assert_true((fcntl(mr_file_descriptor(file), F_GETFD) & FD_CLOEXEC) != 0);
    assert_int_equal(mr_file_close(file, NULL), MR_OK);
    assert_true(test_dir_equals(f->a, "hello world", 12));
}

static void creating_refuses_what_exists(void **state)
{
    struct fixture *f = *state;
    struct mr_file *file = NULL;
    char expected[PATH_MAX + 64], text[2048];
    assert_true(test_dir_write(f->a, "old", 3));
    assert_int_equal(mr_file_open(f->io, f->a, MR_OPEN_WRITE, &file, &f->err), MR_ERROR_RUNTIME);
    assert_null(file);
    assert_int_equal(f->err.os_errno, EEXIST);
    (void)snprintf(expected, sizeof expected, "%s: cannot create: File exists", f->a);
    assert_string_equal(mr_error_text(&f->err, text, sizeof text), expected);
    file = open_ok(f, f->a, MR_OPEN_WRITE | MR_OPEN_TRUNCATE);
    assert_int_equal(mr_file_close(file, NULL), MR_OK);
    assert_true(test_dir_equals(f->a, "", 0));
}

static void a_missing_file_is_named(void **state)
{
    struct fixture *f = *state;
    struct mr_file *file = NULL;
    assert_int_equal(mr_file_open(f->io, f->a, MR_OPEN_READ, &file, &f->err), MR_ERROR_INPUT);
    assert_string_equal(f->err.file, f->a);
    assert_string_equal(f->err.message, "cannot open: No such file or directory");
    mr_file_abandon(NULL);
}

static void reading_past_the_end_is_corruption(void **state)
{
    struct fixture *f = *state;
    char data[8];
    assert_true(test_dir_write(f->a, "12345", 5));
    struct mr_file *file = open_ok(f, f->a, MR_OPEN_READ);
    assert_int_equal(mr_file_read(file, data, 8, 2, &f->err), MR_ERROR_CORRUPT);
    assert_int_equal(f->err.location_kind, MR_ERROR_LOCATION_OFFSET);
    assert_int_equal(f->err.position, 2);
    assert_string_equal(f->err.message, "file ends at 5, 5 bytes short of what is recorded; it is "
                                        "truncated");
    mr_error_clear(&f->err);
    assert_int_equal(mr_file_read(file, data, 1, UINT64_MAX - 1, &f->err), MR_ERROR_RUNTIME);
    assert_int_equal(mr_file_read(file, data, 0, 99, NULL), MR_OK);
    mr_file_abandon(file);
}

static void a_full_disk_is_a_matter_of_budget(void **state)
{
    struct fixture *f = *state;
    struct mr_file *file = NULL;
    if (mr_file_open(f->io, "/dev/full", MR_OPEN_WRITE | MR_OPEN_TRUNCATE, &file, NULL) != MR_OK) {
        skip();
    }
    assert_int_equal(mr_file_write(file, "x", 1, 0, &f->err), MR_ERROR_BUDGET);
    assert_int_equal(f->err.os_errno, ENOSPC);
    assert_string_equal(f->err.message, "cannot write; free some space or write elsewhere (-o, "
                                        "--tmp): No space left on device");
    mr_file_abandon(file);
}

/* The bytes are the same with and without O_DIRECT, on disk and in memory. */
static void direct_files_read_alike(void **state)
{
    struct fixture *f = *state;
    enum { BYTES = 5 * 4096 };
    static _Alignas(4096) uint8_t data[BYTES], found[BYTES + 4096];
    const char *parents[] = {f->dir.path, "/dev/shm"};
    for (size_t i = 0; i < BYTES; i++) {
        data[i] = (uint8_t)(i * 31 >> 3);
    }
    for (size_t i = 0; i < 2; i++) {
        struct test_dir dir;
        char path[PATH_MAX];
        if (!test_dir_make(&dir, parents[i])) {
            continue;
        }
        (void)test_dir_path(&dir, "direct", path);
        struct mr_file *file = open_ok(f, path, MR_OPEN_WRITE | MR_OPEN_DIRECT);
        assert_int_equal(mr_file_write(file, data, BYTES, 0, &f->err), MR_OK);
        assert_int_equal(mr_file_close(file, NULL), MR_OK);
        assert_true(test_dir_equals(path, data, BYTES));
        file = open_ok(f, path, MR_OPEN_READ | MR_OPEN_DIRECT);
        print_message("%s: %s\n", dir.path, mr_file_is_direct(file) ? "direct" : "buffered");
        assert_int_equal(mr_file_read(file, found, BYTES - 4096, 4096, &f->err), MR_OK);
        assert_memory_equal(found, data + 4096, BYTES - 4096);
        mr_file_abandon(file);
        /* The end lies inside a sector: nothing can be read beyond it. */
        assert_int_equal(truncate(path, BYTES - 1000), 0);
        file = open_ok(f, path, MR_OPEN_READ | MR_OPEN_DIRECT);
        mr_error_clear(&f->err);
        assert_int_equal(mr_file_read(file, found, BYTES + 4096, 0, &f->err), MR_ERROR_CORRUPT);
        assert_non_null(strstr(f->err.message, "file ends at 19480, 5096 bytes short"));
        mr_file_abandon(file);
        test_dir_remove(&dir);
    }
}

static void a_sync_that_is_begun_changes_nothing(void **state)
{
    struct fixture *f = *state;
    enum { BYTES = 64 << 10 };
    static char data[BYTES], after[BYTES];
    memset(data, 'x', BYTES);
    struct mr_file *file = open_ok(f, f->a, MR_OPEN_READ | MR_OPEN_WRITE);
    assert_int_equal(mr_file_write(file, data, BYTES, 0, NULL), MR_OK);
    mr_file_start_sync(file, 0, BYTES);
    mr_file_start_sync(file, BYTES, BYTES); /* a range without data */
    assert_int_equal(mr_file_read(file, after, BYTES, 0, NULL), MR_OK);
    assert_memory_equal(after, data, BYTES);
    assert_int_equal(mr_file_sync(file, NULL), MR_OK);
    assert_int_equal(mr_file_close(file, NULL), MR_OK);
}

static void punching_keeps_the_size(void **state)
{
    struct fixture *f = *state;
    enum { BYTES = 64 << 10 };
    static char data[BYTES], after[BYTES];
    uint64_t bytes = 0;
    memset(data, 'x', BYTES);
    struct mr_file *file = open_ok(f, f->a, MR_OPEN_READ | MR_OPEN_WRITE);
    assert_int_equal(mr_file_write(file, data, BYTES, 0, NULL), MR_OK);
    mr_file_punch(file, 0, BYTES / 2);
    mr_file_punch(file, 0, 0);
    assert_int_equal(mr_file_size(file, &bytes, NULL), MR_OK);
    assert_int_equal(bytes, BYTES);
    assert_int_equal(mr_file_read(file, after, BYTES, 0, NULL), MR_OK);
    assert_memory_equal(after + BYTES / 2, data + BYTES / 2, BYTES / 2);
    /* the range is gone if the file system can punch */
    assert_true(after[0] == 0 || after[0] == 'x');
    assert_int_equal(mr_file_close(file, NULL), MR_OK);
}

static void renaming_has_three_modes(void **state)
{
    struct fixture *f = *state;
    assert_true(test_dir_write(f->a, "new", 3));
    assert_int_equal(mr_io_rename(f->io, f->a, f->b, MR_RENAME_NO_REPLACE, NULL), MR_OK);
    assert_false(mr_io_exists(f->a));
    assert_true(test_dir_write(f->a, "newer", 5));
    assert_int_equal(mr_io_rename(f->io, f->a, f->b, MR_RENAME_NO_REPLACE, &f->err),
                     MR_ERROR_RUNTIME);
    assert_int_equal(f->err.os_errno, EEXIST);
    assert_int_equal(mr_io_rename(f->io, f->a, f->b, MR_RENAME_EXCHANGE, NULL), MR_OK);
    assert_true(test_dir_equals(f->a, "new", 3));
    assert_true(test_dir_equals(f->b, "newer", 5));
    assert_int_equal(mr_io_rename(f->io, f->a, f->b, MR_RENAME_REPLACE, NULL), MR_OK);
    assert_true(test_dir_equals(f->b, "new", 3));
    assert_int_equal(mr_io_unlink(f->io, f->b, NULL), MR_OK);
    mr_error_clear(&f->err);
    assert_int_equal(mr_io_unlink(f->io, f->b, &f->err), MR_ERROR_RUNTIME);
    assert_int_equal(f->err.os_errno, ENOENT);
}

static void a_store_directory_goes_with_its_files_only(void **state)
{
    struct fixture *f = *state;
    char path[2 * PATH_MAX], precious[PATH_MAX], link[PATH_MAX];
    assert_int_equal(mr_io_make_dir(f->io, f->a, NULL), MR_OK);
    assert_int_equal(mr_io_make_dir(f->io, f->a, &f->err), MR_ERROR_RUNTIME);
    assert_true(mr_io_is_directory(f->a));
    for (int i = 0; i < 300; i++) {
        (void)snprintf(path, sizeof path, "%s/web.edges.tmp-%d", f->a, i);
        assert_true(test_dir_write(path, "x", 1));
    }
    assert_int_equal(mr_io_sync_dir(f->io, f->a, NULL), MR_OK);
    mr_io_remove_store_dir(f->io, f->a);
    assert_false(mr_io_exists(f->a));
    /* Removal does not follow links and does not enter subdirectories. */
    assert_int_equal(mkdir(f->b, 0777), 0);
    (void)snprintf(precious, sizeof precious, "%.4000s/precious", f->b);
    assert_true(test_dir_write(precious, "x", 1));
    assert_int_equal(symlink(f->b, f->a), 0);
    mr_io_remove_store_dir(f->io, f->a);
    assert_true(mr_io_exists(precious));
    assert_int_equal(symlink(f->b, test_dir_path(&f->dir, "links.1", link)), 0);
    mr_io_remove_store_dir(f->io, f->dir.path);
    assert_false(mr_io_exists(link));
    assert_true(mr_io_exists(f->a)); /* its name is not one of a store's */
    assert_true(mr_io_exists(precious));
    mr_io_remove_store_dir(f->io, precious);
    assert_true(mr_io_exists(precious));
}

static void a_dangling_link_exists(void **state)
{
    struct fixture *f = *state;
    assert_false(mr_io_exists(f->a));
    assert_int_equal(symlink("nowhere", f->a), 0);
    assert_true(mr_io_exists(f->a));
    assert_false(mr_io_is_directory(f->a));
}

static void free_space_is_found_for_names_to_come(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    uint64_t bytes = 0;
    assert_int_equal(mr_io_free_bytes(test_dir_path(&f->dir, "x/y/z", path), &bytes, &f->err),
                     MR_OK);
    assert_true(bytes > 0);
    assert_int_equal(mr_io_free_bytes("no-such-name", &bytes, NULL), MR_OK);
    assert_int_equal(mr_io_free_bytes("no-such/name", &bytes, NULL), MR_OK);
    assert_int_equal(mr_io_free_bytes("/no-such-name", &bytes, NULL), MR_OK);
    assert_true(test_dir_write(f->a, "x", 1));
    (void)test_dir_path(&f->dir, "a/below-a-file", path);
    assert_int_equal(mr_io_free_bytes(path, &bytes, &f->err), MR_ERROR_RUNTIME);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(what_is_written_is_read), TEST(creating_refuses_what_exists),
          TEST(a_missing_file_is_named), TEST(reading_past_the_end_is_corruption),
          TEST(a_full_disk_is_a_matter_of_budget), TEST(direct_files_read_alike),
          TEST(a_sync_that_is_begun_changes_nothing), TEST(punching_keeps_the_size),
          TEST(renaming_has_three_modes), TEST(a_store_directory_goes_with_its_files_only),
          TEST(a_dangling_link_exists), TEST(free_space_is_found_for_names_to_come))
