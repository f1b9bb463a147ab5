/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the edges of a store as pairs of vertices, in store order, and passes them to a callback.
 * It decodes keys tiles and corner tiles alike, so callers need not know encodings. Export, copies
 * of stores and queries use it; rankings use engine/pass, which does not need pairs. */
#include "engine/scan/edges.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/store/block_reader.h"
#include "engine/store/block_stream.h"
#include "engine/tile/corners_expand.h"
#include "engine/tile/keys.h"
#include "engine/tile/tile.h"
#include "engine/tile/weight_kernels.h"

struct mr_edges_reader {
    const struct mr_context *context;
    struct mr_store *store;
    struct mr_block_stream *stream; /* for scans of all stripes, or: */
    struct mr_block_reader *blocks; /* for scans of some, which read few blocks */
    struct mr_block_entry *list; /* [capacity]: the active blocks */
    uint64_t capacity;
    mr_keys_decoder decode;
    struct mr_corners_expander *expander; /* for stores with corner tiles */
    uint32_t *links; /* [MR_CORNERS_LINKS_MAX], likewise */
    mr_edges_callback callback;
    void *data;
    size_t n_pairs;
    uint32_t pairs[MR_EDGES_BATCH][2];
    float weights[MR_EDGES_BATCH]; /* set if the store has weights */
    uint32_t keys[MR_KEYS_BATCH + MR_KEYS_SLACK_KEYS];
};

_Static_assert(MR_KEYS_BATCH <= MR_EDGES_BATCH, "decoded keys fit the batch of pairs");

static enum mr_status flush(struct mr_edges_reader *reader, struct mr_error *err)
{
    size_t n_pairs = reader->n_pairs;

    reader->n_pairs = 0;
    if (n_pairs == 0) {
        return MR_OK;
    }
    const uint32_t(*pairs)[2] = (const uint32_t(*)[2])reader->pairs;
    const bool is_weighted = mr_store_get_info(reader->store)->is_weighted;
    return reader->callback(reader->data, pairs, is_weighted ? reader->weights : NULL, n_pairs,
                            err);
}

/* Turn keys into pairs. Returns false if one is no edge of the graph. */
static bool append_pairs(struct mr_edges_reader *reader, uint32_t band, uint32_t stripe,
                         const uint32_t *keys, size_t n_keys)
{
    const struct mr_store_info *info = mr_store_get_info(reader->store);
    uint64_t first_source = (uint64_t)stripe << info->stripe_bits;
    uint64_t first_target = (uint64_t)band << info->band_bits;
    uint64_t n_sources =
        mr_min_u64(info->n_vertices - first_source, (uint64_t)1 << info->stripe_bits);
    uint64_t n_targets = mr_band_vertices(info, band);
    uint32_t mask = (uint32_t)(((uint64_t)1 << info->band_bits) - 1);
    uint32_t(*pairs)[2] = reader->pairs + reader->n_pairs;
    bool good = true;

    for (size_t i = 0; i < n_keys; i++) {
        uint32_t source = keys[i] >> info->band_bits, target = keys[i] & mask;

        good &= source < n_sources && target < n_targets;
        pairs[i][0] = (uint32_t)(first_source + source);
        pairs[i][1] = (uint32_t)(first_target + target);
    }
    reader->n_pairs += n_keys;
    return good;
}

/* Make room for `n_keys` more pairs. */
static enum mr_status make_room(struct mr_edges_reader *reader, size_t n_keys, struct mr_error *err)
{
    return reader->n_pairs + n_keys > MR_EDGES_BATCH ? flush(reader, err) : MR_OK;
}

static enum mr_status read_keys(struct mr_edges_reader *reader, uint32_t band,
                                const struct mr_tile *tile, bool *good, struct mr_error *err)
{
    const uint8_t *at = tile->data, *end = mr_tile_keys_end(tile);
    uint32_t previous = 0;

    for (size_t left = tile->n_entries; left > 0 && *good;) {
        size_t n_keys = left < MR_KEYS_BATCH ? left : MR_KEYS_BATCH;
        enum mr_status status = make_room(reader, n_keys, err);

        if (status != MR_OK) {
            return status;
        }
        if (mr_tile_is_weighted(tile->encoding)) {
            mr_tile_weights(tile, (uint32_t)(tile->n_entries - left), (uint32_t)n_keys,
                            reader->weights + reader->n_pairs);
        }
        at = reader->decode(at, end, previous, reader->keys, n_keys);
        *good = at != NULL && append_pairs(reader, band, tile->stripe, reader->keys, n_keys);
        previous = reader->keys[n_keys - 1];
        left -= n_keys;
    }
    *good &= at == end;
    return MR_OK;
}

