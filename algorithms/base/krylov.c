/* SPDX-License-Identifier: Apache-2.0 */
/* Vector operations on a small orthonormal basis, and the eigenvalues of the small matrix that
 * belongs to it. Restarted Lanczos in algorithms/hits uses them. */
#include "algorithms/base/krylov.h"

#include <math.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"

/* Sums are taken in chunks, in LANES interleaved accumulators, and added in order. Compilers turn
 * the lanes into vector instructions without changing a bit. */
enum { CHUNK = 1 << 14, LANES = 8, PIECE = 1 << 11 };

static uint64_t n_chunks(uint64_t length)
{
    return mr_max_u64(mr_div_up(length, CHUNK), 1);
}

/* What is allocated, and what is planned. */
enum { KRYLOV_ARRAYS = 3 };
static void list_arrays(uint64_t length, unsigned n_slots, struct mr_krylov *krylov,
                        struct mr_memory_wanted arrays[KRYLOV_ARRAYS])
{
    static const char name[] = "basis of the acceleration (--acceleration 0 has none)";
    const uint64_t count = mr_max_u64(length, 1);
    const struct mr_memory_wanted all[KRYLOV_ARRAYS] = {
        MR_WANTED(name, count, &krylov->base),
        MR_WANTED(name, count * n_slots, &krylov->memory),
        MR_WANTED("sums of the acceleration", n_chunks(length), &krylov->partial),
    };
    memcpy(arrays, all, sizeof all);
}

uint64_t mr_krylov_memory(uint64_t length, unsigned n_slots)
{
    struct mr_memory_wanted arrays[KRYLOV_ARRAYS];
    struct mr_krylov nothing;

    list_arrays(length, n_slots, &nothing, arrays);
    return mr_memory_of_arrays(arrays, KRYLOV_ARRAYS);
}

enum mr_status mr_krylov_create(const struct mr_context *context, uint64_t length, unsigned n_slots,
                                struct mr_krylov *krylov, struct mr_error *err)
{
    struct mr_memory_wanted arrays[KRYLOV_ARRAYS];

    *krylov = (struct mr_krylov){.context = context, .length = length, .n_slots = n_slots};
    list_arrays(length, n_slots, krylov, arrays);
    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);
    if (status != MR_OK) {
        mr_krylov_destroy(krylov);
        return status;
    }
    for (unsigned i = 0; i < n_slots; i++) {
        krylov->slots[i] = krylov->memory + i * length;
    }
    return MR_OK;
}

void mr_krylov_destroy(struct mr_krylov *krylov)
{
    if (krylov->context != NULL) {
        mr_memory_free(krylov->context->memory, krylov->partial);
        mr_memory_free(krylov->context->memory, krylov->memory);
        mr_memory_free(krylov->context->memory, krylov->base);
    }
    *krylov = (struct mr_krylov){0};
}

/* ---- Products ---- */

static double add_lanes(const double lanes[LANES])
{
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

static double dot_double(const double *restrict a, const double *restrict b, uint64_t n)
{
    double lanes[LANES] = {0};
    uint64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (unsigned k = 0; k < LANES; k++) {
            lanes[k] += a[i + k] * b[i + k];
        }
    }
    for (unsigned k = 0; i + k < n; k++) {
        lanes[k] += a[i + k] * b[i + k];
    }
    return add_lanes(lanes);
}

static double dot_float(const float *restrict a, const double *restrict b, uint64_t n)
{
    double lanes[LANES] = {0};
    uint64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (unsigned k = 0; k < LANES; k++) {
            lanes[k] += (double)a[i + k] * b[i + k];
        }
    }
    for (unsigned k = 0; i + k < n; k++) {
        lanes[k] += (double)a[i + k] * b[i + k];
    }
    return add_lanes(lanes);
}

/* The sums of all chunks in column `column`, added in order. */
static double add_partial(const struct mr_krylov *krylov, unsigned column)
{
    double sum = 0;
    for (uint64_t c = 0; c < n_chunks(krylov->length); c++) {
        sum += krylov->partial[c][column];
    }
    return sum;
}

