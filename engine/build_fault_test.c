/* Whatever fails while a store is built: nothing half-made carries the final name, an older store
 * stays good, no memory and no temporary file is left, and the next run makes the same bytes.
 * Single-threaded, so that the n-th operation is the same each time and a child process is safe. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "engine/check.h"
#include "engine/io.h"
#include "engine/test_build.h"
#include "engine/test_context.h"

enum { N_EDGES = 40000, N_IDS = 3000, CRASH_EXIT_CODE = 99 };

struct fixture {
    struct test_dir dir, tmp;
    struct test_graph graph;
    char path[PATH_MAX];
    uint64_t hash; /* of the store as it should be */
};

/* Text names, cut into several pieces, so that every kind of file is written. */
static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct mr_context context;
    struct mr_build_summary summary;
    uint64_t seed = 3;
    *state = f;
    if (f == NULL || !test_dir_make(&f->dir, NULL) || !test_dir_make(&f->tmp, NULL)) {
        return -1;
    }
    f->graph.options = (struct mr_build_options){.struct_size = sizeof f->graph.options,
                                                 .ids = MR_IDS_TEXT,
                                                 .name_key = test_build_key,
                                                 .name_key_number = 1,
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
    struct mr_build_summary summary;
    assert_true(test_context_open_fault(&context, MR_MEMORY_FLOOR_BYTES, 1, plan));
    context.tmp_dir = f->tmp.path;
    enum mr_status status = test_build_run(&context, f->path, &f->graph, &summary, err);
    if (n_done != NULL) {
        *n_done = mr_io_fault_count(context.io);
    }
    test_context_close(&context); /* asserts that all memory was given back */
    return status;
}

static uint64_t count_operations(struct fixture *f, unsigned operations)
{
    const struct mr_fault_plan plan = {.kind = MR_FAULT_NONE, .operations = operations};
    uint64_t count;
    test_dir_path(&f->dir, "a.mill", f->path);
    assert_int_equal(run(f, &plan, &count, NULL), MR_OK);
    assert_true(test_build_hash(f->path) == f->hash);
    assert_true(count > 10);
    return count;
}

/* Fail each operation in turn. `keeps_old`: a good store of that name was there before. */
static void fail_each(struct fixture *f, unsigned operations, enum mr_fault_kind kind,
                      int error_number, bool and_after, bool keeps_old)
{
    uint64_t count = count_operations(f, operations);
    f->graph.options.force = true;
    for (uint64_t at = 1; at <= count; at++) {
        const struct mr_fault_plan plan = {.kind = kind,
                                           .operations = operations,
                                           .at = at,
                                           .and_after = and_after,
                                           .error_number = error_number};
        struct mr_error err = {.status = MR_OK};
        if (!keeps_old) {
            mr_io_remove_store_dir(NULL, NULL);
        }
        enum mr_status status = run(f, &plan, NULL, &err);
        if (status != MR_OK) {
            bool is_full = error_number == ENOSPC;
            assert_int_equal(status, is_full ? MR_ERROR_BUDGET : MR_ERROR_RUNTIME);
            assert_int_equal(err.os_errno, error_number);
            assert_int_equal(err.status, status);
        }
        assert_true(test_build_hash(f->path) == f->hash);
        assert_int_equal(test_dir_count(f->dir.path), 1);
        assert_int_equal(test_dir_count(f->tmp.path), 0);
    }
}
