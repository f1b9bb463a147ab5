/* SPDX-License-Identifier: Apache-2.0 */
/* Tests Katz centrality against a dense solution of the same equations in long double, by
 * elimination with pivots: the proven bounds hold, also of each single score, on random graphs with
 * repeated links, loops, weights, vertices without links, and attenuations near the limit. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "millrace/millrace.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

enum { MOST = 48, GRAPHS = 60, MOST_EDGES = 400 };

static uint64_t random_state = 7;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

struct graph {
    struct mr_context *context;
    struct mr_store *store, *links; /* `links` has the weights */
    int n;
    long double matrix[MOST][MOST]; /* of the links from row to column */
};

static void make_graph(const struct test_dir *dir, bool weighted, struct graph *graph)
{
    uint64_t sources[MOST_EDGES], targets[MOST_EDGES];
    float weights[MOST_EDGES];
    char path[PATH_MAX];
    const uint64_t n_edges = draw(MOST_EDGES);

    graph->n = 1 + (int)draw(MOST);
    memset(graph->matrix, 0, sizeof graph->matrix);
    for (uint64_t i = 0; i < n_edges; i++) {
        sources[i] = draw((uint64_t)graph->n);
        targets[i] = draw(1 + draw((uint64_t)graph->n));
        weights[i] = weighted ? (float)(1 + draw(64)) / 8 : 1;
        graph->matrix[sources[i]][targets[i]] += weights[i];
    }
    const struct mr_memory_edges arrays = {.struct_size = sizeof arrays,
                                           .n_edges = n_edges,
                                           .sources = sources,
                                           .targets = targets,
                                           .weights = weighted ? weights : NULL};
    const struct mr_store_build_options options = {.struct_size = sizeof options,
                                                   .force = true,
                                                   .keep_duplicates = true,
                                                   .n_vertices = (uint64_t)graph->n};
    (void)snprintf(path, sizeof path, "%s/g.mill", dir->path);
    assert_int_equal(mr_store_build_edges(graph->context, path, &arrays, &options, NULL, NULL),
                     MR_OK);
    assert_int_equal(mr_store_open(graph->context, path, &graph->store, NULL), MR_OK);
    graph->links = graph->store;
    if (weighted && n_edges > 0) {
        assert_int_equal(mr_store_open_weights(graph->context, graph->store, &graph->links, NULL),
                         MR_OK);
    }
}

static void close_graph(struct graph *graph)
{
    if (graph->links != graph->store) {
        mr_store_close(graph->links);
    }
    mr_store_close(graph->store);
}

/* x of x = b + a A' x. */
static void solve(const struct graph *graph, double attenuation, const long double *b,
                  long double *x)
{
    static long double m[MOST][MOST + 1];
    const int n = graph->n;

    for (int v = 0; v < n; v++) {
        for (int u = 0; u < n; u++) {
            m[v][u] = (u == v) - attenuation * graph->matrix[u][v];
        }
        m[v][n] = b[v];
    }
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int r = c; r < n; r++) {
            pivot = fabsl(m[r][c]) > fabsl(m[pivot][c]) ? r : pivot;
        }
        for (int k = 0; k <= n; k++) {
            const long double kept = m[c][k];
            m[c][k] = m[pivot][k];
            m[pivot][k] = kept;
        }
        for (int r = 0; r < n; r++) {
            const long double times = r == c ? 0 : m[r][c] / m[c][c];
            for (int k = c; k <= n; k++) {
                m[r][k] -= times * m[c][k];
            }
        }
    }
    for (int v = 0; v < n; v++) {
        x[v] = m[v][n] / m[v][v];
    }
}

static double figure(const struct mr_ranking *ranking, const char *name)
{
    const struct mr_ranking_kind *kind = NULL;
    struct mr_named_value value = {0};

    for (size_t i = 0; (kind = mr_ranking_kind_at(i)) != NULL && strcmp(kind->name, "katz") != 0;) {
        i++;
    }
    assert_non_null(kind);
    for (const struct mr_rank_figure *row = kind->figures; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0) {
            mr_ranking_value(ranking, row, &value);
        }
    }
    assert_string_equal(value.name, name);
    return value.real;
}

/* An upper bound of the largest eigenvalue. */
static double largest_row(const struct graph *graph)
{
    double rows = 0, columns = 0;

    for (int u = 0; u < graph->n; u++) {
        double row = 0, column = 0;
        for (int v = 0; v < graph->n; v++) {
            row += (double)graph->matrix[u][v];
            column += (double)graph->matrix[v][u];
        }
        rows = fmax(rows, row);
        columns = fmax(columns, column);
    }
    return fmin(rows, columns);
}

