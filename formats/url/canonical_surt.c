/* SPDX-License-Identifier: Apache-2.0 */
/* The profile "surt": CDX keys as internetarchive/surt makes them. pywb uses the same keys, and the
 * Wayback Machine nearly the same ones. mr_canonical_name calls this file. It splits the URL into
 * parts, corrects each part, and writes them out in the order of a SURT.
 *
 * The results differ from the package's only for hosts that no resolver knows. Any number of dots
 * in a row becomes one dot (as in the Java original). Bytes that are not UTF-8 are escaped, not
 * dropped. Letters beyond ASCII in a host with "=", "&" and the like are escaped, not put into xn--
 * form. Only a bracket at the front of the host counts. A name whose port is not a number stays as
 * it is, where the package raises an exception. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "formats/url/canonical_internal.h"

struct surt_parts {
    struct mr_text scheme; /* all texts point into the URL's memory */
    struct mr_text userinfo, host, port, path, query;
    bool has_host, has_query;
    const char *fragment;
    size_t fragment_bytes;
};

/* Remove repeated schemes: "http://https://host" becomes "https://host". */
static void merge_schemes(struct mr_text *url)
{
    size_t at = 0, last = 0;

    for (;;) {
        const char *p = url->data + at;
        size_t left = url->bytes - at, bytes;
        if (left >= 7 && memcmp(p, "http://", 7) == 0) {
            bytes = 7;
        } else if (left >= 8 && memcmp(p, "https://", 8) == 0) {
            bytes = 8;
        } else {
            break;
        }
        last = at;
        at += bytes;
    }
    mr_text_cut(url, 0, last);
}

static struct mr_text slice(char *data, size_t bytes)
{
    return (struct mr_text){.data = data, .bytes = bytes, .room = bytes};
}

/* Split userinfo@host:port. */
static void split_authority(struct mr_text authority, struct surt_parts *parts)
{
    while (authority.bytes > 0 && authority.data[authority.bytes - 1] == ':') {
        authority.bytes--;
    }
    const char *at_sign = memrchr(authority.data, '@', authority.bytes);
    if (at_sign != NULL) {
        size_t bytes = (size_t)(at_sign - authority.data);
        parts->userinfo = slice(authority.data, bytes);
        authority = slice(authority.data + bytes + 1, authority.bytes - bytes - 1);
    }
    char *end = authority.data + authority.bytes, *host_end;
    if (authority.bytes > 0 && authority.data[0] == '[') {
        authority.data++;
        authority.bytes--;
        char *bracket = memchr(authority.data, ']', authority.bytes);
        host_end = bracket != NULL ? bracket : end;
        char *colon = memchr(host_end, ':', (size_t)(end - host_end));
        parts->port = colon != NULL ? slice(colon + 1, (size_t)(end - colon - 1)) : slice(end, 0);
    } else {
        char *colon = memchr(authority.data, ':', authority.bytes);
        host_end = colon != NULL ? colon : end;
        parts->port = colon != NULL ? slice(colon + 1, (size_t)(end - colon - 1)) : slice(end, 0);
    }
    parts->host = slice(authority.data, (size_t)(host_end - authority.data));
    parts->has_host = parts->host.bytes > 0;
}

/* Split the URL into its parts (RFC 2396, appendix B). */
static void split(struct mr_text *url, struct surt_parts *parts)
{
    size_t at = mr_text_scheme(url), end;

    *parts = (struct surt_parts){.scheme = slice(url->data, at - 1)};
    end = mr_text_find(url, '#', at);
    parts->fragment = url->data + end;
    parts->fragment_bytes = url->bytes - end;
    url->bytes = end;
    if (url->bytes - at >= 2 && memcmp(url->data + at, "//", 2) == 0) {
        size_t stop = at + 2;
        while (stop < url->bytes && url->data[stop] != '/' && url->data[stop] != '?') {
            stop++;
        }
        split_authority(slice(url->data + at + 2, stop - at - 2), parts);
        at = stop;
    }
    end = mr_text_find(url, '?', at);
    parts->path = slice(url->data + at, end - at);
    parts->has_query = end < url->bytes;
    parts->query =
        parts->has_query ? slice(url->data + end + 1, url->bytes - end - 1) : slice(NULL, 0);
    bool is_http = parts->scheme.bytes >= 4 && memcmp(parts->scheme.data, "http", 4) == 0;
    if (is_http && !parts->has_host && parts->path.bytes > 0) {
        /* "http:////host/path" */
        char *p = parts->path.data, *stop = p + parts->path.bytes;
        while (p < stop && *p == '/') {
            p++;
        }
        char *slash = memchr(p, '/', (size_t)(stop - p));
        slash = slash != NULL ? slash : stop;
        parts->host = slice(p, (size_t)(slash - p));
        parts->has_host = parts->host.bytes > 0;
        parts->path = parts->has_host ? slice(slash, (size_t)(stop - slash))
                                      : slice(parts->path.data, 1); /* nothing but slashes */
    }
}

