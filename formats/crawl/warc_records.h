/* The records of a WARC file (ISO 28500), one after the other. Internal to formats/.
 *
 * The reader holds the body of a metadata record in memory and skips other bodies; of a response it
 * reads the status. It trusts no header: it checks each length against a bound before it allocates.
 * One thread at a time. */
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
    long http_status; /* status in the first line of a response's body; 0: none */
    const char *body; /* [body_bytes]; NULL where it was skipped */
    size_t body_bytes;
};

struct mr_warc_records;

/* Begin to read `input`, which is borrowed and outlives the records. Close takes NULL. Errors:
 * BUDGET. */
enum mr_status mr_warc_records_open(const struct mr_context *context, struct mr_input *input,
                                    struct mr_warc_records **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_warc_records_close(struct mr_warc_records *records);

/* The next record, valid until the next call; `*found` is false at the end. Errors: INPUT, with the
 * offset, for bytes that are not a record and for a record that is cut off. */
enum mr_status mr_warc_records_next(struct mr_warc_records *records, struct mr_warc_record *record,
                                    bool *found, struct mr_error *err) MR_WARN_UNUSED;

#endif
