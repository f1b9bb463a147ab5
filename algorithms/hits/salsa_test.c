/* SPDX-License-Identifier: Apache-2.0 */
/* Tests SALSA against the random walk itself, on a dense matrix, and degrees against counts; both
 * also with weights. */
#include <math.h>
#include <string.h>

#include "algorithms/hits/salsa.h"
#include "tests/support/test.h"
#include "tests/support/test_weighted.h"

enum { MAX_N = 30, MAX_EDGES = 90 };

static uint64_t state = 0xda3e39cb94b95bdb;

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)(test_random(&state) % n);
}

static double links[MAX_N][MAX_N]; /* the number of edges, or their weight */

/* The chain of authorities (or of hubs): from v back along an edge, then forward along another,
 * from equal shares of all vertices that have edges. It takes 2^STEPS steps by squaring the matrix.
 * Each time the rows are scaled to 1 again, so that their rounding errors do not grow. */
static void iterate(uint32_t n, bool is_hubs, double *x)
{
    enum { STEPS = 40 };
    static double step[MAX_N][MAX_N], next[MAX_N][MAX_N];
    double degree[2][MAX_N] = {{0}}, count = 0;
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++) {
            const double w = is_hubs ? links[v][u] : links[u][v];
            degree[0][u] += w; /* of the other side */
            degree[1][v] += w;
        }
    }
    memset(step, 0, sizeof step);
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++) {
            for (uint32_t t = 0; t < n; t++) {
                const double back = is_hubs ? links[v][u] : links[u][v];
                const double forth = is_hubs ? links[t][u] : links[u][t];
                step[v][t] += back * forth > 0 ? back / degree[1][v] * forth / degree[0][u] : 0;
            }
        }
    }
    for (int round = 0; round < STEPS; round++) {
        for (uint32_t v = 0; v < n; v++) {
            double sum = 0;
            for (uint32_t t = 0; t < n; t++) {
                next[v][t] = 0;
                for (uint32_t u = 0; u < n; u++) {
                    next[v][t] += step[v][u] * step[u][t];
                }
                sum += next[v][t];
            }
            for (uint32_t t = 0; t < n && sum > 0; t++) {
                next[v][t] /= sum;
            }
        }
        memcpy(step, next, sizeof step);
    }
    for (uint32_t v = 0; v < n; v++) {
        x[v] = 0;
        count += degree[1][v] > 0;
    }
    for (uint32_t v = 0; v < n; v++) {
        for (uint32_t t = 0; t < n; t++) {
            x[t] += degree[1][v] > 0 ? step[v][t] / count : 0;
        }
    }
}

static void is_about(double actual, double expected)
{
    assert_true(fabs(actual - expected) <= 1e-11 * expected); /* squaring makes this of 1e-16 */
}

/* `links` are those of the graph. Returns the number of its components. */
static uint64_t match_the_walk(const struct test_graph *graph, uint32_t n)
{
    struct mr_salsa_result result, degrees;
    double hubs[MAX_N], authorities[MAX_N];
    uint64_t n_hubs = 0, n_authorities = 0;

    iterate(n, true, hubs);
    iterate(n, false, authorities);
    assert_int_equal(mr_salsa(&graph->context, graph->store, &result, NULL), MR_OK);
    assert_int_equal(mr_degree_rank(&graph->context, graph->store, &degrees, NULL), MR_OK);
    for (uint32_t v = 0; v < n; v++) {
        double out = 0, in = 0;
        for (uint32_t u = 0; u < n; u++) {
            out += links[v][u];
            in += links[u][v];
        }
        n_hubs += out > 0;
        n_authorities += in > 0;
        is_about(result.hubs[v], hubs[v]);
        is_about(result.authorities[v], authorities[v]);
        assert_true(degrees.hubs[v] == out && degrees.authorities[v] == in);
    }
    assert_true(result.n_hubs == n_hubs && result.n_authorities == n_authorities);
    assert_true(degrees.n_hubs == n_hubs && degrees.n_authorities == n_authorities);
    assert_true((result.n_parts == 0) == (n_hubs == 0));
    assert_true(result.n_parts <= result.n_hubs && result.largest_hubs <= result.n_hubs);
    const uint64_t n_parts = result.n_parts;
    mr_salsa_result_free(&degrees);
    mr_salsa_result_free(&result);
    return n_parts;
}

