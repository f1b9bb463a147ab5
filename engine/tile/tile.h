/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles of an opened block of edges, one after the other. Nothing that comes from disk is
 * trusted.
 *
 *     payload = tile*      tile = stripe, encoding, entries, data bytes (LEB128 each), data
 *
 * A block has at most one tile of a stripe, and its stripes ascend. A tile that is cut over two
 * blocks appears again in the next one; each part of it is decoded by itself. The pass,
 * mr_edges_read and mr_check all use this cursor, so that one place checks hostile headers. Layout:
 * docs/store-format.md, "Tiles". */
#ifndef MR_ENGINE_TILE_TILE_H
#define MR_ENGINE_TILE_TILE_H

#include "engine/base/bytes.h"
#include "engine/store/block.h"
#include "engine/store/store.h"
#include "engine/tile/keys.h"

_Static_assert(MR_BLOCK_SLACK_BYTES >= MR_KEYS_SLACK_BYTES, "tiles are decoded in their block");

struct mr_tile {
    uint32_t stripe; /* sources [stripe << stripe_bits, (stripe + 1) << stripe_bits) */
    uint32_t encoding; /* enum mr_tile_encoding, always a known one */
    uint32_t n_entries; /* edges, at least 1; 0: there is no further tile */
    uint32_t data_bytes; /* the caller checks that the decoder ends exactly at data + data_bytes */
    const uint8_t *data; /* into the block's payload */
};

/* Tiles in memory are decoded once and applied many times. A struct mr_decoded_head of 16 bytes
 * takes the place of each tile's header. A tile of keys becomes MR_TILE_DECODED: n_entries keys of
 * 4 bytes in the machine's byte order. data_bytes stays that of the tile in the file. Each tile
 * takes mr_tile_decoded_bytes. */
#define MR_TILE_DECODED 256u /* no tile of a file has it: mr_tile_next refuses it there */

static inline bool mr_tile_is_decoded(uint32_t encoding)
{
    return encoding >= MR_TILE_DECODED;
}

struct mr_decoded_head {
    uint32_t stripe, encoding, n_entries, data_bytes;
};

static inline uint64_t mr_tile_decoded_bytes(uint32_t encoding, uint32_t n_entries,
                                             uint32_t data_bytes)
{
    const uint64_t bytes = mr_tile_is_decoded(encoding) ? n_entries * sizeof(uint32_t) : data_bytes;
    return sizeof(struct mr_decoded_head) + mr_round_up(bytes, sizeof(struct mr_decoded_head));
}

/* Plain data without ownership; the payload and `path` outlive it. One per thread. */
struct mr_tile_cursor {
    const uint8_t *at, *begin, *end;
    uint64_t entries_left; /* entries that the block's header states and no tile has brought yet */
    uint32_t lowest; /* the next tile's stripe is at least this */
    uint32_t first, last; /* as the header says; `last` is below n_stripes */
    bool bad_range; /* first..last is no range of stripes */
    bool is_weighted; /* all tiles have weights; else none has */
    /* [at, end) holds mr_decoded_head and data, which Millrace made itself and trusts */
    bool is_decoded;
    const char *path; /* for errors: the file, and the block's offset in it */
    uint64_t offset;
};

/* Number of stripes that cover the sources of a store. */
static inline uint64_t mr_tile_stripes(const struct mr_store_info *info)
{
    return mr_div_up(info->n_vertices, (uint64_t)1 << info->stripe_bits);
}

/* Begin with the payload `raw[header->raw_bytes]` of a block that mr_block_open opened.
 * mr_tile_next checks that the first tile has stripe header->first, the last one has stripe
 * header->last, and their entries add up to header->n_entries. */
static inline void mr_tile_cursor_init(struct mr_tile_cursor *cursor,
                                       const struct mr_store_info *info,
                                       const struct mr_block_header *header, const uint8_t *raw,
                                       const char *path, uint64_t offset)
{
    cursor->begin = cursor->at = raw;
    cursor->end = raw + header->raw_bytes;
    cursor->entries_left = header->n_entries;
    cursor->lowest = cursor->first = header->first;
    cursor->last = header->last;
    cursor->bad_range = header->first > header->last || header->last >= mr_tile_stripes(info);
    cursor->is_weighted = info->is_weighted;
    cursor->is_decoded = false;
    cursor->path = path;
    cursor->offset = offset;
}

/* Begin with decoded tiles, `n_bytes` bytes at `decoded`. */
static inline void mr_tile_cursor_init_decoded(struct mr_tile_cursor *cursor,
                                               const uint8_t *decoded, uint64_t n_bytes,
                                               const char *path, uint64_t offset)
{
    *cursor = (struct mr_tile_cursor){.begin = decoded,
                                      .at = decoded,
                                      .end = decoded + n_bytes,
                                      .is_decoded = true,
                                      .path = path,
                                      .offset = offset};
}

