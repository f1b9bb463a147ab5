/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the builder with a naive model for every mode and option. Also checks that the bytes are
 * the same for any threads, memory, place of temporary files and order of edges. */
#include <stdlib.h>
#include <string.h>

#include "engine/names/names.h"
#include "engine/scan/check.h"
#include "engine/scan/edges.h"
#include "engine/store/store.h"
#include "tests/support/test.h"
#include "tests/support/test_build.h"
#include "tests/support/test_context.h"

struct fixture {
    struct test_dir dir, tmp;
    struct mr_context context;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    return f != NULL && test_dir_make(&f->dir, NULL) && test_dir_make(&f->tmp, NULL) &&
                   test_context_open(&f->context, UINT64_MAX, 2)
               ? 0
               : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    test_context_close(&f->context);
    test_dir_remove(&f->tmp);
    test_dir_remove(&f->dir);
    free(f);
    return 0;
}

/* ---- The model ---- */

struct model {
    uint64_t *ids; /* [n_vertices], the id of each vertex */
    size_t n_vertices;
    uint64_t *edges; /* [n_edges], source << 32 | target, ascending */
    size_t n_edges, n_duplicates, n_loops_in, n_dangling;
};

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int compare_text_ids(const void *a, const void *b)
{
    char x_name[64], y_name[64], x[64], y[64];
    size_t x_bytes = test_build_key(x_name, test_build_name(*(const uint64_t *)a, x_name), x);
    size_t y_bytes = test_build_key(y_name, test_build_name(*(const uint64_t *)b, y_name), y);
    int order = memcmp(x, y, x_bytes < y_bytes ? x_bytes : y_bytes);
    return order != 0 ? order : x_bytes < y_bytes ? -1 : x_bytes > y_bytes;
}

static size_t unique(uint64_t *values, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || values[i] != values[kept - 1]) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

static void model_vertices(struct model *model, const struct test_graph *graph)
{
    bool is_dense = graph->options.ids == MR_IDS_DENSE;
    size_t room = is_dense ? graph->options.n_vertices : 2 * graph->n_edges + graph->n_declared;
    model->ids = malloc((room + 1) * sizeof *model->ids);
    size_t n = 0;
    for (; is_dense && n < room; n++) {
        model->ids[n] = n;
    }
    for (size_t i = 0; i < graph->n_declared; i++) {
        model->ids[n++] = graph->declared[i];
    }
    for (size_t i = 0; !is_dense && graph->declared == NULL && i < graph->n_edges; i++) {
        model->ids[n++] = graph->edges[i].source;
        model->ids[n++] = graph->edges[i].target;
    }
    qsort(model->ids, n, sizeof *model->ids, compare_u64);
    model->n_vertices = unique(model->ids, n);
    if (graph->options.ids == MR_IDS_TEXT) {
        qsort(model->ids, model->n_vertices, sizeof *model->ids, compare_text_ids);
    }
}

static uint64_t model_vertex(const struct model *model, const struct test_graph *graph, uint64_t id)
{
    const uint64_t *place =
        bsearch(&id, model->ids, model->n_vertices, sizeof id,
                graph->options.ids == MR_IDS_TEXT ? compare_text_ids : compare_u64);
    assert_non_null(place);
    return (uint64_t)(place - model->ids);
}

static struct model make_model(const struct test_graph *graph)
{
    struct model model = {0};
    const struct mr_build_options *options = &graph->options;
    model_vertices(&model, graph);
    model.edges = malloc((2 * graph->n_edges + 1) * sizeof *model.edges);
    for (size_t i = 0; i < graph->n_edges; i++) {
        uint64_t source = model_vertex(&model, graph, graph->edges[i].source);
        uint64_t target = model_vertex(&model, graph, graph->edges[i].target);
        model.n_loops_in += source == target;
        if (source == target && options->drop_self_loops) {
            continue;
        }
        model.edges[model.n_edges++] =
            options->transpose ? target << 32 | source : source << 32 | target;
        if (options->undirected && source != target) {
            model.edges[model.n_edges++] =
                options->transpose ? source << 32 | target : target << 32 | source;
        }
    }
    qsort(model.edges, model.n_edges, sizeof *model.edges, compare_u64);
    if (!options->keep_duplicates) {
        size_t kept = unique(model.edges, model.n_edges);
        model.n_duplicates = model.n_edges - kept;
        model.n_edges = kept;
    }
    model.n_dangling = model.n_vertices;
    for (size_t i = 0; i < model.n_edges; i++) {
        model.n_dangling -= i == 0 || model.edges[i] >> 32 != model.edges[i - 1] >> 32;
    }
    return model;
}

