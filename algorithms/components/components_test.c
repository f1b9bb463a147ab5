/* SPDX-License-Identifier: Apache-2.0 */
/* Tests components against the definition: two vertices are strongly connected if each reaches the
 * other, and the matrix of who reaches whom (Warshall 1962) says that. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/components/components.h"
#include "tests/support/test.h"
#include "tests/support/test_graph.h"

enum { MAX_N = 700, WORDS = MAX_N / 64 + 1, MAX_EDGES = 2200 };

TEST_RANDOM(0x5eed5eed5eed5eed)

static uint64_t reach_bits[MAX_N][WORDS], joined_bits[MAX_N][WORDS];

static bool has(uint64_t matrix[MAX_N][WORDS], uint32_t i, uint32_t j)
{
    return (matrix[i][j / 64] >> (j % 64) & 1) != 0;
}

static void add(uint64_t matrix[MAX_N][WORDS], uint32_t i, uint32_t j)
{
    matrix[i][j / 64] |= (uint64_t)1 << (j % 64);
}

static bool reaches(uint32_t i, uint32_t j)
{
    return has(reach_bits, i, j);
}

static bool is_joined(uint32_t i, uint32_t j)
{
    return has(joined_bits, i, j);
}

static void close_matrix(uint32_t n, uint64_t matrix[MAX_N][WORDS])
{
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < WORDS && has(matrix, i, k); j++) {
                matrix[i][j] |= matrix[k][j];
            }
        }
    }
}

static void fill_matrices(uint32_t n, const struct test_edge *edges, size_t n_edges)
{
    memset(reach_bits, 0, sizeof reach_bits);
    memset(joined_bits, 0, sizeof joined_bits);
    for (uint32_t v = 0; v < n; v++) {
        add(reach_bits, v, v);
        add(joined_bits, v, v);
    }
    for (size_t i = 0; i < n_edges; i++) {
        add(reach_bits, edges[i].source, edges[i].target);
        add(joined_bits, edges[i].source, edges[i].target);
        add(joined_bits, edges[i].target, edges[i].source);
    }
    close_matrix(n, reach_bits);
    close_matrix(n, joined_bits);
}

/* The first member, in the order of positions, of the component of v. */
static uint32_t first_member(const struct test_store_options *o, uint32_t v, bool is_strong)
{
    for (uint32_t p = 0; p < o->n_vertices; p++) {
        const uint32_t u = test_store_vertex(o, p);
        if (is_strong ? reaches(u, v) && reaches(v, u) : is_joined(u, v)) {
            return u;
        }
    }
    return o->n_vertices;
}

static enum mr_bow_tie part_of(uint32_t core, uint32_t v)
{
    if (reaches(v, core)) {
        return reaches(core, v) ? MR_BOW_TIE_CORE : MR_BOW_TIE_IN;
    }
    return reaches(core, v)     ? MR_BOW_TIE_OUT
           : is_joined(core, v) ? MR_BOW_TIE_TENDRILS
                                : MR_BOW_TIE_DISCONNECTED;
}

static void check_figures(const struct test_store_options *o, const uint32_t *label,
                          const struct mr_component_figures *figures)
{
    const uint32_t n = o->n_vertices;
    uint64_t n_components = 0, n_single = 0, largest = 0;
    uint32_t largest_label = 0;

    for (uint32_t p = 0; p < n; p++) {
        const uint32_t v = test_store_vertex(o, p);
        uint64_t size = 0;
        for (uint32_t u = 0; u < n; u++) {
            size += label[u] == v;
        }
        n_components += size > 0;
        n_single += size == 1;
        if (size > largest) {
            largest = size;
            largest_label = v;
        }
    }
    assert_int_equal(figures->n_components, n_components);
    assert_int_equal(figures->n_single, n_single);
    assert_int_equal(figures->largest, largest);
    assert_int_equal(figures->largest_label, largest_label);
    uint64_t by_size = 0, vertices = 0;
    for (uint64_t i = 0; i < figures->n_by_size; i++) {
        const struct mr_component_class *class = &figures->by_size[i];
        by_size += class->n_components;
        vertices += class->n_vertices;
        assert_true(class->n_components > 0);
        assert_true(class->n_vertices >= class->n_components * class->from);
        assert_true(class->n_vertices < class->n_components * 2 * class->from);
    }
    assert_true(by_size == n_components && vertices == n);
}

static void check_result(const struct test_store_options *o, const struct mr_components *result)
{
    const uint32_t n = o->n_vertices;
    uint64_t parts[MR_BOW_TIE_PARTS] = {0};

    for (uint32_t v = 0; v < n; v++) {
        assert_int_equal(result->weak[v], first_member(o, v, false));
        assert_int_equal(result->strong[v], first_member(o, v, true));
    }
    check_figures(o, result->weak, &result->weak_figures);
    check_figures(o, result->strong, &result->strong_figures);
    for (uint32_t v = 0; v < n; v++) {
        const enum mr_bow_tie part = part_of(result->strong_figures.largest_label, v);
        assert_int_equal(mr_components_part(result, v), part);
        parts[part]++;
    }
    assert_memory_equal(parts, result->bow_tie, sizeof parts);
}

