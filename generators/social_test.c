/* SPDX-License-Identifier: Apache-2.0 */
/* The synthetic social network has exactly the stated number of different edges and the stated
 * share of reciprocal ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "generators/generate.h"
#include "tests/support/test.h"

struct graph {
    uint64_t *edges; /* [n_edges] source << 32 | target */
    size_t n_edges, room;
};

static enum mr_status take(void *data, const struct mr_edge *edges, size_t n_edges,
                           struct mr_error *err)
{
    struct graph *graph = data;
    (void)err;
    assert_true(n_edges <= graph->room - graph->n_edges);
    for (size_t i = 0; i < n_edges; i++) {
        graph->edges[graph->n_edges++] = edges[i].source << 32 | edges[i].target;
    }
    return MR_OK;
}

static struct graph make(uint32_t n_vertices, uint64_t seed, unsigned threads)
{
    const struct mr_generator_options options = {.n_vertices = n_vertices, .seed = seed};
    struct mr_context context = {.threads = threads};
    struct mr_generator social;
    struct graph graph = {0};
    const struct mr_edge_sink sink = {.data = &graph, .take = take};

    assert_int_equal(mr_memory_create(UINT64_MAX, &context.memory, NULL), MR_OK);
    assert_int_equal(mr_social_open(&context, &options, &social, NULL), MR_OK);
    assert_int_equal(social.n_vertices, n_vertices);
    graph.room = social.n_edges;
    graph.edges = malloc(graph.room * sizeof *graph.edges);
    assert_int_equal(mr_generate(&context, &social, &sink, NULL), MR_OK);
    assert_int_equal(graph.n_edges, graph.room);
    mr_generator_close(&social);
    mr_memory_destroy(context.memory);
    return graph;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int descending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

static void test_every_edge_once_every_vertex_and_the_published_shares(void **unused)
{
    (void)unused;
    static const uint32_t sizes[] = {1000, 20000, 100000};
    for (size_t k = 0; k < 3; k++) {
        const uint32_t n = sizes[k];
        struct graph graph = make(n, 7 + k, 2);
        uint8_t *seen = calloc(n, 1);
        uint64_t n_loops = 0, n_back = 0, n_dangling = n, n_seen = 0;
        qsort(graph.edges, graph.n_edges, sizeof *graph.edges, ascending);
        for (size_t i = 0; i < graph.n_edges; i++) {
            const uint64_t edge = graph.edges[i], source = edge >> 32, target = edge & UINT32_MAX;
            assert_true(source < n && target < n);
            assert_true(i == 0 || edge != graph.edges[i - 1]);
            n_dangling -= i == 0 || graph.edges[i - 1] >> 32 != source;
            seen[source] = seen[target] = 1;
            if (source == target) {
                n_loops++;
                continue;
            }
            const uint64_t back = target << 32 | source;
            n_back += bsearch(&back, graph.edges, graph.n_edges, sizeof back, ascending) != NULL;
        }
        for (uint32_t v = 0; v < n; v++) {
            n_seen += seen[v];
        }
        assert_int_equal(n_seen, n);
        /* soc-LiveJournal1: 68,993,773 edges on 4,847,571 vertices, 518,382 loops, 74.8% */
        assert_true(fabs((double)graph.n_edges / n - 68993773.0 / 4847571) < 0.005);
        assert_true(fabs((double)n_loops / n - 518382.0 / 4847571) < 0.002);
        assert_true(fabs((double)n_back / (double)(graph.n_edges - n_loops) - 0.748) < 0.001);
        assert_in_range(n_dangling, n / 12, n / 8);
        free(seen);
        free(graph.edges);
    }
}

/* Hill's estimate over the 1% of the highest degrees. The published exponents are 1.811 and 1.751,
 * for tails beyond a degree that the published estimate chose itself. */
static void test_degrees_have_heavy_tails(void **unused)
{
    (void)unused;
    enum { N = 200000 };
    struct graph graph = make(N, 1, 2);
    for (unsigned in = 0; in < 2; in++) {
        uint32_t *degrees = calloc(N, sizeof *degrees);
        double logs = 0;
        for (size_t i = 0; i < graph.n_edges; i++) {
            degrees[in ? graph.edges[i] & UINT32_MAX : graph.edges[i] >> 32]++;
        }
        qsort(degrees, N, sizeof *degrees, descending);
        for (size_t i = 0; i < N / 100; i++) {
            logs += log(degrees[i] / (double)degrees[N / 100]);
        }
        const double hill = N / 100 / logs;
        assert_true(hill > 1.751 * 0.85 && hill < 1.811 * 1.15);
        free(degrees);
    }
    free(graph.edges);
}

static void test_threads_do_not_show_and_seeds_do(void **unused)
{
    (void)unused;
    struct graph one = make(30000, 3, 1);
    for (unsigned threads = 2; threads <= 8; threads += 3) {
        struct graph many = make(30000, 3, threads);
        assert_memory_equal(many.edges, one.edges, one.n_edges * sizeof *one.edges);
        free(many.edges);
    }
    struct graph other = make(30000, 4, 1);
    assert_true(memcmp(other.edges, one.edges, one.n_edges * sizeof *one.edges) != 0);
    free(other.edges);
    free(one.edges);
}

static void test_too_few_vertices_are_refused(void **unused)
{
    (void)unused;
    const struct mr_generator_options options = {.n_vertices = 999};
    struct mr_context context = {.threads = 1};
    struct mr_generator social;
    struct mr_error err = {0};
    assert_int_equal(mr_social_open(&context, &options, &social, &err), MR_ERROR_USAGE);
    assert_string_equal(err.message, "this network has 1000 to 4847571 vertices");
    assert_null(social.model);
}

TEST_MAIN(cmocka_unit_test(test_every_edge_once_every_vertex_and_the_published_shares),
          cmocka_unit_test(test_degrees_have_heavy_tails),
          cmocka_unit_test(test_threads_do_not_show_and_seeds_do),
          cmocka_unit_test(test_too_few_vertices_are_refused))