static void free_model(struct model *model)
{
    free(model->ids);
    free(model->edges);
}

/* ---- The store against the model ---- */

struct collected {
    uint64_t *edges;
    size_t n_edges, room;
};

static enum mr_status collect(void *data, const uint32_t (*pairs)[2], const float *weights,
                              size_t n_pairs, struct mr_error *err)
{
    struct collected *collected = data;
    (void)weights;
    if (n_pairs > collected->room - collected->n_edges) {
        return mr_error_set(err, MR_ERROR_RUNTIME, "too many edges");
    }
    for (size_t i = 0; i < n_pairs; i++) {
        collected->edges[collected->n_edges++] = (uint64_t)pairs[i][0] << 32 | pairs[i][1];
    }
    return MR_OK;
}

static void check_names(const struct mr_context *context, struct mr_store *store,
                        const struct test_graph *graph, const struct model *model)
{
    struct mr_names *names;
    struct mr_name_cursor *cursor;
    const char *name;
    size_t name_bytes;
    assert_int_equal(mr_names_open(context, store, test_build_key, &names, NULL), MR_OK);
    assert_int_equal(mr_name_cursor_open(names, 0, &cursor, NULL), MR_OK);
    for (size_t v = 0; v < model->n_vertices; v++) {
        char expected[64];
        size_t bytes = graph->options.ids == MR_IDS_TEXT
                           ? test_build_name(model->ids[v], expected)
                           : (size_t)snprintf(expected, sizeof expected, "%llu",
                                              (unsigned long long)model->ids[v]);
        assert_int_equal(mr_name_cursor_next(cursor, &name, &name_bytes, NULL), MR_OK);
        assert_non_null(name);
        assert_int_equal(name_bytes, bytes);
        assert_memory_equal(name, expected, bytes);
    }
    assert_int_equal(mr_name_cursor_next(cursor, &name, &name_bytes, NULL), MR_OK);
    assert_null(name);
    mr_name_cursor_close(cursor);
    mr_names_close(names);
}

static void check_store(const struct mr_context *context, const char *path,
                        const struct test_graph *graph,
                        const struct mr_store_build_figures *summary)
{
    struct model model = make_model(graph);
    struct mr_store *store;
    struct mr_error err = {.status = MR_OK};
    struct mr_check_summary checked;
    if (mr_check(context, path, true, test_build_key, &checked, &err) != MR_OK) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(mr_store_open(context, path, &store, NULL), MR_OK);
    const struct mr_store_info *info = mr_store_get_info(store);
    assert_int_equal(info->n_vertices, model.n_vertices);
    assert_int_equal(info->n_edges, model.n_edges);
    assert_int_equal(info->n_dangling, model.n_dangling);
    size_t n_loops = 0;
    for (size_t i = 0; i < model.n_edges; i++) {
        n_loops += model.edges[i] >> 32 == (uint32_t)model.edges[i];
    }
    assert_int_equal(info->n_self_loops, n_loops);
    assert_true(info->graph_id != 0);
    assert_int_equal(info->undirected, graph->options.undirected);
    assert_int_equal(info->transposed, graph->options.transpose);
    bool is_identity =
        graph->options.ids != MR_IDS_TEXT &&
        (model.n_vertices == 0 || model.ids[model.n_vertices - 1] == model.n_vertices - 1);
    assert_int_equal(info->name_kind == MR_NAMES_IDENTITY, is_identity);

    struct collected collected = {.edges = malloc((model.n_edges + 1) * sizeof *collected.edges),
                                  .room = model.n_edges};
    assert_int_equal(mr_edges_read(context, store, NULL, collect, &collected, NULL), MR_OK);
    assert_int_equal(collected.n_edges, model.n_edges);
    qsort(collected.edges, collected.n_edges, sizeof *collected.edges, compare_u64);
    assert_memory_equal(collected.edges, model.edges, model.n_edges * sizeof *model.edges);
    check_names(context, store, graph, &model);

    assert_int_equal(summary->input_edges, graph->n_edges);
    assert_int_equal(summary->dropped_self_loops,
                     graph->options.drop_self_loops ? model.n_loops_in : 0);
    assert_int_equal(summary->self_loops, n_loops);
    assert_int_equal(summary->duplicates, model.n_duplicates);
    assert_int_equal(summary->n_vertices, model.n_vertices);
    assert_int_equal(summary->n_edges, model.n_edges);
    assert_int_equal(summary->n_dangling, model.n_dangling);
    assert_int_equal(summary->store_bytes, info->bytes);
    assert_int_equal(summary->links_bytes, info->links_bytes);
    free(collected.edges);
    mr_store_close(store);
    free_model(&model);
}

