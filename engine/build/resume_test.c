/* SPDX-License-Identifier: Apache-2.0 */
/* Kills a build with a checkpoint, or lets it fail, at any of its operations. The next run
 * continues to the same bytes, and never from files that are not whole. Single-threaded, so that
 * the n-th operation is the same each time and a child process is safe. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/io/io.h"
#include "tests/support/test_build.h"
#include "tests/support/test_context.h"

enum { N_EDGES = 16000, N_IDS = 6000, BATCH = 1000, MAX_CRASHES = 40, CRASH_EXIT_CODE = 99 };

struct fixture {
    struct test_dir dir, tmp;
    struct test_graph graph;
    float *weights; /* [N_EDGES] */
    char path[PATH_MAX], checkpoint[PATH_MAX];
    uint64_t hash; /* of the correct store */
    bool is_read; /* the last run started from the checkpoint */
    bool was_finished; /* the last run found the store published */
    uint64_t peak_bytes; /* of temporary disk */
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    uint64_t seed = 5;
    *state = f;
    if (f == NULL || !test_dir_make(&f->dir, NULL) || !test_dir_make(&f->tmp, NULL)) {
        return -1;
    }
    f->graph.edges = malloc(N_EDGES * sizeof *f->graph.edges);
    f->weights = malloc(N_EDGES * sizeof *f->weights);
    f->graph.n_edges = N_EDGES;
    for (size_t i = 0; i < N_EDGES; i++) {
        f->graph.edges[i].source = test_random(&seed) % N_IDS;
        f->graph.edges[i].target = test_random(&seed) % N_IDS;
        f->weights[i] = (float)(1 + test_random(&seed) % 7) / 4;
    }
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    test_dir_remove(&f->dir);
    test_dir_remove(&f->tmp);
    test_build_free(&f->graph);
    free(f->weights);
    free(f);
    return 0;
}

/* ---- Runs ---- */

static enum mr_status add_edges(const struct fixture *f, struct mr_build *build,
                                struct mr_error *err)
{
    const struct test_graph *graph = &f->graph;
    enum mr_status status = MR_OK;
    for (size_t i = 0; i < graph->n_edges && status == MR_OK; i += BATCH) {
        const size_t n = graph->n_edges - i < BATCH ? graph->n_edges - i : BATCH;
        status = graph->options.weights
                     ? mr_build_weighted_edges(build, 0, graph->edges + i, f->weights + i, n, err)
                     : mr_build_edges(build, graph->edges + i, n, err);
    }
    return status;
}

static enum mr_status add_declared(const struct fixture *f, struct mr_build *build,
                                   struct mr_error *err)
{
    const struct test_graph *graph = &f->graph;
    enum mr_status status = MR_OK;
    for (size_t i = 0; i < graph->n_declared && status == MR_OK; i++) {
        status = mr_build_vertex(build, graph->declared[i], err);
    }
    return graph->n_declared > 0 && graph->n_edges > 0 && status == MR_OK
               ? mr_build_freeze(build, err)
               : status;
}

static enum mr_status add_input(struct fixture *f, struct mr_build *build, struct mr_error *err)
{
    uint64_t notes[MR_BUILD_NOTES] = {0};
    const bool is_text = f->graph.options.ids == MR_IDS_TEXT;
    struct test_graph names = f->graph;

    f->is_read = mr_build_is_read(build, notes);
    if (f->is_read) {
        assert_int_equal(notes[0], 17);
        assert_int_equal(notes[MR_BUILD_NOTES - 1], f->graph.n_edges);
        names.n_edges = 0; /* declared names come again */
        return is_text ? test_build_feed_text(build, &names, err) : MR_OK;
    }
    enum mr_status status = MR_OK;
    if (is_text) {
        status = test_build_feed_text(build, &f->graph, err);
    } else {
        status = add_declared(f, build, err);
        if (status == MR_OK) {
            status = add_edges(f, build, err);
        }
    }
    notes[0] = 17;
    notes[MR_BUILD_NOTES - 1] = f->graph.n_edges;
    return status == MR_OK && f->graph.options.checkpoint != NULL ? mr_build_save(build, notes, err)
                                                                  : status;
}

