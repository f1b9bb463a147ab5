/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum of blocks: XXH3 with 64 bits, compiled once per instruction set and chosen at run
 * time. The function of the system's library is built for the oldest x86-64: it reads 19 GB/s from
 * cache, the build for this processor 47 GB/s. On plain blocks of a graph without locality that is
 * 15% of a pass. Internal to the engine. */
#ifndef MR_ENGINE_BASE_CHECKSUM_H
#define MR_ENGINE_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* XXH3_64bits of the bytes `[n_bytes]`, at any alignment. Thread-safe. */
uint64_t mr_checksum(const void *bytes, size_t n_bytes);

#if defined(__x86_64__)
uint64_t mr_checksum_avx2(const void *bytes, size_t n_bytes);
uint64_t mr_checksum_avx512(const void *bytes, size_t n_bytes);
#endif

#endif