/* ---- Graphs ---- */

static size_t random_edges(struct test_graph *graph, size_t n_edges, uint64_t n_ids,
                           uint64_t stride, uint64_t *seed)
{
    graph->edges = malloc((n_edges + 1) * sizeof *graph->edges);
    graph->n_edges = n_edges;
    for (size_t i = 0; i < n_edges; i++) {
        uint64_t source = test_random(seed) % n_ids, target = test_random(seed) % n_ids;
        if (i % 4 == 1) { /* a near edge, for the diagonal */
            target = (source + test_random(seed) % 20) % n_ids;
        } else if (i % 4 == 2) { /* a hub: a heavy band */
            target = target % 3;
        } else if (i % 16 == 3 && i > 0) { /* a duplicate */
            graph->edges[i] = graph->edges[test_random(seed) % i];
            continue;
        }
        graph->edges[i] = (struct mr_edge){source * stride, target * stride};
    }
    return n_edges;
}

/* A random graph with random options. */
static struct test_graph random_graph(uint64_t seed)
{
    struct test_graph graph = {.options = {0}};
    struct mr_build_options *options = &graph.options;
    static const uint64_t strides[] = {1, 1, 3, 1000003, 0x100000001u, 0x10000000000001u};
    uint64_t flags = test_random(&seed), n_ids = 1 + test_random(&seed) % 5000;
    uint64_t n_edges =
        test_random(&seed) % 3 == 0 ? test_random(&seed) % 20 : test_random(&seed) % 30000;
    options->ids = (enum mr_id_kind)(test_random(&seed) % 3);
    uint64_t stride = options->ids == MR_IDS_SPARSE ? strides[test_random(&seed) % 6] : 1;
    options->n_vertices = options->ids == MR_IDS_DENSE ? n_ids : 0;
    options->name_key = test_build_key;
    options->name_key_number = 1;
    options->undirected = flags & 1;
    options->keep_duplicates = flags & 2;
    options->drop_self_loops = flags & 4;
    options->transpose = flags & 8;
    options->zstd_level = (flags & 48) == 0 ? 3 : 0;
    if (flags & 64) {
        options->band_bits = 8 + (unsigned)(test_random(&seed) % 5);
        options->stripe_bits = 8 + (unsigned)(test_random(&seed) % (options->band_bits - 7));
    }
    random_edges(&graph, n_edges, n_ids, stride, &seed);
    if ((flags & 384) == 0 && options->ids != MR_IDS_DENSE) {
        graph.n_declared = n_ids;
        graph.declared = malloc(n_ids * sizeof *graph.declared);
        for (size_t i = 0; i < n_ids; i++) {
            graph.declared[i] = (n_ids - 1 - i) * stride;
        }
    }
    return graph;
}

