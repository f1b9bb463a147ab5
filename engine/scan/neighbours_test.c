/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the neighbours of each vertex, and all degrees, with a plain list of the edges. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/scan/neighbours.h"
#include "tests/support/test.h"
#include "tests/support/test_build.h"
#include "tests/support/test_context.h"

enum { N_VERTICES = 3000, N_EDGES = 40000 };

struct totals {
    uint32_t degrees[N_VERTICES];
    uint64_t next;
};

static enum mr_status take(void *data, uint64_t first, const uint32_t *degrees,
                           const double *strengths, size_t n, struct mr_error *err)
{
    struct totals *totals = data;
    (void)strengths;
    (void)err;
    assert_true(first == totals->next);
    memcpy(totals->degrees + first, degrees, n * sizeof *degrees);
    totals->next += n;
    return MR_OK;
}

static int compare(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static int compare_edges(const void *left, const void *right)
{
    const struct mr_vertex_edge *a = left, *b = right;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static void check_vertex(const struct mr_context *context, struct mr_store *store,
                         const struct test_graph *graph, uint32_t vertex,
                         enum mr_degree_kind direction)
{
    uint32_t *expected = malloc(N_EDGES * sizeof *expected);
    struct mr_vertex_edge *found = NULL;
    struct mr_degrees degrees;
    uint64_t n = 0, n_found = 0;
    for (size_t i = 0; i < graph->n_edges; i++) {
        const struct mr_edge edge = graph->edges[i];
        if (direction == MR_DEGREES_IN && edge.target == vertex) {
            expected[n++] = (uint32_t)edge.source;
        } else if (direction == MR_DEGREES_OUT && edge.source == vertex) {
            expected[n++] = (uint32_t)edge.target;
        }
    }
    qsort(expected, n, sizeof *expected, compare);
    assert_int_equal(mr_vertex_degrees(context, store, vertex, &degrees, NULL), MR_OK);
    assert_int_equal(direction == MR_DEGREES_IN ? degrees.in : degrees.out, n);
    assert_int_equal(mr_neighbours(context, store, NULL, vertex, direction, &found, &n_found, NULL),
                     MR_OK);
    assert_int_equal(n_found, n);
    if (n > 0) { /* else it is NULL */
        qsort(found, n, sizeof *found, compare_edges);
    }
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(found[i].vertex, expected[i]);
    }
    mr_memory_free(context->memory, found);
    free(expected);
}

static void links_of_a_vertex_are_those_of_the_input(void **state)
{
    struct mr_context context;
    struct test_dir dir;
    uint64_t seed = 3;
    (void)state;
    assert_true(test_context_open(&context, UINT64_MAX, 2));
    assert_true(test_dir_make(&dir, "."));
    for (int level = 0; level < 2; level++) {
        struct test_graph graph = {
            .options = {.ids = MR_IDS_DENSE,
                        .n_vertices = N_VERTICES,
                        .keep_duplicates = true,
                        .zstd_level = level,
                        .band_bits = 9,
                        .stripe_bits = 8},
            .edges = calloc(N_EDGES, sizeof(struct mr_edge)),
            .n_edges = N_EDGES,
        };
        char path[1100];
        struct mr_store *store;
        for (size_t i = 0; i < N_EDGES; i++) {
            uint64_t r = test_random(&seed);
            graph.edges[i].source = r % (N_VERTICES - 10);
            graph.edges[i].target = r >> 32 & 1 ? r % 7 : (r >> 33) % N_VERTICES;
        }
        (void)snprintf(path, sizeof path, "%s/%d.mill", dir.path, level);
        assert_int_equal(test_build_run(&context, path, &graph, NULL, NULL), MR_OK);
        assert_int_equal(mr_store_open(&context, path, &store, NULL), MR_OK);
        for (uint32_t vertex = 0; vertex < N_VERTICES; vertex += vertex < 10 ? 1 : 97) {
            check_vertex(&context, store, &graph, vertex, MR_DEGREES_IN);
            check_vertex(&context, store, &graph, vertex, MR_DEGREES_OUT);
        }
        for (int kind = 0; kind < 2; kind++) {
            struct totals totals = {.next = 0};
            uint64_t sum = 0;
            assert_int_equal(
                mr_degrees_read(&context, store, (enum mr_degree_kind)kind, take, &totals, NULL),
                MR_OK);
            assert_int_equal(totals.next, N_VERTICES);
            for (size_t i = 0; i < N_VERTICES; i++) {
                sum += totals.degrees[i];
            }
            assert_int_equal(sum, N_EDGES);
        }
        mr_store_close(store);
        test_build_free(&graph);
    }
    test_dir_remove(&dir);
    test_context_close(&context);
}

TEST_MAIN(cmocka_unit_test(links_of_a_vertex_are_those_of_the_input))
