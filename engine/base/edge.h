/* Edges as they come in, and what is said of their ends: the words that the builder, the files
 * below it and the readers of graph files have in common. */
#ifndef MR_ENGINE_BASE_EDGE_H
#define MR_ENGINE_BASE_EDGE_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

struct mr_edge {
    uint64_t source;
    uint64_t target;
};

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

/* Which number a vertex gets. Names, and with them everything that goes in and out, stay in the order of the
 * input's ids or of the keys of names (engine/names/names.h, "place"). */
enum mr_order {
    MR_ORDER_KEEP, /* that of its place */
    MR_ORDER_DEGREE, /* by links in and out together, most first, places among equals: so that the pages that
                      * most links go to lie in few tiles */
    MR_ORDER_AUTO /* DEGREE where mr_order_figures say that it pays */
};

/* What AUTO goes by: less than the first share, at least the second, and fewer links to a tile. Links in the order
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
