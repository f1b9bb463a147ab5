/* Row by row relaxation inside a band's diagonal tile: Gauss-Seidel, in the order of the links.
 *
 * The links of the tile are sorted by source. So a vertex can be relaxed from its sum as it is now, and
 * its change added to the sums of its targets at once, before the next vertex is looked at:
 *
 *     for each vertex v, ascending:   change = base[v] + gain[v] sum[v] - value[v]
 *                                     value[v] += change
 *                                     sum[w] += change for each link v -> w inside the band
 *
 * Sums and values stay consistent, so that any vertex may be passed over and nothing is lost. A vertex
 * with links to itself is solved for exactly. The band is cut into MR_ROW_PARTS runs of vertices with
 * sums of their own: changes reach the vertices of other parts after the sweep. So parts may run at the
 * same time and the same numbers come out whoever runs them. Not thread-safe otherwise. */
#ifndef MR_ENGINE_TILE_ROW_SWEEPS_H
#define MR_ENGINE_TILE_ROW_SWEEPS_H

#include "engine/store/store.h"

/* On cnr-2000, web-NotreDame and soc-Slashdot0902 2 parts need as many passes as 1 to a bound of 1e-9, 4 up
 * to three more. */
#define MR_ROW_PARTS 2u

struct mr_row_sweeps;

/* Bytes that create charges: 48 per vertex of a band, 8 more with weights. */
uint64_t mr_row_sweeps_memory(const struct mr_store_info *info);
/* `info` and `memory` outlive it. Destroy takes NULL. */
enum mr_status mr_row_sweeps_create(struct mr_memory *memory, const struct mr_store_info *info,
                                    struct mr_row_sweeps **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_row_sweeps_destroy(struct mr_row_sweeps *rows);

/* Begin a band of `n_vertices`: `keys` of stripe i of the band end at ends[i], ascending within each;
 * `weights` are theirs, or NULL: what is added to a sum along a link is then the change times its weight;
 * `sums` [1 << band_bits] are those of the band's other links. Borrowed until end. */
void mr_row_sweeps_begin(struct mr_row_sweeps *rows, const uint32_t *keys, const float *weights,
                         const uint64_t *ends, uint32_t n_vertices, const double *sums,
                         double threshold);

/* What follows is done for every part, in any order or at once, before the next thing is begun: fill and
 * prepare, merge, then any number of times sweep and merge, then end. */

/* Vertices of a part, [*first, *end); narrow bands leave parts empty. */
void mr_row_sweeps_range(const struct mr_row_sweeps *rows, unsigned part, uint32_t *first,
                         uint32_t *end);
/* To be filled for the part's vertices, [1 << band_bits]. */
double *mr_row_sweeps_base(struct mr_row_sweeps *rows);
double *mr_row_sweeps_gain(struct mr_row_sweeps *rows);
double *mr_row_sweeps_values(struct mr_row_sweeps *rows);
/* Find the part's rows and apply its links to the values. */
void mr_row_sweeps_prepare(struct mr_row_sweeps *rows, unsigned part);
/* One sweep over the part. A change of v by less than threshold * gain[v] is not made. Returns the links
 * applied. */
uint64_t mr_row_sweeps_sweep(struct mr_row_sweeps *rows, unsigned part);
/* Bring the part what the others have for it. */
void mr_row_sweeps_merge(struct mr_row_sweeps *rows, unsigned part);
/* All sums of the part's vertices, consistent with the values, to `sums` [1 << band_bits]. */
void mr_row_sweeps_end(struct mr_row_sweeps *rows, unsigned part, double *sums);

#endif
