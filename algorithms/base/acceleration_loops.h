/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of the acceleration over pages. Compiled for more than one instruction set; all give
 * the same bits. Internal to algorithms. */
#ifndef MR_ALGORITHMS_BASE_ACCELERATION_LOOPS_H
#define MR_ALGORITHMS_BASE_ACCELERATION_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    MR_ACCELERATION_LANES = 8, /* sums are interleaved: pages go to them in turn */
    MR_ACCELERATION_PIECE = 512, /* most pages of a piece */
    MR_ACCELERATION_MAX_DEPTH = 8
};

/* Differences are kept as the upper 16 bits of a float, rounded to nearest: its 8 bits of precision
 * cost no pass (docs/notes/constants.md). Values are finite. Wide differences are
 * whole floats. */
static inline uint16_t mr_half_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float mr_half_value(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Inner products over the pages of a part so far. */
struct mr_acceleration_sums {
    double newest[MR_ACCELERATION_MAX_DEPTH][MR_ACCELERATION_LANES]; /* <newest dF, dF_k> */
    double f[MR_ACCELERATION_MAX_DEPTH][MR_ACCELERATION_LANES]; /* <f, dF_k> */
};

/* n pages; all but the last piece of a part have a multiple of MR_ACCELERATION_LANES. */
struct mr_acceleration_piece {
    uint32_t n;
    unsigned n_slots;
    bool is_wide; /* df and dg are float, else the upper half of it */
    const float *f; /* [n] */
    const void *df[MR_ACCELERATION_MAX_DEPTH]; /* each [n] */
    /* Slot `newest`, which is one of them: the f of the last step and the step taken; they become
     * its differences. */
    void *newest_df, *newest_dg;
    const double *weight; /* [n]: a page counts with its square */
    struct mr_acceleration_sums *sums; /* added to */
};

/* A scan of all vectors. */
struct mr_acceleration_scan {
    void *x;
    bool is_single; /* x is float, else double */
    bool is_wide; /* as in a piece */
    unsigned n_slots;
    const float *f;
    const void *dg[MR_ACCELERATION_MAX_DEPTH];
    void *next_df, *next_dg; /* the slot of this step; they may be one of dg */
    double gamma[MR_ACCELERATION_MAX_DEPTH];
};

struct mr_acceleration_loops {
    /* newest_df = f - newest_df, newest_dg += newest_df; then the inner products. */
    void (*observe)(const struct mr_acceleration_piece *piece);
    /* Of entries [first, end): x -= sum of gamma_k dg_k, not below 0; next_df = f, next_dg = f +
     * change of x. */
    void (*step)(const struct mr_acceleration_scan *scan, uint64_t first, uint64_t end);
};

extern const struct mr_acceleration_loops mr_acceleration_loops_portable,
    mr_acceleration_loops_avx2;

/* Those that are fastest on this machine. */
const struct mr_acceleration_loops *mr_acceleration_loops_best(void);

#endif
