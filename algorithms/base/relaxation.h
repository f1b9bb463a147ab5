/* What relaxing passes of one vector and of several side by side have in common. Internal to algorithms. */
#ifndef MR_ALGORITHMS_BASE_RELAXATION_H
#define MR_ALGORITHMS_BASE_RELAXATION_H

#include "engine/store/store.h"

/* How many bands are in work at once: a function of the store alone. It costs no passes; links that come from them
 * are added when they are finished, one band after the other, and a sixteenth of all is little. */
static inline unsigned mr_relaxation_lag(const struct mr_store_info *info)
{
    const unsigned lag = info->n_bands / 16;
    return info->n_bands < 4 ? 1 : lag < 2 ? 2 : lag > 8 ? 8 : lag;
}

#endif
