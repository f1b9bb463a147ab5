/* SPDX-License-Identifier: Apache-2.0 */
/* Tests mr_check: good stores pass. Stores with valid checksums and wrong content fail, and the
 * message says what is wrong. damage_test.c tests damaged bytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/scan/check.h"
#include "engine/store/manifest.h"
#include "tests/support/io_fault.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"
#include "tests/support/test_store.h"

struct fixture {
    struct test_dir dir;
    struct mr_context context;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    *state = f;
    return test_context_open(&f->context, UINT64_MAX, 1) ? 0 : 1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    test_context_close(&f->context);
    free(f);
    return 0;
}

static void expect_good(struct fixture *f, const struct test_store_options *options,
                        struct test_edge *edges, size_t n_edges)
{
    struct mr_check_summary summary = {0};
    struct mr_error err = {0};

    assert_true(test_dir_make(&f->dir, NULL));
    assert_int_equal(test_store_write(&f->context, f->dir.path, options, edges, &n_edges), MR_OK);
    for (int full = 0; full < 2; full++) {
        enum mr_status status = mr_check(&f->context, f->dir.path, full != 0, NULL, &summary, &err);

        if (status != MR_OK) {
            fail_msg("%s", err.message);
        }
        assert_int_equal(summary.edges, n_edges);
        assert_int_equal(summary.vertices, options->n_vertices);
        assert_true(summary.blocks > 0 || options->n_vertices == 0);
    }
    test_dir_remove(&f->dir);
}

/* All checksums are valid. With `full` the error is found, in a file whose name contains `file`. */
static void expect_bad(struct fixture *f, const struct test_store_options *options,
                       struct test_edge *edges, size_t n_edges, const char *file,
                       const char *message)
{
    struct mr_check_summary summary;
    struct mr_error err = {0};

    assert_true(test_dir_make(&f->dir, NULL));
    assert_int_equal(test_store_write(&f->context, f->dir.path, options, edges, &n_edges), MR_OK);
    assert_int_equal(mr_check(&f->context, f->dir.path, false, NULL, &summary, &err), MR_OK);
    assert_int_equal(mr_check(&f->context, f->dir.path, true, NULL, &summary, &err),
                     MR_ERROR_CORRUPT);
    if (strstr(err.message, message) == NULL || strstr(err.file, file) == NULL) {
        fail_msg("%s: \"%s\" instead of \"%s\"", err.file, err.message, message);
    }
    test_dir_remove(&f->dir);
}

static struct test_edge *random_edges(uint32_t n_vertices, size_t n_edges, uint64_t seed)
{
    struct test_edge *edges = malloc((n_edges + 1) * sizeof *edges);

    for (size_t i = 0; i < n_edges; i++) {
        edges[i].source = (uint32_t)(test_random(&seed) % n_vertices);
        edges[i].target = i % 2 == 0 ? (uint32_t)(test_random(&seed) % n_vertices)
                                     : (edges[i].source + i % 7) % n_vertices;
    }
    return edges;
}

static void test_good_stores_pass(void **state)
{
    static const unsigned shapes[][2] = {{8, 8}, {10, 8}, {16, 16}, {18, 14}};

    for (unsigned i = 0; i < 4; i++) {
        for (unsigned variant = 0; variant < 3; variant++) {
            const struct test_store_options options = {.n_vertices = variant == 0 ? 300 : 70000,
                                                       .band_bits = shapes[i][0],
                                                       .stripe_bits = shapes[i][1],
                                                       .zstd_level = variant == 2 ? 3 : 0,
                                                       .duplicates_kept = variant == 1};
            struct test_edge *edges = random_edges(options.n_vertices, 200000, i + 1);

            expect_good(*state, &options, edges, variant == 0 ? 20000 : 200000);
            free(edges);
        }
    }
}

/* Bands with enough edges for several segments, and tiles that continue in the next block. */
static void test_segments_pass(void **state)
{
    const struct test_store_options options = {
        .n_vertices = 150000, .band_bits = 16, .stripe_bits = 16, .graph_id = 5, .no_names = true};
    enum { N = 4000000 };
    struct test_edge *edges = malloc(N * sizeof *edges);
    uint64_t random = 1;

    for (size_t i = 0; i < N; i++) { /* targets in the first band: at least 2^20 off its diagonal */
        edges[i].source = (uint32_t)(test_random(&random) % options.n_vertices);
        edges[i].target = (uint32_t)(test_random(&random) % 65536);
    }
    expect_good(*state, &options, edges, N);
    free(edges);
}

static void test_graphs_without_edges_or_vertices_pass(void **state)
{
    struct test_store_options options = {.n_vertices = 1000, .band_bits = 8, .stripe_bits = 8};
    struct test_edge none[1];

    expect_good(*state, &options, none, 0);
    options.n_vertices = 0;
    expect_good(*state, &options, none, 0);
    options.no_names = true;
    expect_good(*state, &options, none, 0);
}

