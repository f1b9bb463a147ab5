/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of Nutch's own files: Hadoop SequenceFiles (sequence_file.h) with URLs as keys. The class
 * of the values says what a file is:
 *
 *     Inlinks     linkdb/current/part-r-00000/data: links to the page of the key. Since 1.21
 * (NUTCH-3101) each has a byte behind its anchor that says whether metadata follow; that a value
 *                 has no byte too many or too few shows which of the two it is
 *     ParseData   segments/TIME/parse_data/part-r-00000/data: links from it; a redirect that the
 *                 parser found is a link, too. Its metadata have the signature and, if the fetcher
 *                 parsed the page, the time of the fetch; else the name of the segment, which is
 *                 when the list was made, orders the captures of a page
 *     CrawlDatum  crawldb/current/part-r-00000/data, segments/TIME/crawl_fetch/part-r-00000/data:
 *                 pages, their fetches, signatures, and redirects, which are links; pages that are
 *                 gone or duplicates are left out
 *     LinkDatum   webgraph/outlinks/current/part-r-00000/data: a link from it, and in inlinks one
 * to it. Its URL, anchor, float score, long time, byte of the kind
 *
 * The files beside them, such as the index, the contents and the texts, are refused by name.
 * Source: Inlinks, Inlink, ParseData, ParseStatus, Outlink and CrawlDatum of Apache Nutch 1.x. */
#include <string.h>

#include "formats/crawl/sequence_file.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/table/lines.h"
#include "formats/table/table.h"
#include "formats/table/time_text.h"

enum {
    PARSE_DATA_VERSION = 5,
    SUCCESS_REDIRECT = 100 /* ParseStatus: the first argument is the target */
};

/* CrawlDatum: states in which the page has no fetch, or is no page of the graph. */
enum { DB_UNFETCHED = 1, DB_GONE = 3, DB_DUPLICATE = 7, DB_ORPHAN = 8, FETCH_GONE = 37 };

struct nutch_file;
typedef const char *(*value_reader)(struct nutch_file *nutch, const char *url, size_t url_bytes,
                                    struct mr_sequence_bytes *value, enum mr_status *status,
                                    struct mr_error *err);

struct nutch_file {
    struct mr_graph_request request;
    struct mr_edge_batch batch;
    struct mr_sequence_file *file;
    value_reader read;
    bool has_link_metadata; /* in the inlinks of the last record */
    uint64_t n_unnamed; /* URLs that cannot be names */
};

static bool detect(const struct mr_graph_probe *probe)
{
    return mr_sequence_begins(probe->data, probe->bytes);
}

static void close_nutch(void *data)
{
    struct nutch_file *nutch = data;
    mr_sequence_close(nutch->file);
}

/* ---- Values; each function returns why the value is damaged, or NULL ---- */

static enum mr_status link_pages(struct nutch_file *nutch, uint64_t source, uint64_t target,
                                 struct mr_error *err)
{
    if (source == UINT64_MAX || target == UINT64_MAX) {
        nutch->n_unnamed++;
        return MR_OK;
    }
    return mr_edge_batch_add(&nutch->batch, source, target, 1.0F, err);
}

static enum mr_status number(struct nutch_file *nutch, const char *url, size_t bytes, uint64_t *id,
                             struct mr_error *err)
{
    *id = UINT64_MAX;
    return mr_link_scheme_of(url, bytes) == MR_SCHEME_OTHER
               ? MR_OK
               : mr_edge_batch_name(&nutch->batch, url, bytes, id, err);
}

/* Adds a link to `target`, unless that leads to no page. */
static enum mr_status add_link(struct nutch_file *nutch, uint64_t page, const char *target,
                               size_t bytes, struct mr_error *err)
{
    uint64_t id;
    const enum mr_status status = number(nutch, target, bytes, &id, err);
    return status == MR_OK ? link_pages(nutch, page, id, err) : status;
}

