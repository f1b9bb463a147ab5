/* SPDX-License-Identifier: Apache-2.0 */
/* Sort keys of names. engine/names sorts names by these keys, so that the pages of a host
 * are neighbours. This file defines the layout of a key and shows that two names never share one.
 *
 * Layout. A name that matches
 *
 *     scheme "://" [userinfo "@"] host [":" port] rest
 *
 *     scheme    a letter, then letters, digits, "+", "-", "."
 *     userinfo  up to the last "@" before the first of "/", "?", "#"; may be empty
 *     host      letters, digits, "-", "_", ".", "~", "%" and bytes above 127; may be empty;
 *               or "[" digits, letters a-f, ":", "." "]"
 *     port      digits, may be empty
 *     rest      empty, or from the first of "/", "?", "#" to the end: any bytes
 *
 * has the key
 *
 *     hosts ")" [":" port] ["/"] rest 00 [scheme userinfo u24 u24] flags
 *
 * where "hosts" is the host with its labels in reverse order, joined by ",". A host in brackets, or
 * of four runs of one to three digits, stays as it is. The "/" stands where rest does not begin
 * with one. So "http://a" and "http://a/" are neighbours, and a port is compared with nothing but
 * "/". Flags: bit 0, a "/" was added; bit 1, https; bit 2, the part in brackets is present, because
 * there is a userinfo (bit 3) or the scheme is neither "http" nor "https". The two numbers are the
 * lengths of scheme and userinfo. The key of any other name is "!" and the name.
 *
 * Two names never share a key, because the name can be computed from the key. No key of the first
 * kind begins with "!": its first byte belongs to a host, or is "," or ")". Its last byte holds the
 * flags. The flags say whether two lengths stand before them. The lengths give scheme and userinfo,
 * which begin after the 00 that ends rest. Before that 00 the first ")" ends the host, since no
 * host holds one. A ":" after it begins the port, which ends at the next byte that is not a digit:
 * the "/" or the first byte of rest. Bit 0 says whether that "/" belongs to rest. A host with "."
 * in it or "[" in front was not reversed, because reversed labels hold no dots. Reversing the
 * labels again gives the host.
 *
 * mr_bare_key reads a name that does not match as if "http://" stood before it. Flag bit 4 marks
 * such a key, so that its name can be computed, too. */
#include "formats/url/surt.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "engine/base/bytes.h"

enum { ADDED_SLASH = 1, HTTPS = 2, SPELLED_OUT = 4, USERINFO = 8, BARE = 16 };

struct url {
    const char *scheme, *userinfo, *host, *port, *rest;
    size_t scheme_bytes, userinfo_bytes, host_bytes, port_bytes, rest_bytes;
    bool has_userinfo, has_port;
};

static bool is_scheme_byte(char c)
{
    return mr_is_letter(c) || mr_is_digit(c) || c == '+' || c == '-' || c == '.';
}

static bool is_host_byte(char c)
{
    return mr_is_letter(c) || mr_is_digit(c) || c == '-' || c == '_' || c == '.' || c == '~' ||
           c == '%' || (unsigned char)c >= 0x80;
}

static bool is_literal_byte(char c)
{
    return mr_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' ||
           c == '.';
}

static bool ends_authority(char c)
{
    return c == '/' || c == '?' || c == '#';
}

/* Split host and port, [p, end). */
static bool split_host(const char *p, const char *end, struct url *url)
{
    url->host = p;
    if (p < end && *p == '[') {
        for (p++; p < end && is_literal_byte(*p); p++) {
        }
        if (p == end || *p != ']') {
            return false;
        }
        p++;
    } else {
        while (p < end && is_host_byte(*p)) {
            p++;
        }
    }
    url->host_bytes = (size_t)(p - url->host);
    url->has_port = p < end && *p == ':';
    p += url->has_port;
    url->port = p;
    while (p < end && mr_is_digit(*p)) {
        p++;
    }
    url->port_bytes = (size_t)(p - url->port);
    return p == end && (url->has_port || url->port_bytes == 0);
}

/* Split what follows "://", [p, end). */
static bool split_authority(const char *p, const char *end, struct url *url)
{
    const char *stop = p;
    const char *at_sign = NULL;
    for (; stop < end && !ends_authority(*stop); stop++) {
        at_sign = *stop == '@' ? stop : at_sign;
    }
    url->rest = stop;
    url->rest_bytes = (size_t)(end - stop);
    if (at_sign != NULL) {
        url->has_userinfo = true;
        url->userinfo = p;
        url->userinfo_bytes = (size_t)(at_sign - p);
        p = at_sign + 1;
    }
    return split_host(p, stop, url);
}

