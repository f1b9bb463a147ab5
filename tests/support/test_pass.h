/* SPDX-License-Identifier: Apache-2.0 */
/* Stores for tests of the pass. Everything is static: only one test file may include this
 * header. */
#ifndef MR_TESTS_SUPPORT_TEST_PASS_H
#define MR_TESTS_SUPPORT_TEST_PASS_H

#include "engine/pass/pass.h"
#include "tests/support/test_graph.h"

struct fixture {
    struct test_graph graph;
    struct test_edge *edges;
    size_t n_edges;
    struct test_store_options options;
};

static uint64_t random_state = 20261123;

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)(test_random(&random_state) % n);
}

/* Settings of the stores to make. */
static enum mr_encoding encoding;
static uint32_t source_step = 1; /* vertices that are not a multiple of this have no edges */
static enum { DIRECTED, UNDIRECTED, SAID_TO_BE_UNDIRECTED } direction;
static uint32_t
    /* undirected: this number of vertices from 0 on have edges with as many vertices from 5120
     * on */
    rectangle;
/* 1 + the vertex whose out-degree is stored as 0; 0: all are right */
static uint32_t without_out_degree;

/* A random graph with local edges (heavy diagonal tiles), a hub, and vertices without edges. Edges
 * over a distance go to vertices below `far`. */
static void make_hub_store(struct fixture *f, uint32_t n_vertices, size_t n_edges, uint32_t far,
                           unsigned band_bits, unsigned stripe_bits, int zstd_level)
{
    memset(f, 0, sizeof *f);
    f->edges = malloc((2 * n_edges + 1) * sizeof *f->edges);
    for (size_t i = 0; i < n_edges; i++) {
        uint32_t source = random_below(n_vertices) / source_step * source_step;
        uint32_t near = source + random_below(40);
        uint32_t target = i % 3 == 0   ? random_below(far)
                          : i % 7 == 0 ? n_vertices / 3
                                       : (near < n_vertices ? near : source);
        if (direction == UNDIRECTED) {
            target = i % 5 == 0 ? random_below(n_vertices) : target; /* anywhere */
            target -= target % source_step;
            f->edges[n_edges + i] = (struct test_edge){target, source};
        }
        if (i < (size_t)rectangle * rectangle) {
            source = (uint32_t)i / rectangle;
            target = 5120 + (uint32_t)i % rectangle;
            f->edges[n_edges + i] = (struct test_edge){target, source};
        }
        f->edges[i] = (struct test_edge){source, target};
    }
    f->n_edges = direction == UNDIRECTED ? 2 * n_edges : n_edges;
    f->options = (struct test_store_options){.n_vertices = n_vertices,
                                             .band_bits = band_bits,
                                             .stripe_bits = stripe_bits,
                                             .graph_id = 77,
                                             .zstd_level = zstd_level,
                                             .encoding = encoding,
                                             .undirected = direction != DIRECTED,
                                             .without_out_degree = without_out_degree,
                                             .no_names = true};
    test_graph_make(&f->graph, 1, &f->options, f->edges, &f->n_edges);
}

static void make_store(struct fixture *f, uint32_t n_vertices, size_t n_edges, unsigned band_bits,
                       unsigned stripe_bits, int zstd_level)
{
    make_hub_store(f, n_vertices, n_edges, n_vertices, band_bits, stripe_bits, zstd_level);
}

static void drop_store(struct fixture *f)
{
    test_graph_drop(&f->graph);
    free(f->edges);
}

/* Copy the sums, double or uint64_t, to the array in the callback data. */
static void keep_sums(void *data, const struct mr_pass_band *band)
{
    memcpy((uint64_t *)data + band->first_vertex, band->accumulator, 8u * band->n_vertices);
}

#endif
