/* The decoders behind engine/keys.h, one per instruction set. Internal. */
#ifndef MR_ENGINE_KEYS_DECODERS_H
#define MR_ENGINE_KEYS_DECODERS_H

#include "engine/keys.h"

/* Number by number with every check: the tail of every decoder. Same contract as mr_keys_decoder. */
const uint8_t *mr_keys_decode_checked(const uint8_t *in, const uint8_t *end, uint32_t previous,
                                      uint32_t *keys, size_t n_keys);

#if defined(__x86_64__)
int mr_keys_avx512_supported(void);
const uint8_t *mr_keys_decode_avx512(const uint8_t *in, const uint8_t *end, uint32_t previous,
                                     uint32_t *keys, size_t n_keys);
#endif

#endif
