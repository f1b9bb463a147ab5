/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings of pages for page_links.c. Pages are split into tags as they are, because all encodings
 * of the web but UTF-16 agree with ASCII where tags are. Only URLs with bytes above 127 are
 * converted, by glibc's iconv; they are few. */
#include "formats/crawl/warc_internal.h"

#include <iconv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/names/names.h"
#include "formats/stream/text_form.h"

enum { LABEL_BYTES = 32, URL_BYTES = 4 * MR_NAME_MAX_BYTES };

struct mr_charset {
    char label[LABEL_BYTES]; /* of `converter`, or "" */
    iconv_t converter; /* (iconv_t)-1: none */
    enum { UTF8, CONVERTED, UNKNOWN } kind;
    char url[URL_BYTES];
};

#define NO_CONVERTER ((iconv_t)-1)

struct mr_charset *mr_charset_open(void)
{
    struct mr_charset *charset = calloc(1, sizeof *charset);
    if (charset != NULL) {
        charset->converter = NO_CONVERTER;
        charset->kind = UNKNOWN;
    }
    return charset;
}

void mr_charset_close(struct mr_charset *charset)
{
    if (charset != NULL) {
        if (charset->converter != NO_CONVERTER) {
            (void)iconv_close(charset->converter);
        }
        free(charset);
    }
}

/* Labels that mean another encoding on the web than elsewhere (the encoding standard), by the names
 * of glibc. */
static const char *encoding_of(const char *label)
{
    static const char *const names[][2] = {
        {"iso-8859-1", "CP1252"},  {"iso8859-1", "CP1252"},  {"iso_8859-1", "CP1252"},
        {"latin1", "CP1252"},      {"ascii", "CP1252"},      {"us-ascii", "CP1252"},
        {"x-cp1252", "CP1252"},    {"iso-8859-9", "CP1254"}, {"latin5", "CP1254"},
        {"gb2312", "GB18030"},     {"gbk", "GB18030"},       {"x-gbk", "GB18030"},
        {"shift_jis", "CP932"},    {"shift-jis", "CP932"},   {"sjis", "CP932"},
        {"x-sjis", "CP932"},       {"euc-kr", "UHC"},        {"ks_c_5601-1987", "UHC"},
        {"tis-620", "CP874"},      {"iso-8859-11", "CP874"}, {"big5", "BIG5-HKSCS"},
        {"x-x-big5", "BIG5-HKSCS"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(label, names[i][0]) == 0) {
            return names[i][1];
        }
    }
    return label;
}

static void open_converter(struct mr_charset *charset, const char *label)
{
    if (strcmp(label, charset->label) != 0) {
        if (charset->converter != NO_CONVERTER) {
            (void)iconv_close(charset->converter);
        }
        charset->converter = iconv_open("UTF-8", encoding_of(label));
        memcpy(charset->label, label, strlen(label) + 1);
    }
    charset->kind = charset->converter != NO_CONVERTER ? CONVERTED : UNKNOWN;
}

void mr_charset_choose(struct mr_charset *charset, const char *label, size_t bytes)
{
    char name[LABEL_BYTES];
    size_t n = 0;

    charset->kind = UNKNOWN;
    for (size_t i = 0; i < bytes; i++) {
        const char c = label[i];
        const bool is_good =
            mr_is_letter(c) || mr_is_digit(c) || c == '-' || c == '_' || c == ':' || c == '.';
        if (!is_good || n + 1 == sizeof name) { /* iconv_open gives "/" and "," a meaning */
            return;
        }
        name[n++] = mr_lower(c);
    }
    name[n] = '\0';
    if (strcmp(name, "utf-8") == 0 || strcmp(name, "utf8") == 0 ||
        strncmp(name, "utf-16", 6) == 0) { /* a UTF-16 page has become UTF-8 */
        charset->kind = UTF8;
    } else if (n > 0) {
        open_converter(charset, name);
    }
}

