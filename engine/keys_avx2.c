/* AVX2 with BMI2: movemask has the ends of 32 bytes in one instruction, pdep the sixteenth of them, and a
 * vector has eight numbers. */
#include <immintrin.h>
#include <string.h>

#include "engine/key_kernels.h"
#include "engine/key_steps.h"

#define LANES 8
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
    for (unsigned i = 0; i < 8; i += 4) {
        const __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(in + 8 * i));
        const uint32_t bits = ~(uint32_t)_mm256_movemask_epi8(bytes);
        memcpy(ends + i, &bits, sizeof bits);
    }
}

static inline uint64_t nth_end(uint64_t ends, unsigned n)
{
    return _pdep_u64(UINT64_C(1) << (n - 1), ends);
}

ALWAYS_INLINE lanes join_halves(lanes halves)
{
    /* low + high * 2^14 */
    return (lanes)_mm256_madd_epi16((__m256i)halves, _mm256_set1_epi32((1 << 30) | 1));
}

/* Eight at a time, which have 40 bytes at most; pext joins the groups of one. */
static __attribute__((noinline)) const uint8_t *step_long(const uint8_t *in, unsigned count,
                                                          uint32_t *numbers)
{
    for (unsigned done = 0; done < count; done += 8) {
        const unsigned n = count - done < 8 ? count - done : 8;
        uint64_t ends, all = 0, before = UINT64_MAX; /* the end of the number before: -1 */
        find_64_ends(in, (uint8_t *)&ends);
        const uint64_t last = nth_end(ends, n), more = ~ends & (last ^ (last - 1));
        const uint64_t more3 = more & (more >> 1) & (more >> 2);
        if (last == 0 || (more3 & (more >> 3) & (more >> 4)) != 0) {
            return NULL;
        }
        for (unsigned i = 0; i < n; i++) {
            const uint64_t word = load64(in + (before + 1));
            const uint64_t groups = _blsmsk_u64(~word & UINT64_C(0x8080808080));
            const uint64_t number = _pext_u64(word, groups & UINT64_C(0x7f7f7f7f7f));
            all |= number;
            numbers[done + i] = (uint32_t)number;
            before = _tzcnt_u64(ends);
            ends = _blsr_u64(ends);
        }
        if (all >> 32 != 0) {
            return NULL;
        }
        in += before + 1;
    }
    return in;
}

#define HAS_JOIN_HALVES
#define HAS_STEP_LONG
#include "engine/keys_by_ends.h"

#define KEY_KERNELS      mr_key_kernels_avx2
#define KEY_KERNELS_NAME "avx2-bmi2"
#include "engine/key_loops.h"
