/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes edges as corner tiles, and estimates the cost of both encodings. Internal to the engine.
 *
 * The encoding of a part of a tile depends on its edges alone, through this model, in picoseconds
 * of one thread. It never depends on timing, so that the same graph gives the same bytes
 * everywhere. docs/corner-tiles.md has the measurement that the model was fitted to. */
#ifndef MR_ENGINE_TILE_CORNERS_ENCODE_H
#define MR_ENGINE_TILE_CORNERS_ENCODE_H

#include "engine/base/context.h"
#include "engine/tile/corners.h"

#define MR_COST_KEY_PS    1100u /* decode and scatter one key */
#define MR_COST_ENTRY_PS  1300u /* decode and scatter one entry of a corner tile */
#define MR_COST_ROW_PS    350u /* scan one row */
#define MR_COST_COLUMN_PS 350u /* scale and sum up one column */

static inline uint64_t mr_cost_of_keys(uint64_t n_links)
{
    return n_links * MR_COST_KEY_PS;
}

/* `n_columns`: all columns of the stripe, for each part. */
static inline uint64_t mr_cost_of_corners(uint64_t n_entries, uint64_t n_rows, uint64_t n_columns)
{
    return n_entries * MR_COST_ENTRY_PS + n_rows * MR_COST_ROW_PS + n_columns * MR_COST_COLUMN_PS;
}

struct mr_corners_encoder;

/* Create an encoder for one thread. Takes about 2.5 MiB and 4 bytes per row, charged to the budget.
 * Errors: BUDGET. Destroy takes NULL. */
enum mr_status mr_corners_encoder_create(const struct mr_context *context,
                                         const struct mr_corners_shape *shape,
                                         struct mr_corners_encoder **out,
                                         struct mr_error *err) MR_WARN_UNUSED;
void mr_corners_encoder_destroy(struct mr_corners_encoder *encoder);

enum mr_corners_result {
    MR_CORNERS_DONE,
    MR_CORNERS_SLOWER, /* keys are cheaper, or the only way: see mr_corners_encode */
    MR_CORNERS_TOO_LARGE /* too large for a block; half of the edges may fit */
};

/* The result; valid until the next call of mr_corners_encode. */
struct mr_corners_part {
    const uint8_t *bytes;
    uint32_t n_bytes; /* at most MR_CORNERS_PART_MAX_BYTES */
    uint32_t n_entries, n_rows;
};

/* Bytes that an empty block has room for. */
#define MR_CORNERS_PART_MAX_BYTES (MR_BLOCK_RAW_MAX_BYTES - MR_TILE_HEADER_MAX_BYTES)

/* Encode edges, given as ascending keys (column << band_bits | row), `n_keys` of
 * 1..MR_CORNERS_LINKS_MAX. With `always`, encode also where keys are cheaper, but never repeated
 * edges, nor fewer than one edge per eight rows. `*part` is set for MR_CORNERS_DONE. O(n_keys). A
 * sample decides first, so that graphs without structure lose little time. */
enum mr_corners_result mr_corners_encode(struct mr_corners_encoder *encoder, const uint32_t *keys,
                                         uint32_t n_keys, bool always,
                                         struct mr_corners_part *part);

#endif