static void check_graph(const struct graph *graph, bool from_seeds, double share)
{
    const double most = largest_row(graph);
    const struct mr_vertex_weight seed = {(uint32_t)draw((uint64_t)graph->n), 3};
    struct mr_named_value options[2];
    size_t n_options = 0;
    struct mr_ranking *ranking = NULL;
    struct mr_error err = {0};
    long double b[MOST] = {0}, x[MOST], off = 0, sum = 0;
    const double given = share / (most > 0 ? most : 1);

    if (share < 1) {
        options[n_options++] = (struct mr_named_value){.name = "attenuation", .real = given};
    }
    if (from_seeds) {
        options[n_options++] = (struct mr_named_value){.name = "seeds", .pages = &seed, .count = 1};
    }
    for (int v = 0; v < graph->n; v++) {
        b[v] = from_seeds ? (uint32_t)v == seed.vertex : 1;
    }
    const enum mr_status status =
        mr_rank(graph->context, graph->links, NULL, "katz", options, n_options, &ranking, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(status, MR_OK);
    const double taken = figure(ranking, "attenuation");
    assert_true(share < 1 ? taken == given
                          : fabs(taken * fmax(most, 1) - 0.85) < 1e-12 || most < 1);
    solve(graph, taken, b, x);
    const double *scores = mr_ranking_scores(ranking, 0);
    const double bound = figure(ranking, "relative_bound");
    const double relative = figure(ranking, "relative_error");
    struct mr_ranking_figures known = {.struct_size = sizeof known};
    mr_ranking_describe(ranking, &known);
    assert_true(known.bound_kind == MR_BOUND_RELATIVE && known.error_bound == bound);
    for (int v = 0; v < graph->n; v++) {
        off += fabsl(scores[v] - x[v]);
        sum += x[v];
        assert_true(from_seeds || fabsl(scores[v] - x[v]) <= relative * x[v] * (1 + 1e-9L));
    }
    assert_true(off <= bound * sum * (1 + 1e-9L));
    assert_true(bound <= 1e-9 && bound > 0);
    assert_true(from_seeds == (bool)isnan(relative));
    mr_ranking_free(ranking);
}

static void test_bounds_hold(void **state)
{
    struct graph graph = {0};
    struct test_dir dir;

    (void)state;
    assert_true(test_dir_make(&dir, NULL));
    assert_int_equal(mr_context_create(NULL, &graph.context, NULL), MR_OK);
    for (int i = 0; i < GRAPHS; i++) {
        make_graph(&dir, i % 3 == 0, &graph);
        check_graph(&graph, i % 2 == 1, i % 5 == 0 ? 1 : i % 5 == 1 ? 0.98 : 0.5);
        close_graph(&graph);
    }
    mr_context_destroy(graph.context);
    test_dir_remove(&dir);
}

/* A ring has the largest eigenvalue 1. */
static void test_an_attenuation_that_is_too_large_is_refused(void **state)
{
    const uint64_t sources[] = {0, 1, 2, 3}, targets[] = {1, 2, 0, 0};
    const struct mr_memory_edges arrays = {
        .struct_size = sizeof arrays, .n_edges = 4, .sources = sources, .targets = targets};
    struct mr_context *context = NULL;
    struct mr_store *store = NULL;
    struct mr_ranking *ranking = NULL;
    struct mr_error err = {0};
    struct test_dir dir;
    char path[PATH_MAX];

    (void)state;
    assert_true(test_dir_make(&dir, NULL));
    (void)snprintf(path, sizeof path, "%s/ring.mill", dir.path);
    assert_int_equal(mr_context_create(NULL, &context, NULL), MR_OK);
    assert_int_equal(mr_store_build_edges(context, path, &arrays, NULL, NULL, NULL), MR_OK);
    assert_int_equal(mr_store_open(context, path, &store, NULL), MR_OK);
    for (int i = 0; i < 3; i++) {
        const double attenuation = (double[]){0.99, 1, 1.25}[i];
        const struct mr_named_value value = {.name = "attenuation", .real = attenuation};
        err = (struct mr_error){0};
        const enum mr_status status =
            mr_rank(context, store, NULL, "katz", &value, 1, &ranking, &err);
        assert_int_equal(status, i == 0 ? MR_OK : MR_ERROR_USAGE);
        mr_ranking_free(ranking);
    }
    assert_string_equal(err.message,
                        "attenuation 1.25: seems to be above 1 / the largest eigenvalue of the "
                        "links, since walks grow 1.25 times with each link; take less than 1");
    mr_store_close(store);
    mr_context_destroy(context);
    test_dir_remove(&dir);
}

TEST_MAIN(cmocka_unit_test(test_bounds_hold),
          cmocka_unit_test(test_an_attenuation_that_is_too_large_is_refused))
