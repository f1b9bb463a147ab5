/* SPDX-License-Identifier: Apache-2.0 */
/* For every machine; and which loops this machine takes. */
#define ACCELERATION_LOOPS mr_acceleration_loops_portable
#include "algorithms/base/acceleration_loops_any.h"
#include "engine/base/kernels.h"

const struct mr_acceleration_loops *mr_acceleration_loops_best(void)
{
    return MR_KERNELS_AVX2_OR(&mr_acceleration_loops_avx2, &mr_acceleration_loops_portable);
}
