#include "engine/tile_keep.h"

#include <string.h>

#include "engine/bytes.h"
#include "engine/corners_expand.h"
#include "engine/memory.h"

#define LINKS_MAX (UINT64_C(1) << 21)

struct mr_kept_tiles {
    struct mr_memory *memory;
    struct mr_corners_expander *expander; /* NULL where the store has no corner tiles */
    unsigned stripe_bits;
    uint32_t n_stripes; /* of a band */
    uint64_t capacity; /* keys */
    uint64_t n_keys;
    uint32_t *keys; /* [capacity + MR_KEYS_SLACK_KEYS], stripe after stripe */
    uint64_t *ends; /* [n_stripes]: keys of stripe i end at ends[i] */
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

/* One allocation: the structure, the ends, the keys. */
static uint64_t bytes_of(const struct mr_store_info *info, uint64_t n_links)
{
    return sizeof(struct mr_kept_tiles) + stripes_of_band(info) * sizeof(uint64_t) +
           (n_links + MR_KEYS_SLACK_KEYS) * sizeof(uint32_t);
}

uint64_t mr_kept_tiles_memory(const struct mr_store_info *info, const struct mr_band_entry *bands)
{
    const uint64_t expander = info->corners.edges == 0 ? 0 : mr_corners_expander_memory();
    return mr_round_up(bytes_of(info, most_links(info, bands)), 4096) + expander;
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
    if (info->corners.edges > 0) {
        const struct mr_corners_shape shape = {.band_bits = info->band_bits,
                                               .stripe_bits = info->stripe_bits};
        status = mr_corners_expander_create(memory, &shape, &kept->expander, err);
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
        mr_corners_expander_destroy(kept->expander);
        mr_memory_free(kept->memory, kept);
    }
}

void mr_kept_tiles_begin(struct mr_kept_tiles *kept)
{
    kept->n_keys = 0;
    memset(kept->ends, 0, kept->n_stripes * sizeof *kept->ends);
}

static bool decode(struct mr_kept_tiles *kept, const struct mr_tile_applier *applier,
                   const struct mr_tile *tile, uint32_t *keys)
{
    const uint8_t *end = tile->data + tile->data_bytes;
    switch ((enum mr_tile_encoding)tile->encoding) {
    case MR_TILE_KEYS:
        return applier->kernels->decode(tile->data, end, 0, keys, tile->n_entries) == end;
    case MR_TILE_CORNERS:
        return kept->expander != NULL &&
               mr_corners_expand(kept->expander, tile->n_entries, tile->data, tile->data_bytes,
                                 keys) == NULL;
    }
    return false;
}

bool mr_kept_tiles_add(struct mr_kept_tiles *kept, struct mr_tile_applier *applier,
                       const struct mr_tile *tile, uint32_t stripe)
{
    if (stripe >= kept->n_stripes || tile->n_entries > kept->capacity - kept->n_keys ||
        !decode(kept, applier, tile, kept->keys + kept->n_keys)) {
        return false;
    }
    kept->n_keys += tile->n_entries;
    for (uint32_t i = stripe; i < kept->n_stripes; i++) {
        kept->ends[i] = kept->n_keys;
    }
    return true;
}

uint64_t mr_kept_tiles_links(const struct mr_kept_tiles *kept)
{
    return kept->n_keys;
}

const uint32_t *mr_kept_tiles_keys(const struct mr_kept_tiles *kept, const uint64_t **ends)
{
    *ends = kept->ends;
    return kept->keys;
}

void mr_kept_tiles_apply(const struct mr_kept_tiles *kept, struct mr_tile_applier *applier,
                         const void *values, void *accumulator)
{
    const mr_keys_kernel add =
        applier->kernels->add_keys[applier->value][mr_width_index(applier->width)];
    const uint64_t stripe_bytes = (applier->width * mr_value_bytes(applier->value))
                                  << kept->stripe_bits;
    uint64_t done = 0;
    for (uint32_t i = 0; i < kept->n_stripes; i++) {
        const uint8_t *x = (const uint8_t *)values + i * stripe_bytes;
        add(&applier->shape, kept->keys + done, kept->ends[i] - done, x, accumulator);
        done = kept->ends[i];
    }
}