static void test_stores_are_as_the_model_says(void **state)
{
    struct fixture *f = *state;
    char path[PATH_MAX];
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct test_graph graph = random_graph(seed);
        struct mr_store_build_figures summary;
        struct mr_error err = {.status = MR_OK};
        graph.options.force = true;
        test_dir_path(&f->dir, "a.mill", path);
        if (test_build_run(&f->context, path, &graph, &summary, &err) != MR_OK) {
            fail_msg("seed %d: %s", (int)seed, err.message);
        }
        check_store(&f->context, path, &graph, &summary);
        assert_int_equal(test_dir_count(f->dir.path), 1);
        test_build_free(&graph);
    }
}

/* Build `graph` under these conditions and return a hash of the store's bytes. Doubles `sort_bytes`
 * until the largest cell of the grid fits: the least memory gives the most pieces. */
static uint64_t bytes_of(struct fixture *f, struct test_graph *graph, unsigned threads,
                         uint64_t memory_bytes, uint64_t sort_bytes, bool with_tmp)
{
    struct mr_context context;
    struct mr_store_build_figures summary;
    struct mr_error err = {.status = MR_OK};
    enum mr_status status = MR_ERROR_BUDGET;
    char path[PATH_MAX];
    test_dir_path(&f->dir, "b.mill", path);
    assert_true(test_context_open(&context, memory_bytes, threads));
    context.tmp_dir = with_tmp ? f->tmp.path : NULL;
    for (; status == MR_ERROR_BUDGET && sort_bytes < 1000000000; sort_bytes *= 2) {
        graph->options.sort_bytes = sort_bytes;
        mr_error_clear(&err);
        status = test_build_run(&context, path, graph, &summary, &err);
        if (status == MR_OK || sort_bytes == 0) {
            break;
        }
        assert_non_null(strstr(err.message, "sort buffer"));
    }
    if (status != MR_OK) {
        fail_msg("%s", err.message);
    }
    assert_true(mr_memory_peak(context.memory) <= memory_bytes);
    assert_int_equal(test_dir_count(f->tmp.path), 0);
    test_context_close(&context);
    return test_build_hash(path);
}

static void test_bytes_do_not_depend_on_circumstances(void **state)
{
    struct fixture *f = *state;
    static const unsigned threads[] = {1, 2, 3, 8};
    for (uint64_t seed = 1000; seed < 1012; seed++) {
        struct test_graph graph = random_graph(seed);
        graph.options.force = true;
        uint64_t expected = bytes_of(f, &graph, 1, UINT64_MAX, 0, false);
        for (size_t t = 0; t < 4; t++) {
            test_build_shuffle(&graph, seed + t);
            assert_true(bytes_of(f, &graph, threads[t], UINT64_MAX, 0, true) == expected);
            test_build_shuffle(&graph, seed + t + 10);
            assert_true(bytes_of(f, &graph, threads[t], MR_MEMORY_FLOOR_BYTES, 5000 << t, t % 2) ==
                        expected);
        }
        test_build_free(&graph);
    }
}

/* All edges lie in one cell of the grid, and take ten times the memory for sorting; the different
 * ones fit. */
static void test_repeated_edges_do_not_have_to_fit_into_memory(void **state)
{
    struct fixture *f = *state;
    struct test_graph graph = {.options = {.force = true, .undirected = true}};
    struct mr_context context;
    struct mr_store_build_figures summary;
    char path[PATH_MAX];
    uint64_t seed = 5;
    (void)random_edges(&graph, 200000, 40, 1, &seed);
    test_dir_path(&f->dir, "b.mill", path);
    const uint64_t expected = bytes_of(f, &graph, 1, UINT64_MAX, 0, false);
    for (unsigned threads = 1; threads <= 4; threads++) {
        assert_true(test_context_open(&context, MR_MEMORY_FLOOR_BYTES, threads));
        struct mr_error err = {.status = MR_OK};
        test_build_shuffle(&graph, threads);
        graph.options.keep_duplicates = false;
        graph.options.sort_bytes = 300000;
        if (test_build_run(&context, path, &graph, &summary, &err) != MR_OK) {
            fail_msg("%s", err.message);
        }
        assert_true(test_build_hash(path) == expected);
        /* Those that are kept have to fit. */
        graph.options.keep_duplicates = true;
        assert_int_equal(test_build_run(&context, path, &graph, &summary, &err), MR_ERROR_BUDGET);
        assert_non_null(strstr(err.message, "have to be sorted together"));
        test_context_close(&context);
    }
    test_build_free(&graph);
}