/* Is there one largest strong component? */
static bool has_one_core(const struct mr_components *result)
{
    uint32_t sizes[MAX_N] = {0};
    unsigned n_largest = 0;

    for (uint32_t v = 0; v < result->n_vertices; v++) {
        sizes[result->strong[v]]++;
    }
    for (uint32_t v = 0; v < result->n_vertices; v++) {
        n_largest += sizes[v] == result->strong_figures.largest;
    }
    return n_largest == 1;
}

static unsigned n_without_searches; /* graphs whose lists told the bow-tie */

static void match_the_matrix(uint32_t n, struct test_edge *edges, size_t n_edges,
                             const struct test_store_options *options)
{
    struct test_graph graph = {0};

    fill_matrices(n, edges, n_edges);
    test_graph_make(&graph, 1 + n % 3, options, edges, &n_edges);
    struct mr_names *names = NULL;
    assert_int_equal(mr_names_open(&graph.context, graph.store, NULL, &names, NULL), MR_OK);
    for (int never = 0; never < 2; never++) {
        const struct mr_components_options how = {.never_in_memory = never != 0};
        struct mr_components result;
        assert_int_equal(
            mr_components_find(&graph.context, graph.store, names, &how, &result, NULL), MR_OK);
        check_result(options, &result);
        assert_true(never ? result.n_in_memory == 0 : result.n_in_memory == n);
        assert_true(result.read.blocks_read > 0 || n_edges == 0);
        if (!never && n_edges > 0 && has_one_core(&result)) { /* weak ones, and lists */
            assert_true(result.readings == 2);
            n_without_searches++;
        }
        mr_components_free(&result);
    }
    mr_names_close(names);
    test_graph_drop(&graph);
}

static void random_graphs_match_the_matrix(void **unused)
{
    static struct test_edge edges[MAX_EDGES];
    (void)unused;
    for (int round = 0; round < 25; round++) {
        const uint32_t n = 1 + random_below(MAX_N);
        const size_t n_edges = random_below(round % 4 == 0 ? 3 * n : n + 10);
        const struct test_store_options options = {.n_vertices = n,
                                                   .band_bits = 8 + random_below(2),
                                                   .stripe_bits = 8,
                                                   .graph_id = 5,
                                                   .encoding = (enum mr_encoding)(round % 3),
                                                   .n_core = round % 5 == 0 ? 1 + n / 3 : 0,
                                                   .duplicates_kept = round % 7 == 0};
        for (size_t i = 0; i < n_edges; i++) {
            edges[i] = (struct test_edge){random_below(n), random_below(n)};
        }
        match_the_matrix(n, edges, n_edges, &options);
    }
    assert_in_range(n_without_searches, 5, 24);
}

/* Long paths and circles take many readings, colours many rounds. */
static void paths_and_circles_match_the_matrix(void **unused)
{
    static struct test_edge edges[MAX_EDGES];
    (void)unused;
    for (uint32_t circle = 1; circle < 14; circle += 3) {
        const uint32_t n = 300;
        size_t n_edges = 0;
        for (uint32_t v = 0; v < n; v++) { /* circles, each linked to the next one */
            const uint32_t first = v - v % circle, last = first + circle - 1;
            edges[n_edges++] = (struct test_edge){v, v == last || v == n - 1 ? first : v + 1};
            if (v == last && v + 1 < n) {
                edges[n_edges++] = (struct test_edge){v + 1, v};
            }
        }
        const struct test_store_options options = {
            .n_vertices = n, .band_bits = 8, .stripe_bits = 8, .graph_id = 5, .no_names = true};
        match_the_matrix(n, edges, n_edges, &options);
    }
}

static void without_vertices_there_are_no_components(void **unused)
{
    struct test_graph graph = {0};
    const struct test_store_options options = {
        .band_bits = 8, .stripe_bits = 8, .graph_id = 1, .no_names = true};
    const struct mr_components_options how = {0};
    struct mr_components result;
    size_t n_edges = 0;
    (void)unused;
    test_graph_make(&graph, 1, &options, NULL, &n_edges);
    assert_int_equal(mr_components_find(&graph.context, graph.store, NULL, &how, &result, NULL),
                     MR_OK);
    assert_int_equal(result.weak_figures.n_components, 0);
    assert_int_equal(result.strong_figures.n_components, 0);
    mr_components_free(&result);
    test_graph_drop(&graph);
}

static void only_weak_has_no_strong_labels(void **unused)
{
    struct test_graph graph = {0};
    struct test_edge edges[] = {{0, 1}, {3, 2}};
    size_t n_edges = 2;
    const struct test_store_options options = {
        .n_vertices = 4, .band_bits = 8, .stripe_bits = 8, .graph_id = 1, .no_names = true};
    const struct mr_components_options how = {.only_weak = true};
    struct mr_components result;
    (void)unused;
    test_graph_make(&graph, 1, &options, edges, &n_edges);
    assert_int_equal(mr_components_find(&graph.context, graph.store, NULL, &how, &result, NULL),
                     MR_OK);
    assert_null(result.strong);
    assert_int_equal(result.weak_figures.n_components, 2);
    assert_int_equal(result.weak[1], 0);
    assert_int_equal(result.weak[3], 2);
    mr_components_free(&result);
    test_graph_drop(&graph);
}

TEST_MAIN(cmocka_unit_test(random_graphs_match_the_matrix),
          cmocka_unit_test(paths_and_circles_match_the_matrix),
          cmocka_unit_test(without_vertices_there_are_no_components),
          cmocka_unit_test(only_weak_has_no_strong_labels))
