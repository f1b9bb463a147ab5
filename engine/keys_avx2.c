/* AVX2 with BMI2: sixteen numbers a step. Two movemasks give the continuation bits of 64 bytes; the zeros
 * among them are the ends, taken off one by one, and pext joins the 7-bit groups of a number in one
 * instruction. */
#include <immintrin.h>
#include <string.h>

#include "engine/key_kernels.h"
#include "engine/key_steps.h"

struct keys_state {
    const uint8_t *in;
    uint32_t previous;
};

ALWAYS_INLINE void keys_begin(struct keys_state *state, const uint8_t *in, uint32_t previous)
{
    *state = (struct keys_state){.in = in, .previous = previous};
}

/* Bit i: byte in[i] is not the last one of its number. */
static inline uint64_t continuations(const uint8_t *in)
{
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)in);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(in + 32));
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

/* `count` numbers of at most four bytes (five where `is_long`) that end where `ends` has its lowest bits,
 * the last of them in `last`; false when one has more than 32 bits. The next position comes from `last`
 * alone, so that the next step need not wait for this one. */
ALWAYS_INLINE bool join(struct keys_state *state, uint64_t ends, uint64_t last, unsigned count,
                        bool is_long, uint32_t *out)
{
    const uint8_t *in = state->in;
    uint64_t all = 0, before = UINT64_MAX; /* the end of the number before: -1 */
    uint32_t key = state->previous;
    for (unsigned i = 0; i < count; i++) {
        if (is_long) {
            uint64_t word;
            memcpy(&word, in + (before + 1), sizeof word);
            const uint64_t groups = _blsmsk_u64(~word & UINT64_C(0x8080808080));
            const uint64_t difference = _pext_u64(word, groups & UINT64_C(0x7f7f7f7f7f));
            all |= difference;
            key += (uint32_t)difference;
        } else {
            uint32_t word;
            memcpy(&word, in + (before + 1), sizeof word);
            key += _pext_u32(word, _blsmsk_u32(~word & 0x80808080u) & 0x7f7f7f7fu);
        }
        out[i] = key;
        before = _tzcnt_u64(ends);
        ends = _blsr_u64(ends);
    }
    *state = (struct keys_state){.in = in + _tzcnt_u64(last) + 1, .previous = key};
    return all >> 32 == 0;
}

/* Fewer than `count` ends in 64 bytes, or numbers of five bytes, or longer ones: eight at a time, which
 * have 40 bytes at most. */
static __attribute__((noinline)) bool step_long(struct keys_state *state, unsigned count,
                                                uint32_t *out)
{
    for (unsigned done = 0; done < count; done += 8) {
        const unsigned n = count - done < 8 ? count - done : 8;
        const uint64_t more = continuations(state->in), ends = ~more;
        const uint64_t last = _pdep_u64(UINT64_C(1) << (n - 1), ends);
        const uint64_t more3 = more & (more >> 1) & (more >> 2);
        if (last == 0 || (more3 & (more3 >> 2) & (last ^ (last - 1))) != 0 ||
            !join(state, ends, last, n, true, out + done)) {
            return false;
        }
    }
    return true;
}

ALWAYS_INLINE bool keys_step(struct keys_state *state, const uint8_t *end, unsigned count,
                             uint32_t *out)
{
    (void)end; /* 64 bytes from state->in on are there */
    const uint64_t more = continuations(state->in), ends = ~more;
    if (count == 16 && (uint32_t)more == 0) { /* numbers of one byte, twice sixteen */
        uint32_t key = state->previous;
        for (unsigned i = 0; i < 16; i++) {
            out[i] = key += state->in[i];
        }
        *state = (struct keys_state){.in = state->in + 16, .previous = key};
        return true;
    }
    const uint64_t last = _pdep_u64(UINT64_C(1) << (count - 1), ends);
    const uint64_t more2 = more & (more >> 1);
    if ((more2 & (more2 >> 2)) != 0 || last == 0) {
        struct keys_state copy = *state; /* so that `state` stays in registers */
        const bool is_good = step_long(&copy, count, out);
        *state = copy;
        return is_good;
    }
    return join(state, ends, last, count, false, out);
}

#define KEY_KERNELS      mr_key_kernels_avx2
#define KEY_KERNELS_NAME "avx2-bmi2"
#include "engine/key_loops.h"
