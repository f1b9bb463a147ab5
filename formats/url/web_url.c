/* SPDX-License-Identifier: Apache-2.0 */
/* The basic URL parser of the WHATWG URL standard for the schemes http, https and ftp, which all
 * pages of a crawl have. links_resolve.c calls it for each link of a page, canonical.c for names
 * that a browser would spell in another way. The standard has a state machine over characters; this
 * file finds the ends of the parts instead and treats each part by itself, which gives the same
 * result for these schemes. libidn2 knows the letters of hosts. */
#include "formats/url/canonical_internal.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/bytes.h"

static const struct {
    const char *prefix;
    unsigned port;
} schemes[] = {{"http:", 80}, {"https:", 443}, {"ftp:", 21}};
enum { N_SCHEMES = sizeof schemes / sizeof schemes[0] };

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

static const char *find(const char *at, const char *end, char c)
{
    const char *found = at < end ? memchr(at, c, (size_t)(end - at)) : NULL;
    return found != NULL ? found : end;
}

/* The number of the scheme that `url` begins with, or N_SCHEMES. */
static unsigned find_scheme(const struct mr_text *url)
{
    unsigned i = 0;
    while (i < N_SCHEMES && !mr_text_starts(url, schemes[i].prefix)) {
        i++;
    }
    return i;
}

/* Append [at, end), with %XX for controls, bytes from 127 on and those in `also`. */
static void put_encoded(struct mr_text *out, const char *at, const char *end, const char *also)
{
    struct mr_text part = {.data = out->data + out->bytes, .room = out->room - out->bytes};

    mr_text_append(&part, at, (size_t)(end - at));
    mr_text_escape(&part, also);
    out->bytes += part.bytes;
    out->overflowed |= part.overflowed;
}

/* ---- Hosts ---- */

/* The value of a number in a host: decimal, octal after "0", hexadecimal after "0x". False where
 * [at, end) is none. A value beyond 2^32 is 2^32. */
static bool read_number(const char *at, const char *end, uint64_t *value)
{
    unsigned base = 10;

    *value = 0;
    if (end - at >= 2 && at[0] == '0') {
        base = at[1] == 'x' ? 16 : 8;
        at += base == 16 ? 2 : 1;
    } else if (at == end) {
        return false;
    }
    for (; at < end; at++) {
        const unsigned digit = mr_is_digit(*at)           ? (unsigned)(*at - '0')
                               : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a' + 10)
                                                          : 16;
        if (digit >= base) {
            return false;
        }
        *value = *value * base + digit;
        *value = *value > UINT32_MAX ? (uint64_t)UINT32_MAX + 1 : *value;
    }
    return true;
}

/* A host whose last label is a number must be an IPv4 address: turn it into four decimal numbers. A
 * host without such a label stays. False: it is neither. */
static bool fix_ipv4(struct mr_text *host)
{
    uint64_t address = 0, value;
    const char *begin = host->data, *end = begin + host->bytes;

    end -= end > begin && end[-1] == '.'; /* a dot at the end counts for no label */
    const char *last = end > begin ? memrchr(begin, '.', (size_t)(end - begin)) : NULL;
    last = last != NULL ? last + 1 : begin;
    const char *digit = last;
    while (digit < end && mr_is_digit(*digit)) {
        digit++;
    }
    if (last == end || (digit < end && !read_number(last, end, &value))) {
        return true;
    }
    unsigned n = 0;
    for (const char *at = begin; at <= end; n++) {
        const char *stop = find(at, end, '.');
        if (n == 4 || !read_number(at, stop, &value) ||
            value >> (stop < end ? 8 : 8 * (4 - n)) != 0) {
            return false;
        }
        address |= stop < end ? value << (24 - 8 * n) : value;
        at = stop + 1;
    }
    char text[16];
    const int bytes = snprintf(text, sizeof text, "%u.%u.%u.%u", (uint8_t)(address >> 24),
                               (uint8_t)(address >> 16), (uint8_t)(address >> 8), (uint8_t)address);
    mr_text_set(host, text, (size_t)bytes);
    return true;
}

/* Append the IPv6 address [at, end) in brackets: eight hexadecimal numbers, the first longest run
 * of zeros as "::". */
