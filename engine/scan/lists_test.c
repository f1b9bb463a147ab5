/* SPDX-License-Identifier: Apache-2.0 */
/* Compares lists by target with the edges of the store, also with several groups per band. */
#include "engine/scan/lists.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/support/test_graph.h"

enum { N_VERTICES = 5000, N_EDGES = 60000 };

/* ---- What is expected ---- */

static int by_target(const void *a, const void *b)
{
    const struct test_edge *x = a, *y = b;
    if (x->target != y->target) {
        return x->target < y->target ? -1 : 1;
    }
    return (x->source > y->source) - (x->source < y->source);
}

struct expected {
    struct test_edge *edges; /* sorted by target, then source */
    size_t n_edges, seen;
    uint32_t next; /* vertex */
    bool good;
};

static enum mr_status compare(void *data, uint32_t target, const uint32_t *sources,
                              size_t n_sources, struct mr_error *err)
{
    struct expected *expected = data;

    expected->good &= target == expected->next++;
    for (size_t i = 0; i < n_sources; i++) {
        if (expected->seen == expected->n_edges) {
            return mr_error_set(err, MR_ERROR_RUNTIME, "too many");
        }
        const struct test_edge *edge = &expected->edges[expected->seen++];
        expected->good &= edge->target == target && edge->source == sources[i];
    }
    expected->good &=
        expected->seen == expected->n_edges || expected->edges[expected->seen].target > target;
    return MR_OK;
}

/* ---- Stores ---- */

static struct test_edge *make_edges(size_t n_edges)
{
    struct test_edge *edges = malloc(n_edges * sizeof *edges);
    uint64_t seed = 5;

    for (size_t i = 0; i < n_edges; i++) {
        edges[i].source = (uint32_t)(test_random(&seed) % N_VERTICES);
        edges[i].target = i % 8 == 0   ? (uint32_t)(test_random(&seed) % 3)
                          : i % 3 == 0 ? (uint32_t)(test_random(&seed) % N_VERTICES)
                                       : (edges[i].source + (uint32_t)i % 40) % N_VERTICES;
    }
    return edges;
}

static void lists_of(unsigned band_bits, unsigned stripe_bits, bool duplicates, uint64_t most)
{
    const struct test_store_options options = {.n_vertices = N_VERTICES,
                                               .band_bits = band_bits,
                                               .stripe_bits = stripe_bits,
                                               .graph_id = 9,
                                               .duplicates_kept = duplicates};
    struct expected expected = {.edges = make_edges(N_EDGES), .good = true};
    struct test_graph graph;

    expected.n_edges = N_EDGES;
    test_graph_make(&graph, 1, &options, expected.edges, &expected.n_edges);
    qsort(expected.edges, expected.n_edges, sizeof *expected.edges, by_target);
    assert_int_equal(
        mr_lists_read(&graph.context, graph.store, false, most, compare, &expected, NULL), MR_OK);
    assert_int_equal(expected.seen, expected.n_edges);
    assert_int_equal(expected.next, N_VERTICES);
    assert_true(expected.good);
    test_graph_drop(&graph);
    free(expected.edges);
}

static void every_shape_of_store(void **state)
{
    (void)state;
    lists_of(8, 8, false, UINT64_MAX);
    lists_of(8, 8, true, 700);
    lists_of(12, 8, false, 1);
    lists_of(10, 8, false, UINT64_MAX);
    lists_of(10, 10, true, UINT64_MAX);
    lists_of(16, 16, false, UINT64_MAX);
}

TEST_MAIN(cmocka_unit_test(every_shape_of_store))
