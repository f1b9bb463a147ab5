/* SPDX-License-Identifier: Apache-2.0 */
/* Anderson acceleration of several vectors side by side (acceleration_rows.h). The loops are in
 * row_loops_any.h, compiled for each instruction set. */
#include "algorithms/base/acceleration_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/base/least_squares.h"
#include "algorithms/base/row_loops.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

enum {
    MAX_DEPTH = MR_ACCELERATION_ROWS_MAX_DEPTH,
    MAX_WIDTH = MR_ACCELERATION_ROWS_MAX_WIDTH,
    CHUNK = 1 << 13 /* entries that a thread takes at a time */
};

static_assert(MAX_DEPTH <= MR_ROWS_MAX_DEPTH && MAX_WIDTH <= MR_ROWS_MAX_WIDTH, "loops have room");
static_assert(MAX_DEPTH <= MR_LEAST_SQUARES_MAX, "coefficients are solved for together");

struct column {
    double gram[MAX_DEPTH][MAX_DEPTH]; /* <dF_i, dF_k> */
    unsigned n_used; /* its latest slots, the one that waits included */
};

/* Slots are a ring, the same for all columns. As in acceleration.c slot `next` holds f and the step
 * taken of the step just made; with the coming f they become its differences. */
struct mr_acceleration_rows {
    const struct mr_context *context;
    const struct mr_row_loops *loops;
    uint64_t length;
    uint32_t n_parts;
    unsigned depth, width;
    bool single;
    unsigned n_used; /* of all columns, the most */
    unsigned next;
    float *f, *df[MAX_DEPTH], *dg[MAX_DEPTH];
    float *memory; /* 1 + 2 depth times the rows */
    struct mr_row_products *partial; /* [n_parts] */
    struct column columns[MAX_WIDTH];
    double gamma[MAX_DEPTH][MAX_WIDTH]; /* by the age of a slot; 0: not used */
};

static uint64_t vector_bytes(unsigned depth, uint64_t length, unsigned width)
{
    return (1 + 2 * (uint64_t)depth) * length * width * sizeof(float);
}

uint64_t mr_acceleration_rows_memory(unsigned depth, uint64_t length, unsigned width,
                                     uint32_t n_parts)
{
    return depth == 0
               ? 0
               : vector_bytes(depth, length, width) + n_parts * sizeof(struct mr_row_products);
}

enum mr_status mr_acceleration_rows_create(const struct mr_context *context, unsigned depth,
                                           uint64_t length, unsigned most_width, uint32_t n_parts,
                                           bool single, struct mr_acceleration_rows **out,
                                           struct mr_error *err)
{
    struct mr_acceleration_rows *rows = calloc(1, sizeof *rows);
    if (rows == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the acceleration");
    }
    rows->context = context;
    rows->loops = mr_row_loops_best();
    rows->length = length;
    rows->n_parts = n_parts;
    rows->depth = depth;
    rows->single = single;
    rows->width = most_width;
    void *vectors = NULL, *partial = NULL;
    enum mr_status status =
        mr_memory_alloc(context->memory, "acceleration (--acceleration 0 has none)",
                        vector_bytes(depth, length, most_width), &vectors, err);
    rows->memory = vectors;
    if (status == MR_OK) {
        status = mr_memory_alloc(context->memory, "sums of the acceleration",
                                 n_parts * sizeof *rows->partial, &partial, err);
    }
    rows->partial = partial;
    if (status != MR_OK) {
        mr_acceleration_rows_destroy(rows);
        return status;
    }
    mr_acceleration_rows_begin(rows, most_width);
    *out = rows;
    return MR_OK;
}

void mr_acceleration_rows_destroy(struct mr_acceleration_rows *rows)
{
    if (rows != NULL) {
        mr_memory_free(rows->context->memory, rows->partial);
        mr_memory_free(rows->context->memory, rows->memory);
        free(rows);
    }
}

void mr_acceleration_rows_begin(struct mr_acceleration_rows *rows, unsigned width)
{
    const uint64_t n = rows->length * width;
    if (rows->width != width) { /* rows that no caller writes are 0 */
        memset(rows->memory, 0, vector_bytes(rows->depth, rows->length, width));
    }
    rows->width = width;
    rows->n_used = rows->next = 0;
    rows->f = rows->memory;
    for (unsigned k = 0; k < rows->depth; k++) {
        rows->df[k] = rows->memory + (2 * k + 1) * n;
        rows->dg[k] = rows->memory + (2 * k + 2) * n;
    }
    memset(rows->columns, 0, sizeof rows->columns);
}

