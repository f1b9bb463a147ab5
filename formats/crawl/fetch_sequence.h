/* SPDX-License-Identifier: Apache-2.0 */
/* The fetches in a SequenceFile of Nutch: the files called data of a crawldb (crawldb/current) and
 * of a segment's crawl_fetch. Internal to formats/crawl/. */
#ifndef MR_FORMATS_CRAWL_FETCH_SEQUENCE_H
#define MR_FORMATS_CRAWL_FETCH_SEQUENCE_H

#include "formats/crawl/fetch_log.h"
#include "formats/crawl/sequence_file.h"

struct mr_crawl_datum {
    uint8_t status; /* as Nutch writes it */
    uint32_t digest; /* of the signature of this fetch, as in struct mr_capture */
    bool is_due; /* it is of a crawldb, whose times are those of the next fetches */
    struct mr_span redirect; /* where the page leads to */
};

/* Take a CrawlDatum, and the state, the time and the tries of its fetch. Returns what is wrong with
 * it, or NULL. */
const char *mr_crawl_datum_take(struct mr_sequence_bytes *value, struct mr_crawl_datum *datum,
                                struct mr_row *fetch);

/* As mr_fetch_log_read; the line of a fetch is the number of its record, from 1. Errors: INPUT with
 * the offset of a record or block that is damaged, and for a SequenceFile of other values. */
enum mr_status mr_fetch_sequence_read(const struct mr_context *context, struct mr_input *input,
                                      enum mr_fetch_wanted wanted, mr_row_take take, void *data,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
