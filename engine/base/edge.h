/* SPDX-License-Identifier: Apache-2.0 */
/* Edges as they come from the input, and how the input and the store number vertices. The
 * builder, the folders below it and the readers of graph files share these types. struct mr_edge
 * is public: millrace/build.h. */
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

/* What an input says of a capture of a page. */
struct mr_capture {
    uint32_t page; /* the number of its name; the builder sets it if links follow */
    uint32_t time; /* in seconds since 1970; 0: not known, and its links always count */
    /* equal to `time` if the capture has its own links; in a revisit, the time of the capture that
     * has its links, or 0 if that is not known */
    uint32_t confirms;
    uint32_t digest; /* of the content: MR_DIGEST_FIRST or more; or one of enum mr_digest */
    bool has_bad_time; /* `time` is 0, though the input has one: it is no time */
    /* a fetch without links whose time comes from when the next one is due: if the page has others
     * and a later one, this is the last of those */
    bool is_due;
};

enum mr_digest {
    MR_DIGEST_UNKNOWN,
    MR_DIGEST_SAME, /* the content is that of the fetch before */
    MR_DIGEST_NO_FETCH, /* `time` orders the captures and is not the time of a fetch */
    MR_DIGEST_GONE, /* the page is gone; the time may be 0 */
    MR_DIGEST_FIRST
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
