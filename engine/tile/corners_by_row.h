/* SPDX-License-Identifier: Apache-2.0 */
/* Reads corner tiles row by row: for each target of a part, its sources. Everything is verified.
 * Callers that want links by target get them here without a sort; engine/tile/corners_expand.h
 * gives them by source. Internal. */
#ifndef MR_ENGINE_TILE_CORNERS_BY_ROW_H
#define MR_ENGINE_TILE_CORNERS_BY_ROW_H

#include "engine/base/context.h"
#include "engine/tile/corners.h"

struct mr_corners_by_row;

/* A target (less the band's first vertex) and its sources (less the stripe's first vertex),
 * strictly ascending. */
struct mr_corners_row {
    uint32_t row;
    uint32_t n_columns; /* 0: there are no more rows */
    const uint32_t *columns; /* valid until the next call */
};

/* Bytes that create charges. */
uint64_t mr_corners_by_row_memory(const struct mr_corners_shape *shape);

/* For one thread. Destroy takes NULL. */
enum mr_status mr_corners_by_row_create(struct mr_memory *memory,
                                        const struct mr_corners_shape *shape,
                                        struct mr_corners_by_row **out,
                                        struct mr_error *err) MR_WARN_UNUSED;
void mr_corners_by_row_destroy(struct mr_corners_by_row *by_row);

/* Begin with a part of a tile; `data` is read here and not kept. Returns what is wrong with it, or
 * NULL. O(entries + rows). */
const char *mr_corners_by_row_open(struct mr_corners_by_row *by_row, uint32_t n_links,
                                   const uint8_t *data, uint32_t data_bytes);

/* The next row that has links, ascending. Returns what is wrong, or NULL: all rows up to the end
 * then make up exactly n_links links, none twice. O(n_links) for all of them, whatever the bytes
 * say. */
const char *mr_corners_by_row_next(struct mr_corners_by_row *by_row, struct mr_corners_row *row);

#endif
