/* SPDX-License-Identifier: Apache-2.0 */
/* Degrees and neighbours of single vertices, for queries. Rankings use engine/pass/pass.h; to read
 * all edges, use engine/scan/edges.h. */
#ifndef MR_ENGINE_SCAN_NEIGHBOURS_H
#define MR_ENGINE_SCAN_NEIGHBOURS_H

#include "engine/store/store.h"
#include "millrace/query.h"

struct mr_degrees {
    uint32_t in, out; /* edges as stored: duplicates count */
};

/* Get the degrees of a vertex < n. Reads two blocks. Errors: CORRUPT. */
enum mr_status mr_vertex_degrees(const struct mr_context *context, struct mr_store *store,
                                 uint32_t vertex, struct mr_degrees *degrees,
                                 struct mr_error *err) MR_WARN_UNUSED;

enum mr_degree_kind { MR_DEGREES_IN, MR_DEGREES_OUT };

/* Read all degrees of one kind in vertex order, a band at a time: degrees[n] of the vertices first,
 * first + 1 ... and their strengths if the store has weights, else NULL. Reads the half of the file
 * that has this kind once. 4 bytes per vertex of a band, 12 with weights. */
typedef enum mr_status (*mr_degrees_visit)(void *data, uint64_t first, const uint32_t *degrees,
                                           const double *strengths, size_t n, struct mr_error *err);
enum mr_status mr_degrees_read(const struct mr_context *context, struct mr_store *store,
                               enum mr_degree_kind which, mr_degrees_visit visit, void *data,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Get the sources of the edges to `vertex`, or the targets of the edges from it, with duplicates
 * and in no order; their positions are not set. With `weighted`, which is `store` opened by
 * mr_store_open_weights, they have weights; NULL: without. The caller frees `*out` [*n] with
 * mr_memory_free; it is NULL if there are none.
 *
 * In: reads and decodes the blocks of the vertex's band, n_edges / n_bands edges on average. Out:
 * reads the blocks of every band that have its stripe: at least one block of 256 KiB for each band
 * with edges from it. */
enum mr_status mr_neighbours(const struct mr_context *context, struct mr_store *store,
                             struct mr_store *weighted, uint32_t vertex,
                             enum mr_degree_kind direction, struct mr_vertex_edge **out,
                             uint64_t *n, struct mr_error *err) MR_WARN_UNUSED;

#endif
