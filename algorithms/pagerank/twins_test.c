/* SPDX-License-Identifier: Apache-2.0 */
/* Twins against the rows of a matrix, and against exact scores: twins have the same. */
#include <math.h>

#include "algorithms/pagerank/twins.h"
#include "tests/support/test.h"
#include "tests/support/test_eliminate.h"
#include "tests/support/test_graph.h"
#include "tests/support/test_weighted.h"

enum { MOST = 60 };

TEST_RANDOM(0x2545f4914f6cdd1d)

struct matrix {
    uint32_t n, links[MOST][MOST]; /* [target][source] */
    double teleport[MOST];
};

static void make_twins(struct test_graph *graph, const struct mr_vertex_weight *teleport,
                       uint64_t n_teleport, struct mr_twins *twins)
{
    const struct mr_pass_options options = {0};
    const struct mr_store_info *info = mr_store_get_info(graph->store);
    struct mr_pass *pass = NULL;
    uint64_t *values = malloc(mr_pass_vector_length(info) * sizeof *values);
    assert_int_equal(mr_pass_open(&graph->context, graph->store, &options, &pass, NULL), MR_OK);
    twins->in_links = malloc(info->n_vertices * sizeof *twins->in_links);
    twins->out_degree = malloc(info->n_vertices * sizeof *twins->out_degree);
    assert_int_equal(mr_twins_find(pass, info, teleport, n_teleport, values, twins, NULL), MR_OK);
    assert_int_equal(mr_pass_get_figures(pass).passes, 1);
    mr_pass_close(pass);
    free(values);
}

/* By definition: the same in-links, those of each other included or left out. */
static bool are_twins(const struct matrix *m, uint32_t a, uint32_t b)
{
    bool same = true, closed = true;
    uint32_t of_a = 0, of_b = 0;
    for (uint32_t u = 0; u < m->n; u++) {
        same &= m->links[a][u] == m->links[b][u];
        closed &= m->links[a][u] + (u == a) == m->links[b][u] + (u == b);
        of_a += m->links[u][a];
        of_b += m->links[u][b];
    }
    return m->teleport[a] == m->teleport[b] && (same || (closed && of_a == of_b));
}

static void solve(const struct matrix *m, long double *x)
{
    const uint32_t n = m->n;
    long double *system = calloc((size_t)n * (n + 1), sizeof *system);
    for (uint32_t u = 0; u < n; u++) {
        uint32_t degree = 0;
        for (uint32_t v = 0; v < n; v++) {
            degree += m->links[v][u];
        }
        for (uint32_t v = 0; v < n; v++) {
            system[v * (n + 1) + u] =
                (u == v) - (degree == 0 ? 0.85L * m->teleport[v] : 0.85L * m->links[v][u] / degree);
        }
        system[u * (n + 1) + n] = m->teleport[u];
    }
    test_eliminate(system, n, x);
    free(system);
}

static void check(struct test_graph *graph, const struct matrix *m,
                  const struct mr_vertex_weight *teleport, uint64_t n_teleport, uint64_t n_found[2])
{
    long double x[MOST];
    struct mr_twins twins;
    assert_true(mr_twins_are_known(graph->store));
    make_twins(graph, teleport, n_teleport, &twins);
    solve(m, x);
    for (uint32_t a = 0; a < m->n; a++) {
        for (uint32_t b = 0; b < a; b++) {
            const bool found = mr_twins_are(&twins, a, b);
            assert_int_equal(found, are_twins(m, a, b));
            assert_int_equal(found, mr_twins_are(&twins, b, a));
            assert_true(!found || fabsl(x[a] - x[b]) <= 1e-15L * fabsl(x[a]));
            n_found[0] += found;
            n_found[1] += found && twins.in_links[a] != twins.in_links[b];
        }
    }
    free(twins.in_links);
    free(twins.out_degree);
}

/* Copies of pages: some in-links are copied, and sometimes the copies link to each other. */
static size_t copied_links(struct test_edge *edges, uint32_t n)
{
    size_t n_edges = 0;
    uint8_t has[MOST][MOST] = {{0}};
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t model = v > 0 ? random_below(v) : 0;
        const bool copies = v > 0 && random_below(2) == 0;
        for (uint32_t u = 0; u < n; u++) {
            has[v][u] = copies ? has[model][u] : random_below(6) == 0;
        }
        if (copies && random_below(2) == 0) {
            has[v][v] = has[model][model] = 0;
            has[v][model] = has[model][v] = 1;
        }
    }
    for (uint32_t v = 0; v < n; v++) {
        for (uint32_t u = 0; u < n; u++) {
            for (unsigned copy = 0; copy < has[v][u] * (1 + random_below(8) / 7); copy++) {
                edges[n_edges++] = (struct test_edge){u, v};
            }
        }
    }
    return n_edges;
}

static void test_twins_are_those_of_the_matrix_and_score_the_same(void **unused)
{
    (void)unused;
    uint64_t n_found[2] = {0};
    struct test_edge *edges = malloc((size_t)MOST * MOST * 2 * sizeof *edges);
    for (unsigned round = 0; round < 200; round++) {
        struct matrix m = {.n = 2 + random_below(MOST - 2)};
        size_t n_edges = copied_links(edges, m.n);
        struct test_graph graph;
        const struct test_store_options options = {.n_vertices = m.n,
                                                   .band_bits = 8,
                                                   .stripe_bits = 8,
                                                   .duplicates_kept = round % 2 == 0,
                                                   .encoding = round % 3 == 0 ? MR_ENCODING_CORNERS
                                                                              : MR_ENCODING_AUTO,
                                                   .no_names = true};
        struct mr_vertex_weight weights[MOST];
        uint64_t n_weights = 0;
        test_graph_make(&graph, 2, &options, edges, &n_edges);
        for (size_t i = 0; i < n_edges; i++) {
            m.links[edges[i].target][edges[i].source]++;
        }
        for (uint32_t v = 0; v < m.n; v++) {
            if (round % 4 != 0) {
                m.teleport[v] = 1.0 / m.n;
            } else if (random_below(2) == 0) {
                weights[n_weights++] = (struct mr_vertex_weight){v, random_below(3)};
                m.teleport[v] = weights[n_weights - 1].weight / (2 * m.n);
            }
        }
        check(&graph, &m, n_weights > 0 ? weights : NULL, n_weights, n_found);
        test_graph_drop(&graph);
    }
    assert_true(n_found[0] > 500 && n_found[1] > 20); /* of both kinds */
    free(edges);
}

static void test_no_twins_are_known_where_links_have_weights(void **unused)
{
    (void)unused;
    const struct test_link links[] = {{0, 1, 1}, {0, 2, 1}};
    const struct mr_twins none = {NULL, NULL};
    struct test_graph graph;
    test_weighted_make(&graph, 1, 3, false, links, 2);
    assert_false(mr_twins_are_known(graph.store));
    assert_false(mr_twins_are(&none, 1, 2));
    test_graph_drop(&graph);
}

TEST_MAIN(cmocka_unit_test(test_twins_are_those_of_the_matrix_and_score_the_same),
          cmocka_unit_test(test_no_twins_are_known_where_links_have_weights))
