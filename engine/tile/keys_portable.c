/* SPDX-License-Identifier: Apache-2.0 */
/* The portable key kernels: C with vectors of four lanes, which compilers know everywhere. A
 * multiplication collects the ends of eight bytes. keys_by_ends.h and key_loops.h add the rest;
 * key_kernels.c chooses this set last. */
#include <string.h>

#include "engine/tile/key_kernels.h"
#include "engine/tile/key_steps.h"

#define LANES 4
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

static inline uint64_t load64(const uint8_t *in)
{
    uint64_t word;
    memcpy(&word, in, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint32_t load32(const uint8_t *in)
{
    uint32_t word;
    memcpy(&word, in, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

static inline void find_64_ends(const uint8_t *in, uint8_t *ends)
{
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t tops = ~load64(in + 8 * i) >> 7 & UINT64_C(0x0101010101010101);
        ends[i] = (uint8_t)((tops * UINT64_C(0x0102040810204080)) >> 56);
    }
}

ALWAYS_INLINE uint64_t nth_end(uint64_t ends, unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        ends &= ends - 1;
    }
    return ends;
}

#include "engine/tile/keys_by_ends.h"

#define KEY_KERNELS      mr_key_kernels_portable
#define KEY_KERNELS_NAME "portable"
#include "engine/tile/key_loops.h"
