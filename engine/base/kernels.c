/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that reads MILLRACE_KERNELS: kernels.h. */
#include "engine/base/kernels.h"

#include <stdlib.h>
#include <string.h>

bool mr_kernels_allow(enum mr_kernel_set set)
{
    const char *wish = getenv("MILLRACE_KERNELS");
    if (wish != NULL && strcmp(wish, "portable") == 0) {
        return set == MR_KERNELS_PORTABLE;
    }
    return wish == NULL || strcmp(wish, "avx2") != 0 || set != MR_KERNELS_AVX512;
}
