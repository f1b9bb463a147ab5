/* SPDX-License-Identifier: Apache-2.0 */
/* Unsigned decimal numbers in text, in and out: eight digits at a time where speed matters, or
 * digit by digit with every check. */
#ifndef MR_ENGINE_BASE_DECIMAL_H
#define MR_ENGINE_BASE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/bytes.h"

enum mr_decimal { MR_DECIMAL_OK, MR_DECIMAL_NONE, MR_DECIMAL_TOO_LARGE };

/* Parse the digits from `*at` up to `end`; `*at` moves behind them. NONE: there is no digit.
 * TOO_LARGE: the number is 2^64 or more. */
static inline enum mr_decimal mr_decimal_parse(const char **at, const char *end, uint64_t *value)
{
    const char *p = *at;
    bool overflow = false;

    for (*value = 0; p < end && *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0'), times_ten;
        overflow |= mr_mul_overflows(*value, 10, &times_ten);
        overflow |= mr_add_overflows(times_ten, digit, value);
    }
    if (p == *at) {
        return MR_DECIMAL_NONE;
    }
    *at = p;
    return overflow ? MR_DECIMAL_TOO_LARGE : MR_DECIMAL_OK;
}

/* Is the whole text up to `end` one number below 2^64? */
static inline bool mr_decimal_whole(const char *text, const char *end, uint64_t *value)
{
    return mr_decimal_parse(&text, end, value) == MR_DECIMAL_OK && text == end;
}

/* Count the leading bytes of `word`, from the lowest, that are digits. `*digits` gets their values,
 * the first digit in the lowest byte. The sum marks each byte above 9 in its highest bit; its
 * carries only reach bytes above a marked one. */
static inline unsigned mr_decimal_run(uint64_t word, uint64_t *digits)
{
    uint64_t values = word ^ 0x3030303030303030u;
    uint64_t others = ((values + 0x7676767676767676u) | values) & 0x8080808080808080u;

    *digits = values;
    return others == 0 ? 8 : (unsigned)__builtin_ctzll(others) / 8;
}

/* Value of the `n` (1..8) lowest bytes of `digits`. A shift puts zeros before them; multiplications
 * then join pairs, fours and all eight. Source: Lemire, "Quickly parsing eight digits". */
static inline uint64_t mr_decimal_value(uint64_t digits, unsigned n)
{
    uint64_t d = digits << (64 - 8 * n);
    d = d * 10 + (d >> 8);
    uint64_t even = (d & 0x000000ff000000ffu) * 0x000f424000000064u;
    uint64_t odd = ((d >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u;
    return (even + odd) >> 32;
}

/* Parse a number of 1..16 digits at `p`, where 17 bytes are readable. Returns the end of the
 * number; NULL when there is no digit or there are more than 16. */
static inline const char *mr_decimal_quick(const char *p, uint64_t *value)
{
    static const uint64_t powers[9] = {1,      10,      100,      1000,     10000,
                                       100000, 1000000, 10000000, 100000000};
    uint64_t digits;
    unsigned n = mr_decimal_run(mr_get_u64((const uint8_t *)p), &digits);

    if (n == 0) {
        return NULL;
    }
    *value = mr_decimal_value(digits, n);
    if (n < 8) {
        return p + n;
    }
    n = mr_decimal_run(mr_get_u64((const uint8_t *)p + 8), &digits);
    if (n > 0) {
        *value = *value * powers[n] + mr_decimal_value(digits, n);
    }
    return n == 8 && p[16] >= '0' && p[16] <= '9' ? NULL : p + 8 + n;
}

/* The digits of a number below 10^8, the first one in the lowest byte: fours, pairs and single
 * digits are taken apart at once, and a multiplication with a shift is a division. */
static inline uint64_t mr_decimal_digits(uint32_t number)
{
    const uint64_t fours = number / 10000 | (uint64_t)(number % 10000) << 32;
    const uint64_t tops = (fours * 10486 >> 20) & 0x7f0000007fu;
    const uint64_t pairs = ((fours - 100 * tops) << 16) + tops;
    const uint64_t tens = (pairs * 103 >> 10) & 0x000f000f000f000fu;
    return tens + ((pairs - 10 * tens) << 8);
}

/* Writes a number to `to`, which has room for 20 bytes, and returns the end. */
static inline char *mr_decimal_put(char *to, uint64_t number)
{
    const uint64_t ascii = 0x3030303030303030u;

    if (number >= 100000000) {
        to = mr_decimal_put(to, number / 100000000);
        mr_put_u64((uint8_t *)to, mr_decimal_digits((uint32_t)(number % 100000000)) + ascii);
        return to + 8;
    }
    const uint64_t digits = mr_decimal_digits((uint32_t)number);
    const unsigned zeros = digits != 0 ? (unsigned)__builtin_ctzll(digits) / 8 : 7;
    mr_put_u64((uint8_t *)to, (digits + ascii) >> (8 * zeros));
    return to + 8 - zeros;
}

#endif
