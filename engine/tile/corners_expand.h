/* Corner tiles back into links, everything verified: for the sweeps inside a diagonal tile, for export,
 * queries and checks. Internal. */
#ifndef MR_ENGINE_TILE_CORNERS_EXPAND_H
#define MR_ENGINE_TILE_CORNERS_EXPAND_H

#include "engine/base/context.h"
#include "engine/tile/corners.h"

struct mr_corners_expander;

/* Bytes that create charges at most. */
uint64_t mr_corners_expander_memory(void);

/* For one thread. Destroy takes NULL. */
enum mr_status mr_corners_expander_create(struct mr_memory *memory,
                                          const struct mr_corners_shape *shape,
                                          struct mr_corners_expander **out,
                                          struct mr_error *err) MR_WARN_UNUSED;
void mr_corners_expander_destroy(struct mr_corners_expander *expander);

/* The links of a part of a tile as keys (column << band_bits | row), strictly ascending: `keys[n_links]`.
 * Returns what is wrong with the part, or NULL: entries then make up exactly n_links links, none of them
 * twice. O(n_links), whatever the bytes say; about 3 ns a link. */
const char *mr_corners_expand(struct mr_corners_expander *expander, uint32_t n_links,
                              const uint8_t *data, uint32_t data_bytes, uint32_t *keys);

#endif
