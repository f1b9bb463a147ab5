/* SPDX-License-Identifier: Apache-2.0 */
/* The key kernels for AVX2 with BMI2: sixteen numbers a step, four at a time. The continuation bits
 * of 64 bytes in one register say how long each number is (pext). The lengths of four numbers
 * choose one of 256 shuffles, which gives each number a 32-bit lane (as in Stream VByte: Lemire,
 * Kurz, Rupp, 2018). Multiply-adds join the 7-bit groups of a number, and a prefix sum in registers
 * turns differences into keys. The 4 KiB of shuffles stay in L1. Numbers of five bytes, which
 * sparse tiles have, are decoded one by one. */
#include <immintrin.h>
#include <string.h>

#include "engine/tile/key_kernels.h"
#include "engine/tile/key_steps.h"

struct keys_state {
    const uint8_t *in;
    __m256i carry; /* the previous key, in every lane */
};

ALWAYS_INLINE void keys_begin(struct keys_state *state, const uint8_t *in, uint32_t previous)
{
    state->in = in;
    state->carry = _mm256_set1_epi32((int)previous);
}

/* The shuffle of four numbers. The length of number N is 1 + (bit N of the row's index) + 2 * (bit
 * N + 4 of it). Lanes are filled with zeros. */
#define LENGTH(INDEX, N) (1 + (((INDEX) >> (N)) & 1) + 2 * (((INDEX) >> ((N) + 4)) & 1))
#define START(INDEX, N)                                                                            \
    (((N) > 0 ? LENGTH(INDEX, 0) : 0) + ((N) > 1 ? LENGTH(INDEX, 1) : 0) +                         \
     ((N) > 2 ? LENGTH(INDEX, 2) : 0))
#define PLACE(INDEX, N, BYTE) ((BYTE) < LENGTH(INDEX, N) ? START(INDEX, N) + (BYTE) : 0x80)
#define LANE(INDEX, N)                                                                             \
    PLACE(INDEX, N, 0), PLACE(INDEX, N, 1), PLACE(INDEX, N, 2), PLACE(INDEX, N, 3)
#define ROW(INDEX)                                                                                 \
    {                                                                                              \
        LANE(INDEX, 0), LANE(INDEX, 1), LANE(INDEX, 2), LANE(INDEX, 3)                             \
    }
#define FOUR(INDEX)   ROW(INDEX), ROW((INDEX) + 1), ROW((INDEX) + 2), ROW((INDEX) + 3)
#define SIXTEEN(I)    FOUR(I), FOUR((I) + 4), FOUR((I) + 8), FOUR((I) + 12)
#define SIXTY_FOUR(I) SIXTEEN(I), SIXTEEN((I) + 16), SIXTEEN((I) + 32), SIXTEEN((I) + 48)

enum { ROW_BYTES = 16 };

static const _Alignas(64) uint8_t shuffles[256][ROW_BYTES] = {SIXTY_FOUR(0), SIXTY_FOUR(64),
                                                              SIXTY_FOUR(128), SIXTY_FOUR(192)};

static inline uint64_t load64(const uint8_t *in)
{
    uint64_t word;
    memcpy(&word, in, sizeof word);
    return word;
}

static inline __m128i load_bytes(const uint8_t *in)
{
    return _mm_loadu_si128((const __m128i *)(const void *)in);
}

static inline uint64_t ends_of_64(const uint8_t *in)
{
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)in);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(in + 32));
    return ~((uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32 |
             (uint32_t)_mm256_movemask_epi8(low));
}

/* Turn sixteen numbers, four in each half, into keys. A step waits for the one before by one
 * addition. */
ALWAYS_INLINE void put_keys(__m256i a, __m256i b, struct keys_state *state, uint32_t *out)
{
    a = _mm256_add_epi32(a, _mm256_slli_si256(a, 4));
    b = _mm256_add_epi32(b, _mm256_slli_si256(b, 4));
    a = _mm256_add_epi32(a, _mm256_slli_si256(a, 8));
    b = _mm256_add_epi32(b, _mm256_slli_si256(b, 8));
    const __m256i a_sums = _mm256_shuffle_epi32(a, 0xff), b_sums = _mm256_shuffle_epi32(b, 0xff);
    const __m256i a_swapped = _mm256_permute2x128_si256(a_sums, a_sums, 0x01);
    const __m256i b_swapped = _mm256_permute2x128_si256(b_sums, b_sums, 0x01);
    const __m256i zero = _mm256_setzero_si256();
    const __m256i a_all = _mm256_add_epi32(a_sums, a_swapped);
    const __m256i b_all = _mm256_add_epi32(b_sums, b_swapped);
    a = _mm256_add_epi32(a, _mm256_blend_epi32(zero, a_swapped, 0xf0));
    b = _mm256_add_epi32(b, _mm256_blend_epi32(a_all, _mm256_add_epi32(a_all, b_swapped), 0xf0));
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_add_epi32(a, state->carry));
    _mm256_storeu_si256((__m256i *)(void *)(out + 8), _mm256_add_epi32(b, state->carry));
    state->carry = _mm256_add_epi32(state->carry, _mm256_add_epi32(a_all, b_all));
}

