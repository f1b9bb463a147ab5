/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the blocks of edges of one band for mr_check: keys and tiles are in order and in range. It
 * counts degrees, self-loops and hashes on the way, which check.c compares with the rest of the
 * store. */

#include "engine/base/edge.h"
#include "engine/base/random.h"
#include "engine/io/io.h"
#include "engine/scan/check_internal.h"
#include "engine/tile/tile.h"
#include "engine/tile/weight_kernels.h"

static enum mr_status damaged(const struct mr_checker *check, uint64_t block, const char *what,
                              struct mr_error *err)
{
    const struct mr_block_entry *entry = &mr_store_link_blocks(check->store)[block];

    return mr_error_offset(err, MR_ERROR_CORRUPT,
                           mr_file_path(mr_store_links_location(check->store, entry).file),
                           entry->offset, "%s" MR_CHECK_WAY_OUT, what);
}

/* Does `stripe` lie in the diagonal of `band`? */
static bool is_diagonal(const struct mr_store_info *info, uint32_t band, uint32_t stripe)
{
    return stripe >> (info->band_bits - info->stripe_bits) == band;
}

/* Count edges. Returns a description of what is wrong, or NULL. */
static const char *count_keys(struct mr_checker *check, uint32_t band, uint32_t stripe,
                              const uint32_t *keys, size_t n_keys)
{
    const struct mr_store_info *info = check->info;
    uint32_t first_source = (uint32_t)((uint64_t)stripe << info->stripe_bits);
    uint32_t first_target = (uint32_t)((uint64_t)band << info->band_bits);
    uint64_t n_sources =
        mr_min_u64(info->n_vertices - first_source, (uint64_t)1 << info->stripe_bits);
    uint64_t n_targets = mr_band_vertices(info, band);
    uint32_t mask = (uint32_t)(((uint64_t)1 << info->band_bits) - 1);
    uint32_t step = info->duplicates_kept ? 0 : 1;

    for (size_t i = 0; i < n_keys; i++) {
        uint32_t key = keys[i];
        uint32_t source = key >> info->band_bits, target = key & mask;

        if (check->in_tile && key < (uint64_t)check->last_key + step) {
            return "the keys of a tile do not ascend";
        }
        if (source >= n_sources || target >= n_targets) {
            return "a link leads beyond the pages";
        }
        check->in_tile = true;
        check->last_key = key;
        check->out_degrees[first_source + source]++;
        check->in_degrees[target]++;
        check->n_self_loops += first_source + source == first_target + target;
        check->links_hash +=
            mr_random_mix((uint64_t)(first_source + source) << 32 | (first_target + target));
    }
    return NULL;
}

/* Check the weights of keys that passed count_keys. */
static const char *count_weights(struct mr_checker *check, uint32_t stripe, const uint32_t *keys,
                                 const float *weights, size_t n_keys)
{
    const struct mr_store_info *info = check->info;
    const uint64_t first_source = (uint64_t)stripe << info->stripe_bits;
    const uint32_t mask = (uint32_t)(((uint64_t)1 << info->band_bits) - 1);

    for (size_t i = 0; i < n_keys; i++) {
        const float weight = weights[i];

        if (!mr_weight_is_good(weight)) {
            return "a weight is below 1.2e-38 or not finite";
        }
        check->out_strengths[first_source + (keys[i] >> info->band_bits)] += (double)weight;
        check->in_strengths[keys[i] & mask] += (double)weight;
        check->least_weight =
            check->least_weight == 0 || weight < check->least_weight ? weight : check->least_weight;
        check->most_weight = weight > check->most_weight ? weight : check->most_weight;
    }
    return NULL;
}

static const char *check_keys(struct mr_checker *check, uint32_t band, const struct mr_tile *tile)
{
    const bool is_weighted = mr_tile_is_weighted(tile->encoding);
    const uint8_t *at = tile->data, *end = mr_tile_keys_end(tile);
    const char *fault = NULL;
    uint32_t previous = 0;

    for (size_t left = tile->n_entries; left > 0 && fault == NULL;) {
        size_t n_keys = left < MR_KEYS_BATCH ? left : MR_KEYS_BATCH;

        at = check->decode(at, end, previous, check->keys, n_keys);
        if (at == NULL) {
            return "the keys of a tile cannot be decoded";
        }
        previous = check->keys[n_keys - 1];
        fault = count_keys(check, band, tile->stripe, check->keys, n_keys);
        if (fault == NULL && is_weighted) {
            mr_tile_weights(tile, (uint32_t)(tile->n_entries - left), (uint32_t)n_keys,
                            check->weights);
            fault = count_weights(check, tile->stripe, check->keys, check->weights, n_keys);
        }
        left -= n_keys;
    }
    if (fault == NULL && at != end) {
        fault = "a tile has more bytes than its keys";
    }
    check->keys_edges += tile->n_entries;
    check->keys_bytes += tile->data_bytes;
    check->byte_edges += tile->encoding == MR_TILE_BYTE_WEIGHTS ? tile->n_entries : 0;
    return fault;
}

