/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes the tiles of one band into sealed blocks. Several writers may work at once on different
 * bands; the cuts between blocks depend only on the tiles. */
#ifndef MR_ENGINE_WRITER_BAND_WRITER_H
#define MR_ENGINE_WRITER_BAND_WRITER_H

#include "engine/base/context.h"
#include "engine/base/format.h"
#include "engine/store/store.h"

struct mr_band_writer;

struct mr_band_shape {
    uint64_t graph_id;
    unsigned band_bits, stripe_bits;
    uint64_t n_vertices;
    int zstd_level;
    enum mr_encoding encoding;
    uint32_t n_classes; /* of the store; 0 means 1 */
    uint32_t link_class; /* the class of all edges that this writer gets */
    bool has_weights; /* the store also has a weighted set, which has a shape of its own */
    uint64_t weights_graph_id; /* graph id of the weighted set */
    bool is_weighted; /* every key has a weight */
};

/* The shape of the weighted set of a store with has_weights. */
static inline struct mr_band_shape mr_band_shape_weighted(const struct mr_band_shape *shape)
{
    struct mr_band_shape weighted = *shape;
    weighted.graph_id = shape->weights_graph_id;
    weighted.encoding = MR_ENCODING_KEYS;
    weighted.n_classes = 1;
    weighted.link_class = 0;
    weighted.has_weights = false;
    weighted.is_weighted = true;
    return weighted;
}

enum mr_status mr_band_writer_create(const struct mr_context *context,
                                     const struct mr_band_shape *shape, struct mr_band_writer **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_band_writer_destroy(struct mr_band_writer *writer);

/* Begins band `band` and forgets all earlier content. */
void mr_band_writer_begin(struct mr_band_writer *writer, uint32_t band);

/* Adds keys (local source << band_bits | local target, ascending) of the tile of `stripe`. Stripes
 * ascend, but all diagonal stripes come last, also ascending. Several calls may add to one tile if
 * keys go on ascending. */
enum mr_status mr_band_writer_add(struct mr_band_writer *writer, uint32_t stripe,
                                  const uint32_t *keys, size_t n_keys,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* The same for a writer with is_weighted. `weights` [n_keys] of the keys are above 0 and finite. */
enum mr_status mr_band_writer_add_weighted(struct mr_band_writer *writer, uint32_t stripe,
                                           const uint32_t *keys, const float *weights,
                                           size_t n_keys, struct mr_error *err) MR_WARN_UNUSED;

/* Seals the last block: the band is complete. */
enum mr_status mr_band_writer_end(struct mr_band_writer *writer,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* The capacity for sealed blocks, in bytes, that follows a capacity of `bytes`. */
static inline uint64_t mr_band_writer_next_capacity(uint64_t bytes)
{
    return bytes + bytes / 2 + 2 * (uint64_t)MR_BLOCK_MAX_BYTES;
}

/* Bytes of the sealed blocks that mr_store_writer_add_blocks has not taken. */
uint64_t mr_band_writer_pending_bytes(const struct mr_band_writer *writer);

#endif
