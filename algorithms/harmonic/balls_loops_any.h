/* SPDX-License-Identifier: Apache-2.0 */
/* Included once for each instruction set, with BALLS_LOOPS the name of its loops, and VECTOR_BYTES
 * and VECTOR_MAXIMUM the width of its registers and its maximum of bytes, if these are more than
 * 16. A piece of the target's set stays in registers while the pieces of all sources pass by. The
 * last piece of a set may overlap the one before it, which changes nothing. */
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "algorithms/harmonic/balls_loops.h"
#include "algorithms/harmonic/internal.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
    LARGE_PIECE = 256,
    PIECE = 64,
    SMALL_PIECE = 16,
    LEAST_PIECE = 8,
    LANES = 8,
    MOST_KEPT = 512
};

typedef int8_t least_vector __attribute__((vector_size(LEAST_PIECE)));
typedef uint8_t small_vector __attribute__((vector_size(SMALL_PIECE)));

ALWAYS_INLINE least_vector least_maximum(least_vector a, least_vector b)
{
    const least_vector greater = (least_vector)(a > b);
    return (a & greater) | (b & ~greater);
}

ALWAYS_INLINE small_vector small_maximum(small_vector a, small_vector b)
{
#if defined(__x86_64__)
    return (small_vector)_mm_max_epu8((__m128i)a, (__m128i)b);
#else
    const small_vector greater = (small_vector)(a > b);
    return (a & greater) | (b & ~greater);
#endif
}

#if defined(VECTOR_BYTES)
typedef uint8_t vector __attribute__((vector_size(VECTOR_BYTES)));

ALWAYS_INLINE vector maximum(vector a, vector b)
{
    return (vector)VECTOR_MAXIMUM(a, b);
}
#else
typedef small_vector vector;
#define maximum small_maximum
#endif

typedef uint8_t bytes __attribute__((vector_size(LANES)));
typedef uint64_t words __attribute__((vector_size(LANES * sizeof(uint64_t))));

/* A piece of `to` is that of `from`, which may be `to`, united with those of the n sources. All
 * pointers are at the piece; `sets` is at that of vertex 0. Returns whether `from` was another. */
#define UNITE_PIECE(NAME, VECTOR, MAXIMUM, N)                                                      \
    ALWAYS_INLINE bool NAME(const uint8_t *from, uint8_t *to, const uint8_t *sets, size_t k,       \
                            bool are_bits, const uint32_t *sources, size_t n, size_t step)         \
    {                                                                                              \
        VECTOR old[N], united[N], more, different = {0};                                           \
        for (unsigned j = 0; j < N; j++) {                                                         \
            memcpy(&old[j], from + j * step, sizeof(VECTOR));                                      \
            united[j] = old[j];                                                                    \
        }                                                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint8_t *set = sets + sources[i] * k;                                            \
            for (unsigned j = 0; j < N; j++) {                                                     \
                memcpy(&more, set + j * step, sizeof(VECTOR));                                     \
                united[j] = are_bits ? united[j] | more : MAXIMUM(united[j], more);                \
            }                                                                                      \
        }                                                                                          \
        for (unsigned j = 0; j < N; j++) {                                                         \
            different |= united[j] ^ old[j];                                                       \
        }                                                                                          \
        uint64_t parts[sizeof(VECTOR) / sizeof(uint64_t)], any = 0;                                \
        memcpy(parts, &different, sizeof parts);                                                   \
        for (unsigned j = 0; j < sizeof parts / sizeof *parts; j++) {                              \
            any |= parts[j];                                                                       \
        }                                                                                          \
        for (unsigned j = 0; j < N && (any != 0 || from != to); j++) {                             \
            memcpy(to + j * step, &united[j], sizeof(VECTOR));                                     \
        }                                                                                          \
        return any != 0;                                                                           \
    }

UNITE_PIECE(unite_large, vector, maximum, LARGE_PIECE / sizeof(vector))
UNITE_PIECE(unite_piece, vector, maximum, PIECE / sizeof(vector))
UNITE_PIECE(unite_two, small_vector, small_maximum, 2)
UNITE_PIECE(unite_small, small_vector, small_maximum, 1)
UNITE_PIECE(unite_two_least, least_vector, least_maximum, 2)

ALWAYS_INLINE bool unite_byte(const uint8_t *from, uint8_t *to, const uint8_t *sets, size_t k,
                              bool are_bits, const uint32_t *sources, size_t n)
{
    const uint8_t old = *from;
    uint8_t united = old;

    for (size_t i = 0; i < n; i++) {
        const uint8_t more = sets[sources[i] * k];
        united = are_bits ? united | more : more > united ? more : united;
    }
    *to = united;
    return united != old;
}

