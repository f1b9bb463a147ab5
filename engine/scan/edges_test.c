/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that edges come back in store order as they were written, from stores of many shapes. */
#include <stdlib.h>
#include <string.h>

#include "engine/scan/edges.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"
#include "tests/support/test_store.h"

struct fixture {
    struct test_dir dir;
    struct mr_context context;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    *state = f;
    return test_context_open(&f->context, UINT64_MAX, 1) ? 0 : 1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    test_context_close(&f->context);
    free(f);
    return 0;
}

/* The pairs that a callback must get. */
struct expected {
    const struct test_edge *edges;
    size_t n_edges, seen;
    size_t stop_at; /* 0: never */
    bool as_expected;
};

static enum mr_status compare(void *data, const uint32_t (*pairs)[2], const float *weights,
                              size_t n_pairs, struct mr_error *err)
{
    struct expected *expected = data;

    (void)weights;
    if (n_pairs == 0 || n_pairs > MR_EDGES_BATCH || n_pairs > expected->n_edges - expected->seen) {
        expected->as_expected = false;
        return mr_error_set(err, MR_ERROR_RUNTIME, "too many pairs");
    }
    for (size_t i = 0; i < n_pairs; i++) {
        const struct test_edge *edge = &expected->edges[expected->seen + i];

        expected->as_expected &= pairs[i][0] == edge->source && pairs[i][1] == edge->target;
    }
    expected->seen += n_pairs;
    if (expected->stop_at != 0 && expected->seen >= expected->stop_at) {
        return mr_error_set(err, MR_ERROR_BUDGET, "that is enough");
    }
    return MR_OK;
}

static struct test_edge *random_edges(uint32_t n_vertices, size_t n_edges, uint64_t seed)
{
    struct test_edge *edges = malloc((n_edges + 1) * sizeof *edges);

    for (size_t i = 0; i < n_edges; i++) {
        edges[i].source = (uint32_t)(test_random(&seed) % n_vertices);
        /* every other edge is near, every eighth goes to a hub */
        edges[i].target = i % 8 == 0   ? (uint32_t)(test_random(&seed) % 3)
                          : i % 2 == 0 ? (uint32_t)(test_random(&seed) % n_vertices)
                                       : (edges[i].source + i % 16) % n_vertices;
    }
    return edges;
}

static void round_trip(struct fixture *f, const struct test_store_options *options, size_t n_edges)
{
    struct test_edge *edges = random_edges(options->n_vertices, n_edges, n_edges + 1);
    struct expected expected = {.as_expected = true};
    struct mr_store *store = NULL;
    struct mr_error err = {0};

    assert_true(test_dir_make(&f->dir, NULL));
    assert_int_equal(test_store_write(&f->context, f->dir.path, options, edges, &n_edges), MR_OK);
    assert_int_equal(mr_store_open(&f->context, f->dir.path, &store, &err), MR_OK);
    expected.edges = edges;
    expected.n_edges = n_edges;
    assert_int_equal(mr_edges_read(&f->context, store, NULL, compare, &expected, &err), MR_OK);
    assert_int_equal(expected.seen, n_edges);
    assert_true(expected.as_expected);

    expected.stop_at = n_edges / 2;
    expected.seen = 0;
    if (expected.stop_at > 0) {
        assert_int_equal(mr_edges_read(&f->context, store, NULL, compare, &expected, &err),
                         MR_ERROR_BUDGET);
        assert_string_equal(err.message, "that is enough");
        assert_true(expected.seen < expected.stop_at + MR_EDGES_BATCH);
    }
    mr_store_close(store);
    test_dir_remove(&f->dir);
    free(edges);
}

static void test_edges_come_back_from_stores_of_all_shapes(void **state)
{
    static const unsigned shapes[][2] = {{8, 8}, {9, 8}, {12, 10}, {16, 16}, {18, 14}, {20, 12}};

    for (unsigned shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
        for (unsigned variant = 0; variant < 4; variant++) {
            const struct test_store_options options = {.n_vertices = variant == 0   ? 5
                                                                     : variant == 1 ? 4096
                                                                                    : 70001,
                                                       .band_bits = shapes[shape][0],
                                                       .stripe_bits = shapes[shape][1],
                                                       .graph_id = 12,
                                                       .zstd_level = variant == 2 ? 1 : 0,
                                                       .duplicates_kept = variant == 3,
                                                       .no_names = variant % 2 == 0};

            round_trip(*state, &options, variant == 0 ? 20 : 30000);
        }
    }
}

/* One tile of more than a megabyte, which takes several blocks. */
static void test_tiles_cut_over_blocks_come_back(void **state)
{
    for (int level = 0; level < 2; level++) {
        const struct test_store_options options = {.n_vertices = 65536,
                                                   .band_bits = 16,
                                                   .stripe_bits = 16,
                                                   .zstd_level = level,
                                                   .no_names = true};

        round_trip(*state, &options, 800000);
    }
}

static void test_a_graph_without_edges_has_none(void **state)
{
    const struct test_store_options none = {
        .n_vertices = 1000, .band_bits = 8, .stripe_bits = 8, .no_names = true};

    round_trip(*state, &none, 0);
}

/* Checksums are valid but keys lead out of the graph: the callback never gets them. */
static void test_edges_beyond_the_vertices_are_refused(void **state)
{
    struct fixture *f = *state;
    const struct test_store_options options = {
        .n_vertices = 1000, .band_bits = 10, .stripe_bits = 8, .in_given_order = true};
    struct test_edge beyond[][2] = {{{5, 1000}, {5, 1001}}, {{999, 5}, {1000, 5}}};

    for (unsigned i = 0; i < 2; i++) {
        struct expected expected = {.as_expected = true};
        struct mr_store *store = NULL;
        struct mr_error err = {0};
        size_t n_edges = 2;

        assert_true(test_dir_make(&f->dir, NULL));
        assert_int_equal(test_store_write(&f->context, f->dir.path, &options, beyond[i], &n_edges),
                         MR_OK);
        assert_int_equal(mr_store_open(&f->context, f->dir.path, &store, &err), MR_OK);
        assert_int_equal(mr_edges_read(&f->context, store, NULL, compare, &expected, &err),
                         MR_ERROR_CORRUPT);
        assert_non_null(strstr(err.message, i == 0 ? "links of stripe 0" : "links of stripe 3"));
        assert_int_equal(expected.seen, 0);
        mr_store_close(store);
        test_dir_remove(&f->dir);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(TEST(test_edges_come_back_from_stores_of_all_shapes),
          TEST(test_tiles_cut_over_blocks_come_back),
          TEST(test_edges_beyond_the_vertices_are_refused),
          TEST(test_a_graph_without_edges_has_none))
