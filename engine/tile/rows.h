/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a band's diagonal tile: for each vertex of the band its sources inside the band, 16
 * bits each, in the order in which sweeps take them. Sweeps relax row by row, each from the newest
 * values (Gauss-Seidel):
 *
 *     for each row r:  x[r] = constant[r] + gain[r] * (sum of x over the sources of r)
 *
 * Eight rows of the same length make a slice, whose sources stand interleaved:
 *
 *     group            order                          sources
 *     length 3,        rows a b c d e f g h           a0 b0 c0 ... h0  a1 b1 ... h1  a2 b2 ... h2
 *     2 slices         rows i j k l m n o p           i0 j0 k0 ...
 *
 * so that eight sums grow at once and one loop ends for all eight rows: the end of a row of unknown
 * length is a mispredicted branch. The rows of a slice see the values from before the slice, so
 * they come from far apart: rows are sorted by length in windows, and each of the eight places
 * takes a run of them. Rows that are left over, and long ones, stand by themselves.
 *
 * What the rows are, and each sum, is a function of the tiles alone: the same bits whoever decodes
 * them, and when. */
#ifndef MR_ENGINE_TILE_ROWS_H
#define MR_ENGINE_TILE_ROWS_H

#include "engine/base/context.h"
#include "engine/store/store.h"
#include "engine/tile/tile.h"

/* Bands of at most 2^16 vertices with links in the diagonal, at most so many, have rows: a fixed
 * rule, since it decides what is computed. Links with weights, or of classes with weights, have
 * none. */
#define MR_ROWS_BAND_BITS 16u
#define MR_ROWS_LINKS_MAX (UINT64_C(1) << 24)

enum { MR_SLICE_ROWS = 8 };

struct mr_row_group {
    uint32_t length; /* links of each row */
    uint32_t n_slices; /* 0: one row by itself */
};

/* The rows of one band: plain data. */
struct mr_rows {
    uint32_t n_vertices, n_groups;
    uint64_t n_listed; /* sources */
    uint64_t n_links; /* those, and the links in self_links */
    const struct mr_row_group *groups; /* [n_groups] */
    const uint16_t *order; /* [n_vertices]: rows as groups take them */
    const uint16_t *sources; /* [n_listed] */
    const uint64_t *self_links; /* [(n_vertices + 63) / 64]: a bit for a link of a row to itself */
};

/* Does the band have rows? */
bool mr_rows_fit(const struct mr_store_info *info, const struct mr_band_entry *band);

/* ---- Making them ---- */

struct mr_rows_builder; /* for one thread */
struct mr_rows_room; /* for the rows of one band */

/* The largest number of links that a band with rows has in its diagonal; `bands` NULL: that any
 * store of this shape can have. */
uint64_t mr_rows_most_links(const struct mr_store_info *info, const struct mr_band_entry *bands);

/* Bytes that they charge, for bands with at most `most_links`. */
uint64_t mr_rows_builder_memory(const struct mr_store_info *info, uint64_t most_links);
uint64_t mr_rows_room_memory(const struct mr_store_info *info, uint64_t most_links);

/* `info` and `memory` outlive them. Destroy takes NULL. */
enum mr_status mr_rows_builder_create(struct mr_memory *memory, const struct mr_store_info *info,
                                      uint64_t most_links, struct mr_rows_builder **out,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_rows_builder_destroy(struct mr_rows_builder *builder);
enum mr_status mr_rows_room_create(struct mr_memory *memory, const struct mr_store_info *info,
                                   uint64_t most_links, struct mr_rows_room **out,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_rows_room_destroy(struct mr_rows_room *room);

/* Begin a band of `n_vertices`; add its diagonal tiles, in order, `stripe` counted from the band's
 * first one; end it. False when a tile does not decode, or has more links than there is room for,
 * or links outside of the band. */
void mr_rows_begin(struct mr_rows_builder *builder, uint32_t n_vertices);
bool mr_rows_add(struct mr_rows_builder *builder, const struct mr_tile *tile,
                 uint32_t stripe) MR_WARN_UNUSED;
/* The rows, in `room`. O(links). */
void mr_rows_end(struct mr_rows_builder *builder, struct mr_rows_room *room);
struct mr_rows mr_rows_of(const struct mr_rows_room *room);

/* Bytes of the copy of any rows of so many vertices and links, at most. */
uint64_t mr_rows_most_bytes(uint32_t n_vertices, uint64_t n_links);

/* A copy that takes so many bytes, a multiple of 8, behind `at`, which is aligned to 8 and which
 * `self_links` will be. */
uint64_t mr_rows_bytes(const struct mr_rows *rows);
struct mr_rows mr_rows_copy(const struct mr_rows *rows, void *at);

/* ---- Sweeping them ---- */

/* One sweep; all arrays [n_vertices]. */
void mr_rows_sweep(const struct mr_rows *rows, const double *constant, const double *gain,
                   double *x);

/* The same with gathers (x86/rows_avx512.c), and whether they are the faster way here. */
void mr_rows_sweep_gathering(const struct mr_rows *rows, const double *constant, const double *gain,
                             double *x);
bool mr_rows_gather(void);

#endif
