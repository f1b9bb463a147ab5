/* SPDX-License-Identifier: Apache-2.0 */
/* Tests builds from arrays and callbacks: they give the same store as a file with the same edges,
 * and refuse invalid input with its index. */
#include <math.h>
#include <string.h>

#include "millrace/millrace.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

struct fixture {
    struct test_dir dir;
    struct mr_context *context;
    char path[PATH_MAX], other[PATH_MAX];
};

static int set_up(void **state)
{
    static struct fixture f;
    *state = &f;
    if (!test_dir_make(&f.dir, NULL) || mr_context_create(NULL, &f.context, NULL) != MR_OK) {
        return -1;
    }
    (void)snprintf(f.path, sizeof f.path, "%s/a.mill", f.dir.path);
    (void)snprintf(f.other, sizeof f.other, "%s/b.mill", f.dir.path);
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mr_context_destroy(f->context);
    test_dir_remove(&f->dir);
    return 0;
}

static struct mr_store_figures figures_of(struct fixture *f, const char *path)
{
    struct mr_store_figures figures = {.struct_size = sizeof figures};
    struct mr_store *store = NULL;
    assert_int_equal(mr_store_check(f->context, path, true, NULL, NULL), MR_OK);
    assert_int_equal(mr_store_open(f->context, path, &store, NULL), MR_OK);
    mr_store_describe(store, &figures);
    mr_store_close(store);
    return figures;
}

static const uint64_t sources[] = {7, 7, 100, UINT64_MAX, 7};
static const uint64_t targets[] = {100, 100, 7, UINT64_MAX, 8};
enum { N_EDGES = 5 };

static struct mr_memory_edges numbers(void)
{
    return (struct mr_memory_edges){.struct_size = sizeof(struct mr_memory_edges),
                                    .n_edges = N_EDGES,
                                    .sources = sources,
                                    .targets = targets};
}

static void test_ids_that_appear_are_the_vertices(void **state)
{
    struct fixture *f = *state;
    const struct mr_memory_edges arrays = numbers();
    struct mr_store_build_figures built = {.struct_size = sizeof built};
    assert_int_equal(mr_store_build_edges(f->context, f->path, &arrays, NULL, &built, NULL), MR_OK);
    assert_int_equal(built.input_edges, 5);
    assert_int_equal(built.duplicates, 1);
    assert_int_equal(built.self_loops, 1);
    assert_int_equal(built.n_vertices, 4);
    assert_int_equal(built.n_edges, 4);
    assert_int_equal(built.n_dangling, 1);
    const struct mr_store_figures figures = figures_of(f, f->path);
    assert_int_equal(figures.n_vertices, 4);
    assert_int_equal(figures.n_edges, 4);
    assert_int_equal(figures.max_out_degree, 2);
    assert_int_equal(figures.name_kind, MR_NAMES_NUMBERS);

    /* 7, 8, 100, 2^64 - 1 */
    struct mr_store *store = NULL;
    struct mr_names *names = NULL;
    uint32_t vertex = 0;
    bool found = false;
    assert_int_equal(mr_store_open(f->context, f->path, &store, NULL), MR_OK);
    assert_int_equal(mr_store_open_names(f->context, store, &names, NULL), MR_OK);
    assert_int_equal(mr_names_find(names, "100", 3, &vertex, &found, NULL), MR_OK);
    assert_true(found && vertex == 2);
    assert_int_equal(mr_names_find(names, "9", 1, &vertex, &found, NULL), MR_OK);
    assert_false(found);
    mr_names_close(names);
    mr_store_close(store);
}

static void test_options_are_applied(void **state)
{
    struct fixture *f = *state;
    const struct mr_memory_edges arrays = numbers();
    const struct mr_store_build_options options = {.struct_size = sizeof options,
                                                   .undirected = true,
                                                   .drop_self_loops = true,
                                                   .zstd_level = 1};
    assert_int_equal(mr_store_build_edges(f->context, f->path, &arrays, &options, NULL, NULL),
                     MR_OK);
    const struct mr_store_figures figures = figures_of(f, f->path);
    assert_int_equal(figures.n_edges, 4); /* the edges 7 - 100 and 7 - 8, both ways */
    assert_true(figures.undirected && figures.self_loops_dropped);
    /* Without `force`, an existing store stays as it is. */
    struct mr_error err = {0};
    assert_int_equal(mr_store_build_edges(f->context, f->path, &arrays, NULL, NULL, &err),
                     MR_ERROR_USAGE);
    assert_int_equal(figures_of(f, f->path).store_id, figures.store_id);
}

