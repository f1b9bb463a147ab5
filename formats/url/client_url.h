/* SPDX-License-Identifier: Apache-2.0 */
/* Which URLs a crawler takes as they are written in a list. */
#ifndef MR_FORMATS_URL_CLIENT_URL_H
#define MR_FORMATS_URL_CLIENT_URL_H

#include <stdbool.h>
#include <stddef.h>

/* How a crawler spells the URLs of a list that it reads. */
struct mr_client_urls {
    const char *name; /* of the crawler, in messages */
    const char *path, *query; /* bytes that it writes as %XX there; also all that are not ASCII */
    bool lowers_hosts;
    bool makes_pages; /* likewise, and no port 80, "/" as a path, no fragment, no ".." */
    bool drops_dots; /* at the end of a host */
    bool is_nutch; /* the rules of its normalizers "basic" and "regex", but for session ids */
};
/* Heritrix 3.13, Nutch 1.21 with its default normalizers, Scrapy 2.19, Frontera with Scrapy 2.8. */
extern const struct mr_client_urls mr_urls_of_heritrix, mr_urls_of_nutch, mr_urls_of_scrapy,
    mr_urls_of_frontera;

/* Does the crawler take `url[bytes]` under another spelling, or refuse it? So it does with what is
 * no URL of http, https or ftp. */
bool mr_client_url_changes(const struct mr_client_urls *client, const char *url, size_t bytes);

#endif
