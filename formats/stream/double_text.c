/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles as text (double_text.h). glibc prints a double through multi-word arithmetic of any
 * length, which takes longer than a whole row of scores should. A double is m 2^e, and the powers
 * of ten up to 10^38 fit into 128 bits: so for numbers from 1e-20 to 2^52, as scores are, 18
 * digits are one product of 192 bits, cut exactly. All others go to snprintf. */
#include "formats/stream/double_text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { DIGITS = 17, MOST_POWER = 38, MANTISSA_BITS = 52, EXPONENT_BIAS = 1023 };

#define LEAST_OF_17 UINT64_C(10000000000000000) /* 10^16: the least number of 17 digits */
#define LEAST_EXACT 1e-20
#define MOST_EXACT  0x1p52

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

/* m 10^n / 2^shift without its fraction, 0 < shift < 192; `*cut`: it has one. The quotient is below
 * 2^64. */
static uint64_t scaled(uint64_t m, unsigned n, unsigned shift, bool *cut)
{
    const wide power = power_of_ten(n);
    const wide low = (wide)m * (uint64_t)power; /* the product is high 2^64 + the low half of low */
    const wide high = (wide)m * (uint64_t)(power >> 64) + (uint64_t)(low >> 64);
    const uint64_t last = (uint64_t)low;
    if (shift < 64) {
        *cut = (last & (((uint64_t)1 << shift) - 1)) != 0;
        return (uint64_t)(high << (64 - shift)) | last >> shift;
    }
    *cut = last != 0 || (high & (((wide)1 << (shift - 64)) - 1)) != 0;
    return (uint64_t)(high >> (shift - 64));
}

/* The 17 digits of `number`, at least LEAST_OF_17. */
static void write_digits(uint64_t number, char digits[DIGITS])
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    uint32_t low = (uint32_t)(number % 100000000), high = (uint32_t)(number / 100000000);
    for (unsigned at = 0; at < 8; at += 2) { /* two chains, which run side by side */
        memcpy(digits + 15 - at, pairs + 2 * (low % 100), 2);
        memcpy(digits + 7 - at, pairs + 2 * (high % 100), 2);
        low /= 100;
        high /= 100;
    }
    digits[0] = (char)('0' + high);
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

/* Prints 17 digits without zeros at the end; 10^17 has been rounded up. */
static size_t print_digits(uint64_t number, int exponent, char *to)
{
    char digits[DIGITS];
    size_t n = DIGITS;

    if (number == 10 * LEAST_OF_17) {
        number = LEAST_OF_17;
        exponent++;
    }
    write_digits(number, digits);
    while (n > 1 && digits[n - 1] == '0') {
        n--;
    }
    return lay_out(digits, n, exponent, to);
}

/* Writes any number with the fewest digits, by trying. */
static size_t try_digits(double value, char *to)
{
    size_t bytes = 0;

    for (int digits = fabs(value) < DBL_MIN ? 1 : DIGITS - 2; digits <= DIGITS; digits++) {
        bytes = (size_t)snprintf(to, MR_DOUBLE_TEXT_BYTES, "%.*g", digits, value);
        if (strtod(to, NULL) == value) {
            break;
        }
    }
    return bytes;
}

/* digits / unit to the nearest integer, ties to the even one; `cut`: more digits follow. */
static inline uint64_t rounded(uint64_t digits, bool cut, uint64_t unit)
{
    const uint64_t quotient = digits / unit, rest = digits % unit;
    return quotient + (2 * rest + (cut | (quotient & 1)) > unit);
}

/* A text is read back if it is off by less than half the way to the next double. 18 digits of the
 * number tell that of most texts; a close call is read. At most one number of 15 digits is read
 * back. Of two with 16 digits the nearest is taken. */
