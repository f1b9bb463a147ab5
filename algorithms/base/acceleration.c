/* SPDX-License-Identifier: Apache-2.0 */
/* Anderson acceleration (acceleration.h). A pass observes the differences band by band; the step
 * then combines them in one linear scan. The loops over entries are in acceleration_loops_any.h. */
#include "algorithms/base/acceleration.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"

enum {
    MAX_DEPTH = MR_ACCELERATION_MAX_DEPTH,
    CHUNK = 1 << 14 /* entries that a thread takes at a time */
};

/* Slots are a ring. Slot `next` holds f and the step taken, x_{k+1} - x_k, of the step just made;
 * with the coming f they become its differences dF and dG. So no previous vectors are kept besides.
 */
struct coefficients {
    uint32_t n_filled; /* slots */
    uint32_t next; /* slot that waits for its second half, if n_filled > 0 */
    uint64_t n_used; /* the latest slots since the last restart, the one that waits included */
    double gram[MAX_DEPTH][MAX_DEPTH]; /* <dF_i, dF_k> */
};

struct mr_acceleration {
    const struct mr_context *context;
    const struct mr_acceleration_loops *loops;
    uint64_t length;
    uint32_t n_parts;
    unsigned depth;
    bool single, is_wide;
    struct coefficients c;
    double (*parts)[2][MAX_DEPTH]; /* [n_parts]: sums of the lanes, by slot: of newest, of f */
    float *f; /* [length]; the vectors of differences follow */
};

/* ---- Least squares ---- */

/* Solves m[n][n] gamma = m[n][MAX_DEPTH], the normal equations of the differences, by Gauss-Jordan
 * elimination. A slight regularisation keeps nearly dependent columns harmless. m is overwritten.
 * Returns false when the equations determine nothing. Time: O(n^3). */
static bool solve_least_squares(double m[MAX_DEPTH][MAX_DEPTH + 1], unsigned n, double *gamma)
{
    enum { RIGHT = MAX_DEPTH }; /* the column of the right-hand side */
    for (unsigned i = 0; i < n; i++) {
        m[i][i] *= 1 + 1e-10;
    }
    for (unsigned c = 0; c < n; c++) {
        unsigned pivot = c;
        for (unsigned r = c + 1; r < n; r++) {
            pivot = fabs(m[r][c]) > fabs(m[pivot][c]) ? r : pivot;
        }
        if (!(fabs(m[pivot][c]) > 0)) {
            return false;
        }
        for (unsigned k = 0; k <= RIGHT; k++) {
            double swap = m[c][k];
            m[c][k] = m[pivot][k];
            m[pivot][k] = swap;
        }
        for (unsigned r = 0; r < n; r++) {
            if (r == c) {
                continue;
            }
            const double q = m[r][c] / m[c][c];
            for (unsigned k = c; k <= RIGHT; k++) {
                m[r][k] -= q * m[c][k];
            }
        }
    }
    for (unsigned i = 0; i < n; i++) {
        gamma[i] = m[i][RIGHT] / m[i][i];
        if (!isfinite(gamma[i])) {
            return false;
        }
    }
    return true;
}

/* ---- Memory ---- */

static uint64_t difference_bytes(bool is_wide)
{
    return is_wide ? sizeof(float) : sizeof(uint16_t);
}

static uint64_t vector_bytes(unsigned depth, bool is_wide, uint64_t n_entries)
{
    return n_entries * (sizeof(float) + 2 * depth * difference_bytes(is_wide));
}

uint64_t mr_acceleration_memory(unsigned depth, bool is_wide, uint64_t length, uint32_t n_parts)
{
    return depth == 0
               ? 0
               : vector_bytes(depth, is_wide, length) + n_parts * sizeof(double[2][MAX_DEPTH]);
}

enum mr_status mr_acceleration_create(const struct mr_context *context, unsigned depth,
                                      bool is_wide, uint64_t length, uint32_t n_parts, bool single,
                                      struct mr_acceleration **out, struct mr_error *err)
{
    struct mr_acceleration *a = calloc(1, sizeof *a);

    *out = a;
    if (a == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the acceleration");
    }
    a->context = context;
    a->loops = mr_acceleration_loops_best();
    a->length = length;
    a->n_parts = n_parts;
    a->depth = depth;
    a->is_wide = is_wide;
    a->single = single;
    const enum mr_status status =
        mr_memory_alloc(context->memory, "acceleration (--acceleration 0 has none)",
                        vector_bytes(depth, is_wide, length), &a->f, err);
    return status == MR_OK ? mr_memory_alloc(context->memory, "sums of the acceleration",
                                             n_parts * sizeof *a->parts, &a->parts, err)
                           : status;
}

void mr_acceleration_destroy(struct mr_acceleration *a)
{
    if (a != NULL) {
        mr_memory_free(a->context->memory, a->parts);
        mr_memory_free(a->context->memory, a->f);
        free(a);
    }
}

void mr_acceleration_begin(struct mr_acceleration *a)
{
    memset(&a->c, 0, sizeof a->c);
}

void mr_acceleration_restart(struct mr_acceleration *a)
{
    a->c.n_used = 0;
}

float *mr_acceleration_difference(struct mr_acceleration *a)
{
    return a->f;
}