static enum mr_status run(struct fixture *f, const struct mr_fault_plan *plan, uint64_t *n_done,
                          struct mr_error *err)
{
    struct mr_context context;
    struct mr_build *build = NULL;
    struct mr_build_summary summary = {0};
    uint64_t notes[MR_BUILD_NOTES];
    assert_true(test_context_open_fault(&context, MR_MEMORY_FLOOR_BYTES, 1, plan));
    context.tmp_dir = f->tmp.path;
    enum mr_status status = mr_build_was_finished(&context, f->path, &f->graph.options, &summary,
                                                  notes, &f->was_finished, err);
    if (status == MR_OK && !f->was_finished) {
        status = mr_build_create(&context, f->path, &f->graph.options, &build, err);
    }
    if (build != NULL) {
        status = add_input(f, build, err);
        if (status == MR_OK) {
            status = mr_build_finish(build, &summary, err);
        } else {
            mr_build_abandon(build);
        }
    }
    f->peak_bytes = summary.temporary_bytes;
    if (n_done != NULL) {
        *n_done = mr_io_fault_count(context.io);
    }
    test_context_close(&context); /* asserts that all memory was given back */
    return status;
}

static const struct mr_fault_plan no_fault = {.kind = MR_FAULT_NONE,
                                              .operations = MR_FAULT_ON_CHANGE};

static void clear(struct fixture *f)
{
    test_dir_remove(&f->dir);
    assert_true(test_dir_make(&f->dir, NULL));
    test_dir_path(&f->dir, "a.mill", f->path);
    test_dir_path(&f->dir, "checkpoint", f->checkpoint);
}

/* The store is whole, and nothing else is left. */
static void expect_done(const struct fixture *f)
{
    assert_true(test_build_hash(f->path) == f->hash);
    assert_int_equal(test_dir_count(f->dir.path), 1);
    assert_int_equal(test_dir_count(f->tmp.path), 0);
}

/* Take the hash from a build without checkpoint. */
static void make_hash(struct fixture *f)
{
    clear(f);
    f->graph.options.checkpoint = NULL;
    struct mr_error err = {.status = MR_OK};
    if (run(f, &no_fault, NULL, &err) != MR_OK) {
        fail_msg("%s", err.message);
    }
    f->hash = test_build_hash(f->path);
    clear(f);
    f->graph.options.checkpoint = f->checkpoint;
}

/* Run in a child that dies at change `at`. Returns false if the child ended before. */
static bool run_and_die(struct fixture *f, uint64_t at)
{
    const struct mr_fault_plan plan = {
        .kind = MR_FAULT_CRASH, .operations = MR_FAULT_ON_CHANGE, .at = at};
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        enum mr_status ignored = run(f, &plan, NULL, NULL);
        _exit(ignored == MR_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == CRASH_EXIT_CODE || WEXITSTATUS(status) == 0);
    return WEXITSTATUS(status) == CRASH_EXIT_CODE;
}

/* ---- Crashes ---- */

/* Dies at one of the last changes, when the store may have its name already, and runs again without
 * force. The store is recognised unless only an empty directory is left. */
