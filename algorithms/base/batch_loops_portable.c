/* SPDX-License-Identifier: Apache-2.0 */
#define BATCH_LOOPS mr_batch_loops_portable
#define LANES       4
#include "algorithms/base/batch_loops_any.h"
#include "engine/base/kernels.h"

const struct mr_batch_loops *mr_batch_loops_best(void)
{
#if defined(__x86_64__)
    if (mr_kernels_allow(MR_KERNELS_AVX2) && __builtin_cpu_supports("avx2")) {
        return &mr_batch_loops_avx2;
    }
#endif
    return &mr_batch_loops_portable;
}
