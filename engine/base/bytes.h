/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing numbers at any alignment, integer arithmetic that reports overflow, binary
 * search, and texts. */
#ifndef MR_ENGINE_BASE_BYTES_H
#define MR_ENGINE_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A text that somebody else owns. */
struct mr_span {
    const char *text; /* [bytes]; NULL: there is none */
    size_t bytes;
};

/* Binary search. `low` becomes the first number `at` of [low, high) for which `is_before`, an
 * expression of `at`, is false; `high` if there is none. From one number on, `is_before` must be
 * false, and true before that number. */
#define MR_FIND_FIRST(low, high, at, is_before)                                                    \
    while ((low) < (high)) {                                                                       \
        const __typeof__(low) at = (low) + ((high) - (low)) / 2;                                   \
        if (is_before) {                                                                           \
            (low) = at + 1;                                                                        \
        } else {                                                                                   \
            (high) = at;                                                                           \
        }                                                                                          \
    }
/* `low` becomes the last number of [low, high) for which `is_at_or_before` is true. It must be true
 * for `low` itself: the search does not ask. */
#define MR_FIND_LAST(low, high, at, is_at_or_before)                                               \
    do {                                                                                           \
        (low)++;                                                                                   \
        MR_FIND_FIRST(low, high, at, is_at_or_before)                                              \
        (low)--;                                                                                   \
    } while (0)

/* Numbers are little-endian, unless the name of the function says otherwise. */

static inline uint16_t mr_get_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | (p[1] << 8));
}

static inline uint32_t mr_get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | ((uint32_t)p[1] << 8) | ((uint32_t)p[2] << 16) | ((uint32_t)p[3] << 24);
}

static inline uint64_t mr_get_u64(const uint8_t *p)
{
    return (uint64_t)mr_get_u32(p) | ((uint64_t)mr_get_u32(p + 4) << 32);
}

static inline uint32_t mr_get_u32_big(const uint8_t *p)
{
    return __builtin_bswap32(mr_get_u32(p));
}

static inline uint64_t mr_get_u64_big(const uint8_t *p)
{
    return __builtin_bswap64(mr_get_u64(p));
}

static inline void mr_put_u16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void mr_put_u32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
}

static inline void mr_put_u64(uint8_t *p, uint64_t v)
{
    mr_put_u32(p, (uint32_t)v);
    mr_put_u32(p + 4, (uint32_t)(v >> 32));
}

/* Floats are IEEE 754 binary32 and binary64. */

static inline float mr_get_f32(const uint8_t *p)
{
    const uint32_t bits = mr_get_u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double mr_get_f64(const uint8_t *p)
{
    const uint64_t bits = mr_get_u64(p);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void mr_put_f32(uint8_t *p, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    mr_put_u32(p, bits);
}

static inline void mr_put_f64(uint8_t *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mr_put_u64(p, bits);
}

/* Both functions return true on overflow; `*out` is then unspecified. */
static inline bool mr_mul_overflows(uint64_t a, uint64_t b, uint64_t *out)
{
    return __builtin_mul_overflow(a, b, out);
}

static inline bool mr_add_overflows(uint64_t a, uint64_t b, uint64_t *out)
{
    return __builtin_add_overflow(a, b, out);
}

/* `power_of_two` is a power of two; `value` is at most 2^64 - power_of_two. */
static inline uint64_t mr_round_up(uint64_t value, uint64_t power_of_two)
{
    return (value + power_of_two - 1) & ~(power_of_two - 1);
}

static inline uint64_t mr_div_up(uint64_t value, uint64_t divisor)
{
    return value / divisor + (value % divisor != 0);
}

/* Less than 0, 0 or more than 0 as a < b, a = b or a > b in the order of memcmp, where a proper
 * prefix comes first. */
static inline int mr_compare_bytes(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    const int order = memcmp(a, b, a_bytes < b_bytes ? a_bytes : b_bytes);
    return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

/* Characters are those of ASCII, in any locale. */

static inline bool mr_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline char mr_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static inline bool mr_is_letter(char c)
{
    return mr_lower(c) >= 'a' && mr_lower(c) <= 'z';
}

/* Of a hexadecimal digit; -1 for another character. */
static inline int mr_hex_value(char c)
{
    const char small = mr_lower(c);
    return mr_is_digit(c) ? c - '0' : small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

static inline uint64_t mr_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t mr_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
