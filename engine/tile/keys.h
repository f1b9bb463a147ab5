/* SPDX-License-Identifier: Apache-2.0 */
/* The key stream: ascending 32-bit numbers as LEB128 differences, decoded in small batches.
 *
 * The edges of a tile are keys (local source << band_bits | local target). The degrees of a band
 * are the differences of such a stream. The first number is a difference from 0. Differences are
 * modulo 2^32, so any sequence of numbers has a stream, and an ascending one has a short stream.
 * Each instruction set has a decoder; all give the same numbers, and the best is chosen at run
 * time. */
#ifndef MR_ENGINE_TILE_KEYS_H
#define MR_ENGINE_TILE_KEYS_H

#include <stddef.h>
#include <stdint.h>

/* A decoder may read (never write) this many bytes past the end of the stream, and may write this
 * many keys past the count asked for. */
#define MR_KEYS_SLACK_BYTES 128u
#define MR_KEYS_SLACK_KEYS  32u

/* Keys that the pass decodes at a time: 8 KiB, which stay in L1 beside the stream. Buffers for
 * whole tiles were twice as slow. */
#define MR_KEYS_BATCH 2048u

#define MR_LEB_MAX_BYTES 5u /* of a 32-bit number; a 64-bit number takes up to 10 */

/* Encode `keys[n_keys]`, the first as a difference from `previous`, to `out` (room for n_keys *
 * MR_LEB_MAX_BYTES). Returns the end. */
uint8_t *mr_keys_encode(const uint32_t *keys, size_t n_keys, uint32_t previous, uint8_t *out);

/* Decode `n_keys` keys from [in, end), the first relative to `previous`. Returns the position after
 * them, or NULL when the stream ends early or a number has more than 32 bits. `keys` has room for
 * n_keys + MR_KEYS_SLACK_KEYS; [in, end + MR_KEYS_SLACK_BYTES) is readable. */
typedef const uint8_t *(*mr_keys_decoder)(const uint8_t *in, const uint8_t *end, uint32_t previous,
                                          uint32_t *keys, size_t n_keys);

mr_keys_decoder mr_keys_best_decoder(void);
const char *mr_keys_decoder_name(void); /* name of the best one: "avx512-vbmi2", "portable" */

/* For tests and benchmarks: the decoders that this machine can run, by index; NULL past the last
 * one. */
mr_keys_decoder mr_keys_decoder_at(unsigned index, const char **name);

/* Write and read single LEB128 numbers. `mr_leb_get` returns NULL when the number passes `end` or
 * 64 bits. */
uint8_t *mr_leb_put(uint8_t *out, uint64_t value);
const uint8_t *mr_leb_get(const uint8_t *in, const uint8_t *end, uint64_t *value);

#endif