/* The next set of the target, of its set in `own` (now or next) and those of the sources. */
ALWAYS_INLINE bool unite_set(const struct mr_balls *balls, size_t k, bool are_bits,
                             const uint8_t *own, uint32_t target, const uint32_t *sources, size_t n)
{
    const uint8_t *from = own + target * k, *sets = balls->now;
    uint8_t *to = balls->next + target * k;
    bool differs = false;
    size_t at = 0;

    for (; k - at >= LARGE_PIECE; at += LARGE_PIECE) {
        differs |=
            unite_large(from + at, to + at, sets + at, k, are_bits, sources, n, sizeof(vector));
    }
    for (; k - at >= PIECE; at += PIECE) {
        differs |=
            unite_piece(from + at, to + at, sets + at, k, are_bits, sources, n, sizeof(vector));
    }
    for (; k - at >= 2 * SMALL_PIECE; at += 2 * SMALL_PIECE) {
        differs |= unite_two(from + at, to + at, sets + at, k, are_bits, sources, n, SMALL_PIECE);
    }
    if (k - at >= SMALL_PIECE) {
        differs |= unite_small(from + at, to + at, sets + at, k, are_bits, sources, n, 0);
        at += SMALL_PIECE;
    }
    if (k - at >= LEAST_PIECE) {
        differs |= unite_two_least(from + at, to + at, sets + at, k, are_bits, sources, n,
                                   k - at - LEAST_PIECE);
        at = k;
    }
    for (; at < k; at++) {
        differs |= unite_byte(from + at, to + at, sets + at, k, are_bits, sources, n);
    }
    return differs;
}

ALWAYS_INLINE void unite_all_pairs(const struct mr_balls *balls, size_t k, bool are_bits,
                                   const uint32_t (*pairs)[2], size_t n_pairs)
{
    for (size_t i = 0; i < n_pairs; i++) {
        if (mr_balls_are_marked(balls->changed, pairs[i][0]) &&
            unite_set(balls, k, are_bits, balls->next, pairs[i][1], pairs[i], 1)) {
            mr_balls_mark(balls->changes, pairs[i][1]);
        }
    }
}

/* Sources that have changed are kept, MOST_KEPT at a time; others add nothing. */
ALWAYS_INLINE bool unite_list(const struct mr_balls *balls, size_t k, bool are_bits,
                              uint32_t target, const uint32_t *sources, uint64_t n)
{
    const uint8_t *own = balls->now;
    uint32_t kept[MOST_KEPT];
    size_t n_kept = 0;
    bool differs = false;

    if (balls->are_most_changed) {
        for (uint64_t i = 0; i < n; i++) {
            __builtin_prefetch(balls->now + sources[i + MR_BALLS_AHEAD] * k);
        }
        return unite_set(balls, k, are_bits, own, target, sources, n);
    }
    for (uint64_t i = 0; i < n; i++) {
        __builtin_prefetch(balls->now + sources[i + MR_BALLS_AHEAD] * k);
        kept[n_kept] = sources[i];
        n_kept += mr_balls_are_marked(balls->changed, sources[i]);
        if (n_kept == MOST_KEPT) {
            differs |= unite_set(balls, k, are_bits, own, target, kept, n_kept);
            own = balls->next;
            n_kept = 0;
        }
    }
    if (n_kept > 0) {
        differs |= unite_set(balls, k, are_bits, own, target, kept, n_kept);
    } else if (own == balls->now && mr_balls_are_marked(balls->changed, target)) {
        memcpy(balls->next + target * k, balls->now + target * k, k);
    }
    return differs;
}

ALWAYS_INLINE void unite_all_lists(const struct mr_balls *balls, size_t k, bool are_bits,
                                   const uint64_t *starts, const uint32_t *sources, uint32_t first,
                                   uint32_t end)
{
    for (uint32_t v = first; v < end; v++) {
        if (unite_list(balls, k, are_bits, v, sources + starts[v], starts[v + 1] - starts[v])) {
            mr_balls_mark(balls->changes, v);
        }
    }
}

/* Sets of 16 registers, and of the default's 64, have loops of their own. */
#define UNITE_ALL(LOOP, ...)                                                                       \
    if (balls->are_bits) {                                                                         \
        LOOP(balls, balls->k, true, __VA_ARGS__);                                                  \
    } else if (balls->k == PIECE) {                                                                \
        LOOP(balls, PIECE, false, __VA_ARGS__);                                                    \
    } else if (balls->k == SMALL_PIECE) {                                                          \
        LOOP(balls, SMALL_PIECE, false, __VA_ARGS__);                                              \
    } else {                                                                                       \
        LOOP(balls, balls->k, false, __VA_ARGS__);                                                 \
    }

static void unite_pairs(const struct mr_balls *balls, const uint32_t (*pairs)[2], size_t n_pairs)
{
    UNITE_ALL(unite_all_pairs, pairs, n_pairs)
}

static void unite_lists(const struct mr_balls *balls, const uint64_t *starts,
                        const uint32_t *sources, uint32_t first, uint32_t end)
{
    UNITE_ALL(unite_all_lists, starts, sources, first, end)
}

static uint64_t value(const uint8_t *registers, size_t k)
{
    const words zero = {0}, one = zero + 1, most = zero + MR_HARMONIC_MOST_RANK;
    words sums = {0};
    uint64_t sum = 0;
    size_t i = 0;

    for (; k - i >= LANES; i += LANES) {
        bytes ranks;
        memcpy(&ranks, registers + i, sizeof ranks);
        const words rank = __builtin_convertvector(ranks, words);
        sums += (one << (most - rank)) + ((words)(rank == 0) & one << MR_HARMONIC_ZEROS_SHIFT);
    }
    for (unsigned j = 0; j < LANES; j++) {
        sum += sums[j];
    }
    for (; i < k; i++) {
        sum += mr_harmonic_value(registers[i]);
    }
    return sum;
}

const struct mr_balls_loops BALLS_LOOPS = {
    .unite_pairs = unite_pairs, .unite_lists = unite_lists, .value = value};
