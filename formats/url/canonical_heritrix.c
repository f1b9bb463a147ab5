/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles "heritrix" and "wayback", which share one family of rules. mr_canonical_name calls
 * them.
 *
 * Heritrix's rules are regular expressions over the whole URL, so this file scans the whole URL as
 * well. It follows the published rules exactly: it removes "www" only where something follows the
 * third slash; userinfo reaches to the last "@" before that slash; of several session ids of one
 * kind it removes one.
 *
 * The profile "wayback" imitates AggressiveUrlCanonicalizer.urlStringToKey: the same rules (but a
 * session id may end anywhere), then the host without "www", the port unless it is the scheme's
 * default, the path, the query. Differences: a %XX that is not UTF-8 stays, where the original
 * writes U+FFFD; a name stays as it is when its scheme is not http, https, ftp, mms, rtsp or
 * wais. */
#include <string.h>

#include "engine/base/bytes.h"
#include "formats/url/canonical_internal.h"

/* Length of the "scheme://" that `url` begins with, if it is one of `schemes` (NULL ends the list);
 * otherwise 0. */
static size_t scheme_bytes(const struct mr_text *url, const char *const *schemes)
{
    for (; *schemes != NULL; schemes++) {
        if (mr_text_starts(url, *schemes)) {
            return strlen(*schemes);
        }
    }
    return 0;
}

static const char *const http_schemes[] = {"http://", "https://", NULL};

static void strip_userinfo(struct mr_text *url)
{
    static const char *const schemes[] = {"http://", "https://", "ftp://", "ftps://", NULL};
    size_t begin = scheme_bytes(url, schemes);

    if (begin > 0) {
        size_t end = mr_text_find(url, '/', begin);
        const char *at_sign = memrchr(url->data + begin, '@', end - begin);
        if (at_sign != NULL && at_sign > url->data + begin) {
            mr_text_cut(url, begin, (size_t)(at_sign - url->data) + 1);
        }
    }
}

static void strip_www(struct mr_text *url)
{
    size_t begin = scheme_bytes(url, http_schemes);
    size_t www = begin > 0 ? mr_text_www(url, begin) : 0;

    if (www > 0 && mr_text_find(url, '/', begin + www) + 1 < url->bytes) {
        mr_text_cut(url, begin, begin + www);
    }
}

static void strip_extra_slashes(struct mr_text *url)
{
    size_t to = scheme_bytes(url, http_schemes);

    if (to > 0) {
        for (size_t from = to; from < url->bytes; from++) {
            if (url->data[from] != '/' || url->data[to - 1] != '/') {
                url->data[to++] = url->data[from];
            }
        }
        url->bytes = to;
    }
}

bool mr_canonical_heritrix(uint32_t rules, struct mr_text *url)
{
    if (mr_rule(rules, MR_HERITRIX_LOWERCASE)) {
        mr_text_lowercase(url);
    }
    if (mr_rule(rules, MR_HERITRIX_USERINFO)) {
        strip_userinfo(url);
    }
    if (mr_rule(rules, MR_HERITRIX_WWW)) {
        strip_www(url);
    }
    if (mr_rule(rules, MR_HERITRIX_SESSION_IDS)) {
        mr_text_session(url, MR_SESSION_JAVA | MR_SESSION_PHP, false, 1);
        mr_text_session(url, MR_SESSION_SID, false, 1);
        mr_text_session(url, MR_SESSION_ASP, false, 1);
    }
    if (mr_rule(rules, MR_HERITRIX_CFID)) {
        mr_text_session(url, MR_SESSION_COLDFUSION, false, 1);
    }
    if (mr_rule(rules, MR_HERITRIX_QUERY)) {
        mr_text_fixup_query(url);
    }
    if (mr_rule(rules, MR_HERITRIX_EXTRA_SLASHES)) {
        strip_extra_slashes(url);
    }
    return true;
}

/* ---- wayback ---- */

struct scheme {
    const char *prefix;
    const char *port;
};

static const struct scheme wayback_schemes[] = {
    {"http://", "80"},  {"https://", "443"}, {"ftp://", "21"},
    {"rtsp://", "554"}, {"mms://", "1755"},  {"wais://", "210"},
};
enum { N_WAYBACK_SCHEMES = sizeof wayback_schemes / sizeof wayback_schemes[0] };

/* The scheme of `url` and the length of its prefix. A URL without a scheme counts as http with an
 * empty prefix. NULL: the URL has another scheme. */
static const struct scheme *find_scheme(const struct mr_text *url, size_t *prefix_bytes)
{
    for (size_t i = 0; i < N_WAYBACK_SCHEMES; i++) {
        if (mr_text_starts(url, wayback_schemes[i].prefix)) {
            *prefix_bytes = strlen(wayback_schemes[i].prefix);
            return &wayback_schemes[i];
        }
    }
    /* "word:" is an unknown scheme unless a digit follows, which begins a port. */
    size_t at = 0;
    while (at < url->bytes && (mr_is_letter(url->data[at]) || mr_is_digit(url->data[at]) ||
                               memchr("+-.", url->data[at], 3) != NULL)) {
        at++;
    }
    *prefix_bytes = 0;
    bool has_scheme = at > 0 && at < url->bytes && url->data[at] == ':' &&
                      !(at + 1 < url->bytes && mr_is_digit(url->data[at + 1]));
    return has_scheme ? NULL : &wayback_schemes[0];
}