/* Takes a link, perhaps with metadata; returns its URL. */
static const char *take_link(struct mr_sequence_bytes *value, bool has_metadata, size_t *bytes)
{
    struct mr_sequence_facts unused = {.is_generated = false};
    size_t ignored;
    const char *url = mr_sequence_text(value, bytes);

    (void)mr_sequence_text(value, &ignored); /* the anchor */
    if (has_metadata) {
        mr_sequence_metadata(value, &unused);
    }
    return url;
}

/* Are the bytes of `value` `n` inlinks of this layout, and nothing else? */
static bool are_inlinks(struct mr_sequence_bytes *value, int32_t n, bool has_metadata)
{
    struct mr_sequence_bytes links = *value;
    size_t ignored;

    for (int32_t i = 0; i < n && !links.is_bad; i++) {
        (void)take_link(&links, has_metadata, &ignored);
    }
    value->other_class = links.other_class;
    return mr_sequence_is_done(&links);
}

static const char *read_inlinks(struct nutch_file *nutch, const char *url, size_t url_bytes,
                                struct mr_sequence_bytes *value, enum mr_status *status,
                                struct mr_error *err)
{
    const int32_t n = mr_sequence_int(value);
    size_t bytes;
    uint64_t source, page;

    if (n < 0 || n > value->end - value->at) {
        return "the number of inlinks";
    }
    if (!are_inlinks(value, n, nutch->has_link_metadata)) {
        nutch->has_link_metadata = !nutch->has_link_metadata;
        if (!are_inlinks(value, n, nutch->has_link_metadata)) {
            return "its inlinks";
        }
    }
    *status = number(nutch, url, url_bytes, &page, err);
    for (int32_t i = 0; i < n && *status == MR_OK; i++) {
        const char *from = take_link(value, nutch->has_link_metadata, &bytes);
        *status = number(nutch, from, bytes, &source, err);
        if (*status == MR_OK) {
            *status = link_pages(nutch, source, page, err);
        }
    }
    return NULL;
}

/* Skip a ParseStatus, and find the target of a redirect in it: [*url_bytes], NULL for none. */
static const char *skip_status(struct mr_sequence_bytes *value, size_t *url_bytes)
{
    const char *url = NULL;
    const uint8_t version = mr_sequence_byte(value);

    (void)mr_sequence_byte(value); /* major code */
    const unsigned high = mr_sequence_byte(value);
    const unsigned minor = high << 8 | mr_sequence_byte(value);
    const int32_t n = mr_sequence_int(value);
    value->is_bad |= (version != 1 && version != 2) || n < -1; /* -1: no texts */
    for (int32_t i = 0; i < n && !value->is_bad; i++) {
        const int32_t bytes = mr_sequence_int(value); /* -1: no text */
        const char *text = (const char *)value->at;
        mr_sequence_skip(value, bytes == -1 ? 0 : bytes);
        if (i == 0 && version == 2 && minor == SUCCESS_REDIRECT && bytes > 0 && !value->is_bad) {
            url = text;
            *url_bytes = (size_t)bytes;
        }
    }
    return url;
}

/* Take the metadata behind the outlinks, names with their values: those of the content, and those
 * of the parser, which say nothing that is needed. */
static void take_metadata(struct mr_sequence_bytes *value, struct mr_capture *capture)
{
    uint32_t listed = 0;

    int32_t n = mr_sequence_int(value);
    for (value->is_bad |= n<0; n> 0 && !value->is_bad; n--) {
        struct mr_table_field key = {.text = NULL};
        key.text = mr_sequence_text(value, &key.bytes);
        int32_t k = mr_sequence_int(value);
        for (value->is_bad |= k<0; k> 0 && !value->is_bad; k--) {
            size_t bytes = 0;
            double seconds = 0;
            const char *text = mr_sequence_text(value, &bytes);
            if (mr_table_is(&key, " nutchcontentdigest ")) {
                capture->digest = mr_digest_of_text(text, bytes);
            } else if (mr_table_is(&key, " ftk ") && mr_time_parse(text, bytes, &seconds)) {
                capture->time = (uint32_t)seconds;
            } else if (mr_table_is(&key, " nutchsegmentname ") && bytes == 14 &&
                       mr_time_parse(text, bytes, &seconds)) {
                listed = (uint32_t)seconds;
            }
        }
    }
    if (capture->time == 0) {
        capture->time = listed;
        capture->digest = MR_DIGEST_NO_FETCH;
    }
    capture->confirms = capture->time;
}

