/* SPDX-License-Identifier: Apache-2.0 */
/* Corner tiles: fewer operations than edges. Internal to the engine.
 *
 * Rows are a band's targets, columns are a stripe's sources. Neighbouring pages have nearly the
 * same in-links, and in-links come in runs. So a row is written as its difference from the row
 * above, or afresh where that is shorter; and a run of columns is written as its two ends:
 *
 *              columns                  entries of row r, from row r - 1
 *     row 4    . 1 1 1 1 . . 1          afresh: + columns through 4, - columns through 0, + 7
 *     row 5    . 1 1 1 1 . . 1          none
 *     row 6    . 1 1 1 1 . 1 1          + 6
 *     row 7    . . . . . . . .          afresh: none
 *
 *     row r of tile * x  =  (0 or row r - 1) + its entries of x and of sums of x through a column
 *
 * A pass costs one scattered addition per entry, a prefix sum over the columns and a segmented
 * prefix sum over the rows. All sums are 64-bit integers: per stripe, x is scaled by a power of two
 * so that it sums up to 2^61..2^62. Integers cancel exactly in any order. So a row without in-edges
 * is exactly 0, no row is negative, and every instruction set gives the same bits. The only error
 * is that of the scaling: at most MR_PASS_LINK_ERROR times the stripe's sum for each edge. See
 * docs/corner-tiles.md.
 *
 * Layout of a part of a tile: docs/store-format.md, "Encoding 1, corners". */
#ifndef MR_ENGINE_TILE_CORNERS_H
#define MR_ENGINE_TILE_CORNERS_H

#include <stdbool.h>

#include "engine/base/format.h"
#include "engine/base/value.h"
#include "engine/tile/keys.h"

/* Entries are sorted by groups of 2^5 columns, then row, then column, because neighbours in a group
 * share their rows. This takes 0.33 bytes per edge on cnr-2000; sorting column by column takes
 * 0.45. */
#define MR_CORNERS_GROUP_BITS 5u

enum mr_corner_stream {
    MR_CORNER_ADD, /* a column */
    MR_CORNER_SUBTRACT,
    MR_CORNER_ADD_THROUGH, /* all columns from the stripe's first through this one */
    MR_CORNER_SUBTRACT_THROUGH,
    MR_CORNER_STREAMS
};

struct mr_key_kernels;
struct mr_corners_kernels;

struct mr_corners_shape {
    unsigned band_bits, stripe_bits;
};

/* An opened part of a tile. Points into the block. A row is a target minus the band's first
 * vertex. */
struct mr_corners {
    uint32_t first_row, n_rows; /* multiples of 8; n_rows is at least 8 and at most 8 per edge */
    uint32_t n_entries[MR_CORNER_STREAMS];
    /* their sum; at most the number of edges, and at most the bytes of the streams */
    uint32_t n_all_entries;
    /* [n_rows / 8]: bit r mod 8 of byte r / 8 is set where row r is afresh */
    const uint8_t *restarts;
    const uint8_t *streams, *end; /* four key streams, one after the other */
};

/* Read the header of `data[data_bytes]` and check its bounds. Returns what is wrong with it, or
 * NULL. O(1). */
const char *mr_corners_open(const struct mr_corners_shape *shape, uint32_t n_links,
                            const uint8_t *data, uint32_t data_bytes, struct mr_corners *corners);

/* Decode all entries, stream after stream, to `keys[n_all_entries + MR_KEYS_SLACK_KEYS]`; each is
 * column << band_bits | row. Returns what is wrong, or NULL: then all rows are inside the part.
 * Columns are masked. */
const char *mr_corners_decode(const struct mr_corners_shape *shape,
                              const struct mr_corners *corners,
                              const struct mr_key_kernels *key_kernels, uint32_t *keys);

/* key = column / 32 | row | column mod 32, from the highest bits to the lowest. */
static inline uint32_t mr_corner_key(unsigned band_bits, uint32_t row, uint32_t column)
{
    const uint32_t low = ((uint32_t)1 << MR_CORNERS_GROUP_BITS) - 1;
    return (column & ~low) << band_bits | row << MR_CORNERS_GROUP_BITS | (column & low);
}

/* ---- Applying ---- */

/* A stripe's values as integers. through[c] is their sum over columns 0..c; through[-1] is 0. */
struct mr_corners_values {
    enum mr_value value;
    uint64_t *through; /* [-1 .. 2^stripe_bits - 1], modulo 2^64 */
    uint64_t total; /* no sum over a row is larger; UINT64_MAX: unknown */
    double quantum; /* a power of two: the value of 1; NaN when x is not finite */
};

/* What one thread needs: row sums, which are zero between calls, and room for values. */
struct mr_corners_scratch {
    struct mr_corners_shape shape;
    const struct mr_key_kernels *key_kernels;
    const struct mr_corners_kernels *kernels;
    uint64_t *sums; /* [2^band_bits] */
    struct mr_corners_values values;
};

/* Prepare a scratch. The memory is the caller's:
 * mr_corners_scratch_bytes, 64-byte aligned, zeroed. The kernels are those of mr_key_kernels_best
 * and mr_corners_best_kernels, except in tests. */
uint64_t mr_corners_scratch_bytes(const struct mr_corners_shape *shape);
void mr_corners_scratch_init(struct mr_corners_scratch *scratch,
                             const struct mr_corners_shape *shape,
                             const struct mr_key_kernels *key_kernels,
                             const struct mr_corners_kernels *kernels, void *memory);

/* Compute scratch->values from a stripe's values, x[2^stripe_bits]. Call it before a tile of
 * another stripe or another x is applied. O(2^stripe_bits); reads x twice. */
void mr_corners_prepare(struct mr_corners_scratch *scratch, enum mr_value value, const void *x);

/* accumulator[row] += row of the part * x. The accumulator, [2^band_bits], is
 * double, or uint64_t modulo 2^64 with MR_VALUE_U64. Returns what is wrong, or NULL; after an error
 * the accumulator is unspecified. With x >= 0 a row sum outside 0..total is found; otherwise only
 * memory safety is promised for a damaged part. O(entries + rows). */
const char *mr_corners_apply(struct mr_corners_scratch *scratch, const struct mr_corners *corners,
                             void *accumulator);

#endif
