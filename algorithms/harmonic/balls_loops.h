/* SPDX-License-Identifier: Apache-2.0 */
/* Unites the sets of balls, and adds up the values of their registers. Compiled for more than one
 * instruction set; all give the same bits. Internal to algorithms/harmonic. */
#ifndef MR_ALGORITHMS_HARMONIC_BALLS_LOOPS_H
#define MR_ALGORITHMS_HARMONIC_BALLS_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The sets of a slice, that of vertex v at v * k. `next` becomes the sets of the next distance. It
 * may differ from `now` for vertices that changed at the last distance alone, so all others need no
 * copy. */
struct mr_balls {
    unsigned k; /* bytes of a set */
    bool are_bits; /* united by union, else registers below 128, by maximum */
    /* Most sets changed at the last distance: lists are united as they stand, without a look at
     * which. The others add nothing. */
    bool are_most_changed;
    uint8_t *now, *next; /* [n * k] */
    uint64_t *changed, *changes; /* bits: changed at the last distance, at this one */
};

static inline void mr_balls_mark(uint64_t *marks, uint32_t v)
{
    marks[v >> 6] |= (uint64_t)1 << (v & 63);
}

static inline bool mr_balls_are_marked(const uint64_t *marks, uint32_t v)
{
    return (marks[v >> 6] >> (v & 63) & 1) != 0;
}

/* Lists of sources are followed by so many entries that are below n: loops look ahead. */
enum { MR_BALLS_AHEAD = 32 };

struct mr_balls_loops {
    /* Unites the next set of each pair's target with the set of its source, if that has changed,
     * and marks targets that change. */
    void (*unite_pairs)(const struct mr_balls *balls, const uint32_t (*pairs)[2], size_t n_pairs);
    /* Makes the next sets of targets [first, end) of their own and those of their sources, and
     * marks those that change. The sources of v stand from starts[v] to starts[v + 1]. */
    void (*unite_lists)(const struct mr_balls *balls, const uint64_t *starts,
                        const uint32_t *sources, uint32_t first, uint32_t end);
    /* The value of registers [k] (internal.h). */
    uint64_t (*value)(const uint8_t *registers, size_t k);
};

extern const struct mr_balls_loops mr_balls_loops_portable, mr_balls_loops_avx2,
    mr_balls_loops_avx512;

/* Those that are fastest on this machine. */
const struct mr_balls_loops *mr_balls_loops_best(void);

#endif
