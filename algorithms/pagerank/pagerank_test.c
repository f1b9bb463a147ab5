/* SPDX-License-Identifier: Apache-2.0 */
/* PageRank against a dense solver (Gaussian elimination in long double) on random graphs: the true
 * error never exceeds the certificate, for every dangling rule, teleport vector and precision. */
#include <math.h>

#include "algorithms/pagerank/pagerank.h"
#include "algorithms/scores/compare.h"
#include "tests/support/test.h"
#include "tests/support/test_eliminate.h"
#include "tests/support/test_graph.h"

struct fixture {
    struct test_graph graph;
    struct test_edge *edges;
    size_t n_edges;
    uint32_t n;
};

TEST_RANDOM(0x2545f4914f6cdd1d)

/* Self-loops, dangling and isolated vertices, empty bands and duplicates all happen. */
static void make_graph(struct fixture *f, uint32_t n, size_t n_edges, unsigned band_bits)
{
    memset(f, 0, sizeof *f);
    f->n = n;
    f->n_edges = n_edges;
    f->edges = malloc((n_edges + 1) * sizeof *f->edges);
    const uint32_t active = 1 + random_below(n), reach = 1 + random_below(n);
    for (size_t i = 0; i < n_edges; i++) {
        uint32_t source = random_below(active);
        uint32_t target = random_below(4) == 0 ? source : random_below(reach);
        f->edges[i] = (struct test_edge){source, random_below(3) == 0 ? n - 1 - target : target};
    }
    struct test_store_options options = {.n_vertices = n,
                                         .band_bits = band_bits,
                                         .stripe_bits = 8,
                                         .graph_id = 5,
                                         .duplicates_kept = random_below(2) == 0,
                                         .encoding = random_below(2) == 0 ? MR_ENCODING_CORNERS
                                                                          : MR_ENCODING_AUTO,
                                         .no_names = true};
    test_graph_make(&f->graph, 2, &options, f->edges, &f->n_edges);
}

static void drop_graph(struct fixture *f)
{
    test_graph_drop(&f->graph);
    free(f->edges);
}

/* Teleport vector in full. */
static void spread_teleport(const struct mr_pagerank_options *o, uint32_t n, long double *t)
{
    long double sum = 0;
    for (uint32_t v = 0; v < n; v++) {
        t[v] = o->teleport == NULL ? 1.0L / n : 0;
    }
    for (uint64_t i = 0; o->teleport != NULL && i < o->n_teleport; i++) {
        sum += o->teleport[i].weight;
    }
    for (uint64_t i = 0; o->teleport != NULL && i < o->n_teleport; i++) {
        t[o->teleport[i].vertex] = o->teleport[i].weight / sum;
    }
}

/* The Markov chain with its dangling rows written out, straight from the definition. */
static void oracle(const struct fixture *f, const struct mr_pagerank_options *o, long double *x)
{
    const uint32_t n = f->n;
    const long double a = o->damping;
    long double *m = calloc((size_t)n * (n + 1), sizeof *m), *t = calloc(n, sizeof *t);
    uint32_t *degree = calloc(n, sizeof *degree);
    spread_teleport(o, n, t);
    for (size_t i = 0; i < f->n_edges; i++) {
        degree[f->edges[i].source]++;
    }
    for (size_t i = 0; i < f->n_edges; i++) {
        m[(size_t)f->edges[i].target * (n + 1) + f->edges[i].source] -=
            a / degree[f->edges[i].source];
    }
    for (uint32_t v = 0; v < n; v++) {
        long double *row = m + (size_t)v * (n + 1);
        row[v] += 1;
        row[n] = (1 - a) * t[v];
        for (uint32_t u = 0; u < n; u++) {
            if (degree[u] == 0 && o->dangling != MR_DANGLING_NONE) {
                row[u] -= a * (o->dangling == MR_DANGLING_UNIFORM ? 1.0L / n : t[v]);
            }
        }
    }
    test_eliminate(m, n, x);
    free(m);
    free(t);
    free(degree);
}

static double score(const struct mr_pagerank_result *result, uint32_t v)
{
    return result->precision == MR_PRECISION_SINGLE ? (double)((const float *)result->scores)[v]
                                                    : ((const double *)result->scores)[v];
}

