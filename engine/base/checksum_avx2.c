/* SPDX-License-Identifier: Apache-2.0 */
/* XXH3 for processors with AVX2. checksum.c calls it. XXH_INLINE_ALL compiles the whole hash in
 * this file, so that the compiler uses this file's instruction set. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/base/checksum.h"

uint64_t mr_checksum_avx2(const void *bytes, size_t n_bytes)
{
    return XXH3_64bits(bytes, n_bytes);
}
