/* The loops of one instruction set over the entries of corner tiles. Included by key_loops.h after
 * keys_step: decoding and scattering are fused as they are there. */
#include "engine/corners_kernels.h"

/* Entries as they are stored to column << bits | row, and whether some row is outside of its part. */
ALWAYS_INLINE uint32_t unpack_some(unsigned bits, uint32_t rows, uint32_t columns,
                                   uint32_t first_row, uint32_t n_rows, uint32_t *keys, size_t n)
{
    const uint32_t low = ((uint32_t)1 << MR_CORNERS_GROUP_BITS) - 1;
    uint32_t is_outside = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t key = keys[i], row = (key >> MR_CORNERS_GROUP_BITS) & rows;
        is_outside |= row - first_row >= n_rows;
        keys[i] = ((((key >> bits) & ~low) | (key & low)) & columns) << bits | row;
    }
    return is_outside;
}

#define SCATTER_ENTRIES(NAME, OP, AMOUNT)                                                          \
    ALWAYS_INLINE void NAME##_some(unsigned bits, uint32_t rows, const uint32_t *restrict keys,    \
                                   size_t n, const uint64_t *restrict through,                     \
                                   uint64_t *restrict sums)                                        \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint64_t *at = through + (keys[i] >> bits);                                      \
            sums[keys[i] & rows] OP(AMOUNT);                                                       \
        }                                                                                          \
    }                                                                                              \
    ALWAYS_INLINE const uint8_t *NAME##_shaped(unsigned bits, uint32_t rows, uint32_t columns,     \
                                               const struct mr_corners *part, const uint8_t *in,   \
                                               size_t n_keys, const uint64_t *restrict through,    \
                                               uint64_t *restrict sums)                            \
    {                                                                                              \
        uint32_t keys[2][STEP], is_outside = 0;                                                    \
        const uint32_t first = part->first_row, n_rows = part->n_rows;                             \
        const uint8_t *end = part->end;                                                            \
        struct keys_state state;                                                                   \
        keys_begin(&state, in, 0);                                                                 \
        const size_t n_whole = n_keys / STEP;                                                      \
        for (size_t i = 0; i < n_whole; i++) {                                                     \
            uint32_t *next = keys[i & 1];                                                          \
            if (!keys_step(&state, end, STEP, next) || state.in > end) {                           \
                return NULL;                                                                       \
            }                                                                                      \
            is_outside |= unpack_some(bits, rows, columns, first, n_rows, next, STEP);             \
            if (i > 0) {                                                                           \
                NAME##_some(bits, rows, keys[(i - 1) & 1], STEP, through, sums);                   \
            }                                                                                      \
        }                                                                                          \
        const unsigned n_left = (unsigned)(n_keys % STEP);                                         \
        uint32_t *last = keys[n_whole & 1];                                                        \
        if (n_left > 0 && (!keys_step(&state, end, n_left, last) || state.in > end)) {             \
            return NULL;                                                                           \
        }                                                                                          \
        is_outside |= unpack_some(bits, rows, columns, first, n_rows, last, n_left);               \
        if (n_whole > 0) {                                                                         \
            NAME##_some(bits, rows, keys[(n_whole - 1) & 1], STEP, through, sums);                 \
        }                                                                                          \
        NAME##_some(bits, rows, last, n_left, through, sums);                                      \
        return is_outside == 0 ? state.in : NULL;                                                  \
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
    return unpack_some(shape->band_bits, ((uint32_t)1 << shape->band_bits) - 1,
                       ((uint32_t)1 << shape->stripe_bits) - 1, part->first_row, part->n_rows, keys,
                       n_keys) == 0;
}
