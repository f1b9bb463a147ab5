/* SPDX-License-Identifier: Apache-2.0 */
/* Included once for each instruction set, with BALLS_LOOPS the name of its loops, and VECTOR_BYTES
 * and VECTOR_MAXIMUM the width of its registers and its maximum of bytes, if these are more than
 * 16. A piece of the target's set stays in registers while the pieces of all sources pass by. */
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "algorithms/harmonic/balls_loops.h"
#include "algorithms/harmonic/internal.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { LARGE_PIECE = 256, PIECE = 64, SMALL_PIECE = 16, LANES = 8 };

typedef uint8_t small_vector __attribute__((vector_size(SMALL_PIECE)));

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

#define UNITE_PIECE(NAME, VECTOR, MAXIMUM, WIDTH)                                                  \
    ALWAYS_INLINE bool NAME(const struct mr_balls_batch *batch, size_t k, bool are_bits,           \
                            uint32_t target, const uint32_t *sources, size_t n, size_t at)         \
    {                                                                                              \
        enum { N = (WIDTH) / sizeof(VECTOR) };                                                     \
        const uint8_t *own = batch->own + target * k + at;                                         \
        VECTOR old[N], united[N], from, different = {0};                                           \
        for (unsigned j = 0; j < N; j++) {                                                         \
            memcpy(&old[j], own + j * sizeof(VECTOR), sizeof(VECTOR));                             \
            united[j] = old[j];                                                                    \
        }                                                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint8_t *set = batch->sets + sources[i] * k + at;                                \
            for (unsigned j = 0; j < N; j++) {                                                     \
                memcpy(&from, set + j * sizeof(VECTOR), sizeof(VECTOR));                           \
                united[j] = are_bits ? united[j] | from : MAXIMUM(united[j], from);                \
            }                                                                                      \
        }                                                                                          \
        for (unsigned j = 0; j < N; j++) {                                                         \
            different |= united[j] ^ old[j];                                                       \
            memcpy(batch->to + target * k + at + j * sizeof(VECTOR), &united[j], sizeof(VECTOR));  \
        }                                                                                          \
        uint64_t parts[sizeof(VECTOR) / sizeof(uint64_t)], any = 0;                                \
        memcpy(parts, &different, sizeof parts);                                                   \
        for (unsigned j = 0; j < sizeof parts / sizeof *parts; j++) {                              \
            any |= parts[j];                                                                       \
        }                                                                                          \
        return any != 0;                                                                           \
    }

UNITE_PIECE(unite_large, vector, maximum, LARGE_PIECE)
UNITE_PIECE(unite_piece, vector, maximum, PIECE)
UNITE_PIECE(unite_small, small_vector, small_maximum, SMALL_PIECE)

ALWAYS_INLINE bool unite_byte(const struct mr_balls_batch *batch, size_t k, bool are_bits,
                              uint32_t target, const uint32_t *sources, size_t n, size_t at)
{
    const uint8_t old = batch->own[target * k + at];
    uint8_t united = old;

    for (size_t i = 0; i < n; i++) {
        const uint8_t from = batch->sets[sources[i] * k + at];
        united = are_bits ? united | from : from > united ? from : united;
    }
    batch->to[target * k + at] = united;
    return united != old;
}

ALWAYS_INLINE bool unite_set(const struct mr_balls_batch *batch, size_t k, bool are_bits,
                             uint32_t target, const uint32_t *sources, size_t n)
{
    bool is_different = false;
    size_t at = 0;

    for (; k - at >= LARGE_PIECE; at += LARGE_PIECE) {
        is_different |= unite_large(batch, k, are_bits, target, sources, n, at);
    }
    for (; k - at >= PIECE; at += PIECE) {
        is_different |= unite_piece(batch, k, are_bits, target, sources, n, at);
    }
    for (; k - at >= SMALL_PIECE; at += SMALL_PIECE) {
        is_different |= unite_small(batch, k, are_bits, target, sources, n, at);
    }
    for (; at < k; at++) {
        is_different |= unite_byte(batch, k, are_bits, target, sources, n, at);
    }
    return is_different;
}

ALWAYS_INLINE size_t unite_rows(const struct mr_balls_batch *batch, size_t k, bool are_bits)
{
    size_t n_different = 0, first = 0;

    for (size_t i = 0; i < batch->n_rows; i++) {
        const struct mr_balls_row row = batch->rows[i];
        const uint32_t *sources = batch->sources + first;
        batch->rows[n_different] = row;
        n_different += unite_set(batch, k, are_bits, row.target, sources, row.end - first);
        first = row.end;
    }
    return n_different;
}

/* Sets of the default's 64 registers have loops of their own. */
static size_t unite(const struct mr_balls_batch *batch)
{
    return batch->are_bits     ? unite_rows(batch, batch->k, true)
           : batch->k == PIECE ? unite_rows(batch, PIECE, false)
                               : unite_rows(batch, batch->k, false);
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

const struct mr_balls_loops BALLS_LOOPS = {.unite = unite, .value = value};
