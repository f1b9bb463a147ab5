/* SPDX-License-Identifier: Apache-2.0 */
/* Moves edges from the spool to a sorter: directly if all edges are one piece, else through a
 * temporary file where each piece has its own range. */
#ifndef MR_ENGINE_BUILDER_EDGES_EDGE_PARTITION_H
#define MR_ENGINE_BUILDER_EDGES_EDGE_PARTITION_H

#include "engine/builder/edges/edge_piece.h"
#include "engine/builder/edges/spool_scan.h"

struct mr_edge_partition;

/* Bytes of buffers that each worker needs to load a piece. */
#define MR_EDGE_LOAD_BYTES MR_SPOOL_CHUNK_BYTES

/* Load all edges, which are piece 0, from the spool into a sorter that was begun with that piece.
 * Discards the spool's chunks on disk and gives those in memory to the sorter (at least
 * mr_edge_given_bytes in all). So destroy the sorter before the spool. */
enum mr_status mr_edge_load_spool(const struct mr_context *context,
                                  const struct mr_spool_scan *scan, struct mr_edge_sorter *sorter,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Bytes of the spool's memory that a sorter can count on. Slightly less than the total, since a
 * worker gives a chunk away only after it added its edges. */
uint64_t mr_edge_given_bytes(const struct mr_spool_scan *scan, const struct mr_edge_plan *plan);

/* Temporary disk that the partition of `n_edges` edges takes beyond the space that the spool gives
 * back during the scan. */
uint64_t mr_edge_partition_bytes(const struct mr_spool_scan *scan, uint64_t n_edges,
                                 bool has_weights);

/* Distribute the edges of the spool, which is discarded, over the pieces of the plan. `directory`,
 * `stem` and `use` are as in scratch_file.h. The plan outlives the result. Buffers take half of the
 * memory left. Destroy takes NULL. */
enum mr_status mr_edge_partition_create(const struct mr_context *context, const char *directory,
                                        const char *stem, const struct mr_spool_scan *scan,
                                        const struct mr_edge_plan *plan, struct mr_scratch_use *use,
                                        struct mr_edge_partition **out,
                                        struct mr_error *err) MR_WARN_UNUSED;
void mr_edge_partition_destroy(struct mr_edge_partition *partition);

/* Merges the repeated edges of the heavy piece `index` of `plan`, the plan that the partition was
 * made with. `counts` are the counts of the plan, which get the new count of the piece's cell.
 * Takes plan->limit_bytes of memory as "sort buffer"; MR_ERROR_BUDGET if the different edges are
 * too many for it. */
enum mr_status mr_edge_partition_condense(struct mr_edge_partition *partition,
                                          struct mr_edge_plan *plan, uint64_t index,
                                          uint64_t *counts, struct mr_error *err) MR_WARN_UNUSED;

/* Load piece `index` into a sorter that was begun with it, and discard the piece's range of the
 * file. */
enum mr_status mr_edge_partition_load(struct mr_edge_partition *partition, uint64_t index,
                                      struct mr_edge_sorter *sorter,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
