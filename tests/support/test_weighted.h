/* SPDX-License-Identifier: Apache-2.0 */
/* For unit tests: a store with weights that the builder makes. */
#ifndef MR_TESTS_SUPPORT_TEST_WEIGHTED_H
#define MR_TESTS_SUPPORT_TEST_WEIGHTED_H

#include "engine/builder/build.h"
#include "tests/support/test_graph.h"

struct test_link {
    uint32_t source, target;
    float weight;
};

/* Open the weights of the store at `path`. */
static inline struct mr_store *test_weights_open(const struct mr_context *context, const char *path)
{
    struct mr_store *plain = NULL, *weighted = NULL;
    assert_int_equal(mr_store_open(context, path, &plain, NULL), MR_OK);
    assert_int_equal(mr_store_open_weights(context, plain, &weighted, NULL), MR_OK);
    mr_store_close(plain);
    return weighted;
}

/* Make graph->store with the weights of `links`. Equal edges are merged, unless duplicates are
 * kept. */
static inline void test_weighted_make(struct test_graph *graph, unsigned threads,
                                      uint32_t n_vertices, bool keeps_duplicates,
                                      const struct test_link *links, size_t n_links)
{
    const struct mr_build_options options = {.ids = MR_IDS_DENSE,
                                             .n_vertices = n_vertices,
                                             .keep_duplicates = keeps_duplicates,
                                             .weights = true,
                                             .band_bits = 8,
                                             .stripe_bits = 8};
    struct mr_build *build = NULL;
    test_graph_begin(graph, threads);
    assert_int_equal(mr_build_create(&graph->context, graph->path, &options, &build, NULL), MR_OK);
    for (size_t i = 0; i < n_links; i++) {
        const struct mr_edge edge = {links[i].source, links[i].target};
        assert_int_equal(mr_build_edges(build, 0, &edge, &links[i].weight, 1, NULL), MR_OK);
    }
    assert_int_equal(mr_build_finish(build, MR_OK, NULL, NULL), MR_OK);
    graph->store = test_weights_open(&graph->context, graph->path);
}

#endif
