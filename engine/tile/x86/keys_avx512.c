/* SPDX-License-Identifier: Apache-2.0 */
/* The key kernels for AVX-512 with VBMI2: sixteen numbers a step. The bits of 64 bytes that say
 * where numbers end give the byte at which each number begins (compress). A permutation puts four
 * bytes from there on into the number's 32-bit lane, a multiply-add joins its 7-bit groups, and a
 * prefix sum in the register turns differences into keys. Numbers of five bytes, which sparse tiles
 * have, take two steps of eight, with 64-bit lanes (pdep and expand). */
#include <immintrin.h>
#include <string.h>

#include "engine/tile/key_kernels.h"
#include "engine/tile/key_steps.h"

/* Where numbers end, one bit per byte, for WINDOW bytes from `base` on. The ends are found ahead of
 * the steps, because the way from bytes to the position of the next sixteen numbers is the chain of
 * latencies that a step waits for. */
enum { WINDOW = 2048 };

struct keys_state {
    const uint8_t *in;
    uintptr_t base; /* in - base <= WINDOW - 64, except before the first step */
    __m512i carry; /* the previous key, in every lane */
    /* [WINDOW / 64], outside the struct, so that the fields above can stay in registers */
    uint64_t *ends;
};

#define KEYS_STATE(NAME, IN, PREVIOUS)                                                             \
    uint64_t NAME##_ends[WINDOW / 64];                                                             \
    struct keys_state NAME = {.in = (IN),                                                          \
                              .base = (uintptr_t)(IN)-WINDOW,                                      \
                              .carry = _mm512_set1_epi32((int)(PREVIOUS)),                         \
                              .ends = NAME##_ends}

static inline __m512i prefix_sum(__m512i v)
{
    const __m512i zero = _mm512_setzero_si512();
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 15));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 14));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 12));
    return _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 8));
}

/* Join up to four 7-bit groups, one per byte, to the 28-bit number of each 32-bit lane. */
static inline __m512i join_groups(__m512i groups)
{
    const __m512i low = _mm512_and_si512(groups, _mm512_set1_epi16(0x007f));
    const __m512i high = _mm512_and_si512(groups, _mm512_set1_epi16(0x7f00));
    const __m512i halves = _mm512_or_si512(low, _mm512_srli_epi16(high, 1));
    return _mm512_madd_epi16(halves, _mm512_set1_epi32((1 << 30) | 1)); /* low + high * 2^14 */
}

/* Decode `count` (1..8) numbers of up to five bytes each to 32-bit lanes; false when one is not a
 * number. */
static bool decode_long(const uint8_t **in, unsigned count, __m256i *out)
{
    const uint64_t lanes = UINT64_C(0x0101010101010101);
    const __m512i bytes = _mm512_loadu_si512(*in);
    const uint64_t more = (uint64_t)_mm512_movepi8_mask(bytes), ends = ~more;
    const uint64_t last = _pdep_u64(UINT64_C(1) << (count - 1), ends);
    const uint64_t used = last ^ (last - 1);
    const uint64_t more2 = more & (more >> 1), more3 = more2 & (more >> 2);
    const uint64_t more4 = more3 & (more >> 3);
    if (last == 0 || (more4 & (more >> 4) & used) != 0) {
        return false;
    }
    const uint64_t starts = ((ends << 1) | 1) & used;
    const uint64_t expand = lanes | (_pdep_u64(_pext_u64(more, starts), lanes) << 1) |
                            (_pdep_u64(_pext_u64(more2, starts), lanes) << 2) |
                            (_pdep_u64(_pext_u64(more3, starts), lanes) << 3) |
                            (_pdep_u64(_pext_u64(more4, starts), lanes) << 4);
    const __m512i spread = _mm512_maskz_expand_epi8(expand, bytes);
    const uint32_t counted = (1u << count) - 1;
    if ((_mm512_test_epi64_mask(spread, _mm512_set1_epi64(INT64_C(0xf0) << 32)) & counted) != 0) {
        return false;
    }
    const __m512i parts = join_groups(spread);
    const __m512i fifth = _mm512_slli_epi64(_mm512_srli_epi64(parts, 32), 28);
    *out = _mm512_cvtepi64_epi32(_mm512_or_si512(parts, fifth));
    *in += 64 - __builtin_clzll(last);
    return true;
}

