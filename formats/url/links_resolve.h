/* Links of a page, made absolute. Internal to formats/. */
#ifndef MR_FORMATS_URL_LINKS_RESOLVE_H
#define MR_FORMATS_URL_LINKS_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>

struct mr_resolver;

/* NULL: out of memory. Close takes NULL. One thread at a time. */
struct mr_resolver *mr_resolver_open(void);
void mr_resolver_close(struct mr_resolver *resolver);

/* The URL that links are relative to from here on: that of the page, or of its BASE, which may be
 * relative itself. False when it is none. */
bool mr_resolver_page(struct mr_resolver *resolver, const char *url, size_t bytes);
bool mr_resolver_base(struct mr_resolver *resolver, const char *url, size_t bytes);

/* `url` with scheme and host in lower case and a "/" for an empty path, as mr_resolver_link has them, else as it is:
 * terminated, valid until the next call. NULL: longer than a name may be. */
const char *mr_resolver_name(struct mr_resolver *resolver, const char *url, size_t bytes);

/* `link` as an absolute URL without fragment, RFC 3986 section 5, to `*url`, terminated, valid until the
 * next call; NULL for what is no link to a page: not http, https or ftp, or no URL at all. */
const char *mr_resolver_link(struct mr_resolver *resolver, const char *link, size_t bytes);

#endif
