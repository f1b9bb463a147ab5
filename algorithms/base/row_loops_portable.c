/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of two doubles, which compilers have for every machine. */
#define VECTOR_BYTES 16
#define ROW_LOOPS    mr_row_loops_portable
#include "algorithms/base/row_loops_any.h"
#include "engine/base/kernels.h"

const struct mr_row_loops *mr_row_loops_best(void)
{
#if defined(__x86_64__)
    if (mr_kernels_allow(MR_KERNELS_AVX2) && __builtin_cpu_supports("avx2")) {
        return &mr_row_loops_avx2;
    }
#endif
    return &mr_row_loops_portable;
}
