/* The links of a store as one list per target: its sources, ascending, targets in order. Of a
 * transposed store these are the out-links of every vertex of the original, which is what formats of
 * adjacency lists want.
 *
 * A band is read once to count and once to fill, more often where its lists do not fit into memory
 * together. */
#ifndef MR_ENGINE_SCAN_LISTS_H
#define MR_ENGINE_SCAN_LISTS_H

#include "engine/store/store.h"

/* `sources[n_sources]`, valid during the call. Called for every vertex, in order, from one thread;
 * stops on an error status. */
typedef enum mr_status (*mr_lists_callback)(void *data, uint32_t target, const uint32_t *sources,
                                            size_t n_sources, struct mr_error *err);

/* Memory: 4 bytes a link for the lists of as many targets of a band as a half of what is available
 * holds, of one at the least; 16 bytes a vertex of a band. Errors: CORRUPT, BUDGET naming what does
 * not fit, and what the callback returns. Cost: two readings of the links, in the usual case. */
enum mr_status mr_lists_read(const struct mr_context *context, struct mr_store *store,
                             mr_lists_callback callback, void *data,
                             struct mr_error *err) MR_WARN_UNUSED;

/* The same of what mr_store_open_weights opened: 8 bytes a link. */
typedef enum mr_status (*mr_weighted_lists_callback)(void *data, uint32_t target,
                                                     const uint32_t *sources, const float *weights,
                                                     size_t n_sources, struct mr_error *err);
enum mr_status mr_lists_read_weighted(const struct mr_context *context, struct mr_store *weighted,
                                      mr_weighted_lists_callback callback, void *data,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* The same with at most `most_links` links in memory, or one list: for tests. */
enum mr_status mr_lists_read_within(const struct mr_context *context, struct mr_store *store,
                                    uint64_t most_links, mr_lists_callback callback, void *data,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
