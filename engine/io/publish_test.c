/* SPDX-License-Identifier: Apache-2.0 */
/* Publication: final names, leftovers, other people's files, and a failure or crash at every
 * operation. */
#include "engine/io/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "engine/base/format.h"
#include "engine/io/store_lock.h"
#include "tests/support/io_fault.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

struct fixture {
    struct test_dir dir;
    struct mr_io *io;
    struct mr_error err;
    char path[PATH_MAX];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    bool made = test_dir_make(&f->dir, NULL);
    (void)test_dir_path(&f->dir, "out", f->path);
    return !made || mr_io_create_real(&f->io, NULL) != MR_OK;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mr_io_destroy(f->io);
    test_dir_remove(&f->dir);
    free(f);
    return 0;
}

/* Writes, syncs and closes one file. */
static enum mr_status put(struct mr_io *io, const char *path, const char *content,
                          struct mr_error *err)
{
    struct mr_file *file = NULL;
    enum mr_status status = mr_file_open(io, path, MR_OPEN_WRITE | MR_OPEN_TRUNCATE, &file, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_file_write(file, content, strlen(content), 0, err);
    if (status == MR_OK) {
        status = mr_file_sync(file, err);
    }
    if (status != MR_OK) {
        mr_file_abandon(file);
        return status;
    }
    return mr_file_close(file, err);
}

/* Everything that a writer does: publishes a file, or a directory of two files, with this
 * content. */
static enum mr_status write_output_with(struct mr_io *io, const char *path,
                                        enum mr_publish_kind kind, bool force, const char *content,
                                        struct mr_publish_group *group, struct mr_error *err)
{
    struct mr_publish *publish = NULL;
    char inside[PATH_MAX];
    enum mr_status status = mr_publish_begin(io, path, kind, force, &publish, err);
    if (status != MR_OK) {
        return status;
    }
    if (kind == MR_PUBLISH_FILE) {
        status = put(io, mr_publish_path(publish), content, err);
    } else {
        (void)snprintf(inside, sizeof inside, "%s/links.1", mr_publish_path(publish));
        status = put(io, inside, content, err);
        if (status == MR_OK) {
            (void)snprintf(inside, sizeof inside, "%s/%s", mr_publish_path(publish),
                           MR_MANIFEST_NAME);
            status = put(io, inside, content, err);
        }
    }
    if (status != MR_OK) {
        mr_publish_abandon(publish);
        return status;
    }
    return mr_publish_commit_with(publish, group, err);
}

static enum mr_status write_output(struct mr_io *io, const char *path, enum mr_publish_kind kind,
                                   bool force, const char *content, struct mr_error *err)
{
    return write_output_with(io, path, kind, force, content, NULL, err);
}

/* True if the final name has exactly `content`; a directory may also have a lock that nobody
 * holds. */
static bool is_whole(const char *path, enum mr_publish_kind kind, const char *content)
{
    char inside[PATH_MAX];
    if (kind == MR_PUBLISH_FILE) {
        return test_dir_equals(path, content, strlen(content));
    }
    (void)snprintf(inside, sizeof inside, "%.4000s/links.1", path);
    bool blocks = test_dir_equals(inside, content, strlen(content));
    (void)snprintf(inside, sizeof inside, "%.4000s/" MR_LOCK_NAME, path);
    const unsigned n_locks = access(inside, F_OK) == 0; /* of a process that died */
    (void)snprintf(inside, sizeof inside, "%.4000s/%s", path, MR_MANIFEST_NAME);
    const bool manifest = test_dir_equals(inside, content, strlen(content));
    (void)snprintf(inside, sizeof inside, "%.4000s/notes.txt", path);
    const unsigned n_notes = access(inside, F_OK) == 0; /* somebody else's */
    return blocks && manifest && test_dir_count(path) == 2 + n_locks + n_notes;
}

/* Adds a file to the store that does not belong to it. */
static void put_notes(const char *path)
{
    char notes[PATH_MAX];
    (void)snprintf(notes, sizeof notes, "%.4000s/notes.txt", path);
    assert_true(test_dir_write(notes, "mine", 4));
}

static bool has_notes(const char *path)
{
    char notes[PATH_MAX];
    (void)snprintf(notes, sizeof notes, "%.4000s/notes.txt", path);
    return test_dir_equals(notes, "mine", 4);
}

/* True if the notes are in the store, or in a directory that a crash left under another name. */
static bool has_notes_somewhere(const struct fixture *f)
{
    char path[PATH_MAX];
    bool found = false;
    DIR *listing = opendir(f->dir.path);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        found |= entry->d_name[0] != '.' && has_notes(test_dir_path(&f->dir, entry->d_name, path));
    }
    (void)closedir(listing);
    return found;
}

