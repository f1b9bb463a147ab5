/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest decimals in Java's layout, for ranks_file.c. The C library rounds a number to any count
 * of digits and reads it back; a search finds the least count that gives the same number. More
 * digits never hurt, except at powers of two, where the gap below a number is half of the gap above
 * it: there all counts are tried. */
#include "formats/release/java_number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCIENTIFIC_BYTES = 40, FLOAT_DIGITS = 9, DOUBLE_DIGITS = 17, LEAST_DIGITS = 2 };

struct number {
    double value;
    bool is_float;
};

static bool reads_back(const struct number *number, int digits, char text[SCIENTIFIC_BYTES])
{
    (void)snprintf(text, SCIENTIFIC_BYTES, "%.*e", digits - 1, number->value);
    return number->is_float ? (double)strtof(text, NULL) == number->value
                            : strtod(text, NULL) == number->value;
}

/* Writes the number in the form d.ddde+x, with as few digits as possible. */
static void shorten(const struct number *number, char text[SCIENTIFIC_BYTES])
{
    int exponent, low = LEAST_DIGITS, high = number->is_float ? FLOAT_DIGITS : DOUBLE_DIGITS;
    const bool is_power = fabs(frexp(number->value, &exponent)) == 0.5;

    while (low < high) {
        const int middle = is_power ? low : low + (high - low) / 2;
        if (reads_back(number, middle, text)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    (void)reads_back(number, low, text);
}

static size_t write_number(const struct number *number, char text[MR_JAVA_NUMBER_BYTES])
{
    char shortest[SCIENTIFIC_BYTES], digits[SCIENTIFIC_BYTES];
    const char *sign = signbit(number->value) ? "-" : "";
    int n = 0;

    if (number->value == 0) {
        return (size_t)snprintf(text, MR_JAVA_NUMBER_BYTES, "%s0.0", sign);
    }
    shorten(number, shortest);
    char *at = shortest + (shortest[0] == '-');
    for (; *at != 'e'; at++) {
        if (*at != '.') {
            digits[n++] = *at;
        }
    }
    const int exponent = atoi(at + 1);
    while (n > 1 && digits[n - 1] == '0') {
        n--;
    }
    digits[n] = '\0';
    if (exponent < -3 || exponent >= 7) {
        return (size_t)snprintf(text, MR_JAVA_NUMBER_BYTES, "%s%c.%sE%d", sign, digits[0],
                                n > 1 ? digits + 1 : "0", exponent);
    }
    if (exponent < 0) {
        return (size_t)snprintf(text, MR_JAVA_NUMBER_BYTES, "%s0.%.*s%s", sign, -exponent - 1,
                                "000", digits);
    }
    while (n < exponent + 2) { /* at least one digit behind the point */
        digits[n++] = '0';
        digits[n] = '\0';
    }
    return (size_t)snprintf(text, MR_JAVA_NUMBER_BYTES, "%s%.*s.%s", sign, exponent + 1, digits,
                            digits + exponent + 1);
}

size_t mr_java_double(double value, char text[MR_JAVA_NUMBER_BYTES])
{
    const struct number number = {.value = value};
    return write_number(&number, text);
}

size_t mr_java_float(float value, char text[MR_JAVA_NUMBER_BYTES])
{
    const struct number number = {.value = (double)value, .is_float = true};
    return write_number(&number, text);
}