/* The rare step: five-byte numbers, or bytes that are not numbers. */
static __attribute__((noinline)) bool step_long(const uint8_t **in, __m512i *carry, unsigned count,
                                                uint32_t *out)
{
    __m256i low, high = _mm256_setzero_si256();
    if (!decode_long(in, count < 8 ? count : 8, &low) ||
        (count > 8 && !decode_long(in, count - 8, &high))) {
        return false;
    }
    const __m512i v = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    const __m512i sums = _mm512_add_epi32(prefix_sum(v), *carry);
    *carry = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), sums);
    _mm512_storeu_si512(out, sums);
    return true;
}

static __attribute__((noinline)) void find_ends(const uint8_t *in, const uint8_t *end,
                                                uint64_t *ends)
{
    for (unsigned i = 0; i < WINDOW / 64 && in < end + 64; i++, in += 64) {
        ends[i] = ~(uint64_t)_mm512_movepi8_mask(_mm512_loadu_si512(in));
    }
}

/* 0, 1, 2, .. 63 */
static inline __m512i byte_numbers(void)
{
    return _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46,
                           45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28,
                           27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10,
                           9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

/* 0, 0, 0, 0, 1, 1, 1, 1, .. 15 */
static inline __m512i four_each(void)
{
    return _mm512_shuffle_epi8(
        _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
        _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0x00000000));
}

/* Zero, unknown to the compiler. On Zen 5 a compress waits for the register that it writes, here
 * one of the step before, even if it keeps nothing of it; not so for one that was just cleared. */
static inline __m512i fresh_zero(void)
{
    __m512i zero;
    __asm__("vpxor %x0, %x0, %x0" : "=x"(zero));
    return zero;
}

ALWAYS_INLINE bool keys_step(struct keys_state *state, const uint8_t *end, unsigned count,
                             uint32_t *out)
{
    size_t at = (uintptr_t)state->in - state->base;
    if (at > WINDOW - 64) {
        find_ends(state->in, end, state->ends);
        state->base = (uintptr_t)state->in;
        at = 0;
    }
    uint64_t ends; /* 57 to 64 valid bits, zeros above */
    memcpy(&ends, (const uint8_t *)state->ends + at / 8, sizeof ends);
    ends >>= at % 8;
    const __m512i bytes = _mm512_loadu_si512(state->in);
    __m512i v;
    /* one-byte numbers, at least twice sixteen */
    if (count == 16 && (ends & 0xffffffff) == 0xffffffff) {
        v = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes));
        state->in += 16;
    } else {
        /* Put the four bytes from the beginning of each number into its lane. */
        const uint64_t last = _pdep_u64(UINT64_C(1) << (count - 1), ends);
        const __m512i starts =
            _mm512_mask_compress_epi8(fresh_zero(), (ends << 1) | 1, byte_numbers());
        const __m512i places = _mm512_add_epi8(_mm512_permutexvar_epi8(four_each(), starts),
                                               _mm512_set1_epi32(0x03020100));
        const __m512i words = _mm512_permutexvar_epi8(places, bytes);
        const __m512i stops = _mm512_andnot_si512(words, _mm512_set1_epi32((int)0x80808080));
        const uint32_t counted = 0xffffu >> (16 - count);
        if (last == 0 || (_mm512_testn_epi32_mask(stops, stops) & counted) != 0) {
            /* copies, so that the originals stay in registers in the usual case */
            const uint8_t *in = state->in;
            __m512i carry = state->carry;
            const bool is_good = step_long(&in, &carry, count, out);
            state->in = in;
            state->carry = carry;
            return is_good;
        }
        v = join_groups(_mm512_and_si512(
            words,
            _mm512_and_si512(_mm512_xor_si512(stops, _mm512_sub_epi32(stops, _mm512_set1_epi32(1))),
                             _mm512_set1_epi32(0x7f7f7f7f))));
        state->in += 64 - __builtin_clzll(last);
    }
    v = _mm512_add_epi32(prefix_sum(v), state->carry);
    state->carry = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v);
    _mm512_storeu_si512(out, v);
    return true;
}

#define KEY_KERNELS      mr_key_kernels_avx512
#define KEY_KERNELS_NAME "avx512-vbmi2"
#include "engine/tile/key_loops.h"
