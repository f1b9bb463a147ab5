/* SPDX-License-Identifier: Apache-2.0 */
/* The loops over key streams, for one instruction set. A file keys_X.c, compiled with the flags of
 * its instruction set, includes this file after it has defined
 *
 *     struct keys_state                      position in the stream, and the key before
 *     keys_begin(&state, in, previous)       sets the state up; or KEYS_STATE(state, in, previous),
 *                                            which defines a state that is set up
 *     keys_step(&state, end, count, out)     decodes the next `count` (1..16) keys; false when one
 *                                            has more than 32 bits. May write 16 keys, and read up
 *                                            to end + MR_KEYS_SLACK_BYTES; state.in <= end
 *     KEY_KERNELS, KEY_KERNELS_NAME          the table to define
 *
 * The scatter works on sixteen keys while the core decodes later ones. Decoding is a chain of long
 * latencies that uses few units of the core; scattering waits for L2. Together they take little
 * more time than the scatter alone. */

enum { STEP = 16 };

#ifndef KEYS_STATE
#define KEYS_STATE(NAME, IN, PREVIOUS)                                                             \
    struct keys_state NAME;                                                                        \
    keys_begin(&NAME, (IN), (PREVIOUS))
#endif

static const uint8_t *decode_keys(const uint8_t *in, const uint8_t *end, uint32_t previous,
                                  uint32_t *keys, size_t n_keys)
{
    KEYS_STATE(state, in, previous);
    size_t i = 0;
    for (; n_keys - i >= STEP; i += STEP) {
        if (!keys_step(&state, end, STEP, keys + i) || state.in > end) {
            return NULL;
        }
    }
    if (i < n_keys &&
        (!keys_step(&state, end, (unsigned)(n_keys - i), keys + i) || state.in > end)) {
        return NULL;
    }
    return state.in;
}

ALWAYS_INLINE void fetch_ahead(struct mr_ahead *ahead)
{
    for (unsigned line = 0; line < ahead->stride; line += 64) {
        __builtin_prefetch(ahead->at + line, 0, 2);
    }
    ahead->at = ahead->stride == 0 ? NULL : ahead->at + ahead->stride;
}

/* One pair of kernels. The shape of most stores is compiled in, with constant shifts and without
 * masks. For decoded keys the shape of stores with thin tiles is compiled in as well (kron-24: this
 * saves 2 and 14% of a pass). */
