/* SPDX-License-Identifier: Apache-2.0 */
/* What band_writer.c fills and store_writer.c takes. Internal to them. */
#ifndef MR_ENGINE_WRITER_BAND_WRITER_INTERNAL_H
#define MR_ENGINE_WRITER_BAND_WRITER_INTERNAL_H

#include "engine/store/block.h"
#include "engine/tile/corners_encode.h"
#include "engine/tile/tile.h"
#include "engine/writer/band_writer.h"

/* A tile part is first encoded into `stream`, because its header contains its size in bytes. If a
 * tile does not fit the block, it goes on in the next block as another tile part with its own
 * header.
 *
 * Corners need all edges of a part at once. Edges wait until the tile is complete or
 * MR_CORNERS_LINKS_MAX of them wait; these make a part, however the calls were divided. If keys are
 * better for a part, they are appended to the keys before them, so that a tile of keys alone has no
 * extra parts. */
struct mr_band_writer {
    const struct mr_context *context;
    struct mr_band_shape shape;
    struct mr_block_codec *codec;
    uint32_t band;
    bool is_complete;

    /* The block that is filled. */
    uint8_t *raw; /* [MR_BLOCK_RAW_MAX_BYTES + MR_LEB_MAX_BYTES] */
    uint32_t raw_bytes;
    uint32_t first_stripe, last_stripe;
    uint64_t n_entries;
    bool is_diagonal;
    uint64_t n_sealed; /* blocks already sealed in this band */

    /* The tile part that is filled. Its header is written when it is closed. */
    uint8_t *stream; /* [MR_BLOCK_RAW_MAX_BYTES + MR_LEB_MAX_BYTES] */
    uint32_t stream_bytes;
    uint64_t n_keys;
    uint32_t stripe;
    uint32_t previous;
    bool tile_is_open;

    /* The weights of the tile part, if there are any; all have the same size. */
    uint8_t *weights; /* [MR_BLOCK_RAW_MAX_BYTES] */
    uint32_t weights_bytes;
    enum mr_tile_encoding encoding;

    /* Edges of the tile of `waiting_stripe` whose encoding is not chosen yet. */
    struct mr_corners_encoder *encoder; /* NULL: all edges become keys */
    uint32_t *waiting; /* [MR_CORNERS_LINKS_MAX] */
    uint32_t n_waiting;
    uint32_t waiting_stripe;

    uint8_t *sealed; /* blocks for mr_store_writer_take */
    uint64_t sealed_bytes, sealed_capacity;
    struct mr_block_entry *blocks; /* their offsets are in `sealed` */
    uint64_t n_blocks, block_capacity; /* in entries */
    struct mr_links_part figures; /* those of tiles */
    uint64_t byte_edges;
};

/* Is the tile of `stripe` diagonal: are its sources the band's vertices? */
static inline bool mr_band_writer_is_diagonal(const struct mr_band_writer *writer, uint32_t stripe)
{
    return stripe >> (writer->shape.band_bits - writer->shape.stripe_bits) == writer->band;
}

void mr_band_writer_forget(struct mr_band_writer *writer);

#endif
