/* SPDX-License-Identifier: Apache-2.0 */
/* Applies a tile: accumulator[target] += x[source] for each of its edges, whatever its encoding.
 * The pass calls these functions and knows no encoding; a new encoding adds its kernels behind
 * them.
 *
 * Nothing in a tile is trusted. Whatever its bytes are, the functions touch nothing outside the
 * given arrays, and they refuse a tile that does not match its header. */
#ifndef MR_ENGINE_TILE_APPLY_H
#define MR_ENGINE_TILE_APPLY_H

#include "engine/tile/corners.h"
#include "engine/tile/key_kernels.h"
#include "engine/tile/tile.h"

/* A tile of keys with at most this many edges is added up MR_TILES_DELAYED small tiles after it is
 * decoded. Its values lie all over a stripe, and no other tile has brought them into the caches, so
 * each edge waits for memory: 10 to 14 ns on a crawl whose other edges are in corner tiles. The
 * delay gives prefetches time. */
#define MR_TILE_SMALL_LINKS 256u
#define MR_TILES_DELAYED    4u

struct mr_delayed_tile {
    const void *x;
    void *accumulator;
    uint32_t n_keys;
    const uint32_t *keys; /* points to `decoded`, or to the keys of a decoded tile */
    uint32_t decoded[MR_TILE_SMALL_LINKS + MR_KEYS_SLACK_KEYS];
};

/* What one thread needs to apply tiles: the kernels of this machine for one type of values, and
 * buffers. Only the files of the encodings use the fields. */
struct mr_tile_applier {
    const struct mr_store_info *info;
    struct mr_memory *memory;
    struct mr_kernel_shape shape;
    const struct mr_key_kernels *kernels;
    enum mr_value value;

    /* Corner tiles; no memory where the store has none. */
    struct mr_corners_shape corners_shape;
    struct mr_corners_scratch corners;
    void *corners_memory;
    const void *prepared_x; /* corners.values belong to this stripe; NULL: to none */

    /* The ring of mr_tile_apply_later. */
    unsigned first_delayed, n_delayed;
    struct mr_delayed_tile delayed[MR_TILES_DELAYED];

    /* A batch of edges with weights; NULL where the store has none. */
    uint32_t *keys; /* [MR_KEYS_BATCH + MR_KEYS_SLACK_KEYS], followed by `weights` */
    float *weights; /* [MR_KEYS_BATCH] */
    double weight_scale; /* what a weight counts; a power of two */
};

/* Most bytes that mr_tile_applier_create charges. */
uint64_t mr_tile_applier_memory(const struct mr_store_info *info);

/* Create an applier. `info` and `memory` outlive it.
 * Errors: BUDGET. Destroy takes NULL. */
enum mr_status mr_tile_applier_create(struct mr_memory *memory, const struct mr_store_info *info,
                                      struct mr_tile_applier **out,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_tile_applier_destroy(struct mr_tile_applier *applier);

/* Call before the first tile of a run. */
void mr_tile_applier_begin(struct mr_tile_applier *applier, enum mr_value value);

/* Call before the first tile of a unit of work, and whenever values in x have changed: the applier
 * forgets what it derived from them (prefix sums of a stripe). */
void mr_tile_applier_forget(struct mr_tile_applier *applier);

/* What is needed after a tile: the values of the next one, and a share of the next block. The
 * applier only prefetches them. */
struct mr_tile_ahead {
    const void *values;
    uint64_t value_bytes; /* 0: nothing */
    const uint8_t *bytes;
    uint64_t n_bytes; /* 0: nothing */
};

/* Prefetch `ahead` while `tile`, the next one, is applied; for this tile only. */
void mr_tile_applier_expect(struct mr_tile_applier *applier, const struct mr_tile_ahead *ahead,
                            const struct mr_tile *tile);

/* Apply `tile`, which mr_tile_next returned and whose bytes have not moved. `x`: the values of the
 * tile's stripe, [1 << stripe_bits] (the pass pads x to whole bands). `accumulator`: the sums
 * of the band, [1 << band_bits]. False when the tile does not decode: the accumulator is then
 * unspecified. Sums come in order, but some of them only at a later call of this function or of
 * mr_tile_applier_finish. Until then x and the accumulator must stay, and the caller uses the
 * applier for nothing else. */
bool mr_tile_apply_later(struct mr_tile_applier *applier, const struct mr_tile *tile, const void *x,
                         void *accumulator) MR_WARN_UNUSED;
void mr_tile_applier_finish(struct mr_tile_applier *applier);

#endif