/* Enough edges for many blocks and pieces per band; the smallest budget alone causes several
 * pieces. */
static void test_large_graphs_have_the_same_bytes_in_small_memory(void **state)
{
    struct fixture *f = *state;
    struct test_graph graph = {.options = {.ids = MR_IDS_DENSE,
                                           .n_vertices = 100000,
                                           .undirected = true,
                                           .force = true,
                                           .band_bits = 14,
                                           .stripe_bits = 10}};
    struct mr_store_build_figures summary;
    char path[PATH_MAX];
    uint64_t seed = 7;
    random_edges(&graph, 800000, 100000, 1, &seed);
    uint64_t expected = bytes_of(f, &graph, 2, UINT64_MAX, 0, false);
    assert_true(bytes_of(f, &graph, 1, MR_MEMORY_FLOOR_BYTES, 0, false) == expected);
    assert_true(bytes_of(f, &graph, 8, MR_MEMORY_FLOOR_BYTES, 0, true) == expected);
    for (uint64_t bytes = 500000; bytes <= 16000000; bytes *= 4) {
        test_build_shuffle(&graph, bytes);
        assert_true(bytes_of(f, &graph, 3, UINT64_MAX, bytes, false) == expected);
    }
    test_dir_path(&f->dir, "c.mill", path);
    assert_int_equal(test_build_run(&f->context, path, &graph, &summary, NULL), MR_OK);
    check_store(&f->context, path, &graph, &summary);
    test_build_free(&graph);
}

/* With half of the edges near, bands are narrow for any other numbers; with a few less they are
 * wide. */
static void test_local_graphs_have_narrow_bands(void **state)
{
    struct fixture *f = *state;
    for (unsigned n_far = 0; n_far < 2; n_far++) {
        enum { N = 600000 };
        struct test_graph graph = {
            .options = {.ids = MR_IDS_DENSE, .n_vertices = N, .force = true}};
        struct mr_store_build_figures summary;
        struct mr_store *store;
        char path[PATH_MAX];
        uint64_t seed = 11;
        random_edges(&graph, 60000, N, 1, &seed);
        for (size_t i = 0; i < graph.n_edges; i++) {
            const uint64_t source = test_random(&seed) % (N - 64);
            graph.edges[i].source = source;
            graph.edges[i].target = i % 2 == 0 && i >= 2 * n_far ? source ^ i / 2 % 32
                                    : source < N / 2             ? N - 1
                                                                 : 0;
        }
        const uint64_t expected = bytes_of(f, &graph, 2, UINT64_MAX, 0, false);
        assert_true(bytes_of(f, &graph, 1, MR_MEMORY_FLOOR_BYTES, 0, false) == expected);
        test_build_shuffle(&graph, 5);
        assert_true(bytes_of(f, &graph, 8, UINT64_MAX, 500000, true) == expected);
        test_dir_path(&f->dir, "c.mill", path);
        assert_int_equal(test_build_run(&f->context, path, &graph, &summary, NULL), MR_OK);
        check_store(&f->context, path, &graph, &summary);
        assert_int_equal(mr_store_open(&f->context, path, &store, NULL), MR_OK);
        assert_int_equal(mr_store_get_info(store)->band_bits, n_far == 0 ? 16 : 18);
        mr_store_close(store);
        test_build_free(&graph);
    }
}

/* ---- Refusals ---- */

static void expect_refusal(struct fixture *f, struct mr_build_options options,
                           enum mr_status status)
{
    struct mr_build *build = NULL;
    char path[PATH_MAX];
    test_dir_path(&f->dir, "d.mill", path);
    assert_int_equal(mr_build_create(&f->context, path, &options, &build, NULL), status);
    assert_int_equal(mr_build_finish(build, status, NULL, NULL), status);
    assert_int_equal(test_dir_count(f->dir.path), 0);
}