static void random_graphs_match_the_walk(void **unused)
{
    (void)unused;
    for (int round = 0; round < 40; round++) {
        struct test_graph graph;
        struct test_edge edges[MAX_EDGES];
        const uint32_t n = round == 0 ? 1 : 1 + random_below(MAX_N);
        size_t n_edges = round < 2 ? 0 : random_below(round % 2 == 0 ? n : MAX_EDGES);
        const struct test_store_options options = {.n_vertices = n,
                                                   .band_bits = 8,
                                                   .stripe_bits = 8,
                                                   .graph_id = 5,
                                                   .duplicates_kept = round % 3 == 0,
                                                   .no_names = true};
        for (size_t i = 0; i < n_edges; i++) {
            edges[i] = (struct test_edge){random_below(n), random_below(n)};
        }
        test_graph_make(&graph, 1, &options, edges, &n_edges);
        memset(links, 0, sizeof links);
        for (size_t i = 0; i < n_edges; i++) {
            links[edges[i].source][edges[i].target] += 1;
        }
        (void)match_the_walk(&graph, n);
        test_graph_drop(&graph);
    }
}

/* A graph of the edges with weights, and the matrix `links`. */
static void make_weighted(struct test_graph *graph, uint32_t n, const struct test_link *list,
                          size_t n_links, bool keeps_duplicates)
{
    memset(links, 0, sizeof links);
    for (size_t i = 0; i < n_links; i++) {
        links[list[i].source][list[i].target] += (double)list[i].weight;
    }
    test_weighted_make(graph, 2, n, keeps_duplicates, list, n_links);
}

static void weights_lead_the_walk(void **unused)
{
    (void)unused;
    unsigned in_parts = 0;
    for (unsigned round = 0; round < 60; round++) {
        struct test_graph graph;
        struct test_link list[MAX_EDGES];
        const uint32_t n = round == 0 ? 1 : 1 + random_below(MAX_N);
        const uint32_t active = 1 + random_below(n); /* the other vertices have no out-edges */
        const size_t n_links = round < 2 ? 0 : random_below(round % 2 == 0 ? n : MAX_EDGES);
        for (size_t i = 0; i < n_links; i++) {
            const uint32_t u = random_below(active);
            /* Sums of such weights are exact, also for an edge that occurs twice. */
            list[i] =
                (struct test_link){u, random_below(5) == 0 ? u : random_below(n),
                                   (float)(1 + random_below(round % 3 == 0 ? 9 : 5000)) / 64.0f};
        }
        make_weighted(&graph, n, list, n_links, round % 4 == 0);
        in_parts += match_the_walk(&graph, n) > 1;
        test_graph_drop(&graph);
    }
    assert_true(in_parts > 20);
}

static void the_largest_part_has_most_weight(void **unused)
{
    (void)unused;
    const struct test_link list[] = {{0, 1, 1}, {0, 2, 1}, {3, 1, 1}, {4, 5, 9}};
    struct test_graph graph;
    struct mr_salsa_result result;

    make_weighted(&graph, 6, list, 4, false);
    assert_int_equal(mr_salsa(&graph.context, graph.store, &result, NULL), MR_OK);
    assert_true(result.n_parts == 2);
    assert_true(result.largest_hubs == 1 && result.largest_authorities == 1);
    mr_salsa_result_free(&result);
    test_graph_drop(&graph);
}

TEST_MAIN(cmocka_unit_test(random_graphs_match_the_walk), cmocka_unit_test(weights_lead_the_walk),
          cmocka_unit_test(the_largest_part_has_most_weight))
