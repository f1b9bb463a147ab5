/* SPDX-License-Identifier: Apache-2.0 */
/* Tests harmonic centrality against searches in breadth from every vertex: exact figures exactly,
 * estimates within a few times the stated error; and that slices and threads change no bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/harmonic/internal.h"
#include "tests/support/test.h"
#include "tests/support/test_graph.h"

enum { MAX_N = 900, MAX_EDGES = 4000 };

TEST_RANDOM(0x0ddba11)

/* What searches find, along edges, from the sources that count. */
static double harmonic[MAX_N], sums[MAX_N], reach[MAX_N], pairs[MAX_N];

static void search_in_breadth(uint32_t n, const struct test_edge *edges, size_t n_edges,
                              const uint32_t *sources, uint64_t n_sources)
{
    static uint32_t first[MAX_N + 1], ends[MAX_EDGES], queue[MAX_N];
    static int distance[MAX_N];

    memset(first, 0, sizeof first);
    memset(harmonic, 0, sizeof harmonic);
    memset(sums, 0, sizeof sums);
    memset(reach, 0, sizeof reach);
    memset(pairs, 0, sizeof pairs);
    for (size_t i = 0; i < n_edges; i++) {
        first[edges[i].source + 1]++;
    }
    for (uint32_t v = 0; v < n; v++) {
        first[v + 1] += first[v];
    }
    for (size_t i = n_edges; i-- > 0;) {
        ends[--first[edges[i].source + 1]] = edges[i].target;
    }
    for (uint64_t s = 0; s < (sources == NULL ? n : n_sources); s++) {
        uint32_t length = 0;
        memset(distance, 0xff, sizeof distance);
        queue[length++] = sources == NULL ? (uint32_t)s : sources[s];
        distance[queue[0]] = 0;
        for (uint32_t i = 0; i < length; i++) {
            const uint32_t u = queue[i], end = u + 1 == n ? (uint32_t)n_edges : first[u + 2];
            const int d = distance[u];
            reach[u] += 1;
            pairs[d] += 1;
            harmonic[u] += d > 0 ? 1.0 / d : 0;
            sums[u] += d;
            for (uint32_t at = first[u + 1]; at < end; at++) {
                if (distance[ends[at]] < 0) {
                    distance[ends[at]] = d + 1;
                    queue[length++] = ends[at];
                }
            }
        }
    }
}

static void same_bits(const struct mr_harmonic *a, const struct mr_harmonic *b)
{
    assert_true(a->n_distances == b->n_distances);
    assert_memory_equal(a->harmonic, b->harmonic, a->n_vertices * sizeof(double));
    assert_memory_equal(a->closeness, b->closeness, a->n_vertices * sizeof(double));
    assert_memory_equal(a->reach, b->reach, a->n_vertices * sizeof(double));
    assert_memory_equal(a->neighbourhood, b->neighbourhood, a->n_distances * sizeof(double));
}

/* With lists of links and without, which gives the same. */
static struct mr_harmonic find(const struct test_graph *graph, unsigned log2m, unsigned slice_bytes,
                               const uint32_t *sources, uint64_t n_sources)
{
    struct mr_harmonic_options options = {
        .log2m = log2m, .slice_bytes = slice_bytes, .sources = sources, .n_sources = n_sources};
    struct mr_harmonic result, again;
    assert_int_equal(mr_harmonic_find(&graph->context, graph->store, NULL, &options, &result, NULL),
                     MR_OK);
    options.no_lists = true;
    assert_int_equal(mr_harmonic_find(&graph->context, graph->store, NULL, &options, &again, NULL),
                     MR_OK);
    assert_true(result.readings <= 2);
    same_bits(&result, &again);
    mr_harmonic_free(&again);
    return result;
}

