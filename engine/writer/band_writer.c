/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding the sorted edges of one band into sealed blocks. The builder's threads each feed a band
 * writer, and store_writer.c takes the blocks. The cuts between blocks depend on the tiles only, so
 * a store does not depend on threads. */
#include "engine/writer/band_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/store/block.h"
#include "engine/tile/corners_encode.h"
#include "engine/tile/keys.h"
#include "engine/writer/internal.h"

enum mr_status mr_band_writer_create(const struct mr_context *context,
                                     const struct mr_band_shape *shape, struct mr_band_writer **out,
                                     struct mr_error *err)
{
    const uint64_t buffer_bytes = MR_BLOCK_RAW_MAX_BYTES + MR_LEB_MAX_BYTES;
    struct mr_band_writer *writer = calloc(1, sizeof *writer);

    *out = writer;
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a band writer");
    }
    writer->context = context;
    writer->shape = *shape;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("block buffer", buffer_bytes, &writer->raw),
        MR_WANTED("block buffer", buffer_bytes, &writer->stream),
        MR_WANTED("block buffer", shape->is_weighted ? MR_BLOCK_RAW_MAX_BYTES : 0,
                  &writer->weights),
    };
    enum mr_status status =
        mr_block_codec_create(context->memory, shape->zstd_level, &writer->codec, err);
    if (status == MR_OK) {
        status = mr_memory_arrays(context->memory, arrays, err);
    }
    if (status == MR_OK && shape->encoding != MR_ENCODING_KEYS) {
        const struct mr_corners_shape corners = {.band_bits = shape->band_bits,
                                                 .stripe_bits = shape->stripe_bits};
        status = mr_corners_encoder_create(context, &corners, &writer->encoder, err);
        if (status == MR_OK) {
            status = mr_memory_array(context->memory, "corner tiles", MR_CORNERS_LINKS_MAX,
                                     &writer->waiting, err);
        }
    }
    return status;
}

void mr_band_writer_destroy(struct mr_band_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    struct mr_memory *memory = writer->context->memory;
    mr_memory_free(memory, writer->blocks);
    mr_memory_free(memory, writer->sealed);
    mr_memory_free(memory, writer->waiting);
    mr_corners_encoder_destroy(writer->encoder);
    mr_memory_free(memory, writer->weights);
    mr_memory_free(memory, writer->stream);
    mr_memory_free(memory, writer->raw);
    mr_block_codec_destroy(writer->codec);
    free(writer);
}

void mr_band_writer_begin(struct mr_band_writer *writer, uint32_t band)
{
    writer->band = band;
    writer->is_complete = false;
    writer->raw_bytes = 0;
    writer->n_entries = 0;
    writer->is_diagonal = false;
    writer->n_sealed = 0;
    writer->tile_is_open = false;
    writer->weights_bytes = 0;
    writer->encoding = MR_TILE_KEYS;
    writer->n_waiting = 0;
    mr_band_writer_forget(writer);
}

static enum mr_status grow(struct mr_band_writer *writer, struct mr_error *err)
{
    if (writer->sealed_capacity - writer->sealed_bytes < MR_BLOCK_MAX_BYTES) {
        uint64_t capacity = mr_band_writer_next_capacity(writer->sealed_capacity);
        enum mr_status status = mr_memory_resize(writer->context->memory, "encoded blocks",
                                                 &writer->sealed, capacity, err);
        if (status != MR_OK) {
            return status;
        }
        writer->sealed_capacity = capacity;
    }
    return mr_memory_grow(writer->context->memory, "encoded blocks", writer->n_blocks + 1,
                          &writer->blocks, &writer->block_capacity, err);
}