static const char *read_parse_data(struct nutch_file *nutch, const char *url, size_t url_bytes,
                                   struct mr_sequence_bytes *value, enum mr_status *status,
                                   struct mr_error *err)
{
    struct mr_capture capture = {.time = 0}, unused;
    size_t bytes = 0, ignored;
    uint64_t page;

    if (!mr_sequence_version(value, PARSE_DATA_VERSION, PARSE_DATA_VERSION)) {
        return value->is_bad ? "its ParseData"
                             : "only version 5 of ParseData can be read; build also reads the text "
                               "that 'nutch readseg -dump SEGMENT DIR' writes";
    }
    const char *redirect = skip_status(value, &bytes);
    (void)mr_sequence_text(value, &ignored); /* the title */
    const int32_t n = mr_sequence_int(value);
    if (value->is_bad || n < 0 || n > value->end - value->at) {
        return "its ParseData";
    }
    struct mr_sequence_bytes behind = *value;
    for (int32_t i = 0; i < n && !behind.is_bad; i++) {
        (void)take_link(&behind, true, &ignored);
    }
    take_metadata(&behind, &capture);
    take_metadata(&behind, &unused);
    if (!mr_sequence_is_done(&behind)) {
        value->other_class = behind.other_class;
        return "its outlinks or what is behind them";
    }
    *status = number(nutch, url, url_bytes, &page, err);
    if (*status == MR_OK) {
        *status = mr_edge_batch_page(&nutch->batch, &capture, &page, err);
    }
    if (redirect != NULL && *status == MR_OK) {
        *status = add_link(nutch, page, redirect, bytes, err);
    }
    for (int32_t i = 0; i < n && *status == MR_OK; i++) {
        const char *to = take_link(value, true, &bytes);
        *status = add_link(nutch, page, to, bytes, err);
    }
    return NULL;
}

/* Adds the fetch of a page, and where it leads to. */
static const char *read_datum(struct nutch_file *nutch, const char *url, size_t url_bytes,
                              struct mr_sequence_bytes *value, enum mr_status *status,
                              struct mr_error *err)
{
    struct mr_row fetch = {.values = {-1}};
    struct mr_crawl_datum datum;
    uint64_t page;
    const char *reason = mr_crawl_datum_take(value, &datum, &fetch);
    const uint8_t state = datum.status;

    if (reason != NULL) {
        return reason;
    }
    if (state == DB_GONE || state == DB_DUPLICATE || state == DB_ORPHAN || state == FETCH_GONE) {
        nutch->request.summary->other_kinds++;
        return NULL;
    }
    nutch->request.summary->pages++;
    *status = number(nutch, url, url_bytes, &page, err);
    if (*status == MR_OK && fetch.state == MR_FETCH_DONE && state != DB_UNFETCHED &&
        fetch.values[0] > 0) {
        const struct mr_capture capture = {
            .time = (uint32_t)fetch.values[0], .digest = datum.digest, .is_due = datum.is_due};
        *status = mr_edge_batch_fetch(&nutch->batch, page, capture, err);
    }
    if (*status == MR_OK && datum.redirect.text != NULL) {
        *status = add_link(nutch, page, datum.redirect.text, datum.redirect.bytes, err);
    }
    return NULL;
}

/* A link of the WebGraph. */
static const char *read_link(struct nutch_file *nutch, const char *url, size_t url_bytes,
                             struct mr_sequence_bytes *value, enum mr_status *status,
                             struct mr_error *err)
{
    enum { INLINK = 1, OUTLINK };
    uint64_t page;
    size_t bytes;
    const char *other = take_link(value, false, &bytes);