static void check_late_crashes(struct fixture *f, uint64_t count)
{
    uint64_t n_recognised = 0;
    for (uint64_t at = count - 9; at <= count; at++) {
        clear(f);
        assert_true(run_and_die(f, at));
        const bool is_there = mr_io_exists(f->path);
        const bool is_empty = test_dir_count(f->checkpoint) == 0;
        if (is_there && !is_empty) { /* other options make another store */
            f->graph.options.zstd_level = 7;
            assert_int_equal(run(f, &no_fault, NULL, NULL), MR_ERROR_USAGE);
            assert_false(f->was_finished);
            f->graph.options.zstd_level = 0;
        }
        const enum mr_status status = run(f, &no_fault, NULL, NULL);
        assert_true(f->was_finished == (is_there && !is_empty));
        assert_int_equal(status, is_there && is_empty ? MR_ERROR_USAGE : MR_OK);
        n_recognised += f->was_finished;
        assert_true(test_build_hash(f->path) == f->hash);
        assert_int_equal(test_dir_count(f->dir.path), is_there && is_empty ? 2 : 1);
    }
    assert_true(n_recognised > 2);
}

static void check_crashes(struct fixture *f)
{
    uint64_t count, n_resumed = 0;
    make_hash(f);
    assert_int_equal(run(f, &no_fault, &count, NULL), MR_OK);
    assert_false(f->is_read);
    expect_done(f);
    /* Test each operation if they are few, else some of them. */
    const uint64_t step = count / MAX_CRASHES + 1;
    for (uint64_t at = 1; at <= count; at += step) {
        clear(f);
        assert_true(run_and_die(f, at));
        assert_true(!mr_io_exists(f->path) || test_build_hash(f->path) == f->hash);
        f->graph.options.force = true;
        if (at % 3 == 0) { /* die once more in the run that continues */
            (void)run_and_die(f, 1 + at % 7);
        }
        assert_int_equal(run(f, &no_fault, NULL, NULL), MR_OK);
        n_resumed += f->is_read;
        f->graph.options.force = false;
        expect_done(f);
    }
    assert_true(n_resumed > 0 && n_resumed < count);
    check_late_crashes(f, count);
}

static struct mr_build_options options_of(enum mr_id_kind ids)
{
    return (struct mr_build_options){.struct_size = sizeof(struct mr_build_options),
                                     .ids = ids,
                                     .n_vertices = ids == MR_IDS_DENSE ? N_IDS + 5 : 0,
                                     .name_key = ids == MR_IDS_TEXT ? test_build_key : NULL,
                                     .name_key_number = ids == MR_IDS_TEXT,
                                     .band_bits = 8,
                                     .stripe_bits = 8,
                                     .sort_bytes = 120000};
}

static void test_numbers(void **state)
{
    struct fixture *f = *state;
    f->graph.options = options_of(MR_IDS_SPARSE);
    check_crashes(f);
}

static void test_dense_numbers_turned_round(void **state)
{
    struct fixture *f = *state;
    f->graph.options = options_of(MR_IDS_DENSE);
    f->graph.options.transpose = true;
    f->graph.options.undirected = true;
    f->graph.options.order = MR_ORDER_DEGREE;
    check_crashes(f);
}

static void test_weights(void **state)
{
    struct fixture *f = *state;
    f->graph.options = options_of(MR_IDS_SPARSE);
    f->graph.options.weights = true;
    check_crashes(f);
}

/* The names take several runs. */
static void test_names(void **state)
{
    struct fixture *f = *state;
    f->graph.options = options_of(MR_IDS_TEXT);
    f->graph.options.name_bytes = 150000;
    check_crashes(f);
}

static void declare(struct fixture *f)
{
    f->graph.n_declared = N_IDS + 100;
    f->graph.declared = malloc(f->graph.n_declared * sizeof *f->graph.declared);
    for (size_t i = 0; i < f->graph.n_declared; i++) {
        f->graph.declared[i] = f->graph.n_declared - 1 - i;
    }
    f->graph.declared[0] = (uint64_t)1 << 40;
}

static void test_declared_vertices(void **state)
{
    struct fixture *f = *state;
    declare(f);
    f->graph.options = options_of(MR_IDS_SPARSE);
    check_crashes(f);
    f->graph.options = options_of(MR_IDS_TEXT);
    f->graph.options.lists_names = true;
    f->graph.declared[0] = N_IDS + 99;
    check_crashes(f);
    f->graph.options = options_of(MR_IDS_SPARSE);
    f->graph.n_edges = 0;
    make_hash(f);
    assert_int_equal(run(f, &no_fault, NULL, NULL), MR_OK);
    expect_done(f);
    f->graph.n_edges = N_EDGES;
    free(f->graph.declared);
    f->graph.declared = NULL;
    f->graph.n_declared = 0;
}

