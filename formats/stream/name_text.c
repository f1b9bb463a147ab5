/* SPDX-License-Identifier: Apache-2.0 */
/* The one escaping of names. Everything that prints a name calls this file, so that no name can
 * break a line, move the cursor of a terminal or turn the text around it, and so that each file of
 * Millrace is read back by every command. The codes are \xNN, because %NN is common in URLs: there,
 * the code of a byte could not be told from a name that has these three characters. */
#include "formats/stream/name_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

/* Length of the UTF-8 sequence at `at`, which must end at or before `end`. 0 if there is none. See
 * RFC 3629. */
static size_t utf8_bytes(const unsigned char *at, const unsigned char *end)
{
    const unsigned char first = *at;
    const size_t bytes = first < 0x80                    ? 1
                         : first >= 0xc2 && first < 0xe0 ? 2
                         : first >= 0xe0 && first < 0xf0 ? 3
                         : first >= 0xf0 && first < 0xf5 ? 4
                                                         : 0;
    if (bytes == 0 || (size_t)(end - at) < bytes) {
        return 0;
    }
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool is_bad = (first == 0xe0 && at[1] < 0xa0) || (first == 0xed && at[1] >= 0xa0) ||
                        (first == 0xf0 && at[1] < 0x90) || (first == 0xf4 && at[1] >= 0x90);
    return is_bad ? 0 : bytes;
}

/* Bytes of the character at `at` if it is one of those above 127 that have codes, else 0. */
static size_t odd_character(const unsigned char *at, const unsigned char *end)
{
    const size_t left = (size_t)(end - at);

    if (left >= 2 &&
        ((at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) || (at[0] == 0xd8 && at[1] == 0x9c))) {
        return 2;
    }
    const bool is_odd = left >= 3 && at[0] == 0xe2 &&
                        ((at[1] == 0x80 && (at[2] == 0x8e || at[2] == 0x8f)) ||
                         (at[1] == 0x80 && at[2] >= 0xa8 && at[2] <= 0xae) ||
                         (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
    return is_odd ? 3 : 0;
}

/* The byte of the code \xNN at `at`, or -1 where there is none. */
static int code_at(const char *at, const char *end)
{
    if (end - at < 4 || at[0] != '\\' || at[1] != 'x' || at[2] == '\0' || at[3] == '\0') {
        return -1;
    }
    const char *high = strchr(digits, at[2]), *low = strchr(digits, at[3]);
    if (high == NULL || low == NULL) {
        return -1;
    }
    return (int)((high - digits) << 4 | (low - digits));
}

bool mr_name_is_reserved(const char *name, size_t bytes)
{
    static const char words[] = " \\N nan NaN None NULL null NA N/A n/a #N/A <NA> - source ";
    char word[10] = " ";

    if (bytes == 0 || bytes > sizeof word - 3 || memchr(name, ' ', bytes) != NULL) {
        return false;
    }
    memcpy(word + 1, name, bytes);
    word[bytes + 1] = ' ';
    return strlen(word) == bytes + 2 && strstr(words, word) != NULL;
}

/* Bytes at the begin of a name that would make its line another one: a comment, a field in quotes,
 * a blank line, or the mark of UTF-8 that begins a file; in tables also a word without a value. */
static size_t odd_begin(const char *at, const char *end, bool is_table)
{
    if (is_table && (*at == '"' || *at == ' ' || mr_name_is_reserved(at, (size_t)(end - at)) ||
                     (*at == '%' && (end - at == 1 || at[1] == ' ')))) {
        return 1;
    }
    if (end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
        return 3;
    }
    if (*at == '#') {
        return end - at == 1 || at[1] == ' ';
    }
    if (*at == '"') {
        return end - at > 1 && end[-1] == '"';
    }
    const char *blank = at;
    while (blank < end && *blank == ' ') {
        blank++;
    }
    return blank == end;
}

const char *mr_name_find_odd(const char *at, const char *end, enum mr_name_form form, size_t *bytes)
{
    const bool is_table = form == MR_NAME_TABLE;

    *bytes = at < end && (is_table || form == MR_NAME_LINE) ? odd_begin(at, end, is_table) : 0;
    return *bytes > 0 ? at : mr_name_find_odd_inside(at, end, form, bytes);
}

/* Does no form have a code for the eight bytes at `at`? So it is in nearly all names. Finds bytes
 * up to the blank, commas, backslashes, and bytes from 0x7f on. */
static bool are_plain(const char *at)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word;
    memcpy(&word, at, sizeof word);
    const uint64_t odd = word | (word + ones) | (word - (' ' + 1) * ones) |
                         ((word ^ ',' * ones) - ones) | ((word ^ '\\' * ones) - ones);
    return (odd & ones << 7) == 0;
}

const char *mr_name_find_odd_inside(const char *at, const char *end, enum mr_name_form form,
                                    size_t *bytes)
{
    while (end - at >= 8 && are_plain(at)) {
        at += 8;
    }
    for (; at < end; at++) {
        const unsigned char c = (unsigned char)*at;
        *bytes = 1;
        if (c < 0x20 || c == 0x7f || (c == ' ' && form >= MR_NAME_URI) ||
            (c == ',' && form == MR_NAME_URI_ITEM) ||
            (c == ' ' && form == MR_NAME_TABLE && at + 1 == end) ||
            (c == '\\' && form < MR_NAME_MESSAGE && code_at(at, end) >= 0)) {
            return at;
        }
        if (c < 0x80) {
            continue;
        }
        const unsigned char *here = (const unsigned char *)at, *stop = (const unsigned char *)end;
        const size_t odd = odd_character(here, stop);
        const size_t valid =
            form == MR_NAME_UTF8 || form == MR_NAME_MESSAGE ? utf8_bytes(here, stop) : 1;
        if (odd > 0 || valid == 0) {
            *bytes = odd > 0 ? odd : 1;
            return at;
        }
        at += valid - 1;
    }
    return end;
}

size_t mr_name_codes(const char *odd, size_t bytes, enum mr_name_form form, char *out)
{
    static const char capitals[] = "0123456789ABCDEF";
    const char *const hex = form >= MR_NAME_URI ? capitals : digits;
    char *to = out;

    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = (unsigned char)odd[i];
        if (form >= MR_NAME_URI) {
            *to++ = '%';
        } else {
            *to++ = '\\';
            *to++ = 'x';
        }
        *to++ = hex[c >> 4];
        *to++ = hex[c & 15];
    }
    return (size_t)(to - out);
}

size_t mr_name_escape(const char *name, size_t name_bytes, enum mr_name_form form, char *out)
{
    const char *const end = name + name_bytes;
    char *to = out;

    while (name < end) {
        size_t bytes = 0;
        const char *odd = mr_name_find_odd(name, end, form, &bytes);
        memcpy(to, name, (size_t)(odd - name));
        to += odd - name;
        bytes = odd < end ? bytes : 0;
        to += mr_name_codes(odd, bytes, form, to);
        name = odd + bytes;
    }
    return (size_t)(to - out);
}

size_t mr_name_unescape(const char *text, size_t bytes, char *out)
{
    const char *const end = text + bytes;
    char *to = out;

    while (text < end) {
        const int code = code_at(text, end);
        *to++ = code >= 0 ? (char)code : *text;
        text += code >= 0 ? 4 : 1;
    }
    return (size_t)(to - out);
}