/* Turn a numeric host such as "017.0.0.1", "3279880203" or "10.0.258" into four decimal numbers, as
 * inet_aton reads them. */
static void normalise_ip(struct mr_text *host)
{
    char copy[64], dotted[INET_ADDRSTRLEN];
    struct in_addr address;
    unsigned dots = 0;
    bool all_digits = true;

    if (host->bytes == 0 || host->bytes >= sizeof copy) {
        return;
    }
    for (size_t i = 0; i < host->bytes; i++) {
        bool is_dot = host->data[i] == '.';
        if (!is_dot && !mr_is_digit(host->data[i])) {
            return;
        }
        if (is_dot && (i == 0 || i + 1 == host->bytes || host->data[i - 1] == '.')) {
            return;
        }
        dots += is_dot;
        all_digits &= !is_dot;
    }
    if (all_digits) {
        uint32_t value = 0; /* modulo 2^32, because ARC files have larger numbers as hosts */
        for (size_t i = 0; i < host->bytes; i++) {
            value = 10 * value + (uint32_t)(host->data[i] - '0');
        }
        address.s_addr = htonl(value);
    } else {
        memcpy(copy, host->data, host->bytes);
        copy[host->bytes] = '\0';
        if (dots > 3 || inet_aton(copy, &address) == 0) {
            return;
        }
    }
    if (inet_ntop(AF_INET, &address, dotted, sizeof dotted) != NULL) {
        mr_text_set(host, dotted, strlen(dotted));
    }
}

static void fix_host(uint32_t rules, struct mr_text *host, bool is_dns)
{
    if (mr_rule(rules, MR_SURT_UNESCAPE)) {
        mr_text_unescape(host, true);
    }
    if (mr_rule(rules, MR_SURT_IDN)) {
        mr_text_idna(host);
    }
    if (mr_rule(rules, MR_SURT_HOST_DOTS)) {
        size_t to = 0;
        for (size_t i = 0; i < host->bytes; i++) {
            if (host->data[i] != '.' || (to > 0 && host->data[to - 1] != '.')) {
                host->data[to++] = host->data[i];
            }
        }
        host->bytes = to - (to > 0 && host->data[to - 1] == '.');
    }
    mr_text_lowercase(host);
    if (mr_rule(rules, MR_SURT_IP)) {
        normalise_ip(host);
    }
    if (mr_rule(rules, MR_SURT_UNESCAPE)) {
        mr_text_escape(host, "#%");
        mr_text_lowercase(host); /* the escapes have capital digits */
    }
    size_t www = mr_rule(rules, MR_SURT_WWW) && !is_dns ? mr_text_www(host, 0) : 0;
    mr_text_cut(host, 0, www);
}

static void put_reversed(const struct mr_text *host, struct mr_text *out)
{
    size_t stop = host->bytes;

    for (size_t i = host->bytes; i > 0; i--) {
        if (host->data[i - 1] == '.') {
            mr_text_append(out, host->data + i, stop - i);
            mr_text_byte(out, ',');
            stop = i - 1;
        }
    }
    mr_text_append(out, host->data, stop);
}

