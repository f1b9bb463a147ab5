/* SPDX-License-Identifier: Apache-2.0 */
/* Makes every operation of a build fail. No half-made store has the final name, an older store
 * stays whole, memory and temporary files are freed, and the next run makes the same bytes.
 * Single-threaded, so that the n-th operation is the same each time and a child process is safe. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/io/io.h"
#include "tests/support/test.h"
#include "tests/support/test_build.h"
#include "tests/support/test_context.h"

enum { N_EDGES = 40000, N_IDS = 3000, CRASH_EXIT_CODE = 99 };

struct fixture {
    struct test_dir dir, tmp;
    struct test_graph graph;
    char path[PATH_MAX];
    uint64_t hash; /* of the correct store */
};

/* Names with the same last character form a group. */
static size_t last_digit(void *data, const char *name, size_t name_bytes, char *out)
{
    (void)data;
    out[0] = name[name_bytes - 1];
    return 1;
}

/* Text names, cut into several pieces, and two classes, so that every kind of file is written. */
static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct mr_context context;
    struct mr_store_build_figures summary;
    uint64_t seed = 3;
    *state = f;
    if (f == NULL || !test_dir_make(&f->dir, NULL) || !test_dir_make(&f->tmp, NULL)) {
        return -1;
    }
    f->graph.options = (struct mr_build_options){.ids = MR_IDS_TEXT,
                                                 .name_key = test_build_key,
                                                 .name_key_number = 1,
                                                 .class_rule = MR_CLASSES_BY_HOST,
                                                 .name_group = last_digit,
                                                 .band_bits = 10,
                                                 .stripe_bits = 8,
                                                 .sort_bytes = 100000};
    f->graph.edges = malloc(N_EDGES * sizeof *f->graph.edges);
    f->graph.n_edges = N_EDGES;
    for (size_t i = 0; i < N_EDGES; i++) {
        f->graph.edges[i].source = test_random(&seed) % N_IDS;
        f->graph.edges[i].target = test_random(&seed) % N_IDS;
    }
    test_dir_path(&f->dir, "a.mill", f->path);
    assert_true(test_context_open(&context, MR_MEMORY_FLOOR_BYTES, 1));
    assert_int_equal(test_build_run(&context, f->path, &f->graph, &summary, NULL), MR_OK);
    test_context_close(&context);
    f->hash = test_build_hash(f->path);
    test_dir_remove(&f->dir);
    return test_dir_make(&f->dir, NULL) ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    test_dir_remove(&f->dir);
    test_dir_remove(&f->tmp);
    test_build_free(&f->graph);
    free(f);
    return 0;
}

static enum mr_status run(struct fixture *f, const struct mr_fault_plan *plan, uint64_t *n_done,
                          struct mr_error *err)
{
    struct mr_context context;
    struct mr_store_build_figures summary;
    assert_true(test_context_open_fault(&context, MR_MEMORY_FLOOR_BYTES, 1, plan));
    context.tmp_dir = f->tmp.path;
    enum mr_status status = test_build_run(&context, f->path, &f->graph, &summary, err);
    if (n_done != NULL) {
        *n_done = mr_io_fault_count(context.io);
    }
    test_context_close(&context); /* asserts that all memory was given back */
    return status;
}

static void clear(struct fixture *f)
{
    test_dir_remove(&f->dir);
    assert_true(test_dir_make(&f->dir, NULL));
    test_dir_path(&f->dir, "a.mill", f->path);
}

static uint64_t count_operations(struct fixture *f, unsigned operations)
{
    const struct mr_fault_plan plan = {.kind = MR_FAULT_NONE, .operations = operations};
    uint64_t count;
    clear(f);
    assert_int_equal(run(f, &plan, &count, NULL), MR_OK);
    assert_true(test_build_hash(f->path) == f->hash);
    assert_int_equal(test_dir_count(f->dir.path), 1);
    assert_true(count > 4);
    return count;
}

/* Check the store at the final name after a run that may have failed: it is whole or absent. Only
 * the last operation, the sync of the directory, may fail and leave a whole store. */
static void expect_whole(struct fixture *f, enum mr_status status)
{
    bool exists = mr_io_exists(f->path);
    assert_true(exists || status != MR_OK);
    assert_true(!exists || test_build_hash(f->path) == f->hash);
    assert_int_equal(test_dir_count(f->dir.path), exists);
    assert_int_equal(test_dir_count(f->tmp.path), 0);
}

/* The operation after `at` to fail: each of the first and of the last twenty, every seventh
 * between them. ./dev torture fails each one of the program. */
static uint64_t next_operation(uint64_t at, uint64_t count)
{
    return at + (at > 20 && at + 22 < count ? 7 : 1);
}

static void fail_each(struct fixture *f, unsigned operations, enum mr_fault_kind kind,
                      int error_number, bool and_after)
{
    uint64_t count = count_operations(f, operations), n_failed = 0;
    for (uint64_t at = 1; at <= count; at = next_operation(at, count)) {
        const struct mr_fault_plan plan = {.kind = kind,
                                           .operations = operations,
                                           .at = at,
                                           .and_after = and_after,
                                           .error_number = error_number};
        struct mr_error err = {.status = MR_OK};
        clear(f);
        enum mr_status status = run(f, &plan, NULL, &err);
        if (status != MR_OK) {
            assert_int_equal(status, error_number == ENOSPC ? MR_ERROR_BUDGET : MR_ERROR_RUNTIME);
            assert_int_equal(err.os_errno, error_number);
            n_failed++;
        }
        expect_whole(f, status);
    }
    assert_true(n_failed > count / 2);
}

static void test_an_error_of_the_disk_leaves_nothing(void **state)
{
    fail_each(*state, MR_FAULT_ON_CHANGE, MR_FAULT_ERROR, EIO, false);
}

