/* SPDX-License-Identifier: Apache-2.0 */
/* Turns corner tiles back into edges and verifies everything: for the sweeps inside a diagonal
 * tile, for export, queries and checks. Internal. */
#ifndef MR_ENGINE_TILE_CORNERS_EXPAND_H
#define MR_ENGINE_TILE_CORNERS_EXPAND_H

#include "engine/base/context.h"
#include "engine/tile/corners.h"

struct mr_corners_expander;

/* Most bytes that mr_corners_expander_create charges. */
uint64_t mr_corners_expander_memory(void);

/* Create an expander for one thread. Errors: BUDGET. Destroy takes NULL. */
enum mr_status mr_corners_expander_create(struct mr_memory *memory,
                                          const struct mr_corners_shape *shape,
                                          struct mr_corners_expander **out,
                                          struct mr_error *err) MR_WARN_UNUSED;
void mr_corners_expander_destroy(struct mr_corners_expander *expander);

/* Write the edges of a part of a tile to `keys[n_links]` as keys (column << band_bits | row),
 * strictly ascending. Returns what is wrong with the part, or NULL: then the entries form exactly
 * n_links edges without repetition. O(n_links), whatever the bytes are; about 3 ns per edge. */
const char *mr_corners_expand(struct mr_corners_expander *expander, uint32_t n_links,
                              const uint8_t *data, uint32_t data_bytes, uint32_t *keys);

#endif
