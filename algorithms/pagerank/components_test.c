/* Components against reachability, found by closing the relation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/pagerank/components.h"
#include "engine/base/memory.h"
#include "tests/support/test_dir.h"

enum { MOST = 40 };

static uint64_t state = 20261122;

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)(test_random(&state) % n);
}

struct graph {
    uint32_t n, starts[MOST], ends[MOST], sources[MOST * MOST];
    bool reaches[MOST][MOST];
};

/* Rows with gaps between them, as where links of a vertex to itself are left out. */
static void make_graph(struct graph *graph, uint32_t n, uint32_t one_in)
{
    uint32_t end = 0;
    memset(graph, 0, sizeof *graph);
    graph->n = n;
    for (uint32_t v = 0; v < n; v++) {
        graph->starts[v] = end;
        for (uint32_t u = 0; u < n; u++) {
            if (random_below(one_in) == 0 && u != v) {
                graph->sources[end++] = u;
                graph->reaches[v][u] = true;
            }
        }
        graph->ends[v] = end;
        graph->reaches[v][v] = true;
        end += end < MOST * (v + 1) && random_below(4) == 0;
    }
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < n; j++) {
                graph->reaches[i][j] |= graph->reaches[i][k] && graph->reaches[k][j];
            }
        }
    }
}

static void test_vertices_that_reach_each_other_are_one(void **unused)
{
    (void)unused;
    static struct graph graph;
    struct mr_context context = {.threads = 1};
    assert_int_equal(mr_memory_create(UINT64_MAX, &context.memory, NULL), MR_OK);
    for (unsigned round = 0; round < 3000; round++) {
        uint32_t wanted[MOST], n_wanted = 0, component[MOST], n_components = 0;
        bool is_wanted[MOST] = {false}, is_used[MOST] = {false};
        make_graph(&graph, 1 + random_below(MOST - 1), 2 + random_below(60));
        const uint32_t leave_out = random_below(3);
        for (uint32_t v = 0; v < graph.n; v++) {
            if (leave_out == 0 || random_below(3) > 0) {
                wanted[n_wanted++] = v;
            }
        }
        for (uint32_t i = 0; i < n_wanted; i++) {
            for (uint32_t u = 0; u < graph.n; u++) {
                is_wanted[u] |= graph.reaches[wanted[i]][u];
            }
        }
        const struct mr_dependences dependences = {.n_vertices = graph.n,
                                                   .starts = graph.starts,
                                                   .ends = graph.ends,
                                                   .sources = graph.sources};
        assert_int_equal(mr_components_find(&context, &dependences, wanted, n_wanted, component,
                                            &n_components, NULL),
                         MR_OK);
        for (uint32_t v = 0; v < graph.n; v++) {
            if (!is_wanted[v]) {
                assert_true(component[v] == UINT32_MAX);
                continue;
            }
            assert_true(component[v] < n_components);
            is_used[component[v]] = true;
            for (uint32_t u = 0; u < graph.n; u++) {
                if (graph.reaches[v][u]) {
                    assert_true(component[u] <= component[v]);
                    assert_true((component[u] == component[v]) == graph.reaches[u][v]);
                }
            }
        }
        for (uint32_t c = 0; c < n_components; c++) {
            assert_true(is_used[c]);
        }
    }
    mr_memory_destroy(context.memory);
}

/* Deeper than a stack of calls would go. */
static void test_a_long_chain_and_a_long_cycle(void **unused)
{
    (void)unused;
    enum { N = 1 << 20 };
    struct mr_context context = {.threads = 1};
    uint32_t *starts = malloc(N * sizeof *starts), *ends = malloc(N * sizeof *ends);
    uint32_t *sources = malloc(N * sizeof *sources), *component = malloc(N * sizeof *component);
    uint32_t n_components = 0;
    const uint32_t first = 0;
    assert_int_equal(mr_memory_create(UINT64_MAX, &context.memory, NULL), MR_OK);
    for (uint32_t v = 0; v < N; v++) {
        starts[v] = v;
        ends[v] = v + 1;
        sources[v] = (v + 1) % N;
    }
    const struct mr_dependences graph = {N, starts, ends, sources};
    assert_int_equal(
        mr_components_find(&context, &graph, &first, 1, component, &n_components, NULL), MR_OK);
    assert_int_equal(n_components, 1);
    ends[N - 1] = starts[N - 1];
    assert_int_equal(
        mr_components_find(&context, &graph, &first, 1, component, &n_components, NULL), MR_OK);
    assert_int_equal(n_components, N);
    for (uint32_t v = 0; v < N; v++) {
        assert_int_equal(component[v], N - 1 - v);
    }
    mr_memory_destroy(context.memory);
    free(starts);
    free(ends);
    free(sources);
    free(component);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vertices_that_reach_each_other_are_one),
        cmocka_unit_test(test_a_long_chain_and_a_long_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
