/* SPDX-License-Identifier: Apache-2.0 */
/* Tests eigenvector centrality: on random graphs whose links lead everywhere the scores solve their
 * equation, and graphs without a cycle are refused. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "millrace/millrace.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

enum { N = 30, N_EDGES = 150, GRAPHS = 50 };

static uint64_t random_state = 11;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

static struct mr_store *open_graph(struct mr_context *context, const struct test_dir *dir,
                                   const uint64_t *sources, const uint64_t *targets,
                                   uint64_t n_edges)
{
    const struct mr_memory_edges arrays = {
        .struct_size = sizeof arrays, .n_edges = n_edges, .sources = sources, .targets = targets};
    const struct mr_store_build_options options = {
        .struct_size = sizeof options, .force = true, .keep_duplicates = true, .n_vertices = N};
    struct mr_store *store = NULL;
    char path[PATH_MAX];

    (void)snprintf(path, sizeof path, "%s/g.mill", dir->path);
    assert_int_equal(mr_store_build_edges(context, path, &arrays, &options, NULL, NULL), MR_OK);
    assert_int_equal(mr_store_open(context, path, &store, NULL), MR_OK);
    return store;
}

static void test_scores_solve_the_equation(void **state)
{
    static const char *const norms[] = {"l1", "l2", "max"};
    struct mr_context *context = NULL;
    struct test_dir dir;

    (void)state;
    assert_true(test_dir_make(&dir, NULL));
    assert_int_equal(mr_context_create(NULL, &context, NULL), MR_OK);
    for (int i = 0; i < GRAPHS; i++) {
        uint64_t sources[N_EDGES], targets[N_EDGES];
        double linked[N] = {0}, sum = 0, squares = 0, largest = 0, total = 0, off = 0;
        struct mr_ranking *ranking = NULL;
        struct mr_ranking_figures figures = {.struct_size = sizeof figures};
        const struct mr_named_value norm = {.name = "norm", .text = norms[i % 3]};
        for (uint64_t e = 0; e < N_EDGES; e++) { /* a ring, and more */
            sources[e] = e < N ? e : draw(N);
            targets[e] = e < N ? (e + 1) % N : draw(N);
        }
        struct mr_store *store = open_graph(context, &dir, sources, targets, N_EDGES);
        assert_int_equal(mr_rank(context, store, NULL, "eigenvector", &norm, 1, &ranking, NULL),
                         MR_OK);
        const double *x = mr_ranking_scores(ranking, 0);
        for (uint64_t e = 0; e < N_EDGES; e++) {
            linked[targets[e]] += x[sources[e]];
        }
        mr_ranking_describe(ranking, &figures);
        for (int v = 0; v < N; v++) {
            sum += x[v];
            squares += x[v] * x[v];
            largest = fmax(largest, x[v]);
            total += linked[v];
            off += fabs(linked[v] - figures.eigenvalue * x[v]);
        }
        assert_true(figures.converged && figures.change <= 1e-9);
        assert_true(fabs(total / sum - figures.eigenvalue) < 1e-7);
        assert_true(off < 1e-7 * sum);
        assert_true(fabs((i % 3 == 0 ? sum : i % 3 == 1 ? squares : largest) - 1) < 1e-12);
        mr_ranking_free(ranking);
        mr_store_close(store);
    }
    mr_context_destroy(context);
    test_dir_remove(&dir);
}

static void test_without_a_cycle(void **state)
{
    const uint64_t sources[] = {0, 1, 2, 0, 1, 4}, targets[] = {1, 2, 3, 3, 5, 5};
    struct mr_context *context = NULL;
    struct mr_ranking *ranking = NULL;
    struct mr_error err = {0};
    struct test_dir dir;

    (void)state;
    assert_true(test_dir_make(&dir, NULL));
    assert_int_equal(mr_context_create(NULL, &context, NULL), MR_OK);
    struct mr_store *store = open_graph(context, &dir, sources, targets, 6);
    assert_int_equal(mr_rank(context, store, NULL, "eigenvector", NULL, 0, &ranking, &err),
                     MR_ERROR_INPUT);
    assert_null(ranking);
    mr_store_close(store);
    store = open_graph(context, &dir, sources, targets, 0);
    assert_int_equal(mr_rank(context, store, NULL, "eigenvector", NULL, 0, &ranking, NULL), MR_OK);
    for (int v = 0; v < N; v++) {
        assert_true(mr_ranking_scores(ranking, 0)[v] == 0);
    }
    mr_ranking_free(ranking);
    mr_store_close(store);
    mr_context_destroy(context);
    test_dir_remove(&dir);
}

TEST_MAIN(cmocka_unit_test(test_scores_solve_the_equation), cmocka_unit_test(test_without_a_cycle))
