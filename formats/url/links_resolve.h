/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the links of a page absolute. Internal to formats/. */
#ifndef MR_FORMATS_URL_LINKS_RESOLVE_H
#define MR_FORMATS_URL_LINKS_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

struct mr_resolver;

/* Open returns NULL when out of memory. Close takes NULL. One thread at a time uses a resolver. */
struct mr_resolver *mr_resolver_open(void);
void mr_resolver_close(struct mr_resolver *resolver);

/* MR_OK, or BUDGET where the results of the calls so far say nothing about the URLs, for want of
 * memory. An error of `err` gives way to it. */
enum mr_status mr_resolver_check(const struct mr_resolver *resolver,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Set the URL that the following links are relative to: the page's URL, or its BASE, which may be
 * relative to the page. False when the text is not a URL. */
bool mr_resolver_page(struct mr_resolver *resolver, const char *url, size_t bytes);
bool mr_resolver_base(struct mr_resolver *resolver, const char *url, size_t bytes);

/* The name of a page as mr_resolver_link spells it. What is no URL of http, https or ftp stays as
 * it is. The result is terminated and valid until the next call. NULL: `url` holds a NUL or is
 * longer than a name may be. */
const char *mr_resolver_name(struct mr_resolver *resolver, const char *url, size_t bytes);

/* `link` as an absolute URL without its fragment, as browsers resolve it (web_url.c), terminated
 * and valid until the next call. NULL when it is not a link to a page: its scheme is not http,
 * https or ftp, or it is not a URL. */
const char *mr_resolver_link(struct mr_resolver *resolver, const char *link, size_t bytes);

#endif
