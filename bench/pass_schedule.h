/* What the pass's schedule would give on more threads than this machine has, by counting links. */
#ifndef MR_BENCH_PASS_SCHEDULE_H
#define MR_BENCH_PASS_SCHEDULE_H

#include "engine/store/store.h"

/* Simulate one pass: units (segments; relaxing, the last of a band with the diagonal that is kept) are handed
 * out in store order to whoever is free first; a unit costs its links plus what zeroing and merging its
 * accumulator costs, a link per four vertices of the band; its band may be at most `window` ahead of the
 * lowest unfinished one (0: 2 * n_threads + 2, as in a synchronous pass). Returns work / (n_threads * time): 1
 * when all threads are busy to the end. */
double bench_schedule_efficiency(const struct mr_store *store, unsigned n_threads, unsigned window);

#endif
