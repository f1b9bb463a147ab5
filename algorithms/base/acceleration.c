/* SPDX-License-Identifier: Apache-2.0 */
/* Anderson acceleration of one vector (acceleration.h). The pass observes the differences band by
 * band; the step then combines them in one linear scan. */
#include "algorithms/base/acceleration.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/base/least_squares.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

/* Sums are taken part by part in chunks that stay in cache, in LANES interleaved accumulators, and
 * added in order. Compilers turn the lanes into vectors without changing a bit. */
enum { CHUNK = 1024, SCAN = 1 << 16, LANES = 8, MAX_DEPTH = MR_ACCELERATION_MAX_DEPTH };

static_assert(MAX_DEPTH <= MR_LEAST_SQUARES_MAX, "coefficients are solved for together");

/* Of one part: the inner products that are new, those of the slot just completed and those of f. */
struct sums {
    double newest[MAX_DEPTH]; /* <dF_next, dF_j> */
    double f[MAX_DEPTH]; /* <dF_j, f> */
};

/* Between steps, slot `next` holds f and the step taken, x_{k+1} - x_k, of the step just made; with
 * the coming f they become its differences dF and dG. So no previous vectors are kept besides. f
 * gets into the slot by an exchange of buffers: vectors are named by their place in memory. */
struct coefficients {
    double gram[MAX_DEPTH][MAX_DEPTH]; /* <dF_i, dF_j> of the slots used, but for `next` */
    uint32_t n_used; /* slots with differences, the one to be completed included */
    uint32_t next; /* slot that waits for its second half, if n_used > 0 */
    uint32_t f, df[MAX_DEPTH]; /* even places; dG of slot i is always in place 2 i + 1 */
};

struct mr_acceleration {
    const struct mr_context *context;
    uint64_t length;
    uint32_t n_parts;
    unsigned depth;
    bool single;
    /* The step being taken, between plan and done. */
    double gamma[MAX_DEPTH];
    unsigned step_used, step_next;
    struct sums *partial; /* [n_parts] */
    struct coefficients c;
    float *memory; /* 1 + 2 depth vectors */
};

static float *f_of(const struct mr_acceleration *a)
{
    return a->memory + a->c.f * a->length;
}

static float *df_of(const struct mr_acceleration *a, unsigned slot)
{
    return a->memory + a->c.df[slot] * a->length;
}

static float *dg_of(const struct mr_acceleration *a, unsigned slot)
{
    return a->memory + (2 * (uint64_t)slot + 1) * a->length;
}

static uint64_t vector_bytes(unsigned depth, uint64_t length)
{
    return (1 + 2 * (uint64_t)depth) * length * sizeof(float);
}

static uint64_t partial_bytes(uint32_t n_parts)
{
    return n_parts * sizeof(struct sums);
}

uint64_t mr_acceleration_memory(unsigned depth, uint64_t length, uint32_t n_parts)
{
    return depth == 0 ? 0 : vector_bytes(depth, length) + partial_bytes(n_parts);
}

enum mr_status mr_acceleration_create(const struct mr_context *context, unsigned depth,
                                      uint64_t length, uint32_t n_parts, bool single,
                                      struct mr_acceleration **out, struct mr_error *err)
{
    struct mr_acceleration *a = calloc(1, sizeof *a);
    if (a == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the acceleration");
    }
    a->context = context;
    a->length = length;
    a->n_parts = n_parts;
    a->depth = depth;
    a->single = single;
    void *vectors = NULL, *partial = NULL;
    enum mr_status status =
        mr_memory_alloc(context->memory, "acceleration (--acceleration 0 has none)",
                        vector_bytes(depth, length), &vectors, err);
    a->memory = vectors;
    if (status == MR_OK) {
        status = mr_memory_alloc(context->memory, "sums of the acceleration",
                                 partial_bytes(n_parts), &partial, err);
    }
    a->partial = partial;
    if (status != MR_OK) {
        mr_acceleration_destroy(a);
        return status;
    }
    for (unsigned i = 0; i < depth; i++) {
        a->c.df[i] = 2 * i + 2;
    }
    *out = a;
    return MR_OK;
}

