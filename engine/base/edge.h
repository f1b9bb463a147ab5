/* SPDX-License-Identifier: Apache-2.0 */
/* Edges as they come from the input, and how the input and the store number vertices. The
 * builder, the folders below it and the readers of graph files share these types. struct mr_edge
 * and enum mr_order are public: millrace/build.h. */
#ifndef MR_ENGINE_BASE_EDGE_H
#define MR_ENGINE_BASE_EDGE_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#include "millrace/build.h"

/* What kind of ids an input uses. */
enum mr_id_kind {
    MR_IDS_SPARSE, /* vertices are the 64-bit numbers that appear, in ascending order */
    MR_IDS_DENSE, /* vertices are 0..n_vertices-1, with or without names */
    MR_IDS_TEXT /* vertices are the names that appear, in ascending order of their keys */
};

/* The least weight: the least normal float. Values are divided by sums of weights, and a quotient
 * by a smaller sum would overflow. */
#define MR_WEIGHT_LEAST FLT_MIN

/* True if `weight` can be the weight of an edge. */
static inline bool mr_weight_is_good(float weight)
{
    return weight >= MR_WEIGHT_LEAST && weight <= FLT_MAX;
}

/* An edge is near if both ends lie in the same aligned run of 2^MR_NEAR_BITS vertices. */
#define MR_NEAR_BITS 16u

/* The figures that MR_ORDER_AUTO decides by. It chooses DEGREE if near_share is below
 * MR_ORDER_NEAR_SHARE, top_share is at least MR_ORDER_TOP_SHARE and tile_links is below
 * MR_ORDER_TILE_LINKS. Crawls have many near edges in the order of positions. Social and random
 * graphs have few, and a few of their vertices have most edges. If tiles are full, a pass is as
 * fast without reordering, and rankings that relax bands in order need fewer passes
 * (docs/performance.md). */
struct mr_order_figures {
    double near_share; /* share of edges with both ends in the same 2^16 positions */
    double top_share; /* share of the ends of edges at the 1/16 of the vertices with most edges */
    double tile_links; /* average number of edges from 2^16 sources to 2^16 targets */
};
#define MR_ORDER_NEAR_SHARE 0.125
#define MR_ORDER_TOP_SHARE  0.5
#define MR_ORDER_TILE_LINKS 16384.0

#endif
