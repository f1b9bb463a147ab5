/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of the links in WARC and ARC files: records come from warc_records.h.
 *
 *     wat    metadata records in JSON: wat_links.c
 *     warc   Heritrix's "application/warc-fields": lines "outlink: URL HOPS CONTEXT"; for pages
 *            without such lines, the HTML of responses: page_links.c
 *     arc    the HTML of responses
 *
 * A crawler that writes outlinks has extracted them with more knowledge than the page alone gives,
 * such as the way to the page. A response therefore waits until the next one: if a metadata record
 * of the same URL comes, that counts. --outlinks-from decides otherwise.
 *
 * Links are relative to the page or to its base. A page without links is a vertex too, so that the
 * ranking treats it as dangling. The record of an image, a script, a robots.txt or a failed
 * response makes no vertex by itself, unless --link-kinds asks for it: such a vertex needs a link
 * of a wanted kind. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/crawl/warc_internal.h"
#include "formats/stream/output.h"

static bool begins(const struct mr_graph_probe *probe)
{
    return probe->bytes >= 7 && memcmp(probe->data, "WARC/", 5) == 0;
}

static bool detect_wat(const struct mr_graph_probe *probe)
{
    return begins(probe) && (mr_output_has_suffix(probe->path, ".wat") ||
                             memmem(probe->data, probe->bytes, "application/json", 16) != NULL);
}

static bool detect_arc(const struct mr_graph_probe *probe)
{
    return mr_arc_begins(probe->data, probe->bytes);
}

static void close_warc(void *data)
{
    struct mr_warc_reader *reader = data;
    if (reader != NULL) {
        mr_warc_records_close(reader->records);
        mr_resolver_close(reader->resolver);
        mr_page_links_close(reader->page);
        free(reader);
    }
}

