/* The diagonal tile of a band, kept so that it can be applied several times from cache: keys decoded,
 * corners as they are, or as keys too where sweeps go from vertex to vertex. */
#ifndef MR_ENGINE_TILE_KEEP_H
#define MR_ENGINE_TILE_KEEP_H

#include "engine/tile/apply.h"

struct mr_kept_tiles;

/* May the diagonal tile of this band be kept? A fixed rule, since it decides what is computed: at most
 * 2^21 links (32 per vertex of a 2^16 band, 8 MiB of keys). Larger ones are applied once. */
bool mr_kept_tiles_fit(const struct mr_store_info *info, const struct mr_band_entry *band);

/* Bytes that create charges at most, for bands of a store as `bands` [n_bands] has them; NULL: for any
 * store of this shape. */
uint64_t mr_kept_tiles_memory(const struct mr_store_info *info, const struct mr_band_entry *bands);

/* Room for the largest diagonal tile that fits. `info` and `memory` outlive it. Destroy takes NULL. */
enum mr_status mr_kept_tiles_create(struct mr_memory *memory, const struct mr_store_info *info,
                                    const struct mr_band_entry *bands, struct mr_kept_tiles **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_kept_tiles_destroy(struct mr_kept_tiles *kept);

/* Begin the next band's. `as_keys`: mr_kept_tiles_keys will be asked for. */
void mr_kept_tiles_begin(struct mr_kept_tiles *kept, bool as_keys);

/* Decode one more tile: `stripe` counted from the band's first one; stripes in order, and in a store of
 * several parts in order again for each. False when it does not decode, the stripe is not one of the
 * band's, out of order, or there are more links than fit. */
bool mr_kept_tiles_add(struct mr_kept_tiles *kept, struct mr_tile_applier *applier,
                       const struct mr_tile *tile, uint32_t stripe) MR_WARN_UNUSED;

/* Links in it. */
uint64_t mr_kept_tiles_links(const struct mr_kept_tiles *kept);

/* The links as keys, ascending in each stripe of the band: those of stripe i end at (*ends)[i]. */
const uint32_t *mr_kept_tiles_keys(const struct mr_kept_tiles *kept, const uint64_t **ends);

/* Their weights; NULL where links have none. */
const float *mr_kept_tiles_weights(const struct mr_kept_tiles *kept);

/* accumulator += the tile applied to `values`, the band's own: both [width << band_bits], the width and
 * type as the applier was told. False when a tile of corners turns out not to be one of links. */
bool mr_kept_tiles_apply(const struct mr_kept_tiles *kept, struct mr_tile_applier *applier,
                         const void *values, void *accumulator) MR_WARN_UNUSED;

#endif
