/* The links of a small graph, in memory, target by target: what many sweeps in a row want.
 *
 * Vertices get rows: first those with out-links, whose values others read, then the dangling ones, which need a value
 * only in the end. Rows that others read stand in blocks: what a block's rows need is in it and in those before it, so
 * that one block can be solved after the other. A block is a strongly connected component, or several small ones that
 * follow each other. Eight rows make a slice; their sources stand side by side, one of each row after the other, so that
 * eight sums grow at once and no row ends in the middle of a loop:
 *
 *     slice of rows 8 .. 15      row 8   row 9   ...   row 15
 *                 sources          3       0              17
 *                                  4       2             none
 *                                  7      none           none      none: a row whose value is 0
 *
 * Rows of a block are ordered by their number of sources inside windows of 2048 vertices, so that little of that is
 * padding, and rows of a slice are eight places of this order apart: neighbours link to each other, and rows that are
 * relaxed at once do not see each other's new values (cnr-2000, without blocks: 61 sweeps to 1e-9, row by row 60, slices
 * of neighbours 84). What a row has above 64 sources stands in a list of its own. Links of a vertex to itself are
 * counted, not listed; sources in earlier blocks stand apart, since their values are the same in all sweeps of a block.
 *
 * A function of the store alone. Internal to algorithms. */
#ifndef MR_ALGORITHMS_PAGERANK_LINK_SLICES_H
#define MR_ALGORITHMS_PAGERANK_LINK_SLICES_H

#include "engine/base/context.h"
#include "engine/store/store.h"

enum { MR_SLICE_ROWS = 8 };

struct mr_slice_block {
    uint32_t first, end; /* slices */
    uint64_t n_links; /* inside it */
};

struct mr_link_slices {
    const struct mr_context *context;
    uint64_t n_links; /* between rows that others read; those of a vertex to itself left out */
    uint64_t n_outer_links; /* of these, from another block */
    uint64_t n_dangling_links; /* to dangling vertices */
    uint32_t n_blocks;
    uint32_t n_inner; /* slices of vertices with out-links: the first ones, those of the blocks */
    uint32_t n_slices;
    uint32_t n_rows; /* 8 n_slices; row `n_rows` is the one whose value is 0 */
    struct mr_slice_block *blocks; /* [n_blocks] */
    uint32_t *vertex; /* [n_rows]; UINT32_MAX: padding */
    uint32_t *self_links; /* [n_rows] */
    uint32_t *ends; /* [n_slices + 1]: of a slice's sources, in eights */
    uint32_t *list_ends; /* [n_rows + 1] */
    uint32_t *outer_ends; /* [n_rows + 1] */
    uint32_t *sources; /* [8 * ends[n_slices]] rows */
    uint32_t *lists; /* [list_ends[n_rows]] rows */
    uint32_t *outers; /* [outer_ends[n_rows]] rows of earlier blocks */
};

/* Is the graph one for this? At most 2^22 links and 2^19 vertices, no weights. */
bool mr_link_slices_fit(const struct mr_store_info *info);

/* Bytes that create charges at most, and while it runs; rows that it makes at most. */
uint64_t mr_link_slices_memory(const struct mr_store_info *info);
uint64_t mr_link_slices_rows(const struct mr_store_info *info);

/* Read the links and order them. `in_degree`, `out_degree`: [n_vertices]. `context` outlives it. Errors:
 * CORRUPT where links and degrees disagree. Destroy takes NULL. */
enum mr_status mr_link_slices_create(const struct mr_context *context, struct mr_store *store,
                                     const uint32_t *in_degree, const uint32_t *out_degree,
                                     struct mr_link_slices **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_link_slices_destroy(struct mr_link_slices *slices);

/* What rows [first, end) have before a sweep: start = base + gain * sum of the values of sources in earlier blocks. */
void mr_link_slices_start(const struct mr_link_slices *slices, uint32_t first, uint32_t end,
                          const double *base, const double *gain, const double *value,
                          double *start);

struct mr_slices_sum {
    double change, mass; /* of |change| * weight, and of values * weight */
};

/* Relax slices [first, end) in order, rows of a slice at once, each from the newest values of all
 * others: value = start + gain * sum of its sources' values; all [n_rows + 1]. The sums that it returns are made in
 * a fixed order. About 0.5 ns a link. */
struct mr_slices_sum mr_link_slices_relax(const struct mr_link_slices *slices, uint32_t first,
                                          uint32_t end, const double *start, const double *gain,
                                          const uint32_t *weight, double *value);

#endif