static void test_an_error_while_reading_leaves_nothing(void **state)
{
    fail_each(*state, MR_FAULT_ON_READ, MR_FAULT_ERROR, EIO, false);
}

static void test_links_that_change_on_the_disk_leave_nothing(void **state)
{
    fail_each(*state, MR_FAULT_ON_READ, MR_FAULT_FLIP, 0, false);
}

static void test_a_full_disk_leaves_nothing(void **state)
{
    fail_each(*state, MR_FAULT_ON_WRITE, MR_FAULT_ERROR, ENOSPC, true);
    fail_each(*state, MR_FAULT_ON_WRITE, MR_FAULT_SHORT, ENOSPC, true);
}

static void test_a_failed_replacement_keeps_the_old_store(void **state)
{
    struct fixture *f = *state;
    const struct mr_fault_plan none = {.kind = MR_FAULT_NONE};
    uint64_t count = count_operations(f, MR_FAULT_ON_CHANGE);
    clear(f);
    f->graph.options.force = true;
    f->graph.n_edges = N_EDGES / 2; /* another graph */
    assert_int_equal(run(f, &none, NULL, NULL), MR_OK);
    uint64_t old = test_build_hash(f->path);
    f->graph.n_edges = N_EDGES;
    bool is_replaced = false;
    for (uint64_t at = 1; at <= count && !is_replaced; at = next_operation(at, count)) {
        const struct mr_fault_plan plan = {.kind = MR_FAULT_ERROR,
                                           .operations = MR_FAULT_ON_CHANGE,
                                           .at = at,
                                           .error_number = EIO};
        enum mr_status status = run(f, &plan, NULL, NULL);
        uint64_t hash = test_build_hash(f->path);
        is_replaced = hash == f->hash;
        assert_true(is_replaced || (hash == old && status != MR_OK));
        assert_true(is_replaced || test_dir_count(f->dir.path) == 1);
    }
    /* at that point the name was exchanged, or a failed close was ignored */
    assert_true(is_replaced);
    f->graph.options.force = false;
}

static void test_a_store_that_cannot_be_read_back_replaces_none(void **state)
{
    struct fixture *f = *state;
    uint64_t count = count_operations(f, MR_FAULT_ON_READ);
    const struct mr_fault_plan plan = {
        .kind = MR_FAULT_FLIP, .operations = MR_FAULT_ON_READ, .at = count};
    struct mr_error err = {.status = MR_OK};
    f->graph.options.force = true; /* the last read is that of the new store's index */
    assert_int_equal(run(f, &plan, NULL, &err), MR_ERROR_RUNTIME);
    assert_non_null(strstr(err.message, "the new store cannot be read back"));
    expect_whole(f, MR_OK);
    f->graph.options.force = false;
}

static void test_a_crash_leaves_nothing_that_opens(void **state)
{
    struct fixture *f = *state;
    uint64_t count = count_operations(f, MR_FAULT_ON_CHANGE);
    const struct mr_fault_plan none = {.kind = MR_FAULT_NONE};
    for (uint64_t at = 1; at <= count; at = next_operation(at, count)) {
        const struct mr_fault_plan plan = {
            .kind = MR_FAULT_CRASH, .operations = MR_FAULT_ON_CHANGE, .at = at};
        int status;
        clear(f);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            enum mr_status ignored = run(f, &plan, NULL, NULL);
            _exit(ignored == MR_OK ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == CRASH_EXIT_CODE);
        assert_true(!mr_io_exists(f->path) || test_build_hash(f->path) == f->hash);
        f->graph.options.force = true;
        assert_int_equal(run(f, &none, NULL, NULL), MR_OK);
        f->graph.options.force = false;
        expect_whole(f, MR_OK);
    }
}

/* ---- Interruption ---- */

struct interruption {
    volatile sig_atomic_t cancel;
    unsigned n_reports, at; /* raise the flag at the at-th report of progress */
};

static void count_report(void *data, const struct mr_progress *progress)
{
    struct interruption *interruption = data;
    assert_true(progress->done <= progress->total);
    interruption->n_reports++;
    if (interruption->n_reports == interruption->at) {
        interruption->cancel = 1;
    }
}

static void test_an_interruption_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    unsigned n_interrupted = 0;
    for (unsigned at = 0;; at++) { /* 0: before the build begins */
        struct interruption interruption = {.cancel = at == 0, .at = at};
        struct mr_context context;
        struct mr_store_build_figures summary;
        clear(f);
        assert_true(test_context_open(&context, MR_MEMORY_FLOOR_BYTES, 1));
        context.tmp_dir = f->tmp.path;
        context.cancel = &interruption.cancel;
        context.progress = count_report;
        context.progress_data = &interruption;
        enum mr_status status = test_build_run(&context, f->path, &f->graph, &summary, NULL);
        test_context_close(&context);
        assert_true(status == MR_OK || status == MR_INTERRUPTED);
        expect_whole(f, status);
        if (status == MR_OK) {
            break;
        }
        assert_false(mr_io_exists(f->path));
        n_interrupted++;
    }
    assert_true(n_interrupted > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_error_of_the_disk_leaves_nothing),
        cmocka_unit_test(test_an_error_while_reading_leaves_nothing),
        cmocka_unit_test(test_links_that_change_on_the_disk_leave_nothing),
        cmocka_unit_test(test_a_full_disk_leaves_nothing),
        cmocka_unit_test(test_a_failed_replacement_keeps_the_old_store),
        cmocka_unit_test(test_a_store_that_cannot_be_read_back_replaces_none),
        cmocka_unit_test(test_a_crash_leaves_nothing_that_opens),
        cmocka_unit_test(test_an_interruption_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