static inline void mr_tile_next_decoded(struct mr_tile_cursor *cursor, struct mr_tile *tile)
{
    if (cursor->at == cursor->end) {
        tile->n_entries = 0;
        return;
    }
    const struct mr_decoded_head *head = (const struct mr_decoded_head *)cursor->at;
    *tile = (struct mr_tile){.stripe = head->stripe,
                             .encoding = head->encoding,
                             .n_entries = head->n_entries,
                             .data_bytes = head->data_bytes,
                             .data = (const uint8_t *)(head + 1)};
    cursor->at += mr_tile_decoded_bytes(head->encoding, head->n_entries, head->data_bytes);
}

/* The rare paths of mr_tile_next, out of line: the end of the block, and an error. */
enum mr_status mr_tile_stop(const struct mr_tile_cursor *cursor, struct mr_tile *tile,
                            struct mr_error *err) MR_WARN_UNUSED;

/* Read one LEB128 number below 2^32. Returns the position after it, or NULL. */
static inline const uint8_t *mr_tile_number(const uint8_t *in, const uint8_t *end, uint32_t *value)
{
    uint32_t result = 0;

    for (unsigned shift = 0; shift < 35 && in != end; shift += 7) {
        uint32_t byte = *in++;

        if (shift == 28 && byte > 15) {
            return NULL;
        }
        result |= (byte & 127) << shift;
        if (byte < 128) {
            *value = result;
            return in;
        }
    }
    return NULL;
}

/* The most edges that a tile of this encoding and size can have; 0 for an unknown encoding. */
static inline uint32_t mr_tile_most_links(const struct mr_tile *tile)
{
    return tile->encoding == MR_TILE_KEYS            ? tile->data_bytes
           : tile->encoding == MR_TILE_CORNERS       ? MR_CORNERS_LINKS_MAX
           : tile->encoding == MR_TILE_BYTE_WEIGHTS  ? tile->data_bytes / 2
           : tile->encoding == MR_TILE_FLOAT_WEIGHTS ? tile->data_bytes / 5
                                                     : 0;
}

/* Bytes of one weight at the end of a tile's data: one or four; 0 when the tile has no weights. */
static inline uint32_t mr_tile_weight_bytes(uint32_t encoding)
{
    return encoding == MR_TILE_BYTE_WEIGHTS ? 1 : encoding == MR_TILE_FLOAT_WEIGHTS ? 4 : 0;
}

static inline bool mr_tile_is_weighted(uint32_t encoding)
{
    return encoding >= MR_TILE_BYTE_WEIGHTS;
}

/* The end of the keys of a tile of keys; its weights, if it has some, begin there. */
static inline const uint8_t *mr_tile_keys_end(const struct mr_tile *tile)
{
    return tile->data + tile->data_bytes -
           (size_t)tile->n_entries * mr_tile_weight_bytes(tile->encoding);
}

/* The next tile, or tile->n_entries 0 past the last one. Errors: CORRUPT at the block's offset,
 * with the position in the payload in the message. O(1), no allocation. */
static inline MR_WARN_UNUSED enum mr_status mr_tile_next(struct mr_tile_cursor *cursor,
                                                         struct mr_tile *tile, struct mr_error *err)
{
    const uint8_t *at = cursor->at, *end = cursor->end;

    if (cursor->is_decoded) {
        mr_tile_next_decoded(cursor, tile);
        return MR_OK;
    }
    if (at == end || cursor->bad_range || (at = mr_tile_number(at, end, &tile->stripe)) == NULL ||
        (at = mr_tile_number(at, end, &tile->encoding)) == NULL ||
        (at = mr_tile_number(at, end, &tile->n_entries)) == NULL ||
        (at = mr_tile_number(at, end, &tile->data_bytes)) == NULL ||
        tile->stripe < cursor->lowest || tile->stripe > cursor->last ||
        (cursor->at == cursor->begin && tile->stripe != cursor->first) ||
        mr_tile_is_weighted(tile->encoding) != cursor->is_weighted ||
        tile->n_entries - 1 >= mr_tile_most_links(tile) ||
        tile->data_bytes > (uint64_t)(end - at) || tile->n_entries > cursor->entries_left) {
        return mr_tile_stop(cursor, tile, err);
    }
    tile->data = at;
    cursor->at = at + tile->data_bytes;
    cursor->entries_left -= tile->n_entries;
    cursor->lowest = tile->stripe + 1; /* below 2^24 + 1: stripes have at least 8 bits */
    return MR_OK;
}

#endif