static void check_against_oracle(struct fixture *f, const struct mr_pagerank_options *o)
{
    long double *exact = calloc(f->n, sizeof *exact), error = 0, sum = 0;
    struct mr_pagerank_result result;
    oracle(f, o, exact);
    assert_int_equal(mr_pagerank(&f->graph.context, f->graph.store, o, &result, NULL), MR_OK);
    for (uint32_t v = 0; v < f->n; v++) {
        assert_true(score(&result, v) >= 0);
        if (exact[v] == 0) {
            assert_true(score(&result, v) == 0);
        }
        error += fabsl(score(&result, v) - exact[v]);
        sum += score(&result, v);
    }
    assert_true(result.error_bound <= result.tolerance);
    assert_true(error <= result.error_bound + 1e-17L);
    if (result.normalised) {
        assert_true(fabsl(sum - 1) <= (o->precision == MR_PRECISION_SINGLE ? 1e-6L : 1e-13L));
    }
    assert_true(result.rounding_bound < 1e-13 / (1 - o->damping) ||
                o->precision == MR_PRECISION_SINGLE);
    mr_pagerank_result_free(&result);
    free(exact);
}

/* Ascending random weights on about a quarter of the vertices, a few of them 0. */
static uint64_t random_teleport(struct mr_vertex_weight *weights, uint32_t n)
{
    uint64_t count = 0;
    for (uint32_t v = 0; v < n; v++) {
        if (random_below(4) == 0) {
            weights[count++] = (struct mr_vertex_weight){v, random_below(5) / 2.0};
        }
    }
    if (count == 0) {
        weights[count++] = (struct mr_vertex_weight){0, 0};
    }
    weights[0].weight = 1;
    return count;
}

static void test_the_error_is_within_the_certificate(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < 75; round++) {
        struct fixture f;
        const uint32_t n =
            round < 10 ? 1 + round / 2 : 1 + random_below(round % 10 == 0 ? 300 : 80);
        make_graph(&f, n, random_below(5) == 0 ? 0 : random_below(4 * n), 8);
        struct mr_vertex_weight *weights = malloc((n + 1u) * sizeof *weights);
        struct mr_pagerank_options o;
        o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
        const double dampings[] = {0.85, 0, 0.5, 0.99, 0.15};
        o.damping = dampings[round % 5];
        o.dangling = (enum mr_dangling)(round % 3);
        o.tolerance = round % 7 == 0 ? 1e-4 : round % 7 == 1 ? 1e-11 : 0;
        o.inner = round % 2 == 0 ? 0 : 1 + random_below(6);
        if (round % 11 == 3) {
            o.precision = MR_PRECISION_SINGLE;
            o.tolerance = 1e-4;
        }
        if (round % 4 >= 2) {
            o.n_teleport = random_teleport(weights, n);
            o.teleport = weights;
        }
        if (round % 8 >= 6) { /* zero almost everywhere */
            weights[0] = (struct mr_vertex_weight){random_below(n), 0.125};
            o.n_teleport = 1;
        }
        check_against_oracle(&f, &o);
        free(weights);
        drop_graph(&f);
    }
}

/* ---- What --until proves ---- */

static const double *sorted_scores;
static const long double *sorted_exact;

/* Best first; equal ones in the order of the vertices. */
static int by_score(const void *a, const void *b)
{
    const uint32_t v = *(const uint32_t *)a, w = *(const uint32_t *)b;
    const double x = sorted_scores[v], y = sorted_scores[w];
    return x != y ? (x > y ? -1 : 1) : v < w ? -1 : 1;
}

/* Exact ties in the order of the scores: the order of a page is only wrong where the exact scores
 * differ. */
static int by_exact_score(const void *a, const void *b)
{
    const long double x = sorted_exact[*(const uint32_t *)a],
                      y = sorted_exact[*(const uint32_t *)b];
    return fabsl(x - y) > 1e-15L ? (x > y ? -1 : 1) : by_score(a, b);
}

