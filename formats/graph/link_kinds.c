/* SPDX-License-Identifier: Apache-2.0 */
/* Translates the words of crawlers into kinds of links. The readers of WARC, WAT, crawl.log and
 * CDXJ files call it, so that --link-kinds has one meaning for all of them. Kinds are bits, because
 * a link has an element and a hop. */
#include "formats/graph/link_kinds.h"

#include <string.h>
#include <strings.h>

#include "engine/base/bytes.h"

const char *mr_link_kind_name(unsigned index)
{
    static const char *const names[] = {"a",          "area",     "form",        "iframe",
                                        "frame",      "redirect", "link",        "img",
                                        "navigation", "embed",    "speculative", "prerequisite",
                                        "inferred",   "manifest", "submit",      "failed"};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

unsigned mr_link_kinds_of_hop(char hop)
{
    static const char letters[] = "LREXPIMS";
    static const unsigned kinds[] = {MR_LINK_NAVIGATION,  MR_LINK_REDIRECT,     MR_LINK_EMBED,
                                     MR_LINK_SPECULATIVE, MR_LINK_PREREQUISITE, MR_LINK_INFERRED,
                                     MR_LINK_MANIFEST,    MR_LINK_SUBMIT};
    const char *letter = hop != '\0' ? strchr(letters, hop) : NULL;
    return letter != NULL ? kinds[letter - letters] : 0;
}

unsigned mr_link_kinds_of_way(const char *way, size_t bytes)
{
    size_t n = bytes;

    while (n > 0 && way[n - 1] == 'R') {
        n--;
    }
    const unsigned kinds = n > 0 ? mr_link_kinds_of_hop(way[n - 1]) : MR_LINK_NAVIGATION;
    /* "-" is a seed. "50+" is the number of hops that the log leaves out before "RR". */
    const bool is_start = n > 0 && (way[n - 1] == '-' || way[n - 1] == '+');
    if (kinds == MR_LINK_NAVIGATION || is_start) {
        return n < bytes ? MR_LINK_REDIRECT : MR_LINK_NAVIGATION;
    }
    return kinds;
}

unsigned mr_link_kinds_of_element(const char *context, size_t bytes)
{
    static const struct {
        const char *name;
        unsigned kind;
    } elements[] = {{"a@href", MR_LINK_A},         {"area@href", MR_LINK_AREA},
                    {"form@action", MR_LINK_FORM}, {"iframe@src", MR_LINK_IFRAME},
                    {"frame@src", MR_LINK_FRAME},  {"link@href", MR_LINK_LINK},
                    {"img@src", MR_LINK_IMAGE},    {"meta@content", MR_LINK_REDIRECT}};
    char name[16];
    size_t n = 0;

    for (size_t i = 0; i < bytes; i++) {
        if (context[i] != '/') {
            if (n + 1 == sizeof name) {
                return 0;
            }
            name[n++] = context[i];
        }
    }
    name[n] = '\0';
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        if (strcasecmp(name, elements[i].name) == 0) {
            return elements[i].kind;
        }
    }
    return 0;
}

unsigned mr_link_kinds_of_outlink(char hop, const char *context, size_t bytes)
{
    static const unsigned followed = (unsigned)MR_LINK_A | MR_LINK_AREA | MR_LINK_FORM;
    static const unsigned frames = (unsigned)MR_LINK_IFRAME | MR_LINK_FRAME;
    const unsigned kinds = mr_link_kinds_of_hop(hop);
    const unsigned element = mr_link_kinds_of_element(context, bytes);

    if (bytes == 0 || (kinds != MR_LINK_NAVIGATION && kinds != MR_LINK_EMBED)) {
        return kinds;
    }
    if ((element & frames) != 0 || ((element & followed) != 0 && kinds == MR_LINK_NAVIGATION)) {
        return kinds | element | MR_LINK_NAVIGATION;
    }
    if (kinds == MR_LINK_EMBED) {
        return kinds | (element & ~(unsigned)MR_LINK_REDIRECT);
    }
    if ((element & MR_LINK_REDIRECT) != 0) {
        return element;
    }
    const char *attribute = memrchr(context, '@', bytes);
    const size_t rest = attribute != NULL ? bytes - (size_t)(attribute + 1 - context) : 0;
    const bool is_part = (rest >= 3 && strncasecmp(attribute + 1, "src", 3) == 0) ||
                         (rest == 6 && strncasecmp(attribute + 1, "poster", 6) == 0);
    return element | (is_part ? (unsigned)MR_LINK_EMBED : (unsigned)MR_LINK_SPECULATIVE);
}

enum mr_link_scheme mr_link_scheme_of(const char *link, size_t bytes)
{
    static const char *const pages[] = {"http", "https", "ftp"};
    size_t begin = 0, n = 0;

