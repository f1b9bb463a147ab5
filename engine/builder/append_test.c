/* SPDX-License-Identifier: Apache-2.0 */
/* Compares appends with one build of everything: the same edges by name, the same facts, the same
 * bytes. An open store stays as it is. After any failure the old store or the new one is there,
 * whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/builder/append.h"
#include "engine/names/names.h"
#include "engine/scan/check.h"
#include "engine/scan/edges.h"
#include "engine/scan/neighbours.h"
#include "tests/support/test.h"
#include "tests/support/test_build.h"
#include "tests/support/test_context.h"

enum { MAX_BATCHES = 5 };

struct fixture {
    struct test_dir dir;
    struct mr_context context;
    char path[PATH_MAX], whole[PATH_MAX];
};

static int no_sync(void *self, int fd)
{
    (void)self, (void)fd;
    return 0;
}

static int no_sync_dir(void *self, const char *path)
{
    (void)self, (void)path;
    return 0;
}

/* Real files without syncs, which would slow the test: tests/crash_test.sh tests what a crash
 * leaves. */
static bool open_context(struct mr_context *context, unsigned threads)
{
    if (!test_context_open(context, 1 << 28, threads)) {
        return false;
    }
    void *self = NULL;
    struct mr_io_table table = *mr_io_table_of(context->io, &self);
    assert_null(self); /* the real back end has no state */
    table.sync = no_sync;
    table.sync_dir = no_sync_dir;
    mr_io_destroy(context->io);
    return mr_io_create(&table, NULL, &context->io, NULL) == MR_OK;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (f == NULL || !test_dir_make(&f->dir, NULL) || !open_context(&f->context, 2)) {
        return -1;
    }
    test_dir_path(&f->dir, "a.mill", f->path);
    test_dir_path(&f->dir, "whole.mill", f->whole);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    test_context_close(&f->context);
    test_dir_remove(&f->dir);
    free(f);
    return 0;
}

static uint64_t below(uint64_t *seed, uint64_t n)
{
    return test_random(seed) % n;
}

/* Edges [first, end) of a graph, which owns them. */
static struct test_graph slice(const struct test_graph *graph, size_t first, size_t end)
{
    struct test_graph part = *graph;
    part.edges += first;
    part.n_edges = end - first;
    return part;
}

static enum mr_status append(const struct mr_context *context, const char *path,
                             const struct test_graph *graph,
                             struct mr_store_append_figures *summary, struct mr_error *err)
{
    const struct mr_append_options options = {.name_key = graph->options.name_key,
                                              .zstd_level = graph->options.zstd_level,
                                              .encoding = graph->options.encoding};
    struct mr_store_build_figures ignored;
    struct mr_append *append = NULL;
    enum mr_status status = mr_append_begin(context, path, NULL, &append, err);
    struct test_graph delta = *graph;
    delta.options.force = true;
    delta.options.encoding = MR_ENCODING_KEYS;
    if (status == MR_OK) {
        status = test_build_run(context, mr_append_delta_path(append), &delta, &ignored, err);
    }
    if (status != MR_OK) {
        mr_append_abandon(append);
        return status;
    }
    return mr_append_finish(append, &options, summary, err);
}

static void must(enum mr_status status, const struct mr_error *err)
{
    if (status != MR_OK) {
        fail_msg("%s", err->message);
    }
}

/* ---- Edges by the ids of their ends ---- */

struct links {
    struct mr_edge *edges;
    size_t n;
    const uint64_t *ids; /* of vertices */
};

static enum mr_status collect(void *data, const uint32_t (*pairs)[2], const float *weights,
                              size_t n_pairs, struct mr_error *err)
{
    struct links *links = data;
    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        links->edges[links->n++] =
            (struct mr_edge){links->ids[pairs[i][0]], links->ids[pairs[i][1]]};
    }
    return MR_OK;
}

static int compare_edges(const void *a, const void *b)
{
    const struct mr_edge *x = a, *y = b;
    return x->source != y->source   ? (x->source < y->source ? -1 : 1)
           : x->target != y->target ? (x->target < y->target ? -1 : 1)
                                    : 0;
}

/* The id that a name stands for: a number, or the text after the slash. */
static uint64_t id_of(const char *name, size_t bytes)
{
    const char *slash = memchr(name, '/', bytes);
    char text[64] = "";
    const char *from = slash != NULL ? slash + 1 : name;
    memcpy(text, from, bytes - (size_t)(from - name));
    return strtoull(text, NULL, 10);
}

