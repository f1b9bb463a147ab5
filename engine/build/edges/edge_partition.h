/* The way from the spool to a sorter: at once when all edges are one piece, else through a temporary
 * file in which each piece has a range of its own. */
#ifndef MR_ENGINE_BUILD_EDGES_EDGE_PARTITION_H
#define MR_ENGINE_BUILD_EDGES_EDGE_PARTITION_H

#include "engine/build/edges/edge_piece.h"
#include "engine/build/edges/spool_scan.h"

struct mr_edge_partition;

/* Bytes of buffers that loading a piece takes per worker. */
#define MR_EDGE_LOAD_BYTES MR_SPOOL_CHUNK_BYTES

/* All edges are piece 0: fill a sorter, begun with it, from the spool. Its chunks on disk are discarded,
 * those in memory are given to the sorter, mr_edge_given_bytes in all: destroy the spool after it. */
enum mr_status mr_edge_load_spool(const struct mr_context *context,
                                  const struct mr_spool_scan *scan, struct mr_edge_sorter *sorter,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* What a sorter may count on of the spool's memory, and a little less, since what a worker has read is
 * given only after it was added. */
uint64_t mr_edge_given_bytes(const struct mr_spool_scan *scan, const struct mr_edge_plan *plan);

/* Temporary disk that the partition of `n_edges` edges takes beyond what the spool gives back while
 * it is read. */
uint64_t mr_edge_partition_bytes(const struct mr_spool_scan *scan, uint64_t n_edges,
                                 bool has_weights);

/* Distribute the spool, which is discarded, over the plan's pieces. `directory`, `stem` and `use` as
 * in scratch_file.h; the plan outlives the result. Buffers take half of what memory is left. Destroy
 * takes NULL. */
enum mr_status mr_edge_partition_create(const struct mr_context *context, const char *directory,
                                        const char *stem, const struct mr_spool_scan *scan,
                                        const struct mr_edge_plan *plan, struct mr_scratch_use *use,
                                        struct mr_edge_partition **out,
                                        struct mr_error *err) MR_WARN_UNUSED;
void mr_edge_partition_destroy(struct mr_edge_partition *partition);

/* Fill a sorter, begun with piece `index`, and discard the piece's range. */
enum mr_status mr_edge_partition_load(struct mr_edge_partition *partition, uint64_t index,
                                      struct mr_edge_sorter *sorter,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