static void an_output_appears_under_its_name_only(void **state)
{
    struct fixture *f = *state;
    for (int kind = MR_PUBLISH_FILE; kind <= MR_PUBLISH_DIRECTORY; kind++) {
        assert_int_equal(
            write_output(f->io, f->path, (enum mr_publish_kind)kind, false, "one", &f->err), MR_OK);
        assert_true(is_whole(f->path, (enum mr_publish_kind)kind, "one"));
        assert_int_equal(
            write_output(f->io, f->path, (enum mr_publish_kind)kind, true, "two", &f->err), MR_OK);
        assert_true(is_whole(f->path, (enum mr_publish_kind)kind, "two"));
        assert_int_equal(test_dir_count(f->dir.path), 1);
        mr_io_remove_store_dir(f->io, f->path);
        (void)unlink(f->path);
    }
}

static void what_exists_is_refused_at_the_beginning(void **state)
{
    struct fixture *f = *state;
    struct mr_publish *publish = NULL;
    assert_true(test_dir_write(f->path, "old", 3));
    assert_int_equal(mr_publish_begin(f->io, f->path, MR_PUBLISH_FILE, false, &publish, &f->err),
                     MR_ERROR_USAGE);
    assert_null(publish);
    assert_string_equal(f->err.message, "exists; use --force to replace it");
    assert_string_equal(f->err.file, f->path);
    mr_publish_abandon(NULL);
}

static void what_appears_meanwhile_is_kept(void **state)
{
    struct fixture *f = *state;
    struct mr_publish *publish = NULL;
    assert_int_equal(mr_publish_begin(f->io, f->path, MR_PUBLISH_FILE, false, &publish, &f->err),
                     MR_OK);
    assert_int_equal(put(f->io, mr_publish_path(publish), "ours", NULL), MR_OK);
    assert_true(test_dir_write(f->path, "theirs", 6));
    assert_int_equal(mr_publish_commit(publish, &f->err), MR_ERROR_USAGE);
    assert_string_equal(f->err.message, "exists since a moment ago; use --force to replace it");
    assert_true(test_dir_equals(f->path, "theirs", 6));
    assert_int_equal(test_dir_count(f->dir.path), 1);
}

static void force_replaces_outputs_and_nothing_else(void **state)
{
    struct fixture *f = *state;
    struct mr_publish *publish = NULL;
    char precious[PATH_MAX];
    assert_int_equal(mkdir(f->path, 0777), 0);
    /* A file never replaces a directory; a store may replace an empty one. */
    assert_int_equal(mr_publish_begin(f->io, f->path, MR_PUBLISH_FILE, true, &publish, &f->err),
                     MR_ERROR_USAGE);
    assert_int_equal(mr_publish_begin(f->io, f->path, MR_PUBLISH_DIRECTORY, true, &publish, NULL),
                     MR_OK);
    mr_publish_abandon(publish);
    (void)test_dir_path(&f->dir, "out/precious", precious);
    assert_true(test_dir_write(precious, "x", 1));
    mr_error_clear(&f->err);
    assert_int_equal(
        mr_publish_begin(f->io, f->path, MR_PUBLISH_DIRECTORY, true, &publish, &f->err),
        MR_ERROR_USAGE);
    assert_string_equal(f->err.message, "is not a store and is not replaced; give another name");
    assert_int_equal(mr_publish_begin(f->io, precious, MR_PUBLISH_DIRECTORY, true, &publish, NULL),
                     MR_ERROR_USAGE);
    mr_error_clear(&f->err);
    assert_int_equal(mr_publish_begin(f->io, "/dev/null", MR_PUBLISH_FILE, true, &publish, &f->err),
                     MR_ERROR_USAGE);
    assert_string_equal(f->err.message,
                        "is not a regular file and is not replaced; give another name");
    assert_true(mr_io_exists(precious));
}