/* All links, sorted; every vertex is found by its name. */
static struct links read_links(struct fixture *f, struct mr_store *store, mr_name_key key)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    uint64_t *ids = calloc(info->n_vertices + 1, sizeof *ids);
    struct links links = {.edges = calloc(info->n_edges + 1, sizeof *links.edges), .ids = ids};
    struct mr_names *names = NULL;
    struct mr_name_cursor *cursor = NULL;
    struct mr_error err = {0};
    must(mr_names_open(&f->context, store, key, &names, &err), &err);
    must(mr_name_cursor_open(names, 0, &cursor, &err), &err);
    for (uint32_t v = 0; v < info->n_vertices; v++) {
        const char *name = NULL;
        size_t bytes = 0;
        uint32_t found = UINT32_MAX;
        bool is_found = false;
        must(mr_name_cursor_next(cursor, &name, &bytes, &err), &err);
        assert_non_null(name);
        ids[v] = id_of(name, bytes);
        if (v % 7 == 0) {
            must(mr_names_find(names, name, bytes, &found, &is_found, &err), &err);
            assert_true(is_found && found == v);
            must(mr_names_get(names, v, &name, &bytes, &err), &err);
            assert_true(id_of(name, bytes) == ids[v]);
        }
    }
    mr_name_cursor_close(cursor);
    mr_names_close(names);
    must(mr_edges_read(&f->context, store, NULL, collect, &links, &err), &err);
    assert_true(links.n == info->n_edges);
    qsort(links.edges, links.n, sizeof *links.edges, compare_edges);
    free(ids);
    return links;
}

static void expect_same_links(struct fixture *f, const char *path, const char *whole_path,
                              mr_name_key key)
{
    struct mr_check_summary checked;
    struct mr_store *store = NULL, *whole = NULL;
    struct mr_error err = {0};
    must(mr_check(&f->context, path, true, key, &checked, &err), &err);
    must(mr_store_open(&f->context, path, &store, &err), &err);
    must(mr_store_open(&f->context, whole_path, &whole, &err), &err);
    const struct mr_store_info *a = mr_store_get_info(store), *b = mr_store_get_info(whole);
    assert_true(a->n_vertices == b->n_vertices && a->n_edges == b->n_edges);
    assert_true(a->n_dangling == b->n_dangling && a->n_self_loops == b->n_self_loops);
    assert_true(a->max_in_degree == b->max_in_degree && a->max_out_degree == b->max_out_degree);
    /* Names that are the numbers 0 to n - 1 are not stored, unless they came in another order. */
    assert_true(a->name_kind == b->name_kind ||
                (a->name_kind == MR_NAMES_NUMBERS && b->name_kind == MR_NAMES_IDENTITY));
    struct links x = read_links(f, store, key), y = read_links(f, whole, key);
    assert_memory_equal(x.edges, y.edges, x.n * sizeof *x.edges);
    free(x.edges);
    free(y.edges);
    mr_store_close(store);
    mr_store_close(whole);
}

/* ---- Graphs ---- */

struct shape {
    uint64_t n_ids, stride;
    size_t n_edges;
};

/* Later edges have more of the ids, and some come again. */
static struct test_graph make_graph(const struct mr_build_options *options,
                                    const struct shape *shape, uint64_t seed)
{
    struct test_graph graph = {.options = *options,
                               .edges = calloc(shape->n_edges, sizeof *graph.edges),
                               .n_edges = shape->n_edges};
    for (size_t i = 0; i < shape->n_edges; i++) {
        const uint64_t reach = shape->n_ids / 2 + 1 + shape->n_ids * i / shape->n_edges / 2;
        if (i > 0 && below(&seed, 5) == 0) {
            graph.edges[i] = graph.edges[below(&seed, i)];
            continue;
        }
        graph.edges[i].source = below(&seed, reach) * shape->stride;
        graph.edges[i].target =
            below(&seed, 6) == 0 ? graph.edges[i].source : below(&seed, reach) * shape->stride;
        if (below(&seed, 3) == 0) { /* vertices with equal rows, for corners */
            graph.edges[i].target = below(&seed, 1 + reach / 16) * shape->stride;
        }
    }
    if (options->ids == MR_IDS_DENSE) {
        graph.options.n_vertices = shape->n_ids * shape->stride;
    }
    return graph;
}