static void test_senseless_options_are_refused(void **state)
{
    struct fixture *f = *state;
    const struct mr_build_options options[] = {
        {.ids = MR_IDS_DENSE, .n_vertices = (uint64_t)1 << 32},
        {.ids = MR_IDS_TEXT},
        {.zstd_level = 20},
        {.band_bits = 7},
        {.band_bits = 21},
        {.stripe_bits = 17},
        {.band_bits = 12, .stripe_bits = 13},
        {.band_bits = 20, .stripe_bits = 13},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        expect_refusal(f, options[i], MR_ERROR_USAGE);
    }
}

static void test_an_existing_store_is_replaced_only_by_force(void **state)
{
    struct fixture *f = *state;
    struct test_graph graph = random_graph(5), other = random_graph(6);
    struct mr_store_build_figures summary;
    struct mr_error err = {.status = MR_OK};
    char path[PATH_MAX];
    test_dir_path(&f->dir, "e.mill", path);
    assert_int_equal(test_build_run(&f->context, path, &graph, &summary, NULL), MR_OK);
    uint64_t before = test_build_hash(path);
    assert_int_equal(test_build_run(&f->context, path, &other, &summary, &err), MR_ERROR_USAGE);
    assert_true(test_build_hash(path) == before);
    other.options.force = true;
    assert_int_equal(test_build_run(&f->context, path, &other, &summary, NULL), MR_OK);
    check_store(&f->context, path, &other, &summary);
    assert_int_equal(test_dir_count(f->dir.path), 1);
    test_build_free(&graph);
    test_build_free(&other);
}

static void test_unknown_ids_are_refused(void **state)
{
    struct fixture *f = *state;
    static const enum mr_id_kind kinds[] = {MR_IDS_SPARSE, MR_IDS_DENSE, MR_IDS_TEXT};
    const struct mr_edge edge = {3, 11};
    char path[PATH_MAX];
    test_dir_path(&f->dir, "f.mill", path);
    for (size_t k = 0; k < 3; k++) {
        const struct mr_build_options options = {
            .ids = kinds[k], .n_vertices = 10, .name_key = test_build_key, .name_key_number = 1};
        struct mr_build *build;
        struct mr_error err = {.status = MR_OK};
        uint64_t id;
        assert_int_equal(mr_build_create(&f->context, path, &options, &build, NULL), MR_OK);
        assert_false(mr_build_is_frozen(build));
        if (kinds[k] == MR_IDS_SPARSE) {
            assert_true(mr_build_knows(build, 11));
            assert_int_equal(mr_build_vertex(build, 3, NULL), MR_OK);
            assert_int_equal(mr_build_freeze(build, NULL), MR_OK);
            assert_int_equal(mr_build_vertex(build, 4, NULL), MR_ERROR_USAGE);
            assert_true(mr_build_is_frozen(build));
            assert_true(mr_build_knows(build, 3));
        } else if (kinds[k] == MR_IDS_TEXT) {
            assert_int_equal(mr_build_name(build, "a", 1, &id, NULL), MR_OK);
            assert_int_equal(id, 0);
            assert_int_equal(mr_build_freeze(build, NULL), MR_OK);
            assert_int_equal(mr_build_name(build, "b", 1, &id, NULL), MR_OK);
            assert_true(id == UINT64_MAX);
        } else {
            assert_int_equal(mr_build_vertex(build, 3, NULL), MR_ERROR_USAGE);
            assert_int_equal(mr_build_name(build, "b", 1, &id, NULL), MR_ERROR_USAGE);
            assert_true(mr_build_knows(build, 9));
        }
        assert_false(mr_build_knows(build, 11));
        assert_int_equal(mr_build_edges(build, 0, &edge, NULL, 1, NULL), MR_OK);
        assert_int_equal(mr_build_finish(build, MR_OK, NULL, &err), MR_ERROR_INPUT);
        assert_non_null(strstr(err.message, "11"));
        assert_int_equal(test_dir_count(f->dir.path), 0);
    }
    assert_int_equal(mr_build_finish(NULL, MR_ERROR_USAGE, NULL, NULL), MR_ERROR_USAGE);
}

