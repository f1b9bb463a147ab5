/* SPDX-License-Identifier: Apache-2.0 */
/* Unites the sets of balls, and adds up the values of their registers. Compiled for more than one
 * instruction set; all give the same bits. Internal to algorithms/harmonic. */
#ifndef MR_ALGORITHMS_HARMONIC_BALLS_LOOPS_H
#define MR_ALGORITHMS_HARMONIC_BALLS_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A target and its sources, which end at `end` and begin where those of the row before end. */
struct mr_balls_row {
    uint32_t target, end;
};

/* Sets have k bytes, that of vertex v at v * k. `to` may be `own`; else it overlaps nothing. */
struct mr_balls_batch {
    size_t k;
    bool are_bits; /* united by union, else registers below 128, by maximum */
    const uint8_t *sets; /* of sources */
    const uint8_t *own; /* of targets */
    uint8_t *to; /* of targets, united */
    const uint32_t *sources;
    struct mr_balls_row *rows; /* [n_rows] */
    size_t n_rows;
};

struct mr_balls_loops {
    /* For each row: to = own united with the sets of the sources. Returns how many sets differ from
     * `own`; their rows move to the front, in order. */
    size_t (*unite)(const struct mr_balls_batch *batch);
    /* The value of registers [k] (internal.h). */
    uint64_t (*value)(const uint8_t *registers, size_t k);
};

extern const struct mr_balls_loops mr_balls_loops_portable, mr_balls_loops_avx2,
    mr_balls_loops_avx512;

/* Those that are fastest on this machine. */
const struct mr_balls_loops *mr_balls_loops_best(void);

#endif
