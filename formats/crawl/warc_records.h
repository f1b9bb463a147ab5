/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a WARC file (ISO 28500) or an ARC file, one after the other. Internal to formats/.
 *
 * The caller takes the body of a record piece by piece, or has it in memory, or leaves it. The
 * reader trusts no header: it checks each length against a bound before it allocates. One thread at
 * a time.
 *
 * With --bad-lines skip the reader counts a record that is cut off or damaged, and goes on at the
 * next one: at the next "WARC/1.", in gzip data at the next member. A record that is longer than it
 * says ends there, too. What is wrong with a record may
 * show only behind it, so its links are to be kept until the next record is there. */
#ifndef MR_FORMATS_CRAWL_WARC_RECORDS_H
#define MR_FORMATS_CRAWL_WARC_RECORDS_H

#include <stdbool.h>

#include "formats/crawl/http_response.h"
#include "formats/graph/graph_reader.h"

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
    struct mr_http_text target; /* WARC-Target-URI; NULL: there is none */
    struct mr_http_text type; /* Content-Type, of ARC records that of the page */
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

#endif