static void names_that_name_nothing_are_refused(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {".", "..", "/", "", "//", "x/.."};
    struct mr_publish *publish = NULL;
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(
            mr_publish_begin(f->io, names[i], MR_PUBLISH_DIRECTORY, true, &publish, NULL),
            MR_ERROR_USAGE);
    }
    (void)test_dir_path(&f->dir, "missing/out", path);
    assert_int_equal(mr_publish_begin(f->io, path, MR_PUBLISH_FILE, true, &publish, &f->err),
                     MR_ERROR_RUNTIME);
    assert_int_equal(f->err.os_errno, ENOENT);
    /* Trailing slashes come from the shell's completion and are not part of the name. */
    (void)test_dir_path(&f->dir, "out//", path);
    assert_int_equal(write_output(f->io, path, MR_PUBLISH_DIRECTORY, false, "one", NULL), MR_OK);
    assert_true(is_whole(f->path, MR_PUBLISH_DIRECTORY, "one"));
}

static void nothing_is_published_inside_a_store(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"out/links.1", "out/new", "link/MANIFEST", "out/deep/new"};
    struct mr_publish *publish = NULL;
    char path[PATH_MAX];
    assert_int_equal(
        write_output(f->io, f->path, MR_PUBLISH_DIRECTORY, false, MR_MANIFEST_MAGIC, NULL), MR_OK);
    assert_int_equal(mkdir(test_dir_path(&f->dir, "out/deep", path), 0777), 0);
    assert_int_equal(symlink("out", test_dir_path(&f->dir, "link", path)), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (unsigned kind = MR_PUBLISH_FILE; kind <= MR_PUBLISH_DIRECTORY; kind++) {
            mr_error_clear(&f->err);
            assert_int_equal(mr_publish_begin(f->io, test_dir_path(&f->dir, names[i], path),
                                              (enum mr_publish_kind)kind, true, &publish, &f->err),
                             MR_ERROR_USAGE);
            assert_string_equal(f->err.message,
                                "is inside a store, which may hold only its own files; choose "
                                "another path");
        }
    }
}

static void a_link_is_replaced_not_what_it_points_at(void **state)
{
    struct fixture *f = *state;
    char target[PATH_MAX];
    (void)test_dir_path(&f->dir, "target", target);
    assert_int_equal(write_output(f->io, target, MR_PUBLISH_DIRECTORY, false, "old", NULL), MR_OK);
    assert_int_equal(symlink("target", f->path), 0);
    assert_int_equal(write_output(f->io, f->path, MR_PUBLISH_DIRECTORY, true, "new", NULL), MR_OK);
    assert_true(is_whole(f->path, MR_PUBLISH_DIRECTORY, "new"));
    assert_true(is_whole(target, MR_PUBLISH_DIRECTORY, "old"));
    assert_int_equal(test_dir_count(f->dir.path), 2);
}

static void what_is_not_the_stores_stays(void **state)
{
    struct fixture *f = *state;
    char deeper[PATH_MAX], file[PATH_MAX];
    assert_int_equal(write_output(f->io, f->path, MR_PUBLISH_DIRECTORY, false, "old", NULL), MR_OK);
    put_notes(f->path);
    assert_int_equal(mkdir(test_dir_path(&f->dir, "out/deeper", deeper), 0777), 0);
    assert_true(test_dir_write(test_dir_path(&f->dir, "out/deeper/links.1", file), "x", 1));
    assert_int_equal(write_output(f->io, f->path, MR_PUBLISH_DIRECTORY, true, "new", NULL), MR_OK);
    assert_true(has_notes(f->path));
    assert_true(test_dir_equals(file, "x", 1));
    assert_int_equal(test_dir_count(f->dir.path), 1); /* the old store is gone */
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(deeper), 0);
    assert_true(is_whole(f->path, MR_PUBLISH_DIRECTORY, "new"));
    /* Removing a store does not remove it either. */
    mr_io_remove_store_dir(f->io, f->path);
    assert_true(has_notes(f->path));
    assert_int_equal(test_dir_count(f->path), 1);
}

