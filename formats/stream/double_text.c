/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles as text (double_text.h). glibc prints a double through multi-word arithmetic of any
 * length, which takes longer than a whole row of scores should. A double is m 2^e, and the powers
 * of ten up to 10^38 fit into 128 bits: so for numbers from 1e-22 to 1e17, as scores are, the 17
 * digits are one product of 192 bits, cut and rounded exactly. All others go to snprintf. */
#include "formats/stream/double_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { DIGITS = 17, MOST_POWER = 38, MANTISSA_BITS = 52, EXPONENT_BIAS = 1023 };

#define LEAST_OF_17  UINT64_C(10000000000000000) /* 10^16: the least number of 17 digits */
#define MOST_WRITTEN 1e17
#define LEAST_EXACT  1e-22

/* 10^n, n up to MOST_POWER. */
static wide power_of_ten(unsigned n)
{
    static const uint64_t powers[20] = {1ULL,
                                        10ULL,
                                        100ULL,
                                        1000ULL,
                                        10000ULL,
                                        100000ULL,
                                        1000000ULL,
                                        10000000ULL,
                                        100000000ULL,
                                        1000000000ULL,
                                        10000000000ULL,
                                        100000000000ULL,
                                        1000000000000ULL,
                                        10000000000000ULL,
                                        100000000000000ULL,
                                        1000000000000000ULL,
                                        10000000000000000ULL,
                                        100000000000000000ULL,
                                        1000000000000000000ULL,
                                        10000000000000000000ULL};
    return n < 20 ? powers[n] : (wide)powers[19] * powers[n - 19];
}

/* m 10^n / 2^shift to the nearest integer, ties to the even one, 0 < shift < 192. The quotient is
 * below 2^63. */
static uint64_t scaled(uint64_t m, unsigned n, unsigned shift)
{
    const wide power = power_of_ten(n);
    const wide low = (wide)m * (uint64_t)power; /* the product is high 2^64 + the low half of low */
    const wide high = (wide)m * (uint64_t)(power >> 64) + (uint64_t)(low >> 64);
    const uint64_t last = (uint64_t)low;
    uint64_t quotient;
    bool is_half, is_more; /* what is cut off: exactly a half or more; anything behind the half */
    if (shift <= 64) {
        const uint64_t cut = shift == 64 ? last : last & (((uint64_t)1 << shift) - 1);
        const uint64_t half = (uint64_t)1 << (shift - 1);
        quotient = shift == 64 ? (uint64_t)high : (uint64_t)(high << (64 - shift)) | last >> shift;
        is_half = cut >= half;
        is_more = cut > half;
    } else {
        const unsigned rest = shift - 64; /* of high: 1 to 127 */
        const wide cut = high & (((wide)1 << rest) - 1), half = (wide)1 << (rest - 1);
        quotient = (uint64_t)(high >> rest);
        is_half = cut >= half;
        is_more = cut > half || (cut == half && last != 0);
    }
    return quotient + (is_half && (is_more || quotient % 2 == 1));
}

/* The 17 digits of `number`, at least LEAST_OF_17. */
static void write_digits(uint64_t number, char digits[DIGITS])
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    for (unsigned at = DIGITS - 2; at > 0; at -= 2) { /* the last two, and so on up to 1 and 2 */
        memcpy(digits + at, pairs + 2 * (number % 100), 2);
        number /= 100;
        if (at == 1) {
            break;
        }
    }
    digits[0] = (char)('0' + number);
}

/* As %g lays out digits[n], whose first one counts 10^exponent. */
static size_t lay_out(const char *digits, size_t n, int exponent, char *to)
{
    char *at = to;
    if (exponent < -4) { /* d.ddde-XX */
        *at++ = digits[0];
        if (n > 1) {
            *at++ = '.';
            memcpy(at, digits + 1, n - 1);
            at += n - 1;
        }
        memcpy(at, "e-", 2);
        at[2] = (char)('0' + -exponent / 10);
        at[3] = (char)('0' + -exponent % 10);
        return (size_t)(at + 4 - to);
    }
    if (exponent < 0) { /* 0.000ddd */
        memcpy(at, "0.000", 5);
        at += 1 - exponent;
        memcpy(at, digits, n);
        return (size_t)(at + n - to);
    }
    const size_t whole = (size_t)exponent + 1; /* ddd.ddd; digits that were cut are zeros */
    memcpy(at, digits, whole);
    at += whole;
    if (n > whole) {
        *at++ = '.';
        memcpy(at, digits + whole, n - whole);
        at += n - whole;
    }
    return (size_t)(at - to);
}

size_t mr_double_text(double value, char *to)
{
    uint64_t bits;
    if (!(value >= LEAST_EXACT && value < MOST_WRITTEN)) {
        if (value == 0 && !signbit(value)) {
            *to = '0';
            return 1;
        }
        return (size_t)snprintf(to, MR_DOUBLE_TEXT_BYTES, "%.17g", value);
    }
    memcpy(&bits, &value, sizeof bits);
    const int exponent_of_2 = (int)(bits >> MANTISSA_BITS) - EXPONENT_BIAS;
    const uint64_t m = (bits & (((uint64_t)1 << MANTISSA_BITS) - 1)) | (uint64_t)1 << MANTISSA_BITS;
    const int shift = MANTISSA_BITS - exponent_of_2; /* the value is m / 2^shift */
    /* floor(log10(value)), or one less; 78913 / 2^18 is log10(2) */
    int exponent = (int)(((int64_t)exponent_of_2 * 78913) >> 18);
    unsigned power = (unsigned)(DIGITS - 1 - exponent);
    if (shift <= 0 || power > MOST_POWER) {
        return (size_t)snprintf(to, MR_DOUBLE_TEXT_BYTES, "%.17g", value);
    }
    uint64_t number = scaled(m, power, (unsigned)shift);
    if (number >= 10 * LEAST_OF_17) { /* it was one less, or rounding carried */
        exponent++;
        power--;
        number = scaled(m, power, (unsigned)shift);
    }
    if (number < LEAST_OF_17) { /* rounding did not carry after all */
        return (size_t)snprintf(to, MR_DOUBLE_TEXT_BYTES, "%.17g", value);
    }
    char digits[DIGITS];
    write_digits(number, digits);
    size_t n = DIGITS;
    while (n > 1 && digits[n - 1] == '0') {
        n--;
    }
    return lay_out(digits, n, exponent, to);
}