    while (begin < bytes && (unsigned char)link[begin] <= ' ') {
        begin++;
    }
    link += begin;
    bytes -= begin;
    while (n < bytes && (((unsigned)(link[n] | 0x20) - 'a') < 26 ||
                         (n > 0 && link[n] != '\0' && strchr("0123456789+-.", link[n]) != NULL))) {
        n++;
    }
    if (n == 0 || n == bytes || link[n] != ':') {
        return MR_SCHEME_NONE;
    }
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        if (n == strlen(pages[i]) && strncasecmp(link, pages[i], n) == 0) {
            return MR_SCHEME_PAGE;
        }
    }
    return MR_SCHEME_OTHER;
}

unsigned mr_link_kinds_of_rel(const char *rel)
{
    static const char *const pages[] = {"canonical", "next", "prev", "previous"};
    static const char blanks[] = " \t\r\n\f,";

    if (rel == NULL) {
        return MR_LINK_LINK;
    }
    if (strcasestr(rel, "stylesheet") != NULL || strcasestr(rel, "icon") != NULL) {
        return MR_LINK_LINK | MR_LINK_EMBED;
    }
    for (size_t bytes; *rel != '\0'; rel += bytes + (rel[bytes] != '\0')) {
        bytes = strcspn(rel, blanks);
        for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
            if (bytes == strlen(pages[i]) && strncasecmp(rel, pages[i], bytes) == 0) {
                return MR_LINK_LINK | MR_LINK_NAVIGATION;
            }
        }
    }
    return MR_LINK_LINK;
}

/* Does the path end with the suffix of an embed? A suffix after a colon does not count:
 * "/wiki/File:Rose.jpg" is a page. */
static bool has_embed_suffix(const char *path, const char *end)
{
    static const char suffixes[] = " gif jpg jpeg jpe png bmp ico svg webp avif tif tiff css js "
                                   "mjs swf woff woff2 ttf otf eot ";
    char word[8] = " ";
    size_t n = 1;

    while (end > path && end[-1] != '.' && end[-1] != '/') {
        end--;
        if (++n == sizeof word) {
            return false;
        }
    }
    if (end == path || end[-1] != '.' || n == 1) {
        return false;
    }
    for (size_t i = 1; i < n; i++) {
        word[i] = mr_lower(end[i - 1]);
    }
    word[n] = '\0';
    const char *found = strstr(suffixes, word);
    if (found == NULL || found[n] != ' ') {
        return false;
    }
    while (end > path && end[-1] != '/' && end[-1] != ':') {
        end--;
    }
    return end == path || end[-1] == '/';
}

unsigned mr_link_kinds_of_url(const char *url, size_t bytes)
{
    static const char robots[] = "/robots.txt";
    const char *end = url + bytes;
    const char *host = memmem(url, bytes, "://", 3);

    if (host == NULL) {
        return bytes >= 4 && strncasecmp(url, "dns:", 4) == 0 ? MR_LINK_PREREQUISITE : 0;
    }
    const char *path = memchr(host + 3, '/', (size_t)(end - host - 3));
    if (path == NULL) {
        return 0;
    }
    for (const char *at = path; at < end; at++) {
        end = *at == '?' || *at == '#' ? at : end;
    }
    if ((size_t)(end - path) == sizeof robots - 1 && memcmp(path, robots, sizeof robots - 1) == 0) {
        return MR_LINK_PREREQUISITE;
    }
    return has_embed_suffix(path, end) ? MR_LINK_EMBED : 0;
}

bool mr_link_is_wanted(unsigned kinds, unsigned own, unsigned wanted)
{
    const unsigned musts = own & ~(unsigned)MR_LINK_EMBED; /* each of them must be wanted */

    if ((own & MR_LINK_PREREQUISITE) != 0) {
        kinds = MR_LINK_PREREQUISITE;
    } else if ((own & MR_LINK_EMBED) != 0 && (kinds & MR_LINKS_DEFAULT) != 0) {
        kinds = MR_LINK_EMBED;
    }
    return (kinds & wanted) != 0 && (musts & ~wanted) == 0;
}

unsigned mr_link_kinds_of_type(const char *type, size_t bytes)
{
    static const char *const embeds[] = {"image/",
                                         "font/",
                                         "text/css",
                                         "text/javascript",
                                         "text/ecmascript",
                                         "application/javascript",
                                         "application/x-javascript",
                                         "application/ecmascript",
                                         "application/font-",
                                         "application/x-font-",
                                         "application/vnd.ms-fontobject",
                                         "application/x-shockwave-flash"};
    for (size_t i = 0; i < sizeof embeds / sizeof embeds[0]; i++) {
        const size_t n = strlen(embeds[i]);
        if (bytes >= n && strncasecmp(type, embeds[i], n) == 0) {
            return MR_LINK_EMBED;
        }
    }
    return 0;
}
