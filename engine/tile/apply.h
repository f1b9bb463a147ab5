/* Applying a tile: accumulator[target] += x[source] for each of its links, whatever its encoding. The
 * pass hands tiles over and knows no encoding; a new one has its kernels behind these functions.
 *
 * Nothing in a tile is believed: whatever its bytes say, nothing outside of the arrays given is touched,
 * and a tile that is not what its header promised is refused. */
#ifndef MR_ENGINE_TILE_APPLY_H
#define MR_ENGINE_TILE_APPLY_H

#include "engine/tile/corners.h"
#include "engine/tile/key_kernels.h"
#include "engine/tile/tile.h"

/* Tiles of keys with no more links than this are added up MR_TILES_DELAYED small tiles later than they are
 * decoded. Theirs are values all over a stripe that no other tile has brought near, so each link waits for
 * memory: 10 to 14 ns on a crawl whose other links are in corner tiles. */
#define MR_TILE_SMALL_LINKS 256u
#define MR_TILES_DELAYED    4u

struct mr_delayed_tile {
    const void *x;
    void *accumulator;
    uint32_t n_keys;
    const uint32_t *keys; /* `decoded`, or those of a decoded tile */
    uint32_t decoded[MR_TILE_SMALL_LINKS + MR_KEYS_SLACK_KEYS];
};

/* What one thread needs to apply tiles: the kernels of this machine for a type of values, and buffers.
 * The fields are for the encodings' own files. */
struct mr_tile_applier {
    const struct mr_store_info *info;
    struct mr_memory *memory;
    struct mr_kernel_shape shape;
    const struct mr_key_kernels *kernels;
    enum mr_value value;
    unsigned width, most_width;

    /* Corners; no memory where the store has none. */
    struct mr_corners_shape corners_shape;
    struct mr_corners_scratch corners;
    void *corners_memory;
    const void *prepared_x; /* corners.values are of this stripe; NULL: of none */

    /* Of mr_tile_apply_later: a ring. */
    unsigned first_delayed, n_delayed;
    struct mr_delayed_tile delayed[MR_TILES_DELAYED];

    /* A batch of links with weights; NULL where the store has none. */
    uint32_t *keys; /* [MR_KEYS_BATCH + MR_KEYS_SLACK_KEYS], and behind them */
    float *weights; /* [MR_KEYS_BATCH] */
};

/* Bytes that create charges at most. */
uint64_t mr_tile_applier_memory(const struct mr_store_info *info, unsigned width);

/* For runs of up to `width` values a vertex. `info` and `memory` outlive it. Destroy takes NULL. */
enum mr_status mr_tile_applier_create(struct mr_memory *memory, const struct mr_store_info *info,
                                      unsigned width, struct mr_tile_applier **out,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_tile_applier_destroy(struct mr_tile_applier *applier);

/* Before the first tile of a run: vertices have `width` (1, 2, 4, 8 or 16, at most what it was created for;
 * u64: 1) values. */
void mr_tile_applier_begin(struct mr_tile_applier *applier, enum mr_value value, unsigned width);

/* Before the first tile of a unit of work, and whenever values in x have changed since: what was derived
 * from them (prefix sums of a stripe) is forgotten. */
void mr_tile_applier_forget(struct mr_tile_applier *applier);

/* What is wanted after a tile: the values of the next one, and a share of the next block. Nothing is read of
 * either but by the caches. */
struct mr_tile_ahead {
    const void *values;
    uint64_t value_bytes; /* 0: nothing */
    const uint8_t *bytes;
    uint64_t n_bytes; /* 0: nothing */
};

/* Have this fetched while `tile`, the next one, is applied; that one alone. */
void mr_tile_applier_expect(struct mr_tile_applier *applier, const struct mr_tile_ahead *ahead,
                            const struct mr_tile *tile);

/* Apply `tile`, just read by mr_tile_next and its bytes not moved since. `x`: the values of the tile's
 * stripe, [width << stripe_bits] (the pass pads x to whole bands); `accumulator`: the band's,
 * [width << band_bits]. False when the tile does not decode: the accumulator is then unspecified. */
bool mr_tile_apply(struct mr_tile_applier *applier, const struct mr_tile *tile, const void *x,
                   void *accumulator) MR_WARN_UNUSED;

/* The same sums in the same order, some of them only at a later call of this, or of mr_tile_applier_finish, until
 * which x and the accumulator stay. Between this and that nothing else is done with the applier. */
bool mr_tile_apply_later(struct mr_tile_applier *applier, const struct mr_tile *tile, const void *x,
                         void *accumulator) MR_WARN_UNUSED;
void mr_tile_applier_finish(struct mr_tile_applier *applier);

#endif