/* Of one chunk: its products with the base and the slots. */
static void multiply_chunk(const struct mr_krylov *krylov, const double *w, int64_t c,
                           unsigned n_used)
{
    const uint64_t first = (uint64_t)c * CHUNK, n = mr_min_u64(CHUNK, krylov->length - first);
    double *sums = krylov->partial[c];
    sums[0] = dot_double(krylov->base + first, w + first, n);
    for (unsigned i = 0; i < n_used; i++) {
        sums[1 + i] = dot_float(krylov->slots[i] + first, w + first, n);
    }
}

static void add_products(const struct mr_krylov *krylov, unsigned n_used, double *products)
{
    for (unsigned i = 0; i <= n_used; i++) {
        products[i] = add_partial(krylov, i);
    }
}

static void find_products(const struct mr_krylov *krylov, const double *w, unsigned n_used,
                          double *products)
{
    const int64_t chunks = (int64_t)n_chunks(krylov->length);
#pragma omp parallel for num_threads(mr_team_threads(chunks > 1 ? krylov->context->threads : 1))   \
    schedule(static)
    for (int64_t c = 0; c < chunks; c++) {
        multiply_chunk(krylov, w, c, n_used);
    }
    add_products(krylov, n_used, products);
}

double mr_krylov_norm(const struct mr_krylov *krylov, const double *w)
{
    const int64_t chunks = (int64_t)n_chunks(krylov->length);
#pragma omp parallel for num_threads(mr_team_threads(chunks > 1 ? krylov->context->threads : 1))   \
    schedule(static)
    for (int64_t c = 0; c < chunks; c++) {
        const uint64_t first = (uint64_t)c * CHUNK;
        const uint64_t n = mr_min_u64(CHUNK, krylov->length - first);
        krylov->partial[c][0] = dot_double(w + first, w + first, n);
    }
    return sqrt(add_partial(krylov, 0));
}

/* ---- Combinations ---- */

/* to[n] += weights[0] base + sum of weights[1 + i] slot i, from `first` on. Pieces of `to` stay in
 * the nearest cache while all vectors are added to them. */
static void add_chunk(const struct mr_krylov *krylov, double *restrict to, uint64_t first,
                      uint64_t n, unsigned n_used, const double *weights, double sign)
{
    for (uint64_t begin = 0; begin < n; begin += PIECE) {
        const uint64_t end = mr_min_u64(begin + PIECE, n);
        const double *restrict base = krylov->base + first;
        const double weight = sign * weights[0];
        for (uint64_t i = begin; i < end; i++) {
            to[i] += weight * base[i];
        }
        for (unsigned k = 0; k < n_used; k++) {
            const float *restrict slot = krylov->slots[k] + first;
            const double factor = sign * weights[1 + k];
            for (uint64_t i = begin; i < end; i++) {
                to[i] += factor * (double)slot[i];
            }
        }
    }
}

/* Subtracts, and multiplies what is left with the same vectors (`again`) or with itself (NULL), as
 * long as a chunk is in the cache. Returns the 2-norm in the second case. */
static double subtract(const struct mr_krylov *krylov, double *w, unsigned n_used,
                       const double *products, double *again)
{
    const int64_t chunks = (int64_t)n_chunks(krylov->length);
#pragma omp parallel for num_threads(mr_team_threads(chunks > 1 ? krylov->context->threads : 1))   \
    schedule(static)
    for (int64_t c = 0; c < chunks; c++) {
        const uint64_t first = (uint64_t)c * CHUNK;
        const uint64_t n = mr_min_u64(CHUNK, krylov->length - first);
        add_chunk(krylov, w + first, first, n, n_used, products, -1);
        if (again != NULL) {
            multiply_chunk(krylov, w, c, n_used);
        } else {
            krylov->partial[c][0] = dot_double(w + first, w + first, n);
        }
    }
    if (again != NULL) {
        add_products(krylov, n_used, again);
        return 0;
    }
    return sqrt(add_partial(krylov, 0));
}

double mr_krylov_orthogonalise(const struct mr_krylov *krylov, double *w, unsigned n_used,
                               double *products)
{
    double again[MR_KRYLOV_MAX + 1];
    find_products(krylov, w, n_used, products);
    (void)subtract(krylov, w, n_used, products, again);
    return subtract(krylov, w, n_used, again, NULL);
}

