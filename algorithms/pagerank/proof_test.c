/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what is proven of given scores against exact ranks by elimination in long double. */
#include <math.h>

#include "algorithms/pagerank/pagerank.h"
#include "tests/support/test.h"
#include "tests/support/test_eliminate.h"
#include "tests/support/test_graph.h"

enum { MAX_N = 90, MAX_EDGES = 300, ROOM = 1 << 12 };

TEST_RANDOM(0xfeedfacecafebeef)

/* x = a P^T x + (1 - a) t, where t is even without `weights`, and pages without links link to all
 * as t does, or evenly. */
static void exact_ranks(uint32_t n, const struct test_edge *edges, size_t n_edges, double a,
                        const struct mr_vertex_weight *weights, bool is_uniform, long double *x)
{
    long double t[MAX_N], sum = 0;
    static long double m[MAX_N * (MAX_N + 1)];
    uint32_t degree[MAX_N] = {0};

    memset(m, 0, sizeof m);
    for (uint32_t v = 0; v < n; v++) {
        sum += weights == NULL ? 1 : (long double)weights[v].weight;
    }
    for (uint32_t v = 0; v < n; v++) {
        t[v] = (weights == NULL ? 1 : (long double)weights[v].weight) / sum;
    }
    for (size_t i = 0; i < n_edges; i++) {
        degree[edges[i].source]++;
    }
    for (uint32_t v = 0; v < n; v++) {
        m[v * (n + 1) + n] = (1 - (long double)a) * t[v];
        m[v * (n + 1) + v] = 1;
    }
    for (size_t i = 0; i < n_edges; i++) {
        m[edges[i].target * (n + 1) + edges[i].source] -= (long double)a / degree[edges[i].source];
    }
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n && degree[u] == 0; v++) {
            m[v * (n + 1) + u] -= (long double)a * (is_uniform ? 1 / (long double)n : t[v]);
        }
    }
    test_eliminate(m, n, x);
}

static long double distance(uint32_t n, const double *scores, const long double *x)
{
    long double sum = 0, result = 0;
    for (uint32_t v = 0; v < n; v++) {
        sum += scores[v];
    }
    for (uint32_t v = 0; v < n; v++) {
        result += fabsl(scores[v] / sum - x[v]);
    }
    return result;
}

/* How many of the `top` best by the scores are among the `top` best by x, at the least: equal exact
 * ranks may be in any order. */
static uint64_t surely_best(uint32_t n, const double *scores, const long double *x, uint64_t top)
{
    uint64_t found = 0;
    for (uint32_t v = 0; v < n; v++) {
        uint64_t better_score = 0, better_rank = 0;
        for (uint32_t u = 0; u < n; u++) {
            better_score += scores[u] > scores[v];
            better_rank += x[u] > x[v];
        }
        found += better_score < top && better_rank < top;
    }
    return found;
}

static void prove(const struct test_graph *graph, uint32_t n, const double *scores,
                  const long double *x, double a, uint64_t top, double most_slack)
{
    static double given[ROOM];
    const struct mr_certify_options options = {
        .struct_size = sizeof options, .damping = a, .top = top};
    struct mr_certify_figures proof;

    memset(given, 0, sizeof given);
    memcpy(given, scores, n * sizeof *scores);
    assert_true(mr_pass_vector_length(mr_store_get_info(graph->store)) <= ROOM);
    assert_int_equal(mr_proof_find(&graph->context, graph->store, &options, given, &proof, NULL),
                     MR_OK);
    const long double error = distance(n, scores, x);
    assert_true((long double)proof.error_bound >= error);
    /* the residual is at most (1 + a) times the error; a bound that is too high fails, too */
    const double most = (1 + a) / (1 - a) * (double)error + most_slack;
    assert_true(proof.error_bound <= most);
    assert_true(proof.rounding_bound < 1e-12);
    assert_true(proof.top == (top < n ? top : n));
    assert_true(proof.top_proven <= proof.top && proof.order_proven <= proof.top);
    assert_true(proof.top_proven <= surely_best(n, scores, x, proof.top));
}

static void bounds_hold_for_any_scores(void **unused)
{
    static struct test_edge edges[MAX_EDGES];
    (void)unused;
    for (int round = 0; round < 40; round++) {
        const uint32_t n = 2 + random_below(MAX_N - 2);
        size_t n_edges = random_below(MAX_EDGES);
        const double a = round % 3 == 0 ? 0.5 : round % 3 == 1 ? 0.85 : 0.99;
        const struct test_store_options options = {.n_vertices = n,
                                                   .band_bits = 8,
                                                   .stripe_bits = 8,
                                                   .graph_id = 5,
                                                   .encoding = (enum mr_encoding)(round % 3),
                                                   .no_names = true};
        struct test_graph graph = {0};
        long double x[MAX_N];
        double scores[MAX_N];

        for (size_t i = 0; i < n_edges; i++) {
            edges[i] = (struct test_edge){random_below(n), random_below(n)};
        }
        test_graph_make(&graph, 1, &options, edges, &n_edges);
        exact_ranks(n, edges, n_edges, a, NULL, false, x);
        for (uint32_t v = 0; v < n; v++) { /* exact, in any scale */
            scores[v] = ldexp((double)x[v], round % 4 == 0 ? 1000 : -500);
        }
        prove(&graph, n, scores, x, a, 10, 1e-10);
        for (uint32_t v = 0; v < n; v++) {
            scores[v] = (double)x[v] * (1 + 1e-4 * random_below(100) / 100.0);
        }
        prove(&graph, n, scores, x, a, 10, 1e-10);
        prove(&graph, n, scores, x, a, UINT64_MAX, 1e-10);
        for (uint32_t v = 0; v < n; v++) {
            scores[v] = random_below(3) * (double)random_below(1000);
        }
        scores[0] = 1;
        prove(&graph, n, scores, x, a, 3, 1e-10);
        test_graph_drop(&graph);
    }
}