static enum mr_status seal(struct mr_band_writer *writer, struct mr_error *err)
{
    if (writer->raw_bytes == 0) {
        return MR_OK;
    }
    enum mr_status status = grow(writer, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_block_header header = {
        .kind = MR_BLOCK_LINKS,
        .graph_id = writer->shape.graph_id,
        .band = writer->band,
        .first = writer->first_stripe,
        .last = writer->last_stripe,
        .n_entries = writer->n_entries,
        .number = writer->n_sealed,
    };
    status = mr_block_seal(writer->codec, &header, writer->raw, writer->raw_bytes, MR_BLOCK_ALIGN,
                           writer->sealed + writer->sealed_bytes, err);
    if (status != MR_OK) {
        return status;
    }
    writer->blocks[writer->n_blocks++] = mr_block_entry_of(&header, writer->sealed_bytes);
    writer->sealed_bytes += header.stored_bytes;
    writer->n_sealed++;
    writer->raw_bytes = 0;
    writer->n_entries = 0;
    return MR_OK;
}

/* Puts a finished part of the open tile into the block, which has room for it. */
static void put_part(struct mr_band_writer *writer, enum mr_tile_encoding encoding,
                     uint64_t n_links)
{
    if (writer->raw_bytes == 0) {
        writer->first_stripe = writer->last_stripe = writer->stripe;
    }
    if (writer->stripe < writer->first_stripe) {
        writer->first_stripe = writer->stripe;
    }
    if (writer->stripe > writer->last_stripe) {
        writer->last_stripe = writer->stripe;
    }
    uint8_t *out = writer->raw + writer->raw_bytes;
    out = mr_leb_put(out, writer->stripe);
    out = mr_leb_put(out, encoding);
    out = mr_leb_put(out, n_links);
    out = mr_leb_put(out, writer->stream_bytes + writer->weights_bytes);
    memcpy(out, writer->stream, writer->stream_bytes);
    out += writer->stream_bytes;
    if (writer->weights_bytes > 0) {
        memcpy(out, writer->weights, writer->weights_bytes);
        out += writer->weights_bytes;
        writer->weights_bytes = 0;
    }
    writer->raw_bytes = (uint32_t)(out - writer->raw);
    writer->n_entries += n_links;
    writer->stream_bytes = 0;
    writer->n_keys = 0;
    writer->previous = 0;
}

/* Writes the header of the open part of keys and moves the part into the block. room() left space
 * for it. */
static void close_part(struct mr_band_writer *writer)
{
    if (writer->tile_is_open && writer->n_keys > 0) {
        writer->figures.keys_edges += writer->n_keys;
        writer->figures.keys_bytes += writer->stream_bytes + writer->weights_bytes;
        writer->byte_edges += writer->encoding == MR_TILE_BYTE_WEIGHTS ? writer->n_keys : 0;
        put_part(writer, writer->encoding, writer->n_keys);
    }
}

/* Bytes that the open part may still grow before its block is full, with the largest possible
 * header. */
static uint32_t room(const struct mr_band_writer *writer)
{
    uint32_t taken =
        writer->raw_bytes + MR_TILE_HEADER_MAX_BYTES + writer->stream_bytes + writer->weights_bytes;
    return taken >= MR_BLOCK_RAW_MAX_BYTES ? 0 : MR_BLOCK_RAW_MAX_BYTES - taken;
}

static enum mr_status open_tile(struct mr_band_writer *writer, uint32_t stripe,
                                struct mr_error *err)
{
    close_part(writer);
    bool is_diagonal = mr_band_writer_is_diagonal(writer, stripe);
    enum mr_status status = MR_OK;
    if (is_diagonal != writer->is_diagonal) { /* a diagonal tile begins a new block */
        status = seal(writer, err);
    }
    writer->is_diagonal = is_diagonal;
    writer->stripe = stripe;
    writer->tile_is_open = true;
    writer->n_keys = 0;
    writer->stream_bytes = 0;
    writer->weights_bytes = 0;
    writer->previous = 0;
    writer->figures.n_tiles++;
    writer->figures.keys_tiles++;
    return status;
}

static bool is_open(const struct mr_band_writer *writer, uint32_t stripe)
{
    return writer->tile_is_open && writer->stripe == stripe;
}

static size_t weight_bytes(enum mr_tile_encoding encoding)
{
    return encoding == MR_TILE_BYTE_WEIGHTS ? 1 : encoding == MR_TILE_FLOAT_WEIGHTS ? 4 : 0;
}

static void put_weights(struct mr_band_writer *writer, const float *weights, size_t n)
{
    uint8_t *out = writer->weights + writer->weights_bytes;
    if (writer->encoding == MR_TILE_BYTE_WEIGHTS) {
        for (size_t i = 0; i < n; i++) {
            out[i] = (uint8_t)weights[i];
        }
        writer->weights_bytes += (uint32_t)n;
    } else {
        for (size_t i = 0; i < n; i++) {
            mr_put_f32(out + 4 * i, weights[i]);
        }
        writer->weights_bytes += (uint32_t)(4 * n);
    }
}

/* Appends keys to the open part, and continues in another block when this one is full. `weights` is
 * NULL if there are none. */
static enum mr_status append_keys(struct mr_band_writer *writer, const uint32_t *keys,
                                  const float *weights, size_t n_keys, struct mr_error *err)
{
    /* The largest size that one edge can take. */
    const size_t each = MR_LEB_MAX_BYTES + weight_bytes(writer->encoding);
    enum mr_status status = MR_OK;

    while (n_keys > 0 && status == MR_OK) {
        size_t fit = room(writer) / each;
        if (fit == 0) {
            close_part(writer);
            status = seal(writer, err);
            continue;
        }
        if (fit > n_keys) {
            fit = n_keys;
        }
        uint8_t *end =
            mr_keys_encode(keys, fit, writer->previous, writer->stream + writer->stream_bytes);
        writer->stream_bytes = (uint32_t)(end - writer->stream);
        if (weights != NULL) {
            put_weights(writer, weights, fit);
            weights += fit;
        }
        writer->n_keys += fit;
        writer->previous = keys[fit - 1];
        keys += fit;
        n_keys -= fit;
    }
    return status;
}

static enum mr_status add_keys(struct mr_band_writer *writer, uint32_t stripe, const uint32_t *keys,
                               size_t n_keys, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (n_keys > 0 && !is_open(writer, stripe)) {
        status = open_tile(writer, stripe, err);
    } else if (n_keys > 0 && writer->n_keys == 0 && writer->raw_bytes > 0) {
        /* a part of corners came before, and a block has only one part of a tile */
        status = seal(writer, err);
    }
    return status == MR_OK ? append_keys(writer, keys, NULL, n_keys, err) : status;
}

/* Adds a part of corners, which is in the encoder's memory. */
static enum mr_status add_corners(struct mr_band_writer *writer, uint32_t stripe, uint32_t n_links,
                                  const struct mr_corners_part *part, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (!is_open(writer, stripe)) {
        status = open_tile(writer, stripe, err);
        writer->figures.corners.tiles++;
        writer->figures.keys_tiles--;
    } else {
        close_part(writer);
        status = seal(writer, err);
    }
    if (status == MR_OK && room(writer) < part->n_bytes) {
        status = seal(writer, err);
    }
    if (status != MR_OK) {
        return status;
    }
    memcpy(writer->stream, part->bytes, part->n_bytes);
    writer->stream_bytes = part->n_bytes;
    writer->figures.corners.edges += n_links;
    writer->figures.corners.bytes += part->n_bytes;
    writer->figures.corners.parts++;
    writer->figures.corners.entries += part->n_entries;
    writer->figures.corners.rows += part->n_rows;
    put_part(writer, MR_TILE_CORNERS, n_links);
    return MR_OK;
}

/* Chooses the encoding of consecutive edges of a tile; halves them if corners do not fit a
 * block. */
static enum mr_status add_links(struct mr_band_writer *writer, uint32_t stripe,
                                const uint32_t *keys, uint32_t n_keys, struct mr_error *err)
{
    struct mr_corners_part part;
    switch (mr_corners_encode(writer->encoder, keys, n_keys,
                              writer->shape.encoding == MR_ENCODING_CORNERS, &part)) {
    case MR_CORNERS_DONE:
        return add_corners(writer, stripe, n_keys, &part, err);
    case MR_CORNERS_SLOWER:
        return add_keys(writer, stripe, keys, n_keys, err);
    case MR_CORNERS_TOO_LARGE:
        break;
    }
    const uint32_t half = n_keys / 2;
    enum mr_status status = add_links(writer, stripe, keys, half, err);
    return status == MR_OK ? add_links(writer, stripe, keys + half, n_keys - half, err) : status;
}

static enum mr_status flush_waiting(struct mr_band_writer *writer, struct mr_error *err)
{
    const uint32_t n_keys = writer->n_waiting;
    writer->n_waiting = 0;
    return n_keys == 0 ? MR_OK
                       : add_links(writer, writer->waiting_stripe, writer->waiting, n_keys, err);
}

enum mr_status mr_band_writer_add(struct mr_band_writer *writer, uint32_t stripe,
                                  const uint32_t *keys, size_t n_keys, struct mr_error *err)
{
    assert(!writer->is_complete);
    if (writer->encoder == NULL) {
        return add_keys(writer, stripe, keys, n_keys, err);
    }
    enum mr_status status = MR_OK;
    if (n_keys > 0 && writer->waiting_stripe != stripe) {
        status = flush_waiting(writer, err);
        writer->waiting_stripe = stripe;
    }
    while (n_keys > 0 && status == MR_OK) {
        const size_t left = MR_CORNERS_LINKS_MAX - writer->n_waiting;
        const size_t n = n_keys < left ? n_keys : left;
        memcpy(writer->waiting + writer->n_waiting, keys, n * sizeof *keys);
        writer->n_waiting += (uint32_t)n;
        keys += n;
        n_keys -= n;
        if (writer->n_waiting == MR_CORNERS_LINKS_MAX) {
            status = flush_waiting(writer, err);
        }
    }
    return status;
}

/* True if each weight is a whole number from 1 to 255. */
static bool fit_bytes(const float *weights, size_t n)
{
    bool fit = true;
    for (size_t i = 0; i < n; i++) {
        fit &= weights[i] >= 1 && weights[i] <= 255 && (float)(uint8_t)weights[i] == weights[i];
    }
    return fit;
}

/* Chooses the size of weights once per call. The builder's calls depend on the edges alone, so the
 * bytes do, too. */
enum mr_status mr_band_writer_add_weighted(struct mr_band_writer *writer, uint32_t stripe,
                                           const uint32_t *keys, const float *weights,
                                           size_t n_keys, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    assert(!writer->is_complete && writer->shape.is_weighted);
    if (n_keys == 0) {
        return MR_OK;
    }
    const bool is_bytes = fit_bytes(weights, n_keys);
    const enum mr_tile_encoding encoding = is_bytes ? MR_TILE_BYTE_WEIGHTS : MR_TILE_FLOAT_WEIGHTS;
    if (!is_open(writer, stripe)) {
        status = open_tile(writer, stripe, err);
    } else if (encoding != writer->encoding) { /* a block has only one part of a tile */
        close_part(writer);
        status = seal(writer, err);
    }
    writer->encoding = encoding;
    return status == MR_OK ? append_keys(writer, keys, weights, n_keys, err) : status;
}

enum mr_status mr_band_writer_end(struct mr_band_writer *writer, struct mr_error *err)
{
    enum mr_status status = flush_waiting(writer, err);
    close_part(writer);
    writer->tile_is_open = false;
    if (status == MR_OK) {
        status = seal(writer, err);
    }
    writer->is_complete = status == MR_OK;
    return status;
}

uint64_t mr_band_writer_pending_bytes(const struct mr_band_writer *writer)
{
    return writer->sealed_bytes;
}

void mr_band_writer_forget(struct mr_band_writer *writer)
{
    writer->sealed_bytes = 0;
    writer->n_blocks = 0;
    writer->figures = (struct mr_links_part){0};
    writer->byte_edges = 0;
}
