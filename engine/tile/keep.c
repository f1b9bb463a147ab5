#include "engine/tile/keep.h"

#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/tile/corners_expand.h"
#include "engine/tile/weight_kernels.h"

#define LINKS_MAX (UINT64_C(1) << 21)

/* Corner tiles stay as they are while there is room, since they apply faster than their links: 8 parts of
 * a block each, or more that are smaller. */
enum { CORNERS_MAX = 64 };
#define CORNERS_BYTES ((uint64_t)8 * MR_BLOCK_MAX_BYTES)

struct mr_kept_tiles {
    struct mr_memory *memory;
    struct mr_corners_expander *expander; /* NULL where the store has no corner tiles */
    bool as_keys;
    struct mr_tile
        corners[CORNERS_MAX]; /* `stripe` counted from the band's first, data in `bytes` */
    unsigned n_corners;
    uint8_t *bytes; /* [CORNERS_BYTES + MR_KEYS_SLACK_BYTES]; NULL as `expander` is */
    uint64_t n_bytes;
    uint64_t n_corner_links;
    unsigned stripe_bits;
    uint32_t n_stripes; /* of a band */
    uint64_t capacity; /* keys */
    uint64_t n_keys;
    uint32_t *keys; /* [capacity + MR_KEYS_SLACK_KEYS], stripe after stripe */
    uint64_t *ends; /* [n_stripes]: keys of stripe i end at ends[i] */
    uint32_t *
        aside; /* [capacity + MR_KEYS_SLACK_KEYS], for keys of several parts of the store; or NULL */
    float *weights; /* of the keys, [capacity]; NULL where links have none */
};

bool mr_kept_tiles_fit(const struct mr_store_info *info, const struct mr_band_entry *band)
{
    (void)info;
    return band->n_diagonal_edges <= LINKS_MAX;
}

static uint32_t stripes_of_band(const struct mr_store_info *info)
{
    return (uint32_t)1 << (info->band_bits - info->stripe_bits);
}

static uint64_t most_links(const struct mr_store_info *info, const struct mr_band_entry *bands)
{
    uint64_t most = 0;
    if (bands == NULL) {
        return mr_min_u64(info->n_edges, LINKS_MAX);
    }
    for (uint32_t b = 0; b < info->n_bands; b++) {
        if (mr_kept_tiles_fit(info, &bands[b])) {
            most = mr_max_u64(most, bands[b].n_diagonal_edges);
        }
    }
    return most;
}

/* May the tiles of a stripe come from several files? */
static bool is_merged(const struct mr_store_info *info)
{
    return info->n_parts > 1;
}

/* One allocation: the structure, the ends, the keys, their weights. */
static uint64_t bytes_of(const struct mr_store_info *info, uint64_t n_links)
{
    const uint64_t n_lists = is_merged(info) ? 2 : 1;
    return sizeof(struct mr_kept_tiles) + stripes_of_band(info) * sizeof(uint64_t) +
           n_lists * (n_links + MR_KEYS_SLACK_KEYS) * sizeof(uint32_t) +
           (info->is_weighted ? n_links * sizeof(float) : 0);
}

uint64_t mr_kept_tiles_memory(const struct mr_store_info *info, const struct mr_band_entry *bands)
{
    const uint64_t corners =
        info->corners.edges == 0 ? 0 : mr_corners_expander_memory() + CORNERS_BYTES + 4096;
    return mr_round_up(bytes_of(info, most_links(info, bands)), 4096) + corners;
}