    mr_sequence_skip(value, 4 + 8);
    const uint8_t kind = mr_sequence_byte(value);
    if (!mr_sequence_is_done(value) || kind < INLINK || kind > OUTLINK) {
        return "its LinkDatum";
    }
    const bool is_from = kind == OUTLINK;
    *status = number(nutch, is_from ? url : other, is_from ? url_bytes : bytes, &page, err);
    if (*status == MR_OK) {
        *status = add_link(nutch, page, is_from ? other : url, is_from ? bytes : url_bytes, err);
    }
    return NULL;
}

/* ---- The file ---- */

static enum mr_status choose_reader(struct nutch_file *nutch, struct mr_error *err)
{
    const char *key = mr_sequence_key_class(nutch->file);
    const char *value = mr_sequence_value_class(nutch->file);
    char quote[MR_LINES_QUOTE_BYTES];

    if (strcmp(key, "org.apache.hadoop.io.Text") == 0) {
        if (strcmp(value, "org.apache.nutch.crawl.Inlinks") == 0) {
            nutch->read = read_inlinks;
        } else if (strcmp(value, "org.apache.nutch.parse.ParseData") == 0) {
            nutch->read = read_parse_data;
        } else if (strcmp(value, "org.apache.nutch.crawl.CrawlDatum") == 0) {
            nutch->read = read_datum;
        } else if (strcmp(value, "org.apache.nutch.scoring.webgraph.LinkDatum") == 0) {
            nutch->read = read_link;
        }
    }
    return nutch->read != NULL
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, mr_input_name(nutch->request.input), 0,
                               "is a Hadoop SequenceFile of %s; links are in the files called data "
                               "of a linkdb (linkdb/current/part-r-00000/data) and of a segment's "
                               "parse_data",
                               mr_lines_quote(value, strlen(value), quote));
}

static enum mr_status open_nutch(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    struct nutch_file *nutch = data;
    const enum mr_status status =
        mr_sequence_open(nutch->request.context, nutch->request.input, &nutch->file, err);

    (void)head;
    return status == MR_OK ? choose_reader(nutch, err) : status;
}

static enum mr_status read_record(struct nutch_file *nutch, struct mr_sequence_record *record,
                                  struct mr_error *err)
{
    size_t bytes;
    enum mr_status status = MR_OK;
    const char *url = mr_sequence_text(&record->key, &bytes);
    const char *reason = mr_sequence_is_done(&record->key) ? NULL : "the URL of a record";

    nutch->request.summary->lines++;
    if (reason == NULL) {
        reason = nutch->read(nutch, url, bytes, &record->value, &status, err);
    }
    return reason == NULL ? status : mr_sequence_refuse(nutch->file, record, reason, err);
}

static enum mr_status read_nutch(void *data, struct mr_error *err)
{
    struct nutch_file *nutch = data;
    struct mr_sequence_record record;
    enum mr_status status = MR_OK;
    bool found = true;

    while (status == MR_OK && found) {
        status = mr_sequence_next(nutch->file, &record, &found, err);
        if (status == MR_OK && found) {
            status = read_record(nutch, &record, err);
        }
    }
    if (status == MR_OK && nutch->n_unnamed > 0) {
        mr_context_note(nutch->request.context,
                        "%s: left out %llu links to or from URLs that are no pages (mailto and the "
                        "like), too long, or have blanks or control characters in them",
                        mr_input_name(nutch->request.input), (unsigned long long)nutch->n_unnamed);
    }
    return status;
}

const struct mr_graph_format mr_format_nutch_sequence = {.name = "nutch-sequence",
                                                         .mark = "nutch-sequence",
                                                         .title = "a SequenceFile of Nutch",
                                                         .has_nutch_names = true,
                                                         .has_records = true,
                                                         .detect = detect,
                                                         .reader_bytes =
                                                             MR_READER_BYTES(struct nutch_file),
                                                         .head = {.ids = MR_IDS_TEXT},
                                                         .open = open_nutch,
                                                         .read = read_nutch,
                                                         .close = close_nutch};
