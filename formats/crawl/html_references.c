/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the character references of a value for html_tokens.c. The rules are those of the HTML
 * standard for attributes (section 13.2.5.72). */
#include "formats/crawl/html_tokens.h"

#include <stdint.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "formats/stream/text_form.h"

/* Write a character as percent-encoded UTF-8, or as it is below 128; up to 12 bytes. */
static size_t put_encoded(const char *utf8, size_t bytes, char *out)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t n = 0;

    for (size_t i = 0; i < bytes; i++) {
        const unsigned char byte = (unsigned char)utf8[i];
        if (byte != 0 && byte < 128) {
            out[n++] = (char)byte;
        } else {
            out[n++] = '%';
            out[n++] = hex[byte >> 4];
            out[n++] = hex[byte & 15];
        }
    }
    return n;
}

/* The character of a number in a reference: the standard maps 128 to 159 as windows-1252 does, and
 * what is no character to U+FFFD. */
static uint32_t character_of(uint32_t code)
{
    static const uint16_t windows[32] = {
        0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
        0x2039, 0x152,  0x8D,   0x17D,  0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
    if (code >= 128 && code < 160) {
        return windows[code - 128];
    }
    return code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ? 0xFFFD : code;
}

/* Decode the reference that begins at `text`, an "&". Returns its bytes, 0 where it is none; `out`
 * gets `*n` bytes. A reference in a value of an attribute needs its ";", except some names and all
 * numbers. */
static size_t decode_reference(const char *text, size_t bytes, char out[24], size_t *n)
{
    char utf8[MR_HTML_ENTITY_BYTES];
    size_t at = 1;

    if (at < bytes && text[at] == '#') {
        const bool is_hex = at + 1 < bytes && (text[at + 1] | 0x20) == 'x';
        uint32_t code = 0;
        at += is_hex ? 2 : 1;
        const size_t first = at;
        for (; at < bytes; at++) {
            const char c = text[at];
            const char small = (char)(c | 0x20);
            if (!mr_is_digit(c) && !(is_hex && small >= 'a' && small <= 'f')) {
                break;
            }
            const uint32_t digit = (uint32_t)(mr_is_digit(c) ? c - '0' : small - 'a' + 10);
            code = code > 0x10FFFF ? code : code * (is_hex ? 16 : 10) + digit;
        }
        if (at == first) {
            return 0;
        }
        *n = put_encoded(utf8, mr_utf8_put(character_of(code), utf8), out);
        return at < bytes && text[at] == ';' ? at + 1 : at;
    }
    while (at < bytes && (mr_is_letter(text[at]) || mr_is_digit(text[at]))) {
        at++;
    }
    const bool has_semicolon = at < bytes && text[at] == ';';
    const bool is_parameter = at < bytes && text[at] == '=';
    const size_t length = is_parameter ? 0 : mr_html_entity(text + 1, at - 1, has_semicolon, utf8);
    *n = put_encoded(utf8, length, out);
    return length == 0 ? 0 : at + has_semicolon;
}

size_t mr_html_decode(const char *text, size_t bytes, char *out, size_t room)
{
    char decoded[24];
    size_t used = 0, n = 0;

    for (size_t at = 0; at < bytes;) {
        size_t taken = text[at] == '&' ? decode_reference(text + at, bytes - at, decoded, &n) : 0;
        if (taken == 0) {
            decoded[0] = text[at];
            taken = n = 1;
        }
        if (n > room - used) {
            return SIZE_MAX;
        }
        memcpy(out + used, decoded, n);
        used += n;
        at += taken;
    }
    return used;
}