/* ---- Failures ---- */

/* The disk stays full from some write on: a whole checkpoint stays, any other is removed. */
static void test_a_full_disk(void **state)
{
    struct fixture *f = *state;
    uint64_t count, n_kept = 0;
    const struct mr_fault_plan none = {.kind = MR_FAULT_NONE, .operations = MR_FAULT_ON_WRITE};
    f->graph.options = options_of(MR_IDS_TEXT);
    f->graph.options.name_bytes = 150000;
    make_hash(f);
    assert_int_equal(run(f, &none, &count, NULL), MR_OK);
    for (uint64_t at = 1; at <= count; at++) {
        const struct mr_fault_plan plan = {.kind = at % 2 == 0 ? MR_FAULT_ERROR : MR_FAULT_SHORT,
                                           .operations = MR_FAULT_ON_WRITE,
                                           .at = at,
                                           .and_after = true,
                                           .error_number = ENOSPC};
        clear(f);
        assert_int_equal(run(f, &plan, NULL, NULL), MR_ERROR_BUDGET);
        assert_false(mr_io_exists(f->path));
        assert_int_equal(test_dir_count(f->tmp.path), 0);
        const bool is_kept = mr_io_exists(f->checkpoint);
        assert_int_equal(test_dir_count(f->dir.path), is_kept);
        assert_int_equal(run(f, &no_fault, NULL, NULL), MR_OK);
        assert_true(f->is_read == is_kept);
        n_kept += is_kept;
        expect_done(f);
    }
    assert_true(n_kept > 0 && n_kept < count);
}

/* Leave a checkpoint: stop after the input is saved. */
static void leave_one(struct fixture *f)
{
    uint64_t count;
    make_hash(f);
    assert_int_equal(run(f, &no_fault, &count, NULL), MR_OK);
    clear(f);
    for (uint64_t at = count - 20; at > 0 && !mr_io_exists(f->checkpoint); at -= 3) {
        clear(f);
        (void)run_and_die(f, at);
        char manifest[PATH_MAX + 32];
        (void)snprintf(manifest, sizeof manifest, "%s/checkpoint.manifest", f->checkpoint);
        if (mr_io_exists(f->path) || !mr_io_exists(manifest)) {
            clear(f);
        }
    }
    assert_true(mr_io_exists(f->checkpoint));
}

static void expect_other(struct fixture *f, const char *difference)
{
    struct mr_error err = {.status = MR_OK};
    assert_int_equal(run(f, &no_fault, NULL, &err), MR_ERROR_USAGE);
    assert_non_null(strstr(err.message, difference));
    assert_non_null(strstr(err.message, "remove the directory"));
}

static void test_another_build(void **state)
{
    struct fixture *f = *state;
    f->graph.options = options_of(MR_IDS_SPARSE);
    f->graph.options.checkpoint_text = "input a\ninput b\n";
    leave_one(f);
    f->graph.options.checkpoint_text = "input a\ninput c\n";
    expect_other(f, "(input b; this one input c)");
    f->graph.options.checkpoint_text = "input a\n";
    expect_other(f, "(input b; this one no more)");
    f->graph.options.checkpoint_text = "input a\ninput b\ninput c\n";
    expect_other(f, "(no more; this one input c)");
    f->graph.options.checkpoint_text = "input a\ninput b\n";
    f->graph.options.transpose = true;
    expect_other(f, "(links as they are; this one links reversed)");
    f->graph.options.transpose = false;
    f->graph.options.weights = true;
    expect_other(f, "(no weights; this one weights)");
    f->graph.options.weights = false;
    f->graph.options.ids = MR_IDS_DENSE;
    f->graph.options.n_vertices = N_IDS;
    expect_other(f, "(pages are numbers; this one 6000 pages)");
    /* Options that do not change the spooled edges may differ. */
    f->graph.options = options_of(MR_IDS_SPARSE);
    f->graph.options.undirected = true;
    make_hash(f);
    f->graph.options.undirected = false;
    f->graph.options.checkpoint_text = "input a\ninput b\n";
    leave_one(f);
    const uint64_t hash = f->hash;
    f->graph.options.undirected = true;
    assert_int_equal(run(f, &no_fault, NULL, NULL), MR_OK);
    assert_true(f->is_read);
    assert_true(test_build_hash(f->path) != hash);
    assert_int_equal(test_dir_count(f->dir.path), 1);
}

