/* SPDX-License-Identifier: Apache-2.0 */
/* The grid: the plane of all possible edges, cut into cells. The builder counts edges per cell, and
 * a cell is the least that it sorts at once.
 *
 *                 columns: runs of stripes        diagonal
 *              +-----------+-----------+-----------+  +--------+
 *      band 0  |  (0,0)    |  (0,1)    |  (0,2)    |  | (0,3)  |  cell = band * n_columns + column
 *      band 1  |  (1,0)    |  (1,1)    |  (1,2)    |  | (1,3)  |
 *              +-----------+-----------+-----------+  +--------+
 *
 * The diagonal tiles of a band come last in the store, so they have a column of their own. Cells in
 * ascending order then hold the edges in store order. Inside a band, tiles are ranked by `order`:
 * the number of the stripe, or for diagonal tiles n_stripes plus the position in the diagonal. */
#ifndef MR_ENGINE_BUILDER_EDGES_EDGE_GRID_H
#define MR_ENGINE_BUILDER_EDGES_EDGE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/bytes.h"

struct mr_edge_grid {
    uint64_t n_vertices;
    unsigned band_bits, stripe_bits;
    /* log2 of the sources in a column, at least stripe_bits; 32 if there is one column */
    unsigned column_bits;
    uint32_t n_bands, n_stripes;
    uint32_t n_columns; /* with the diagonal */
    uint64_t n_cells;
};

/* Make the finest grid of at most `max_cells` cells, but with at least two columns. band_bits and
 * stripe_bits are as in build.h. */
static inline struct mr_edge_grid mr_edge_grid_make(uint64_t n_vertices, unsigned band_bits,
                                                    unsigned stripe_bits, uint64_t max_cells)
{
    struct mr_edge_grid grid = {
        .n_vertices = n_vertices,
        .band_bits = band_bits,
        .stripe_bits = stripe_bits,
        .column_bits = stripe_bits,
        .n_bands = (uint32_t)mr_div_up(n_vertices, (uint64_t)1 << band_bits),
        .n_stripes = (uint32_t)mr_div_up(n_vertices, (uint64_t)1 << stripe_bits),
    };
    uint64_t n_columns;
    while ((n_columns = mr_div_up(n_vertices, (uint64_t)1 << grid.column_bits) + 1) > 2 &&
           n_columns * grid.n_bands > max_cells) {
        grid.column_bits++;
    }
    grid.n_columns = (uint32_t)n_columns;
    grid.n_cells = n_columns * grid.n_bands;
    return grid;
}

static inline bool mr_edge_grid_is_diagonal(const struct mr_edge_grid *grid, uint32_t source,
                                            uint32_t band)
{
    return source >> grid->band_bits == band;
}

static inline uint64_t mr_edge_grid_cell(const struct mr_edge_grid *grid, uint32_t source,
                                         uint32_t target)
{
    uint32_t band = target >> grid->band_bits;
    uint32_t column = (uint32_t)((uint64_t)source >> grid->column_bits);
    column = mr_edge_grid_is_diagonal(grid, source, band) ? grid->n_columns - 1 : column;
    return (uint64_t)band * grid->n_columns + column;
}

/* The cell of an edge. Most edges that follow are in the same cell and reuse it. */
struct mr_edge_spot {
    uint32_t source, target;
    uint32_t first_order; /* order of the cell's tiles minus their stripes */
    /* sources that differ only in this many lower bits are in the same cell */
    unsigned source_bits;
};

static inline struct mr_edge_spot mr_edge_grid_spot(const struct mr_edge_grid *grid,
                                                    uint32_t source, uint32_t target)
{
    const uint32_t band = target >> grid->band_bits;
    const uint32_t diagonal = grid->n_stripes - (band << (grid->band_bits - grid->stripe_bits));
    return (struct mr_edge_spot){
        .source = source,
        .target = target,
        .first_order = mr_edge_grid_is_diagonal(grid, source, band) ? diagonal : 0,
        .source_bits = grid->column_bits < grid->band_bits ? grid->column_bits : grid->band_bits,
    };
}

static inline bool mr_edge_grid_is_near(const struct mr_edge_grid *grid,
                                        const struct mr_edge_spot *spot, uint32_t source,
                                        uint32_t target)
{
    return ((source ^ spot->source) >> spot->source_bits |
            (target ^ spot->target) >> grid->band_bits) == 0;
}

/* Looks at a few of the edges: do most of them follow one of the same cell? Only then is it worth
 * testing each edge; otherwise the branch is mispredicted, which costs 3 ns per edge. */
static inline bool mr_edge_grid_follow(const struct mr_edge_grid *grid, const uint32_t (*pairs)[2],
                                       size_t n_pairs)
{
    enum { N_LOOKS = 64 };
    unsigned n_near = 0;
    for (size_t i = 0; i < N_LOOKS && n_pairs > 1; i++) {
        const size_t at = i * (n_pairs - 2) / N_LOOKS;
        const struct mr_edge_spot spot = mr_edge_grid_spot(grid, pairs[at][0], pairs[at][1]);
        n_near += mr_edge_grid_is_near(grid, &spot, pairs[at + 1][0], pairs[at + 1][1]);
    }
    return n_near > N_LOOKS - N_LOOKS / 8;
}

/* The record of an edge in the cell of `spot`: order << 32 | key, see engine/base/sort.h. */
static inline uint64_t mr_edge_grid_record(const struct mr_edge_grid *grid,
                                           const struct mr_edge_spot *spot, uint32_t source,
                                           uint32_t target)
{
    uint32_t order = (source >> grid->stripe_bits) + spot->first_order;
    uint32_t key = (source & (((uint32_t)1 << grid->stripe_bits) - 1)) << grid->band_bits |
                   (target & (((uint32_t)1 << grid->band_bits) - 1));
    return (uint64_t)order << 32 | key;
}

static inline uint32_t mr_edge_grid_stripe(const struct mr_edge_grid *grid, uint32_t band,
                                           uint32_t order)
{
    return order < grid->n_stripes
               ? order
               : order - grid->n_stripes + (band << (grid->band_bits - grid->stripe_bits));
}

/* The orders of a cell's tiles: [first, end). */
static inline void mr_edge_grid_orders(const struct mr_edge_grid *grid, uint64_t cell,
                                       uint32_t *first, uint32_t *end)
{
    uint64_t column = cell % grid->n_columns;
    if (column == grid->n_columns - 1) {
        *first = grid->n_stripes;
        *end = grid->n_stripes + ((uint32_t)1 << (grid->band_bits - grid->stripe_bits));
    } else {
        unsigned shift = grid->column_bits - grid->stripe_bits;
        *first = (uint32_t)(column << shift);
        *end = (uint32_t)mr_min_u64((column + 1) << shift, grid->n_stripes);
    }
}

/* Number of vertices in a band. */
static inline uint32_t mr_edge_grid_width(const struct mr_edge_grid *grid, uint32_t band)
{
    uint64_t first = (uint64_t)band << grid->band_bits;
    return (uint32_t)mr_min_u64(grid->n_vertices - first, (uint64_t)1 << grid->band_bits);
}

#endif
