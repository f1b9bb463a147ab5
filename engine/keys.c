#include "engine/keys.h"

#include <string.h>

#include "engine/keys_decoders.h"

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

/* One number with every check, for the tail of a stream and for odd lengths. */
static const uint8_t *decode_one(const uint8_t *in, const uint8_t *end, uint32_t *difference)
{
    uint32_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        if (in >= end) {
            return NULL;
        }
        uint8_t byte = *in++;
        if (shift == 28 && byte > 0x0f) {
            return NULL;
        }
        value |= (uint32_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *difference = value;
            return in;
        }
    }
    return NULL;
}

const uint8_t *mr_keys_decode_checked(const uint8_t *in, const uint8_t *end, uint32_t previous,
                                      uint32_t *keys, size_t n_keys)
{
    for (size_t i = 0; i < n_keys; i++) {
        uint32_t difference;
        in = decode_one(in, end, &difference);
        if (in == NULL) {
            return NULL;
        }
        previous += difference;
        keys[i] = previous;
    }
    return in;
}

/* Eight bytes at a time: differences below 128 come in long runs on local graphs, and the rest has
 * mostly two bytes. Which of the two cases holds is read off the eight continuation bits at once. */
static const uint8_t *decode_portable(const uint8_t *in, const uint8_t *end, uint32_t previous,
                                      uint32_t *keys, size_t n_keys)
{
    size_t i = 0;
    while (n_keys - i >= 8 && end - in >= 40) {
        uint64_t word;
        memcpy(&word, in, sizeof word);
        if ((word & UINT64_C(0x8080808080808080)) == 0) {
            for (unsigned k = 0; k < 8; k++) {
                previous += in[k];
                keys[i + k] = previous;
            }
            in += 8;
            i += 8;
            continue;
        }
        for (unsigned k = 0; k < 8; k++) {
            uint32_t value = *in++;
            if (value >= 0x80) {
                uint32_t byte = *in++;
                value = (value & 0x7f) | (byte << 7);
                if (byte >= 0x80) {
                    byte = *in++;
                    value = (value & 0x3fff) | (byte << 14);
                    if (byte >= 0x80) {
                        in = decode_one(in - 3, end, &value);
                        if (in == NULL) {
                            return NULL;
                        }
                    }
                }
            }
            previous += value;
            keys[i + k] = previous;
        }
        i += 8;
    }
    return mr_keys_decode_checked(in, end, previous, keys + i, n_keys - i);
}

struct decoder {
    const char *name;
    mr_keys_decoder decode;
    int (*supported)(void);
};

static int always(void)
{
    return 1;
}

/* Best first. */
static const struct decoder decoders[] = {
#if defined(__x86_64__)
    {"avx512-vbmi2", mr_keys_decode_avx512, mr_keys_avx512_supported},
#endif
    {"portable", decode_portable, always},
};

mr_keys_decoder mr_keys_decoder_at(unsigned index, const char **name)
{
    for (size_t i = 0; i < sizeof decoders / sizeof decoders[0]; i++) {
        if (!decoders[i].supported() || index-- > 0) {
            continue;
        }
        if (name != NULL) {
            *name = decoders[i].name;
        }
        return decoders[i].decode;
    }
    return NULL;
}

mr_keys_decoder mr_keys_best_decoder(void)
{
    return mr_keys_decoder_at(0, NULL);
}

const char *mr_keys_decoder_name(void)
{
    const char *name = "";
    (void)mr_keys_decoder_at(0, &name);
    return name;
}