size_t mr_double_shortest(double value, char *to)
{
    uint64_t bits;

    if (value == 0 && !signbit(value)) {
        *to = '0';
        return 1;
    }
    if (!(value >= LEAST_EXACT && value < MOST_EXACT)) {
        return try_digits(value, to);
    }
    memcpy(&bits, &value, sizeof bits);
    const int exponent_of_2 = (int)(bits >> MANTISSA_BITS) - EXPONENT_BIAS;
    const uint64_t m = (bits & (((uint64_t)1 << MANTISSA_BITS) - 1)) | (uint64_t)1 << MANTISSA_BITS;
    /* floor(log10(value)), or one less; 78913 / 2^18 is log10(2) */
    int exponent = (int)(((int64_t)exponent_of_2 * 78913) >> 18);
    bool cut;
    uint64_t digits =
        scaled(m, (unsigned)(DIGITS - exponent), (unsigned)(MANTISSA_BITS - exponent_of_2), &cut);
    if (digits >= 100 * LEAST_OF_17) { /* it was one less */
        cut = cut || digits % 10 != 0;
        digits /= 10;
        exponent++;
    }
    const double half_gap = (double)digits / (double)(2 * m); /* below 2^n: half of it */
    for (uint64_t unit = 1000; unit > 10; unit /= 10) {
        const uint64_t text_of = rounded(digits, cut, unit) * unit;
        const double off = fabs((double)(int64_t)(text_of - digits));
        if (off <= half_gap + 1) {
            const size_t n = print_digits(text_of / 10, exponent, to);
            double read = 0;
            if ((off + 1 < half_gap && m > (uint64_t)1 << MANTISSA_BITS) ||
                (mr_double_read(to, n, &read) && read == value)) {
                return n;
            }
        }
    }
    return print_digits(rounded(digits, cut, 10), exponent, to);
}

size_t mr_single_shortest(float value, char *to)
{
    size_t bytes = 0;
    int digits = 6;

    do {
        bytes = (size_t)snprintf(to, MR_DOUBLE_TEXT_BYTES, "%.*g", digits, (double)value);
    } while (digits++ < 9 && strtof(to, NULL) != value);
    return bytes;
}

/* ---- Reading ---- */

enum { MOST_DIGITS = 19, EXACT_POWER = 22, FRACTION_BITS = 53, SLOW_BYTES = 512 };

/* A number as it is written: digits * 10^power. */
struct decimal {
    uint64_t digits;
    int power;
    bool is_negative;
};

/* Takes a number that has at most 19 digits, leading zeros aside, and no odd parts. False: it is
 * another text. */
static bool take_decimal(const char *text, size_t bytes, struct decimal *decimal)
{
    const char *p = text, *end = text + bytes;
    unsigned n_digits = 0, n_seen = 0;
    *decimal = (struct decimal){0};
    if (p < end && (*p == '-' || *p == '+')) {
        decimal->is_negative = *p++ == '-';
    }
    for (bool behind_point = false; p < end; p++) {
        const unsigned digit = (unsigned)(unsigned char)*p - '0';
        if (*p == '.' && !behind_point) {
            behind_point = true;
        } else if (digit <= 9) {
            n_seen++;
            n_digits += n_digits > 0 || digit > 0;
            if (n_digits > MOST_DIGITS) {
                return false;
            }
            decimal->digits = 10 * decimal->digits + digit;
            decimal->power -= behind_point;
        } else {
            break;
        }
    }
    if (p < end && n_seen > 0 && (*p == 'e' || *p == 'E')) {
        int power = 0;
        const bool is_below = ++p < end && *p == '-';
        p += p < end && (*p == '-' || *p == '+');
        const char *first = p;
        for (; p < end && *p >= '0' && *p <= '9' && p - first < 4; p++) {
            power = 10 * power + (*p - '0');
        }
        n_seen = p > first ? n_seen : 0;
        decimal->power += is_below ? -power : power;
    }
    return p == end && n_seen > 0;
}

/* digits / 10^n, to the nearest double, 1 <= n <= MOST_POWER, digits > 0. False: it is too close to
 * the middle of two doubles. */
