/* SPDX-License-Identifier: Apache-2.0 */
/* The loops over the entries of corner tiles, for one instruction set. key_loops.h includes this
 * file after keys_step. Decoding and scattering are fused, as in key_loops.h. */
#include <string.h>

#include "engine/tile/corners_kernels.h"

/* Keys that one instruction works on. A single vector of sixteen keys is slower where a register
 * has eight: the compiler splits it and joins it again on the stack, 1.2 ns an entry. */
enum { UNPACK = VECTOR_BYTES / sizeof(uint32_t) };
typedef uint32_t unpack_keys __attribute__((vector_size(VECTOR_BYTES)));

/* Turn STEP stored entries into column << bits | row. `*outside`, lane by lane: the highest bit is
 * set where a row is not one of the `n_rows` from `first_row` on; both are at most 2^20. */
ALWAYS_INLINE void unpack_step(unsigned bits, uint32_t rows, uint32_t columns,
                               const struct mr_corners *part, unpack_keys *outside, uint32_t *keys)
{
    const uint32_t low = ((uint32_t)1 << MR_CORNERS_GROUP_BITS) - 1;
    for (size_t i = 0; i < STEP; i += UNPACK) {
        unpack_keys key;
        memcpy(&key, keys + i, sizeof key);
        const unpack_keys row = (key >> MR_CORNERS_GROUP_BITS) & rows;
        const unpack_keys far = row - part->first_row;
        *outside |= far | (part->n_rows - 1 - far);
        key = (key & ((columns & ~low) << bits)) | (key & low & columns) << bits | row;
        memcpy(keys + i, &key, sizeof key);
    }
}

/* The same for the last entries, fewer than STEP. */
ALWAYS_INLINE void unpack_rest(unsigned bits, uint32_t rows, uint32_t columns,
                               const struct mr_corners *part, unpack_keys *outside, uint32_t *keys,
                               size_t n)
{
    uint32_t rest[STEP];
    if (n > 0) {
        for (size_t i = 0; i < STEP; i++) { /* filled with the first entry */
            rest[i] = keys[i < n ? i : 0];
        }
        unpack_step(bits, rows, columns, part, outside, rest);
        memcpy(keys, rest, n * sizeof *keys);
    }
}

ALWAYS_INLINE bool are_inside(const unpack_keys *outside)
{
    uint32_t any = 0;
    for (size_t i = 0; i < UNPACK; i++) {
        any |= (*outside)[i];
    }
    return any >> 31 == 0;
}

/* With 16 bits for row and column, each half of a key is loaded by itself: two loads are cheaper
 * than a load, a shift and a mask. */
#define HAS_HALVES(BITS)                                                                           \
    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && __builtin_constant_p(BITS) && (BITS) == 16)

ALWAYS_INLINE uint32_t entry_row(unsigned bits, uint32_t rows, const uint32_t *key)
{
    uint16_t half;
    memcpy(&half, key, sizeof half);
    return HAS_HALVES(bits) ? half : *key & rows;
}

ALWAYS_INLINE uint32_t entry_column(unsigned bits, const uint32_t *key)
{
    uint16_t half;
    memcpy(&half, (const uint8_t *)key + sizeof half, sizeof half);
    return HAS_HALVES(bits) ? half : *key >> bits;
}

/* With such keys, two are loaded at once where a register is small, because loads are then the
 * limit: 0.77 ns an entry on Zen 3, where halves take 0.89. This is less than half of decoding and
 * scattering. */
#define HAS_PAIRS(BITS) (HAS_HALVES(BITS) && VECTOR_BYTES < 64)

/* The empty assembly makes the compiler compute the amount first and add it in one instruction.
 * Otherwise GCC 12 loads the sum, adds to it and writes it back. Pairs and this together: 1.42 ns
 * an entry, not 1.52. */
