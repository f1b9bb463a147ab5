#define XXH_INLINE_ALL /* with this file's instruction set */
#include <xxhash.h>

#include "engine/base/checksum.h"

uint64_t mr_checksum_avx512(const void *bytes, size_t n_bytes)
{
    return XXH3_64bits(bytes, n_bytes);
}
