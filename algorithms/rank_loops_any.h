/* Included once for each instruction set, with RANK_LOOPS the name of its loops: plain loops over short arrays, which
 * compilers turn into vectors of that set without changing a bit. */
#include <math.h>
#include <string.h>

#include "algorithms/rank_loops.h"

enum { PIECE = MR_RANK_PIECE, LANES = MR_RANK_LANES };

/* Of a piece, [PIECE]; what is missing to whole lanes is such that it adds nothing. */
struct columns {
    double degree[PIECE]; /* what a rank is divided by */
    double none[PIECE]; /* 1 where a page has no links, else 0 */
    double before[PIECE]; /* old shares */
    double share[PIECE]; /* new ones */
    double rank[PIECE], lost[PIECE], moved[PIECE];
};

/* n is a multiple of LANES. */
static void add_lanes(const double *restrict values, size_t n, double sums[LANES])
{
    double own[LANES];
    memcpy(own, sums, sizeof own);
    for (size_t i = 0; i < n; i += LANES) {
        for (unsigned k = 0; k < LANES; k++) {
            own[k] += values[i + k];
        }
    }
    memcpy(sums, own, sizeof own);
}

static void divide_by(const struct mr_rank_piece *piece, struct columns *columns)
{
    const uint32_t *out_degree = piece->out_degree;
    for (size_t i = 0; i < piece->n; i++) {
        columns->none[i] = out_degree[i] == 0 ? 1.0 : 0.0;
        columns->degree[i] = (double)out_degree[i] + columns->none[i];
    }
    for (size_t i = 0; i < piece->n && piece->out_strength != NULL; i++) {
        columns->degree[i] = out_degree[i] == 0 ? 1.0 : piece->out_strength[i];
    }
}

/* The old shares in double: where they are, or in the columns. */
static const double *load(const struct mr_rank_piece *piece, struct columns *columns)
{
    if (piece->is_single) {
        for (size_t i = 0; i < piece->n; i++) {
            columns->before[i] = (double)((const float *)piece->old)[i];
        }
        return columns->before;
    }
    if (piece->n % LANES == 0) {
        return piece->old;
    }
    memcpy(columns->before, piece->old, piece->n * sizeof(double));
    return columns->before;
}

static void store(const struct mr_rank_piece *piece, const double *restrict share)
{
    if (piece->is_single) {
        for (size_t i = 0; i < piece->n; i++) {
            ((float *)piece->fresh)[i] = (float)share[i];
        }
    } else {
        memcpy(piece->fresh, share, piece->n * sizeof(double));
    }
}

/* Ranks as the sums say, in as many lanes as there are; `start` has as many as there are pages. */
static void rank(const struct mr_rank_piece *piece, const double *restrict linked,
                 struct columns *columns, size_t n)
{
    for (size_t i = 0; i < piece->n; i++) {
        columns->rank[i] = piece->start[i] + piece->damping * linked[i];
    }
    for (size_t i = 0; i < n; i++) {
        columns->share[i] = columns->rank[i] / columns->degree[i];
    }
}

/* From the old shares further than that, or less far. */
static void go_further(const struct mr_rank_piece *piece, const double *restrict before,
                       struct columns *columns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double share = before[i] + piece->relaxation * (columns->share[i] - before[i]);
        columns->share[i] = share > 0 ? share : 0;
    }
    for (size_t i = 0; i < n; i++) {
        columns->rank[i] = columns->share[i] * columns->degree[i];
    }
}

static void sum(struct columns *columns, const double *restrict before, size_t n,
                struct mr_rank_lanes *sums)
{
    for (size_t i = 0; i < n; i++) {
        columns->lost[i] = columns->none[i] * columns->rank[i];
    }
    for (size_t i = 0; i < n; i++) {
        columns->moved[i] = fabs(columns->rank[i] - before[i] * columns->degree[i]);
    }
    add_lanes(columns->rank, n, sums->mass);
    add_lanes(columns->lost, n, sums->dangling);
    add_lanes(columns->moved, n, sums->change);
}

static void update(const struct mr_rank_piece *piece)
{
    struct columns columns;
    size_t n = piece->n;

    divide_by(piece, &columns);
    const double *before = load(piece, &columns);
    for (; n % LANES != 0; n++) {
        columns.rank[n] = columns.none[n] = columns.before[n] = 0;
        columns.degree[n] = 1;
    }
    rank(piece, piece->linked, &columns, n);
    if (piece->relaxation != 1) {
        go_further(piece, before, &columns, n);
    }
    if (piece->sums != NULL) {
        sum(&columns, before, n, piece->sums);
    }
    for (size_t i = 0; piece->difference != NULL && i < piece->n; i++) {
        piece->difference[i] = (float)(columns.share[i] - before[i]);
    }
    store(piece, columns.share);
}

const struct mr_rank_loops RANK_LOOPS = {.update = update};
