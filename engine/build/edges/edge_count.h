/* The counting pass: how many edges each cell of the grid has, and what graph this is. */
#ifndef MR_ENGINE_BUILD_EDGES_EDGE_COUNT_H
#define MR_ENGINE_BUILD_EDGES_EDGE_COUNT_H

#include "engine/build/edges/edge_grid.h"
#include "engine/build/edges/spool_scan.h"

struct mr_edge_counts {
    uint64_t *cells; /* [grid->n_cells]; free with mr_memory_free */
    uint64_t n_edges;
    uint64_t n_near; /* of these: both ends in the same 2^MR_NEAR_BITS vertices */
    uint64_t hash; /* of the set of the edges: the same in any order, however often they come */
    uint64_t weights_hash; /* sum over the edges of a hash of each with its weight; 0 without */
};

/* Cells worth having for this many bands and the memory there is: enough to cut the heaviest band
 * into pieces, few enough for a table per thread. Affects speed, never the store's bytes. */
uint64_t mr_edge_count_max_cells(const struct mr_context *context, uint64_t n_bands);

/* One pass over the spool. `scan->n_workers` is chosen here. */
enum mr_status mr_edge_count(const struct mr_context *context, const struct mr_spool_scan *scan,
                             const struct mr_edge_grid *grid, struct mr_edge_counts *counts,
                             struct mr_error *err) MR_WARN_UNUSED;

#endif
