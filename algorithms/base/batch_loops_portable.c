/* SPDX-License-Identifier: Apache-2.0 */
#define BATCH_LOOPS mr_batch_loops_portable
#define LANES       4
#include "algorithms/base/batch_loops_any.h"
#include "engine/base/kernels.h"

const struct mr_batch_loops *mr_batch_loops_best(void)
{
    return MR_KERNELS_AVX2_OR(&mr_batch_loops_avx2, &mr_batch_loops_portable);
}