void mr_acceleration_destroy(struct mr_acceleration *a)
{
    if (a == NULL) {
        return;
    }
    mr_memory_free(a->context->memory, a->partial);
    mr_memory_free(a->context->memory, a->memory);
    free(a);
}

float *mr_acceleration_difference(struct mr_acceleration *a)
{
    return f_of(a);
}

void mr_acceleration_state(struct mr_acceleration *a, void **coefficients,
                           uint64_t *n_coefficient_bytes, float **vectors, uint64_t *n_vector_bytes)
{
    *coefficients = &a->c;
    *n_coefficient_bytes = sizeof a->c;
    *vectors = a->memory;
    *n_vector_bytes = vector_bytes(a->depth, a->length);
}

bool mr_acceleration_is_sound(const struct mr_acceleration *a)
{
    bool is_sound = a->c.n_used <= a->depth && a->c.next < a->depth;
    uint32_t places = 0; /* of f and dF: each of the even ones once */

    for (unsigned i = 0; i <= a->depth; i++) {
        const uint32_t place = i < a->depth ? a->c.df[i] : a->c.f;
        is_sound = is_sound && place <= 2 * a->depth && place % 2 == 0;
        places |= is_sound ? (uint32_t)1 << place / 2 : 0;
    }
    return is_sound && places == ((uint32_t)1 << (a->depth + 1)) - 1;
}

void mr_acceleration_restart(struct mr_acceleration *a)
{
    a->c.n_used = 0;
    a->c.next = 0;
}

/* dF = f - (f of the step before), dG = (step taken) + dF, for entries [first, end). */
static void complete_slot(struct mr_acceleration *a, uint64_t first, uint64_t end)
{
    const float *restrict f = f_of(a);
    float *restrict df = df_of(a, a->c.next), *restrict dg = dg_of(a, a->c.next);
    for (uint64_t i = first; i < end; i++) {
        const float difference = f[i] - df[i];
        df[i] = difference;
        dg[i] += difference;
    }
}

static double dot(const double *restrict a, const float *restrict b, uint64_t n)
{
    double lanes[LANES] = {0};
    uint64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (unsigned k = 0; k < LANES; k++) {
            lanes[k] += a[i + k] * (double)b[i + k];
        }
    }
    for (unsigned k = 0; i + k < n; k++) {
        lanes[k] += a[i + k] * (double)b[i + k];
    }
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/* x as a double; compilers have vectors for numbers with a sign. Exact. */
static inline double from_unsigned(uint32_t x)
{
    return (double)(int32_t)(x ^ (1u << 31)) + 0x1p31;
}

static void add_chunk(const struct mr_acceleration *a, uint64_t first, uint64_t n,
                      const uint32_t *weight, struct sums *sums)
{
    double newest[CHUNK], f[CHUNK]; /* times the square of the weight */
    const float *restrict df_next = df_of(a, a->c.next) + first, *restrict f_now = f_of(a) + first;
    for (uint64_t i = 0; i < n; i++) {
        const double w = from_unsigned(weight[i] + (weight[i] == 0));
        newest[i] = w * w * (double)df_next[i];
        f[i] = w * w * (double)f_now[i];
    }
    for (unsigned j = 0; j < a->c.n_used; j++) {
        sums->newest[j] += dot(newest, df_of(a, j) + first, n);
        sums->f[j] += dot(f, df_of(a, j) + first, n);
    }
}

void mr_acceleration_observe(struct mr_acceleration *a, uint32_t part, uint64_t first, uint64_t n,
                             const uint32_t *weight)
{
    a->partial[part] = (struct sums){{0}, {0}};
    for (uint64_t done = 0; done < n && a->c.n_used > 0; done += CHUNK) {
        const uint64_t count = mr_min_u64(n - done, CHUNK);
        complete_slot(a, first + done, first + done + count);
        add_chunk(a, first + done, count, weight + done, &a->partial[part]);
    }
}