/* Levels of equal size, as ranks have them. */
static void level_by(int (*compare)(const void *, const void *), uint32_t n, unsigned n_levels,
                     uint8_t *levels)
{
    struct mr_precedence_options options = {.struct_size = sizeof options, .n_levels = n_levels};
    struct mr_context context;
    uint32_t *order = malloc(n * sizeof *order);
    double *ranks = malloc(n * sizeof *ranks);
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    for (uint32_t v = 0; v < n; v++) {
        order[v] = v;
    }
    qsort(order, n, sizeof *order, compare);
    for (uint32_t i = 0; i < n; i++) {
        ranks[order[i]] = n - i;
    }
    assert_int_equal(mr_precedence_levels(&context, ranks, n, &options, levels, NULL, NULL), MR_OK);
    test_context_close(&context);
    free(order);
    free(ranks);
}

static void check_order(const struct mr_pagerank_result *result, uint64_t count, uint32_t n)
{
    uint32_t *order = malloc(n * sizeof *order);
    uint64_t n_ties = 0;
    for (uint32_t v = 0; v < n; v++) {
        order[v] = v;
    }
    qsort(order, n, sizeof *order, by_score);
    for (uint32_t i = 0; i + 1 < n; i++) {
        const uint64_t best = i < count ? i : count - 1;
        const long double gap = sorted_exact[order[best]] - sorted_exact[order[i + 1]];
        assert_true(gap > -1e-15L);
        n_ties += i < count && fabsl(gap) < 1e-15L;
    }
    assert_true(result->until_ties == n_ties);
    free(order);
}

static void check_levels(const struct mr_pagerank_result *result, uint64_t count, uint32_t n)
{
    uint8_t *levels = malloc(n), *exact = malloc(n);
    uint32_t n_other = 0;
    level_by(by_score, n, (unsigned)count, levels);
    level_by(by_exact_score, n, (unsigned)count, exact);
    for (uint32_t v = 0; v < n; v++) {
        n_other += levels[v] != exact[v];
    }
    assert_true(n_other <= result->until_share * n + 1e-9);
    free(levels);
    free(exact);
}

/* 0 -> 1 -> 2 ...: with the first sweeps all but the first score the same. */
static void make_chain(struct fixture *f, uint32_t n)
{
    memset(f, 0, sizeof *f);
    f->n = n;
    f->n_edges = n - 1;
    f->edges = malloc(n * sizeof *f->edges);
    for (uint32_t v = 0; v + 1 < n; v++) {
        f->edges[v] = (struct test_edge){v, v + 1};
    }
    struct test_store_options options = {
        .n_vertices = n, .band_bits = 8, .stripe_bits = 8, .no_names = true};
    test_graph_make(&f->graph, 1, &options, f->edges, &f->n_edges);
}

/* By sweeps in memory and band by band. */
static void test_what_until_proves_is_true(void **unused)
{
    (void)unused;
    unsigned n_proven = 0, n_not = 0;
    uint64_t n_ties = 0;
    for (unsigned round = 0; round < 75; round++) {
        struct fixture f;
        const uint32_t n = 2 + random_below(60);
        round % 3 == 0 ? make_chain(&f, n) : make_graph(&f, n, random_below(4 * n), 8);
        struct mr_vertex_weight *weights = malloc((n + 1u) * sizeof *weights);
        long double *exact = calloc(n, sizeof *exact);
        struct mr_pagerank_options o;
        struct mr_pagerank_result result;
        o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
        const double dampings[] = {0.85, 0.5, 0.99, 0.95};
        o.damping = dampings[round % 4];
        o.dangling = (enum mr_dangling)(round / 4 % 3);
        o.tolerance = 1e-8;
        o.inner = random_below(2);
        o.until = round % 2 == 0 ? MR_UNTIL_ORDER : MR_UNTIL_LEVELS;
        o.until_count = 1 + random_below(8);
        o.until_share = random_below(20) / 100.0;
        if (round % 5 == 1) {
            o.n_teleport = random_teleport(weights, n);
            o.teleport = weights;
        }
        oracle(&f, &o, exact);
        assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &result, NULL), MR_OK);
        sorted_scores = result.scores;
        sorted_exact = exact;
        if (o.until == MR_UNTIL_LEVELS) {
            assert_int_equal(result.proven_until, result.until_share <= o.until_share);
            check_levels(&result, o.until_count, n);
        } else if (result.proven_until) {
            assert_int_equal(result.until_close, 0);
            check_order(&result, o.until_count, n);
            n_ties += result.until_ties;
        } else {
            assert_true(result.until_close > 0);
        }
        assert_true(result.proven_until || result.error_bound <= result.tolerance);
        n_proven += result.proven_until;
        n_not += !result.proven_until;
        mr_pagerank_result_free(&result);
        free(weights);
        free(exact);
        drop_graph(&f);
    }
    assert_true(n_proven > 37 && n_not > 1 && n_ties > 3);
}

