/* SPDX-License-Identifier: Apache-2.0 */
/* The key kernels for NEON. They differ from the portable ones (keys_portable.c) in one function:
 * three rounds of pairwise additions find the ends of 64 bytes. key_kernels.c chooses this set on
 * aarch64. */
#include <arm_neon.h>
#include <string.h>

#include "engine/tile/key_kernels.h"
#include "engine/tile/key_steps.h"

#define LANES 4
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

static inline uint64_t load64(const uint8_t *in)
{
    uint64_t word;
    memcpy(&word, in, sizeof word);
    return word;
}

static inline uint32_t load32(const uint8_t *in)
{
    uint32_t word;
    memcpy(&word, in, sizeof word);
    return word;
}

static inline void find_64_ends(const uint8_t *in, uint8_t *ends)
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vld1q_u8(weights), top = vdupq_n_u8(0x80);
    const uint8x16_t a = vandq_u8(vcltq_u8(vld1q_u8(in), top), bits);
    const uint8x16_t b = vandq_u8(vcltq_u8(vld1q_u8(in + 16), top), bits);
    const uint8x16_t c = vandq_u8(vcltq_u8(vld1q_u8(in + 32), top), bits);
    const uint8x16_t d = vandq_u8(vcltq_u8(vld1q_u8(in + 48), top), bits);
    uint8x16_t sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    sums = vpaddq_u8(sums, sums);
    vst1_u8(ends, vget_low_u8(sums));
}

ALWAYS_INLINE uint64_t nth_end(uint64_t ends, unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        ends &= ends - 1;
    }
    return ends;
}

#include "engine/tile/keys_by_ends.h"

#define KEY_KERNELS      mr_key_kernels_neon
#define KEY_KERNELS_NAME "neon"
#include "engine/tile/key_loops.h"
