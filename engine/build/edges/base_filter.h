/* Drops from sorted edges those that a store has already. Internal to the builder. */
#ifndef MR_ENGINE_BUILD_EDGES_BASE_FILTER_H
#define MR_ENGINE_BUILD_EDGES_BASE_FILTER_H

#include "engine/base/sort.h"
#include "engine/build/edges/edge_grid.h"
#include "engine/store/store.h"

struct mr_base_filter;

/* For context->threads threads, about 3 MiB each. The store has the bits of the grid that will be given, and
 * outlives the filter. Destroy takes NULL. */
enum mr_status mr_base_filter_create(const struct mr_context *context, struct mr_store *store,
                                     struct mr_base_filter **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_base_filter_destroy(struct mr_base_filter *filter);

/* Drop keys, in place, from `runs`[*n_runs], the sorted tiles of one band by ascending order (see
 * edge_grid.h), whose `keys` follow each other; tiles that become empty go, too. `flags` has room for a byte
 * a key. Reads the blocks of the band that have one of the stripes, each once. By `thread`, one at a time
 * each. Errors: CORRUPT. */
enum mr_status mr_base_filter_apply(struct mr_base_filter *filter, unsigned thread,
                                    const struct mr_edge_grid *grid, uint32_t band,
                                    struct mr_tile_run *runs, uint32_t *n_runs, uint32_t *keys,
                                    uint8_t *flags, struct mr_error *err) MR_WARN_UNUSED;

#endif
