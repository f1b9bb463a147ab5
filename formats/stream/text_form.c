/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises UTF-16 and the line ends of old Macs, and converts UTF-16. Spreadsheets and tools that
 * list links export such files. formats/stream/input.c converts them below all readers, so that no
 * reader of text has to know. The converter is smaller than the calls of iconv would be, and needs
 * no modules of the C library. Source: RFC 2781. */
#include "formats/stream/text_form.h"

#include <stdint.h>
#include <string.h>

static uint32_t unit_at(bool is_big, const char *at)
{
    const unsigned char *p = (const unsigned char *)at;
    return is_big ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

static bool is_control(uint32_t unit)
{
    return unit < 0x20 && unit != '\t' && unit != '\n' && unit != '\r';
}

/* Binary data have units that no text has: NUL, control characters, the reversed mark. A file of
 * bytes may hold much UTF-16, such as a page in an archive, so the first character counts too. */
static bool is_utf16(bool is_big, const char *data, size_t bytes)
{
    const bool is_marked = unit_at(is_big, data) == 0xfeff;
    size_t n_ascii = 0, at = 0;

    if (!is_marked && unit_at(is_big, data) >= 0x80) {
        return false;
    }
    for (; at + 1 < bytes; at += 2) {
        const uint32_t unit = unit_at(is_big, data + at);
        if (is_control(unit) || unit >= 0xfffe) {
            return false;
        }
        n_ascii += unit < 0x80;
    }
    return is_marked ? n_ascii > 0 : 4 * n_ascii > 3 * (at / 2);
}

static bool has_cr_alone(const char *data, size_t bytes)
{
    if (memchr(data, '\r', bytes) == NULL || memchr(data, '\n', bytes) != NULL) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        if (is_control((unsigned char)data[i])) {
            return false;
        }
    }
    return true;
}

enum mr_text_form mr_text_form_of(const char *data, size_t bytes)
{
    if (bytes >= 4 && is_utf16(false, data, bytes)) {
        return MR_TEXT_UTF16_LITTLE;
    }
    if (bytes >= 4 && is_utf16(true, data, bytes)) {
        return MR_TEXT_UTF16_BIG;
    }
    return has_cr_alone(data, bytes) ? MR_TEXT_CR : MR_TEXT_AS_IS;
}

size_t mr_utf8_put(uint32_t code, char out[4])
{
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0}; /* by the number of bytes */
    const size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    for (size_t i = bytes - 1; i > 0; i--, code >>= 6) {
        out[i] = (char)(0x80 | (code & 0x3f));
    }
    out[0] = (char)(first[bytes] | code);
    return bytes;
}

size_t mr_text_convert(enum mr_text_form form, const char **from, const char *end, char *to,
                       size_t room)
{
    const bool is_big = form == MR_TEXT_UTF16_BIG;
    char utf8[4];
    size_t used = 0;

    for (; form == MR_TEXT_CR && *from < end && used < room; ++*from) {
        to[used++] = **from == '\r' ? '\n' : **from;
    }
    while (form != MR_TEXT_CR && end - *from >= 2) {
        uint32_t unit = unit_at(is_big, *from);
        size_t taken = 2;
        if (unit >= 0xd800 && unit < 0xe000) {
            if (end - *from < 4) {
                break;
            }
            const uint32_t low = unit_at(is_big, *from + 2);
            if (unit >= 0xdc00 || low < 0xdc00 || low >= 0xe000) {
                return SIZE_MAX;
            }
            unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            taken = 4;
        }
        const size_t bytes = mr_utf8_put(unit, utf8);
        if (used + bytes > room) {
            break;
        }
        memcpy(to + used, utf8, bytes);
        used += bytes;
        *from += taken;
    }
    return used;
}
