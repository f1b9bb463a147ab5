/* What vertices have in a pass over the links: the type of the numbers that travel along links. */
#ifndef MR_ENGINE_BASE_VALUE_H
#define MR_ENGINE_BASE_VALUE_H

#include <stddef.h>

enum mr_value { MR_VALUE_FLOAT, MR_VALUE_DOUBLE, MR_VALUE_U64 };

static inline size_t mr_value_bytes(enum mr_value value)
{
    return value == MR_VALUE_FLOAT ? sizeof(float) : 8;
}

/* Sums of float and double values go through integers where a tile is one of corners (engine/tile/corners.h):
 * of each link in such a tile (mr_store_info's corners.edges) the pass may have added up to this much too
 * much, relative to the sum of |x| over the link's stripe. Zeros are exact: a sum of zeros is 0, any other
 * is not. uint64_t is exact everywhere. */
#define MR_PASS_LINK_ERROR 0x1p-61

#endif