/* The ranking that the options say has a small bound, and the other rule for pages without links
 * has a bound that holds. */
static void teleports_and_dangling_rules(void **unused)
{
    static struct test_edge edges[MAX_EDGES];
    static double given[ROOM];
    (void)unused;
    for (int round = 0; round < 40; round++) {
        const uint32_t n = 2 + random_below(MAX_N - 2);
        size_t n_edges = random_below(n);
        const struct test_store_options options = {
            .n_vertices = n, .band_bits = 8, .stripe_bits = 8, .graph_id = 5, .no_names = true};
        struct test_graph graph = {0};
        struct mr_vertex_weight weights[MAX_N];
        long double exact[2][MAX_N];

        for (size_t i = 0; i < n_edges; i++) {
            edges[i] = (struct test_edge){random_below(n), random_below(n)};
        }
        for (uint32_t v = 0; v < n; v++) {
            weights[v] = (struct mr_vertex_weight){v, v % 3 == 0 ? 1 + random_below(9) : 0};
        }
        test_graph_make(&graph, 1, &options, edges, &n_edges);
        for (int is_uniform = 0; is_uniform < 2; is_uniform++) {
            exact_ranks(n, edges, n_edges, 0.85, weights, is_uniform, exact[is_uniform]);
        }
        for (int k = 0; k < 4; k++) {
            const bool is_uniform = k / 2 == 1;
            const struct mr_certify_options how = {.struct_size = sizeof how,
                                                   .damping = 0.85,
                                                   .top = 1,
                                                   .teleport = weights,
                                                   .n_teleport = n,
                                                   .is_uniform = is_uniform};
            struct mr_certify_figures proof;
            long double error = 0;
            memset(given, 0, sizeof given);
            for (uint32_t v = 0; v < n; v++) {
                given[v] = (double)exact[k % 2][v];
                error += fabsl(exact[k % 2][v] - exact[is_uniform][v]);
            }
            assert_int_equal(mr_proof_find(&graph.context, graph.store, &how, given, &proof, NULL),
                             MR_OK);
            assert_true((long double)proof.error_bound >= error);
            assert_true((double)proof.error_bound <= 1.85 / 0.15 * (double)error + 1e-12);
        }
        test_graph_drop(&graph);
    }
}

/* Two pages that link to themselves. All that is wrong with the scores stays wrong. */
static void no_smaller_bound_would_hold(void **unused)
{
    struct test_graph graph = {0};
    struct test_edge edges[] = {{0, 0}, {1, 1}};
    size_t n_edges = 2;
    const struct test_store_options options = {
        .n_vertices = 2, .band_bits = 8, .stripe_bits = 8, .graph_id = 1, .no_names = true};
    const double scores[] = {0.6, 0.4};
    const long double exact[] = {0.5L, 0.5L};
    (void)unused;
    test_graph_make(&graph, 1, &options, edges, &n_edges);
    for (int i = 0; i < 3; i++) {
        const double a = 1 - ldexp(0.5, -5 * i); /* up to 0.9995 */
        static double given[ROOM];
        const struct mr_certify_options how = {.struct_size = sizeof how, .damping = a, .top = 1};
        struct mr_certify_figures proof;
        memcpy(given, scores, sizeof scores);
        assert_int_equal(mr_proof_find(&graph.context, graph.store, &how, given, &proof, NULL),
                         MR_OK);
        const long double error = distance(2, scores, exact);
        assert_true((long double)proof.error_bound >= error);
        assert_true((long double)proof.error_bound <= error * (1 + 1e-9L));
    }
    test_graph_drop(&graph);
}

static void scores_of_zero_are_refused(void **unused)
{
    struct test_graph graph = {0};
    struct test_edge edges[] = {{0, 1}};
    size_t n_edges = 1;
    static double scores[ROOM];
    const struct test_store_options options = {
        .n_vertices = 2, .band_bits = 8, .stripe_bits = 8, .graph_id = 1, .no_names = true};
    const struct mr_certify_options how = {.struct_size = sizeof how, .damping = 0.85, .top = 1};
    struct mr_certify_figures proof;
    struct mr_error err = {0};
    (void)unused;
    test_graph_make(&graph, 1, &options, edges, &n_edges);
    assert_int_equal(mr_proof_find(&graph.context, graph.store, &how, scores, &proof, &err),
                     MR_ERROR_INPUT);
    test_graph_drop(&graph);
}

TEST_MAIN(cmocka_unit_test(bounds_hold_for_any_scores),
          cmocka_unit_test(teleports_and_dangling_rules),
          cmocka_unit_test(no_smaller_bound_would_hold),
          cmocka_unit_test(scores_of_zero_are_refused))
