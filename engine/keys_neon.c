/* NEON: as the portable one, but the continuation bits of 64 bytes come out of three rounds of pairwise
 * additions. */
#include <arm_neon.h>
#include <string.h>

#include "engine/key_kernels.h"
#include "engine/key_steps.h"

static inline uint32_t load32(const uint8_t *in)
{
    uint32_t word;
    memcpy(&word, in, sizeof word);
    return word;
}

/* Bit i: byte in[i] is not the last one of its number. `*count`: of these. */
ALWAYS_INLINE uint64_t continuations(const uint8_t *in, unsigned *count)
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vld1q_u8(weights), top = vdupq_n_u8(0x80);
    const uint8x16_t a = vandq_u8(vtstq_u8(vld1q_u8(in), top), bits);
    const uint8x16_t b = vandq_u8(vtstq_u8(vld1q_u8(in + 16), top), bits);
    const uint8x16_t c = vandq_u8(vtstq_u8(vld1q_u8(in + 32), top), bits);
    const uint8x16_t d = vandq_u8(vtstq_u8(vld1q_u8(in + 48), top), bits);
    uint8x16_t sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    sums = vpaddq_u8(sums, sums);
    const uint64_t more = vgetq_lane_u64(vreinterpretq_u64_u8(sums), 0);
    *count = (unsigned)__builtin_popcountll(more);
    return more;
}

#include "engine/keys_by_ends.h"

#define KEY_KERNELS      mr_key_kernels_neon
#define KEY_KERNELS_NAME "neon"
#include "engine/key_loops.h"
