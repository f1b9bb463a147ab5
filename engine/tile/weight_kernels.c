/* SPDX-License-Identifier: Apache-2.0 */
/* The scatter over edges with weights, and the cursor that decodes them in batches.
 * engine/tile/apply.c uses both for tiles with weights. Plain C: the header says why one loop
 * serves all instruction sets. */
#include "engine/tile/weight_kernels.h"

#include "engine/base/bytes.h"

#define ADD_WEIGHTED(name, type)                                                                   \
    static inline void name(const struct mr_kernel_shape *shape, const uint32_t *restrict keys,    \
                            const float *restrict weights, double scale, size_t n_keys,            \
                            const type *restrict x, double *restrict accumulator)                  \
    {                                                                                              \
        const unsigned bits = shape->band_bits;                                                    \
        const uint32_t sources = shape->source_mask, targets = shape->target_mask;                 \
        for (size_t i = 0; i < n_keys; i++) {                                                      \
            const double weight = (double)weights[i] * scale;                                      \
            accumulator[keys[i] & targets] += weight * (double)x[(keys[i] >> bits) & sources];     \
        }                                                                                          \
    }

ADD_WEIGHTED(add_floats, float)
ADD_WEIGHTED(add_doubles, double)

void mr_weighted_add(enum mr_value value, const struct mr_kernel_shape *shape, const uint32_t *keys,
                     const float *weights, double scale, size_t n_keys, const void *x,
                     double *accumulator)
{
    if (value == MR_VALUE_FLOAT) {
        add_floats(shape, keys, weights, scale, n_keys, x, accumulator);
    } else {
        add_doubles(shape, keys, weights, scale, n_keys, x, accumulator);
    }
}

void mr_tile_weights(const struct mr_tile *tile, uint32_t first, uint32_t n, float *weights)
{
    const uint8_t *at = mr_tile_keys_end(tile);
    if (tile->encoding == MR_TILE_BYTE_WEIGHTS) {
        for (uint32_t i = 0; i < n; i++) {
            weights[i] = at[first + i];
        }
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        weights[i] = mr_get_f32(at + 4 * (size_t)(first + i));
    }
}

uint32_t mr_weighted_next(struct mr_weighted_cursor *cursor, uint32_t *keys, float *weights,
                          bool *good)
{
    const struct mr_tile *tile = cursor->tile;
    const uint8_t *end = mr_tile_keys_end(tile);
    const uint32_t n =
        (uint32_t)mr_min_u64(tile->n_entries - cursor->done, (uint64_t)MR_KEYS_BATCH);
    if (n == 0) {
        *good &= cursor->at == end;
        return 0;
    }
    cursor->at = cursor->decode(cursor->at, end, cursor->previous, keys, n);
    if (cursor->at == NULL) {
        *good = false;
        return 0;
    }
    mr_tile_weights(tile, cursor->done, n, weights);
    cursor->previous = keys[n - 1];
    cursor->done += n;
    return n;
}