static bool put_ipv6(struct mr_text *out, const char *at, const char *end)
{
    char text[INET6_ADDRSTRLEN];
    uint8_t raw[16];
    unsigned best = 8, best_run = 1;
    const size_t bytes = (size_t)(end - at);

    if (bytes >= sizeof text || memchr(at, '\0', bytes) != NULL) {
        return false;
    }
    memcpy(text, at, bytes);
    text[bytes] = '\0';
    if (inet_pton(AF_INET6, text, raw) != 1) {
        return false;
    }
    for (unsigned i = 0, run = 0; i < 8; i++) {
        run = raw[2 * i] == 0 && raw[2 * i + 1] == 0 ? run + 1 : 0;
        if (run > best_run) {
            best_run = run;
            best = i + 1 - run;
        }
    }
    mr_text_byte(out, '[');
    for (unsigned i = 0; i < 8; i++) {
        if (i == best) {
            mr_text_append(out, "::", 2);
            i += best_run - 1;
            continue;
        }
        const bool has_colon = i > 0 && i != best + best_run;
        const int n = snprintf(text, sizeof text, "%s%x", has_colon ? ":" : "",
                               (unsigned)raw[2 * i] << 8 | raw[2 * i + 1]);
        mr_text_append(out, text, (size_t)n);
    }
    mr_text_byte(out, ']');
    return true;
}

static bool put_host(struct mr_text *out, const char *at, const char *end)
{
    struct mr_text host = {.data = out->data + out->bytes, .room = out->room - out->bytes};

    if (at < end && *at == '[') {
        return end[-1] == ']' && put_ipv6(out, at + 1, end - 1);
    }
    mr_text_append(&host, at, (size_t)(end - at));
    mr_text_unescape(&host, false);
    mr_text_idna(&host);
    out->is_out_of_memory = host.is_out_of_memory;
    mr_text_lowercase(&host);
    for (size_t i = 0; i < host.bytes; i++) {
        const unsigned char c = (unsigned char)host.data[i];
        if (c <= ' ' || c >= 127 || memchr("#%/:<>?@[\\]^|", c, 13) != NULL) {
            return false;
        }
    }
    if (host.overflowed || host.bytes == 0 || !fix_ipv4(&host)) {
        return false;
    }
    out->bytes += host.bytes;
    return true;
}

/* Append ":" and the port, [at, end), unless it is the usual one. False: it is no port. */
static bool put_port(struct mr_text *out, unsigned usual, const char *at, const char *end)
{
    char text[16];
    unsigned port = 0;

    for (const char *p = at; p < end; p++) {
        port =
            mr_is_digit(*p) && port <= UINT16_MAX ? 10 * port + (unsigned)(*p - '0') : UINT32_MAX;
    }
    if (at < end && port != usual) {
        mr_text_append(out, text, (size_t)snprintf(text, sizeof text, ":%u", port));
    }
    return port <= UINT16_MAX;
}

/* Append user, host and port, [at, end). */
static bool put_authority(struct mr_text *out, unsigned usual_port, const char *at, const char *end)
{
    const char *at_sign = end > at ? memrchr(at, '@', (size_t)(end - at)) : NULL;

    if (at_sign != NULL) {
        static const char encoded[] = "\"#<>?`{}/:;=@[\\]^|";
        const char *colon = find(at, at_sign, ':');
        put_encoded(out, at, colon, encoded);
        if (at_sign - colon > 1) {
            mr_text_byte(out, ':');
            put_encoded(out, colon + 1, at_sign, encoded);
        }
        if (at_sign > at && !(at_sign - at == 1 && colon == at)) {
            mr_text_byte(out, '@');
        }
        at = at_sign + 1;
    }
    const char *bracket = at < end && *at == '[' ? find(at, end, ']') : at;
    const char *colon = find(bracket, end, ':');
    return put_host(out, at, colon) &&
           put_port(out, usual_port, colon < end ? colon + 1 : end, end);
}

/* ---- Paths ---- */

/* 1 for the segments "." and "%2e", 2 for "..", "%2e." and so on, else 0. */
static unsigned count_dots(const char *at, const char *end)
{
    unsigned dots = 0;

    while (at < end && dots < 3) {
        if (*at == '.') {
            at++;
        } else if (end - at >= 3 && at[0] == '%' && at[1] == '2' && mr_lower(at[2]) == 'e') {
            at += 3;
        } else {
            return 0;
        }
        dots++;
    }
    return dots < 3 ? dots : 0;
}

/* Append the segments [at, end) to the path, which begins at out->path. */
static void put_path(struct mr_web_url *out, const char *at, const char *end,
                     enum mr_web_spelling spelling)
{
    struct mr_text *text = &out->text;

    for (bool more = true; more;) {
        const char *stop = at;
        while (stop < end && !is_slash(*stop)) {
            stop++;
        }
        more = stop < end;
        const unsigned dots = count_dots(at, stop);
        if (dots == 2 && text->bytes > out->path) {
            do {
                text->bytes--;
            } while (text->data[text->bytes] != '/');
        }
        if (dots == 0 || !more) {
            mr_text_byte(text, '/');
        }
        if (dots == 0 && spelling == MR_WEB_PAGE) {
            put_encoded(text, at, stop, "\"#<>?^`{}");
        } else if (dots == 0) {
            mr_text_append(text, at, (size_t)(stop - at));
        }
        at = stop + 1;
    }
}

/* Append path and query of `base`, as far as a link without a host takes them. [at, end) is the
 * path of the link. */