static void leftovers_of_the_dead_are_removed(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX], name[64];
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)snprintf(name, sizeof name, "out.tmp-%ld", (long)child);
    assert_int_equal(mkdir(test_dir_path(&f->dir, name, path), 0777), 0);
    (void)snprintf(name, sizeof name, "out.tmp-%ld/links.1", (long)child);
    assert_true(test_dir_write(test_dir_path(&f->dir, name, path), "x", 1));
    (void)snprintf(name, sizeof name, "out.tmp-%ld", (long)getpid()); /* a reused pid */
    assert_true(test_dir_write(test_dir_path(&f->dir, name, path), "x", 1));
    (void)snprintf(name, sizeof name, "out.tmp-%ld",
                   (long)getppid()); /* alive, but without a lock */
    assert_true(test_dir_write(test_dir_path(&f->dir, name, path), "x", 1));
    /* These stay: the output that a process holds, though in this container no process has its id;
     * another output, and a name that only looks similar. */
    (void)snprintf(name, sizeof name, "out.tmp-%ld.tmp-%ld", (long)child, (long)child);
    assert_true(test_dir_write(test_dir_path(&f->dir, name, path), "x", 1));
    const int held = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(held, LOCK_EX | LOCK_NB), 0);
    (void)snprintf(name, sizeof name, "out2.tmp-%ld", (long)child);
    assert_true(test_dir_write(test_dir_path(&f->dir, name, path), "x", 1));
    (void)snprintf(name, sizeof name, "out.tmp-%ld.old", (long)child);
    assert_true(test_dir_write(test_dir_path(&f->dir, name, path), "x", 1));
    assert_true(test_dir_write(test_dir_path(&f->dir, "out.tmp-", path), "x", 1));
    assert_int_equal(write_output(f->io, f->path, MR_PUBLISH_FILE, false, "one", &f->err), MR_OK);
    assert_int_equal(test_dir_count(f->dir.path), 5);
    assert_int_equal(close(held), 0);
    assert_int_equal(write_output(f->io, f->path, MR_PUBLISH_FILE, true, "two", &f->err), MR_OK);
    assert_int_equal(test_dir_count(f->dir.path), 4);
}

/* ---- Failing and crashing at operation 1, 2, 3 ... ---- */

struct scene {
    enum mr_publish_kind kind;
    bool old; /* something of this name exists and is replaced */
    bool notes; /* it contains a file that does not belong to a store */
};

static const struct scene scenes[] = {
    {MR_PUBLISH_FILE, false, false},      {MR_PUBLISH_FILE, true, false},
    {MR_PUBLISH_DIRECTORY, false, false}, {MR_PUBLISH_DIRECTORY, true, false},
    {MR_PUBLISH_DIRECTORY, true, true},
};

static enum mr_status publish_with_fault(const char *path, enum mr_publish_kind kind,
                                         const struct mr_fault_plan *plan, uint64_t *count,
                                         struct mr_error *err)
{
    struct mr_io *real = NULL, *io = NULL;
    assert_int_equal(mr_io_create_real(&real, NULL), MR_OK);
    assert_int_equal(mr_io_create_fault(real, plan, &io, NULL), MR_OK);
    enum mr_status status = write_output(io, path, kind, true, "the new one", err);
    *count = mr_io_fault_count(io);
    mr_io_destroy(io);
    return status;
}

/* The final name has the old content or the new one, or does not exist if it did not exist
 * before. */
static void assert_never_half(const char *path, const struct scene *scene, bool succeeded)
{
    if (is_whole(path, scene->kind, "the new one")) {
        return;
    }
    assert_false(succeeded);
    if (scene->old) {
        assert_true(is_whole(path, scene->kind, "old"));
    } else {
        assert_false(mr_io_exists(path));
    }
}