static const char *check_corners(struct mr_checker *check, uint32_t band,
                                 const struct mr_tile *tile)
{
    const struct mr_corners_shape shape = {.band_bits = check->info->band_bits,
                                           .stripe_bits = check->info->stripe_bits};
    struct mr_corners corners;
    const char *fault;

    if (check->expander == NULL) {
        return "a corner tile is in a store that says it has none";
    }
    fault = mr_corners_open(&shape, tile->n_entries, tile->data, tile->data_bytes, &corners);
    if (fault == NULL) {
        fault = mr_corners_expand(check->expander, tile->n_entries, tile->data, tile->data_bytes,
                                  check->links_of_part);
    }
    if (fault == NULL) {
        fault = count_keys(check, band, tile->stripe, check->links_of_part, tile->n_entries);
    }
    check->corners.edges += tile->n_entries;
    check->corners.bytes += tile->data_bytes;
    check->corners.parts++;
    check->corners.entries += corners.n_all_entries;
    check->corners.rows += corners.n_rows;
    return fault;
}

static const char *check_tile(struct mr_checker *check, uint32_t band, const struct mr_tile *tile,
                              bool goes_on)
{
    const bool is_corners = tile->encoding == MR_TILE_CORNERS;

    check->n_tiles += !goes_on;
    check->keys_tiles += !goes_on && !is_corners;
    check->corners.tiles += !goes_on && is_corners;
    return is_corners ? check_corners(check, band, tile) : check_keys(check, band, tile);
}

/* Check one opened block. Stripes ascend from block to block of a part, first off the diagonal,
 * then on it. A tile may continue only in the next block of its kind. */
static enum mr_status check_block(struct mr_checker *check, uint32_t band, uint64_t block,
                                  const struct mr_block_header *header, const uint8_t *raw,
                                  struct mr_error *err)
{
    const struct mr_band_entry *entry = &mr_store_bands(check->store)[band];
    const struct mr_block_entry *blocks = mr_store_link_blocks(check->store);
    bool on_diagonal = block >= entry->first_diagonal;
    bool first_of_kind = block == entry->first_block || block == entry->first_diagonal ||
                         blocks[block].link_class != blocks[block - 1].link_class;
    struct mr_tile_cursor cursor;
    struct mr_tile tile;
    enum mr_status status;

    mr_tile_cursor_init(&cursor, check->info, header, raw,
                        mr_file_path(mr_store_links_location(check->store, &blocks[block]).file),
                        blocks[block].offset);
    for (bool first = true; (status = mr_tile_next(&cursor, &tile, err)) == MR_OK; first = false) {
        if (tile.n_entries == 0) {
            return MR_OK;
        }
        bool goes_on = first && !first_of_kind && tile.stripe == check->stripe;
        if (is_diagonal(check->info, band, tile.stripe) != on_diagonal) {
            return damaged(check, block, "a tile on or off the diagonal is in the wrong block",
                           err);
        }
        if (first && !first_of_kind && tile.stripe < check->stripe) {
            return damaged(check, block, "the stripe is lower than that of the block before", err);
        }
        check->in_tile = goes_on;
        check->stripe = tile.stripe;
        const char *fault = check_tile(check, band, &tile, goes_on);
        if (fault != NULL) {
            return damaged(check, block, fault, err);
        }
    }
    return status;
}

enum mr_status mr_check_band(struct mr_checker *check, uint32_t band, struct mr_error *err)
{
    const struct mr_band_entry *entry = &mr_store_bands(check->store)[band];
    enum mr_status status = MR_OK;

    for (uint64_t i = entry->first_block; i < entry->end_block && status == MR_OK; i++) {
        struct mr_block_header header;
        const uint8_t *raw = NULL;

        status = mr_block_stream_next(check->links, MR_BLOCK_LINKS, band, &header, &raw, err);
        if (status == MR_OK && check->full) {
            status = check_block(check, band, i, &header, raw, err);
        }
    }
    return status;
}
