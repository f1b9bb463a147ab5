/* SPDX-License-Identifier: Apache-2.0 */
/* Applies tiles of all encodings. The pass hands each tile of a block to mr_tile_apply_later, which
 * chooses the kernel by encoding and type. Two ways of prefetching also live here, because
 * they need several tiles: small tiles are added up later than they are decoded, and the next
 * tile's values are fetched while the current tile is applied. */
#include "engine/tile/apply.h"

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/tile/corners_kernels.h"
#include "engine/tile/weight_kernels.h"

static struct mr_corners_shape corners_shape(const struct mr_store_info *info)
{
    return (struct mr_corners_shape){.band_bits = info->band_bits,
                                     .stripe_bits = info->stripe_bits};
}

static uint64_t corners_bytes(const struct mr_store_info *info)
{
    const struct mr_corners_shape shape = corners_shape(info);
    return info->corners.edges == 0 ? 0 : mr_corners_scratch_bytes(&shape);
}

/* Bytes of a batch of edges with weights. */
#define BATCH_BYTES ((2 * MR_KEYS_BATCH + MR_KEYS_SLACK_KEYS) * sizeof(uint32_t) + 4096)

uint64_t mr_tile_applier_memory(const struct mr_store_info *info)
{
    return mr_round_up(sizeof(struct mr_tile_applier), 4096) +
           mr_round_up(corners_bytes(info), 4096) + (info->is_weighted ? BATCH_BYTES : 0);
}