static void begin_scene(struct fixture *f, const struct scene *scene)
{
    test_dir_remove(&f->dir);
    assert_int_equal(mkdir(f->dir.path, 0777), 0);
    if (scene->old) {
        assert_int_equal(write_output(f->io, f->path, scene->kind, false, "old", NULL), MR_OK);
    }
    if (scene->notes) {
        put_notes(f->path);
    }
}

static void an_error_anywhere_leaves_no_half_output(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        for (int kind = MR_FAULT_ERROR; kind <= MR_FAULT_SHORT; kind++) {
            uint64_t at = 0, count = 0;
            do {
                struct mr_error err = {.status = MR_OK};
                struct mr_fault_plan plan = {.kind = (enum mr_fault_kind)kind,
                                             .operations = MR_FAULT_ON_CHANGE,
                                             .at = ++at,
                                             .error_number = ENOSPC};
                begin_scene(f, &scenes[i]);
                enum mr_status status =
                    publish_with_fault(f->path, scenes[i].kind, &plan, &count, &err);
                assert_true(status == MR_OK || status == MR_ERROR_BUDGET);
                assert_int_equal(err.status, status);
                assert_never_half(f->path, &scenes[i], status == MR_OK);
                assert_int_equal(has_notes_somewhere(f), scenes[i].notes);
                /* A failing removal leaves at most one leftover; after any other failure there is
                 * none. */
                assert_true(test_dir_count(f->dir.path) <= 2);
            } while (at <= count);
            print_message("scene %zu, kind %d: %llu operations\n", i, kind,
                          (unsigned long long)count);
            assert_true(count >= 6);
        }
    }
}

static void a_crash_anywhere_leaves_no_half_output(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        uint64_t at = 0, count = 0;
        int code;
        do {
            struct mr_fault_plan plan = {
                .kind = MR_FAULT_CRASH, .operations = MR_FAULT_ON_CHANGE, .at = ++at};
            begin_scene(f, &scenes[i]);
            pid_t child = fork();
            if (child == 0) {
                enum mr_status status =
                    publish_with_fault(f->path, scenes[i].kind, &plan, &count, NULL);
                _exit((int)status);
            }
            int status = 0;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFEXITED(status));
            code = WEXITSTATUS(status);
            assert_true(code == 99 || code == MR_OK);
            assert_never_half(f->path, &scenes[i], code == MR_OK);
            assert_int_equal(has_notes_somewhere(f), scenes[i].notes);
            /* The next run succeeds and removes the leftovers of the crashed one. */
            assert_int_equal(write_output(f->io, f->path, scenes[i].kind, true, "next", NULL),
                             MR_OK);
            assert_true(is_whole(f->path, scenes[i].kind, "next"));
            assert_int_equal(has_notes(f->path), scenes[i].notes);
            assert_int_equal(test_dir_count(f->dir.path), 1);
        } while (code == 99);
        assert_true(at >= 6);
    }
}

/* ---- Several outputs together ---- */

enum { TOGETHER = 3 };

static enum mr_publish_kind kind_together(unsigned which)
{
    return which == 1 ? MR_PUBLISH_DIRECTORY : MR_PUBLISH_FILE;
}

static void together_path(const struct fixture *f, unsigned which, char path[PATH_MAX])
{
    char name[8];
    (void)snprintf(name, sizeof name, "f%u", which);
    (void)test_dir_path(&f->dir, name, path);
}

/* Writes the files f0 and f2 and the directory f1, and publishes them together. */
static enum mr_status write_together(const struct fixture *f, struct mr_io *io, const char *content,
                                     struct mr_error *err)
{
    struct mr_publish_group group = {.n = 0};
    enum mr_status status = MR_OK;
    for (unsigned i = 0; i < TOGETHER && status == MR_OK; i++) {
        char path[PATH_MAX];
        together_path(f, i, path);
        status = write_output_with(io, path, kind_together(i), true, content, &group, err);
    }
    if (status != MR_OK) {
        mr_publish_group_abandon(&group);
        return status;
    }
    return mr_publish_group_commit(&group, err);
}

