#include "formats/url/links_resolve.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/names/names.h"

struct mr_resolver {
    CURLU *base, *work;
    char *text; /* the latest link, libcurl's */
    char copy[MR_NAME_MAX_BYTES + 1]; /* terminated input */
};

/* Spaces are encoded, any scheme is taken, so that we see which it is. */
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

/* Without blanks around it, as browsers read attributes, and without line ends in it; NULL where it is
 * longer than a name may be. */
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
        if (text[i] != '\t' && text[i] != '\n' && text[i] != '\r') {
            resolver->copy[n++] = text[i];
        }
    }
    resolver->copy[n] = '\0';
    return resolver->copy;
}

bool mr_resolver_page(struct mr_resolver *resolver, const char *url, size_t bytes)
{
    const char *text = terminated(resolver, url, bytes);
    curl_url_cleanup(resolver->base);
    resolver->base = curl_url();
    return text != NULL && resolver->base != NULL &&
           curl_url_set(resolver->base, CURLUPART_URL, text, FLAGS) == CURLUE_OK;
}

bool mr_resolver_base(struct mr_resolver *resolver, const char *url, size_t bytes)
{
    const char *text = terminated(resolver, url, bytes);
    return text != NULL && curl_url_set(resolver->base, CURLUPART_URL, text, FLAGS) == CURLUE_OK;
}

static bool is_page(CURLU *url)
{
    char *scheme = NULL;
    bool result = false;
    if (curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK) {
        result = strcasecmp(scheme, "http") == 0 || strcasecmp(scheme, "https") == 0 ||
                 strcasecmp(scheme, "ftp") == 0;
        curl_free(scheme);
    }
    return result;
}

const char *mr_resolver_link(struct mr_resolver *resolver, const char *link, size_t bytes)
{
    const char *text = terminated(resolver, link, bytes);

    curl_free(resolver->text);
    resolver->text = NULL;
    curl_url_cleanup(resolver->work);
    resolver->work = curl_url_dup(resolver->base);
    if (text == NULL || resolver->work == NULL) {
        return NULL;
    }
    /* libcurl takes "mailto:x" for a relative path: a scheme other than a page's is told here. */
    const size_t word =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                     "+-.");
    if (text[word] == ':' && word > 0 && strncmp(text + word, "://", 3) != 0) {
        return NULL;
    }
    if (curl_url_set(resolver->work, CURLUPART_URL, text, FLAGS) != CURLUE_OK ||
        curl_url_set(resolver->work, CURLUPART_FRAGMENT, NULL, 0) != CURLUE_OK ||
        !is_page(resolver->work) ||
        curl_url_get(resolver->work, CURLUPART_URL, &resolver->text, 0) != CURLUE_OK) {
        return NULL;
    }
    return resolver->text;
}
