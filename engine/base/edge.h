/* What is said of edges as they come in and of their ends: the words that the builder, the files below it and
 * the readers of graph files have in common. struct mr_edge and enum mr_order are public. */
#ifndef MR_ENGINE_BASE_EDGE_H
#define MR_ENGINE_BASE_EDGE_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#include "millrace/build.h"

/* What the ids at both ends of an edge are. */
enum mr_id_kind {
    MR_IDS_SPARSE, /* vertices are the 64-bit numbers that appear, in ascending order */
    MR_IDS_DENSE, /* vertices are 0..n_vertices-1, named or not */
    MR_IDS_TEXT /* vertices are the names that appear, in ascending order of their keys */
};

/* May this be the weight of an edge? */
static inline bool mr_weight_is_good(float weight)
{
    return weight > 0 && weight <= FLT_MAX;
}

/* An edge is near when both of its ends are in the same 2^MR_NEAR_BITS vertices, counted from 0. */
#define MR_NEAR_BITS 16u

/* What MR_ORDER_AUTO (millrace/build.h) goes by: less than the first share, at least the second, and fewer links to a tile. Links in the order
 * of places stay near in crawls; a few vertices have most links in social and random graphs, where no order of the
 * input's is worth keeping; and where tiles are full, a pass is as fast without, and rankings that relax bands in
 * their order need fewer of them (docs/performance.md). */
struct mr_order_figures {
    double near_share; /* of links with both ends in the same 2^16 places */
    double top_share; /* of the ends of links at the 1/16 of the vertices with most links */
    double tile_links; /* to 2^16 sources and 2^16 targets, on average */
};
#define MR_ORDER_NEAR_SHARE 0.125
#define MR_ORDER_TOP_SHARE  0.5
#define MR_ORDER_TILE_LINKS 16384.0

#endif
