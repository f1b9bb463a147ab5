/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the links of a page absolute (RFC 3986, section 5). The readers of formats/crawl call it
 * for each page and each of its links. libcurl parses URLs, because its parser is well kept and
 * tolerant; this file adds the rules that decide which links lead to pages, and the one spelling of
 * a name. The first call that parses a URL loads libcurl (curl_library.c). */
#include "formats/url/links_resolve.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/names/names.h"
#include "formats/url/curl_library.h"

struct mr_resolver {
    struct mr_curl_library curl;
    bool is_loaded; /* `curl` */
    CURLU *base, *work;
    char *text; /* the latest link; libcurl owns it */
    struct mr_error failure; /* for want of memory or of the library */
    char copy[3 * MR_NAME_MAX_BYTES + 1]; /* terminated input */
    char name[MR_NAME_MAX_BYTES + 2];
};

/* Encode spaces. Accept any scheme, so that is_page can decide about it. */
#define FLAGS (CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME | CURLU_ALLOW_SPACE)

struct mr_resolver *mr_resolver_open(void)
{
    return calloc(1, sizeof(struct mr_resolver));
}

void mr_resolver_close(struct mr_resolver *resolver)
{
    if (resolver != NULL && resolver->is_loaded) {
        resolver->curl.release(resolver->text);
        resolver->curl.destroy(resolver->base);
        resolver->curl.destroy(resolver->work);
    }
    free(resolver);
}

/* Loads libcurl once. False after a failure, which it records. */
static bool is_ready(struct mr_resolver *resolver)
{
    if (!resolver->is_loaded && resolver->failure.status == MR_OK) {
        resolver->is_loaded = mr_curl_library_load(&resolver->curl, &resolver->failure) == MR_OK;
    }
    return resolver->is_loaded;
}

static bool is_out_of_memory(struct mr_resolver *resolver)
{
    (void)mr_error_set(&resolver->failure, MR_ERROR_BUDGET, "out of memory for a URL");
    return false;
}

/* Where the path of a link begins: behind "http://host" or "//host", or at the start. */
static size_t path_start(const char *text, size_t bytes)
{
    size_t at = 0;

    while (at < bytes && strchr(":/?#", text[at]) == NULL) {
        at++; /* a scheme, perhaps */
    }
    at = at < bytes && text[at] == ':' ? at + 1 : 0;
    if (bytes - at < 2 || text[at] != '/' || text[at + 1] != '/') {
        return 0;
    }
    for (at += 2; at < bytes && strchr("/?#", text[at]) == NULL; at++) {
    }
    return at;
}

static size_t add_encoded(char *at, unsigned char byte)
{
    static const char digits[] = "0123456789ABCDEF";
    at[0] = '%';
    at[1] = digits[byte >> 4];
    at[2] = digits[byte & 15];
    return 3;
}

/* Copy `text` and terminate the copy. Remove blanks around it, as browsers do for attributes, and
 * tabs and line ends in it. Encode other blanks: libcurl would turn those of a query into "+".
 * Encode bytes above 127 of path and query: browsers and crawlers write capitals in "%C3%A9",
 * libcurl does not. NULL where the text holds a NUL or is longer than a name may be. */
static const char *terminated(struct mr_resolver *resolver, const char *text, size_t bytes)
{
    size_t n = 0;

    while (bytes > 0 && (unsigned char)text[0] <= ' ') {
        text++;
        bytes--;
    }
    while (bytes > 0 && (unsigned char)text[bytes - 1] <= ' ') {
        bytes--;
    }
    if (bytes > MR_NAME_MAX_BYTES) {
        return NULL;
    }
    if (memchr(text, '\0', bytes) != NULL) {
        return NULL;
    }
    const size_t path = path_start(text, bytes);
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte == ' ' || (byte > 127 && i >= path)) {
            n += add_encoded(resolver->copy + n, byte);
        } else if (text[i] != '\t' && text[i] != '\n' && text[i] != '\r') {
            resolver->copy[n++] = text[i];
        }
    }
    resolver->copy[n] = '\0';
    return resolver->copy;
}

enum mr_status mr_resolver_check(const struct mr_resolver *resolver, struct mr_error *err)
{
    if (resolver->failure.status == MR_OK) {
        return MR_OK;
    }
    mr_error_clear(err); /* whatever it says about the URL, the URL is not to blame */
    return mr_error_set(err, resolver->failure.status, "%s", resolver->failure.message);
}

/* Notes a want of memory, which is no fault of the URL. */
static bool is_good(struct mr_resolver *resolver, CURLUcode code)
{
    return code == CURLUE_OUT_OF_MEMORY ? is_out_of_memory(resolver) : code == CURLUE_OK;
}

