/* SPDX-License-Identifier: Apache-2.0 */
/* What the pass's schedule would give on more threads than this machine has, by counting links. */
#ifndef MR_BENCH_PASS_SCHEDULE_H
#define MR_BENCH_PASS_SCHEDULE_H

#include "engine/store/store.h"

/* What a relaxing pass does besides adding up links, 0 in a synchronous pass. */
struct bench_schedule {
    uint32_t wave; /* bands of a wave; 0: a synchronous pass */
    unsigned sweeps; /* of the rows of diagonal tiles */
    uint32_t n_bands; /* of the pass: those of the core; 0: all */
};

/* Simulate one pass: units (segments, the last of a band with the part of the diagonal that is not
 * swept) are handed out in store order to whoever is free first. A unit costs its links, and a link
 * for each four vertices of the band to zero and merge its accumulator. The end of a band, which
 * follows its last unit, costs two links a vertex for new values, and two thirds of a link for each
 * link of its rows and sweep. Between waves nobody starts; steps and acceleration cost two links a
 * vertex, which all threads share. Returns work / (n_threads * time): 1 when all threads are busy
 * to the end. */
double bench_schedule_efficiency(const struct mr_store *store, unsigned n_threads,
                                 const struct bench_schedule *schedule);

#endif