static enum mr_status read_corners(struct mr_edges_reader *reader, uint32_t band,
                                   const struct mr_tile *tile, bool *good, struct mr_error *err)
{
    const uint32_t *keys = reader->links;

    *good =
        reader->expander != NULL && mr_corners_expand(reader->expander, tile->n_entries, tile->data,
                                                      tile->data_bytes, reader->links) == NULL;
    for (size_t left = tile->n_entries; left > 0 && *good;) {
        size_t n_keys = left < MR_KEYS_BATCH ? left : MR_KEYS_BATCH;
        enum mr_status status = make_room(reader, n_keys, err);

        if (status != MR_OK) {
            return status;
        }
        *good = append_pairs(reader, band, tile->stripe, keys, n_keys);
        keys += n_keys;
        left -= n_keys;
    }
    return MR_OK;
}

static enum mr_status read_tile(struct mr_edges_reader *reader, uint32_t band,
                                const struct mr_tile *tile, const struct mr_block_entry *entry,
                                struct mr_error *err)
{
    bool good = true;
    enum mr_status status = tile->encoding != MR_TILE_CORNERS
                                ? read_keys(reader, band, tile, &good, err)
                                : read_corners(reader, band, tile, &good, err);

    if (status == MR_OK && !good) {
        return mr_error_offset(err, MR_ERROR_CORRUPT,
                               mr_file_path(mr_store_links_location(reader->store, entry).file),
                               entry->offset,
                               "the links of stripe %u are wrong; restore the store from a copy or "
                               "build it again",
                               tile->stripe);
    }
    return status;
}

/* Read the tiles of an opened block whose stripes are in [first_stripe, end_stripe). */
static enum mr_status read_tiles(struct mr_edges_reader *reader, uint32_t band,
                                 const struct mr_block_header *header, const uint8_t *raw,
                                 const struct mr_block_entry *entry, uint32_t first_stripe,
                                 uint32_t end_stripe, struct mr_error *err)
{
    struct mr_tile_cursor cursor;
    struct mr_tile tile;
    enum mr_status status;

    mr_tile_cursor_init(&cursor, mr_store_get_info(reader->store), header, raw,
                        mr_file_path(mr_store_links_location(reader->store, entry).file),
                        entry->offset);
    while ((status = mr_tile_next(&cursor, &tile, err)) == MR_OK && tile.n_entries > 0) {
        if (tile.stripe >= first_stripe && tile.stripe < end_stripe) {
            status = read_tile(reader, band, &tile, entry, err);
        }
        if (status != MR_OK) {
            break;
        }
    }
    return status;
}

/* Is a block of the band read? */
static bool is_active(const struct mr_block_entry *entry, uint32_t band, const struct mr_scan *scan)
{
    return (scan->active_bands == NULL || scan->active_bands[band] != 0) &&
           (scan->n_stripes == 0 || (entry->last >= scan->first_stripe &&
                                     entry->first < scan->first_stripe + scan->n_stripes)) &&
           (scan->active_stripes == NULL || memchr(scan->active_stripes + entry->first, 1,
                                                   (size_t)entry->last - entry->first + 1) != NULL);
}

/* Reads the active blocks of a band. They are the next ones of the stream. */
static enum mr_status read_band(struct mr_edges_reader *reader, const struct mr_scan *scan,
                                uint32_t band, struct mr_error *err)
{
    const struct mr_band_entry *entry = &mr_store_bands(reader->store)[band];
    const struct mr_block_entry *blocks = mr_store_link_blocks(reader->store);
    const uint32_t end = scan->n_stripes == 0 ? UINT32_MAX : scan->first_stripe + scan->n_stripes;
    enum mr_status status = mr_context_poll(reader->context, err);

    for (uint64_t i = entry->first_block; i < entry->end_block && status == MR_OK; i++) {
        struct mr_block_header header;
        const uint8_t *raw = NULL;

        if (!is_active(&blocks[i], band, scan)) {
            continue;
        }
        status =
            reader->stream != NULL
                ? mr_block_stream_next(reader->stream, MR_BLOCK_LINKS, band, &header, &raw, err)
                : mr_block_reader_read(reader->blocks,
                                       mr_store_links_location(reader->store, &blocks[i]),
                                       &blocks[i], MR_BLOCK_LINKS, band, &header, &raw, err);
        if (status == MR_OK) {
            status =
                read_tiles(reader, band, &header, raw, &blocks[i], scan->first_stripe, end, err);
        }
    }
    return status;
}