static bool set_url(struct mr_resolver *resolver, CURLU *url, const char *text)
{
    return is_good(resolver, resolver->curl.set(url, CURLUPART_URL, text, FLAGS));
}

bool mr_resolver_page(struct mr_resolver *resolver, const char *url, size_t bytes)
{
    const char *text = terminated(resolver, url, bytes);

    if (!is_ready(resolver)) {
        return false;
    }
    resolver->curl.destroy(resolver->base);
    resolver->base = resolver->curl.create();
    if (resolver->base == NULL) {
        return is_out_of_memory(resolver);
    }
    return text != NULL && set_url(resolver, resolver->base, text);
}

bool mr_resolver_base(struct mr_resolver *resolver, const char *url, size_t bytes)
{
    const char *text = terminated(resolver, url, bytes);
    if (text == NULL || resolver->base == NULL) {
        return false;
    }
    /* Twice, as in mr_resolver_link. NOLINTNEXTLINE(misc-redundant-expression) */
    return set_url(resolver, resolver->base, text) || set_url(resolver, resolver->base, text);
}

static void to_lower_case(char *at, const char *end)
{
    for (; at < end; at++) {
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at | 0x20 : *at);
    }
}

static size_t scheme_bytes(const char *url)
{
    return strspn(url, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
}

/* Turn scheme and host into lower case. Their case does not matter (RFC 3986, section 6.2.2.1); the
 * case of user and path does. Returns where the path begins; NULL where `url` has no host. */
static char *lower_host(char *url)
{
    char *host = url + scheme_bytes(url);

    if (host == url || strncmp(host, "://", 3) != 0) {
        return NULL;
    }
    host += 3;
    char *end = host + strcspn(host, "/?#");
    char *user = memrchr(host, '@', (size_t)(end - host));
    to_lower_case(url, host);
    to_lower_case(user != NULL ? user : host, end);
    return end > host ? end : NULL;
}

const char *mr_resolver_name(struct mr_resolver *resolver, const char *url, size_t bytes)
{
    if (bytes > MR_NAME_MAX_BYTES || memchr(url, '\0', bytes) != NULL) {
        return NULL;
    }
    memmove(resolver->name, url, bytes); /* it may be the result of the last call */
    resolver->name[bytes] = '\0';
    const char *path = lower_host(resolver->name);
    if (path != NULL && *path == '\0') {
        resolver->name[bytes] = '/';
        resolver->name[bytes + 1] = '\0';
    }
    return resolver->name;
}

static bool is_page(struct mr_resolver *resolver)
{
    char *scheme = NULL;
    bool result = false;
    if (is_good(resolver, resolver->curl.get(resolver->work, CURLUPART_SCHEME, &scheme, 0))) {
        result = strcasecmp(scheme, "http") == 0 || strcasecmp(scheme, "https") == 0 ||
                 strcasecmp(scheme, "ftp") == 0;
        resolver->curl.release(scheme);
    }
    return result;
}

/* Makes `work` the URL that `text` leads to from the page. */
static bool follow(struct mr_resolver *resolver, const char *text)
{
    /* An empty link leads to the page itself; libcurl takes it for a link to the directory. */
    const bool is_same = text[0] == '\0' || text[0] == '#';

    resolver->curl.destroy(resolver->work);
    resolver->work = resolver->curl.copy(resolver->base);
    if (resolver->work == NULL) {
        return is_out_of_memory(resolver);
    }
    return is_same || set_url(resolver, resolver->work, text);
}

const char *mr_resolver_link(struct mr_resolver *resolver, const char *link, size_t bytes)
{
    const char *text = terminated(resolver, link, bytes);

    if (!is_ready(resolver) || resolver->base == NULL) {
        return NULL;
    }
    resolver->curl.release(resolver->text);
    resolver->text = NULL;
    if (text == NULL) {
        return NULL;
    }
    /* libcurl takes "mailto:x" for a relative path, so schemes without "//" are refused here. */
    const size_t word = scheme_bytes(text);
    if (text[word] == ':' && word > 0 && strncmp(text + word, "://", 3) != 0) {
        return NULL;
    }
    /* A link that libcurl refuses is tried again: without memory for the page's URL it takes the
     * link for an absolute one, and calls it malformed.
     * NOLINTNEXTLINE(misc-redundant-expression) */
    if ((!follow(resolver, text) && !follow(resolver, text)) ||
        !is_good(resolver, resolver->curl.set(resolver->work, CURLUPART_FRAGMENT, NULL, 0)) ||
        !is_page(resolver) ||
        !is_good(resolver, resolver->curl.get(resolver->work, CURLUPART_URL, &resolver->text, 0))) {
        return NULL;
    }
    (void)lower_host(resolver->text);
    return resolver->text;
}