static void put_base_path(const struct mr_web_url *base, struct mr_web_url *out, const char *at,
                          const char *end, bool has_query)
{
    const char *path = base->text.data + base->path;
    size_t bytes = (has_query ? base->query : base->text.bytes) - base->path;

    if (at < end) {
        const char *last = memrchr(path, '/', base->query - base->path);
        bytes = last != NULL && !is_slash(*at) ? (size_t)(last - path) : 0;
    }
    mr_text_append(&out->text, path, bytes);
}

/* ---- The whole URL ---- */

bool mr_web_url_parse(struct mr_text *input, const struct mr_web_url *base,
                      enum mr_web_spelling spelling, struct mr_web_url *out)
{
    struct mr_text *text = &out->text;

    if (spelling != MR_WEB_HOST) {
        mr_text_clean(input);
    }
    const size_t prefix = mr_text_scheme(input);
    const char *at = input->data + prefix, *end = input->data + input->bytes;
    out->scheme = prefix > 0 ? find_scheme(input) : base != NULL ? base->scheme : N_SCHEMES;
    if (out->scheme == N_SCHEMES) {
        return false;
    }
    const char *fragment = find(at, end, '#'), *query = find(at, fragment, '?');
    const char *start = at;
    while (start < query && is_slash(*start)) {
        start++;
    }
    /* "http:y" and "http:/y" are relative to a page of that scheme, absolute elsewhere. */
    const bool has_host =
        start - at >= 2 || (prefix > 0 && (base == NULL || base->scheme != out->scheme));
    text->bytes = 0;
    text->overflowed = text->is_out_of_memory = false;
    mr_text_append(text, schemes[out->scheme].prefix, strlen(schemes[out->scheme].prefix));
    mr_text_append(text, "//", 2);
    out->authority = text->bytes;
    if (has_host) {
        at = start;
        while (start < query && !is_slash(*start)) {
            start++;
        }
        if (!put_authority(text, schemes[out->scheme].port, at, start)) {
            return false;
        }
        at = start;
    } else {
        mr_text_append(text, base->text.data + out->authority, base->path - out->authority);
    }
    out->path = text->bytes;
    if (spelling == MR_WEB_HOST) {
        if (at < query) {
            mr_text_byte(text, '/');
            at++;
        }
        mr_text_append(text, at, (size_t)(end - at));
        return !text->overflowed;
    }
    if (!has_host) {
        put_base_path(base, out, at, query, query < fragment);
    }
    if (at < query || (has_host && spelling == MR_WEB_PAGE)) {
        put_path(out, at + (at < query && is_slash(*at)), query, spelling);
    }
    out->query = !has_host && at == query && query == fragment
                     ? out->path + (base->query - base->path)
                     : text->bytes;
    if (spelling == MR_WEB_PAGE) {
        put_encoded(text, query, fragment, "\"#<>'");
    } else {
        mr_text_append(text, query, (size_t)(end - query));
    }
    return !text->overflowed;
}

/* Is there another byte than small letters, digits, "-" and ".", or is the last label a number? */
static bool is_odd_host(const char *host, const char *end)
{
    const char *label = end;
    unsigned odd = 0;

    for (const char *at = host; at < end; at++) {
        odd |= (unsigned)((unsigned char)(*at - 'a') >= 26) & ((unsigned char)(*at - '-') >= 13);
    }
    do {
        label--;
    } while (label > host && label[-1] != '.');
    return odd != 0 || mr_is_digit(*label);
}

bool mr_web_url_may_change(const char *name, size_t bytes, enum mr_web_spelling spelling)
{
    const char *const end = name + bytes;
    const char *host = name;

    if (bytes < 8 || (mr_lower(name[0]) != 'h' && mr_lower(name[0]) != 'f')) {
        return false;
    }
    if (memcmp(name, "http", 4) == 0) {
        host += 4 + (name[4] == 's');
    } else if (memcmp(name, "ftp", 3) == 0) {
        host += 3;
    }
    if (host == name || memcmp(host, "://", 3) != 0) {
        return find(name, name + 8, ':') < name + 8; /* "HTTP:", "http:/" */
    }
    host += 3;
    const char *const path = find(host, end, '/');
    if (end - path >= 2 && path[1] == '/' && (path - host == 5 || path - host == 6) &&
        memcmp(host, "https:", 4) == 0 && path[-1] == ':') {
        return false; /* "http://https://host": profiles mend it, browsers go to "https" */
    }
    if (host == path || is_odd_host(host, path)) {
        return true;
    }
    bool odd = (unsigned char)end[-1] <= ' ';
    for (const char *at = path; spelling == MR_WEB_SEGMENTS && at < end; at++) {
        odd |= *at == '\\' || (unsigned char)*at < ' ' ||
               (at[-1] == '/' && (*at == '.' || *at == '%'));
    }
    return odd && spelling == MR_WEB_SEGMENTS;
}