#define SCATTER(NAME, VALUE, SUM)                                                                  \
    ALWAYS_INLINE void NAME##_some(unsigned bits, uint32_t targets, uint32_t sources,              \
                                   const uint32_t *restrict keys, size_t n_keys,                   \
                                   const VALUE *restrict x, SUM *restrict accumulator)             \
    {                                                                                              \
        for (size_t i = 0; i < n_keys; i++) {                                                      \
            accumulator[keys[i] & targets] += x[(keys[i] >> bits) & sources];                      \
        }                                                                                          \
    }                                                                                              \
    ALWAYS_INLINE const uint8_t *NAME##_shaped(unsigned bits, uint32_t targets, uint32_t sources,  \
                                               const struct mr_ahead *ahead, const uint8_t *in,    \
                                               const uint8_t *end, size_t n_keys,                  \
                                               const VALUE *restrict x, SUM *restrict accumulator) \
    {                                                                                              \
        uint32_t keys[2][STEP];                                                                    \
        struct mr_ahead first = ahead[0], second = ahead[1];                                       \
        KEYS_STATE(state, in, 0);                                                                  \
        const size_t n_whole = n_keys / STEP;                                                      \
        for (size_t i = 0; i < n_whole; i++) {                                                     \
            if (!keys_step(&state, end, STEP, keys[i & 1]) || state.in > end) {                    \
                return NULL;                                                                       \
            }                                                                                      \
            fetch_ahead(&first);                                                                   \
            fetch_ahead(&second);                                                                  \
            if (i > 0) {                                                                           \
                NAME##_some(bits, targets, sources, keys[(i - 1) & 1], STEP, x, accumulator);      \
            }                                                                                      \
        }                                                                                          \
        const unsigned n_left = (unsigned)(n_keys % STEP);                                         \
        if (n_left > 0 &&                                                                          \
            (!keys_step(&state, end, n_left, keys[n_whole & 1]) || state.in > end)) {              \
            return NULL;                                                                           \
        }                                                                                          \
        if (n_whole > 0) {                                                                         \
            NAME##_some(bits, targets, sources, keys[(n_whole - 1) & 1], STEP, x, accumulator);    \
        }                                                                                          \
        NAME##_some(bits, targets, sources, keys[n_whole & 1], n_left, x, accumulator);            \
        return state.in;                                                                           \
    }                                                                                              \
    static const uint8_t *NAME##_stream(const struct mr_kernel_shape *shape, const uint8_t *in,    \
                                        const uint8_t *end, size_t n_keys, const void *x,          \
                                        void *accumulator)                                         \
    {                                                                                              \
        if (shape->band_bits == 16 && shape->source_mask == 0xffff) {                              \
            return NAME##_shaped(16, 0xffff, 0xffff, shape->ahead, in, end, n_keys, x,             \
                                 accumulator);                                                     \
        }                                                                                          \
        return NAME##_shaped(shape->band_bits, shape->target_mask, shape->source_mask,             \
                             shape->ahead, in, end, n_keys, x, accumulator);                       \
    }                                                                                              \
    ALWAYS_INLINE void NAME##_fetching(unsigned bits, uint32_t targets, uint32_t sources,          \
                                       struct mr_ahead ahead, const uint32_t *restrict keys,       \
                                       size_t n_keys, const VALUE *restrict x,                     \
                                       SUM *restrict accumulator)                                  \
    {                                                                                              \
        size_t i = 0;                                                                              \
        for (; ahead.stride > 0 && n_keys - i >= STEP; i += STEP) {                                \
            fetch_ahead(&ahead);                                                                   \
            NAME##_some(bits, targets, sources, keys + i, STEP, x, accumulator);                   \
        }                                                                                          \
        NAME##_some(bits, targets, sources, keys + i, n_keys - i, x, accumulator);                 \
    }                                                                                              \
    static void NAME##_keys(const struct mr_kernel_shape *shape, const uint32_t *keys,             \
                            size_t n_keys, const void *x, void *accumulator)                       \
    {                                                                                              \
        const unsigned bits = shape->band_bits;                                                    \
        const uint32_t targets = shape->target_mask, sources = shape->source_mask;                 \
        if (bits == 16 && sources == 0xffff) {                                                     \
            NAME##_fetching(16, 0xffff, 0xffff, shape->ahead[0], keys, n_keys, x, accumulator);    \
        } else if (bits == 17 && sources == 0x7fff) {                                              \
            NAME##_fetching(17, 0x1ffff, 0x7fff, shape->ahead[0], keys, n_keys, x, accumulator);   \
        } else {                                                                                   \
            NAME##_fetching(bits, targets, sources, shape->ahead[0], keys, n_keys, x,              \
                            accumulator);                                                          \
        }                                                                                          \
    }

SCATTER(add_float, float, double)
SCATTER(add_double, double, double)
SCATTER(add_u64, uint64_t, uint64_t)

/* Bytes of the widest vector. */
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#include "engine/tile/corners_loops.h"

const struct mr_key_kernels KEY_KERNELS = {
    .name = KEY_KERNELS_NAME,
    .decode = decode_keys,
    .add_stream = {[MR_VALUE_FLOAT] = add_float_stream,
                   [MR_VALUE_DOUBLE] = add_double_stream,
                   [MR_VALUE_U64] = add_u64_stream},
    .add_keys = {[MR_VALUE_FLOAT] = add_float_keys,
                 [MR_VALUE_DOUBLE] = add_double_keys,
                 [MR_VALUE_U64] = add_u64_keys},
    .corner_stream = {corner_add_stream, corner_subtract_stream, corner_add_through_stream,
                      corner_subtract_through_stream},
    .corner_unpack = corner_unpack,
};
