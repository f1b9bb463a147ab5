/* SPDX-License-Identifier: Apache-2.0 */
#define BALLS_LOOPS mr_balls_loops_portable
#include "algorithms/harmonic/balls_loops_any.h"
#include "engine/base/kernels.h"

const struct mr_balls_loops *mr_balls_loops_best(void)
{
#if defined(__x86_64__)
    if (mr_kernels_allow(MR_KERNELS_AVX512) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return &mr_balls_loops_avx512;
    }
    if (mr_kernels_allow(MR_KERNELS_AVX2) && __builtin_cpu_supports("avx2")) {
        return &mr_balls_loops_avx2;
    }
#endif
    return &mr_balls_loops_portable;
}