/* Add the parts in order and solve for the coefficients. */
static bool find_coefficients(struct mr_acceleration *a, double *gamma)
{
    double m[MAX_DEPTH][MAX_DEPTH + 1] = {{0}};
    struct sums sums = {{0}, {0}};
    for (uint32_t p = 0; p < a->n_parts; p++) {
        for (unsigned i = 0; i < a->c.n_used; i++) {
            sums.newest[i] += a->partial[p].newest[i];
            sums.f[i] += a->partial[p].f[i];
        }
    }
    for (unsigned i = 0; i < a->c.n_used; i++) {
        a->c.gram[a->c.next][i] = a->c.gram[i][a->c.next] = sums.newest[i];
    }
    for (unsigned i = 0; i < a->c.n_used; i++) {
        memcpy(m[i], a->c.gram[i], a->c.n_used * sizeof(double));
        m[i][MAX_DEPTH] = sums.f[i];
    }
    return mr_least_squares_solve(m, a->c.n_used, gamma);
}

/* x = G(x) - sum gamma_i dG_i, not below 0; the step taken goes to slot `next`. The numbers that
 * are constants where this is inlined make it a plain loop. */
static inline __attribute__((always_inline)) void apply(const struct mr_acceleration *a, void *x,
                                                        bool single, unsigned n_used,
                                                        uint64_t first, uint64_t end)
{
    const float *restrict f = f_of(a);
    float *dg[MAX_DEPTH], *taken = dg_of(a, a->step_next);
    double gamma[MAX_DEPTH];

    for (unsigned k = 0; k < n_used; k++) {
        dg[k] = dg_of(a, k);
        gamma[k] = a->gamma[k];
    }
    for (uint64_t i = first; i < end; i++) {
        double correction = 0;
        for (unsigned k = 0; k < n_used; k++) {
            correction += gamma[k] * (double)dg[k][i];
        }
        const double g = single ? (double)((float *)x)[i] : ((double *)x)[i];
        const double moved = g - correction > 0 ? g - correction : 0;
        if (n_used > 0 && single) {
            ((float *)x)[i] = (float)moved;
        } else if (n_used > 0) {
            ((double *)x)[i] = moved;
        }
        taken[i] = n_used > 0 ? (float)((moved - g) + (double)f[i]) : f[i];
    }
}

/* Entries [first, end). The depths of the solvers have loops of their own. */
static void apply_best(const struct mr_acceleration *a, void *x, uint64_t first, uint64_t end)
{
    const unsigned n_used = a->step_used;

    if (n_used == 2 && !a->single) {
        apply(a, x, false, 2, first, end);
    } else if (n_used == 2) {
        apply(a, x, true, 2, first, end);
    } else if (n_used == 5 && !a->single) {
        apply(a, x, false, 5, first, end);
    } else {
        apply(a, x, a->single, n_used, first, end);
    }
}

/* The coefficients of the step. */
static void plan(struct mr_acceleration *a)
{
    a->step_used = a->c.n_used;
    a->step_next = 0;
    if (a->c.n_used == 0) {
        return;
    }
    a->step_next = (a->c.next + 1) % a->depth;
    if (!find_coefficients(a, a->gamma)) {
        a->step_used = a->step_next = 0; /* nothing was learnt: begin again */
    }
}

void mr_acceleration_step(struct mr_acceleration *a, void *x)
{
    const int64_t n_scans = (int64_t)mr_div_up(a->length, SCAN);
    /* clang 14 does not see that the clause reads it.
     * NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores) */
    const int n_threads = (int)mr_min_u64(a->context->threads, (uint64_t)n_scans);
    plan(a);
#pragma omp parallel for num_threads(n_threads) schedule(static)
    for (int64_t s = 0; s < n_scans; s++) {
        const uint64_t first = (uint64_t)s * SCAN;
        apply_best(a, x, first, mr_min_u64(first + SCAN, a->length));
    }
    const uint32_t f = a->c.f;
    a->c.f = a->c.df[a->step_next];
    a->c.df[a->step_next] = f;
    a->c.next = a->step_next;
    a->c.n_used = a->step_used < a->depth ? a->step_used + 1 : a->depth;
}