static void try_graph(struct fixture *f, const struct mr_build_options *options,
                      const struct shape *shape, uint64_t seed)
{
    struct test_graph graph = make_graph(options, shape, seed);
    const size_t n_batches = 2 + below(&seed, MAX_BATCHES - 1);
    struct mr_store_build_figures summary;
    struct mr_error err = {0};
    const bool any_bits = options->band_bits == 0;

    test_dir_remove(&f->dir);
    assert_int_equal(mkdir(f->dir.path, 0777), 0);
    must(test_build_run(&f->context, f->whole, &graph, &summary, &err), &err);
    struct test_graph first = slice(&graph, 0, graph.n_edges / n_batches);
    if (options->ids == MR_IDS_DENSE) { /* the vertices of a batch come with it */
        first.options.n_vertices = graph.options.n_vertices;
    }
    must(test_build_run(&f->context, f->path, &first, &summary, &err), &err);

    struct mr_store *opened = NULL;
    must(mr_store_open(&f->context, f->path, &opened, &err), &err);
    struct links before = read_links(f, opened, options->name_key);
    uint64_t n_edges = mr_store_get_info(opened)->n_edges;
    for (size_t b = 1; b < n_batches; b++) {
        const size_t begin = graph.n_edges * b / n_batches;
        struct test_graph more = slice(&graph, begin, graph.n_edges * (b + 1) / n_batches);
        struct mr_store_append_figures appended = {0};
        must(append(&f->context, f->path, &more, &appended, &err), &err);
        n_edges += appended.n_new_links;
        assert_true(appended.n_edges == n_edges);
        assert_true(!options->keep_duplicates || appended.n_known == 0);
        /* Append the same edges again: nothing is new. */
        if (!options->keep_duplicates) {
            const uint64_t hash = test_build_hash(f->path);
            must(append(&f->context, f->path, &more, &appended, &err), &err);
            assert_true(appended.n_new_links == 0 && appended.n_new_vertices == 0);
            assert_true(test_build_hash(f->path) == hash);
        }
        assert_int_equal(test_dir_count(f->dir.path), 2);
    }
    expect_same_links(f, f->path, f->whole, options->name_key);

    /* A reader that opened the store before still sees the old graph. */
    struct links after = read_links(f, opened, options->name_key);
    assert_true(after.n == before.n);
    assert_memory_equal(after.edges, before.edges, after.n * sizeof *after.edges);
    free(before.edges);
    free(after.edges);
    mr_store_close(opened);

    if (any_bits && !options->keep_duplicates) { /* a store that keeps them knows the last append */
        assert_true(test_build_hash(f->path) == test_build_hash(f->whole));
    }
    assert_int_equal(test_dir_count(f->dir.path), 2);
    test_build_free(&graph);
}

static const struct mr_build_options text = {
    .ids = MR_IDS_TEXT, .name_key = test_build_key, .name_key_number = 1};

static void test_many_small_bands(void **state)
{
    const struct shape shapes[] = {{3000, 1, 4000}, {3000, 7, 4000}, {300, 1, 6000}};
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned kind = 0; kind < 3; kind++) {
            if (kind == i) {
                continue;
            }
            struct mr_build_options options = {.ids = MR_IDS_SPARSE};
            options = kind == 1 ? text : options;
            options.ids = kind == 2 ? MR_IDS_DENSE : options.ids;
            options.band_bits = 9 + i;
            options.stripe_bits = 8;
            options.encoding = (enum mr_encoding)((i + kind) % 3);
            options.zstd_level = i == 1 ? 3 : 0;
            try_graph(*state, &options, &shapes[i], 10 * i + kind);
        }
    }
}

static void test_flags_of_the_store_hold(void **state)
{
    const struct shape shape = {500, 3, 1000};
    const unsigned some[] = {1, 2, 4, 8, 3, 6, 12, 15};
    for (unsigned i = 0; i < sizeof some / sizeof some[0]; i++) {
        const unsigned flags = some[i];
        struct mr_build_options options = {.ids = MR_IDS_SPARSE};
        options = flags % 3 == 0 ? text : options;
        options.undirected = (flags & 1) != 0;
        options.keep_duplicates = (flags & 2) != 0;
        options.drop_self_loops = (flags & 4) != 0;
        options.transpose = (flags & 8) != 0;
        try_graph(*state, &options, &shape, flags);
    }
}

static void test_appends_have_the_bytes_of_a_build(void **state)
{
    const struct shape shapes[] = {{1000, 1, 6000}, {40000, 5, 20000}};
    for (unsigned i = 0; i < 2; i++) {
        struct mr_build_options options = {.ids = MR_IDS_SPARSE};
        try_graph(*state, &options, &shapes[i], 100 + i);
        options = text;
        try_graph(*state, &options, &shapes[0], 200 + i);
    }
}

/* ---- One writer ---- */