static void is_exact(uint32_t n, const struct mr_harmonic *result)
{
    double all = 0;
    for (uint32_t v = 0; v < n; v++) {
        assert_true(fabs(result->harmonic[v] - harmonic[v]) <= 1e-12 * harmonic[v]);
        assert_true(result->reach[v] == reach[v]);
        assert_true(result->closeness[v] == (sums[v] > 0 ? 1 / sums[v] : 0));
    }
    for (uint64_t t = 0; t < result->n_distances; t++) {
        all += pairs[t];
        assert_true(result->neighbourhood[t] == all && pairs[t] > 0);
    }
    assert_true(result->n_distances == MAX_N || pairs[result->n_distances] == 0);
    assert_true(result->relative_error == 0);
}

/* The errors of counters are about normal: none of some thousand is beyond six deviations. Counts
 * of a few vertices are off by one or two where vertices share a register. */
static void is_close(uint32_t n, const struct mr_harmonic *result)
{
    const double most = 6 * result->relative_error;
    for (uint32_t v = 0; v < n; v++) {
        assert_true(fabs(result->harmonic[v] - harmonic[v]) <= most * harmonic[v] + 2);
        assert_true(fabs(result->reach[v] - reach[v]) <= most * reach[v] + 2);
    }
}

static size_t make_edges(uint32_t n, struct test_edge *edges, size_t n_edges)
{
    for (size_t i = 0; i < n_edges; i++) {
        const uint32_t u = random_below(n);
        edges[i] = (struct test_edge){u, i % 3 > 0 && u + 1 < n ? u + 1 : random_below(n)};
    }
    return n_edges;
}

/* Searches against the edges give the same, 64 vertices at once and the rest alone. */
static void is_exact_of_pages(const struct test_graph *graph, uint32_t n)
{
    static uint32_t vertices[MAX_N];
    static double values[MAX_N];
    static uint64_t reached[MAX_N];

    for (uint32_t v = 0; v < n; v++) {
        vertices[v] = n - 1 - v;
    }
    assert_int_equal(
        mr_harmonic_of_pages(&graph->context, graph->store, vertices, n, values, reached, NULL),
        MR_OK);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = vertices[i];
        assert_true(fabs(values[i] - harmonic[v]) <= 1e-12 * harmonic[v]);
        assert_true((double)reached[i] == reach[v]);
    }
}

static void check_graph(uint32_t n, size_t n_edges, unsigned threads, enum mr_encoding encoding)
{
    static struct test_edge edges[MAX_EDGES];
    struct test_graph graph = {0};
    const struct test_store_options options = {.n_vertices = n,
                                               .band_bits = 8,
                                               .stripe_bits = 8,
                                               .graph_id = 9,
                                               .encoding = encoding,
                                               .no_names = true};
    const uint32_t sources[] = {0, n / 3 + 1, n / 2 + 2, n - 1};

    n_edges = make_edges(n, edges, n_edges);
    test_graph_make(&graph, threads, &options, edges, &n_edges);
    search_in_breadth(n, edges, n_edges, NULL, 0);
    struct mr_harmonic exact = find(&graph, 0, 0, NULL, 0), narrow = find(&graph, 0, 3, NULL, 0);
    is_exact(n, &exact);
    is_exact_of_pages(&graph, n);
    same_bits(&exact, &narrow);
    assert_true((narrow.n_slices > 1 || n <= 24) && narrow.readings == 2);
    mr_harmonic_free(&narrow);
    mr_harmonic_free(&exact);

    struct mr_harmonic wide = find(&graph, 10, 0, NULL, 0);
    is_close(n, &wide);
    assert_int_equal(wide.n_slices, 1);
    const unsigned slices[] = {400, 256, 48, 9};
    for (int i = 0; i < 4; i++) {
        struct mr_harmonic more = find(&graph, 10, slices[i], NULL, 0);
        assert_int_equal(more.n_slices, (1024 + slices[i] - 1) / slices[i]);
        same_bits(&wide, &more);
        mr_harmonic_free(&more);
    }
    mr_harmonic_free(&wide);

    search_in_breadth(n, edges, n_edges, sources, 4);
    struct mr_harmonic few = find(&graph, 0, 0, sources, 4);
    is_exact(n, &few);
    mr_harmonic_free(&few);
    test_graph_drop(&graph);
}