#define SCATTER_ENTRIES(NAME, OP, AMOUNT)                                                          \
    ALWAYS_INLINE void NAME##_some(unsigned bits, uint32_t rows, const uint32_t *restrict keys,    \
                                   size_t n, const uint64_t *restrict through,                     \
                                   uint64_t *restrict sums)                                        \
    {                                                                                              \
        size_t i = 0;                                                                              \
        for (; HAS_PAIRS(bits) && i + 2 <= n; i += 2) {                                            \
            uint64_t two;                                                                          \
            memcpy(&two, keys + i, sizeof two);                                                    \
            const uint64_t *at = through + (uint16_t)(two >> 16);                                  \
            uint64_t amount = (AMOUNT);                                                            \
            at = through + (two >> 48);                                                            \
            uint64_t second = (AMOUNT);                                                            \
            __asm__("" : "+r"(amount), "+r"(second));                                              \
            sums[(uint16_t)two] OP amount;                                                         \
            sums[(uint16_t)(two >> 32)] OP second;                                                 \
        }                                                                                          \
        for (; i < n; i++) {                                                                       \
            const uint64_t *at = through + entry_column(bits, &keys[i]);                           \
            uint64_t amount = (AMOUNT);                                                            \
            __asm__("" : "+r"(amount));                                                            \
            sums[entry_row(bits, rows, &keys[i])] OP amount;                                       \
        }                                                                                          \
    }                                                                                              \
    ALWAYS_INLINE const uint8_t *NAME##_shaped(unsigned bits, uint32_t rows, uint32_t columns,     \
                                               const struct mr_corners *part, const uint8_t *in,   \
                                               size_t n_keys, const uint64_t *restrict through,    \
                                               uint64_t *restrict sums)                            \
    {                                                                                              \
        uint32_t keys[2][STEP];                                                                    \
        unpack_keys outside = {0};                                                                 \
        const uint8_t *end = part->end;                                                            \
        KEYS_STATE(state, in, 0);                                                                  \
        const size_t n_whole = n_keys / STEP;                                                      \
        for (size_t i = 0; i < n_whole; i++) {                                                     \
            uint32_t *next = keys[i & 1];                                                          \
            if (!keys_step(&state, end, STEP, next) || state.in > end) {                           \
                return NULL;                                                                       \
            }                                                                                      \
            unpack_step(bits, rows, columns, part, &outside, next);                                \
            if (i > 0) {                                                                           \
                NAME##_some(bits, rows, keys[(i - 1) & 1], STEP, through, sums);                   \
            }                                                                                      \
        }                                                                                          \
        const unsigned n_left = (unsigned)(n_keys % STEP);                                         \
        uint32_t *last = keys[n_whole & 1];                                                        \
        if (n_left > 0 && (!keys_step(&state, end, n_left, last) || state.in > end)) {             \
            return NULL;                                                                           \
        }                                                                                          \
        unpack_rest(bits, rows, columns, part, &outside, last, n_left);                            \
        if (n_whole > 0) {                                                                         \
            NAME##_some(bits, rows, keys[(n_whole - 1) & 1], STEP, through, sums);                 \
        }                                                                                          \
        NAME##_some(bits, rows, last, n_left, through, sums);                                      \
        return are_inside(&outside) ? state.in : NULL;                                             \
    }                                                                                              \
    static const uint8_t *NAME##_stream(const struct mr_corners_shape *shape,                      \
                                        const struct mr_corners *part, const uint8_t *in,          \
                                        size_t n_keys, const uint64_t *through, uint64_t *sums)    \
    {                                                                                              \
        if (shape->band_bits == 16 && shape->stripe_bits == 16) {                                  \
            return NAME##_shaped(16, 0xffff, 0xffff, part, in, n_keys, through, sums);             \
        }                                                                                          \
        return NAME##_shaped(shape->band_bits, ((uint32_t)1 << shape->band_bits) - 1,              \
                             ((uint32_t)1 << shape->stripe_bits) - 1, part, in, n_keys, through,   \
                             sums);                                                                \
    }

SCATTER_ENTRIES(corner_add, +=, at[0] - at[-1])
SCATTER_ENTRIES(corner_subtract, -=, at[0] - at[-1])
SCATTER_ENTRIES(corner_add_through, +=, at[0])
SCATTER_ENTRIES(corner_subtract_through, -=, at[0])

static bool corner_unpack(const struct mr_corners_shape *shape, const struct mr_corners *part,
                          uint32_t *keys, size_t n_keys)
{
    const unsigned bits = shape->band_bits;
    const uint32_t rows = ((uint32_t)1 << bits) - 1;
    const uint32_t columns = ((uint32_t)1 << shape->stripe_bits) - 1;
    unpack_keys outside = {0};
    size_t i = 0;
    for (; n_keys - i >= STEP; i += STEP) {
        unpack_step(bits, rows, columns, part, &outside, keys + i);
    }
    unpack_rest(bits, rows, columns, part, &outside, keys + i, n_keys - i);
    return are_inside(&outside);
}