static void strip_wayback_sessions(uint32_t rules, struct mr_text *url)
{
    if (mr_rule(rules, MR_WAYBACK_SESSION_IDS)) {
        mr_text_session(url, MR_SESSION_PHP, true, 1);
        mr_text_session(url, MR_SESSION_JAVA, true, 0);
        mr_text_session(url, MR_SESSION_ASP, true, 1);
    }
    if (mr_rule(rules, MR_WAYBACK_PATH_SESSION_IDS)) {
        mr_text_path_session(url, false);
        mr_text_path_session(url, true);
    }
    if (mr_rule(rules, MR_WAYBACK_SESSION_IDS)) {
        mr_text_session(url, MR_SESSION_SID, true, 1);
    }
    if (mr_rule(rules, MR_WAYBACK_CFID)) {
        mr_text_session(url, MR_SESSION_COLDFUSION, true, 1);
    }
}

static void fix_path(uint32_t rules, struct mr_text *path)
{
    if (path->bytes == 0 || path->data[0] != '/') {
        char slash = '/';
        mr_text_append(path, &slash, 1);
        memmove(path->data + 1, path->data, path->bytes - 1);
        path->data[0] = '/';
    }
    if (mr_rule(rules, MR_WAYBACK_UNESCAPE)) {
        mr_text_unescape(path, false);
        mr_text_escape(path, "\"<>#?");
    }
    if (mr_rule(rules, MR_WAYBACK_DOT_SEGMENTS)) {
        mr_text_dot_segments(path, false);
    }
    if (mr_rule(rules, MR_WAYBACK_PLUS)) {
        size_t to = 0;
        for (size_t from = 0; from < path->bytes; from++) {
            if (path->bytes - from >= 3 && memcmp(path->data + from, "%20", 3) == 0) {
                path->data[to++] = '+';
                from += 2;
            } else {
                path->data[to++] = path->data[from];
            }
        }
        path->bytes = to;
    }
    if (mr_rule(rules, MR_WAYBACK_SLASHES)) {
        size_t to = 0;
        for (size_t from = 0; from < path->bytes; from++) {
            if (path->data[from] != '/' || to == 0 || path->data[to - 1] != '/') {
                path->data[to++] = path->data[from];
            }
        }
        path->bytes = to;
    }
}

/* Append "host:port", bytes [begin, end) of the URL, to `out`. */
static void put_host(uint32_t rules, const struct mr_text *url, size_t begin, size_t end,
                     const char *default_port, struct mr_text *out)
{
    size_t colon = end, start = out->bytes;
    for (size_t i = end; i > begin && mr_is_digit(url->data[i - 1]); i--) {
        colon = i - 1;
    }
    bool has_port = colon < end && colon > begin && url->data[colon - 1] == ':';
    size_t host_end = has_port ? colon - 1 : end;
    if (!has_port && host_end > begin && url->data[host_end - 1] == ':') {
        host_end--; /* a colon without a port */
    }
    if (mr_rule(rules, MR_WAYBACK_WWW)) {
        begin += mr_text_www(url, begin) < host_end - begin ? mr_text_www(url, begin) : 0;
    }
    mr_text_append(out, url->data + begin, host_end - begin);
    if (mr_rule(rules, MR_WAYBACK_IDN)) {
        struct mr_text host = {
            .data = out->data + start, .bytes = out->bytes - start, .room = out->room - start};
        mr_text_idna(&host);
        out->bytes = start + host.bytes;
        out->overflowed |= host.overflowed;
    }
    if (has_port &&
        !(mr_rule(rules, MR_WAYBACK_DEFAULT_PORT) && strlen(default_port) == end - colon &&
          memcmp(url->data + colon, default_port, end - colon) == 0)) {
        mr_text_append(out, url->data + colon - 1, end - colon + 1);
    }
}

bool mr_canonical_wayback(uint32_t rules, struct mr_text *url, struct mr_text *part)
{
    size_t begin = 0;

    if (mr_text_starts(url, "dns:")) {
        return false;
    }
    if (mr_rule(rules, MR_WAYBACK_LOWERCASE)) {
        mr_text_lowercase(url);
    }
    if (mr_rule(rules, MR_WAYBACK_USERINFO)) {
        strip_userinfo(url);
    }
    if (mr_rule(rules, MR_WAYBACK_WWW)) {
        strip_www(url);
    }
    strip_wayback_sessions(rules, url);
    if (mr_rule(rules, MR_WAYBACK_QUERY)) {
        mr_text_fixup_query(url);
    }
    const struct scheme *scheme = find_scheme(url, &begin);
    if (scheme == NULL) {
        return false;
    }
    size_t end = url->bytes, query, path;
    if (mr_rule(rules, MR_WAYBACK_FRAGMENT)) {
        end = url->bytes = mr_text_find(url, '#', begin);
    }
    query = mr_text_find(url, '?', begin);
    path = mr_text_find(url, '/', begin);
    path = path < query ? path : query;
    const char *at_sign = memrchr(url->data + begin, '@', path - begin);
    if (at_sign != NULL && mr_rule(rules, MR_WAYBACK_USERINFO)) {
        begin = (size_t)(at_sign - url->data) + 1;
    }
    part->bytes = 0;
    if (!mr_rule(rules, MR_WAYBACK_SCHEME)) {
        mr_text_append(part, scheme->prefix, strlen(scheme->prefix));
    }
    put_host(rules, url, begin, path, scheme->port, part);
    struct mr_text rest = {.data = part->data + part->bytes, .room = part->room - part->bytes};
    mr_text_append(&rest, url->data + path, query - path);
    fix_path(rules, &rest);
    part->bytes += rest.bytes;
    part->overflowed |= rest.overflowed;
    mr_text_append(part, url->data + query, end - query);
    mr_text_set(url, part->data, part->bytes);
    url->overflowed |= part->overflowed;
    return true;
}
