/* SPDX-License-Identifier: Apache-2.0 */
/* What one instruction set does with key streams: decode them, and add values along them. Internal
 * to the engine.
 *
 * The kernels are the scatter of the pass: `accumulator[target] += x[source]` for each key, in key
 * order, one addition after the other. Every result rests on this fixed order. Keys are
 * source-major: consecutive edges hit different accumulators, so no chain of stores and loads forms
 * on a hub. This takes 0.6-0.8 ns per edge everywhere; target-major keys take 0.7-1.8.
 *
 * All instruction sets give the same bits. Each has a file of its own, keys_X.c, which says how
 * sixteen keys are decoded; key_loops.h adds the loops. */
#ifndef MR_ENGINE_TILE_KEY_KERNELS_H
#define MR_ENGINE_TILE_KEY_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/value.h"
#include "engine/store/store.h"
#include "engine/tile/corners_kernels.h"
#include "engine/tile/keys.h"

/* Memory that is needed next, prefetched into L2 while keys are worked on: `stride` bytes for every
 * sixteen keys. A prefetch may go beyond readable memory. */
struct mr_ahead {
    const uint8_t *at;
    unsigned stride; /* 0: nothing */
};

#define MR_N_AHEAD 2u

/* The layout of a key: source << band_bits | target, both local. The masks keep damaged keys inside
 * the stripe and the band. */
struct mr_kernel_shape {
    unsigned band_bits;
    uint32_t target_mask, source_mask;
    struct mr_ahead ahead[MR_N_AHEAD]; /* streams use both, decoded keys the first */
};

static inline struct mr_kernel_shape mr_kernel_shape_of(const struct mr_store_info *info)
{
    return (struct mr_kernel_shape){
        .band_bits = info->band_bits,
        .target_mask = (1u << info->band_bits) - 1,
        .source_mask = (1u << info->stripe_bits) - 1,
    };
}

/* Add values along the stream [in, end) of `n_keys` keys, the first relative to 0. Returns the
 * position after them, or NULL as mr_keys_decoder does; the accumulator is then unspecified. [in,
 * end + MR_KEYS_SLACK_BYTES) is readable. `x` [source_mask + 1] is float, double or uint64_t;
 * `accumulator` [target_mask + 1] is double or uint64_t. The arrays do not overlap. */
typedef const uint8_t *(*mr_stream_kernel)(const struct mr_kernel_shape *shape, const uint8_t *in,
                                           const uint8_t *end, size_t n_keys, const void *x,
                                           void *accumulator);

/* The same for decoded keys. */
typedef void (*mr_keys_kernel)(const struct mr_kernel_shape *shape, const uint32_t *keys,
                               size_t n_keys, const void *x, void *accumulator);

struct mr_key_kernels {
    const char *name;
    mr_keys_decoder decode;
    mr_stream_kernel add_stream[3]; /* by enum mr_value */
    mr_keys_kernel add_keys[3];
    mr_corner_stream_kernel corner_stream[MR_CORNER_STREAMS]; /* corners_kernels.h */
    mr_corner_unpacker corner_unpack;
};

const struct mr_key_kernels *mr_key_kernels_best(void);

/* For tests and benchmarks: the sets that this machine can run, best first; NULL past the last
 * one. */
const struct mr_key_kernels *mr_key_kernels_at(unsigned index);

/* sum[i] = a[i] + b[i] for accumulators of the value type. `sum` may be `a`. */
void mr_kernel_add(enum mr_value value, const void *a, const void *b, void *sum, size_t n);

#define MR_ACCUMULATOR_BYTES 8u /* double or uint64_t */

/* The sets, one per keys_X.c. */
extern const struct mr_key_kernels mr_key_kernels_portable;
#if defined(__x86_64__)
extern const struct mr_key_kernels mr_key_kernels_avx512, mr_key_kernels_avx2;
#elif defined(__aarch64__)
extern const struct mr_key_kernels mr_key_kernels_neon;
#endif

#endif
