/* SPDX-License-Identifier: Apache-2.0 */
/* All edges of a store as pairs of vertices, in store order: band by band, tile by tile, by source
 * inside a tile. For export, copies and tests; rankings use engine/pass/pass.h. */
#ifndef MR_ENGINE_SCAN_EDGES_H
#define MR_ENGINE_SCAN_EDGES_H

#include "engine/store/store.h"

/* Called from one thread, with up to MR_EDGES_BATCH pairs at a time. An error status ends the
 * reading. */
#define MR_EDGES_BATCH 4096u
typedef enum mr_status (*mr_edges_callback)(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                                            struct mr_error *err);

/* Read all edges once, sequentially. Pairs are (source, target). */
enum mr_status mr_edges_read(const struct mr_context *context, struct mr_store *store,
                             mr_edges_callback callback, void *data,
                             struct mr_error *err) MR_WARN_UNUSED;

/* The same for bands [first_band, first_band + n_bands) only. */
enum mr_status mr_edges_read_bands(const struct mr_context *context, struct mr_store *store,
                                   uint32_t first_band, uint32_t n_bands,
                                   mr_edges_callback callback, void *data,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* The same for a store opened by mr_store_open_weights, with the weight of each edge. */
typedef enum mr_status (*mr_weighted_edges_callback)(void *data, const uint32_t (*pairs)[2],
                                                     const float *weights, size_t n_pairs,
                                                     struct mr_error *err);
enum mr_status mr_edges_read_weighted(const struct mr_context *context, struct mr_store *weighted,
                                      mr_weighted_edges_callback callback, void *data,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Read `weighted`, which mr_store_open_weights opened. If it is NULL, read `store`; then `weights`
 * is NULL. */
enum mr_status mr_edges_read_either(const struct mr_context *context, struct mr_store *store,
                                    struct mr_store *weighted, mr_weighted_edges_callback callback,
                                    void *data, struct mr_error *err) MR_WARN_UNUSED;

/* Part of a store: bands [first_band, end_band), and in these the stripes [first_stripe,
 * end_stripe). */
struct mr_edges_part {
    uint32_t first_band, end_band;
    uint32_t first_stripe, end_stripe;
};

/* Read the edges of a part, in store order. Reads only blocks that may have some. */
enum mr_status mr_edges_read_part(const struct mr_context *context, struct mr_store *store,
                                  const struct mr_edges_part *part, mr_edges_callback callback,
                                  void *data, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_edges_read_weighted_part(const struct mr_context *context,
                                           struct mr_store *weighted,
                                           const struct mr_edges_part *part,
                                           mr_weighted_edges_callback callback, void *data,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* A reader for many readings of a store, which keeps its buffers. One thread at a time uses it. */
struct mr_edges_reader;
struct mr_edges_figures {
    uint64_t blocks_read, blocks_skipped;
    uint64_t bytes_read; /* of the files of edges */
    uint64_t edges; /* in the blocks that were read */
};

/* Memory: mr_edges_reader_memory, at the most. Close takes NULL. */
enum mr_status mr_edges_reader_open(const struct mr_context *context, struct mr_store *store,
                                    struct mr_edges_reader **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_edges_reader_close(struct mr_edges_reader *reader);
uint64_t mr_edges_reader_memory(const struct mr_store_info *info);

/* Read the bands as mr_edges_read_bands does, but only the blocks that may have an edge from an
 * active stripe: active_stripes[s] is 1 for these, else 0 (engine/store/store.h, stripe_bits). A
 * block that is read comes whole, with its edges from other stripes. NULL: all stripes. Adds what
 * was read and what was not to `*figures`. After an error the reader can only be closed. */
enum mr_status mr_edges_reader_read(struct mr_edges_reader *from, uint32_t first_band,
                                    uint32_t n_bands, const uint8_t *active_stripes,
                                    mr_edges_callback pairs, void *data,
                                    struct mr_edges_figures *figures,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
