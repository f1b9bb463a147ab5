/* SPDX-License-Identifier: Apache-2.0 */
/* Tests base sets against a search of all pairs, and their subgraphs edge by edge. */

#include "algorithms/hits/hits.h"
#include "engine/builder/transpose.h"
#include "engine/scan/edges.h"
#include "tests/support/test.h"
#include "tests/support/test_graph.h"

enum { N = 300, EDGES = 900 };

static uint64_t state = 0x853c49e6748fea9b;

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)(test_random(&state) % n);
}

struct listing {
    uint32_t pairs[EDGES][2];
    size_t n;
};

static enum mr_status list(void *data, const uint32_t (*pairs)[2], const float *weights,
                           size_t n_pairs, struct mr_error *err)
{
    struct listing *listing = data;
    (void)weights;
    (void)err;
    memcpy(listing->pairs + listing->n, pairs, n_pairs * sizeof *pairs);
    listing->n += n_pairs;
    return MR_OK;
}

/* Computes the members from the edges in store order. */
static void expect_set(const struct listing *edges, const struct mr_vertex_weight *roots,
                       uint64_t n_roots, uint64_t most, bool *is_member)
{
    memset(is_member, 0, N * sizeof *is_member);
    for (uint64_t r = 0; r < n_roots; r++) {
        uint64_t n_in = 0;
        is_member[roots[r].vertex] = true;
        for (size_t i = 0; i < edges->n; i++) {
            if (edges->pairs[i][0] == roots[r].vertex) {
                is_member[edges->pairs[i][1]] = true;
            }
            if (edges->pairs[i][1] == roots[r].vertex && n_in++ < most) {
                is_member[edges->pairs[i][0]] = true;
            }
        }
    }
}

static bool came_before(const struct listing *edges, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (memcmp(edges->pairs[j], edges->pairs[i], sizeof edges->pairs[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Compares the edges of the subgraph, by name (3 v + 1, test_store.h), with those among the
 * members. */
static void check_subgraph(const struct mr_context *context, const char *path,
                           const struct listing *edges, const struct mr_vertex_set *members,
                           bool simple)
{
    static struct listing found;
    struct mr_store *store = NULL;
    struct mr_names *names = NULL;
    uint64_t expected[2] = {0}, got[2] = {0};

    found.n = 0;
    assert_int_equal(mr_store_open(context, path, &store, NULL), MR_OK);
    assert_int_equal(mr_store_get_info(store)->n_vertices, members->n_members);
    assert_int_equal(mr_names_open(context, store, NULL, &names, NULL), MR_OK);
    assert_int_equal(mr_edges_read(context, store, NULL, list, &found, NULL), MR_OK);
    for (size_t i = 0; i < edges->n; i++) {
        const uint32_t *pair = edges->pairs[i];
        if (mr_vertex_set_has(members, pair[0]) && mr_vertex_set_has(members, pair[1]) &&
            !(simple && (pair[0] == pair[1] || came_before(edges, i)))) {
            const uint64_t code = (3 * (uint64_t)pair[0] + 1) * 10007 + 3 * (uint64_t)pair[1] + 1;
            expected[0]++;
            expected[1] += code * code * code;
        }
    }
    for (size_t i = 0; i < found.n; i++) {
        uint64_t ends[2];
        for (int k = 0; k < 2; k++) {
            const char *name;
            size_t bytes;
            char text[32] = "";
            assert_int_equal(mr_names_get(names, found.pairs[i][k], &name, &bytes, NULL), MR_OK);
            memcpy(text, name, bytes);
            ends[k] = strtoull(text, NULL, 10);
        }
        const uint64_t code = ends[0] * 10007 + ends[1];
        got[0]++;
        got[1] += code * code * code;
    }
    assert_memory_equal(expected, got, sizeof got);
    mr_names_close(names);
    mr_store_close(store);
}

static void sets_and_subgraphs_of_random_graphs(void **unused)
{
    (void)unused;
    for (int round = 0; round < 20; round++) {
        static struct listing all;
        struct test_edge edges[EDGES];
        struct test_graph graph;
        struct mr_names *names;
        struct mr_vertex_weight roots[8];
        struct mr_vertex_set members;
        char path[PATH_MAX];
        bool is_member[N];
        size_t n_edges = EDGES;
        uint64_t n_roots = 1 + random_below(5), most = random_below(4);

        for (size_t i = 0; i < EDGES; i++) {
            edges[i] = (struct test_edge){random_below(N), random_below(1 + random_below(N))};
        }
        for (uint64_t i = 0; i < n_roots; i++) {
            roots[i].vertex = (uint32_t)i * 60 + random_below(60);
        }
        most = most == 3 ? MR_BASE_SET_ALL : most;
        const struct test_store_options options = {.n_vertices = N,
                                                   .band_bits = 8,
                                                   .stripe_bits = 8,
                                                   .graph_id = 5,
                                                   .duplicates_kept = round % 2 == 0};
        test_graph_make(&graph, 1, &options, edges, &n_edges);
        const struct mr_context *context = &graph.context;
        assert_int_equal(mr_names_open(context, graph.store, NULL, &names, NULL), MR_OK);
        all.n = 0;
        assert_int_equal(mr_edges_read(context, graph.store, NULL, list, &all, NULL), MR_OK);
        assert_int_equal(mr_vertex_set_create(context, N, &members, NULL), MR_OK);
        assert_int_equal(mr_base_set(context, graph.store, roots, n_roots, most, &members, NULL),
                         MR_OK);
        expect_set(&all, roots, n_roots, most, is_member);
        uint64_t n_members = 0;
        for (uint32_t v = 0; v < N; v++) {
            assert_int_equal(mr_vertex_set_has(&members, v), is_member[v]);
            assert_int_equal(mr_vertex_set_rank_of(&members, v), n_members);
            n_members += is_member[v];
        }
        assert_int_equal(members.n_members, n_members);
        (void)test_dir_path(&graph.dir, "sub.mill", path);
        const bool simple = round % 3 == 0;
        assert_int_equal(mr_subgraph(context, graph.store, &members, simple, path, NULL, NULL),
                         MR_OK);
        check_subgraph(context, path, &all, &members, simple);
        mr_vertex_set_destroy(&members);
        mr_names_close(names);
        test_graph_drop(&graph);
    }
}

TEST_MAIN(cmocka_unit_test(sets_and_subgraphs_of_random_graphs))
