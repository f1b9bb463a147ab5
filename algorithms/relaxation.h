/* What relaxing passes of one vector and of several side by side have in common. Internal to algorithms. */
#ifndef MR_ALGORITHMS_RELAXATION_H
#define MR_ALGORITHMS_RELAXATION_H

#include "engine/store.h"

/* How many bands are in work at once: a function of the store alone. A sixteenth of the bands costs
 * few passes (docs/solver.md) and keeps 8 threads busy from 128 bands on. */
static inline unsigned mr_relaxation_lag(const struct mr_store_info *info)
{
    const unsigned lag = info->n_bands / 16;
    return lag < 1 ? 1 : lag > 8 ? 8 : lag;
}

#endif