static void test_a_second_writer_fails_at_once(void **state)
{
    struct fixture *f = *state;
    const struct mr_build_options options = {.ids = MR_IDS_SPARSE};
    const struct shape shape = {100, 1, 500};
    struct test_graph graph = make_graph(&options, &shape, 1);
    struct mr_store_build_figures summary;
    struct mr_append *first = NULL, *second = NULL;
    struct mr_error err = {0};
    char pid[32];

    must(test_build_run(&f->context, f->path, &graph, &summary, &err), &err);
    const uint64_t hash = test_build_hash(f->path);
    must(mr_append_begin(&f->context, f->path, NULL, &first, &err), &err);
    assert_int_equal(mr_append_begin(&f->context, f->path, NULL, &second, &err), MR_ERROR_RUNTIME);
    mr_append_abandon(second);
    (void)snprintf(pid, sizeof pid, "process %ld", (long)getpid());
    assert_non_null(strstr(err.message, pid));
    graph.options.force = true;
    assert_int_equal(test_build_run(&f->context, f->path, &graph, &summary, NULL),
                     MR_ERROR_RUNTIME);
    mr_append_abandon(first);
    assert_true(test_build_hash(f->path) == hash);
    test_build_free(&graph);
}

/* ---- What fails ---- */

struct trial {
    struct test_graph first, more;
};

static void copy_file(const char *from, const char *to)
{
    char bytes[4096];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in != NULL && out != NULL);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;) {
        assert_int_equal(fwrite(bytes, 1, n, out), n);
    }
    (void)fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* Leave only a copy of the store at `start` in the directory: cheaper than making it again. */
static void start_again(struct fixture *f, const char *start)
{
    char from[PATH_MAX + 256], to[PATH_MAX + 256];
    test_dir_remove(&f->dir);
    assert_int_equal(mkdir(f->dir.path, 0777), 0);
    assert_int_equal(mkdir(f->path, 0777), 0);
    DIR *directory = opendir(start);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] != '.') {
            (void)snprintf(from, sizeof from, "%s/%s", start, entry->d_name);
            (void)snprintf(to, sizeof to, "%s/%s", f->path, entry->d_name);
            copy_file(from, to);
        }
    }
    (void)closedir(directory);
}

/* Let the n-th change of the disk fail, for each n. `and_after`: all later changes fail too, as on
 * a full disk. */
static void fail_everywhere(struct fixture *f, const struct trial *t, bool and_after)
{
    struct mr_store_build_figures summary;
    struct mr_error err = {0};
    struct test_dir kept;
    char start[sizeof f->path];
    f->context.threads = 1;
    assert_true(test_dir_make(&kept, NULL));
    test_dir_path(&kept, "start.mill", start);
    must(test_build_run(&f->context, start, &t->first, &summary, &err), &err);
    start_again(f, start);
    const uint64_t old = test_build_hash(f->path);
    must(append(&f->context, f->path, &t->more, NULL, &err), &err);
    const uint64_t new = test_build_hash(f->path);
    unsigned n_old = 0;
    for (uint64_t at = 1;; at++) {
        const struct mr_fault_plan plan = {.kind = MR_FAULT_ERROR,
                                           .operations = MR_FAULT_ON_CHANGE,
                                           .at = at,
                                           .and_after = and_after,
                                           .error_number = ENOSPC};
        struct mr_check_summary checked;
        struct mr_context context;
        start_again(f, start);
        assert_true(open_context(&context, 1));
        assert_int_equal(mr_io_create_fault(context.io, &plan, &context.io, NULL), MR_OK);
        const enum mr_status status = append(&context, f->path, &t->more, NULL, NULL);
        const bool is_met = mr_io_fault_count(context.io) >= at;
        test_context_close(&context);
        n_old += test_build_hash(f->path) == old;
        must(mr_check(&f->context, f->path, true, t->more.options.name_key, &checked, &err), &err);
        if (!is_met) {
            assert_int_equal(status, MR_OK);
            assert_true(test_build_hash(f->path) == new);
            break;
        }
        must(append(&f->context, f->path, &t->more, NULL, &err), &err);
        assert_true(test_build_hash(f->path) == new);
        assert_int_equal(test_dir_count(f->dir.path), 1);
    }
    assert_true(n_old > 10);
    test_dir_remove(&kept);
}

static void test_failing_disks(void **state)
{
    struct fixture *f = *state;
    const struct shape shape = {100, 3, 300};
    for (unsigned i = 0; i < 2; i++) {
        struct mr_build_options options = {.ids = MR_IDS_SPARSE};
        options = i == 0 ? text : options;
        struct test_graph graph = make_graph(&options, &shape, i);
        const struct trial trial = {.first = slice(&graph, 0, 200),
                                    .more = slice(&graph, 150, 300)};
        fail_everywhere(f, &trial, i == 0);
        test_build_free(&graph);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(TEST(test_many_small_bands), TEST(test_flags_of_the_store_hold),
          TEST(test_appends_have_the_bytes_of_a_build), TEST(test_a_second_writer_fails_at_once),
          TEST(test_failing_disks))
