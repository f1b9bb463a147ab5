/* SALSA against the random walk itself, iterated on a dense matrix; degrees by counting. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algorithms/salsa.h"
#include "engine/test_graph.h"

enum { MAX_N = 30, MAX_EDGES = 90 };

static uint64_t state = 0xda3e39cb94b95bdb;

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)(test_random(&state) % n);
}

static double links[MAX_N][MAX_N];

/* The chain of authorities (or of hubs): from v back along a link, then forth along another, from equal shares
 * of all that have links, halves staying where they are so that it settles. */
static void iterate(uint32_t n, bool is_hubs, double *x)
{
    double degree[2][MAX_N] = {{0}}, count = 0;
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++) {
            const double w = is_hubs ? links[v][u] : links[u][v];
            degree[0][u] += w; /* of the other side */
            degree[1][v] += w;
        }
    }
    for (uint32_t v = 0; v < n; v++) {
        count += degree[1][v] > 0;
    }
    for (uint32_t v = 0; v < n; v++) {
        x[v] = degree[1][v] > 0 ? 1 / count : 0;
    }
    for (int round = 0; round < 3000; round++) {
        double middle[MAX_N] = {0}, next[MAX_N] = {0};
        for (uint32_t u = 0; u < n; u++) {
            for (uint32_t v = 0; v < n; v++) {
                const double w = is_hubs ? links[v][u] : links[u][v];
                middle[u] += w > 0 ? x[v] * w / degree[1][v] : 0;
            }
        }
        for (uint32_t u = 0; u < n; u++) {
            for (uint32_t v = 0; v < n; v++) {
                const double w = is_hubs ? links[v][u] : links[u][v];
                next[v] += w > 0 ? middle[u] * w / degree[0][u] : 0;
            }
        }
        for (uint32_t v = 0; v < n; v++) {
            x[v] = (x[v] + next[v]) / 2;
        }
    }
}

static void random_graphs_match_the_walk(void **unused)
{
    (void)unused;
    for (int round = 0; round < 40; round++) {
        struct test_graph graph;
        struct test_edge edges[MAX_EDGES];
        struct mr_salsa_result result, degrees;
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
        double hubs[MAX_N], authorities[MAX_N];
        iterate(n, true, hubs);
        iterate(n, false, authorities);
        assert_int_equal(mr_salsa(&graph.context, graph.store, &result, NULL), MR_OK);
        assert_int_equal(mr_degree_rank(&graph.context, graph.store, &degrees, NULL), MR_OK);
        for (uint32_t v = 0; v < n; v++) {
            double out = 0, in = 0;
            for (uint32_t u = 0; u < n; u++) {
                out += links[v][u];
                in += links[u][v];
            }
            assert_true(fabs(result.hubs[v] - hubs[v]) < 1e-9);
            assert_true(fabs(result.authorities[v] - authorities[v]) < 1e-9);
            assert_true(degrees.hubs[v] == out && degrees.authorities[v] == in);
        }
        assert_true(n_edges > 0 || (result.n_parts == 0 && result.n_hubs == 0));
        assert_true(result.n_parts <= result.n_hubs && result.largest_hubs <= result.n_hubs);
        mr_salsa_result_free(&degrees);
        mr_salsa_result_free(&result);
        test_graph_drop(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_match_the_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