void mr_krylov_combine(const struct mr_krylov *krylov, double *w, double own, unsigned n_used,
                       const double *weights)
{
    const int64_t chunks = (int64_t)n_chunks(krylov->length);
#pragma omp parallel for num_threads(mr_team_threads(chunks > 1 ? krylov->context->threads : 1))   \
    schedule(static)
    for (int64_t c = 0; c < chunks; c++) {
        const uint64_t first = (uint64_t)c * CHUNK;
        const uint64_t n = mr_min_u64(CHUNK, krylov->length - first);
        for (uint64_t i = first; i < first + n; i++) {
            w[i] = own != 0 ? own * w[i] : 0;
        }
        add_chunk(krylov, w + first, first, n, n_used, weights, 1);
    }
}

void mr_krylov_store(struct mr_krylov *krylov, double *w, double scale, unsigned slot)
{
    const int64_t length = (int64_t)krylov->length;
    float *to = krylov->slots[slot];
#pragma omp parallel for num_threads(                                                              \
    mr_team_threads(length > CHUNK ? krylov->context->threads : 1)) schedule(static)
    for (int64_t i = 0; i < length; i++) {
        w[i] *= scale;
        to[i] = (float)w[i];
    }
}

void mr_krylov_store_base(struct mr_krylov *krylov, double *w, double scale)
{
    const int64_t length = (int64_t)krylov->length;
    double *to = krylov->base;
#pragma omp parallel for num_threads(                                                              \
    mr_team_threads(length > CHUNK ? krylov->context->threads : 1)) schedule(static)
    for (int64_t i = 0; i < length; i++) {
        w[i] *= scale;
        to[i] = w[i];
    }
}

/* ---- The small problem ---- */

enum { ORDER_MAX = MR_KRYLOV_MAX + 1 };

/* One rotation that makes h[p][q] zero (Golub and Van Loan, "Matrix Computations", 8.5). */
static void rotate(double h[ORDER_MAX][ORDER_MAX], double v[ORDER_MAX][ORDER_MAX], unsigned n,
                   unsigned p, unsigned q)
{
    const double theta = (h[q][q] - h[p][p]) / (2 * h[p][q]);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(1 + theta * theta));
    const double c = 1 / sqrt(1 + t * t), s = t * c;
    for (unsigned k = 0; k < n; k++) {
        const double x = h[k][p], y = h[k][q];
        h[k][p] = c * x - s * y;
        h[k][q] = s * x + c * y;
    }
    for (unsigned k = 0; k < n; k++) {
        const double x = h[p][k], y = h[q][k];
        h[p][k] = c * x - s * y;
        h[q][k] = s * x + c * y;
    }
    for (unsigned k = 0; k < n; k++) {
        const double x = v[k][p], y = v[k][q];
        v[k][p] = c * x - s * y;
        v[k][q] = s * x + c * y;
    }
}

struct mr_ritz mr_krylov_ritz(double given[ORDER_MAX][ORDER_MAX + 1], unsigned n)
{
    enum { SWEEPS = 30 };
    double h[ORDER_MAX][ORDER_MAX] = {{0}}, v[ORDER_MAX][ORDER_MAX] = {{0}}, size = 0;
    for (unsigned i = 0; i < n; i++) {
        v[i][i] = 1;
        for (unsigned j = i; j < n; j++) {
            h[i][j] = h[j][i] = given[i][j];
            size = fmax(size, fabs(h[i][j]));
        }
    }
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
        bool is_diagonal = true;
        for (unsigned p = 0; p < n; p++) {
            for (unsigned q = p + 1; q < n; q++) {
                if (fabs(h[p][q]) > 1e-17 * size) {
                    is_diagonal = false;
                    rotate(h, v, n, p, q);
                }
            }
        }
        if (is_diagonal) {
            break;
        }
    }
    struct mr_ritz ritz = {0};
    unsigned best = 0;
    for (unsigned i = 1; i < n; i++) {
        best = h[i][i] > h[best][best] ? i : best;
    }
    ritz.value = h[best][best];
    for (unsigned i = 0; i < n; i++) {
        ritz.vector[i] = v[i][best];
        ritz.second = i != best ? fmax(ritz.second, h[i][i]) : ritz.second;
    }
    return ritz;
}
