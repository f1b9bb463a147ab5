/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes sorted pieces into the store's file of links: threads encode several bands at once, and
 * bands are written in order. The blocks of a band depend on its edges only. They do not depend on
 * the number of threads or on where pieces end: a band that continues in the next piece keeps its
 * writer. */
#ifndef MR_ENGINE_BUILDER_WRITER_BAND_PIPELINE_H
#define MR_ENGINE_BUILDER_WRITER_BAND_PIPELINE_H

#include "engine/builder/edges/edge_piece.h"
#include "engine/writer/store_writer.h"

struct mr_band_pipeline;

/* Create a pipeline with one band writer per thread, or fewer where those would take more than a
 * quarter of the memory left. `store`, `shape` and `grid` outlive the pipeline. With two classes of
 * edges, an internal edge connects two vertices of one group: `groups` [n_vertices] has the group
 * of each, and the pipeline counts the internal out-edges in `internal_out` [n_vertices], which are
 * zeros. With one class both are NULL. Destroy takes NULL. */
enum mr_status mr_band_pipeline_create(const struct mr_context *context,
                                       struct mr_store_writer *store,
                                       const struct mr_band_shape *shape,
                                       const struct mr_edge_grid *grid, const uint32_t *groups,
                                       uint32_t *internal_out, struct mr_band_pipeline **out,
                                       struct mr_error *err) MR_WARN_UNUSED;
void mr_band_pipeline_destroy(struct mr_band_pipeline *pipeline);

/* The most memory that encoded blocks may take while they wait for their turn, beyond what the
 * pipeline holds now. */
uint64_t mr_band_pipeline_pending_bytes(const struct mr_band_pipeline *pipeline);

/* How the pipeline would grow with the memory: for the advice of mr_edge_plan_make. */
struct mr_edge_elastic mr_band_pipeline_elastic(const struct mr_band_pipeline *pipeline);

/* Encode and write a piece. The caller passes all pieces of the plan, in order. In-degrees are
 * counted and written with their band. MR_ERROR_INPUT when an in-degree exceeds 2^32 - 1. */
enum mr_status mr_band_pipeline_piece(struct mr_band_pipeline *pipeline,
                                      const struct mr_edge_plan *plan,
                                      const struct mr_sorted_piece *sorted,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
