/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of vertices: given orders are read back, and the builder's orders equal those of an
 * independent count and sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/builder/vertices/degree_order.h"
#include "engine/names/names.h"
#include "engine/scan/edges.h"
#include "engine/store/vertex_order.h"
#include "tests/support/test_build.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"
#include "tests/support/test_store.h"

struct fixture {
    struct mr_context context;
    struct test_dir dir;
    char path[PATH_MAX];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    *state = f;
    assert_true(test_context_open(&f->context, UINT64_MAX, 2));
    assert_true(test_dir_make(&f->dir, NULL));
    (void)test_dir_path(&f->dir, "graph.mill", f->path);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    test_dir_remove(&f->dir);
    test_context_close(&f->context);
    free(f);
    return 0;
}

/* Position p has vertex n - 1 - p and name 3 p + 1; each list has two blocks and a part of a
 * third. */
static void test_lists_are_read_back(void **state)
{
    enum { N = 70000 };
    struct fixture *f = *state;
    const struct test_store_options options = {
        .n_vertices = N, .band_bits = 16, .stripe_bits = 16, .graph_id = 7, .reversed = true};
    struct test_edge edge = {1, 2};
    size_t n_edges = 1;
    struct mr_store *store = NULL;
    struct mr_vertex_order *order = NULL;
    struct mr_names *names = NULL;
    struct mr_name_cursor *cursor = NULL;
    uint32_t *vertices = NULL, vertex, position;
    uint64_t seed = 3;

    assert_int_equal(test_store_write(&f->context, f->dir.path, &options, &edge, &n_edges), MR_OK);
    assert_int_equal(mr_store_open(&f->context, f->dir.path, &store, NULL), MR_OK);
    assert_int_equal(mr_vertex_order_load(&f->context, store, MR_ORDER_VERTICES, &vertices, NULL),
                     MR_OK);
    assert_true(mr_store_get_info(store)->order_id == mr_vertex_order_id(vertices, N));
    assert_int_equal(mr_vertex_order_open(&f->context, store, &order, NULL), MR_OK);
    assert_int_equal(mr_names_open(&f->context, store, NULL, &names, NULL), MR_OK);
    assert_true(mr_names_are_ordered(names));
    assert_int_equal(mr_name_cursor_open(names, 0, &cursor, NULL), MR_OK);
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t at = i % 2 == 0 ? i : (uint32_t)(test_random(&seed) % N);
        const char *name;
        size_t bytes;
        char text[16];
        bool found;
        assert_int_equal(vertices[i], N - 1 - i);
        assert_int_equal(mr_name_cursor_next(cursor, &name, &bytes, NULL), MR_OK);
        assert_int_equal(mr_name_cursor_vertex(cursor), N - 1 - i);
        assert_int_equal(bytes, snprintf(text, sizeof text, "%u", 3 * i + 1));
        assert_memory_equal(name, text, bytes);
        if (i % 97 != 0) {
            continue;
        }
        assert_int_equal(mr_vertex_order_get(order, MR_ORDER_POSITIONS, at, &position, NULL),
                         MR_OK);
        assert_int_equal(position, N - 1 - at);
        assert_int_equal(mr_vertex_order_get(order, MR_ORDER_VERTICES, at, &vertex, NULL), MR_OK);
        assert_int_equal(vertex, N - 1 - at);
        assert_int_equal(mr_names_get(names, at, &name, &bytes, NULL), MR_OK);
        (void)snprintf(text, sizeof text, "%u", 3 * (N - 1 - at) + 1);
        assert_int_equal(bytes, strlen(text));
        assert_memory_equal(name, text, bytes);
        assert_int_equal(mr_names_find(names, text, bytes, &vertex, &found, NULL), MR_OK);
        assert_true(found);
        assert_int_equal(vertex, at);
        assert_int_equal(mr_names_position(names, at, &position, NULL), MR_OK);
        assert_int_equal(position, N - 1 - at);
        assert_int_equal(mr_names_vertex(names, position, &vertex, NULL), MR_OK);
        assert_int_equal(vertex, at);
    }
    mr_name_cursor_close(cursor);
    mr_names_close(names);
    mr_vertex_order_close(order);
    mr_memory_free(f->context.memory, vertices);
    mr_store_close(store);
}

/* ---- Orders that the builder makes ---- */

enum { N_IDS = 600, N_EDGES = 5000 };