static enum mr_status open_warc(const struct mr_graph_request *request, struct mr_graph_head *head,
                                bool is_wat, void **out, struct mr_error *err)
{
    struct mr_warc_reader *reader = calloc(1, sizeof *reader);

    *out = NULL;
    if (reader == NULL || (reader->resolver = mr_resolver_open()) == NULL) {
        close_warc(reader);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    reader->request = *request;
    reader->is_wat = is_wat;
    reader->wanted =
        request->text->link_kinds != 0 ? request->text->link_kinds : (unsigned)MR_LINKS_DEFAULT;
    reader->from = request->text->outlinks_from;
    enum mr_status status =
        mr_warc_records_open(request->context, request->input, &reader->records, err);
    if (status == MR_OK && !is_wat) {
        status = mr_page_links_open(request->context, reader->from != MR_OUTLINKS_METADATA,
                                    &reader->page, err);
    }
    if (status != MR_OK) {
        close_warc(reader);
        return status;
    }
    *head = (struct mr_graph_head){.ids = MR_IDS_TEXT};
    *out = reader;
    return MR_OK;
}

static enum mr_status open_wat(const struct mr_graph_request *request, struct mr_graph_head *head,
                               void **out, struct mr_error *err)
{
    return open_warc(request, head, true, out, err);
}

static enum mr_status open_outlinks(const struct mr_graph_request *request,
                                    struct mr_graph_head *head, void **out, struct mr_error *err)
{
    return open_warc(request, head, false, out, err);
}

/* ---- warc ---- */

/* A run of bytes without blanks. */
struct word {
    const char *text;
    size_t bytes;
};

static struct word next_word(const char **at, const char *end)
{
    const char *text = *at;

    while (text < end && (unsigned char)*text <= ' ') {
        text++;
    }
    const char *stop = text;
    while (stop < end && (unsigned char)*stop > ' ') {
        stop++;
    }
    *at = stop;
    return (struct word){.text = text, .bytes = (size_t)(stop - text)};
}

/* Find the next line that begins with `label`; [*at, *stop) is the rest of that line. */
static bool next_field(const char **at, const char *end, const char *label, const char **stop)
{
    const size_t bytes = strlen(label);

    for (const char *line = *at; line < end; line = *stop + 1) {
        *stop = memchr(line, '\n', (size_t)(end - line));
        *stop = *stop != NULL ? *stop : end;
        if ((size_t)(*stop - line) > bytes && strncasecmp(line, label, bytes) == 0) {
            *at = line + bytes;
            return true;
        }
    }
    return false;
}

/* The kinds of the page by the way Heritrix came to it: "hopsFromSeed: LLE". */
static unsigned kinds_of_page(const char *body, const char *end)
{
    const char *stop;

    if (!next_field(&body, end, "hopsFromSeed:", &stop)) {
        return MR_LINK_NAVIGATION;
    }
    const struct word way = next_word(&body, stop);
    return mr_link_kinds_of_way(way.text, way.bytes);
}

/* The kinds of the outlink "URL L a/@href" of a page of kinds `page`. A redirect from an image
 * leads to an image. */
static unsigned kinds_of_outlink(unsigned page, struct word hop, struct word context)
{
    unsigned kinds = hop.bytes == 1 ? mr_link_kinds_of_hop(*hop.text) : MR_LINK_NAVIGATION;

    if (kinds == MR_LINK_REDIRECT && page != 0 && (page & MR_LINKS_DEFAULT) == 0) {
        kinds = page;
    }
    return kinds == MR_LINK_NAVIGATION || kinds == MR_LINK_EMBED
               ? kinds | mr_link_kinds_of_element(context.text, context.bytes)
               : kinds;
}

static enum mr_status read_fields(struct mr_warc_reader *reader,
                                  const struct mr_warc_record *record, struct mr_error *err)
{
    const char *end = record->body + record->body_bytes, *stop;
    struct mr_warc_page page = {.url = record->target, .bytes = record->target_bytes};
    enum mr_status status = MR_OK;

    if (record->target == NULL ||
        !mr_resolver_page(reader->resolver, record->target, record->target_bytes)) {
        return MR_OK;
    }
    const bool has_failed = record->target_bytes == reader->failed_bytes &&
                            memcmp(record->target, reader->failed, reader->failed_bytes) == 0;
    const unsigned own = mr_link_kinds_of_url(record->target, record->target_bytes) |
                         (has_failed ? (unsigned)MR_LINK_FAILED : 0);
    if ((own & ~(unsigned)MR_LINK_EMBED & ~reader->wanted) != 0) {
        return MR_OK;
    }
    const unsigned kinds = kinds_of_page(record->body, end);
    if (mr_link_is_wanted(kinds, own, reader->wanted | MR_LINKS_DEFAULT)) {
        status = mr_warc_page_name(reader, &page, err);
    }
    for (const char *at = record->body; status == MR_OK && next_field(&at, end, "outlink:", &stop);
         at = stop) {
        const struct word url = next_word(&at, stop);
        const struct word hop = next_word(&at, stop);
        const struct word context = next_word(&at, stop);
        if (url.bytes > 0) {
            status = mr_warc_page_link(reader, &page, kinds_of_outlink(kinds, hop, context),
                                       url.text, url.bytes, err);
        }
    }
    return status;
}

/* ---- Responses ---- */

/* Save the URL of a failed response. Heritrix writes the response before the metadata, so the
 * metadata record that follows can be checked against it. */
static void note_response(struct mr_warc_reader *reader, long http_status)
{
    const bool has_failed = http_status != 0 && mr_link_is_failure(http_status);
    reader->failed_bytes = has_failed ? reader->url_bytes : 0;
    memcpy(reader->failed, reader->url, reader->failed_bytes);
}

/* Read a response and keep what it says for flush_response. */
static enum mr_status read_response(struct mr_warc_reader *reader,
                                    const struct mr_warc_record *record, struct mr_error *err)
{
    const char *data;
    size_t bytes;
    enum mr_status status;

    reader->failed_bytes = 0;
    reader->is_pending = false;
    if (record->target == NULL || record->target_bytes > sizeof reader->url) {
        return MR_OK;
    }
    memcpy(reader->url, record->target, record->target_bytes);
    reader->url_bytes = record->target_bytes;
    reader->is_pending = reader->from != MR_OUTLINKS_METADATA;
    mr_page_links_begin(reader->page, record->is_http);
    do {
        status = mr_warc_records_body(reader->records, &data, &bytes, err);
        if (status == MR_OK && bytes > 0) {
            status = mr_page_links_feed(reader->page, data, bytes, err);
        }
    } while (status == MR_OK && bytes > 0);
    if (status == MR_OK) {
        status = mr_page_links_end(reader->page, err);
    }
    const struct mr_http_head *head = mr_page_links_head(reader->page);
    note_response(reader, record->is_http && head != NULL ? head->status : 0);
    return status;
}

static enum mr_status add_page_links(struct mr_warc_reader *reader, struct mr_warc_page *page,
                                     const struct mr_http_head *head, struct mr_error *err)
{
    struct mr_page_link link;
    const char *url;
    size_t bytes;
    enum mr_status status = MR_OK;

    if (head->location.bytes > 0) {
        status = mr_warc_page_link(reader, page, MR_LINK_REDIRECT, head->location.text,
                                   head->location.bytes, err);
    }
    if (status == MR_OK && head->refresh.bytes > 0 &&
        mr_refresh_url(head->refresh.text, head->refresh.bytes, &url, &bytes)) {
        status = mr_warc_page_link(reader, page, MR_LINK_REDIRECT, url, bytes, err);
    }
    const char *base = mr_page_links_base(reader->page, &bytes);
    if (base != NULL) {
        (void)mr_resolver_base(reader->resolver, base, bytes);
    }
    while (status == MR_OK && mr_page_links_next(reader->page, &link)) {
        if (!(link.nofollow && reader->request.text->drop_nofollow)) {
            status = mr_warc_page_link(reader, page, link.kinds, link.text, link.bytes, err);
        }
    }
    return status;
}

/* Pass the latest response on, if no metadata record has replaced it. */
static enum mr_status flush_response(struct mr_warc_reader *reader, struct mr_error *err)
{
    struct mr_warc_page page = {.url = reader->url, .bytes = reader->url_bytes};

    if (!reader->is_pending) {
        return MR_OK;
    }
    reader->is_pending = false;
    const struct mr_http_head *head = mr_page_links_head(reader->page);
    if (head == NULL || !mr_resolver_page(reader->resolver, page.url, page.bytes)) {
        return MR_OK;
    }
    const unsigned own =
        mr_link_kinds_of_url(page.url, page.bytes) |
        mr_link_kinds_of_type(head->type.text, head->type.bytes) |
        (head->status != 0 && mr_link_is_failure(head->status) ? (unsigned)MR_LINK_FAILED : 0);
    if (!mr_link_is_wanted(MR_LINK_NAVIGATION, own, reader->wanted | MR_LINKS_DEFAULT)) {
        return MR_OK;
    }
    reader->n_damaged += mr_page_links_are_damaged(reader->page);
    const enum mr_status status = mr_warc_page_name(reader, &page, err);
    return status == MR_OK ? add_page_links(reader, &page, head, err) : status;
}

/* Does the metadata record say what Heritrix knows of the page that waits? */
static bool replaces_response(const struct mr_warc_reader *reader,
                              const struct mr_warc_record *record)
{
    static const char *const labels[] = {"outlink:", "hopsFromSeed:"};
    const char *end = record->body + record->body_bytes;

    if (!reader->is_pending || record->target == NULL ||
        record->target_bytes != reader->url_bytes ||
        memcmp(record->target, reader->url, reader->url_bytes) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        const char *at = record->body, *stop;
        if (next_field(&at, end, labels[i], &stop)) {
            return true;
        }
    }
    return false;
}

/* A URL that could not be resolved for want of memory is not taken for a bad one. */
static enum mr_status check_resolver(const struct mr_warc_reader *reader, enum mr_status status,
                                     struct mr_error *err)
{
    const enum mr_status resolved = mr_resolver_check(reader->resolver, err);
    return resolved != MR_OK ? resolved : status;
}

static enum mr_status take_record(struct mr_warc_reader *reader,
                                  const struct mr_warc_record *record, struct mr_error *err)
{
    if (reader->is_wat) {
        return record->is_metadata && record->is_json ? mr_wat_read(reader, record, err) : MR_OK;
    }
    if (record->is_response) {
        const enum mr_status status = flush_response(reader, err);
        return status == MR_OK ? read_response(reader, record, err) : status;
    }
    if (!record->is_metadata || record->is_json || reader->from == MR_OUTLINKS_HTML) {
        return MR_OK;
    }
    if (replaces_response(reader, record)) {
        reader->is_pending = false;
    }
    return read_fields(reader, record, err);
}

/* ---- All records ---- */

static enum mr_status read_warc(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct mr_warc_reader *reader = data;
    struct mr_warc_record record;
    enum mr_status status = MR_OK;
    bool found = true;

    reader->sink = sink;
    reader->batch.request = &reader->request;
    reader->batch.sink = sink;
    for (;;) {
        status = mr_context_poll(reader->request.context, err);
        if (status == MR_OK) {
            status = mr_warc_records_next(reader->records, &record, &found, err);
        }
        if (status != MR_OK || !found) {
            break;
        }
        reader->request.summary->lines++;
        status = check_resolver(reader, take_record(reader, &record, err), err);
        if (status != MR_OK) {
            break;
        }
    }
    if (status == MR_OK) {
        status = check_resolver(reader, flush_response(reader, err), err);
    }
    if (status == MR_OK && reader->n_damaged > 0) {
        mr_context_note(reader->request.context,
                        "%s: %llu page%s cut off or damaged; links before the damage count",
                        mr_input_name(reader->request.input), (unsigned long long)reader->n_damaged,
                        reader->n_damaged == 1 ? " is" : "s are");
    }
    return status == MR_OK ? mr_edge_batch_flush(&reader->batch, err) : status;
}

const struct mr_graph_format mr_format_wat = {.name = "wat",
                                              .title = "a WAT file",
                                              .detect = detect_wat,
                                              .open = open_wat,
                                              .read = read_warc,
                                              .close = close_warc,
                                              .link_kinds = MR_LINKS_OF_ELEMENTS |
                                                            MR_LINKS_DEFAULT | MR_LINK_EMBED |
                                                            MR_LINK_PREREQUISITE | MR_LINK_FAILED,
                                              .takes_long = true};
const struct mr_graph_format mr_format_warc = {.name = "warc",
                                               .title = "a WARC file",
                                               .detect = begins,
                                               .open = open_outlinks,
                                               .read = read_warc,
                                               .close = close_warc,
                                               .link_kinds =
                                                   MR_LINKS_OF_ELEMENTS | MR_LINKS_OF_HOPS,
                                               .takes_long = true};
const struct mr_graph_format mr_format_arc = {.name = "arc",
                                              .title = "an ARC file",
                                              .detect = detect_arc,
                                              .open = open_outlinks,
                                              .read = read_warc,
                                              .close = close_warc,
                                              .link_kinds = MR_LINKS_OF_ELEMENTS |
                                                            MR_LINKS_DEFAULT | MR_LINK_EMBED |
                                                            MR_LINK_PREREQUISITE | MR_LINK_FAILED,
                                              .takes_long = true};
