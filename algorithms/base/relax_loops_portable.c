/* SPDX-License-Identifier: Apache-2.0 */
#define RELAX_LOOPS mr_relax_loops_portable
#include "algorithms/base/relax_loops_any.h"
#include "engine/base/kernels.h"

const struct mr_relax_loops *mr_relax_loops_best(void)
{
#if defined(__x86_64__)
    if (mr_kernels_allow(MR_KERNELS_AVX2) && __builtin_cpu_supports("avx2")) {
        return &mr_relax_loops_avx2;
    }
#endif
    return &mr_relax_loops_portable;
}
