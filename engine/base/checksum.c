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
