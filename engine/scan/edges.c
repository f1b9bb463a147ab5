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

/* Destination of the edges: one of the two. */
struct visitor {
    mr_edges_callback plain;
    mr_weighted_edges_callback weighted;
    void *data;
};

struct edge_reader {
    struct mr_store *store;
    struct mr_block_stream *stream;
    mr_keys_decoder decode;
    struct mr_corners_expander *expander; /* for stores with corner tiles */
    uint32_t *links; /* [MR_CORNERS_LINKS_MAX], likewise */
    struct visitor visitor;
    size_t n_pairs;
    uint32_t pairs[MR_EDGES_BATCH][2];
    float weights[MR_EDGES_BATCH]; /* set if the store has weights */
    uint32_t keys[MR_KEYS_BATCH + MR_KEYS_SLACK_KEYS];
};

_Static_assert(MR_KEYS_BATCH <= MR_EDGES_BATCH, "decoded keys fit the batch of pairs");

static enum mr_status flush(struct edge_reader *reader, struct mr_error *err)
{
    size_t n_pairs = reader->n_pairs;

    reader->n_pairs = 0;
    if (n_pairs == 0) {
        return MR_OK;
    }
    const struct visitor *visitor = &reader->visitor;
    const uint32_t(*pairs)[2] = (const uint32_t(*)[2])reader->pairs;
    const float *weights = mr_store_get_info(reader->store)->is_weighted ? reader->weights : NULL;
    return visitor->weighted != NULL
               ? visitor->weighted(visitor->data, pairs, weights, n_pairs, err)
               : visitor->plain(visitor->data, pairs, n_pairs, err);
}