static void expect_refusal(struct fixture *f, const struct mr_memory_edges *arrays,
                           const struct mr_store_build_options *options, enum mr_status status,
                           const char *message)
{
    struct mr_error err = {0};
    assert_int_equal(mr_store_build_edges(f->context, f->path, arrays, options, NULL, &err),
                     status);
    assert_string_equal(err.message, message);
    assert_false(mr_store_probe(f->path));
}

static void test_what_makes_no_sense_is_refused(void **state)
{
    struct fixture *f = *state;
    struct mr_memory_edges arrays = numbers();
    struct mr_store_build_options options = {.struct_size = sizeof options, .n_vertices = 101};
    float weights[N_EDGES] = {1, 2, 3, 0, 5};

    expect_refusal(f, &arrays, &options, MR_ERROR_INPUT,
                   "link 3: 18446744073709551615 is no page; n_vertices is 101");
    arrays.weights = weights;
    expect_refusal(f, &arrays, NULL, MR_ERROR_INPUT,
                   "link 3: the weight is 0; it must be finite and at least 1.2e-38");
    weights[3] = INFINITY;
    expect_refusal(f, &arrays, NULL, MR_ERROR_INPUT,
                   "link 3: the weight is inf; it must be finite and at least 1.2e-38");
    arrays.weights = NULL;
    options =
        (struct mr_store_build_options){.struct_size = sizeof options, .columns = "target-source"};
    expect_refusal(f, &arrays, &options, MR_ERROR_USAGE,
                   "format, columns, vertex_list, bad lines, directed and encoding are for "
                   "mr_store_build_files alone");
    options = (struct mr_store_build_options){.struct_size = sizeof options, .encoding = 3};
    expect_refusal(f, &arrays, &options, MR_ERROR_USAGE,
                   "no such class_rule, use of weights or encoding: 0, 0, 3");
    options = (struct mr_store_build_options){.struct_size = sizeof options, .profile = "surt"};
    expect_refusal(f, &arrays, &options, MR_ERROR_USAGE,
                   "--profile surt is for URLs, and the pages of this input are numbers");
    options = (struct mr_store_build_options){.struct_size = sizeof options,
                                              .class_rule = MR_CLASSES_BY_HOST};
    expect_refusal(f, &arrays, &options, MR_ERROR_USAGE,
                   "--classes is for URLs, and the pages of this input are numbers");
    arrays.sources = NULL;
    expect_refusal(f, &arrays, NULL, MR_ERROR_USAGE, "links without sources or targets");

    arrays = (struct mr_memory_edges){.struct_size = sizeof arrays, .n_names = 2};
    expect_refusal(f, &arrays, NULL, MR_ERROR_USAGE, "n_names without names");

    const char *names[] = {"http://a/", ""};
    arrays = (struct mr_memory_edges){.struct_size = sizeof arrays, .names = names, .n_names = 2};
    expect_refusal(f, &arrays, NULL, MR_ERROR_INPUT,
                   "name 1 is empty, longer than 65536 bytes or has a line feed in it");
    names[1] = NULL;
    expect_refusal(f, &arrays, NULL, MR_ERROR_INPUT,
                   "name 1 is empty, longer than 65536 bytes or has a line feed in it");
    arrays.n_names = 1;
    arrays.n_edges = 1;
    arrays.sources = arrays.targets = &(const uint64_t){1};
    expect_refusal(f, &arrays, NULL, MR_ERROR_INPUT,
                   "link 0 is from 1 to 1, and there are 1 names, counted from 0");
    options = (struct mr_store_build_options){.struct_size = sizeof options, .n_vertices = 1};
    expect_refusal(f, &arrays, &options, MR_ERROR_USAGE,
                   "n_vertices is for numbered pages, and these have names");
}

/* ---- Callbacks ---- */

struct feed {
    uint64_t at;
    uint64_t n; /* number of edges */
    uint64_t fails_at;
    bool has_seen_weights;
};

/* Edge i goes from i * 7 to i * 13 modulo 1000 vertices, with weight 1 + i % 3. */
static struct mr_edge link_of(uint64_t i)
{
    return (struct mr_edge){i * 7 % 1000, i * 13 % 1000};
}

static enum mr_status next(void *data, struct mr_edge *edges, float *weights, size_t capacity,
                           size_t *n_edges, struct mr_error *err)
{
    struct feed *feed = data;

    for (; *n_edges < capacity && feed->at < feed->n; feed->at++) {
        if (feed->at == feed->fails_at) {
            return mr_error_set(err, MR_ERROR_INPUT, "link %d is lost", (int)feed->at);
        }
        edges[*n_edges] = link_of(feed->at);
        if (weights != NULL) {
            feed->has_seen_weights = true;
            weights[*n_edges] = 1 + (float)(feed->at % 3);
        }
        ++*n_edges;
    }
    return MR_OK;
}

