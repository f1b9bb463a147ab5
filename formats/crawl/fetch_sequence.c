/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the fetches of a crawldb or of a segment's crawl_fetch as Nutch has them on disk, so that
 * nobody need dump them. The keys are URLs, the values are CrawlDatum:
 *
 *     byte    version: 6 or 7, which Nutch 1.x writes since 2007
 *     byte    status
 *     long    time, in milliseconds since 1970: of the next fetch in a crawldb, of this one in a
 *             segment
 *     byte    failed tries
 *     int     interval in seconds
 *     float   score
 *     long    time of the last change
 *     byte    length of the signature, which follows: of this fetch in a crawldb, of the one before
 *             in a segment
 *     byte    whether metadata follow: a MapWritable, with the ProtocolStatus of the fetch, whose
 *             first text is the target of a redirect, and when `generate` put the page on a list
 *
 * Source: CrawlDatum of Apache Nutch 1.x. */
#include "formats/crawl/sequence_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "formats/crawl/fetch_rows.h"
#include "formats/graph/edge_batch.h"
#include "formats/table/lines.h"

enum { RECORDS_PER_POLL = 4096, OLDEST = 6, NEWEST = 7 };

/* States of CrawlDatum: DB_LAST is the last one in a crawldb; then come those of a segment. */
enum {
    DB_UNFETCHED = 1,
    DB_REDIR_TEMP = 4,
    DB_REDIR_PERM,
    DB_NOTMODIFIED,
    DB_ORPHAN = 8,
    DB_LAST = 31,
    FETCH_SUCCESS = 33,
    FETCH_REDIR_TEMP = 35,
    FETCH_REDIR_PERM,
    FETCH_NOTMODIFIED = 38,
    SIGNATURE = 65, /* those of parts of pages */
    PARSE_META = 68
};

static bool is_state(uint8_t status)
{
    return (status > 0 && status <= DB_ORPHAN) ||
           (status >= FETCH_SUCCESS && status <= FETCH_NOTMODIFIED) ||
           (status >= SIGNATURE && status <= PARSE_META);
}

static int64_t take_long(struct mr_sequence_bytes *bytes)
{
    const uint64_t high = (uint32_t)mr_sequence_int(bytes);
    return (int64_t)(high << 32 | (uint32_t)mr_sequence_int(bytes));
}

/* The digest of a signature, which ParseData has in hexadecimal. */
static uint32_t take_signature(struct mr_sequence_bytes *value, uint8_t status)
{
    char digits[2 * UINT8_MAX];
    const uint8_t n = mr_sequence_byte(value);

    for (unsigned i = 0; i < n; i++) {
        const uint8_t byte = mr_sequence_byte(value);
        digits[2 * i] = "0123456789ABCDEF"[byte >> 4];
        digits[2 * i + 1] = "0123456789ABCDEF"[byte & 15];
    }
    return status == DB_NOTMODIFIED || status == FETCH_NOTMODIFIED ? MR_DIGEST_SAME
           : n > 0 && status <= DB_LAST ? mr_digest_of_text(digits, 2 * (size_t)n)
                                        : MR_DIGEST_UNKNOWN;
}

const char *mr_crawl_datum_take(struct mr_sequence_bytes *value, struct mr_crawl_datum *datum,
                                struct mr_row *fetch)
{
    if (!mr_sequence_version(value, OLDEST, NEWEST)) {
        return value->is_bad
                   ? "a CrawlDatum"
                   : "only versions 6 and 7 of CrawlDatum can be read; --fetched reads the "
                     "text that 'nutch readdb CRAWLDB -dump DIR' writes, and build the text "
                     "that 'nutch readseg -dump SEGMENT DIR' writes";
    }
    *datum = (struct mr_crawl_datum){.status = mr_sequence_byte(value)};
    const uint8_t status = datum->status;
    struct mr_sequence_facts facts = {.is_generated = false};
    const double time = (double)take_long(value) / 1000;
    fetch->tries = mr_sequence_byte(value);
    fetch->values[1] = mr_sequence_int(value);
    mr_sequence_skip(value, 4 + 8); /* the score, and the time of the last change */
    datum->digest = take_signature(value, status);
    mr_sequence_metadata(value, &facts);
    if (!mr_sequence_is_done(value)) {
        return "a CrawlDatum";
    }
    if (!is_state(status)) {
        return "the state of a CrawlDatum";
    }
    if (fetch->values[1] < 0) {
        return "a fetch interval below 0";
    }
    if (status == DB_REDIR_TEMP || status == DB_REDIR_PERM || status == FETCH_REDIR_TEMP ||
        status == FETCH_REDIR_PERM) {
        datum->redirect = facts.redirect;
    }
    datum->is_due = status <= DB_LAST;
    fetch->state = mr_fetch_state_of_nutch(status, fetch->tries);
    fetch->is_stated = true;
    fetch->tries = fetch->tries > 0 ? fetch->tries : 1;
    fetch->values[0] = datum->is_due ? time - fetch->values[1] : time;
    if (status == DB_UNFETCHED && facts.is_generated) { /* handed out */
        fetch->state = MR_FETCH_DONE;
        fetch->values[0] = -1;
    }
    fetch->values[0] =
        fetch->values[0] < 0 || fetch->values[0] > UINT32_MAX ? -1 : fetch->values[0];
    return NULL;
}

static enum mr_status check_classes(struct mr_input *input, const struct mr_sequence_file *file,
                                    struct mr_error *err)
{
    const char *value = mr_sequence_value_class(file);
    char quote[MR_LINES_QUOTE_BYTES];

    if (strcmp(mr_sequence_key_class(file), "org.apache.hadoop.io.Text") == 0 &&
        strcmp(value, "org.apache.nutch.crawl.CrawlDatum") == 0) {
        return MR_OK;
    }
    return mr_error_file(err, MR_ERROR_INPUT, mr_input_name(input), 0,
                         "is a Hadoop SequenceFile of %s; fetches are in the files called data of "
                         "a crawldb (crawldb/current/part-r-00000/data) and of a segment's "
                         "crawl_fetch",
                         mr_lines_quote(value, strlen(value), quote));
}

enum mr_status mr_fetch_sequence_read(const struct mr_context *context, struct mr_input *input,
                                      enum mr_fetch_wanted wanted, mr_row_take take, void *data,
                                      struct mr_error *err)
{
    struct mr_sequence_file *file = NULL;
    struct mr_sequence_record record;
    bool found = true;
    enum mr_status status = mr_sequence_open(context, input, &file, err);

    if (status == MR_OK) {
        status = check_classes(input, file, err);
    }
    for (uint64_t n = 1; status == MR_OK; n++) {
        struct mr_row fetch = {.line = n};
        struct mr_crawl_datum datum;
        status = n % RECORDS_PER_POLL == 0 ? mr_context_poll(context, err) : MR_OK;
        if (status == MR_OK) {
            status = mr_sequence_next(file, &record, &found, err);
        }
        if (status != MR_OK || !found) {
            break;
        }
        fetch.name = mr_sequence_text(&record.key, &fetch.name_bytes);
        const char *reason = mr_sequence_is_done(&record.key)
                                 ? mr_crawl_datum_take(&record.value, &datum, &fetch)
                                 : "the URL of a record";
        if (reason != NULL) {
            status = mr_sequence_refuse(file, &record, reason, err);
        } else if (mr_fetch_is_wanted(wanted, fetch.state) && fetch.name_bytes > 0) {
            status = take(data, &fetch, err);
        }
    }
    mr_sequence_close(file);
    return status;
}
