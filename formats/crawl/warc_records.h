/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a WARC file (ISO 28500) or an ARC file, one after the other. Internal to formats/.
 *
 * The reader holds the body of a metadata record in memory, hands out the body of a response piece
 * by piece, and skips other bodies. It trusts no header: it checks each length against a bound
 * before it allocates. One thread at a time. */
#ifndef MR_FORMATS_CRAWL_WARC_RECORDS_H
#define MR_FORMATS_CRAWL_WARC_RECORDS_H

#include <stdbool.h>

#include "formats/stream/input.h"

#define MR_WARC_BODY_MAX_BYTES   (32u << 20) /* of a metadata record; a longer one is an error */
#define MR_WARC_HEADER_MAX_BYTES (1u << 20)

struct mr_warc_record {
    uint64_t offset; /* in the decompressed input */
    const char *target; /* WARC-Target-URI, [target_bytes]; NULL: there is none */
    size_t target_bytes;
    bool is_metadata, is_response; /* by its WARC-Type */
    bool is_json; /* by its Content-Type */
    bool is_http; /* a response: its body is an HTTP response, with headers */
    const char *body; /* [body_bytes] of a metadata record; NULL for other records */
    size_t body_bytes;
};

struct mr_warc_records;

/* Begin to read `input`, which is borrowed and outlives the records. Close takes NULL. Errors:
 * BUDGET. */
enum mr_status mr_warc_records_open(const struct mr_context *context, struct mr_input *input,
                                    struct mr_warc_records **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_warc_records_close(struct mr_warc_records *records);

/* Is it an ARC file, by its first bytes? */
bool mr_arc_begins(const char *data, size_t bytes);

/* The next bytes of the body of a response, valid until the next call; `*bytes` is 0 at its end.
 * Errors: INPUT where the record is cut off. */
enum mr_status mr_warc_records_body(struct mr_warc_records *records, const char **data,
                                    size_t *bytes, struct mr_error *err) MR_WARN_UNUSED;

/* The next record, valid until the next call; `*found` is false at the end. Errors: INPUT, with the
 * offset, for bytes that are not a record and for a record that is cut off. */
enum mr_status mr_warc_records_next(struct mr_warc_records *records, struct mr_warc_record *record,
                                    bool *found, struct mr_error *err) MR_WARN_UNUSED;

#endif
