/* SPDX-License-Identifier: Apache-2.0 */
/* The edges of a store as one list per target: its sources, ascending; targets in order. In a
 * transposed store these are the out-edges of each vertex of the original, which formats of
 * adjacency lists need.
 *
 * Each band is read once to count and once to fill; more often if its lists do not fit in memory
 * together. */
#ifndef MR_ENGINE_SCAN_LISTS_H
#define MR_ENGINE_SCAN_LISTS_H

#include "engine/store/store.h"

/* `sources[n_sources]` is valid during the call. Called for every vertex, in order, from one
 * thread. An error status ends the reading. */
typedef enum mr_status (*mr_lists_callback)(void *data, uint32_t target, const uint32_t *sources,
                                            size_t n_sources, struct mr_error *err);

/* In the order of vertices; or, `by_position`, in that of positions (engine/names/names.h), with
 * positions instead of vertices. The store has no order of its own, or its core first: then the
 * core and the frontier are two runs of ascending positions, which are merged as they are read.
 *
 * Memory: 4 bytes per edge for the lists of at least one target, and of as many targets of a band
 * as fit in half of the memory available, beside the reader of the store, but at most `most_links`
 * edges; 16 bytes per vertex of a band. By position, if the core is first: two lists, 4 bytes per
 * vertex, and 32 per vertex of a band. Errors: CORRUPT; BUDGET, naming what does not fit; errors of
 * the callback. Cost: usually two readings of the edges; the band in which the core ends is read
 * twice. */
enum mr_status mr_lists_read(const struct mr_context *context, struct mr_store *store,
                             bool by_position, uint64_t most_links, mr_lists_callback callback,
                             void *data, struct mr_error *err) MR_WARN_UNUSED;

#endif
