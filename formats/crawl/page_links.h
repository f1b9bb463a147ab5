/* SPDX-License-Identifier: Apache-2.0 */
/* The links of one fetched page, from its HTTP response. Internal to formats/.
 *
 * The links of a page are collected first and resolved later, because <base>, the encoding and the
 * robots rules of a page may stand behind its first links. Memory: as its parts, and the links, up
 * to MR_PAGE_LINKS_MAX_BYTES. One thread at a time. */
#ifndef MR_FORMATS_CRAWL_PAGE_LINKS_H
#define MR_FORMATS_CRAWL_PAGE_LINKS_H

#include "formats/crawl/http_response.h"

#define MR_PAGE_LINKS_MAX_BYTES ((size_t)32 << 20)

struct mr_page_link {
    unsigned kinds; /* a sum of enum mr_link_kind */
    bool nofollow;
    const char *text; /* [bytes]: the URL as it stands, but in UTF-8; often relative */
    size_t bytes;
};

struct mr_page_links;

/* With `reads_html` false only the headers are read. Errors: BUDGET. Close takes NULL. */
enum mr_status mr_page_links_open(const struct mr_context *context, bool reads_html,
                                  struct mr_page_links **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_page_links_close(struct mr_page_links *page);

/* Begin a page; give the bytes of its response; end it. With a `type` the bytes are no HTTP
 * response but a body of this Content-Type. Errors: BUDGET. */
enum mr_status mr_page_links_begin(struct mr_page_links *page, const struct mr_http_text *type,
                                   struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_page_links_feed(struct mr_page_links *page, const char *data, size_t bytes,
                                  struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_page_links_end(struct mr_page_links *page, struct mr_error *err) MR_WARN_UNUSED;

/* After the end: the headers, NULL where there are none; the value of <base href>, NULL where there
 * is none; whether the page was cut off or damaged; whether its links were read, because it is
 * HTML; and how many of them are left out, because they are longer than MR_NAME_MAX_BYTES. */
const struct mr_http_head *mr_page_links_head(const struct mr_page_links *page);
const char *mr_page_links_base(struct mr_page_links *page, size_t *bytes);
bool mr_page_links_are_damaged(const struct mr_page_links *page);
bool mr_page_links_are_read(const struct mr_page_links *page);
uint64_t mr_page_links_too_long(const struct mr_page_links *page);

/* The next link, valid until the next call; false behind the last. */
bool mr_page_links_next(struct mr_page_links *page, struct mr_page_link *link);

/* The URL in the value of a Refresh header or of <meta http-equiv=refresh>; false if there is none:
 * the page loads itself again. */
bool mr_refresh_url(const char *text, size_t bytes, const char **url, size_t *url_bytes);

#endif
