/* The records of a WARC file (ISO 28500), one after the other. Internal to formats/.
 *
 * Bodies of metadata records are kept in memory, those of others skipped; of a response the status is read. Nothing in a header is
 * believed: lengths are bounded before anything is allocated. One thread at a time. */
#ifndef MR_FORMATS_CRAWL_WARC_RECORDS_H
#define MR_FORMATS_CRAWL_WARC_RECORDS_H

#include <stdbool.h>

#include "formats/stream/input.h"

#define MR_WARC_BODY_MAX_BYTES   (32u << 20) /* of a metadata record; longer ones are an error */
#define MR_WARC_HEADER_MAX_BYTES (1u << 20)

struct mr_warc_record {
    uint64_t offset; /* in the decompressed input */
    const char *target; /* WARC-Target-URI, [target_bytes]; NULL: none */
    size_t target_bytes;
    bool is_metadata, is_response; /* by its WARC-Type */
    bool is_json; /* by its Content-Type */
    long http_status; /* of a response, by how its body begins; 0: none */
    const char *body; /* [body_bytes]; NULL where it was skipped */
    size_t body_bytes;
};

struct mr_warc_records;

/* `input` is borrowed. Close takes NULL. */
enum mr_status mr_warc_records_open(const struct mr_context *context, struct mr_input *input,
                                    struct mr_warc_records **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_warc_records_close(struct mr_warc_records *records);

/* The next record, valid until the next call; `*found` is false at the end. Errors: INPUT at the offset
 * of what is no record, or one that is cut off. */
enum mr_status mr_warc_records_next(struct mr_warc_records *records, struct mr_warc_record *record,
                                    bool *found, struct mr_error *err) MR_WARN_UNUSED;

#endif