struct links {
    uint64_t position[N_IDS]; /* position of an id; UINT64_MAX: none */
    uint32_t degree[N_IDS]; /* by position */
    uint32_t wanted[N_IDS]; /* the expected position of each vertex */
    bool has[N_IDS][N_IDS]; /* by position */
    uint64_t n_positions, n_links;
};

static enum mr_status take_links(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                                 struct mr_error *err)
{
    struct links *links = data;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t source = links->wanted[pairs[i][0]], target = links->wanted[pairs[i][1]];
        assert_true(links->has[source][target]);
        links->has[source][target] = false;
        links->n_links--;
    }
    return MR_OK;
}

static bool comes_first(const struct links *links, uint32_t a, uint32_t b)
{
    return links->degree[a] > links->degree[b] || (links->degree[a] == links->degree[b] && a < b);
}

/* Edges of a few hubs, with gaps between the ids; merged, or in both directions, or without
 * self-loops. */
static void expect_degrees(struct fixture *f, const struct mr_build_options *given, uint64_t seed)
{
    struct mr_build_options options = *given;
    static struct mr_edge edges[N_EDGES];
    static struct links links;
    struct mr_build *build = NULL;
    struct mr_build_summary summary;
    struct mr_store *store = NULL;
    struct mr_names *names = NULL;
    uint32_t position = 0;

    options.order = MR_ORDER_DEGREE;
    options.force = true;
    memset(&links, 0, sizeof links);
    assert_int_equal(mr_build_create(&f->context, f->path, &options, &build, NULL), MR_OK);
    memset(links.position, 0xff, sizeof links.position);
    for (size_t i = 0; i < N_EDGES; i++) {
        edges[i].source = test_random(&seed) % N_IDS / 3 * 3;
        edges[i].target = test_random(&seed) % (1 + test_random(&seed) % N_IDS);
        edges[i].target = edges[i].target / 2 * 2;
        if (i % 50 == 0) {
            edges[i].target = edges[i].source;
        }
        links.position[edges[i].source] = links.position[edges[i].target] = 0;
    }
    for (size_t id = 0; id < N_IDS; id++) {
        if (links.position[id] == 0) {
            links.position[id] = links.n_positions++;
        }
    }
    for (size_t i = 0; i < N_EDGES; i++) {
        const uint64_t u = links.position[edges[i].source], v = links.position[edges[i].target];
        const bool is_loop = u == v;
        if (is_loop && options.drop_self_loops) {
            continue;
        }
        const unsigned times = options.undirected && !is_loop ? 2 : 1;
        links.degree[u] += times;
        links.degree[v] += times;
        links.has[u][v] = true;
        links.has[v][u] |= options.undirected;
    }
    /* count the vertices that come before each one */
    for (uint32_t p = 0; p < links.n_positions; p++) {
        uint32_t rank = 0;
        for (uint32_t q = 0; q < links.n_positions; q++) {
            links.n_links += links.has[p][q];
            rank += comes_first(&links, q, p);
        }
        links.wanted[rank] = p;
    }
    assert_int_equal(mr_build_edges(build, 0, edges, NULL, N_EDGES, NULL), MR_OK);
    assert_int_equal(mr_build_finish(build, MR_OK, &summary, NULL), MR_OK);
    assert_true(summary.is_ordered);
    assert_int_equal(mr_store_open(&f->context, f->path, &store, NULL), MR_OK);
    assert_int_equal(mr_store_get_info(store)->n_vertices, links.n_positions);
    assert_int_equal(mr_store_get_info(store)->n_edges, links.n_links);
    assert_int_equal(mr_names_open(&f->context, store, NULL, &names, NULL), MR_OK);
    for (uint32_t v = 0; v < links.n_positions; v++) {
        assert_int_equal(mr_names_position(names, v, &position, NULL), MR_OK);
        assert_int_equal(position, links.wanted[v]);
    }
    assert_int_equal(mr_edges_read(&f->context, store, take_links, &links, NULL), MR_OK);
    assert_int_equal(links.n_links, 0);
    mr_names_close(names);
    mr_store_close(store);
}

static void test_vertices_are_by_degree(void **state)
{
    struct mr_build_options options = {.ids = MR_IDS_SPARSE, .band_bits = 8, .stripe_bits = 8};
    expect_degrees(*state, &options, 1);
    options.sort_bytes = 4 << 20; /* edges are on disk until they are sorted */
    expect_degrees(*state, &options, 2);
    options.undirected = true;
    expect_degrees(*state, &options, 3);
    options.sort_bytes = 0;
    options.drop_self_loops = true;
    expect_degrees(*state, &options, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lists_are_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_vertices_are_by_degree, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
