/* SPDX-License-Identifier: Apache-2.0 */
/* For unit tests: an open store in a temporary directory, with everything that has to be
 * released. */
#ifndef MR_TESTS_SUPPORT_TEST_GRAPH_H
#define MR_TESTS_SUPPORT_TEST_GRAPH_H

#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"
#include "tests/support/test_store.h"

struct test_graph {
    struct test_dir dir;
    char path[PATH_MAX]; /* of the store */
    struct mr_context context; /* with unlimited memory */
    struct mr_store *store;
};

/* Prepare everything but the store. The test makes the store at `path` and opens it. */
static inline void test_graph_begin(struct test_graph *graph, unsigned threads)
{
    assert_true(test_dir_make(&graph->dir, NULL));
    assert_true(test_context_open(&graph->context, UINT64_MAX, threads));
    (void)test_dir_path(&graph->dir, "s.mill", graph->path);
}

/* Make a store of `edges`. The function sorts them into store order and drops duplicates, unless
 * these are kept. One graph of four is read through io_uring: to set it up takes as long as to rank
 * a small graph. */
static inline void test_graph_make(struct test_graph *graph, unsigned threads,
                                   const struct test_store_options *options,
                                   struct test_edge *edges, size_t *n_edges)
{
    test_graph_begin(graph, threads);
    graph->context.backend = *n_edges % 4 == 0 ? MR_QUEUE_AUTO : MR_QUEUE_PREAD;
    assert_int_equal(mr_io_make_dir(graph->context.io, graph->path, NULL), MR_OK);
    assert_int_equal(test_store_write(&graph->context, graph->path, options, edges, n_edges),
                     MR_OK);
    assert_int_equal(mr_store_open(&graph->context, graph->path, &graph->store, NULL), MR_OK);
}

static inline void test_graph_drop(struct test_graph *graph)
{
    mr_store_close(graph->store);
    test_context_close(&graph->context);
    test_dir_remove(&graph->dir);
}

#endif