/* Flip a byte of a checkpoint file, counted from the end or from the beginning; or cut the file
 * there. */
static void damage(const struct fixture *f, const char *name, long at, bool from_end, bool cut)
{
    char path[PATH_MAX + 32];
    (void)snprintf(path, sizeof path, "%s/checkpoint.%s", f->checkpoint, name);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, from_end ? -at : at, from_end ? SEEK_END : SEEK_SET), 0);
    if (cut) {
        assert_int_equal(ftruncate(fileno(file), ftell(file)), 0);
    } else {
        const int byte = fgetc(file);
        assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
        assert_int_equal(fputc(byte ^ 1, file), byte ^ 1);
    }
    assert_int_equal(fclose(file), 0);
}

static void test_damage(void **state)
{
    struct fixture *f = *state;
    struct mr_error err = {.status = MR_OK};
    f->graph.options = options_of(MR_IDS_TEXT);
    f->graph.options.name_bytes = 150000;
    for (int i = 0; i < 4; i++) { /* the files that the manifest names */
        leave_one(f);
        damage(f, i < 2 ? "links" : "names", 1000 + 1000 * i, i % 2 == 1, i == 1 || i == 3);
        assert_int_equal(run(f, &no_fault, NULL, &err), MR_ERROR_CORRUPT);
        assert_false(mr_io_exists(f->path));
        assert_true(mr_io_exists(f->checkpoint));
    }
    for (long i = 0; i < 6; i++) { /* the manifest itself: then there is no checkpoint */
        leave_one(f);
        damage(f, "manifest", 30 * i + 1, i % 2 == 1, i >= 4);
        assert_int_equal(run(f, &no_fault, NULL, NULL), MR_OK);
        assert_false(f->is_read);
        expect_done(f);
    }
}

static void test_directories_of_others(void **state)
{
    struct fixture *f = *state;
    struct mr_error err = {.status = MR_OK};
    char path[PATH_MAX + 8];
    f->graph.options = options_of(MR_IDS_SPARSE);
    make_hash(f);
    assert_true(test_dir_write(f->checkpoint, "x", 1));
    assert_int_equal(run(f, &no_fault, NULL, &err), MR_ERROR_USAGE);
    clear(f);
    struct mr_context context;
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    assert_int_equal(mr_io_make_dir(context.io, f->checkpoint, NULL), MR_OK);
    test_context_close(&context);
    (void)snprintf(path, sizeof path, "%s/links", f->checkpoint);
    assert_true(test_dir_write(path, "mine", 4));
    err = (struct mr_error){.status = MR_OK};
    assert_int_equal(run(f, &no_fault, NULL, &err), MR_ERROR_USAGE);
    assert_non_null(strstr(err.message, "links is in it"));
    assert_true(test_dir_equals(path, "mine", 4));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(run(f, &no_fault, NULL, NULL), MR_OK); /* an empty directory is accepted */
    expect_done(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_dense_numbers_turned_round),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_declared_vertices),
        cmocka_unit_test(test_a_full_disk),
        cmocka_unit_test(test_another_build),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_directories_of_others),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
