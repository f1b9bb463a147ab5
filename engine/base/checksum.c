/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum of blocks. Every writer and reader of blocks calls mr_checksum, which chooses the
 * build of XXH3 for this processor at run time. checksum_avx2.c and checksum_avx512.c are the same
 * code, compiled for wider instruction sets; all of them return the same number. */
#include "engine/base/checksum.h"

#include "engine/base/kernels.h"

#include <xxhash.h>

uint64_t mr_checksum(const void *bytes, size_t n_bytes)
{
#if defined(__x86_64__)
    if (mr_kernels_allow(MR_KERNELS_AVX512) && __builtin_cpu_supports("avx512f")) {
        return mr_checksum_avx512(bytes, n_bytes);
    }
    if (mr_kernels_allow(MR_KERNELS_AVX2) && __builtin_cpu_supports("avx2")) {
        return mr_checksum_avx2(bytes, n_bytes);
    }
#endif
    return XXH3_64bits(bytes, n_bytes);
}
