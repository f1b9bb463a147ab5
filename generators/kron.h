/* SPDX-License-Identifier: Apache-2.0 */
/* Kronecker (R-MAT) graphs as Graph500 and GAP define them: the standard synthetic benchmark.
 *
 * A graph has 2^scale vertices and edge_factor * 2^scale edges. Each edge chooses one quadrant per
 * bit with probabilities 0.57, 0.19, 0.19, 0.05. A fixed bijection that depends on the seed
 * scrambles vertex ids. Every edge is a function of (seed, its number), so the graph is the same on
 * any number of threads. Source: Chakrabarti, Zhan, Faloutsos 2004; Graph500 specification 2.0, GAP
 * benchmark suite. */
#ifndef MR_GENERATORS_KRON_H
#define MR_GENERATORS_KRON_H

#include "generators/generate.h"

struct mr_kron_options {
    size_t struct_size;
    unsigned scale; /* 1..31 */
    uint64_t edge_factor; /* edges per vertex before merging duplicates */
    uint64_t seed;
    bool keep_order; /* do not scramble ids: vertex 0 has the highest expected degree */
};

/* Makes edges [first, first + count) of the sequence. About 25 ns per edge, and some microseconds
 * per call. */
void mr_kron_edges(const struct mr_kron_options *options, uint64_t first, uint64_t count,
                   struct mr_edge *edges);

/* The id that scrambling gives to `vertex` < 2^scale: a bijection; with keep_order it is `vertex`
 * itself. In the unscrambled graph vertex 0 has the highest expected degree. */
uint32_t mr_kron_vertex(const struct mr_kron_options *options, uint32_t vertex);

/* Passes the whole graph to `sink`, in order. A builder for it has MR_IDS_DENSE and n_vertices =
 * 2^scale. */
enum mr_status mr_kron_generate(const struct mr_context *context,
                                const struct mr_kron_options *options,
                                const struct mr_edge_sink *sink,
                                struct mr_error *err) MR_WARN_UNUSED;

#endif
