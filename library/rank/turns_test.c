/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that what an open store keeps of one ranking (engine/pass/kept.c) changes no bit of the
 * next ones: rankings in turns equal those of stores that were opened for each. */
#include <string.h>

#include "millrace/millrace.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

enum { N = 40, N_EDGES = 160 };

struct fixture {
    struct test_dir dir;
    struct mr_context *context;
    char path[PATH_MAX];
    struct mr_store *store; /* NULL until a test opens it */
};

static int set_up(void **state)
{
    static struct fixture f;

    f = (struct fixture){.store = NULL};
    *state = &f;
    if (!test_dir_make(&f.dir, NULL) || mr_context_create(NULL, &f.context, NULL) != MR_OK) {
        return -1;
    }
    (void)snprintf(f.path, sizeof f.path, "%s/a.mill", f.dir.path);
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mr_store_close(f->store);
    mr_context_destroy(f->context);
    test_dir_remove(&f->dir);
    return 0;
}

static void open_store(struct fixture *f, const struct mr_memory_edges *arrays,
                       const struct mr_store_build_options *options)
{
    assert_int_equal(mr_store_build_edges(f->context, f->path, arrays, options, NULL, NULL), MR_OK);
    assert_int_equal(mr_store_open(f->context, f->path, &f->store, NULL), MR_OK);
}

static void expect_same_columns(const struct mr_ranking *a, const struct mr_ranking *b)
{
    static const size_t bytes[] = {[MR_SCORES_DOUBLE] = sizeof(double),
                                   [MR_SCORES_FLOAT] = sizeof(float),
                                   [MR_SCORES_VERTEX] = sizeof(uint32_t),
                                   [MR_SCORES_WORD] = sizeof(uint8_t)};
    unsigned n_a = 0, n_b = 0;
    const struct mr_score_column *of_a = mr_ranking_columns(a, &n_a);
    const struct mr_score_column *of_b = mr_ranking_columns(b, &n_b);
    struct mr_ranking_figures of_first = {.struct_size = sizeof of_first};
    struct mr_ranking_figures of_second = {.struct_size = sizeof of_second};

    mr_ranking_describe(a, &of_first);
    mr_ranking_describe(b, &of_second);
    assert_true(n_a > 0 && n_a == n_b);
    for (unsigned i = 0; i < n_a; i++) {
        assert_memory_equal(of_a[i].values, of_b[i].values,
                            of_first.n_vertices * bytes[of_a[i].type]);
    }
    assert_true(of_first.passes == of_second.passes);
    assert_true(of_first.error_bound == of_second.error_bound);
}

/* What a store keeps of one ranking changes no bit of the next ones. */
static void rank_in_turns(struct mr_context *context, struct mr_store *store, const char *path,
                          const double *class_weights)
{
    static const char *const kinds[] = {"pagerank", "pagerank", "hits",     "pagerank",   "degree",
                                        "salsa",    "katz",     "pagerank", "eigenvector"};
    struct mr_vertex_weight page = {.weight = 1};
    struct mr_named_value teleport = {.name = "teleport", .pages = &page, .count = 1};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct mr_store *fresh = NULL;
        struct mr_ranking *a = NULL, *b = NULL;
        const bool is_pagerank = strcmp(kinds[i], "pagerank") == 0;
        const bool teleports = is_pagerank && i % 2 == 1;
        if (class_weights != NULL && !is_pagerank) {
            continue;
        }
        page.vertex = (uint32_t)(i % 4);
        assert_int_equal(mr_store_open(context, path, &fresh, NULL), MR_OK);
        if (class_weights != NULL) {
            assert_int_equal(mr_store_weigh_classes(context, fresh, class_weights, NULL), MR_OK);
        }
        assert_int_equal(mr_rank(context, fresh, NULL, kinds[i], &teleport, teleports, &a, NULL),
                         MR_OK);
        mr_store_close(fresh);
        assert_int_equal(mr_rank(context, store, NULL, kinds[i], &teleport, teleports, &b, NULL),
                         MR_OK);
        expect_same_columns(a, b);
        mr_ranking_free(b);
        mr_ranking_free(a);
    }
}

static void test_rankings_of_one_store_are_those_of_fresh_ones(void **state)
{
    struct fixture *f = *state;
    uint64_t sources[N_EDGES], targets[N_EDGES], random = 1;
    const struct mr_memory_edges arrays = {
        .struct_size = sizeof arrays, .n_edges = N_EDGES, .sources = sources, .targets = targets};
    const struct mr_store_build_options options = {.struct_size = sizeof options, .n_vertices = N};

    for (int i = 0; i < N_EDGES; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        sources[i] = (random >> 33) % (N - 4); /* the last four vertices have no out-edges */
        targets[i] = (random >> 40) % N;
    }
    open_store(f, &arrays, &options);
    rank_in_turns(f->context, f->store, f->path, NULL);
}

static void test_class_weights_count_after_a_ranking_without(void **state)
{
    struct fixture *f = *state;
    const char *const names[] = {"http://a/1", "http://a/2", "http://b/1", "http://b/2"};
    const uint64_t sources[] = {0, 0, 1, 1, 2, 2, 3}, targets[] = {1, 2, 0, 3, 3, 0, 1};
    const struct mr_memory_edges arrays = {.struct_size = sizeof arrays,
                                           .n_edges = 7,
                                           .sources = sources,
                                           .targets = targets,
                                           .names = names,
                                           .n_names = 4};
    const struct mr_store_build_options options = {.struct_size = sizeof options,
                                                   .class_rule = MR_CLASSES_BY_HOST};
    const double weights[][MR_CLASSES_MAX] = {{1, 0.25}, {0.5, 1}};

    open_store(f, &arrays, &options);
    rank_in_turns(f->context, f->store, f->path, NULL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(mr_store_weigh_classes(f->context, f->store, weights[i], NULL), MR_OK);
        rank_in_turns(f->context, f->store, f->path, weights[i]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(test_rankings_of_one_store_are_those_of_fresh_ones),
          TEST(test_class_weights_count_after_a_ranking_without))
