/* SPDX-License-Identifier: Apache-2.0 */
/* The type of the values that a pass moves along edges, and pairs of scores. */
#ifndef MR_ENGINE_BASE_VALUE_H
#define MR_ENGINE_BASE_VALUE_H

#include <stddef.h>

enum mr_value { MR_VALUE_FLOAT, MR_VALUE_DOUBLE, MR_VALUE_U64 };

static inline size_t mr_value_bytes(enum mr_value value)
{
    return value == MR_VALUE_FLOAT ? sizeof(float) : 8;
}

/* The pass adds float and double values as integers in tiles of corners (engine/tile/corners.h).
 * For each edge in such a tile (mr_store_info's corners.edges) the sum may be too large by up to
 * this factor times the sum of |x| over the edge's stripe. A sum of zeros is exactly 0, and any
 * other sum is not 0. Values of type uint64_t are exact everywhere. */
#define MR_PASS_LINK_ERROR 0x1p-61

/* The scores that two score files give to the same page. NaN means that this file does not have the
 * page. At least one of the two is a number. */
struct mr_score_pair {
    double a, b;
};

#endif
