/* The scatter of a pass over links with weights: accumulator[target] += weight * x[source] for each key, in
 * key order, in double. A product of floats is exact in double; one of a double x is rounded once.
 *
 * One loop in C for all: 1.08 ns a link on random keys, where products taken apart, 256 at a time, with gathers of
 * AVX-512 or AVX2 took 1.27 and 1.22, since the additions into the accumulator are what binds.
 * Internal to the engine. */
#ifndef MR_ENGINE_TILE_WEIGHT_KERNELS_H
#define MR_ENGINE_TILE_WEIGHT_KERNELS_H

#include "engine/tile/key_kernels.h"
#include "engine/tile/tile.h"

/* `weights` [n_keys]; the rest as in key_kernels.h, x float or double, [(source_mask + 1) * width]. */
void mr_weighted_add(enum mr_value value, unsigned width, const struct mr_kernel_shape *shape,
                     const uint32_t *keys, const float *weights, size_t n_keys, const void *x,
                     double *accumulator);

/* The weights first .. first + n - 1 of a tile that has some. */
void mr_tile_weights(const struct mr_tile *tile, uint32_t first, uint32_t n, float *weights);

/* All of a tile's keys and weights, MR_KEYS_BATCH at most at a time. */
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
/* The next ones, to `keys` [MR_KEYS_BATCH + MR_KEYS_SLACK_KEYS] and `weights` [MR_KEYS_BATCH]; 0 at the end.
 * `*good` is set false, and 0 returned, when they do not decode. */
uint32_t mr_weighted_next(struct mr_weighted_cursor *cursor, uint32_t *keys, float *weights,
                          bool *good);

#endif