enum mr_status mr_kept_tiles_create(struct mr_memory *memory, const struct mr_store_info *info,
                                    const struct mr_band_entry *bands, struct mr_kept_tiles **out,
                                    struct mr_error *err)
{
    const uint64_t capacity = most_links(info, bands);
    void *pointer = NULL;
    enum mr_status status =
        mr_memory_alloc(memory, "diagonal tile", bytes_of(info, capacity), &pointer, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_kept_tiles *kept = pointer;
    kept->memory = memory;
    kept->stripe_bits = info->stripe_bits;
    kept->n_stripes = stripes_of_band(info);
    kept->capacity = capacity;
    kept->ends = (uint64_t *)(kept + 1);
    kept->keys = (uint32_t *)(kept->ends + kept->n_stripes);
    kept->aside = is_merged(info) ? kept->keys + capacity + MR_KEYS_SLACK_KEYS : NULL;
    kept->weights =
        info->is_weighted ? (float *)(kept->keys + capacity + MR_KEYS_SLACK_KEYS) : NULL;
    if (info->corners.edges > 0) {
        const struct mr_corners_shape shape = {.band_bits = info->band_bits,
                                               .stripe_bits = info->stripe_bits};
        void *bytes = NULL;
        status = mr_corners_expander_create(memory, &shape, &kept->expander, err);
        if (status == MR_OK) {
            status = mr_memory_alloc(memory, "diagonal tile", CORNERS_BYTES + MR_KEYS_SLACK_BYTES,
                                     &bytes, err);
        }
        kept->bytes = bytes;
        if (status != MR_OK) {
            mr_kept_tiles_destroy(kept);
            return status;
        }
    }
    *out = kept;
    return MR_OK;
}

void mr_kept_tiles_destroy(struct mr_kept_tiles *kept)
{
    if (kept != NULL) {
        mr_memory_free(kept->memory, kept->bytes);
        mr_corners_expander_destroy(kept->expander);
        mr_memory_free(kept->memory, kept);
    }
}

void mr_kept_tiles_begin(struct mr_kept_tiles *kept, bool as_keys)
{
    kept->as_keys = as_keys;
    kept->n_corners = 0;
    kept->n_bytes = kept->n_corner_links = 0;
    kept->n_keys = 0;
    memset(kept->ends, 0, kept->n_stripes * sizeof *kept->ends);
}

static bool decode(struct mr_kept_tiles *kept, const struct mr_tile_applier *applier,
                   const struct mr_tile *tile, uint32_t *keys)
{
    const uint8_t *end = tile->data + tile->data_bytes;
    if (tile->encoding == MR_TILE_DECODED) {
        memcpy(keys, tile->data, tile->n_entries * sizeof *keys);
        return true;
    }
    switch ((enum mr_tile_encoding)tile->encoding) {
    case MR_TILE_KEYS:
        return applier->kernels->decode(tile->data, end, 0, keys, tile->n_entries) == end;
    case MR_TILE_CORNERS:
        return kept->expander != NULL &&
               mr_corners_expand(kept->expander, tile->n_entries, tile->data, tile->data_bytes,
                                 keys) == NULL;
    case MR_TILE_BYTE_WEIGHTS:
    case MR_TILE_FLOAT_WEIGHTS:
        if (kept->weights == NULL) {
            return false;
        }
        mr_tile_weights(tile, 0, tile->n_entries, kept->weights + kept->n_keys);
        end = mr_tile_keys_end(tile);
        return applier->kernels->decode(tile->data, end, 0, keys, tile->n_entries) == end;
    }
    return false;
}

/* Keep the bytes of a part of corners; false when it has to become keys. */
static bool keep_corners(struct mr_kept_tiles *kept, const struct mr_tile *tile, uint32_t stripe)
{
    if (tile->encoding != MR_TILE_CORNERS || kept->bytes == NULL || kept->as_keys ||
        kept->n_corners == CORNERS_MAX || tile->data_bytes > CORNERS_BYTES - kept->n_bytes) {
        return false;
    }
    struct mr_tile *copy = &kept->corners[kept->n_corners++];
    *copy = *tile;
    copy->stripe = stripe;
    copy->data = kept->bytes + kept->n_bytes;
    memcpy(kept->bytes + kept->n_bytes, tile->data, tile->data_bytes);
    kept->n_bytes += tile->data_bytes;
    kept->n_corner_links += tile->n_entries;
    return true;
}

/* Keys of a stripe that others came behind already, or that has keys of an earlier part: `n` of them lie
 * behind all; bring them to their place. */
static bool merge_keys(struct mr_kept_tiles *kept, uint32_t stripe, uint32_t n)
{
    const uint64_t first = stripe == 0 ? 0 : kept->ends[stripe - 1], end = kept->ends[stripe];
    uint32_t *keys = kept->keys;
    if (kept->aside == NULL) {
        return false;
    }
    memcpy(kept->aside, keys + kept->n_keys, n * sizeof *keys);
    memmove(keys + end + n, keys + end, (kept->n_keys - end) * sizeof *keys);
    uint64_t i = end, out = end + n; /* from the back: what is moved has been read */
    for (uint32_t j = n; j > 0;) {
        keys[--out] = i > first && keys[i - 1] > kept->aside[j - 1] ? keys[--i] : kept->aside[--j];
    }
    return true;
}

bool mr_kept_tiles_add(struct mr_kept_tiles *kept, struct mr_tile_applier *applier,
                       const struct mr_tile *tile, uint32_t stripe)
{
    if (stripe < kept->n_stripes && keep_corners(kept, tile, stripe)) {
        return true;
    }
    if (stripe >= kept->n_stripes || tile->n_entries > kept->capacity - kept->n_keys ||
        !decode(kept, applier, tile, kept->keys + kept->n_keys)) {
        return false;
    }
    const uint64_t first = stripe == 0 ? 0 : kept->ends[stripe - 1], end = kept->ends[stripe];
    const bool is_last = end == kept->n_keys;
    if ((!is_last || (end > first && kept->keys[end] < kept->keys[end - 1])) &&
        !merge_keys(kept, stripe, tile->n_entries)) {
        return false;
    }
    kept->n_keys += tile->n_entries;
    for (uint32_t i = stripe; i < kept->n_stripes; i++) {
        kept->ends[i] += tile->n_entries;
    }
    return true;
}

uint64_t mr_kept_tiles_links(const struct mr_kept_tiles *kept)
{
    return kept->n_keys + kept->n_corner_links;
}

const float *mr_kept_tiles_weights(const struct mr_kept_tiles *kept)
{
    return kept->weights;
}

const uint32_t *mr_kept_tiles_keys(const struct mr_kept_tiles *kept, const uint64_t **ends)
{
    *ends = kept->ends;
    return kept->keys;
}

bool mr_kept_tiles_apply(const struct mr_kept_tiles *kept, struct mr_tile_applier *applier,
                         const void *values, void *accumulator)
{
    const mr_keys_kernel add =
        applier->kernels->add_keys[applier->value][mr_width_index(applier->width)];
    const uint64_t stripe_bytes = (applier->width * mr_value_bytes(applier->value))
                                  << kept->stripe_bits;
    for (unsigned i = 0; i < kept->n_corners; i++) {
        const struct mr_tile *tile = &kept->corners[i];
        const uint8_t *x = (const uint8_t *)values + tile->stripe * stripe_bytes;
        if (!mr_tile_apply(applier, tile, x, accumulator)) {
            return false;
        }
    }
    uint64_t done = 0;
    for (uint32_t i = 0; i < kept->n_stripes; i++) {
        const uint8_t *x = (const uint8_t *)values + i * stripe_bytes;
        if (kept->weights != NULL) {
            mr_weighted_add(applier->value, applier->width, &applier->shape, kept->keys + done,
                            kept->weights + done, kept->ends[i] - done, x, accumulator);
        } else {
            add(&applier->shape, kept->keys + done, kept->ends[i] - done, x, accumulator);
        }
        done = kept->ends[i];
    }
    return true;
}
