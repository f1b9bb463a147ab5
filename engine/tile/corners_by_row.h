/* SPDX-License-Identifier: Apache-2.0 */
/* Turns corner tiles into rows: for each target of a part, its sources. Sweeps need links in this
 * order; engine/tile/corners_expand.h gives them by source. Everything is verified. Internal. */
#ifndef MR_ENGINE_TILE_CORNERS_BY_ROW_H
#define MR_ENGINE_TILE_CORNERS_BY_ROW_H

#include "engine/base/context.h"
#include "engine/tile/corners.h"

struct mr_corners_by_row;

/* The rows of a part. Row r of them is target first_row + r of the band. Its sources,
 * in an order that follows from the part alone, end at sources[ends[r]] and begin where those of
 * the row above end. A link from the target to itself is not among them: bit r of self_links is
 * set. */
struct mr_part_rows {
    uint32_t first_row, n_rows;
    const uint32_t *ends; /* [n_rows] */
    const uint64_t *self_links; /* [(n_rows + 63) / 64] */
};

/* Bytes that create charges. */
uint64_t mr_corners_by_row_memory(const struct mr_corners_shape *shape);

/* For one thread. Destroy takes NULL. */
enum mr_status mr_corners_by_row_create(struct mr_memory *memory,
                                        const struct mr_corners_shape *shape,
                                        struct mr_corners_by_row **out,
                                        struct mr_error *err) MR_WARN_UNUSED;
void mr_corners_by_row_destroy(struct mr_corners_by_row *by_row);

/* How many sources there must be room for: some are written beyond the last one. */
uint64_t mr_corners_by_row_room(uint64_t n_links);

/* Decode a part of a tile of `n_links` links to sources[mr_corners_by_row_room(n_links)]. They
 * count from the first vertex of a band that has `n_vertices`, at most 2^16, of which
 * `first_source` is the stripe's first one. Returns what is wrong, or NULL: the rows then make up
 * exactly n_links links, none twice. `*rows` is valid until the next call. O(entries + rows +
 * links). */
const char *mr_corners_make_rows(struct mr_corners_by_row *by_row, uint32_t n_links,
                                 const uint8_t *data, uint32_t data_bytes, uint32_t first_source,
                                 uint32_t n_vertices, uint16_t *sources, struct mr_part_rows *rows);

#endif