/* Is it UTF-8? Overlong forms count as such: the result is a name, nobody decodes it. */
static bool is_utf8(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes;) {
        const unsigned char c = (unsigned char)text[i++];
        unsigned more = c < 0x80   ? 0
                        : c < 0xC2 ? 9
                        : c < 0xE0 ? 1
                        : c < 0xF0 ? 2
                        : c < 0xF5 ? 3
                                   : 9;
        if (more > bytes - i) {
            return false;
        }
        for (; more > 0; more--) {
            if (((unsigned char)text[i++] & 0xC0) != 0x80) {
                return false;
            }
        }
    }
    return true;
}

/* The part before "?" in UTF-8. What cannot be converted becomes U+FFFD. Returns the bytes written,
 * 0 where the room does not suffice. */
static size_t convert(struct mr_charset *charset, const char *text, size_t bytes)
{
    char *in = (char *)(uintptr_t)text, *out = charset->url;
    size_t room = URL_BYTES;

    (void)iconv(charset->converter, NULL, NULL, NULL, NULL);
    while (bytes > 0) {
        if (iconv(charset->converter, &in, &bytes, &out, &room) == (size_t)-1) {
            if (room < 8) {
                return 0;
            }
            if (bytes > 0) {
                memcpy(out, "\xEF\xBF\xBD", 3);
                out += 3;
                room -= 3;
                in++;
                bytes--;
            }
        }
    }
    return (size_t)(out - charset->url);
}

/* The same for windows-1252 where iconv has no tables: as ISO 8859-1. */
static size_t convert_latin1(struct mr_charset *charset, const char *text, size_t bytes)
{
    size_t n = 0;

    for (size_t i = 0; i < bytes && n + 2 < URL_BYTES; i++) {
        n += mr_utf8_put((unsigned char)text[i], charset->url + n);
    }
    return n;
}

const char *mr_charset_url(struct mr_charset *charset, const char *url, size_t bytes,
                           size_t *out_bytes)
{
    static const char hex[] = "0123456789ABCDEF";
    const char *end = url + bytes;
    size_t above = 0, n;

    *out_bytes = bytes;
    for (size_t i = 0; i < bytes; i++) {
        above |= (unsigned char)url[i] & 0x80u;
    }
    if (above == 0 || charset->kind == UTF8 || (charset->kind == UNKNOWN && is_utf8(url, bytes))) {
        return url;
    }
    if (bytes > MR_NAME_MAX_BYTES) {
        return NULL;
    }
    if (charset->kind == UNKNOWN) {
        open_converter(charset, "cp1252");
    }
    const char *query = memchr(url, '?', bytes);
    query = query != NULL ? query : end;
    const size_t before = (size_t)(query - url);
    n = charset->kind == CONVERTED ? convert(charset, url, before)
                                   : convert_latin1(charset, url, before);
    if (n == 0 && before > 0) {
        return NULL;
    }
    for (const char *at = query; at < end; at++) {
        const unsigned char c = (unsigned char)*at;
        if (n + 3 > URL_BYTES) {
            return NULL;
        }
        if (c < 0x80) {
            charset->url[n++] = (char)c;
        } else {
            charset->url[n++] = '%';
            charset->url[n++] = hex[c >> 4];
            charset->url[n++] = hex[c & 15];
        }
    }
    *out_bytes = n;
    return charset->url;
}

/* ---- UTF-16 ---- */

size_t mr_utf16_convert(struct mr_utf16 *utf16, const char **data, size_t *bytes, char *out,
                        size_t room)
{
    size_t used = 0;

    while (*bytes > 0 && used + 4 <= room) {
        const unsigned char c = (unsigned char)*(*data)++;
        (*bytes)--;
        if (!utf16->has_byte) {
            utf16->has_byte = true;
            utf16->byte = c;
            continue;
        }
        utf16->has_byte = false;
        unsigned unit =
            utf16->is_big_endian ? (unsigned)utf16->byte << 8 | c : (unsigned)c << 8 | utf16->byte;
        if (unit >= 0xD800 && unit < 0xDC00) {
            utf16->high = unit;
            continue;
        }
        if (unit >= 0xDC00 && unit < 0xE000) {
            unit = utf16->high != 0 ? 0x10000 + ((utf16->high - 0xD800) << 10) + (unit - 0xDC00)
                                    : 0xFFFD;
        }
        utf16->high = 0;
        used += mr_utf8_put(unit, out + used);
    }
    return used;
}