static void test_what_does_not_fit_the_disk_is_refused_before_it_comes(void **state)
{
    struct fixture *f = *state;
    const struct mr_build_options options = {.ids = MR_IDS_SPARSE};
    struct mr_context context;
    struct mr_error err = {.status = MR_OK};
    struct mr_build *build = NULL;
    char path[PATH_MAX];
    test_dir_path(&f->dir, "b.mill", path);
    assert_true(test_context_open(&context, (uint64_t)64 << 20, 2));
    assert_int_equal(mr_build_create(&context, path, &options, &build, &err), MR_OK);
    assert_int_equal(mr_build_expect(build, 1000, false, &err), MR_OK);
    assert_int_equal(mr_build_expect(build, (uint64_t)1 << 55, true, &err), MR_OK);
    assert_int_equal(mr_build_expect(build, (uint64_t)1 << 55, false, &err), MR_ERROR_BUDGET);
    assert_non_null(strstr(err.message, "needs about 288.2 PB of temporary disk for "
                                        "36028797018963968 links"));
    assert_int_equal(mr_build_finish(build, MR_ERROR_USAGE, NULL, NULL), MR_ERROR_USAGE);
    assert_true(mr_build_temporary_bytes(&context, MR_IDS_SPARSE, 1000000, false) == 0);
    assert_true(mr_build_temporary_bytes(&context, MR_IDS_SPARSE, 100000000, false) == 800000000);
    assert_true(mr_build_temporary_bytes(&context, MR_IDS_SPARSE, 100000000, true) == 1600000000);
    assert_true(mr_build_temporary_bytes(&context, MR_IDS_SPARSE, UINT64_MAX, true) == UINT64_MAX);
    test_context_close(&context);
}

static void test_bits_follow_from_the_numbers(void **unused)
{
    (void)unused;
    /* vertices, edges, near edges, band bits */
    static const uint64_t cases[][4] = {
        {0, 0, 0, 16},
        {1000, 10, 0, 16},
        {1 << 18, 1, 0, 16}, /* few tiles */
        {1 << 20, 32 << 20, 0, 16}, /* kron-20 and -22: full tiles */
        {1 << 22, 128 << 20, 0, 16},
        {1 << 24, (uint64_t)1 << 29, 0, 16},
        {1 << 24, ((uint64_t)1 << 29) - 1, 0, 17}, /* just below 8192 edges a tile */
        {1 << 24, ((uint64_t)1 << 28), 0, 17},
        {1 << 24, ((uint64_t)1 << 28) - 1, 0, 18}, /* below 4096 */
        {1 << 24, 0, 0, 18},
        {UINT32_MAX, (uint64_t)1 << 37, 0, 18},
        {1 << 24, 1001, 500, 18},
        {1 << 24, 1000, 500, 16}, /* local */
        {UINT32_MAX, UINT64_MAX, UINT64_MAX, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned band, stripe;
        mr_build_choose_bits(cases[i][0], cases[i][1], cases[i][2], &band, &stripe);
        assert_int_equal(band, cases[i][3]);
        assert_int_equal(stripe, 32 - band);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(TEST(test_stores_are_as_the_model_says), TEST(test_bytes_do_not_depend_on_circumstances),
          TEST(test_repeated_edges_do_not_have_to_fit_into_memory),
          TEST(test_large_graphs_have_the_same_bytes_in_small_memory),
          TEST(test_local_graphs_have_narrow_bands), TEST(test_senseless_options_are_refused),
          TEST(test_an_existing_store_is_replaced_only_by_force),
          TEST(test_unknown_ids_are_refused),
          TEST(test_what_does_not_fit_the_disk_is_refused_before_it_comes),
          cmocka_unit_test(test_bits_follow_from_the_numbers))
