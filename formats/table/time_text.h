/* SPDX-License-Identifier: Apache-2.0 */
/* Times in the notations of crawlers. */
#ifndef MR_FORMATS_TABLE_TIME_TEXT_H
#define MR_FORMATS_TABLE_TIME_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* `text` as whole seconds since 1970 in UTC, below 2^32. These forms are read:
 *
 *     1156118400  1156118400.25        seconds
 *     1156118400250                    milliseconds, 13 digits
 *     20060821000000                   as in crawl logs: 14 digits, or 17 with milliseconds
 *     2006-08-21                       ISO 8601
 *     2006-08-21T12:30:00.250Z
 *     2006-08-21T12:30:00+02:00
 *
 * Fractions of a second are dropped. Returns false for any other text. */
#define MR_TIME_EXPECTED                                                                           \
    "the second field is no time: seconds or milliseconds since 1970, YYYYMMDDhhmmss or "          \
    "YYYY-MM-DD[Thh:mm:ss[Z|+hh:mm]]"
bool mr_time_parse(const char *text, size_t bytes, double *seconds);

#endif