static bool divide(uint64_t digits, unsigned n, double *value)
{
    /* floor(2^(127 + L) / 10^n), L the bits of 10^n: the true factor is less than 1 above it. */
    static const uint64_t reciprocals[MOST_POWER][2] = {
        {UINT64_C(0xcccccccccccccccc), UINT64_C(0xcccccccccccccccc)}, /* 10^-1 */
        {UINT64_C(0xa3d70a3d70a3d70a), UINT64_C(0x3d70a3d70a3d70a3)}, /* 10^-2 */
        {UINT64_C(0x83126e978d4fdf3b), UINT64_C(0x645a1cac083126e9)}, /* 10^-3 */
        {UINT64_C(0xd1b71758e219652b), UINT64_C(0xd3c36113404ea4a8)}, /* 10^-4 */
        {UINT64_C(0xa7c5ac471b478423), UINT64_C(0x0fcf80dc33721d53)}, /* 10^-5 */
        {UINT64_C(0x8637bd05af6c69b5), UINT64_C(0xa63f9a49c2c1b10f)}, /* 10^-6 */
        {UINT64_C(0xd6bf94d5e57a42bc), UINT64_C(0x3d32907604691b4c)}, /* 10^-7 */
        {UINT64_C(0xabcc77118461cefc), UINT64_C(0xfdc20d2b36ba7c3d)}, /* 10^-8 */
        {UINT64_C(0x89705f4136b4a597), UINT64_C(0x31680a88f8953030)}, /* 10^-9 */
        {UINT64_C(0xdbe6fecebdedd5be), UINT64_C(0xb573440e5a884d1b)}, /* 10^-10 */
        {UINT64_C(0xafebff0bcb24aafe), UINT64_C(0xf78f69a51539d748)}, /* 10^-11 */
        {UINT64_C(0x8cbccc096f5088cb), UINT64_C(0xf93f87b7442e45d3)}, /* 10^-12 */
        {UINT64_C(0xe12e13424bb40e13), UINT64_C(0x2865a5f206b06fb9)}, /* 10^-13 */
        {UINT64_C(0xb424dc35095cd80f), UINT64_C(0x538484c19ef38c94)}, /* 10^-14 */
        {UINT64_C(0x901d7cf73ab0acd9), UINT64_C(0x0f9d37014bf60a10)}, /* 10^-15 */
        {UINT64_C(0xe69594bec44de15b), UINT64_C(0x4c2ebe687989a9b3)}, /* 10^-16 */
        {UINT64_C(0xb877aa3236a4b449), UINT64_C(0x09befeb9fad487c2)}, /* 10^-17 */
        {UINT64_C(0x9392ee8e921d5d07), UINT64_C(0x3aff322e62439fcf)}, /* 10^-18 */
        {UINT64_C(0xec1e4a7db69561a5), UINT64_C(0x2b31e9e3d06c32e5)}, /* 10^-19 */
        {UINT64_C(0xbce5086492111aea), UINT64_C(0x88f4bb1ca6bcf584)}, /* 10^-20 */
        {UINT64_C(0x971da05074da7bee), UINT64_C(0xd3f6fc16ebca5e03)}, /* 10^-21 */
        {UINT64_C(0xf1c90080baf72cb1), UINT64_C(0x5324c68b12dd6338)}, /* 10^-22 */
        {UINT64_C(0xc16d9a0095928a27), UINT64_C(0x75b7053c0f178293)}, /* 10^-23 */
        {UINT64_C(0x9abe14cd44753b52), UINT64_C(0xc4926a9672793542)}, /* 10^-24 */
        {UINT64_C(0xf79687aed3eec551), UINT64_C(0x3a83ddbd83f52204)}, /* 10^-25 */
        {UINT64_C(0xc612062576589dda), UINT64_C(0x95364afe032a819d)}, /* 10^-26 */
        {UINT64_C(0x9e74d1b791e07e48), UINT64_C(0x775ea264cf55347d)}, /* 10^-27 */
        {UINT64_C(0xfd87b5f28300ca0d), UINT64_C(0x8bca9d6e188853fc)}, /* 10^-28 */
        {UINT64_C(0xcad2f7f5359a3b3e), UINT64_C(0x096ee45813a04330)}, /* 10^-29 */
        {UINT64_C(0xa2425ff75e14fc31), UINT64_C(0xa1258379a94d028d)}, /* 10^-30 */
        {UINT64_C(0x81ceb32c4b43fcf4), UINT64_C(0x80eacf948770ced7)}, /* 10^-31 */
        {UINT64_C(0xcfb11ead453994ba), UINT64_C(0x67de18eda5814af2)}, /* 10^-32 */
        {UINT64_C(0xa6274bbdd0fadd61), UINT64_C(0xecb1ad8aeacdd58e)}, /* 10^-33 */
        {UINT64_C(0x84ec3c97da624ab4), UINT64_C(0xbd5af13bef0b113e)}, /* 10^-34 */
        {UINT64_C(0xd4ad2dbfc3d07787), UINT64_C(0x955e4ec64b44e864)}, /* 10^-35 */
        {UINT64_C(0xaa242499697392d2), UINT64_C(0xdde50bd1d5d0b9e9)}, /* 10^-36 */
        {UINT64_C(0x881cea14545c7575), UINT64_C(0x7e50d64177da2e54)}, /* 10^-37 */
        {UINT64_C(0xd9c7dced53c72255), UINT64_C(0x96e7bd358c904a21)}, /* 10^-38 */
    };
    const unsigned zeros = (unsigned)__builtin_clzll(digits);
    const uint64_t w = digits << zeros, *factor = reciprocals[n - 1];
    const wide low = (wide)w * factor[1];
    const wide high = (wide)w * factor[0] + (uint64_t)(low >> 64);
    const uint64_t top = (uint64_t)(high >> 64), middle = (uint64_t)high, last = (uint64_t)low;
    if (middle == UINT64_MAX && last + w < last) {
        return false; /* the true product may reach the next `top` */
    }
    const unsigned cut = 63 - (unsigned)__builtin_clzll(top) - (FRACTION_BITS - 1);
    const uint64_t rest = top & (((uint64_t)1 << cut) - 1), half = (uint64_t)1 << (cut - 1);
    uint64_t fraction = top >> cut;
    if (rest == half && middle == 0 && last == 0) {
        return false;
    }
    fraction += rest >= half; /* at the half something follows */
    const wide power = power_of_ten(n);
    const uint64_t power_high = (uint64_t)(power >> 64);
    const int power_bits =
        power_high != 0 ? 128 - __builtin_clzll(power_high) : 64 - __builtin_clzll((uint64_t)power);
    /* fraction 2^exponent, the fraction from 2^52 to 2^53: a carry goes to the exponent */
    const int exponent = (int)cut + 1 - power_bits - (int)zeros;
    const uint64_t bits = ((uint64_t)(exponent + MANTISSA_BITS + EXPONENT_BIAS) << MANTISSA_BITS) +
                          (fraction - ((uint64_t)1 << MANTISSA_BITS));
    memcpy(value, &bits, sizeof bits);
    return true;
}