enum mr_status mr_tile_applier_create(struct mr_memory *memory, const struct mr_store_info *info,
                                      struct mr_tile_applier **out, struct mr_error *err)
{
    void *pointer = NULL;
    enum mr_status status = mr_memory_alloc(memory, "tile kernels", sizeof **out, &pointer, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_tile_applier *applier = pointer;
    *applier = (struct mr_tile_applier){
        .info = info,
        .memory = memory,
        .shape = mr_kernel_shape_of(info),
        .kernels = mr_key_kernels_best(),
        .weight_scale = 1,
        .corners_shape = corners_shape(info),
    };
    if (corners_bytes(info) > 0) {
        status = mr_memory_alloc(memory, "corner tiles", corners_bytes(info),
                                 &applier->corners_memory, err);
        if (status != MR_OK) {
            mr_tile_applier_destroy(applier);
            return status;
        }
        mr_corners_scratch_init(&applier->corners, &applier->corners_shape, applier->kernels,
                                mr_corners_best_kernels(), applier->corners_memory);
    }
    if (info->is_weighted) {
        status = mr_memory_alloc(memory, "links with weights", BATCH_BYTES, &pointer, err);
        if (status != MR_OK) {
            mr_tile_applier_destroy(applier);
            return status;
        }
        applier->keys = pointer;
        applier->weights = (float *)(applier->keys + MR_KEYS_BATCH + MR_KEYS_SLACK_KEYS);
    }
    *out = applier;
    return MR_OK;
}

void mr_tile_applier_destroy(struct mr_tile_applier *applier)
{
    if (applier != NULL) {
        mr_memory_free(applier->memory, applier->keys);
        mr_memory_free(applier->memory, applier->corners_memory);
        mr_memory_free(applier->memory, applier);
    }
}

void mr_tile_applier_begin(struct mr_tile_applier *applier, enum mr_value value)
{
    applier->value = value;
    applier->n_delayed = 0;
    mr_tile_applier_forget(applier);
}

void mr_tile_applier_forget(struct mr_tile_applier *applier)
{
    applier->prepared_x = NULL;
}

static bool apply_corners(struct mr_tile_applier *applier, const struct mr_tile *tile,
                          const void *x, void *accumulator)
{
    struct mr_corners corners;
    struct mr_corners_scratch *scratch = &applier->corners;

    if (applier->corners_memory == NULL ||
        mr_corners_open(&applier->corners_shape, tile->n_entries, tile->data, tile->data_bytes,
                        &corners) != NULL) {
        return false;
    }
    if (applier->prepared_x != x) {
        mr_corners_prepare(scratch, applier->value, x);
        applier->prepared_x = x;
    }
    return mr_corners_apply(scratch, &corners, accumulator) == NULL;
}

static bool apply_weighted(struct mr_tile_applier *applier, const struct mr_tile *tile,
                           const void *x, double *accumulator)
{
    struct mr_weighted_cursor cursor = mr_weighted_cursor_of(tile, applier->kernels->decode);
    bool good = applier->keys != NULL && applier->value != MR_VALUE_U64;
    uint32_t n;
    while (good && (n = mr_weighted_next(&cursor, applier->keys, applier->weights, &good)) > 0) {
        mr_weighted_add(applier->value, &applier->shape, applier->keys, applier->weights,
                        applier->weight_scale, n, x, accumulator);
    }
    return good;
}

/* When values are prefetched. A band of at most 2^16 targets: the accumulator and two stripes of
 * 2^18 bytes nearly fit in L2, and the hardware prefetches the stripe that is read; fetching it
 * took 3% longer on kron-22 while keys are decoded. Stripes of doubles are twice as long: fetching
 * saves 12 to 20% of a pass. Over decoded keys, which are faster, it saves 14% (floats: 8%). On
 * kron-24, in bands of 2^18, it saves a quarter. */
enum { FETCH_ABOVE_BITS = 16, FETCH_ABOVE_BYTES = 1 << 18 };

/* Most bytes to fetch per sixteen edges. More would delay the core's own loads. */
enum { STRIDE_MOST = 256, STEP_LINKS = 16 };

static struct mr_ahead spread(const void *at, uint64_t n_bytes, uint32_t n_entries)
{
    const uint32_t steps = n_entries / STEP_LINKS;
    return (struct mr_ahead){
        .at = at,
        .stride = steps == 0 ? 0 : (unsigned)mr_min_u64(n_bytes / steps, STRIDE_MOST),
    };
}

void mr_tile_applier_expect(struct mr_tile_applier *applier, const struct mr_tile_ahead *ahead,
                            const struct mr_tile *tile)
{
    const bool is_wide = applier->shape.band_bits > FETCH_ABOVE_BITS;
    const bool is_dense = ahead->value_bytes / STRIDE_MOST < tile->n_entries / STEP_LINKS;
    const bool is_fast =
        mr_tile_is_decoded(tile->encoding) || ahead->value_bytes > FETCH_ABOVE_BYTES;
    const bool fetches = is_wide || (is_dense && is_fast);
    applier->shape.ahead[0] =
        spread(ahead->values, fetches ? ahead->value_bytes : 0, tile->n_entries);
    applier->shape.ahead[1] = spread(ahead->bytes, ahead->n_bytes, tile->n_entries);
}

static void add_first_delayed(struct mr_tile_applier *applier)
{
    const struct mr_delayed_tile *delayed = &applier->delayed[applier->first_delayed];
    applier->kernels->add_keys[applier->value](&applier->shape, delayed->keys, delayed->n_keys,
                                               delayed->x, delayed->accumulator);
    applier->first_delayed = (applier->first_delayed + 1) % MR_TILES_DELAYED;
    applier->n_delayed--;
}

void mr_tile_applier_finish(struct mr_tile_applier *applier)
{
    while (applier->n_delayed > 0) {
        add_first_delayed(applier);
    }
}

static bool delay(struct mr_tile_applier *applier, const struct mr_tile *tile, const void *x,
                  void *accumulator)
{
    if (applier->n_delayed == MR_TILES_DELAYED) {
        add_first_delayed(applier);
    }
    struct mr_delayed_tile *delayed =
        &applier->delayed[(applier->first_delayed + applier->n_delayed) % MR_TILES_DELAYED];
    const struct mr_kernel_shape *shape = &applier->shape;
    const size_t value_bytes = mr_value_bytes(applier->value);
    const uint8_t *end = tile->data + tile->data_bytes;
    delayed->x = x;
    delayed->accumulator = accumulator;
    delayed->n_keys = tile->n_entries;
    delayed->keys = delayed->decoded;
    if (mr_tile_is_decoded(tile->encoding)) {
        delayed->keys = (const uint32_t *)tile->data;
    } else if (applier->kernels->decode(tile->data, end, 0, delayed->decoded, tile->n_entries) !=
               end) {
        return false;
    }
    for (uint32_t i = 0; i < tile->n_entries; i++) {
        const size_t source = (delayed->keys[i] >> shape->band_bits) & shape->source_mask;
        __builtin_prefetch((const uint8_t *)x + source * value_bytes);
    }
    applier->n_delayed++;
    return true;
}

static bool apply_encoded(struct mr_tile_applier *applier, const struct mr_tile *tile,
                          const void *x, void *accumulator)
{
    const mr_stream_kernel add = applier->kernels->add_stream[applier->value];
    const uint8_t *end = tile->data + tile->data_bytes;
    switch ((enum mr_tile_encoding)tile->encoding) {
    case MR_TILE_KEYS:
        return add(&applier->shape, tile->data, end, tile->n_entries, x, accumulator) == end;
    case MR_TILE_CORNERS:
        return apply_corners(applier, tile, x, accumulator);
    case MR_TILE_BYTE_WEIGHTS:
    case MR_TILE_FLOAT_WEIGHTS:
        return apply_weighted(applier, tile, x, accumulator);
    }
    return false;
}

static bool apply(struct mr_tile_applier *applier, const struct mr_tile *tile, const void *x,
                  void *accumulator)
{
    bool is_good = true;
    if (mr_tile_is_decoded(tile->encoding)) {
        applier->kernels->add_keys[applier->value](&applier->shape, (const uint32_t *)tile->data,
                                                   tile->n_entries, x, accumulator);
    } else {
        is_good = apply_encoded(applier, tile, x, accumulator);
    }
    applier->shape.ahead[0].stride = applier->shape.ahead[1].stride = 0;
    return is_good;
}

bool mr_tile_apply_later(struct mr_tile_applier *applier, const struct mr_tile *tile, const void *x,
                         void *accumulator)
{
    if ((tile->encoding == MR_TILE_KEYS || mr_tile_is_decoded(tile->encoding)) &&
        tile->n_entries <= MR_TILE_SMALL_LINKS) {
        return delay(applier, tile, x, accumulator);
    }
    mr_tile_applier_finish(applier);
    return apply(applier, tile, x, accumulator);
}