static void fix_path(uint32_t rules, struct mr_text *path, bool has_host)
{
    if (mr_rule(rules, MR_SURT_UNESCAPE)) {
        mr_text_unescape(path, true);
    }
    if (has_host && path->bytes == 0) {
        mr_text_byte(path, '/');
    } else if (has_host && mr_rule(rules, MR_SURT_DOT_SEGMENTS)) {
        mr_text_dot_segments(path, true);
    }
    if (mr_rule(rules, MR_SURT_UNESCAPE)) {
        mr_text_escape(path, "#%");
    }
    if (mr_rule(rules, MR_SURT_LOWERCASE)) {
        mr_text_lowercase(path);
    }
    if (mr_rule(rules, MR_SURT_PATH_SESSION_IDS)) {
        mr_text_path_session(path, true);
        mr_text_path_session(path, false);
    }
    if (mr_rule(rules, MR_SURT_TRAILING_SLASH) && path->bytes > 1 &&
        path->data[path->bytes - 1] == '/') {
        path->bytes--;
    }
}

/* ---- Queries ---- */

struct argument {
    const char *data;
    size_t bytes, name_bytes; /* name_bytes == bytes: there is no "=" */
};

static int compare_bytes(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    size_t common = a_bytes < b_bytes ? a_bytes : b_bytes;
    int order = common > 0 ? memcmp(a, b, common) : 0;
    return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

/* Order arguments by name. An argument without a value comes before one with a value; then the
 * values decide. */
static int compare_arguments(const void *left, const void *right)
{
    const struct argument *a = left, *b = right;
    int order = compare_bytes(a->data, a->name_bytes, b->data, b->name_bytes);
    if (order != 0 || a->name_bytes == a->bytes || b->name_bytes == b->bytes) {
        return order != 0 ? order : (b->name_bytes == b->bytes) - (a->name_bytes == a->bytes);
    }
    return compare_bytes(a->data + a->name_bytes, a->bytes - a->name_bytes, b->data + b->name_bytes,
                         b->bytes - b->name_bytes);
}

static void sort_query(struct mr_text *query, struct mr_text *scratch)
{
    struct argument few[32], *arguments = few;
    size_t n = 1;

    for (size_t i = 0; i < query->bytes; i++) {
        n += query->data[i] == '&';
    }
    if (n == 1) {
        return;
    }
    if (n > sizeof few / sizeof few[0]) {
        arguments = calloc(n, sizeof *arguments);
        if (arguments == NULL) {
            query->overflowed = true; /* the name stays as it is */
            return;
        }
    }
    n = 0;
    for (size_t at = 0; at <= query->bytes;) {
        size_t end = mr_text_find(query, '&', at);
        const char *data = query->data + at;
        const char *equals = end > at ? memchr(data, '=', end - at) : NULL;
        arguments[n++] = (struct argument){
            .data = data,
            .bytes = end - at,
            .name_bytes = equals != NULL ? (size_t)(equals - data) : end - at,
        };
        at = end + 1;
    }
    qsort(arguments, n, sizeof *arguments, compare_arguments);
    scratch->bytes = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0) {
            mr_text_byte(scratch, '&');
        }
        mr_text_append(scratch, arguments[i].data, arguments[i].bytes);
    }
    mr_text_set(query, scratch->data, scratch->bytes);
    if (arguments != few) {
        free(arguments);
    }
}

static void fix_query(uint32_t rules, struct mr_text *query, struct mr_text *scratch)
{
    if (mr_rule(rules, MR_SURT_UNESCAPE)) {
        mr_text_unescape(query, true);
        mr_text_escape(query, "#%");
    }
    if (mr_rule(rules, MR_SURT_SESSION_IDS)) {
        static const unsigned kinds[] = {MR_SESSION_JAVA, MR_SESSION_PHP, MR_SESSION_SID,
                                         MR_SESSION_ASP, MR_SESSION_COLDFUSION};
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            mr_text_session(query, kinds[i], false, 0);
        }
    }
    if (mr_rule(rules, MR_SURT_LOWERCASE)) {
        mr_text_lowercase(query);
    }
    if (mr_rule(rules, MR_SURT_SORT_QUERY)) {
        sort_query(query, scratch);
    }
}

/* ---- The whole URL ---- */