/* Makes what corner tiles need, unless it is there. */
static enum mr_status prepare_corners(struct mr_edges_reader *reader, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(reader->store);
    const struct mr_corners_shape shape = {.band_bits = info->band_bits,
                                           .stripe_bits = info->stripe_bits};
    struct mr_memory *memory = reader->context->memory;
    enum mr_status status = MR_OK;

    if (info->corners.edges > 0 && reader->expander == NULL) {
        status = mr_corners_expander_create(memory, &shape, &reader->expander, err);
    }
    if (status == MR_OK && info->corners.edges > 0 && reader->links == NULL) {
        status = mr_memory_array(memory, "corner tiles", MR_CORNERS_LINKS_MAX, &reader->links, err);
    }
    return status;
}

/* Counts the blocks of the bands, lists the active ones, unless all are, and begins to read them.
 */
static enum mr_status begin_blocks(struct mr_edges_reader *reader, const struct mr_scan *scan,
                                   uint32_t n_bands, struct mr_error *err)
{
    const struct mr_block_entry *blocks = mr_store_link_blocks(reader->store);
    const struct mr_band_entry *bands = mr_store_bands(reader->store) + scan->first_band;
    const uint64_t first = bands->first_block, end = bands[n_bands - 1].end_block;
    const bool is_listed = scan->active_stripes != NULL || scan->active_bands != NULL;
    struct mr_edges_figures figures = {0};

    assert((scan->n_stripes > 0) == (reader->stream == NULL));
    if (is_listed) {
        const enum mr_status status =
            mr_memory_grow(reader->context->memory, "list of blocks", end - first, &reader->list,
                           &reader->capacity, err);
        if (status != MR_OK) {
            return status;
        }
    }
    for (uint64_t i = first, band = 0; i < end; i++) {
        while (i >= bands[band].end_block) {
            band++;
        }
        if (!is_active(&blocks[i], scan->first_band + (uint32_t)band, scan)) {
            figures.blocks_skipped++;
            continue;
        }
        if (is_listed) {
            reader->list[figures.blocks_read] = blocks[i];
        }
        figures.blocks_read++;
        figures.bytes_read += blocks[i].stored_bytes;
        figures.edges += blocks[i].n_entries;
    }
    if (reader->stream != NULL) {
        mr_block_stream_restart(reader->stream, is_listed ? reader->list : blocks + first,
                                figures.blocks_read);
    }
    if (scan->figures != NULL) {
        mr_edges_figures_add(scan->figures, &figures);
    }
    return MR_OK;
}

enum mr_status mr_edges_reader_open(const struct mr_context *context, struct mr_store *store,
                                    bool by_stripes, struct mr_edges_reader **out,
                                    struct mr_error *err)
{
    struct mr_edges_reader *reader = calloc(1, sizeof *reader);

    *out = NULL;
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader of links");
    }
    reader->context = context;
    reader->store = store;
    reader->decode = mr_keys_best_decoder();
    const enum mr_status status = by_stripes ? mr_block_reader_open(context, &reader->blocks, err)
                                             : mr_block_stream_open(context, store, MR_BLOCK_LINKS,
                                                                    NULL, 0, &reader->stream, err);
    if (status != MR_OK) {
        mr_edges_reader_close(reader);
        return status;
    }
    *out = reader;
    return MR_OK;
}

void mr_edges_reader_close(struct mr_edges_reader *reader)
{
    if (reader != NULL) {
        mr_memory_free(reader->context->memory, reader->list);
        mr_memory_free(reader->context->memory, reader->links);
        mr_corners_expander_destroy(reader->expander);
        mr_block_reader_close(reader->blocks);
        mr_block_stream_close(reader->stream);
        free(reader);
    }
}

uint64_t mr_edges_reader_memory(const struct mr_store_info *info)
{
    /* a stream of blocks, and small allocations that are not counted one by one */
    const uint64_t stream = UINT64_C(5) << 20;
    return stream + (info->corners.edges == 0
                         ? 0
                         : mr_corners_expander_memory() + MR_CORNERS_LINKS_MAX * sizeof(uint32_t));
}

enum mr_status mr_edges_reader_read(struct mr_edges_reader *reader, const struct mr_scan *scan,
                                    mr_edges_callback callback, void *data, struct mr_error *err)
{
    static const struct mr_scan all = {0};
    const uint32_t n_all = mr_store_get_info(reader->store)->n_bands;

    scan = scan == NULL ? &all : scan;
    const uint32_t n_bands = scan->n_bands > 0 ? scan->n_bands : n_all - scan->first_band;
    if (n_bands == 0) {
        return MR_OK;
    }
    reader->callback = callback;
    reader->data = data;
    enum mr_status status = prepare_corners(reader, err);
    if (status == MR_OK) {
        status = begin_blocks(reader, scan, n_bands, err);
    }
    for (uint32_t b = 0; b < n_bands && status == MR_OK; b++) {
        status = read_band(reader, scan, scan->first_band + b, err);
    }
    return status == MR_OK ? flush(reader, err) : status;
}