/* The differences of f in slot k, from entry `at` on; dG of slot k is `depth` vectors further. */
static void *df_of(const struct mr_acceleration *a, unsigned k, uint64_t at)
{
    return (uint8_t *)(a->f + a->length) + (k * a->length + at) * difference_bytes(a->is_wide);
}

static void *dg_of(const struct mr_acceleration *a, unsigned k, uint64_t at)
{
    return df_of(a, a->depth + k, at);
}

/* ---- A pass ---- */

void mr_acceleration_observe(struct mr_acceleration *a, uint64_t first, uint32_t n,
                             const double *weight, struct mr_acceleration_sums *sums)
{
    struct mr_acceleration_piece piece = {.n = n,
                                          .n_slots = a->c.n_filled,
                                          .is_wide = a->is_wide,
                                          .f = a->f + first,
                                          .newest_df = df_of(a, a->c.next, first),
                                          .newest_dg = dg_of(a, a->c.next, first),
                                          .weight = weight,
                                          .sums = sums};
    for (unsigned k = 0; k < a->c.n_filled; k++) {
        piece.df[k] = df_of(a, k, first);
    }
    if (a->c.n_filled > 0) {
        a->loops->observe(&piece);
    }
}

/* The lanes, in the one order there is. */
static double join(const double *l)
{
    return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
}

void mr_acceleration_add_part(struct mr_acceleration *a, uint32_t part,
                              const struct mr_acceleration_sums *sums)
{
    for (unsigned k = 0; k < a->c.n_filled; k++) {
        a->parts[part][0][k] = join(sums->newest[k]);
        a->parts[part][1][k] = join(sums->f[k]);
    }
}

/* ---- The step ---- */

static unsigned slot_of_age(const struct mr_acceleration *a, unsigned age)
{
    return (a->c.next + a->depth - age) % a->depth;
}

/* The coefficients by the age of a slot, so that it does not matter where in the ring the steps
 * are. Adds the parts in their order and solves for them. */
static void plan(struct mr_acceleration *a, double gamma[MAX_DEPTH])
{
    struct coefficients *c = &a->c;
    double m[MAX_DEPTH][MAX_DEPTH + 1] = {{0}}, found[MAX_DEPTH];
    double newest[MAX_DEPTH] = {0}, f[MAX_DEPTH] = {0};
    const unsigned n = (unsigned)c->n_used;

    for (uint32_t p = 0; p < a->n_parts; p++) {
        for (unsigned k = 0; k < c->n_filled; k++) {
            newest[k] += a->parts[p][0][k];
            f[k] += a->parts[p][1][k];
        }
    }
    for (unsigned k = 0; k < c->n_filled; k++) {
        c->gram[c->next][k] = c->gram[k][c->next] = newest[k];
    }
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < n; k++) {
            m[i][k] = c->gram[slot_of_age(a, i)][slot_of_age(a, k)];
        }
        m[i][MAX_DEPTH] = f[slot_of_age(a, i)];
    }
    if (n == 0 || !solve_least_squares(m, n, found)) {
        c->n_used = 1; /* nothing was learnt: begin again with the step being taken */
        return;
    }
    memcpy(gamma, found, n * sizeof *gamma);
    c->n_used = n < a->depth ? n + 1 : n;
}

void mr_acceleration_step(struct mr_acceleration *a, void *x, uint64_t n)
{
    const int64_t n_chunks = (int64_t)mr_div_up(n, CHUNK);
    const unsigned next = a->c.n_filled == 0 ? 0 : (a->c.next + 1) % a->depth;
    struct mr_acceleration_scan scan = {.x = x,
                                        .is_single = a->single,
                                        .is_wide = a->is_wide,
                                        .n_slots = a->c.n_filled,
                                        .f = a->f,
                                        .next_df = df_of(a, next, 0),
                                        .next_dg = dg_of(a, next, 0)};

    assert(n <= a->length);
    plan(a, scan.gamma);
    for (unsigned k = 0; k < a->c.n_filled; k++) {
        scan.dg[k] = dg_of(a, slot_of_age(a, k), 0);
    }
#pragma omp parallel for num_threads(                                                              \
    mr_team_threads(mr_min_u64(a->context->threads, (uint64_t)n_chunks))) schedule(static)
    for (int64_t c = 0; c < n_chunks; c++) {
        const uint64_t first = (uint64_t)c * CHUNK;
        a->loops->step(&scan, first, mr_min_u64(first + CHUNK, n));
    }
    a->c.next = next;
    a->c.n_filled = a->c.n_filled < a->depth ? a->c.n_filled + 1 : a->depth;
}

/* ---- The state ---- */

void mr_acceleration_state(struct mr_acceleration *a, void **coefficients,
                           uint64_t *n_coefficient_bytes, void **vectors, uint64_t *n_vector_bytes)
{
    *coefficients = &a->c;
    *n_coefficient_bytes = sizeof a->c;
    *vectors = a->f;
    *n_vector_bytes = vector_bytes(a->depth, a->is_wide, a->length);
}

bool mr_acceleration_is_sound(const struct mr_acceleration *a)
{
    return a->c.n_filled <= a->depth && a->c.next < a->depth && a->c.n_used <= a->c.n_filled;
}
