/* SPDX-License-Identifier: Apache-2.0 */
/* The counting pass: how many edges each cell of the grid has, and a hash of the graph. */
#ifndef MR_ENGINE_BUILDER_EDGES_EDGE_COUNT_H
#define MR_ENGINE_BUILDER_EDGES_EDGE_COUNT_H

#include "engine/builder/edges/edge_grid.h"
#include "engine/builder/edges/spool_scan.h"

struct mr_edge_counts {
    uint64_t *cells; /* [grid->n_cells]; free with mr_memory_free */
    uint64_t n_edges;
    /* of these, edges with both ends in one aligned run of 2^MR_NEAR_BITS vertices */
    uint64_t n_near;
    uint64_t hash; /* of the set of edges: the same for any order and any number of repetitions */
    /* sum over the edges of a hash of each with its weight; 0 without weights */
    uint64_t weights_hash;
};

/* The number of cells for this many bands and the memory left: enough to cut the heaviest band into
 * pieces, few enough for one table per thread. It affects speed, never the store's bytes. */
uint64_t mr_edge_count_max_cells(const struct mr_context *context, uint64_t n_bands);

/* Scan the spool once and count. This function chooses the number of workers and ignores
 * `scan->n_workers`. */
enum mr_status mr_edge_count(const struct mr_context *context, const struct mr_spool_scan *scan,
                             const struct mr_edge_grid *grid, struct mr_edge_counts *counts,
                             struct mr_error *err) MR_WARN_UNUSED;

#endif