static void test_iterations_are_the_textbook_ones(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < 40; round++) {
        struct fixture f;
        const uint32_t n = 1 + random_below(300);
        make_graph(&f, n, random_below(5 * n), 8);
        struct mr_vertex_weight *weights = malloc((n + 1u) * sizeof *weights);
        struct mr_pagerank_options o;
        o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
        o.iterations = 1 + round % 7;
        o.dangling = (enum mr_dangling)(round % 3);
        if (round % 4 == 1) {
            o.n_teleport = random_teleport(weights, n);
            o.teleport = weights;
        }
        long double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *t = calloc(n, sizeof *t);
        uint32_t *degree = calloc(n, sizeof *degree);
        spread_teleport(&o, n, t);
        for (size_t i = 0; i < f.n_edges; i++) {
            degree[f.edges[i].source]++;
        }
        for (uint32_t v = 0; v < n; v++) {
            x[v] = 1.0L / n;
        }
        for (unsigned k = 0; k < o.iterations; k++) {
            long double dangling = 0;
            for (uint32_t v = 0; v < n; v++) {
                dangling += degree[v] == 0 && o.dangling != MR_DANGLING_NONE ? x[v] : 0;
            }
            for (uint32_t v = 0; v < n; v++) {
                y[v] = 0.15L * t[v] +
                       0.85L * dangling * (o.dangling == MR_DANGLING_UNIFORM ? 1.0L / n : t[v]);
            }
            for (size_t i = 0; i < f.n_edges; i++) {
                y[f.edges[i].target] += 0.85L * x[f.edges[i].source] / degree[f.edges[i].source];
            }
            memcpy(x, y, n * sizeof *x);
        }
        struct mr_pagerank_result result;
        assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &result, NULL), MR_OK);
        assert_int_equal(result.passes, o.iterations + 1);
        for (uint32_t v = 0; v < n; v++) {
            assert_true(fabsl(score(&result, v) - x[v]) <= 1e-14L);
        }
        mr_pagerank_result_free(&result);
        free(x);
        free(y);
        free(t);
        free(degree);
        free(weights);
        drop_graph(&f);
    }
}

static void test_the_same_bits_for_any_threads_memory_and_back_end(void **unused)
{
    (void)unused;
    struct fixture f;
    make_graph(&f, 40000, 300000, 9);
    for (unsigned variant = 0; variant < 4; variant++) {
        const unsigned precision = variant / 2;
        struct mr_pagerank_result first = {0};
        const unsigned threads[] = {1, 2, 3, 8};
        for (unsigned i = 0; i < 12; i++) {
            struct mr_pagerank_options o;
            struct mr_pagerank_result result;
            struct mr_context context = f.graph.context;
            o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
            o.precision = (enum mr_precision)precision;
            context.backend = i % 3 == 0 ? MR_QUEUE_PREAD : MR_QUEUE_AUTO;
            o.no_pinning = i >= 8;
            o.inner = variant % 2 == 0 ? 0 : 4;
            context.threads = threads[i % 4];
            uint64_t limit = i < 4 ? (UINT64_C(33) << 20) : UINT64_MAX;
            struct mr_store *store;
            assert_int_equal(mr_memory_create(limit, &context.memory, NULL), MR_OK);
            assert_int_equal(mr_store_open(&context, f.graph.path, &store, NULL), MR_OK);
            assert_int_equal(mr_pagerank(&context, store, &o, i == 0 ? &first : &result, NULL),
                             MR_OK);
            if (i > 0) {
                size_t bytes = precision == MR_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
                assert_memory_equal(first.scores, result.scores, f.n * bytes);
                assert_true(first.error_bound == result.error_bound);
                mr_pagerank_result_free(&result);
            } else {
                /* the first result outlives its budget here: keep a copy in ours */
                void *copy;
                size_t bytes = f.n * sizeof(double);
                assert_int_equal(
                    mr_memory_alloc(f.graph.context.memory, "copy", bytes, &copy, NULL), MR_OK);
                memcpy(copy, first.scores,
                       f.n * (precision == MR_PRECISION_SINGLE ? sizeof(float) : sizeof(double)));
                mr_memory_free(context.memory, first.scores);
                first.scores = copy;
                first.memory = f.graph.context.memory;
            }
            mr_store_close(store);
            mr_memory_destroy(context.memory);
        }
        mr_pagerank_result_free(&first);
    }
    drop_graph(&f);
}