static void test_wrong_figures_are_found(void **state)
{
    const struct test_store_options good = {
        .n_vertices = 1000, .band_bits = 8, .stripe_bits = 8, .graph_id = 3};
    struct test_edge edges[] = {{0, 0}, {1, 2}, {2, 1}, {999, 3}, {5, 998}};
    struct test_store_options options = good;

    options.wrong_in_degree = 3;
    expect_bad(*state, &options, edges, 5, "degrees",
               "page 2 has in-degree 1 by its links, 2 as stated");
    options = good, options.wrong_out_degree = 1000;
    expect_bad(*state, &options, edges, 5, "degrees",
               "page 999 has out-degree 1 by its links, 2 as stated");
    options = good, options.more_self_loops = 1;
    expect_bad(*state, &options, edges, 5, "millrace-test", "self-loops: 1 recounted, 2 stated");
    options = good, options.self_loops_dropped = true;
    expect_bad(*state, &options, edges, 5, "millrace-test",
               "self-loops, which were to be dropped: 1 recounted, 0 stated");
}

/* Rewrite the manifest with figure number `figure` increased by one. Returns false past the last
 * figure. */
static bool falsify(const char *directory, unsigned figure)
{
    char path[PATH_MAX];
    uint8_t bytes[MR_MANIFEST_BYTES];
    struct mr_store_info m;
    FILE *file;

    assert_int_equal(
        mr_store_file_path(directory, false, MR_FILE_MANIFEST, path, sizeof path, NULL), MR_OK);
    assert_non_null(file = fopen(path, "rb"));
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(mr_manifest_parse(bytes, sizeof bytes, path, &m, NULL), MR_OK);
    uint64_t *const figures[] = {&m.n_dangling,    &m.n_self_loops, &m.max_out_degree,
                                 &m.max_in_degree, &m.n_tiles,      &m.keys_tiles,
                                 &m.keys_edges,    &m.keys_bytes,   &m.n_sources};
    if (figure >= sizeof figures / sizeof figures[0]) {
        return false;
    }
    ++*figures[figure];
    mr_manifest_serialize(&m, bytes);
    assert_true(test_dir_write(path, bytes, sizeof bytes));
    return true;
}

static void test_wrong_manifests_are_found(void **state)
{
    struct fixture *f = *state;
    const struct test_store_options options = {
        .n_vertices = 1000, .band_bits = 8, .stripe_bits = 8, .graph_id = 3};
    struct test_edge edges[] = {{0, 0}, {1, 2}, {2, 1}, {999, 3}, {5, 998}};
    bool more = true;

    for (unsigned figure = 0; more; figure++) {
        struct mr_check_summary summary;
        struct mr_error err = {0};
        size_t n_edges = 5;

        assert_true(test_dir_make(&f->dir, NULL));
        assert_int_equal(test_store_write(&f->context, f->dir.path, &options, edges, &n_edges),
                         MR_OK);
        more = falsify(f->dir.path, figure);
        assert_int_equal(mr_check(&f->context, f->dir.path, true, NULL, &summary, &err),
                         more ? MR_ERROR_CORRUPT : MR_OK);
        test_dir_remove(&f->dir);
    }
}

/* The writers encode any input: differences are modulo 2^32. */
static void test_wrong_links_are_found(void **state)
{
    struct test_store_options options = {.n_vertices = 1000,
                                         .band_bits = 8,
                                         .stripe_bits = 8,
                                         .graph_id = 3,
                                         .in_given_order = true};
    struct test_edge descending[] = {{300, 1}, {299, 1}};
    struct test_edge twice[] = {{300, 1}, {300, 1}};
    struct test_edge stripes[] = {{600, 1}, {300, 1}};
    struct test_edge diagonal_first[] = {{1, 1}, {300, 1}};
    struct test_edge target_beyond[] = {{5, 1000}}, source_beyond[] = {{999, 5}, {1000, 5}};
    struct test_edge tile_again[] = {{300, 1}, {600, 1}, {300, 2}};

    expect_bad(*state, &options, descending, 2, "links", "the keys of a tile do not ascend");
    expect_bad(*state, &options, twice, 2, "links", "the keys of a tile do not ascend");
    expect_bad(*state, &options, stripes, 2, "links", "out of order");
    expect_bad(*state, &options, tile_again, 3, "links", "out of order");
    options.duplicates_kept = true;
    expect_good(*state, &options, twice, 2);
    expect_bad(*state, &options, descending, 2, "links", "the keys of a tile do not ascend");
    expect_bad(*state, &options, diagonal_first, 2, "links",
               "a tile on or off the diagonal is in the wrong block");
    expect_bad(*state, &options, target_beyond, 1, "links", "a link leads beyond the pages");
    expect_bad(*state, &options, source_beyond, 2, "links", "a link leads beyond the pages");
}