/* Turn keys into pairs. Returns false if one is no edge of the graph. */
static bool append_pairs(struct edge_reader *reader, uint32_t band, uint32_t stripe,
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
static enum mr_status make_room(struct edge_reader *reader, size_t n_keys, struct mr_error *err)
{
    return reader->n_pairs + n_keys > MR_EDGES_BATCH ? flush(reader, err) : MR_OK;
}

static enum mr_status read_keys(struct edge_reader *reader, uint32_t band,
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

static enum mr_status read_corners(struct edge_reader *reader, uint32_t band,
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

static enum mr_status read_tile(struct edge_reader *reader, uint32_t band,
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
static enum mr_status read_tiles(struct edge_reader *reader, uint32_t band,
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

static enum mr_status read_band(struct edge_reader *reader, uint32_t band, struct mr_error *err)
{
    const struct mr_band_entry *entry = &mr_store_bands(reader->store)[band];
    const struct mr_block_entry *blocks = mr_store_link_blocks(reader->store);
    enum mr_status status = MR_OK;

    for (uint64_t i = entry->first_block; i < entry->end_block && status == MR_OK; i++) {
        struct mr_block_header header;
        const uint8_t *raw = NULL;

        status = mr_block_stream_next(reader->stream, MR_BLOCK_LINKS, band, &header, &raw, err);
        if (status == MR_OK) {
            status = read_tiles(reader, band, &header, raw, &blocks[i], 0, UINT32_MAX, err);
        }
    }
    return status;
}

static void close_reader(const struct mr_context *context, struct edge_reader *reader)
{
    if (reader != NULL) {
        mr_memory_free(context->memory, reader->links);
        mr_corners_expander_destroy(reader->expander);
        mr_block_stream_close(reader->stream);
        free(reader);
    }
}

static enum mr_status create_reader(struct mr_store *store, struct edge_reader **out,
                                    struct mr_error *err)
{
    struct edge_reader *reader = calloc(1, sizeof *reader);

    *out = reader;
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader of links");
    }
    reader->store = store;
    reader->decode = mr_keys_best_decoder();
    return MR_OK;
}

/* Make what corner tiles need, unless it is there. */
static enum mr_status prepare_corners(const struct mr_context *context, struct edge_reader *reader,
                                      struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(reader->store);
    const struct mr_corners_shape shape = {.band_bits = info->band_bits,
                                           .stripe_bits = info->stripe_bits};

    if (info->corners.edges == 0) {
        return MR_OK;
    }
    enum mr_status status = MR_OK;
    if (reader->expander == NULL) {
        status = mr_corners_expander_create(context->memory, &shape, &reader->expander, err);
    }
    if (status == MR_OK && reader->links == NULL) {
        status = mr_memory_array(context->memory, "corner tiles", MR_CORNERS_LINKS_MAX,
                                 &reader->links, err);
    }
    return status;
}

/* Open a reader. The caller closes it even after a failure. */
static enum mr_status open_reader(const struct mr_context *context, struct mr_store *store,
                                  struct visitor visitor, struct edge_reader **out,
                                  struct mr_error *err)
{
    const enum mr_status status = create_reader(store, out, err);

    if (status != MR_OK) {
        return status;
    }
    (*out)->visitor = visitor;
    return prepare_corners(context, *out, err);
}

static enum mr_status read_bands(const struct mr_context *context, struct mr_store *store,
                                 uint32_t first_band, uint32_t n_bands, struct visitor visitor,
                                 struct mr_error *err)
{
    const struct mr_band_entry *bands = mr_store_bands(store);
    struct edge_reader *reader = NULL;
    enum mr_status status = open_reader(context, store, visitor, &reader, err);

    if (status == MR_OK && n_bands > 0) {
        const uint64_t first = bands[first_band].first_block;
        const uint64_t end = bands[first_band + n_bands - 1].end_block;
        status = mr_block_stream_open(context, store, MR_BLOCK_LINKS,
                                      mr_store_link_blocks(store) + first, end - first,
                                      &reader->stream, err);
    }
    for (uint32_t band = first_band; band < first_band + n_bands && status == MR_OK; band++) {
        status = read_band(reader, band, err);
    }
    if (status == MR_OK) {
        status = flush(reader, err);
    }
    close_reader(context, reader);
    return status;
}

enum mr_status mr_edges_read_bands(const struct mr_context *context, struct mr_store *store,
                                   uint32_t first_band, uint32_t n_bands,
                                   mr_edges_callback callback, void *data, struct mr_error *err)
{
    const struct visitor visitor = {.plain = callback, .data = data};
    return read_bands(context, store, first_band, n_bands, visitor, err);
}

enum mr_status mr_edges_read(const struct mr_context *context, struct mr_store *store,
                             mr_edges_callback callback, void *data, struct mr_error *err)
{
    return mr_edges_read_bands(context, store, 0, mr_store_get_info(store)->n_bands, callback, data,
                               err);
}

enum mr_status mr_edges_read_weighted(const struct mr_context *context, struct mr_store *weighted,
                                      mr_weighted_edges_callback callback, void *data,
                                      struct mr_error *err)
{
    const struct visitor visitor = {.weighted = callback, .data = data};
    assert(mr_store_get_info(weighted)->is_weighted);
    return read_bands(context, weighted, 0, mr_store_get_info(weighted)->n_bands, visitor, err);
}

enum mr_status mr_edges_read_either(const struct mr_context *context, struct mr_store *store,
                                    struct mr_store *weighted, mr_weighted_edges_callback callback,
                                    void *data, struct mr_error *err)
{
    const struct visitor visitor = {.weighted = callback, .data = data};
    struct mr_store *from = weighted != NULL ? weighted : store;
    return read_bands(context, from, 0, mr_store_get_info(from)->n_bands, visitor, err);
}

/* Read the blocks of a band that overlap the part, each on its own. */
static enum mr_status read_part_of_band(struct edge_reader *reader, uint32_t band,
                                        const struct mr_edges_part *part,
                                        struct mr_block_reader *blocks, struct mr_error *err)
{
    const struct mr_band_entry *entry = &mr_store_bands(reader->store)[band];
    const struct mr_block_entry *entries = mr_store_link_blocks(reader->store);
    enum mr_status status = MR_OK;

    for (uint64_t i = entry->first_block; i < entry->end_block && status == MR_OK; i++) {
        struct mr_block_header header;
        const uint8_t *raw = NULL;

        if (entries[i].last < part->first_stripe || entries[i].first >= part->end_stripe) {
            continue;
        }
        status = mr_block_reader_read(blocks, mr_store_links_location(reader->store, &entries[i]),
                                      &entries[i], MR_BLOCK_LINKS, band, &header, &raw, err);
        if (status == MR_OK) {
            status = read_tiles(reader, band, &header, raw, &entries[i], part->first_stripe,
                                part->end_stripe, err);
        }
    }
    return status;
}

static enum mr_status read_part(const struct mr_context *context, struct mr_store *store,
                                const struct mr_edges_part *part, struct visitor visitor,
                                struct mr_error *err)
{
    struct mr_block_reader *blocks = NULL;
    struct edge_reader *reader = NULL;
    enum mr_status status = open_reader(context, store, visitor, &reader, err);

    if (status == MR_OK) {
        status = mr_block_reader_open(context, &blocks, err);
    }
    for (uint32_t band = part->first_band; band < part->end_band && status == MR_OK; band++) {
        status = mr_context_poll(context, err);
        if (status == MR_OK) {
            status = read_part_of_band(reader, band, part, blocks, err);
        }
    }
    if (status == MR_OK) {
        status = flush(reader, err);
    }
    mr_block_reader_close(blocks);
    close_reader(context, reader);
    return status;
}

enum mr_status mr_edges_read_part(const struct mr_context *context, struct mr_store *store,
                                  const struct mr_edges_part *part, mr_edges_callback callback,
                                  void *data, struct mr_error *err)
{
    const struct visitor visitor = {.plain = callback, .data = data};
    return read_part(context, store, part, visitor, err);
}

enum mr_status mr_edges_read_weighted_part(const struct mr_context *context,
                                           struct mr_store *weighted,
                                           const struct mr_edges_part *part,
                                           mr_weighted_edges_callback callback, void *data,
                                           struct mr_error *err)
{
    const struct visitor visitor = {.weighted = callback, .data = data};
    assert(mr_store_get_info(weighted)->is_weighted);
    return read_part(context, weighted, part, visitor, err);
}

/* ---- A reader for many readings ---- */

struct mr_edges_reader {
    const struct mr_context *context;
    struct edge_reader *reader;
    struct mr_block_entry *list; /* [capacity] */
    uint64_t capacity;
};

static bool is_active(const struct mr_block_entry *entry, const uint8_t *active_stripes)
{
    return active_stripes == NULL ||
           memchr(active_stripes + entry->first, 1, (size_t)entry->last - entry->first + 1) != NULL;
}

/* Copy the entries of the active blocks of the bands to `list`. Returns their number. */
static uint64_t list_active(const struct mr_store *store, uint32_t first_band, uint32_t n_bands,
                            const uint8_t *active_stripes, struct mr_block_entry *list,
                            struct mr_edges_figures *figures)
{
    const struct mr_band_entry *bands = mr_store_bands(store);
    const struct mr_block_entry *blocks = mr_store_link_blocks(store);
    uint64_t n_active = 0;

    for (uint64_t i = bands[first_band].first_block; i < bands[first_band + n_bands - 1].end_block;
         i++) {
        if (!is_active(&blocks[i], active_stripes)) {
            figures->blocks_skipped++;
            continue;
        }
        figures->blocks_read++;
        figures->bytes_read += blocks[i].stored_bytes;
        figures->edges += blocks[i].n_entries;
        list[n_active++] = blocks[i];
    }
    return n_active;
}

/* Read the next blocks of `list` that are the active ones of `band`. */
static enum mr_status read_active_of_band(struct edge_reader *reader, uint32_t band,
                                          const uint8_t *active_stripes, struct mr_error *err)
{
    const struct mr_band_entry *entry = &mr_store_bands(reader->store)[band];
    const struct mr_block_entry *blocks = mr_store_link_blocks(reader->store);
    enum mr_status status = MR_OK;

    for (uint64_t i = entry->first_block; i < entry->end_block && status == MR_OK; i++) {
        struct mr_block_header header;
        const uint8_t *raw = NULL;

        if (!is_active(&blocks[i], active_stripes)) {
            continue;
        }
        status = mr_block_stream_next(reader->stream, MR_BLOCK_LINKS, band, &header, &raw, err);
        if (status == MR_OK) {
            status = read_tiles(reader, band, &header, raw, &blocks[i], 0, UINT32_MAX, err);
        }
    }
    return status;
}

enum mr_status mr_edges_reader_open(const struct mr_context *context, struct mr_store *store,
                                    struct mr_edges_reader **out, struct mr_error *err)
{
    struct mr_edges_reader *reader = calloc(1, sizeof *reader);

    *out = reader;
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader of edges");
    }
    reader->context = context;
    enum mr_status status = create_reader(store, &reader->reader, err);
    if (status == MR_OK) {
        status = mr_block_stream_open(context, store, MR_BLOCK_LINKS, NULL, 0,
                                      &reader->reader->stream, err);
    }
    if (status != MR_OK) {
        mr_edges_reader_close(reader);
        *out = NULL;
    }
    return status;
}

void mr_edges_reader_close(struct mr_edges_reader *reader)
{
    if (reader != NULL) {
        mr_memory_free(reader->context->memory, reader->list);
        close_reader(reader->context, reader->reader);
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

static enum mr_status make_list(struct mr_edges_reader *reader, uint64_t n_blocks,
                                struct mr_error *err)
{
    if (n_blocks <= reader->capacity) {
        return MR_OK;
    }
    mr_memory_free(reader->context->memory, reader->list);
    reader->capacity = 0;
    const enum mr_status status =
        mr_memory_array(reader->context->memory, "list of blocks", n_blocks, &reader->list, err);
    reader->capacity = status == MR_OK ? n_blocks : 0;
    return status;
}

enum mr_status mr_edges_reader_read(struct mr_edges_reader *from, uint32_t first_band,
                                    uint32_t n_bands, const uint8_t *active_stripes,
                                    mr_edges_callback pairs, void *data,
                                    struct mr_edges_figures *figures, struct mr_error *err)
{
    struct edge_reader *reader = from->reader;
    const struct mr_band_entry *bands = mr_store_bands(reader->store) + first_band;

    if (n_bands == 0) {
        return MR_OK;
    }
    reader->visitor = (struct visitor){.plain = pairs, .data = data};
    enum mr_status status = prepare_corners(from->context, reader, err);
    if (status == MR_OK) {
        status = make_list(from, bands[n_bands - 1].end_block - bands->first_block, err);
    }
    if (status == MR_OK) {
        const uint64_t n_active =
            list_active(reader->store, first_band, n_bands, active_stripes, from->list, figures);
        mr_block_stream_restart(reader->stream, from->list, n_active);
    }
    for (uint32_t b = first_band; b < first_band + n_bands && status == MR_OK; b++) {
        status = read_active_of_band(reader, b, active_stripes, err);
    }
    return status == MR_OK ? flush(reader, err) : status;
}