/* Sums over many vertices round: a weight that vanishes against the sum so far 65,535 times
 * over. */
static void test_the_rounding_of_sums_is_in_the_bound(void **unused)
{
    (void)unused;
    struct fixture f;
    const uint32_t n = 65536;
    make_graph(&f, n, 0, 16);
    struct mr_vertex_weight *weights = malloc(n * sizeof *weights);
    long double sum = 0;
    for (uint32_t v = 0; v < n; v++) {
        weights[v] = (struct mr_vertex_weight){v, v == 0 ? 1 : 5.5e-17};
        sum += weights[v].weight;
    }
    for (unsigned round = 0; round < 3; round++) {
        struct mr_pagerank_options o;
        struct mr_pagerank_result result;
        long double error = 0;
        o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
        o.damping = 0;
        o.tolerance = 1e-12;
        o.dangling = (enum mr_dangling)round;
        o.teleport = weights;
        o.n_teleport = n;
        assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &result, NULL), MR_OK);
        for (uint32_t v = 0; v < n; v++) {
            error += fabsl(score(&result, v) - weights[v].weight / sum);
        }
        assert_true(error <= result.error_bound);
        mr_pagerank_result_free(&result);
    }
    free(weights);
    drop_graph(&f);
}

static void test_tiny_and_huge_weights_are_weights(void **unused)
{
    (void)unused;
    struct fixture f;
    make_graph(&f, 300, 900, 8);
    for (unsigned round = 0; round < 2; round++) {
        const double unit = round == 0 ? 1e-310 : 1.7e308;
        const struct mr_vertex_weight weights[] = {{3, unit}, {5, unit}};
        const struct mr_vertex_weight ones[] = {{3, 1}, {5, 1}};
        struct mr_pagerank_options o;
        struct mr_pagerank_result result, expected;
        o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
        o.n_teleport = 2;
        o.teleport = weights;
        assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &result, NULL), MR_OK);
        o.teleport = ones;
        assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &expected, NULL), MR_OK);
        assert_memory_equal(result.scores, expected.scores, 300 * sizeof(double));
        mr_pagerank_result_free(&result);
        mr_pagerank_result_free(&expected);
    }
    drop_graph(&f);
}

static void test_an_unreachable_tolerance_is_not_converged_but_still_a_result(void **unused)
{
    (void)unused;
    struct fixture f;
    make_graph(&f, 500, 3000, 8);
    struct mr_pagerank_options o;
    struct mr_pagerank_result result;
    struct mr_error error = {0};
    o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
    o.tolerance = 1e-18;
    assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &result, &error),
                     MR_NOT_CONVERGED);
    assert_false(result.converged);
    assert_true(result.error_bound > 1e-18 && result.error_bound < 1e-11);
    assert_non_null(strstr(error.message, "is above the tolerance"));
    mr_pagerank_result_free(&result);
    mr_error_clear(&error);
    o.max_passes = 1;
    assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &result, &error),
                     MR_NOT_CONVERGED);
    assert_int_equal(result.passes, 1);
    mr_pagerank_result_free(&result);
    mr_error_clear(&error);
    o.tolerance = 1e-9;
    o.max_passes = 3;
    o.inner = 4; /* links in memory need no more than that */
    assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &result, &error),
                     MR_NOT_CONVERGED);
    assert_true(result.passes <= 3 && result.error_bound < 20);
    mr_pagerank_result_free(&result);
    drop_graph(&f);
}

/* Random links inside `n_parts` parts of the pages, and rings, so that each page of most graphs has
 * links and each part keeps what it has. */