/* The check of a good store reports progress; a raised flag stops it. */
static void count_calls(void *data, const struct mr_progress *progress)
{
    unsigned *calls = data;

    assert_string_equal(progress->stage, "check");
    assert_true(progress->done <= progress->total);
    ++*calls;
}

static void test_progress_and_cancellation(void **state)
{
    struct fixture *f = *state;
    const struct test_store_options options = {
        .n_vertices = 1000, .band_bits = 8, .stripe_bits = 8};
    struct test_edge edges[] = {{0, 0}, {1, 2}, {2, 1}, {999, 3}, {5, 998}};
    struct mr_check_summary summary;
    volatile sig_atomic_t cancel = 0;
    size_t n_edges = 5;
    unsigned calls = 0;

    assert_true(test_dir_make(&f->dir, NULL));
    assert_int_equal(test_store_write(&f->context, f->dir.path, &options, edges, &n_edges), MR_OK);
    f->context.cancel = &cancel;
    f->context.progress = count_calls;
    f->context.progress_data = &calls;
    assert_int_equal(mr_check(&f->context, f->dir.path, true, NULL, &summary, NULL), MR_OK);
    assert_int_equal(calls, 4);
    cancel = 1;
    assert_int_equal(mr_check(&f->context, f->dir.path, true, NULL, &summary, NULL),
                     MR_INTERRUPTED);
    test_dir_remove(&f->dir);
}

/* Each read fails once: the error is returned, and all memory is freed. */
static void test_any_failing_read_is_an_error(void **state)
{
    struct fixture *f = *state;
    const struct test_store_options options = {
        .n_vertices = 1000, .band_bits = 8, .stripe_bits = 8};
    struct test_edge edges[] = {{0, 0}, {1, 2}, {2, 1}, {999, 3}, {5, 998}};
    enum mr_status status = MR_ERROR_RUNTIME;
    size_t n_edges = 5;
    unsigned n_failures = 0;

    assert_true(test_dir_make(&f->dir, NULL));
    assert_int_equal(test_store_write(&f->context, f->dir.path, &options, edges, &n_edges), MR_OK);
    for (uint64_t at = 1; status != MR_OK; at++) {
        const struct mr_fault_plan plan = {
            .kind = MR_FAULT_ERROR, .operations = MR_FAULT_ON_READ, .at = at, .error_number = EIO};
        struct mr_context context = f->context;
        struct mr_check_summary summary;
        struct mr_io *real = NULL;
        struct mr_error err = {0};

        assert_int_equal(mr_io_create_real(&real, NULL), MR_OK);
        assert_int_equal(mr_io_create_fault(real, &plan, &context.io, NULL), MR_OK);
        status = mr_check(&context, f->dir.path, true, NULL, &summary, &err);
        if (status != MR_OK) {
            assert_int_equal(status, MR_ERROR_RUNTIME);
            assert_int_equal(err.os_errno, EIO);
            n_failures++;
        }
        mr_io_destroy(context.io);
    }
    assert_int_equal(n_failures, 1 + 1 + 3 + 8 + 1); /* manifest, index, links, degrees, names */
    test_dir_remove(&f->dir);
}

/* With any amount of memory the check passes or is over budget. */
static void test_any_shortage_of_memory_is_an_error(void **state)
{
    struct fixture *f = *state;
    const struct test_store_options options = {
        .n_vertices = 1000, .band_bits = 8, .stripe_bits = 8};
    struct test_edge edges[] = {{0, 0}, {1, 2}, {2, 1}, {999, 3}, {5, 998}};
    enum mr_status status = MR_ERROR_BUDGET;
    size_t n_edges = 5;

    assert_true(test_dir_make(&f->dir, NULL));
    assert_int_equal(test_store_write(&f->context, f->dir.path, &options, edges, &n_edges), MR_OK);
    for (uint64_t left = 0; status != MR_OK; left += 20u << 10) {
        struct mr_context context = f->context;
        struct mr_check_summary summary;
        struct mr_error err = {0};
        void *rest = NULL;

        assert_int_equal(mr_memory_create(MR_MEMORY_FLOOR_BYTES, &context.memory, NULL), MR_OK);
        assert_int_equal(mr_memory_alloc(context.memory, "the rest",
                                         mr_memory_available(context.memory) - left, &rest, NULL),
                         MR_OK);
        status = mr_check(&context, f->dir.path, true, NULL, &summary, &err);
        assert_true(status == MR_OK || status == MR_ERROR_BUDGET);
        mr_memory_free(context.memory, rest);
        mr_memory_destroy(context.memory); /* asserts that all memory was freed */
    }
    test_dir_remove(&f->dir);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(TEST(test_good_stores_pass), TEST(test_segments_pass),
          TEST(test_graphs_without_edges_or_vertices_pass), TEST(test_wrong_figures_are_found),
          TEST(test_wrong_manifests_are_found), TEST(test_wrong_links_are_found),
          TEST(test_any_failing_read_is_an_error), TEST(test_any_shortage_of_memory_is_an_error),
          TEST(test_progress_and_cancellation))
