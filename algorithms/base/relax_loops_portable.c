/* SPDX-License-Identifier: Apache-2.0 */
#define RELAX_LOOPS mr_relax_loops_portable
#include "algorithms/base/relax_loops_any.h"
#include "engine/base/kernels.h"

const struct mr_relax_loops *mr_relax_loops_best(void)
{
    return MR_KERNELS_AVX2_OR(&mr_relax_loops_avx2, &mr_relax_loops_portable);
}
