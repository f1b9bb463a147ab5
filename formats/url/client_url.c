/* SPDX-License-Identifier: Apache-2.0 */
/* Says which URLs a crawler takes as they are (client_url.h). The program counts the others when it
 * writes a list for a crawler (formats/score/crawler_file.c). The rules are those of the crawlers'
 * own code, and client_url_test.c has what that code made of a list of URLs. */
#include "formats/url/client_url.h"

#include <ctype.h>
#include <string.h>

#include "engine/base/bytes.h"

const struct mr_client_urls mr_urls_of_heritrix = {.name = "Heritrix",
                                                   .path = "\"<>[]^`{}\\",
                                                   .query = "\"<>`\\",
                                                   .makes_pages = true,
                                                   .drops_dots = true};
const struct mr_client_urls mr_urls_of_nutch = {.name = "Nutch",
                                                .path = "\"<>[]^`{|}",
                                                .query = "\"<>[]^`{|}",
                                                .makes_pages = true,
                                                .is_nutch = true};
const struct mr_client_urls mr_urls_of_scrapy = {
    .name = "Scrapy", .path = "\"<>[]^`{|}\\", .query = "\"'<>[]^`{|}\\", .lowers_hosts = true};
const struct mr_client_urls mr_urls_of_frontera = {
    .name = "Frontera", .path = "\"<>^`{}\\", .query = "\"<>^`{}\\"};

/* A part of a URL. */
struct url_part {
    const char *at, *end;
};

/* The first byte that is one of `bytes`, or the end. */
static const char *find_byte(struct url_part part, const char *bytes)
{
    const char *at = part.at;

    while (at < part.end && (*at == '\0' || strchr(bytes, *at) == NULL)) {
        at++;
    }
    return at;
}

static bool has_text(struct url_part part, const char *text)
{
    return memmem(part.at, (size_t)(part.end - part.at), text, strlen(text)) != NULL;
}

static bool ends_with(struct url_part part, const char *text)
{
    const size_t bytes = strlen(text);
    return (size_t)(part.end - part.at) >= bytes && memcmp(part.end - bytes, text, bytes) == 0;
}

/* Is there one of `bytes`, or one that is not ASCII? */
static bool has_encoded(struct url_part part, const char *bytes)
{
    for (const char *c = part.at; c < part.end; c++) {
        if ((unsigned char)*c >= 0x80) {
            return true;
        }
    }
    return find_byte(part, bytes) < part.end;
}

static bool has_capitals(struct url_part part)
{
    for (const char *c = part.at; c < part.end; c++) {
        if (*c >= 'A' && *c <= 'Z') {
            return true;
        }
    }
    return false;
}

/* Nutch decodes letters, digits and -._~, writes %XX in capital letters, and encodes other %. */
static bool changes_escapes(struct url_part part)
{
    for (const char *c = part.at; c < part.end; c++) {
        if (*c != '%') {
            continue;
        }
        if (part.end - c < 3 || !isxdigit((unsigned char)c[1]) || !isxdigit((unsigned char)c[2]) ||
            islower((unsigned char)c[1]) || islower((unsigned char)c[2])) {
            return true;
        }
        const int byte = 16 * mr_hex_value(c[1]) + mr_hex_value(c[2]);
        if ((byte < 0x80 && isalnum(byte)) || byte == '-' || byte == '.' || byte == '_' ||
            byte == '~') {
            return true;
        }
    }
    return false;
}

/* "//"; after a ":" it counts in paths alone. */
static bool has_slashes(struct url_part path, struct url_part query)
{
    for (const char *c = query.at; c + 1 < query.end; c++) {
        if (c[0] == '/' && c[1] == '/' && c[-1] != ':') {
            return true;
        }
    }
    return has_text(path, "//");
}

static bool is_changed_by_nutch(struct url_part host, struct url_part path, struct url_part query)
{
    const struct url_part file = {path.at, query.end};

    return find_byte(host, "@") < host.end || changes_escapes(file) || has_slashes(path, query) ||
           has_text(file, "&&") || has_text(file, "?&") || ends_with(file, "&") ||
           ends_with(file, ".");
}

bool mr_client_url_changes(const struct mr_client_urls *client, const char *url, size_t bytes)
{
    static const struct {
        const char *text, *port;
    } schemes[] = {{"http://", ":80"}, {"https://", ":443"}, {"ftp://", ":21"}};
    struct url_part host = {.at = NULL, .end = url + bytes};
    const char *port = NULL;

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        const size_t scheme = strlen(schemes[i].text);
        if (bytes > scheme && memcmp(url, schemes[i].text, scheme) == 0) {
            host.at = url + scheme;
            port = schemes[i].port;
        }
    }
    if (host.at == NULL) {
        return true;
    }
    const char *const end = host.end;
    host.end = find_byte(host, "/\\?#");
    const struct url_part file = {host.end, end};
    const char *mark = find_byte(file, "?");
    const struct url_part path = {host.end, mark}, query = {mark, end};
    const bool is_page = path.end > path.at && !has_capitals(host) && !ends_with(host, port) &&
                         find_byte(file, "#") == end && !has_text(path, "/./") &&
                         !has_text(path, "/../") && !ends_with(path, "/.") &&
                         !ends_with(path, "/..");

    return has_encoded(host, "") || has_encoded(path, client->path) ||
           has_encoded(query, client->query) || end - mark == 1 ||
           (client->lowers_hosts && has_capitals(host)) || (client->makes_pages && !is_page) ||
           (client->drops_dots && ends_with(host, ".")) ||
           (client->is_nutch && is_changed_by_nutch(host, path, query));
}
