/* SPDX-License-Identifier: Apache-2.0 */
/* Lists by source against a plain list of the edges, from memory and from a file in parts. */
#include <stdlib.h>
#include <string.h>

#include "engine/scan/out_lists.h"
#include "tests/support/test.h"
#include "tests/support/test_weighted.h"

enum { N_VERTICES = 2000, N_EDGES = 30000 };

static int compare(const void *left, const void *right)
{
    return memcmp(left, right, 3 * sizeof(uint32_t)); /* any order will do */
}

/* Rows of source, target and the bits of the weight. */
static void check(const struct test_graph *graph, uint64_t room_bytes, const uint32_t (*rows)[3],
                  bool is_in_file)
{
    struct mr_out_lists lists;
    uint32_t(*found)[3] = calloc(N_EDGES, sizeof *found);
    size_t n = 0;

    assert_int_equal(mr_out_lists_open(&graph->context, graph->store, room_bytes, &lists, NULL),
                     MR_OK);
    assert_int_equal(lists.file != NULL, is_in_file);
    uint32_t *room = malloc((lists.longest + 1) * sizeof *room);
    float *weights_room = malloc((lists.longest + 1) * sizeof *weights_room);
    for (uint32_t v = 0; v < N_VERTICES; v++) {
        const uint32_t degree = mr_out_lists_degree(&lists, v);
        const uint32_t *targets = NULL;
        const float *weights = NULL;
        if (degree > 0) {
            assert_int_equal(
                mr_out_lists_get(&lists, v, room, weights_room, &targets, &weights, NULL), MR_OK);
        }
        for (uint32_t i = 0; i < degree; i++, n++) {
            found[n][0] = v;
            found[n][1] = targets[i];
            if (lists.is_weighted) {
                memcpy(&found[n][2], &weights[i], sizeof weights[i]);
            }
        }
    }
    assert_int_equal(n, lists.n_edges);
    qsort(found, n, sizeof *found, compare);
    assert_memory_equal(found, rows, n * sizeof *found);
    free(weights_room);
    free(room);
    free(found);
    mr_out_lists_close(&lists);
}

static void lists_are_those_of_the_edges(void **state)
{
    static uint32_t rows[N_EDGES][3];
    static struct test_link links[N_EDGES];
    static struct test_edge edges[N_EDGES];
    const struct test_store_options options = {.n_vertices = N_VERTICES,
                                               .band_bits = 8,
                                               .stripe_bits = 8,
                                               .graph_id = 5,
                                               .duplicates_kept = true,
                                               .no_names = true};
    uint64_t random = 4;
    (void)state;

    for (unsigned weighted = 0; weighted < 2; weighted++) {
        struct test_graph graph;
        size_t n_edges = N_EDGES;
        memset(rows, 0, sizeof rows);
        for (size_t i = 0; i < N_EDGES; i++) {
            const uint32_t source = i % 4 == 0 ? 700 : (uint32_t)(test_random(&random) % 1800);
            const uint32_t target = (uint32_t)(test_random(&random) % N_VERTICES);
            const float weight = 1 + (float)i;
            edges[i] = (struct test_edge){source, target};
            links[i] = (struct test_link){source, target, weight};
            rows[i][0] = source;
            rows[i][1] = target;
            if (weighted) {
                memcpy(&rows[i][2], &weight, sizeof weight);
            }
        }
        qsort(rows, N_EDGES, sizeof *rows, compare);
        if (weighted) {
            test_weighted_make(&graph, 1, N_VERTICES, true, links, N_EDGES);
        } else {
            test_graph_make(&graph, 1, &options, edges, &n_edges);
        }
        check(&graph, UINT64_MAX, rows, false);
        check(&graph, 100000, rows, true);
        check(&graph, 0, rows, true); /* the longest list has room anyway */
        test_graph_drop(&graph);
    }
}

TEST_MAIN(cmocka_unit_test(lists_are_those_of_the_edges))
