/* SPDX-License-Identifier: Apache-2.0 */
/* Names as text: what a line, a terminal or JSON cannot take is written as codes, and read back.
 * Internal to formats/ and cli/. */
#ifndef MR_FORMATS_STREAM_NAME_TEXT_H
#define MR_FORMATS_STREAM_NAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* All have codes for control bytes, for the controls U+0080 to U+009F, and for the characters that
 * turn or break lines of text: U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069. */
enum mr_name_form {
    MR_NAME_LINE, /* codes \xNN; a backslash that begins such a code is \x5c. Also at the begin of a
                     name that is blank, looks like a comment (#), or is in quotes. */
    MR_NAME_TABLE, /* the same for links between tabs: also for blanks at both ends, and at the
                      begin of a name that is reserved, begins with quotes, or looks like a comment
                      (%) */
    MR_NAME_UTF8, /* MR_NAME_LINE without these, but for bytes that are not UTF-8: for JSON */
    MR_NAME_MESSAGE, /* the same without codes for backslashes: for messages, not reversible */
    MR_NAME_URI, /* codes %NN, also for blanks: for crawlers, not reversible */
    MR_NAME_URI_ITEM /* the same, also for commas: an item of a list */
};

/* The first bytes of [at, end) that have codes, or `end`. `*bytes`: how many, 1 to 3. */
const char *mr_name_find_odd(const char *at, const char *end, enum mr_name_form form,
                             size_t *bytes);

/* The same for a part of a name, or a name in quotes, which has no codes for its begin. */
const char *mr_name_find_odd_inside(const char *at, const char *end, enum mr_name_form form,
                                    size_t *bytes);

/* Write the codes of odd[bytes], which mr_name_find_odd found, or the whole name in that form, to
 * `out`, with room for MR_NAME_CODE_BYTES for each byte. Both return the bytes used. */
#define MR_NAME_CODE_BYTES 4
size_t mr_name_codes(const char *odd, size_t bytes, enum mr_name_form form, char *out);
size_t mr_name_escape(const char *name, size_t name_bytes, enum mr_name_form form, char *out);

/* Does a table read it as something else than a name: no value (NULL), or the first word of the
 * header `source`, `target`? */
bool mr_name_is_reserved(const char *name, size_t bytes);

/* The inverse for the first three forms: the name, which stands in `out[bytes]`; `out` may be
 * `text`. */
size_t mr_name_unescape(const char *text, size_t bytes, char *out);

#endif
