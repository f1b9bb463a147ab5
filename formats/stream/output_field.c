/* SPDX-License-Identifier: Apache-2.0 */
/* Names as fields of CSV and JSON. */
#include <string.h>

#include "formats/stream/output.h"

/* Write [at, end), which has nothing odd. Quotes are doubled in CSV; in JSON a backslash goes
 * before quotes and backslashes. */
static enum mr_status put_quoted(struct mr_output *output, bool json, const char *at,
                                 const char *end, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (const char *p = at; p < end && status == MR_OK; p++) {
        if (*p == '"' || (json && *p == '\\')) {
            status = mr_output_write(output, at, (size_t)(p - at), err);
            if (status == MR_OK) {
                status = mr_output_write(output, json ? "\\" : "\"", 1, err);
            }
            at = p;
        }
    }
    return status == MR_OK ? mr_output_write(output, at, (size_t)(end - at), err) : status;
}

/* Must a name stand in quotes in CSV, so that it is read as it is? Without them blanks around it
 * go, words such as NULL and nan are no names, and # begins a comment. */
static bool needs_quotes(const char *name, size_t bytes)
{
    return memchr(name, '"', bytes) != NULL || memchr(name, ',', bytes) != NULL || *name == ' ' ||
           *name == '#' || *name == '%' || name[bytes - 1] == ' ' ||
           mr_name_is_reserved(name, bytes) || (bytes >= 3 && memcmp(name, "\xef\xbb\xbf", 3) == 0);
}

enum mr_status mr_output_name_field(struct mr_output *output, enum mr_name_form form,
                                    const char *name, size_t name_bytes, uint64_t *escaped,
                                    struct mr_error *err)
{
    const bool json = form == MR_NAME_UTF8;
    const char *const end = name + name_bytes;
    bool any = false;

    if (!json && (name_bytes == 0 || !needs_quotes(name, name_bytes))) {
        return mr_output_name_escaped(output, name, name_bytes, form, escaped, err);
    }
    enum mr_status status = mr_output_write(output, "\"", 1, err);
    while (status == MR_OK && name < end) {
        char code[3 * MR_NAME_CODE_BYTES];
        size_t bytes = 0;
        const char *odd = mr_name_find_odd_inside(name, end, form, &bytes);
        status = put_quoted(output, json, name, odd, err);
        name = odd;
        if (status == MR_OK && odd < end) {
            status =
                put_quoted(output, json, code, code + mr_name_codes(odd, bytes, form, code), err);
            name += bytes;
            any = true;
        }
    }
    *escaped += any;
    return status == MR_OK ? mr_output_write(output, "\"", 1, err) : status;
}