/* Append the port. False when it is not a number. */
static bool put_port(uint32_t rules, const struct surt_parts *parts, struct mr_text *out)
{
    unsigned long port = 0;
    char digits[16];

    if (parts->port.bytes == 0) {
        return true;
    }
    for (size_t i = 0; i < parts->port.bytes; i++) {
        if (!mr_is_digit(parts->port.data[i]) || port > 65535) {
            return false;
        }
        port = 10 * port + (unsigned long)(parts->port.data[i] - '0');
    }
    const struct mr_text *scheme = &parts->scheme;
    unsigned long usual = scheme->bytes == 4 && mr_text_starts(scheme, "http")    ? 80
                          : scheme->bytes == 5 && mr_text_starts(scheme, "https") ? 443
                                                                                  : 0;
    if (port <= 65535 && !(mr_rule(rules, MR_SURT_DEFAULT_PORT) && port == usual) && port != 0) {
        mr_text_append(out, digits, (size_t)snprintf(digits, sizeof digits, ":%lu", port));
    }
    return port <= 65535;
}

/* Copy one part of the URL to a workspace of its own, in the free half of the memory of `out`. */
static struct mr_text workspace(struct mr_text *out, const struct mr_text *part)
{
    struct mr_text work = {.data = out->data + out->room / 2, .room = out->room / 4};
    mr_text_set(&work, part->data, part->bytes);
    return work;
}

static bool put_host(uint32_t rules, struct surt_parts *parts, struct mr_text *out)
{
    bool is_dns = parts->scheme.bytes == 3 && memcmp(parts->scheme.data, "dns", 3) == 0;
    bool reverse = mr_rule(rules, MR_SURT_REVERSE);
    struct mr_text host = workspace(out, &parts->host);

    fix_host(rules, &host, is_dns);
    parts->has_host = host.bytes > 0; /* the host may have been dots only */
    if (!parts->has_host) {
        return !host.overflowed;
    }
    if (!mr_rule(rules, MR_SURT_SCHEME)) {
        mr_text_append(out, parts->scheme.data, parts->scheme.bytes);
        mr_text_append(out, "://(", reverse ? 4 : 3);
    }
    if (!mr_rule(rules, MR_SURT_USERINFO) && parts->userinfo.bytes > 0) {
        mr_text_append(out, parts->userinfo.data, parts->userinfo.bytes);
        mr_text_byte(out, '@');
    }
    if (reverse) {
        put_reversed(&host, out);
    } else {
        mr_text_append(out, host.data, host.bytes);
    }
    if (!put_port(rules, parts, out)) {
        return false;
    }
    if (reverse) {
        mr_text_byte(out, ')');
    }
    return !host.overflowed;
}

bool mr_canonical_surt(uint32_t rules, struct mr_text *url, struct mr_text *out)
{
    struct surt_parts parts;

    if (mr_text_starts(url, "filedesc") || mr_text_starts(url, "warcinfo:")) {
        return false;
    }
    mr_text_clean(url);
    if (url->bytes == 0) {
        return false;
    }
    if (mr_text_scheme(url) == 0) {
        static const char http[7] = "http://"; /* not terminated, as all texts here */
        char *data = url->data;
        mr_text_append(url, http, sizeof http);
        if (url->overflowed) {
            return false;
        }
        memmove(data + sizeof http, data, url->bytes - sizeof http);
        memcpy(data, http, sizeof http);
    }
    merge_schemes(url);
    split(url, &parts);
    out->bytes = 0;
    if (parts.has_host && !put_host(rules, &parts, out)) {
        return false;
    }
    if (!parts.has_host) {
        mr_text_append(out, parts.scheme.data, parts.scheme.bytes);
        mr_text_byte(out, ':');
    }
    struct mr_text path = workspace(out, &parts.path);
    fix_path(rules, &path, parts.has_host);
    mr_text_append(out, path.data, path.bytes);
    bool has_path = path.bytes > 0, path_fits = !path.overflowed;
    struct mr_text query = workspace(out, &parts.query);
    struct mr_text scratch = {.data = out->data + out->room / 4 * 3, .room = out->room / 4};
    fix_query(rules, &query, &scratch);
    /* Drop an empty query, unless the rule is off. */
    if (query.bytes > 0 || (parts.has_query && !mr_rule(rules, MR_SURT_EMPTY_QUERY))) {
        mr_text_append(out, has_path ? "?" : "/?", has_path ? 1 : 2);
        mr_text_append(out, query.data, query.bytes);
    }
    if (!mr_rule(rules, MR_SURT_FRAGMENT)) {
        mr_text_append(out, parts.fragment, parts.fragment_bytes);
    }
    bool fits = path_fits && !query.overflowed && !out->overflowed;
    mr_text_set(url, out->data, out->bytes);
    return fits;
}
