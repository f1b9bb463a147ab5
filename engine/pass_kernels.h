/* Kernels of the pass: apply decoded keys to an accumulator. Internal to the engine.
 *
 * Source-major keys: consecutive edges hit different accumulators, so that no chain of stores and
 * loads forms on a hub (0.6-0.8 ns per edge everywhere, where destination-major took 0.7-1.8).
 * Additions happen in key order, one after the other: the fixed order every result rests on. */
#ifndef MR_ENGINE_PASS_KERNELS_H
#define MR_ENGINE_PASS_KERNELS_H

#include <stddef.h>

#include "engine/pass.h"

struct mr_kernel_shape {
    unsigned band_bits;
    uint32_t target_mask; /* of the local destination in a key */
    uint32_t
        source_mask; /* of the local source once shifted: keeps damaged keys inside the stripe */
};

/* accumulator[key & target_mask] += x[(key >> band_bits) & source_mask] for each key. `x` is the
 * stripe's values, float, double or uint64_t; `accumulator` double or uint64_t. No aliasing. */
typedef void (*mr_kernel)(const struct mr_kernel_shape *shape, const uint32_t *keys, size_t n_keys,
                          const void *x, void *accumulator);

mr_kernel mr_kernel_for(enum mr_value value);

/* sum[i] = a[i] + b[i]; both accumulators of the value type. `sum` may be `a`. */
void mr_kernel_add(enum mr_value value, const void *a, const void *b, void *sum, size_t n);

static inline size_t mr_value_bytes(enum mr_value value)
{
    return value == MR_VALUE_FLOAT ? sizeof(float) : 8;
}

#define MR_ACCUMULATOR_BYTES 8u /* double or uint64_t */

#endif