static bool read_slowly(const char *text, size_t bytes, double *value)
{
    char copy[SLOW_BYTES], *stop;
    if (bytes == 0 || bytes >= sizeof copy) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        if (!((text[i] >= '0' && text[i] <= '9') || memchr("+-.eE", text[i], 5) != NULL)) {
            return false;
        }
    }
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    *value = strtod(copy, &stop);
    return stop == copy + bytes && isfinite(*value);
}

bool mr_double_read(const char *text, size_t bytes, double *value)
{
    struct decimal decimal;
    double size = 0;
    bool is_found = false;
    if (take_decimal(text, bytes, &decimal)) {
        const int power = decimal.power;
        if (decimal.digits == 0) {
            is_found = true;
        } else if (decimal.digits >> FRACTION_BITS == 0 && power >= -EXACT_POWER &&
                   power <= EXACT_POWER) { /* both are exact, so that one rounding is left */
            const double factor = (double)power_of_ten((unsigned)abs(power));
            size = power < 0 ? (double)decimal.digits / factor : (double)decimal.digits * factor;
            is_found = true;
        } else if (power < 0 && power >= -MOST_POWER) {
            is_found = divide(decimal.digits, (unsigned)-power, &size);
        }
    }
    if (!is_found) {
        return read_slowly(text, bytes, value);
    }
    *value = decimal.is_negative ? -size : size;
    return true;
}
