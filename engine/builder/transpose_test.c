/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the transpose with a build of the reversed input, which uses other code: the bytes are
 * the same. */
#include <stdlib.h>
#include <string.h>

#include "engine/builder/transpose.h"
#include "engine/scan/check.h"
#include "tests/support/test.h"
#include "tests/support/test_build.h"
#include "tests/support/test_context.h"

struct fixture {
    struct test_dir dir;
    struct mr_context context;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    return f != NULL && test_dir_make(&f->dir, NULL) &&
                   test_context_open(&f->context, UINT64_MAX, 2)
               ? 0
               : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    test_context_close(&f->context);
    test_dir_remove(&f->dir);
    free(f);
    return 0;
}

static int compare_edges(const void *a, const void *b)
{
    const struct mr_edge *x = a, *y = b;
    if (x->source != y->source) {
        return x->source < y->source ? -1 : 1;
    }
    return (x->target > y->target) - (x->target < y->target);
}

/* Edges over `n_ids` ids that are `stride` apart, with hubs, near pairs and self-loops. Each edge
 * comes once unless duplicates are kept, and in one direction only if both directions are
 * stored. */
static struct test_graph make_graph(const struct mr_build_options *options, size_t n_edges,
                                    uint64_t n_ids, uint64_t stride, uint64_t seed)
{
    struct test_graph graph = {.options = *options, .n_edges = n_edges};
    graph.edges = malloc(n_edges * sizeof *graph.edges);
    for (size_t i = 0; i < n_edges; i++) {
        uint64_t source = test_random(&seed) % n_ids, target = test_random(&seed) % n_ids;
        target = i % 3 == 1 ? (source + i % 7) % n_ids : i % 3 == 2 ? target % 2 : target;
        if (options->undirected && source > target) {
            uint64_t least = target;
            target = source;
            source = least;
        }
        graph.edges[i] = (struct mr_edge){source * stride, target * stride};
    }
    qsort(graph.edges, n_edges, sizeof *graph.edges, compare_edges);
    size_t kept = 0;
    for (size_t i = 0; i < n_edges; i++) {
        if (options->keep_duplicates || kept == 0 ||
            compare_edges(&graph.edges[kept - 1], &graph.edges[i]) != 0) {
            graph.edges[kept++] = graph.edges[i];
        }
    }
    graph.n_edges = kept;
    test_build_shuffle(&graph, seed);
    return graph;
}

static void build(struct fixture *f, const struct test_graph *graph, const char *name)
{
    struct mr_store_build_figures summary;
    struct mr_error err = {0};
    char path[PATH_MAX];
    test_dir_path(&f->dir, name, path);
    if (test_build_run(&f->context, path, graph, &summary, &err) != MR_OK) {
        fail_msg("%s", err.message);
    }
}

static void transpose(struct fixture *f, const struct mr_context *context, const char *from,
                      const char *to, struct mr_store_build_figures *summary)
{
    char from_path[PATH_MAX], to_path[PATH_MAX];
    struct mr_store *store = NULL;
    struct mr_error err = {0};
    test_dir_path(&f->dir, from, from_path);
    test_dir_path(&f->dir, to, to_path);
    assert_int_equal(mr_store_open(context, from_path, &store, NULL), MR_OK);
    const struct mr_build_options options = {.force = true,
                                             .zstd_level = mr_store_get_info(store)->zstd_level};
    if (mr_transpose(context, store, to_path, &options, summary, &err) != MR_OK) {
        fail_msg("%s", err.message);
    }
    mr_store_close(store);
}

static uint64_t hash(struct fixture *f, const char *name)
{
    char path[PATH_MAX];
    test_dir_path(&f->dir, name, path);
    return test_build_hash(path);
}

static void check(struct fixture *f, const char *name)
{
    char path[PATH_MAX];
    struct mr_check_summary checked;
    struct mr_error err = {0};
    test_dir_path(&f->dir, name, path);
    if (mr_check(&f->context, path, true, test_build_key, &checked, &err) != MR_OK) {
        fail_msg("%s", err.message);
    }
}

static void test_the_reverse_is_what_building_reversed_gives(void **state)
{
    struct fixture *f = *state;
    for (unsigned flags = 0; flags < 48; flags++) {
        const enum mr_id_kind ids = (enum mr_id_kind)(flags / 16);
        const uint64_t n_ids = 3000 + flags;
        struct mr_build_options options = {
            .ids = ids,
            .n_vertices = ids == MR_IDS_DENSE ? n_ids + 1000 : 0,
            .name_key = test_build_key,
            .name_key_number = 1,
            .undirected = flags & 1,
            .keep_duplicates = flags & 2,
            .drop_self_loops = flags & 4,
            .transpose = flags & 8,
            .zstd_level = flags % 5 == 0 ? 3 : 0,
            .force = true,
        };
        struct test_graph graph =
            make_graph(&options, 20000, n_ids, ids == MR_IDS_SPARSE ? 0x100000003u : 1, flags + 1);
        struct mr_store_build_figures summary;
        build(f, &graph, "graph.mill");
        graph.options.transpose = !options.transpose;
        build(f, &graph, "expected.mill");
        transpose(f, &f->context, "graph.mill", "reversed.mill", &summary);
        check(f, "reversed.mill");
        assert_int_equal(hash(f, "reversed.mill"), hash(f, "expected.mill"));
        assert_int_equal(summary.n_edges, summary.input_edges);
        assert_int_equal(summary.duplicates, 0);
        transpose(f, &f->context, "reversed.mill", "again.mill", &summary);
        assert_int_equal(hash(f, "again.mill"), hash(f, "graph.mill"));
        test_build_free(&graph);
    }
}

