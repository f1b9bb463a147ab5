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

#endif
