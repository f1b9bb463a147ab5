/* SPDX-License-Identifier: Apache-2.0 */
/* The scatter of a pass over edges with weights: accumulator[target] += weight * x[source] for each
 * key, in key order, in double. A product of floats is exact in double; a product with a double x
 * is rounded once.
 *
 * One C loop serves all instruction sets: 1.08 ns per edge on random keys. Separate products, 256
 * at a time, with gathers of AVX-512 or AVX2 took 1.27 and 1.22, because the additions into the
 * accumulator are the limit. Internal to the engine. */
#ifndef MR_ENGINE_TILE_WEIGHT_KERNELS_H
#define MR_ENGINE_TILE_WEIGHT_KERNELS_H

#include "engine/tile/key_kernels.h"
#include "engine/tile/tile.h"

/* `weights` [n_keys], each of which counts `scale` times, a power of two. x is float or double,
 * [source_mask + 1]; the rest is as in key_kernels.h. */
void mr_weighted_add(enum mr_value value, const struct mr_kernel_shape *shape, const uint32_t *keys,
                     const float *weights, double scale, size_t n_keys, const void *x,
                     double *accumulator);

/* Read the weights first .. first + n - 1 of a tile with weights. */
void mr_tile_weights(const struct mr_tile *tile, uint32_t first, uint32_t n, float *weights);

/* Walks over all keys and weights of a tile, at most MR_KEYS_BATCH at a time. */
struct mr_weighted_cursor {
    const struct mr_tile *tile;
    mr_keys_decoder decode;
    const uint8_t *at;
    uint32_t done, previous;
};
static inline struct mr_weighted_cursor mr_weighted_cursor_of(const struct mr_tile *tile,
                                                              mr_keys_decoder decode)
{
    return (struct mr_weighted_cursor){.tile = tile, .decode = decode, .at = tile->data};
}
/* Write the next batch to `keys` [MR_KEYS_BATCH + MR_KEYS_SLACK_KEYS] and `weights`
 * [MR_KEYS_BATCH]. Returns its size, 0 at the end. Sets `*good` to false and returns 0 when the
 * keys do not decode. */
uint32_t mr_weighted_next(struct mr_weighted_cursor *cursor, uint32_t *keys, float *weights,
                          bool *good);

#endif
