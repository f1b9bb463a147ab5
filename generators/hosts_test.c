/* SPDX-License-Identifier: Apache-2.0 */
/* The host graph against its promises: order, no repetitions, names in the order of bytes, the same
 * for any number of threads, and the figures that it is fitted to. */
#include "generators/generate.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/random.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"

struct taken {
    struct mr_edge *edges;
    size_t n, room;
    uint64_t hash;
};

static enum mr_status take(void *data, const struct mr_edge *edges, size_t n_edges,
                           struct mr_error *err)
{
    struct taken *taken = data;

    (void)err;
    if (taken->n + n_edges > taken->room) {
        taken->room = 2 * (taken->n + n_edges);
        taken->edges = realloc(taken->edges, taken->room * sizeof *taken->edges);
        assert_non_null(taken->edges);
    }
    memcpy(taken->edges + taken->n, edges, n_edges * sizeof *edges);
    taken->n += n_edges;
    for (size_t i = 0; i < n_edges; i++) {
        taken->hash = mr_random_mix(taken->hash ^ (edges[i].source << 32 | edges[i].target)) + 1;
    }
    return MR_OK;
}

static struct mr_generator make(struct mr_context *context, uint64_t n, struct taken *taken)
{
    const struct mr_generator_options options = {.n_vertices = n, .seed = 1};
    struct mr_generator hosts;

    assert_int_equal(mr_hosts_open(context, &options, &hosts, NULL), MR_OK);
    const struct mr_edge_sink sink = {.data = taken, .take = take};
    assert_int_equal(mr_generate(context, &hosts, &sink, NULL), MR_OK);
    return hosts;
}

static void edges_ascend_and_none_repeats(void **state)
{
    struct mr_context context;
    struct taken one = {0}, three = {0};
    (void)state;

    assert_true(test_context_open(&context, 1u << 30, 1));
    struct mr_generator hosts = make(&context, 100003, &one);
    uint8_t *has_link = calloc(1, 100003);
    assert_non_null(has_link);
    for (size_t i = 0; i < one.n; i++) {
        const struct mr_edge edge = one.edges[i];
        assert_true(edge.source != edge.target && edge.target < 100003);
        assert_true(mr_hosts_is_fetched(hosts.model, (uint32_t)edge.source));
        assert_true(
            i == 0 || one.edges[i - 1].source < edge.source ||
            (one.edges[i - 1].source == edge.source && one.edges[i - 1].target < edge.target));
        has_link[edge.source] = has_link[edge.target] = 1;
    }
    for (size_t v = 0; v < 100003; v++) {
        assert_true(has_link[v]); /* a file of edges has all hosts */
    }
    free(has_link);
    mr_generator_close(&hosts);
    context.threads = 3;
    hosts = make(&context, 100003, &three);
    mr_generator_close(&hosts);
    assert_int_equal(one.n, three.n);
    assert_true(one.hash == three.hash);
    free(one.edges);
    free(three.edges);
    test_context_close(&context);
}

static void names_ascend_by_bytes(void **state)
{
    const struct mr_generator_options options = {.n_vertices = 200000, .seed = 2};
    char names[2][MR_GENERATOR_NAME_MAX_BYTES + 1] = {"", ""};
    struct mr_context context;
    struct mr_generator hosts;
    (void)state;

    assert_true(test_context_open(&context, 1u << 30, 1));
    assert_int_equal(mr_hosts_open(&context, &options, &hosts, NULL), MR_OK);
    for (uint32_t v = 0; v < 200000; v++) {
        names[v & 1][hosts.name(hosts.model, v, names[v & 1])] = '\0';
        assert_true(v == 0 || strcmp(names[(v + 1) & 1], names[v & 1]) < 0);
    }
    mr_generator_close(&hosts);
    test_context_close(&context);
}

static void figures_are_those_of_common_crawl(void **state)
{
    enum { N = 250000 };
    struct mr_context context;
    struct taken taken = {0};
    uint64_t fetched = 0;
    (void)state;

    assert_true(test_context_open(&context, (uint64_t)2 << 30, 2));
    struct mr_generator hosts = make(&context, N, &taken);
    for (uint32_t v = 0; v < N; v++) {
        fetched += mr_hosts_is_fetched(hosts.model, v);
    }
    assert_in_range(fetched, 57500, 67500); /* 24.8% */
    assert_in_range(taken.n, 31 * (uint64_t)N, 39 * (uint64_t)N); /* 34.9 a host */
    mr_generator_close(&hosts);
    free(taken.edges);
    test_context_close(&context);
}

static void wrong_numbers_are_refused(void **state)
{
    struct mr_generator_options options = {.n_vertices = 999};
    struct mr_context context;
    struct mr_generator hosts;
    (void)state;

    assert_true(test_context_open(&context, 64u << 20, 1));
    assert_int_equal(mr_hosts_open(&context, &options, &hosts, NULL), MR_ERROR_USAGE);
    options.n_vertices = 2000;
    options.edge_factor = 3;
    assert_int_equal(mr_hosts_open(&context, &options, &hosts, NULL), MR_ERROR_USAGE);
    assert_null(hosts.model);
    test_context_close(&context);
}

TEST_MAIN(cmocka_unit_test(edges_ascend_and_none_repeats), cmocka_unit_test(names_ascend_by_bytes),
          cmocka_unit_test(figures_are_those_of_common_crawl),
          cmocka_unit_test(wrong_numbers_are_refused))
