/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of WARC, ARC and WAT files share.
 *
 *     warc_records.c     records of a file
 *     warc_links.c       the formats; outlinks in metadata records; which of the sources counts
 *     wat_links.c        the JSON of WAT files
 *     warc_page.c        names of pages, and their links
 *     outlink_names.c    which of Heritrix's names a link has
 *     page_links.c       links of one fetched page, from
 *     http_response.c      headers, chunks,
 *     body_decoder.c       compression,
 *     html_tokens.c        tags (html_references.c, html_entities.c: "&amp;"),
 *     charset.c            encodings
 */
#ifndef MR_FORMATS_CRAWL_WARC_INTERNAL_H
#define MR_FORMATS_CRAWL_WARC_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/memory.h"
#include "formats/crawl/http_response.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/url/links_resolve.h"

/* ---- The links of one fetched page, from its HTTP response (page_links.c) ----
 *
 * The links of a page are collected first and resolved later, because <base>, the encoding and the
 * robots rules of a page may stand behind its first links. Memory: as its parts, and the links, up
 * to MR_PAGE_LINKS_MAX_BYTES. One thread at a time. */

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
enum mr_status mr_page_links_begin(struct mr_page_links *page, const struct mr_span *type,
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

/* ---- The records of a WARC file (ISO 28500) or an ARC file (warc_records.c) ----
 *
 * The caller takes the body of a record piece by piece, or has it in memory, or leaves it. The
 * reader trusts no header: it checks each length against a bound before it allocates. One thread at
 * a time.
 *
 * With --bad-lines skip the reader counts a record that is cut off or damaged, and goes on at the
 * next one: at the next "WARC/1.", in gzip data at the next member. A record that is longer than it
 * says ends there, too. What is wrong with a record may
 * show only behind it, so its links are to be kept until the next record is there. */

#define MR_WARC_BODY_MAX_BYTES   (32u << 20) /* of a body in memory; a longer one is an error */
#define MR_WARC_HEADER_MAX_BYTES (1u << 20)

/* By WARC-Type and Content-Type. */
enum mr_warc_kind {
    MR_WARC_OTHER, /* nothing that has links: requests, warcinfo, continuations */
    MR_WARC_RESPONSE, /* an HTTP response, also one of a revisit or of an ARC file */
    MR_WARC_RESOURCE, /* a file without headers: resource, responses of other protocols */
    MR_WARC_FIELDS, /* metadata in lines "name: value" */
    MR_WARC_JSON, /* metadata in JSON */
    MR_WARC_TEXT /* conversion: the text of a page */
};

struct mr_warc_record {
    uint64_t offset; /* in the decompressed input */
    enum mr_warc_kind kind;
    struct mr_span target; /* WARC-Target-URI; NULL: there is none */
    struct mr_span type; /* Content-Type, of ARC records that of the page */
    struct mr_capture capture; /* of the page */
    bool is_copy; /* a revisit that refers to a record of another URL */
};

struct mr_warc_records;

/* Begin to read request->input. The request outlives the records. Close takes NULL. Errors:
 * BUDGET. */
enum mr_status mr_warc_records_open(const struct mr_graph_request *request,
                                    struct mr_warc_records **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_warc_records_close(struct mr_warc_records *records);

/* A date of a header, in seconds since 1970; 0 if it is none. */
uint32_t mr_warc_time(const char *text, size_t bytes);
/* Turn `capture` into a revisit of the capture whose date is in `text`. Its `confirms` is never its
 * `time`, because a record that confirms its own time is a capture. */
void mr_warc_revisit(struct mr_capture *capture, const char *text, size_t bytes);

/* Is it an ARC file, by its first bytes? */
bool mr_arc_begins(const char *data, size_t bytes);

/* The kinds of a whole WARC header [bytes]. */
enum mr_warc_kind mr_warc_header_kind(const char *header, size_t bytes);

/* The next record, valid until the next call; `*found` is false at the end. `*good` is where damage
 * begins that was found since the last call: records from there on are to be forgotten; UINT64_MAX
 * without damage. Errors: INPUT, with the offset, for bytes that are not a record and for a record
 * that is cut off, unless they are skipped. */
enum mr_status mr_warc_records_next(struct mr_warc_records *records, struct mr_warc_record *record,
                                    bool *found, uint64_t *good,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* The next bytes of the body of the record, valid until the next call; `*bytes` is 0 at its end,
 * and where a damaged record is skipped. Errors: as above. */
enum mr_status mr_warc_records_body(struct mr_warc_records *records, const char **data,
                                    size_t *bytes, struct mr_error *err) MR_WARN_UNUSED;

/* The whole body, valid until the next call of this function; NULL where a damaged record is
 * skipped. Errors: as above; BUDGET. */
enum mr_status mr_warc_records_save(struct mr_warc_records *records, const char **out,
                                    size_t *out_bytes, struct mr_error *err) MR_WARN_UNUSED;

/* Count a record that is bad. Errors: INPUT at its offset, unless such records are skipped. */
enum mr_status mr_warc_records_bad(struct mr_warc_records *records, uint64_t offset,
                                   const char *reason, struct mr_error *err) MR_WARN_UNUSED;

/* ---- The names that Heritrix gives the links of a page (outlink_names.c) ---- */

/* All zero: the page has none. */
struct mr_outlink_names {
    struct mr_memory *memory;
    struct mr_span *outlinks; /* [n]: their URLs, in the metadata, which outlive them */
    uint64_t *texts; /* [n]: hashes of their texts, sorted */
    uint64_t *urls; /* [n]: those of the outlinks as URLs, with `has_urls` */
    uint64_t n, outlinks_room, texts_room, urls_room;
    bool has_urls;
    char url[MR_NAME_MAX_BYTES], text[MR_NAME_MAX_BYTES];
};

/* Take the outlinks of metadata in lines. Close takes names that are zero. Errors: BUDGET. */
enum mr_status mr_outlink_names_set(struct mr_outlink_names *names, struct mr_memory *memory,
                                    const char *metadata, size_t bytes,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_outlink_names_close(struct mr_outlink_names *names);

/* Replace `*url` [*bytes], the result of the resolver, by the name of the outlink that it is, if
 * any is. Time: O(bytes); for the first link of a page that is none, all outlinks are resolved.
 * Errors: BUDGET. */
enum mr_status mr_outlink_names_find(struct mr_outlink_names *names, struct mr_resolver *resolver,
                                     const char **url, size_t *bytes,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* ---- The readers of links ---- */

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
    struct mr_outlink_names names;
    bool is_heritrix; /* the page has the name that its record gives it */
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

/* ---- Encodings of pages: labels, and URLs in them (charset.c) ---- */

struct mr_charset;

/* Open returns NULL when out of memory. Close takes NULL. One thread at a time. */
struct mr_charset *mr_charset_open(void);
void mr_charset_close(struct mr_charset *charset);

/* Choose the encoding that `label[bytes]` names on the web. Without a label, or with one that
 * nobody knows, a URL is UTF-8 where its bytes are, and windows-1252 elsewhere. */
void mr_charset_choose(struct mr_charset *charset, const char *label, size_t bytes);

/* A URL in that encoding as browsers send it (the URL standard, section 4.4): the part before "?"
 * in UTF-8, bytes above 127 behind it percent-encoded as they are. Returns `url` itself where
 * nothing changes; otherwise a text that is valid until the next call. NULL where it is too long.
 */
const char *mr_charset_url(struct mr_charset *charset, const char *url, size_t bytes,
                           size_t *out_bytes);

/* UTF-16 that becomes UTF-8 piece by piece, for pages that no other code can read. */
struct mr_utf16 {
    bool is_big_endian;
    bool has_byte; /* `byte` is the first of two */
    unsigned char byte;
    unsigned high; /* the first half of a pair, or 0 */
};
/* Convert bytes from `*data` on, as many as `out` has room for, and move `*data` and `*bytes`.
 * Returns how many bytes were written. `room` is at least 4. */
size_t mr_utf16_convert(struct mr_utf16 *utf16, const char **data, size_t *bytes, char *out,
                        size_t room);

#endif