/* True if each output has `content`; if that is NULL, if none of them exists. */
static bool all_are(const struct fixture *f, const char *content)
{
    bool are = true;
    for (unsigned i = 0; i < TOGETHER; i++) {
        char path[PATH_MAX];
        together_path(f, i, path);
        are &= content == NULL ? !mr_io_exists(path) : is_whole(path, kind_together(i), content);
    }
    return are;
}

static void outputs_of_a_group_appear_together_or_not_at_all(void **state)
{
    struct fixture *f = *state;
    for (int has_old = 0; has_old < 2; has_old++) {
        uint64_t at = 0, count = 0;
        do {
            struct mr_error err = {.status = MR_OK};
            const struct mr_fault_plan plan = {.kind = MR_FAULT_ERROR,
                                               .operations = MR_FAULT_ON_CHANGE,
                                               .at = ++at,
                                               .error_number = EIO};
            struct mr_io *real = NULL, *io = NULL;
            test_dir_remove(&f->dir);
            assert_int_equal(mkdir(f->dir.path, 0777), 0);
            if (has_old) {
                assert_int_equal(write_together(f, f->io, "old", NULL), MR_OK);
            }
            assert_int_equal(mr_io_create_real(&real, NULL), MR_OK);
            assert_int_equal(mr_io_create_fault(real, &plan, &io, NULL), MR_OK);
            const enum mr_status status = write_together(f, io, "new", &err);
            count = mr_io_fault_count(io);
            mr_io_destroy(io);
            assert_int_equal(err.status, status);
            /* A directory that cannot be synced fails after the last rename. */
            if (status == MR_OK || !all_are(f, has_old ? "old" : NULL)) {
                assert_true(all_are(f, "new"));
            }
            assert_true(test_dir_count(f->dir.path) <= (unsigned)TOGETHER + 1);
        } while (at <= count);
        assert_true(at > 15);
        assert_true(all_are(f, "new"));
        assert_int_equal(test_dir_count(f->dir.path), TOGETHER);
    }
}

static void a_group_replaces_nothing_that_appeared_meanwhile(void **state)
{
    struct fixture *f = *state;
    struct mr_publish_group group = {.n = 0};
    char path[PATH_MAX];
    for (unsigned i = 0; i < TOGETHER; i++) {
        struct mr_publish *publish = NULL;
        together_path(f, i, path);
        assert_int_equal(mr_publish_begin(f->io, path, MR_PUBLISH_FILE, false, &publish, &f->err),
                         MR_OK);
        assert_int_equal(put(f->io, mr_publish_path(publish), "new", &f->err), MR_OK);
        assert_int_equal(mr_publish_commit_with(publish, &group, &f->err), MR_OK);
    }
    assert_true(test_dir_write(path, "other", 5));
    assert_int_equal(mr_publish_group_commit(&group, &f->err), MR_ERROR_USAGE);
    assert_string_equal(f->err.message, "exists since a moment ago; use --force to replace it");
    assert_true(test_dir_equals(path, "other", 5));
    assert_int_equal(test_dir_count(f->dir.path), 1);
    /* The group is empty afterwards; committing it again succeeds. */
    mr_error_clear(&f->err);
    assert_int_equal(mr_publish_group_commit(&group, &f->err), MR_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(an_output_appears_under_its_name_only),
          TEST(what_exists_is_refused_at_the_beginning), TEST(what_appears_meanwhile_is_kept),
          TEST(force_replaces_outputs_and_nothing_else), TEST(names_that_name_nothing_are_refused),
          TEST(nothing_is_published_inside_a_store), TEST(a_link_is_replaced_not_what_it_points_at),
          TEST(what_is_not_the_stores_stays),
          TEST(outputs_of_a_group_appear_together_or_not_at_all),
          TEST(a_group_replaces_nothing_that_appeared_meanwhile),
          TEST(leftovers_of_the_dead_are_removed), TEST(an_error_anywhere_leaves_no_half_output),
          TEST(a_crash_anywhere_leaves_no_half_output))
