/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the links of a page absolute (RFC 3986, section 5). The readers of formats/crawl call it
 * for each page and each of its links. libcurl parses URLs, because its parser is well kept and
 * tolerant; this file adds the rules that decide which links lead to pages, and the one spelling of
 * a name. */
#include "formats/url/links_resolve.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/names/names.h"

struct mr_resolver {
    CURLU *base, *work;
    char *text; /* the latest link; libcurl owns it */
    bool is_out_of_memory; /* after a call that failed for want of memory */
    char copy[3 * MR_NAME_MAX_BYTES + 1]; /* terminated input */
    char name[MR_NAME_MAX_BYTES + 2];
};

/* Encode spaces. Accept any scheme, so that is_page can decide about it. */
#define FLAGS (CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME | CURLU_ALLOW_SPACE)

struct mr_resolver *mr_resolver_open(void)
{
    struct mr_resolver *resolver = calloc(1, sizeof *resolver);
    if (resolver != NULL) {
        resolver->base = curl_url();
        if (resolver->base == NULL) {
            free(resolver);
            return NULL;
        }
    }
    return resolver;
}

void mr_resolver_close(struct mr_resolver *resolver)
{
    if (resolver != NULL) {
        curl_free(resolver->text);
        curl_url_cleanup(resolver->base);
        curl_url_cleanup(resolver->work);
        free(resolver);
    }
}

/* Copy `text` and terminate the copy. Remove blanks around it, as browsers do for attributes, and
 * tabs and line ends in it. Encode other blanks: libcurl would turn those of a query into "+". NULL
 * where the text holds a NUL or is longer than a name may be. */
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
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\0') {
            return NULL;
        }
        if (text[i] == ' ') {
            memcpy(resolver->copy + n, "%20", 3);
            n += 3;
        } else if (text[i] != '\t' && text[i] != '\n' && text[i] != '\r') {
            resolver->copy[n++] = text[i];
        }
    }
    resolver->copy[n] = '\0';
    return resolver->copy;
}

bool mr_resolver_is_out_of_memory(const struct mr_resolver *resolver)
{
    return resolver->is_out_of_memory;
}

/* Notes a want of memory, which is no fault of the URL. */
static bool is_good(struct mr_resolver *resolver, CURLUcode code)
{
    resolver->is_out_of_memory |= code == CURLUE_OUT_OF_MEMORY;
    return code == CURLUE_OK;
}

bool mr_resolver_page(struct mr_resolver *resolver, const char *url, size_t bytes)
{
    const char *text = terminated(resolver, url, bytes);
    curl_url_cleanup(resolver->base);
    resolver->base = curl_url();
    resolver->is_out_of_memory |= resolver->base == NULL;
    return text != NULL && resolver->base != NULL &&
           is_good(resolver, curl_url_set(resolver->base, CURLUPART_URL, text, FLAGS));
}

bool mr_resolver_base(struct mr_resolver *resolver, const char *url, size_t bytes)
{
    const char *text = terminated(resolver, url, bytes);
    /* Twice, as in mr_resolver_link. */
    return text != NULL &&
           (is_good(resolver, curl_url_set(resolver->base, CURLUPART_URL, text, FLAGS)) ||
            is_good(resolver, curl_url_set(resolver->base, CURLUPART_URL, text, FLAGS)));
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
    if (is_good(resolver, curl_url_get(resolver->work, CURLUPART_SCHEME, &scheme, 0))) {
        result = strcasecmp(scheme, "http") == 0 || strcasecmp(scheme, "https") == 0 ||
                 strcasecmp(scheme, "ftp") == 0;
        curl_free(scheme);
    }
    return result;
}

/* Makes `work` the URL that `text` leads to from the page. */
static bool follow(struct mr_resolver *resolver, const char *text)
{
    /* An empty link leads to the page itself; libcurl takes it for a link to the directory. */
    const bool is_same = text[0] == '\0' || text[0] == '#';

    curl_url_cleanup(resolver->work);
    resolver->work = curl_url_dup(resolver->base);
    resolver->is_out_of_memory |= resolver->work == NULL;
    return resolver->work != NULL &&
           (is_same || is_good(resolver, curl_url_set(resolver->work, CURLUPART_URL, text, FLAGS)));
}

const char *mr_resolver_link(struct mr_resolver *resolver, const char *link, size_t bytes)
{
    const char *text = terminated(resolver, link, bytes);

    curl_free(resolver->text);
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
     * link for an absolute one, and calls it malformed. */
    if ((!follow(resolver, text) && !follow(resolver, text)) ||
        !is_good(resolver, curl_url_set(resolver->work, CURLUPART_FRAGMENT, NULL, 0)) ||
        !is_page(resolver) ||
        !is_good(resolver, curl_url_get(resolver->work, CURLUPART_URL, &resolver->text, 0))) {
        return NULL;
    }
    (void)lower_host(resolver->text);
    return resolver->text;
}