static void graphs_match_searches(void **unused)
{
    (void)unused;
    check_graph(600, 2000, 1, MR_ENCODING_AUTO);
    check_graph(900, 4000, 3, MR_ENCODING_CORNERS);
    check_graph(300, 310, 2, MR_ENCODING_KEYS);
    check_graph(8, 4, 1, MR_ENCODING_AUTO);
}

static void threads_change_no_bit(void **unused)
{
    static struct test_edge edges[MAX_EDGES], copy[MAX_EDGES];
    const struct test_store_options options = {
        .n_vertices = 900, .band_bits = 8, .stripe_bits = 8, .graph_id = 9, .no_names = true};
    struct mr_harmonic results[3];
    static struct test_graph graphs[3];
    const size_t n_edges = make_edges(900, edges, 3000);
    (void)unused;
    for (unsigned i = 0; i < 3; i++) {
        size_t n = n_edges;
        memcpy(copy, edges, sizeof edges);
        test_graph_make(&graphs[i], 1 + 3 * i, &options, copy, &n);
        results[i] = find(&graphs[i], 5, 7, NULL, 0);
        same_bits(&results[0], &results[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        mr_harmonic_free(&results[i]);
        test_graph_drop(&graphs[i]);
    }
}

/* A hub has more sources than a batch, and they change at several distances. */
static void a_hub_is_united_in_parts(void **unused)
{
    static struct test_edge edges[MAX_EDGES];
    const struct test_store_options options = {
        .n_vertices = 900, .band_bits = 8, .stripe_bits = 8, .graph_id = 9, .no_names = true};
    struct test_graph graph = {0};
    size_t n_edges = 0;
    (void)unused;
    for (uint32_t v = 1; v < 900; v++) {
        edges[n_edges++] = (struct test_edge){v, 0};
        edges[n_edges++] = (struct test_edge){v, v % 40 > 0 ? v - 1 : v};
    }
    search_in_breadth(900, edges, n_edges, NULL, 0);
    test_graph_make(&graph, 2, &options, edges, &n_edges);
    struct mr_harmonic exact = find(&graph, 0, 0, NULL, 0), wide = find(&graph, 6, 0, NULL, 0);
    is_exact(900, &exact);
    is_close(900, &wide);
    mr_harmonic_free(&wide);
    mr_harmonic_free(&exact);
    test_graph_drop(&graph);
}

/* Balls of N vertices with lists of sources. The last list has more sources than one part. */
enum { N = 128, HUB_SOURCES = 1100, K = 700 };
struct balls_case {
    uint8_t now[N * K], next[N * K], expected[N * K];
    uint64_t changed[N / 64], changes[N / 64], starts[N + 1];
    uint32_t sources[N * N + HUB_SOURCES + MR_BALLS_AHEAD];
    uint32_t pairs[N * N + HUB_SOURCES][2];
};

static void make_case(struct balls_case *test, size_t k, bool are_bits, bool are_all_changed)
{
    memset(test, 0, sizeof *test);
    for (uint32_t v = 0; v < N; v++) {
        if (are_all_changed || random_below(3) != 0) {
            mr_balls_mark(test->changed, v);
        }
        for (size_t i = v * k; i < (v + 1) * k; i++) {
            test->now[i] = (uint8_t)(random_below(3) == 0 ? random_below(are_bits ? 256 : 35) : 0);
            test->next[i] = mr_balls_are_marked(test->changed, v) ? 0 : test->now[i];
        }
        const uint64_t n = v == N - 1 ? HUB_SOURCES : random_below(v % 8 + 1);
        test->starts[v + 1] = test->starts[v] + n;
        for (uint64_t i = test->starts[v]; i < test->starts[v + 1]; i++) {
            test->sources[i] = random_below(N);
            test->pairs[i][0] = test->sources[i];
            test->pairs[i][1] = v;
        }
    }
}

static void expect_case(struct balls_case *test, size_t k, bool are_bits,
                        uint64_t expected_changes[N / 64])
{
    memcpy(test->expected, test->now, N * k);
    for (uint64_t e = 0; e < test->starts[N]; e++) {
        const uint32_t u = test->pairs[e][0], v = test->pairs[e][1];
        for (size_t i = 0; i < k && mr_balls_are_marked(test->changed, u); i++) {
            const uint8_t from = test->now[u * k + i], to = test->expected[v * k + i];
            test->expected[v * k + i] = (uint8_t)(are_bits ? from | to : from > to ? from : to);
        }
    }
    for (uint32_t v = 0; v < N; v++) {
        if (memcmp(test->expected + v * k, test->now + v * k, k) != 0) {
            mr_balls_mark(expected_changes, v);
        }
    }
}

/* Sets of any width, with any number of sources, against one byte at a time. */
static void check_loops(const struct mr_balls_loops *loops, size_t k, bool are_bits,
                        bool are_all_changed)
{
    static struct balls_case test;
    uint64_t expected_changes[N / 64] = {0}, value = 0;
    const struct mr_balls balls = {.k = (unsigned)k,
                                   .are_bits = are_bits,
                                   .are_most_changed = are_all_changed,
                                   .now = test.now,
                                   .next = test.next,
                                   .changed = test.changed,
                                   .changes = test.changes};

    make_case(&test, k, are_bits, are_all_changed);
    expect_case(&test, k, are_bits, expected_changes);
    loops->unite_lists(&balls, test.starts, test.sources, 0, N);
    assert_memory_equal(test.next, test.expected, N * k);
    assert_memory_equal(test.changes, expected_changes, sizeof expected_changes);

    memcpy(test.next, test.now, N * k);
    memset(test.changes, 0, sizeof test.changes);
    loops->unite_pairs(&balls, (const uint32_t(*)[2])test.pairs, test.starts[N]);
    assert_memory_equal(test.next, test.expected, N * k);
    assert_memory_equal(test.changes, expected_changes, sizeof expected_changes);
    for (size_t i = 0; i < k && !are_bits; i++) {
        value += mr_harmonic_value(test.next[i]);
    }
    assert_true(are_bits || loops->value(test.next, k) == value);
}

static void loops_of_all_instruction_sets_agree(void **unused)
{
    static const size_t widths[] = {1,  7,  8,   15,  16,  20,  31,  48,
                                    61, 64, 100, 128, 256, 272, 511, 700};
    const char *sets[] = {"portable", "avx2", "all"};
    (void)unused;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        for (int s = 0; s < 3; s++) {
            setenv("MILLRACE_KERNELS", sets[s], 1);
            for (int c = 0; c < 4; c++) {
                check_loops(mr_balls_loops_best(), widths[i], c % 2 == 1, c >= 2);
            }
        }
    }
    unsetenv("MILLRACE_KERNELS");
}

static void a_store_without_pages_has_no_centrality(void **unused)
{
    struct test_graph graph = {0};
    const struct test_store_options options = {
        .band_bits = 8, .stripe_bits = 8, .graph_id = 1, .no_names = true};
    size_t n_edges = 0;
    (void)unused;
    test_graph_make(&graph, 1, &options, NULL, &n_edges);
    struct mr_harmonic result = find(&graph, 6, 0, NULL, 0);
    assert_int_equal(result.n_distances, 0);
    mr_harmonic_free(&result);
    test_graph_drop(&graph);
}

TEST_MAIN(cmocka_unit_test(graphs_match_searches), cmocka_unit_test(threads_change_no_bit),
          cmocka_unit_test(a_hub_is_united_in_parts),
          cmocka_unit_test(loops_of_all_instruction_sets_agree),
          cmocka_unit_test(a_store_without_pages_has_no_centrality))