/* Join up to four 7-bit groups, one per byte, to the 28-bit number of each 32-bit lane. */
ALWAYS_INLINE __m256i join_groups(__m256i bytes)
{
    const __m256i groups = _mm256_and_si256(bytes, _mm256_set1_epi8(0x7f));
    const __m256i halves = _mm256_maddubs_epi16(_mm256_set1_epi16((short)0x8001), groups);
    return _mm256_madd_epi16(halves, _mm256_set1_epi32(1 << 30 | 1));
}

/* Load four numbers from `low` and four from `high`, each of one to four bytes, with the shuffles
 * that begin at these bytes of the table. */
ALWAYS_INLINE __m256i eight_numbers(const uint8_t *low, size_t low_at, const uint8_t *high,
                                    size_t high_at)
{
    const uint8_t *table = &shuffles[0][0];
    const __m128i a = _mm_shuffle_epi8(load_bytes(low), load_bytes(table + low_at));
    const __m128i b = _mm_shuffle_epi8(load_bytes(high), load_bytes(table + high_at));
    return join_groups(_mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1));
}

/* The rare step: some number has five bytes or is too long. Takes eight numbers at a time, which
 * have at most 40 bytes; pext joins the groups of one number. Writes `keys` and returns the
 * position behind them, or NULL when a number has more than 32 bits. */
static __attribute__((noinline)) const uint8_t *step_long(const uint8_t *in, unsigned count,
                                                          uint32_t key, uint32_t *keys)
{
    uint64_t all = 0;
    for (unsigned done = 0; done < count; done += 8) {
        const unsigned n = count - done < 8 ? count - done : 8;
        uint64_t ends = ends_of_64(in);
        const uint64_t last = _pdep_u64(UINT64_C(1) << (n - 1), ends);
        const uint64_t more = ~ends & _blsmsk_u64(last);
        const uint64_t more2 = more & (more >> 1);
        if (last == 0 || (more2 & (more2 >> 2) & (more >> 4)) != 0) {
            return NULL;
        }
        const uint8_t *start = in;
        for (unsigned i = 0; i < n; i++) {
            const uint64_t word = load64(start);
            const uint64_t groups = _blsmsk_u64(~word & UINT64_C(0x8080808080));
            const uint64_t number = _pext_u64(word, groups & UINT64_C(0x7f7f7f7f7f));
            all |= number;
            keys[done + i] = key += (uint32_t)number;
            start = in + _tzcnt_u64(ends) + 1;
            ends = _blsr_u64(ends);
        }
        in = start;
    }
    return all >> 32 == 0 ? in : NULL;
}

/* The position behind the n-th (1..16) number. */
static inline const uint8_t *behind(const uint8_t *in, uint64_t ends, unsigned n)
{
    return in + _tzcnt_u64(_pdep_u64(UINT64_C(1) << (n - 1), ends)) + 1;
}

ALWAYS_INLINE bool keys_step(struct keys_state *state, const uint8_t *end, unsigned count,
                             uint32_t *out)
{
    (void)end;
    const uint8_t *in = state->in;
    const uint64_t ends = ends_of_64(in);
    /* One-byte numbers, at least twice sixteen: a test for sixteen is mispredicted too often on web
     * graphs. */
    if (count == 16 && (uint32_t)ends == UINT32_MAX) {
        const __m128i bytes = load_bytes(in);
        put_keys(_mm256_cvtepu8_epi32(bytes), _mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8)), state,
                 out);
        state->in = in + 16;
        return true;
    }
    /* Sixteen numbers of at most four bytes end within 64 bytes. Where 64 bytes hold fewer ends, a
     * number is longer, and this test finds it too: `last` is then 0 and covers all bits. */
    const uint64_t last = _pdep_u64(UINT64_C(1) << (count - 1), ends);
    const uint64_t more = ~ends, more2 = more & (more >> 1), more3 = more2 & (more >> 2);
    if ((more3 & (more >> 3) & _blsmsk_u64(last)) != 0) {
        const uint32_t previous = (uint32_t)_mm256_extract_epi32(state->carry, 0);
        state->in = step_long(in, count, previous, out);
        state->carry = _mm256_set1_epi32((int)out[count - 1]);
        return state->in != NULL;
    }
    state->in = in + _tzcnt_u64(last) + 1;
    /* From one bit per byte to one bit per number: the length minus 1, in two bits. For four
     * numbers these bits are the position of their row in the table. */
    const uint64_t starts = ends << 1 | 1;
    const uint64_t low = _pext_u64(more ^ more2 ^ more3, starts), high = _pext_u64(more2, starts);
    const uint64_t rows = _pdep_u64(low, UINT64_C(0x00f000f000f000f0)) |
                          _pdep_u64(high, UINT64_C(0x0f000f000f000f00));
    put_keys(
        eight_numbers(in, rows & 0xffff, behind(in, ends, 4), rows >> 16 & 0xffff),
        eight_numbers(behind(in, ends, 8), rows >> 32 & 0xffff, behind(in, ends, 12), rows >> 48),
        state, out);
    return true;
}

#define KEY_KERNELS      mr_key_kernels_avx2
#define KEY_KERNELS_NAME "avx2-bmi2"
#include "engine/tile/key_loops.h"
