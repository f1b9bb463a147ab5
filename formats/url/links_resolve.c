/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the links of a page absolute, as browsers do. The readers of formats/crawl call it for each
 * page and each of its links. web_url.c parses the URLs; this file keeps the page's URL and the
 * memory for results, so that a reader allocates once. */
#include "formats/url/links_resolve.h"

#include <stdlib.h>
#include <string.h>

#include "formats/url/canonical_internal.h"

/* An escape makes three bytes of one. */
#define ROOM (3 * (size_t)MR_NAME_MAX_BYTES + 64)

struct mr_resolver {
    struct mr_web_url base, link, name;
    bool has_base, is_out_of_memory;
    char input[MR_NAME_MAX_BYTES];
    char as_given[MR_NAME_MAX_BYTES + 1];
    char base_text[ROOM + 1], link_text[ROOM + 1], name_text[ROOM + 1];
};

struct mr_resolver *mr_resolver_open(void)
{
    struct mr_resolver *resolver = calloc(1, sizeof *resolver);

    if (resolver != NULL) {
        resolver->base.text = (struct mr_text){.data = resolver->base_text, .room = ROOM};
        resolver->link.text = (struct mr_text){.data = resolver->link_text, .room = ROOM};
        resolver->name.text = (struct mr_text){.data = resolver->name_text, .room = ROOM};
    }
    return resolver;
}

void mr_resolver_close(struct mr_resolver *resolver)
{
    free(resolver);
}

enum mr_status mr_resolver_check(const struct mr_resolver *resolver, struct mr_error *err)
{
    if (!resolver->is_out_of_memory) {
        return MR_OK;
    }
    mr_error_clear(err); /* whatever it says about the URL, the URL is not to blame */
    return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a URL");
}

/* Parse `url` into `out`, whose text is terminated then. */
static bool parse(struct mr_resolver *resolver, const char *url, size_t bytes,
                  const struct mr_web_url *base, struct mr_web_url *out)
{
    struct mr_text input = {.data = resolver->input, .room = MR_NAME_MAX_BYTES};

    mr_text_set(&input, url, bytes);
    const bool is_url = !input.overflowed && memchr(url, '\0', bytes) == NULL &&
                        mr_web_url_parse(&input, base, MR_WEB_PAGE, out);
    resolver->is_out_of_memory |= out->text.is_out_of_memory;
    out->text.data[is_url ? out->text.bytes : 0] = '\0';
    return is_url;
}

bool mr_resolver_page(struct mr_resolver *resolver, const char *url, size_t bytes)
{
    resolver->has_base = parse(resolver, url, bytes, NULL, &resolver->base);
    return resolver->has_base;
}

bool mr_resolver_base(struct mr_resolver *resolver, const char *url, size_t bytes)
{
    if (mr_resolver_link(resolver, url, bytes) == NULL) {
        return false;
    }
    const struct mr_web_url old = resolver->base;
    resolver->base = resolver->link;
    resolver->base.text.data = old.text.data;
    memcpy(resolver->base.text.data, resolver->link.text.data, resolver->link.text.bytes);
    return true;
}

const char *mr_resolver_name(struct mr_resolver *resolver, const char *url, size_t bytes)
{
    if (parse(resolver, url, bytes, NULL, &resolver->name)) {
        return resolver->name.text.data;
    }
    if (bytes > MR_NAME_MAX_BYTES || memchr(url, '\0', bytes) != NULL) {
        return NULL;
    }
    memmove(resolver->as_given, url, bytes); /* it may be the result of the last call */
    resolver->as_given[bytes] = '\0';
    return resolver->as_given;
}

const char *mr_resolver_link(struct mr_resolver *resolver, const char *link, size_t bytes)
{
    return resolver->has_base && parse(resolver, link, bytes, &resolver->base, &resolver->link)
               ? resolver->link.text.data
               : NULL;
}
