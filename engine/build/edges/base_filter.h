/* SPDX-License-Identifier: Apache-2.0 */
/* Removes edges that a store has already from sorted edges. Internal to the builder. */
#ifndef MR_ENGINE_BUILD_EDGES_BASE_FILTER_H
#define MR_ENGINE_BUILD_EDGES_BASE_FILTER_H

#include "engine/base/sort.h"
#include "engine/build/edges/edge_grid.h"
#include "engine/store/store.h"

struct mr_base_filter;

/* Create a filter for context->threads threads; about 3 MiB for each. The store has the band and
 * stripe bits of the grid, and outlives the filter. Destroy takes NULL. */
enum mr_status mr_base_filter_create(const struct mr_context *context, struct mr_store *store,
                                     struct mr_base_filter **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_base_filter_destroy(struct mr_base_filter *filter);

/* Remove keys, in place, from `runs`[*n_runs]: the sorted tiles of one band by ascending order (see
 * edge_grid.h). `keys` holds their keys one after the other. Tiles that become empty are removed
 * too. `flags` has room for one byte per key. Reads the blocks of the band that have one of the
 * stripes, each once. `thread` is below context->threads; one call at a time for each. Errors:
 * CORRUPT. */
enum mr_status mr_base_filter_apply(struct mr_base_filter *filter, unsigned thread,
                                    const struct mr_edge_grid *grid, uint32_t band,
                                    struct mr_tile_run *runs, uint32_t *n_runs, uint32_t *keys,
                                    uint8_t *flags, struct mr_error *err) MR_WARN_UNUSED;

#endif
