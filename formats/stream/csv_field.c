/* SPDX-License-Identifier: Apache-2.0 */
/* Splits one field off a line of a table (RFC 4180). The reader of CSV files and the check of text
 * files use it, so it stands below both. */
#include "formats/stream/csv_field.h"

#include <string.h>

bool mr_csv_field(const char **at, const char *end, char separator, const char **text,
                  size_t *bytes, bool *raw)
{
    const char *p = *at;

    *raw = false;
    while (p < end && *p == ' ') {
        p++;
    }
    const bool quoted = p < end && *p == '"';
    const char *start = p += quoted;
    while (p < end && (quoted ? *p != '"' || (p + 1 < end && p[1] == '"') : *p != separator)) {
        *raw |= quoted && *p == '"';
        p += quoted && *p == '"' ? 2 : 1;
    }
    const char *stop = p;
    if (quoted && p++ >= end) {
        return false;
    }
    while (!quoted && stop > start && stop[-1] == ' ') {
        stop--;
    }
    while (quoted && p < end && *p == ' ') {
        p++;
    }
    if (p < end && *p != separator) {
        return false;
    }
    *text = start;
    *bytes = (size_t)(stop - start);
    *at = p < end ? p + 1 : NULL;
    return true;
}