static void make_parts(struct fixture *f, uint32_t n, unsigned n_parts, bool has_rings)
{
    memset(f, 0, sizeof *f);
    f->n = n;
    f->edges = malloc(5 * n * sizeof *f->edges);
    for (uint32_t u = 0; u < n; u++) {
        const uint32_t part = u % n_parts;
        const uint32_t size = (n - part + n_parts - 1) / n_parts;
        for (uint32_t k = random_below(4); k > 0; k--) {
            f->edges[f->n_edges++] = (struct test_edge){u, part + random_below(size) * n_parts};
        }
        if (has_rings) {
            f->edges[f->n_edges++] = (struct test_edge){u, u + n_parts < n ? u + n_parts : part};
        }
    }
    f->edges[f->n_edges++] = (struct test_edge){0, n - 1};
    struct test_store_options options = {
        .n_vertices = n, .band_bits = 8, .stripe_bits = 8, .no_names = true};
    test_graph_make(&f->graph, 1, &options, f->edges, &f->n_edges);
}

/* Slow errors, of parts that keep their mass, are 1 - damping of what a pass changes. */
static void test_a_damping_near_1_converges_in_few_passes(void **unused)
{
    (void)unused;
    const double dampings[] = {0.99, 0.999, 0.9995, 0.9999, 0.99999};
    for (unsigned round = 0; round < 30; round++) {
        struct fixture f;
        struct mr_pagerank_options o;
        struct mr_pagerank_result result;
        const uint32_t n = 3 + random_below(round % 10 == 0 ? 200 : 14);
        if (round % 5 == 4) {
            make_graph(&f, n, random_below(4 * n) + 1, 8);
        } else {
            make_parts(&f, n, 1 + round % 3, round % 5 < 3);
        }
        for (unsigned d = 0; d < sizeof dampings / sizeof *dampings; d++) {
            o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
            o.damping = dampings[d];
            o.dangling = (enum mr_dangling)(round / 5 % 3);
            o.tolerance = d == 4 ? 1e-8 : 1e-9; /* rounding of values ends near 1e-9 at 0.99999 */
            check_against_oracle(&f, &o);
            assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &result, NULL),
                             MR_OK);
            assert_in_range(result.passes, 1, 1000);
            mr_pagerank_result_free(&result);
        }
        drop_graph(&f);
    }
}

static void test_options_that_make_no_sense_are_refused(void **unused)
{
    (void)unused;
    struct fixture f;
    make_graph(&f, 5, 5, 8);
    const struct mr_vertex_weight bad[][2] = {{{0, -1}, {1, 1}},
                                              {{0, 0}, {1, 0}},
                                              {{1, 1}, {0, 1}},
                                              {{0, 1}, {9, 1}},
                                              {{0, NAN}, {1, 1}}};
    for (unsigned i = 0; i < 10; i++) {
        struct mr_pagerank_options o;
        struct mr_pagerank_result result;
        o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
        if (i < 5) {
            o.teleport = bad[i];
            o.n_teleport = 2;
        }
        o.damping = i == 5 ? 1 : i == 6 ? NAN : i == 7 ? 0.5 : 0.85;
        o.heritrix = i >= 7; /* with another damping, a dangling rule, or a tolerance */
        o.dangling = i == 7 || i == 9 ? MR_DANGLING_NONE : MR_DANGLING_TELEPORT;
        o.iterations = i == 7 || i == 8 ? 3 : 0;
        assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &result, NULL),
                         MR_ERROR_USAGE);
    }
    drop_graph(&f);
}

TEST_MAIN(cmocka_unit_test(test_the_error_is_within_the_certificate),
          cmocka_unit_test(test_a_damping_near_1_converges_in_few_passes),
          cmocka_unit_test(test_what_until_proves_is_true),
          cmocka_unit_test(test_iterations_are_the_textbook_ones),
          cmocka_unit_test(test_the_same_bits_for_any_threads_memory_and_back_end),
          cmocka_unit_test(test_the_rounding_of_sums_is_in_the_bound),
          cmocka_unit_test(test_tiny_and_huge_weights_are_weights),
          cmocka_unit_test(test_an_unreachable_tolerance_is_not_converged_but_still_a_result),
          cmocka_unit_test(test_options_that_make_no_sense_are_refused))