static void test_a_callback_gives_the_store_of_the_arrays(void **state)
{
    struct fixture *f = *state;
    enum { LINKS = 10000 };
    static uint64_t from[LINKS], to[LINKS];
    static float weights[LINKS];
    for (uint64_t i = 0; i < LINKS; i++) {
        from[i] = link_of(i).source;
        to[i] = link_of(i).target;
        weights[i] = 1 + (float)(i % 3);
    }
    struct mr_memory_edges arrays = {
        .struct_size = sizeof arrays, .n_edges = LINKS, .sources = from, .targets = to};
    for (int weighted = 0; weighted < 2; weighted++) {
        struct feed feed = {.n = LINKS, .fails_at = UINT64_MAX};
        const struct mr_memory_edges calls = {
            .struct_size = sizeof calls, .next = next, .next_data = &feed};
        const struct mr_store_build_options options = {.struct_size = sizeof options,
                                                       .force = true,
                                                       .n_vertices = 1000,
                                                       .weights = weighted ? MR_WEIGHTS_REQUIRED
                                                                           : MR_WEIGHTS_WHERE_GOOD};
        arrays.weights = weighted ? weights : NULL;
        assert_int_equal(mr_store_build_edges(f->context, f->path, &arrays, &options, NULL, NULL),
                         MR_OK);
        assert_int_equal(mr_store_build_edges(f->context, f->other, &calls, &options, NULL, NULL),
                         MR_OK);
        assert_int_equal(feed.has_seen_weights, weighted);
        const struct mr_store_figures a = figures_of(f, f->path), b = figures_of(f, f->other);
        assert_int_equal(a.store_id, b.store_id); /* a hash of the content */
        assert_int_equal(a.has_weights, weighted);
    }
}

static void test_an_error_of_the_callback_ends_the_build(void **state)
{
    struct fixture *f = *state;
    struct feed feed = {.n = 10000, .fails_at = 5000};
    struct mr_memory_edges calls = {.struct_size = sizeof calls, .next = next, .next_data = &feed};
    expect_refusal(f, &calls, NULL, MR_ERROR_INPUT, "link 5000 is lost");
    calls.sources = sources;
    expect_refusal(f, &calls, NULL, MR_ERROR_USAGE,
                   "links in several forms; give arrays, a callback or a stream");
}

static const char *const pages[] = {"http://www.b.example/x", "http://a.example/2",
                                    "http://a.example/1", "http://www1.b.example/x"};

/* mr_names_find finds a vertex by a spelling that is not the canonical one. */
static void test_spellings_are_found(void **state)
{
    struct fixture *f = *state;
    const struct mr_memory_edges arrays = {.struct_size = sizeof arrays,
                                           .n_edges = 3,
                                           .sources = (const uint64_t[]){0, 1, 2},
                                           .targets = (const uint64_t[]){1, 2, 3},
                                           .names = pages,
                                           .n_names = 4};
    const struct mr_store_build_options options = {
        .struct_size = sizeof options, .profile = "heritrix", .class_rule = MR_CLASSES_BY_HOST};
    struct mr_store *store = NULL;
    struct mr_names *names = NULL;
    uint32_t vertex = 0;
    bool found = false;
    const char *name = NULL;
    size_t name_bytes = 0, bytes = 0, count = 0;

    assert_int_equal(mr_store_build_edges(f->context, f->path, &arrays, &options, NULL, NULL),
                     MR_OK);
    const struct mr_store_figures figures = figures_of(f, f->path);
    assert_int_equal(figures.n_vertices, 3); /* two spellings are one vertex */
    assert_int_equal(figures.n_classes, 2);
    assert_int_equal(mr_store_open(f->context, f->path, &store, NULL), MR_OK);
    assert_int_equal(mr_store_open_names(f->context, store, &names, NULL), MR_OK);
    assert_int_equal(mr_names_find(names, pages[3], strlen(pages[3]), &vertex, &found, NULL),
                     MR_OK);
    assert_true(found);
    assert_int_equal(mr_names_get(names, vertex, &name, &name_bytes, NULL), MR_OK);
    assert_int_equal(name_bytes, strlen("http://b.example/x"));
    assert_memory_equal(name, "http://b.example/x", name_bytes);
    const char *at = mr_names_spellings(names, &bytes);
    size_t spelling_bytes;
    while (mr_name_next_spelling(&at, &bytes, &spelling_bytes) != NULL) {
        count++;
    }
    assert_int_equal(count, 2);
    mr_names_close(names);
    mr_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(test_ids_that_appear_are_the_vertices), TEST(test_options_are_applied),
          TEST(test_what_makes_no_sense_is_refused),
          TEST(test_a_callback_gives_the_store_of_the_arrays),
          TEST(test_an_error_of_the_callback_ends_the_build), TEST(test_spellings_are_found))
