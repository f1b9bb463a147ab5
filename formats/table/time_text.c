/* SPDX-License-Identifier: Apache-2.0 */
/* Parses times as crawl logs, indexes and databases write them, for the lists of fetches that
 * rankings take. It uses no C library calls, whose results depend on the time zone of the
 * machine. */
#include "formats/table/time_text.h"

/* Reads `count` digits as a number; false when a byte is not a digit. */
static bool digits(const char *text, size_t count, unsigned *value)
{
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        *value = 10 * *value + (unsigned)(text[i] - '0');
    }
    return true;
}

struct moment {
    unsigned year, month, day, hour, minute, second;
};

/* Counts days from 1970-01-01 with the leap days before a year that begins in March (Fliegel and
 * Van Flandern's idea, 1968). */
static bool seconds_of(const struct moment *m, double *seconds)
{
    static const unsigned days_of[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (m->year < 1970 || m->month < 1 || m->month > 12 || m->day < 1 ||
        m->day > days_of[m->month - 1] || m->hour > 23 || m->minute > 59 || m->second > 60) {
        return false;
    }
    const bool leap = (m->year % 4 == 0 && m->year % 100 != 0) || m->year % 400 == 0;
    if (m->month == 2 && m->day == 29 && !leap) {
        return false;
    }
    const unsigned year = m->month > 2 ? m->year : m->year - 1;
    const unsigned month = m->month > 2 ? m->month - 3 : m->month + 9; /* 0 is March */
    const unsigned day =
        year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + m->day - 1;
    const unsigned day_of_1970 = 719468; /* 1970-01-01 by the same count */
    *seconds = ((double)(day - day_of_1970) * 24 + m->hour) * 3600 + m->minute * 60 + m->second;
    return *seconds < 0x1p32;
}

/* Reads "hh:mm[:ss[.fraction]]" at `*t` and moves `*t` to its end. Fractions of a second are
 * dropped. */
static bool take_clock(const char **t, const char *end, struct moment *m)
{
    const char *p = *t;

    if (end - p < 5 || p[2] != ':' || !digits(p, 2, &m->hour) || !digits(p + 3, 2, &m->minute)) {
        return false;
    }
    p += 5;
    if (end - p >= 3 && *p == ':') {
        if (!digits(p + 1, 2, &m->second)) {
            return false;
        }
        p += 3;
        if (end - p >= 2 && (*p == '.' || *p == ',') && p[1] >= '0' && p[1] <= '9') {
            for (p++; p < end && *p >= '0' && *p <= '9';) {
                p++;
            }
        }
    }
    *t = p;
    return true;
}

/* Reads "Z", "+hh:mm", "-hhmm", "+hh" or nothing up to `end`. `*offset` is the number of seconds to
 * subtract for UTC. */
static bool take_offset(const char *t, const char *end, double *offset)
{
    unsigned hours = 0, minutes = 0;
    const double sign = t < end && *t == '-' ? -1 : 1;
    const size_t bytes = (size_t)(end - t);

    *offset = 0;
    if (bytes == 0 || (bytes == 1 && *t == 'Z')) {
        return true;
    }
    if ((*t != '+' && *t != '-') || (bytes != 3 && bytes != 5 && !(bytes == 6 && t[3] == ':')) ||
        !digits(t + 1, 2, &hours) || (bytes > 3 && !digits(end - 2, 2, &minutes)) || hours > 23 ||
        minutes > 59) {
        return false;
    }
    *offset = sign * (hours * 3600.0 + minutes * 60.0);
    return true;
}

static bool parse_iso(const char *t, size_t bytes, double *seconds)
{
    const char *const end = t + bytes;
    struct moment m = {0};
    double offset = 0;

    if (bytes < 10 || t[4] != '-' || t[7] != '-' || !digits(t, 4, &m.year) ||
        !digits(t + 5, 2, &m.month) || !digits(t + 8, 2, &m.day)) {
        return false;
    }
    t += 10;
    if (t < end && (*t++ != 'T' || !take_clock(&t, end, &m) || !take_offset(t, end, &offset))) {
        return false;
    }
    if (!seconds_of(&m, seconds)) {
        return false;
    }
    *seconds -= offset;
    return *seconds >= 0 && *seconds < 0x1p32;
}

/* YYYYMMDDhhmmss, or 17 digits of which the last three are milliseconds. */
static bool parse_stamp(const char *t, size_t bytes, double *seconds)
{
    struct moment m = {0};
    unsigned milliseconds;

    return digits(t, 4, &m.year) && digits(t + 4, 2, &m.month) && digits(t + 6, 2, &m.day) &&
           digits(t + 8, 2, &m.hour) && digits(t + 10, 2, &m.minute) &&
           digits(t + 12, 2, &m.second) && digits(t + 14, bytes - 14, &milliseconds) &&
           seconds_of(&m, seconds);
}

static size_t count_digits(const char *text, size_t bytes)
{
    size_t n = 0;
    while (n < bytes && text[n] >= '0' && text[n] <= '9') {
        n++;
    }
    return n;
}

bool mr_time_parse(const char *text, size_t bytes, double *seconds)
{
    unsigned high, low;
    size_t n = count_digits(text, bytes);

    if (n == bytes && (n == 14 || n == 17)) {
        return parse_stamp(text, bytes, seconds);
    }
    if (n == bytes && n == 13) {
        bytes = 10; /* milliseconds */
    } else if (n > 0 && n + 1 < bytes && text[n] == '.' &&
               count_digits(text + n + 1, bytes - n - 1) == bytes - n - 1) {
        bytes = n; /* with a fraction */
    }
    if (bytes >= 1 && bytes <= 9 && digits(text, bytes, &low)) {
        *seconds = low;
        return true;
    }
    if (bytes == 10 && digits(text, 5, &high) && digits(text + 5, 5, &low)) {
        *seconds = high * 1e5 + low;
        return *seconds < 0x1p32;
    }
    return parse_iso(text, bytes, seconds);
}
