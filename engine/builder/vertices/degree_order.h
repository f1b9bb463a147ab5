/* SPDX-License-Identifier: Apache-2.0 */
/* The order by degree: gives each position its vertex (engine/store/vertex_order.h), vertices with
 * most edges first. Internal to the builder. */
#ifndef MR_ENGINE_BUILDER_VERTICES_DEGREE_ORDER_H
#define MR_ENGINE_BUILDER_VERTICES_DEGREE_ORDER_H

#include "engine/builder/edges/spool_scan.h"

struct mr_degree_order {
    /* Budgeted allocations [n_vertices + 1]; NULL where vertices stay at their positions. */
    uint32_t *vertices; /* vertex of each position */
    uint32_t *positions; /* position of each vertex */
};

/* Bytes per vertex while an order is made. */
#define MR_DEGREE_ORDER_BYTES 12u

/* Count the edges of each position, in and out together and with duplicates, in a sealed spool
 * whose vertices have numbers. Sort by the count, highest first; equal ones by ascending position.
 * The lists are NULL if the order is that of the positions. One scan of the spool. Memory: 12 bytes
 * per vertex, 8 afterwards. The result is the same for any number of threads. */
enum mr_status mr_degree_order_make(const struct mr_context *context,
                                    const struct mr_spool_scan *scan, uint64_t n_vertices,
                                    struct mr_degree_order *order,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
