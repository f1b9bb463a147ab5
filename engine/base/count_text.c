/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, sizes and times as people read and type them. */
#include "engine/base/count_text.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/bytes.h"

const char *mr_count_text(uint64_t count, char text[32])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t used = 0;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            text[used++] = ',';
        }
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

const char *mr_count_of_text(uint64_t count, const char *noun, char text[64])
{
    const char last = noun[strlen(noun) - 1];
    char digits[32];

    (void)snprintf(text, 64, "%s %s%s", mr_count_text(count, digits), noun,
                   count == 1 ? "" : (last == 's' ? "es" : "s"));
    return text;
}

static const char *size_text(uint64_t bytes, bool is_decimal, char text[32])
{
    const char *const prefixes = is_decimal ? " kMGTPE" : " KMGTPE";
    const double base = is_decimal ? 1000.0 : 1024.0;
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= base - 0.05 && prefixes[unit + 1] != '\0') {
        value /= base;
        unit++;
    }
    if (unit == 0) {
        (void)snprintf(text, 32, "%.0f bytes", value);
    } else {
        (void)snprintf(text, 32, "%.1f %c%sB", value, prefixes[unit], is_decimal ? "" : "i");
    }
    return text;
}

static bool is_decimal(uint64_t limit_bytes)
{
    return limit_bytes % 1000000 == 0 || (limit_bytes % 1000 == 0 && limit_bytes % 1024 != 0);
}

const char *mr_size_text(uint64_t bytes, char text[32])
{
    return size_text(bytes, true, text);
}

const char *mr_size_text_of(uint64_t bytes, uint64_t limit_bytes, char text[32])
{
    return size_text(bytes, is_decimal(limit_bytes), text);
}

const char *mr_size_option(uint64_t bytes, uint64_t limit_bytes, char text[32])
{
    const bool decimal = is_decimal(limit_bytes);
    const uint64_t unit = decimal ? 1000000 : 1 << 20;

    (void)snprintf(text, 32, "%llu%s", (unsigned long long)mr_div_up(bytes, unit),
                   decimal ? "M" : "Mi");
    return text;
}

const char *mr_bound_text(double bound, char text[32])
{
    if (!isfinite(bound)) {
        (void)snprintf(text, 32, "infinite");
        return text;
    }
    /* printf rounds to the nearest number. If the text is below the bound, try a little larger
     * number. */
    for (double shown = bound;; shown = nextafter(shown, INFINITY) * (1.0 + 0x1p-10)) {
        (void)snprintf(text, 32, "%.1e", shown);
        if (strtod(text, NULL) >= bound) {
            break;
        }
    }
    if (!(bound > 0.0)) {
        (void)snprintf(text, 32, "0");
    }
    return text;
}

const char *mr_time_text(uint64_t seconds, char text[32])
{
    const time_t time = (time_t)seconds;
    struct tm parts;
    return gmtime_r(&time, &parts) != NULL && strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0
               ? text
               : "?";
}
