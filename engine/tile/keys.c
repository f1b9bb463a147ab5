/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes key streams and single LEB128 numbers, and names the decoders. Builders encode here; the
 * pass decodes with the kernels of key_kernels.c. Encoding is plain C, because a build spends
 * little time in it. */
#include "engine/tile/keys.h"

#include "engine/tile/key_kernels.h"

uint8_t *mr_leb_put(uint8_t *out, uint64_t value)
{
    while (value >= 0x80) {
        *out++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *out++ = (uint8_t)value;
    return out;
}

const uint8_t *mr_leb_get(const uint8_t *in, const uint8_t *end, uint64_t *value)
{
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (in >= end) {
            return NULL;
        }
        uint8_t byte = *in++;
        if (shift == 63 && byte > 1) {
            return NULL;
        }
        result |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = result;
            return in;
        }
    }
    return NULL;
}

uint8_t *mr_keys_encode(const uint32_t *keys, size_t n_keys, uint32_t previous, uint8_t *out)
{
    for (size_t i = 0; i < n_keys; i++) {
        uint32_t difference = keys[i] - previous;
        previous = keys[i];
        while (difference >= 0x80) {
            *out++ = (uint8_t)(difference | 0x80);
            difference >>= 7;
        }
        *out++ = (uint8_t)difference;
    }
    return out;
}

mr_keys_decoder mr_keys_decoder_at(unsigned index, const char **name)
{
    const struct mr_key_kernels *kernels = mr_key_kernels_at(index);
    if (kernels == NULL) {
        return NULL;
    }
    if (name != NULL) {
        *name = kernels->name;
    }
    return kernels->decode;
}

mr_keys_decoder mr_keys_best_decoder(void)
{
    return mr_key_kernels_best()->decode;
}

const char *mr_keys_decoder_name(void)
{
    return mr_key_kernels_best()->name;
}
