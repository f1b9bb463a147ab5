/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to every page for several vectors side by side: value j of row i is at i * width +
 * j. Compiled for more than one instruction set; all give the same bits. Internal to algorithms. */
#ifndef MR_ALGORITHMS_BASE_ROW_LOOPS_H
#define MR_ALGORITHMS_BASE_ROW_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#define MR_ROWS_MAX_WIDTH 16u
#define MR_ROWS_MAX_DEPTH 8u

/* Inner products of differences, column by column. */
struct mr_row_products {
    double newest[MR_ROWS_MAX_DEPTH][MR_ROWS_MAX_WIDTH]; /* <newest dF, dF_k> */
    double f[MR_ROWS_MAX_DEPTH][MR_ROWS_MAX_WIDTH]; /* <f, dF_k> */
};

/* Of n rows from where the pointers point; acceleration_rows.c says what for. */
struct mr_row_observation {
    uint32_t n;
    unsigned width, n_slots;
    const float *f;
    const float *df[MR_ROWS_MAX_DEPTH];
    float *newest_df, *newest_dg; /* newest_df is one of df */
    const double *weight; /* [n] */
};

/* A scan of all vectors. */
struct mr_row_step {
    void *x;
    bool is_single;
    unsigned width, n_slots;
    const float *f, *dg[MR_ROWS_MAX_DEPTH];
    float *taken; /* may be one of dg */
    double gamma[MR_ROWS_MAX_DEPTH][MR_ROWS_MAX_WIDTH]; /* repeated to all of the array */
};

struct mr_row_loops {
    /* newest_df = f - newest_df, newest_dg += newest_df; products += their inner products, rows
     * counting with the square of their weight, added row by row. */
    void (*observe)(const struct mr_row_observation *observation, struct mr_row_products *products);
    /* Of entries [first, end), whole rows: x -= sum of gamma_k dg_k, not below 0; taken = change of
     * x + f. */
    void (*step)(const struct mr_row_step *step, uint64_t first, uint64_t end);
};

extern const struct mr_row_loops mr_row_loops_portable, mr_row_loops_avx2;

/* Those that are fastest on this machine. */
const struct mr_row_loops *mr_row_loops_best(void);

#endif