static void test_a_graph_of_no_edges_or_no_vertices(void **state)
{
    struct fixture *f = *state;
    const uint64_t n_vertices[] = {0, 1, 70000};
    for (unsigned i = 0; i < 3; i++) {
        struct mr_store_build_figures summary;
        struct test_graph graph = {
            .options = {.ids = MR_IDS_DENSE, .n_vertices = n_vertices[i], .force = true}};
        build(f, &graph, "graph.mill");
        transpose(f, &f->context, "graph.mill", "reversed.mill", &summary);
        check(f, "reversed.mill");
        assert_int_equal(summary.n_vertices, n_vertices[i]);
        assert_int_equal(summary.n_edges, 0);
    }
}

static void test_neither_threads_nor_memory_show(void **state)
{
    struct fixture *f = *state;
    struct mr_store_build_figures summary;
    struct mr_build_options options = {.ids = MR_IDS_SPARSE};
    struct test_graph graph = make_graph(&options, 3000000, 400000, 3, 7);
    build(f, &graph, "graph.mill");
    transpose(f, &f->context, "graph.mill", "reversed.mill", &summary);
    const uint64_t expected = hash(f, "reversed.mill");
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct mr_context context;
        assert_true(test_context_open(&context, MR_MEMORY_FLOOR_BYTES + (4u << 20), threads));
        transpose(f, &context, "graph.mill", "reversed.mill", &summary);
        test_context_close(&context);
        assert_int_equal(hash(f, "reversed.mill"), expected);
        assert_true(summary.temporary_bytes >= 8 * graph.n_edges);
    }
    test_build_free(&graph);
}

static void test_a_damaged_store_has_no_reverse(void **state)
{
    struct fixture *f = *state;
    struct mr_build_options options = {.ids = MR_IDS_TEXT};
    options.name_key = test_build_key;
    options.name_key_number = 1;
    struct test_graph graph = make_graph(&options, 20000, 3000, 1, 3);
    static const char *const files[] = {"links.1", "names.1"};
    for (unsigned i = 0; i < 2; i++) {
        char path[PATH_MAX], file_path[PATH_MAX + 16];
        struct mr_store *store = NULL;
        struct mr_error err = {0};
        graph.options.force = true;
        build(f, &graph, "graph.mill");
        test_dir_path(&f->dir, "graph.mill", path);
        (void)snprintf(file_path, sizeof file_path, "%s/%s", path, files[i]);
        FILE *file = fopen(file_path, "r+b");
        assert_non_null(file);
        assert_int_equal(fseek(file, 200, SEEK_SET), 0);
        const int byte = fgetc(file);
        assert_int_equal(fseek(file, 200, SEEK_SET), 0);
        assert_int_equal(fputc(byte ^ 1, file), byte ^ 1);
        assert_int_equal(fclose(file), 0);

        assert_int_equal(mr_store_open(&f->context, path, &store, NULL), MR_OK);
        const struct mr_build_options how = {0};
        test_dir_path(&f->dir, "reversed.mill", path);
        assert_int_equal(mr_transpose(&f->context, store, path, &how, NULL, &err),
                         MR_ERROR_CORRUPT);
        mr_store_close(store);
        assert_int_equal(test_dir_count(f->dir.path), 1); /* graph.mill */
    }
    test_build_free(&graph);
}

static void test_an_existing_store_stays_unless_forced(void **state)
{
    struct fixture *f = *state;
    struct mr_build_options options = {.ids = MR_IDS_SPARSE};
    struct test_graph graph = make_graph(&options, 100, 50, 1, 3);
    struct mr_store_build_figures summary;
    struct mr_store *store = NULL;
    struct mr_error err = {0};
    char path[PATH_MAX];
    build(f, &graph, "graph.mill");
    const uint64_t before = hash(f, "graph.mill");
    test_dir_path(&f->dir, "graph.mill", path);
    assert_int_equal(mr_store_open(&f->context, path, &store, NULL), MR_OK);
    const struct mr_build_options how = {0};
    assert_int_equal(mr_transpose(&f->context, store, path, &how, NULL, &err), MR_ERROR_USAGE);
    mr_store_close(store);
    assert_int_equal(hash(f, "graph.mill"), before);
    transpose(f, &f->context, "graph.mill", "graph.mill", &summary); /* with force, onto itself */
    transpose(f, &f->context, "graph.mill", "graph.mill", &summary);
    assert_int_equal(hash(f, "graph.mill"), before);
    test_build_free(&graph);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(TEST(test_the_reverse_is_what_building_reversed_gives),
          TEST(test_a_graph_of_no_edges_or_no_vertices), TEST(test_neither_threads_nor_memory_show),
          TEST(test_a_damaged_store_has_no_reverse),
          TEST(test_an_existing_store_stays_unless_forced))
