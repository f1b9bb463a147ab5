/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the kernels of the best instruction set that the machine has, at run time, so that one
 * binary runs everywhere. The pass and the decoders ask here; key_loops.h defines the sets. */
#include "engine/tile/key_kernels.h"

#include "engine/base/kernels.h"

#if defined(__x86_64__)
static bool has_avx512(void)
{
    return mr_kernels_allow(MR_KERNELS_AVX512) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2");
}

static bool has_avx2(void)
{
    return mr_kernels_allow(MR_KERNELS_AVX2) && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}
#endif

static bool always(void)
{
    return true;
}

/* The sets, best first. */
static const struct {
    const struct mr_key_kernels *kernels;
    bool (*is_supported)(void);
} sets[] = {
#if defined(__x86_64__)
    {&mr_key_kernels_avx512, has_avx512},
    {&mr_key_kernels_avx2, has_avx2},
#elif defined(__aarch64__)
    {&mr_key_kernels_neon, always}, /* every aarch64 has NEON */
#endif
    {&mr_key_kernels_portable, always},
};

const struct mr_key_kernels *mr_key_kernels_at(unsigned index)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (sets[i].is_supported() && index-- == 0) {
            return sets[i].kernels;
        }
    }
    return NULL;
}

const struct mr_key_kernels *mr_key_kernels_best(void)
{
    return mr_key_kernels_at(0);
}

void mr_kernel_add(enum mr_value value, const void *a, const void *b, void *sum, size_t n)
{
    if (value == MR_VALUE_U64) {
        const uint64_t *x = a, *y = b;
        uint64_t *z = sum;
        for (size_t i = 0; i < n; i++) {
            z[i] = x[i] + y[i];
        }
        return;
    }
    const double *x = a, *y = b;
    double *z = sum;
    for (size_t i = 0; i < n; i++) {
        z[i] = x[i] + y[i];
    }
}
