/* Included once for each instruction set, with RANK_LOOPS the name of its loops: vectors of four, which compilers make
 * of what the set has without changing a bit. All of a page is done at once: columns of a piece between one loop and
 * the next, 4 KiB each and all in the same lines of the first cache, took three times as long. */
#include <string.h>

#include "algorithms/base/rank_loops.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { LANES = MR_RANK_LANES, FOUR = 4 };

typedef double doubles __attribute__((vector_size(FOUR * sizeof(double))));
typedef int64_t masks __attribute__((vector_size(FOUR * sizeof(int64_t)))); /* all bits or none */
typedef float floats __attribute__((vector_size(FOUR * sizeof(float))));
typedef int32_t words __attribute__((vector_size(FOUR * sizeof(int32_t))));

/* Of one set of sums; the other four lanes have their own. */
struct some_sums {
    doubles mass, dangling, change;
};

ALWAYS_INLINE doubles load(const double *from)
{
    doubles v;
    memcpy(&v, from, sizeof v);
    return v;
}

ALWAYS_INLINE void store(double *to, doubles v)
{
    memcpy(to, &v, sizeof v);
}

ALWAYS_INLINE doubles load_values(bool is_single, const void *from, size_t i)
{
    const float *v = (const float *)from + i;
    return is_single ? (doubles){v[0], v[1], v[2], v[3]} : load((const double *)from + i);
}

ALWAYS_INLINE void store_floats(float *to, doubles v)
{
    const floats rounded = __builtin_convertvector(v, floats);
    memcpy(to, &rounded, sizeof rounded);
}

ALWAYS_INLINE doubles select(masks mask, doubles yes, doubles no)
{
    return (doubles)((mask & (masks)yes) | (~mask & (masks)no));
}

/* Degrees in double: instructions convert signed numbers. */
ALWAYS_INLINE doubles load_degrees(const uint32_t *from)
{
    words v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v ^ INT32_MIN, doubles) + 0x1p31;
}

/* Pages i to i + 3 of a piece. */
ALWAYS_INLINE void update_four(const struct mr_rank_piece *piece, bool is_single, bool goes_further,
                               size_t i, struct some_sums *sums)
{
    const doubles zero = {0}, one = zero + 1;
    const doubles degree = load_degrees(piece->out_degree + i);
    const masks is_dangling = degree == zero;
    const doubles divisor = select(
        is_dangling, one, piece->out_strength == NULL ? degree : load(piece->out_strength + i));
    const doubles before = load_values(is_single, piece->old, i);
    doubles rank = load(piece->start + i) + piece->damping * load(piece->linked + i);
    doubles share = rank / divisor;
    if (goes_further) {
        share = before + piece->relaxation * (share - before);
        share = select(share > zero, share, zero);
        rank = share * divisor;
    }
    const doubles moved = rank - before * divisor;
    sums->mass += rank;
    sums->dangling += (doubles)(is_dangling & (masks)rank);
    sums->change += (doubles)((masks)moved & INT64_MAX);
    if (piece->difference != NULL) {
        store_floats(piece->difference + i, share - before);
    }
    if (is_single) {
        store_floats((float *)piece->fresh + i, share);
    } else {
        store((double *)piece->fresh + i, share);
    }
}

/* n is a multiple of LANES. */
ALWAYS_INLINE void update_whole(const struct mr_rank_piece *piece, bool is_single, size_t n)
{
    const bool goes_further = piece->relaxation != 1;
    struct mr_rank_lanes *sums = piece->sums;
    struct some_sums low = {load(sums->mass), load(sums->dangling), load(sums->change)};
    struct some_sums high = {load(sums->mass + FOUR), load(sums->dangling + FOUR),
                             load(sums->change + FOUR)};
    for (size_t i = 0; i < n; i += LANES) {
        update_four(piece, is_single, goes_further, i, &low);
        update_four(piece, is_single, goes_further, i + FOUR, &high);
    }
    store(sums->mass, low.mass);
    store(sums->dangling, low.dangling);
    store(sums->change, low.change);
    store(sums->mass + FOUR, high.mass);
    store(sums->dangling + FOUR, high.dangling);
    store(sums->change + FOUR, high.change);
}

/* Fewer pages than there are lanes, the last of a band: those that are missing have a rank of 0. */
static void update_rest(const struct mr_rank_piece *piece, size_t done)
{
    const size_t n = piece->n - done;
    const size_t value_bytes = piece->is_single ? sizeof(float) : sizeof(double);
    const uint8_t *old = (const uint8_t *)piece->old + done * value_bytes;
    uint8_t *fresh = (uint8_t *)piece->fresh + done * value_bytes;
    double start[LANES] = {0}, linked[LANES] = {0}, strength[LANES] = {0}, values[LANES] = {0};
    float difference[LANES];
    uint32_t degree[LANES];
    struct mr_rank_piece rest = *piece;
    for (size_t k = 0; k < LANES; k++) {
        degree[k] = k < n ? piece->out_degree[done + k] : 1;
        strength[k] = k < n && piece->out_strength != NULL ? piece->out_strength[done + k] : 1;
    }
    memcpy(start, piece->start + done, n * sizeof *start);
    memcpy(linked, piece->linked + done, n * sizeof *linked);
    memcpy(values, old, n * value_bytes);
    rest.start = start;
    rest.linked = linked;
    rest.out_degree = degree;
    rest.out_strength = piece->out_strength == NULL ? NULL : strength;
    rest.old = rest.fresh = values;
    rest.difference = piece->difference == NULL ? NULL : difference;
    update_whole(&rest, piece->is_single, LANES);
    memcpy(fresh, values, n * value_bytes);
    if (piece->difference != NULL) {
        memcpy(piece->difference + done, difference, n * sizeof *difference);
    }
}

static void update(const struct mr_rank_piece *given)
{
    const size_t n = given->n / LANES * LANES;
    struct mr_rank_lanes unwanted = {{0}, {0}, {0}};
    struct mr_rank_piece piece = *given;
    if (piece.sums == NULL) {
        piece.sums = &unwanted;
    }
    if (piece.is_single) {
        update_whole(&piece, true, n);
    } else {
        update_whole(&piece, false, n);
    }
    if (n < piece.n) {
        update_rest(&piece, n);
    }
}

const struct mr_rank_loops RANK_LOOPS = {.update = update};