/* Split `name` into its parts. False when it does not match the form above. */
static bool split(const char *name, size_t name_bytes, struct url *url)
{
    const char *const end = name + name_bytes;
    const char *p = name;

    *url = (struct url){.scheme = name};
    if (p == end || !mr_is_letter(*p)) {
        return false;
    }
    while (p < end && is_scheme_byte(*p)) {
        p++;
    }
    url->scheme_bytes = (size_t)(p - name);
    return end - p >= 3 && memcmp(p, "://", 3) == 0 && split_authority(p + 3, end, url);
}

/* Is the host four runs of one to three digits? */
static bool is_ipv4(const char *host, size_t host_bytes)
{
    unsigned run = 0, dots = 0;
    for (size_t i = 0; i < host_bytes; i++) {
        if (mr_is_digit(host[i]) && run < 3) {
            run++;
        } else if (host[i] == '.' && run > 0) {
            run = 0;
            dots++;
        } else {
            return false;
        }
    }
    return dots == 3 && run > 0;
}

static char *put(char *to, const char *bytes, size_t n_bytes)
{
    memcpy(to, bytes, n_bytes);
    return to + n_bytes;
}

static char *put_host(char *to, const char *host, size_t host_bytes)
{
    if (host_bytes == 0) {
        return to;
    }
    if (host[0] == '[' || is_ipv4(host, host_bytes)) {
        return put(to, host, host_bytes);
    }
    size_t stop = host_bytes;
    for (size_t i = host_bytes; i > 0; i--) {
        if (host[i - 1] == '.') {
            to = put(to, host + i, stop - i);
            *to++ = ',';
            stop = i - 1;
        }
    }
    return put(to, host, stop);
}

static char *put_length(char *to, size_t length)
{
    *to++ = (char)(length >> 16 & 0xff);
    *to++ = (char)(length >> 8 & 0xff);
    *to++ = (char)(length & 0xff);
    return to;
}

static size_t put_url(const struct url *url, unsigned flags, char *key)
{
    char *to = put_host(key, url->host, url->host_bytes);

    *to++ = ')';
    if (url->has_port) {
        *to++ = ':';
        to = put(to, url->port, url->port_bytes);
    }
    if (url->rest_bytes == 0 || url->rest[0] != '/') {
        *to++ = '/';
        flags |= ADDED_SLASH;
    }
    to = put(to, url->rest, url->rest_bytes);
    *to++ = '\0';
    bool http = url->scheme_bytes == 4 && memcmp(url->scheme, "http", 4) == 0;
    bool https = url->scheme_bytes == 5 && memcmp(url->scheme, "https", 5) == 0;
    flags |= https ? HTTPS : 0;
    if (url->has_userinfo || (!http && !https)) {
        flags |= SPELLED_OUT | (url->has_userinfo ? USERINFO : 0);
        to = put(to, url->scheme, url->scheme_bytes);
        to = url->has_userinfo ? put(to, url->userinfo, url->userinfo_bytes) : to;
        to = put_length(to, url->scheme_bytes);
        to = put_length(to, url->userinfo_bytes);
    }
    *to++ = (char)flags;
    return (size_t)(to - key);
}

static size_t put_other(const char *name, size_t name_bytes, char *key)
{
    *key = '!';
    return (size_t)(put(key + 1, name, name_bytes) - key);
}

size_t mr_surt_key(const char *name, size_t name_bytes, char *key)
{
    struct url url;

    assert(name_bytes <= MR_NAME_MAX_BYTES);
    return split(name, name_bytes, &url) ? put_url(&url, 0, key) : put_other(name, name_bytes, key);
}

size_t mr_bare_key(const char *name, size_t name_bytes, char *key)
{
    struct url url;

    assert(name_bytes <= MR_NAME_MAX_BYTES);
    if (split(name, name_bytes, &url)) {
        return put_url(&url, 0, key);
    }
    url = (struct url){.scheme = "http", .scheme_bytes = 4};
    return split_authority(name, name + name_bytes, &url) ? put_url(&url, BARE, key)
                                                          : put_other(name, name_bytes, key);
}

size_t mr_host_key(const char *name, size_t name_bytes, char *key)
{
    assert(name_bytes <= MR_NAME_MAX_BYTES);
    memcpy(key, name, name_bytes);
    return name_bytes;
}

mr_name_key mr_name_key_of(uint32_t number)
{
    switch (number & 0xff) {
    case MR_NAME_KEY_SURT:
        return mr_surt_key;
    case MR_NAME_KEY_BARE:
        return mr_bare_key;
    case MR_NAME_KEY_HOST:
        return mr_host_key;
    default:
        return NULL;
    }
}
