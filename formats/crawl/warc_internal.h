/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of WARC, ARC and WAT files share.
 *
 *     warc_records.c     records of a file
 *     warc_links.c       the formats; outlinks in metadata records; which of the sources counts
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
    struct mr_edge_batch batch;
    struct mr_warc_records *records;
    struct mr_resolver *resolver;
    bool is_wat; /* all metadata in JSON should be those of a WAT file */
    enum mr_outlinks from;
    unsigned wanted; /* kinds of links */
    /* The latest records of one URL [url_bytes] wait for each other: the response, and the body of
     * the metadata record in memory; and where they begin. */
    char url[MR_NAME_MAX_BYTES];
    size_t url_bytes;
    struct mr_page_links *page;
    bool has_response, metadata_are_json;
    bool is_copy; /* the response is that of another URL, without its body */
    const char *metadata; /* [metadata_bytes]; NULL: none */
    size_t metadata_bytes;
    uint64_t response_at, metadata_at;
    struct mr_capture capture; /* as in struct mr_warc_record */
    /* The page whose links are being added, as mr_resolver_link spells it; it gets its number when
     * a link needs it. */
    char name[MR_NAME_MAX_BYTES + 1];
    bool is_named;
    uint64_t id; /* of its links: that of this capture */
    uint64_t n_damaged; /* pages that were cut off or could not be decoded */
    uint64_t n_too_long; /* links */
    uint64_t n_copies; /* pages whose links stand in the record of another URL */
    uint64_t n_sources, n_texts; /* records that may have links, and those that are only text */
};

/* Begin a page. `*is_page` is false for a URL of a scheme that has no pages, and for one that is
 * bad, which is counted. Errors: INPUT for a bad URL, unless such records are skipped. */
enum mr_status mr_warc_page_begin(struct mr_warc_reader *reader, const char *url, size_t bytes,
                                  uint64_t offset, bool *is_page,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Give the page its number. */
enum mr_status mr_warc_page_name(struct mr_warc_reader *reader,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Add a link of these kinds, if the user wants one of them. `link` is resolved against the page or
 * base that the resolver has. */
enum mr_status mr_warc_page_link(struct mr_warc_reader *reader, unsigned kinds, const char *link,
                                 size_t bytes, struct mr_error *err) MR_WARN_UNUSED;

/* Read the JSON of a metadata record of a WAT file, reader->metadata. */
enum mr_status mr_wat_read(struct mr_warc_reader *reader, struct mr_error *err) MR_WARN_UNUSED;

#endif
