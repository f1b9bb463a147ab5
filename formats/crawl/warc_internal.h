/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of WARC, ARC and WAT files share.
 *
 *     warc_records.c     records of a file
 *     warc_links.c       the formats; outlinks in metadata records; which of the two sources counts
 *     wat_links.c        the JSON of WAT files
 *     warc_page.c        names of pages, and their links
 *     page_links.c       links of one fetched page, from
 *     http_response.c      headers, chunks,
 *     body_decoder.c       compression,
 *     html_tokens.c        tags (html_references.c, html_entities.c: "&amp;"),
 *     charset.c            encodings
 */
#ifndef MR_FORMATS_CRAWL_WARC_INTERNAL_H
#define MR_FORMATS_CRAWL_WARC_INTERNAL_H

#include "formats/crawl/page_links.h"
#include "formats/crawl/warc_records.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/url/links_resolve.h"

struct mr_warc_reader {
    struct mr_graph_request request;
    struct mr_warc_records *records;
    struct mr_resolver *resolver;
    bool is_wat;
    enum mr_outlinks from;
    unsigned wanted; /* kinds of links */
    const struct mr_graph_sink *sink;
    /* URL of the latest response, [failed_bytes], if that response was an error; 0 bytes if not. */
    char failed[MR_NAME_MAX_BYTES];
    size_t failed_bytes;
    /* The latest response waits for a metadata record of the same URL, which may have its links. */
    struct mr_page_links *page;
    bool is_pending;
    char url[MR_NAME_MAX_BYTES]; /* [url_bytes] */
    size_t url_bytes;
    uint64_t n_damaged; /* pages that were cut off or could not be decoded */
    struct mr_edge_batch batch;
};

/* A page and, once it is named, its number. */
struct mr_warc_page {
    const char *url;
    size_t bytes;
    bool is_named;
    uint64_t id;
};

enum mr_status mr_warc_page_name(struct mr_warc_reader *reader, struct mr_warc_page *page,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Add a link of these kinds, if the user wants one of them. `link` is resolved against the page or
 * base that the resolver has. */
enum mr_status mr_warc_page_link(struct mr_warc_reader *reader, struct mr_warc_page *page,
                                 unsigned kinds, const char *link, size_t bytes,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Read the JSON of a metadata record of a WAT file. */
enum mr_status mr_wat_read(struct mr_warc_reader *reader, const struct mr_warc_record *record,
                           struct mr_error *err) MR_WARN_UNUSED;

#endif