void mr_acceleration_rows_restart(struct mr_acceleration_rows *rows, unsigned column)
{
    rows->columns[column].n_used = 0;
}

float *mr_acceleration_rows_difference(struct mr_acceleration_rows *rows)
{
    return rows->f;
}

void mr_acceleration_rows_observe(struct mr_acceleration_rows *rows, uint32_t part, bool begins,
                                  uint64_t first, uint32_t n, const double *weight)
{
    const uint64_t at = first * rows->width;
    struct mr_row_products *products = &rows->partial[part];
    struct mr_row_observation observation = {.n = n,
                                             .width = rows->width,
                                             .n_slots = rows->n_used,
                                             .f = rows->f + at,
                                             .newest_df = rows->df[rows->next] + at,
                                             .newest_dg = rows->dg[rows->next] + at,
                                             .weight = weight};
    if (begins) {
        memset(products, 0, sizeof *products);
    }
    for (unsigned k = 0; k < rows->n_used; k++) {
        observation.df[k] = rows->df[k] + at;
    }
    if (rows->n_used > 0) {
        rows->loops->observe(&observation, products);
    }
}

/* ---- The step ---- */

static unsigned slot_of_age(const struct mr_acceleration_rows *rows, unsigned age)
{
    return (rows->next + rows->depth - age) % rows->depth;
}

/* The column's part of gamma: by age, so that it does not matter where in the ring its steps
 * are. */
static void plan_column(struct mr_acceleration_rows *rows, const struct mr_row_products *sums,
                        unsigned j)
{
    struct column *column = &rows->columns[j];
    double m[MAX_DEPTH][MAX_DEPTH + 1] = {{0}}, gamma[MAX_DEPTH];
    const unsigned n = column->n_used;

    for (unsigned k = 0; k < rows->n_used; k++) {
        column->gram[rows->next][k] = column->gram[k][rows->next] = sums->newest[k][j];
    }
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < n; k++) {
            m[i][k] = column->gram[slot_of_age(rows, i)][slot_of_age(rows, k)];
        }
        m[i][MAX_DEPTH] = sums->f[slot_of_age(rows, i)][j];
    }
    if (n == 0 || !mr_least_squares_solve(m, n, gamma)) {
        column->n_used = 1; /* nothing was learnt: begin again with the step being taken */
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        rows->gamma[i][j] = gamma[i];
    }
    column->n_used = n < rows->depth ? n + 1 : n;
}

static void plan(struct mr_acceleration_rows *rows, const bool *moves)
{
    struct mr_row_products sums = {0};
    memset(rows->gamma, 0, sizeof rows->gamma);
    for (uint32_t p = 0; p < rows->n_parts && rows->n_used > 0; p++) {
        for (unsigned k = 0; k < rows->n_used; k++) {
            for (unsigned j = 0; j < rows->width; j++) {
                sums.newest[k][j] += rows->partial[p].newest[k][j];
                sums.f[k][j] += rows->partial[p].f[k][j];
            }
        }
    }
    for (unsigned j = 0; j < rows->width; j++) {
        if (moves[j]) {
            plan_column(rows, &sums, j);
        }
    }
}

void mr_acceleration_rows_step(struct mr_acceleration_rows *rows, void *x, const bool *moves)
{
    const uint64_t n_entries = rows->length * rows->width;
    const int64_t n_chunks = (int64_t)mr_div_up(n_entries, CHUNK);
    const unsigned next = rows->n_used == 0 ? 0 : (rows->next + 1) % rows->depth;
    struct mr_row_step step = {.x = x,
                               .is_single = rows->single,
                               .width = rows->width,
                               .n_slots = rows->n_used,
                               .f = rows->f,
                               .taken = rows->dg[next]};
    float *f = rows->f;

    plan(rows, moves);
    for (unsigned k = 0; k < rows->n_used; k++) {
        step.dg[k] = rows->dg[slot_of_age(rows, k)];
        for (unsigned j = 0; j < MAX_WIDTH; j++) {
            step.gamma[k][j] = rows->gamma[k][j % rows->width];
        }
    }
#pragma omp parallel for num_threads((int)rows->context->threads) schedule(static)
    for (int64_t c = 0; c < n_chunks; c++) {
        const uint64_t first = (uint64_t)c * CHUNK;
        rows->loops->step(&step, first, mr_min_u64(first + CHUNK, n_entries));
    }
    rows->f = rows->df[next];
    rows->df[next] = f;
    rows->next = next;
    rows->n_used = rows->n_used < rows->depth ? rows->n_used + 1 : rows->depth;
}
