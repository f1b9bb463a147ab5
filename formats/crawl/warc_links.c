/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of the links in WARC, WAT and ARC files: records come from warc_records.c. Every
 * record is read by what its header says, whatever the file is called:
 *
 *     response, resource    the HTML of the page: page_links.c
 *     metadata in lines     Heritrix's outlinks: "outlink: URL HOPS CONTEXT"
 *     metadata in JSON      the links of a page as a WAT file has them: wat_links.c
 *
 * Records of one URL that follow each other belong together. They wait for each other, because
 * metadata are a copy of what the HTML says, mixed with guesses: they count if the HTML is not
 * there, and else say how Heritrix spells its links. --outlinks-from decides otherwise. Waiting
 * also shows whether a record is damaged, before its links are added.
 *
 * Links are relative to the page or to its base. A page without links is a vertex too, so that the
 * ranking treats it as dangling. The record of an image, a script, a robots.txt or a failed
 * response makes no vertex by itself, unless --link-kinds asks for it: such a vertex needs a link
 * of a wanted kind. */
#include <string.h>
#include <strings.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "formats/crawl/warc_internal.h"
#include "formats/stream/output.h"
#include "formats/table/lines.h"

static bool begins(const struct mr_graph_probe *probe)
{
    return probe->bytes >= 7 && memcmp(probe->data, "WARC/", 5) == 0;
}

static bool is_envelope(const char *json, size_t bytes)
{
    return memmem(json, bytes, "\"Envelope\"", 10) != NULL;
}

/* Is the first record that may have links one of a WAT file? If the probe holds no such record, the
 * name of the file decides. The reader is the same; only messages and --link-kinds differ. */
static bool detect_wat(const struct mr_graph_probe *probe)
{
    const char *at = probe->data, *const end = at + probe->bytes;

    if (!begins(probe)) {
        return false;
    }
    while (at < end) {
        const size_t head = mr_http_head_end(at, (size_t)(end - at), 0);
        const struct mr_span text = mr_http_field(at, head, "Content-Length");
        const enum mr_warc_kind kind = mr_warc_header_kind(at, head);
        const char *digits = text.text;
        uint64_t length = 0;
        if (kind == MR_WARC_RESPONSE || kind == MR_WARC_RESOURCE || kind == MR_WARC_FIELDS) {
            return false;
        }
        if (head == 0 || digits == NULL ||
            mr_decimal_parse(&digits, digits + text.bytes, &length) != MR_DECIMAL_OK) {
            break;
        }
        at += head;
        length = mr_min_u64(length, (uint64_t)(end - at));
        if (kind == MR_WARC_JSON && is_envelope(at, length)) {
            return true;
        }
        at += length;
        while (at < end && (*at == '\r' || *at == '\n')) {
            at++;
        }
    }
    return mr_output_has_suffix(probe->path, ".wat");
}

static bool detect_arc(const struct mr_graph_probe *probe)
{
    return mr_arc_begins(probe->data, probe->bytes);
}

static void close_warc(void *data)
{
    struct mr_warc_reader *reader = data;
    mr_warc_records_close(reader->records);
    mr_resolver_close(reader->resolver);
    mr_page_links_close(reader->page);
    mr_outlink_names_close(&reader->names);
}

static enum mr_status open_warc(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    struct mr_warc_reader *reader = data;
    const struct mr_graph_request *request = &reader->request;

    (void)head;
    reader->resolver = mr_resolver_open();
    if (reader->resolver == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    reader->is_wat = !request->format->tells_outlinks;
    reader->wanted =
        request->text->link_kinds != 0 ? request->text->link_kinds : (unsigned)MR_LINKS_DEFAULT;
    reader->from = request->text->outlinks_from;
    const enum mr_status status = mr_warc_records_open(&reader->request, &reader->records, err);
    return status == MR_OK
               ? mr_page_links_open(request->context, reader->from != MR_OUTLINKS_METADATA,
                                    &reader->page, err)
               : status;
}

/* ---- Outlinks in metadata ---- */

/* The kinds of the page by the way Heritrix came to it: "hopsFromSeed: LLE". */
static unsigned kinds_of_page(const char *body, size_t bytes)
{
    const struct mr_span way = mr_http_field(body, bytes, "hopsFromSeed");
    return way.text != NULL ? mr_link_kinds_of_way(way.text, way.bytes) : MR_LINK_NAVIGATION;
}

/* Adds the outlink "URL L a/@href" of a page of kinds `page`. A redirect from an image leads to an
 * image. A page that redirects has no other links, as when its HTML is read. */
static enum mr_status add_outlink(struct mr_warc_reader *reader, unsigned page, bool redirects,
                                  struct mr_span outlink, struct mr_error *err)
{
    const char *at = outlink.text, *const end = at + outlink.bytes;
    size_t bytes, hop_bytes, context_bytes;
    const char *url = mr_lines_field(&at, end, &bytes);
    const char *hop = mr_lines_field(&at, end, &hop_bytes);
    const char *context = mr_lines_field(&at, end, &context_bytes);
    const unsigned kinds = hop_bytes == 1 ? mr_link_kinds_of_outlink(*hop, context, context_bytes)
                                          : MR_LINK_NAVIGATION;
    const bool is_part = kinds == MR_LINK_REDIRECT && page != 0 && (page & MR_LINKS_DEFAULT) == 0;
    return url == NULL || (redirects && kinds != MR_LINK_REDIRECT)
               ? MR_OK
               : mr_warc_page_link(reader, is_part ? page : kinds, url, bytes, err);
}

/* Add the outlinks of the metadata. `head` is that of the page, or NULL; `own` are the kinds of the
 * page by itself. */
static enum mr_status add_fields(struct mr_warc_reader *reader, const struct mr_http_head *head,
                                 unsigned own, struct mr_error *err)
{
    const bool redirects = head != NULL && head->status >= 300 && head->status < 400;
    const char *at = reader->metadata, *end = at + reader->metadata_bytes;
    bool is_page = false;

    if ((own & ~(unsigned)MR_LINK_EMBED & ~reader->wanted) != 0) {
        return MR_OK;
    }
    enum mr_status status = mr_warc_page_begin(reader, reader->url, reader->url_bytes,
                                               reader->metadata_at, &is_page, err);
    if (!is_page) {
        return status;
    }
    const unsigned kinds = kinds_of_page(at, reader->metadata_bytes);
    if (mr_link_is_wanted(kinds, own, reader->wanted | MR_LINKS_DEFAULT)) {
        status = mr_warc_page_name(reader, err);
    }
    struct mr_span outlink;
    while (status == MR_OK && (outlink = mr_http_next_field(&at, end, "outlink")).text != NULL) {
        status = add_outlink(reader, kinds, redirects, outlink, err);
    }
    return status;
}

/* ---- Responses ---- */

/* Read a response or a resource and keep what it says for flush. */
static enum mr_status read_response(struct mr_warc_reader *reader,
                                    const struct mr_warc_record *record, struct mr_error *err)
{
    const bool has_head = record->kind == MR_WARC_RESPONSE;
    const char *data;
    size_t bytes;

    reader->has_response = true;
    reader->is_copy = record->is_copy;
    reader->capture = record->capture;
    reader->response_at = record->offset;
    enum mr_status status = mr_page_links_begin(reader->page, has_head ? NULL : &record->type, err);
    do {
        bytes = 0;
        if (status == MR_OK) {
            status = mr_warc_records_body(reader->records, &data, &bytes, err);
        }
        if (status == MR_OK && bytes > 0) {
            status = mr_page_links_feed(reader->page, data, bytes, err);
        }
    } while (status == MR_OK && bytes > 0);
    return status == MR_OK ? mr_page_links_end(reader->page, err) : status;
}

static enum mr_status add_page_links(struct mr_warc_reader *reader, const struct mr_http_head *head,
                                     struct mr_error *err)
{
    struct mr_page_link link;
    const char *url;
    size_t bytes;
    enum mr_status status = MR_OK;

    if (head->location.bytes > 0) {
        status = mr_warc_page_link(reader, MR_LINK_REDIRECT, head->location.text,
                                   head->location.bytes, err);
    }
    if (status == MR_OK && head->refresh.bytes > 0 &&
        mr_refresh_url(head->refresh.text, head->refresh.bytes, &url, &bytes)) {
        status = mr_warc_page_link(reader, MR_LINK_REDIRECT, url, bytes, err);
    }
    const char *base = mr_page_links_base(reader->page, &bytes);
    if (base != NULL) {
        (void)mr_resolver_base(reader->resolver, base, bytes);
    }
    while (status == MR_OK && mr_page_links_next(reader->page, &link)) {
        if (!(link.nofollow && reader->request.text->drop_nofollow)) {
            status = mr_warc_page_link(reader, link.kinds, link.text, link.bytes, err);
        }
    }
    return status;
}

/* Adds the fetch of a page that is a copy of another one. Its links stand there, so this is no
 * capture: those of earlier captures stay. */
static enum mr_status add_copy(struct mr_warc_reader *reader, struct mr_error *err)
{
    uint64_t id;
    enum mr_status status =
        mr_edge_batch_name(&reader->batch, reader->name, strlen(reader->name), &id, err);

    reader->n_copies++;
    reader->request.summary->pages += id != UINT64_MAX;
    return status == MR_OK ? mr_edge_batch_fetch(&reader->batch, id, reader->capture, err) : status;
}

static enum mr_status add_response(struct mr_warc_reader *reader, const struct mr_http_head *head,
                                   unsigned own, struct mr_error *err)
{
    bool is_page = false;

    if (head == NULL ||
        !mr_link_is_wanted(MR_LINK_NAVIGATION, own, reader->wanted | MR_LINKS_DEFAULT)) {
        return MR_OK;
    }
    enum mr_status status = mr_warc_page_begin(reader, reader->url, reader->url_bytes,
                                               reader->response_at, &is_page, err);
    if (!is_page) {
        return status;
    }
    if (reader->is_copy && reader->metadata == NULL && head->location.bytes == 0 &&
        mr_page_links_are_read(reader->page)) {
        return add_copy(reader, err);
    }
    reader->n_damaged += mr_page_links_are_damaged(reader->page);
    reader->n_too_long += mr_page_links_too_long(reader->page);
    status = mr_warc_page_name(reader, err);
    return status == MR_OK ? add_page_links(reader, head, err) : status;
}

/* ---- Records of one URL ---- */

/* Has the HTML of the page been read to its end, so that its metadata say nothing new? */
static bool has_html(const struct mr_warc_reader *reader)
{
    return reader->has_response && !reader->is_copy && reader->from == MR_OUTLINKS_AUTO &&
           mr_page_links_are_read(reader->page) && !mr_page_links_are_damaged(reader->page);
}

/* Pages and links of Heritrix have the names that it gives them. Its metadata have these fields. */
static enum mr_status take_names(struct mr_warc_reader *reader, struct mr_error *err)
{
    const char *metadata = reader->metadata;
    const size_t bytes = reader->metadata_bytes;

    reader->is_heritrix = metadata != NULL && !reader->metadata_are_json &&
                          (mr_http_field(metadata, bytes, "fetchTimeMs").text != NULL ||
                           mr_http_field(metadata, bytes, "outlink").text != NULL);
    return reader->is_heritrix
               ? mr_outlink_names_set(&reader->names, reader->request.context->memory, metadata,
                                      bytes, err)
               : MR_OK;
}

/* Add the links of the records that wait. A URL that could not be resolved for want of memory is
 * not taken for a bad one. */
static enum mr_status flush(struct mr_warc_reader *reader, struct mr_error *err)
{
    const struct mr_http_head *head =
        reader->has_response ? mr_page_links_head(reader->page) : NULL;
    unsigned own = mr_link_kinds_of_url(reader->url, reader->url_bytes);
    enum mr_status status = take_names(reader, err);

    if (head != NULL) {
        own |=
            mr_link_kinds_of_type(head->type.text, head->type.bytes) |
            (head->status != 0 && mr_link_is_failure(head->status) ? (unsigned)MR_LINK_FAILED : 0);
    }
    if (status == MR_OK && reader->has_response && reader->from != MR_OUTLINKS_METADATA) {
        status = add_response(reader, head, own, err);
    }
    if (status == MR_OK && reader->metadata != NULL && !has_html(reader)) {
        status = reader->metadata_are_json ? mr_wat_read(reader, err)
                                           : add_fields(reader, head, own, err);
    }
    reader->names.n = 0;
    reader->has_response = false;
    reader->metadata = NULL;
    reader->url_bytes = 0;
    const enum mr_status resolved = mr_resolver_check(reader->resolver, err);
    return resolved != MR_OK ? resolved : status;
}

/* Forget the records that wait and begin behind `good`: they are damaged. */
static void forget(struct mr_warc_reader *reader, uint64_t good)
{
    reader->has_response = reader->has_response && reader->response_at < good;
    reader->metadata = reader->metadata_at < good ? reader->metadata : NULL;
}

/* Begin with the records of another URL. */
static enum mr_status take_url(struct mr_warc_reader *reader, const struct mr_warc_record *record,
                               struct mr_error *err)
{
    const bool is_response = record->kind == MR_WARC_RESPONSE || record->kind == MR_WARC_RESOURCE;
    const size_t bytes = record->target.bytes;

    if (is_response && (bytes == 0 || bytes > sizeof reader->url)) {
        return mr_warc_records_bad(reader->records, record->offset,
                                   bytes == 0 ? "this record has no URL"
                                              : "the URL of this record is too long for a name",
                                   err);
    }
    reader->url_bytes = bytes <= sizeof reader->url ? bytes : 0;
    if (reader->url_bytes > 0) {
        memcpy(reader->url, record->target.text, reader->url_bytes);
    }
    return MR_OK;
}

static enum mr_status take_record(struct mr_warc_reader *reader,
                                  const struct mr_warc_record *record, struct mr_error *err)
{
    const enum mr_warc_kind kind = record->kind;
    const bool is_response = kind == MR_WARC_RESPONSE || kind == MR_WARC_RESOURCE;
    const bool is_metadata = kind == MR_WARC_FIELDS || kind == MR_WARC_JSON;
    const bool is_same = reader->url_bytes > 0 && record->target.bytes == reader->url_bytes &&
                         memcmp(record->target.text, reader->url, reader->url_bytes) == 0;
    enum mr_status status = MR_OK;

    reader->n_texts += kind == MR_WARC_TEXT;
    reader->n_sources += is_response || is_metadata;
    if (!is_same || (is_response && reader->has_response) ||
        (is_metadata && reader->metadata != NULL)) {
        status = flush(reader, err);
        if (status == MR_OK) {
            status = take_url(reader, record, err);
        }
    }
    if (status != MR_OK || (reader->url_bytes == 0 && kind != MR_WARC_JSON)) {
        return status; /* the JSON of a WAT file says the URL, too */
    }
    if (is_response) {
        return read_response(reader, record, err);
    }
    if (!is_metadata || reader->from == MR_OUTLINKS_HTML ||
        (kind == MR_WARC_JSON && has_html(reader))) {
        return MR_OK;
    }
    if (!reader->has_response) {
        reader->capture = record->capture;
    }
    reader->metadata_at = record->offset;
    reader->metadata_are_json = kind == MR_WARC_JSON;
    status = mr_warc_records_save(reader->records, &reader->metadata, &reader->metadata_bytes, err);
    if (reader->metadata != NULL && kind == MR_WARC_JSON && !reader->is_wat &&
        !is_envelope(reader->metadata, reader->metadata_bytes)) {
        reader->metadata = NULL; /* JSON of another kind */
    }
    return status;
}

/* ---- All records ---- */

/* Notes what was left out, and refuses a file that has no links for a reason. */
static enum mr_status end_file(const struct mr_warc_reader *reader, struct mr_error *err)
{
    const struct mr_context *context = reader->request.context;
    const char *name = mr_input_name(reader->request.input);

    if (reader->n_damaged > 0) {
        mr_context_note(
            context, "%s: %llu page%s cut off or damaged; links before the damage count", name,
            (unsigned long long)reader->n_damaged, reader->n_damaged == 1 ? " is" : "s are");
    }
    if (reader->n_too_long > 0) {
        mr_context_note(context, "%s: left out %llu link%s of more than 65,535 bytes", name,
                        (unsigned long long)reader->n_too_long, reader->n_too_long == 1 ? "" : "s");
    }
    if (reader->n_copies > 0) {
        mr_context_note(context,
                        "%s: the links of %llu revisit%s of other URLs are not known: no metadata "
                        "follow",
                        name, (unsigned long long)reader->n_copies,
                        reader->n_copies == 1 ? "" : "s");
    }
    return reader->n_texts == 0 || reader->n_sources > 0
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, name, 0,
                               "holds the text of pages without their links, as WET files do; give "
                               "the WARC or WAT file of the same crawl");
}

static enum mr_status read_warc(void *data, struct mr_error *err)
{
    struct mr_warc_reader *reader = data;
    struct mr_warc_record record;
    enum mr_status status = MR_OK;
    bool found = true;
    uint64_t good;

    while (status == MR_OK && found) {
        status = mr_context_poll(reader->request.context, err);
        if (status == MR_OK) {
            status = mr_warc_records_next(reader->records, &record, &found, &good, err);
        }
        if (status == MR_OK) {
            forget(reader, good);
            reader->request.summary->lines += found;
            status = found ? take_record(reader, &record, err) : flush(reader, err);
        }
    }
    return status == MR_OK ? end_file(reader, err) : status;
}

#define FORMAT(variable, id, words, detection, kinds, outlinks)                                    \
    const struct mr_graph_format variable = {.name = (id),                                         \
                                             .title = (words),                                     \
                                             .mark = "warc",                                       \
                                             .detect = (detection),                                \
                                             .reader_bytes =                                       \
                                                 MR_READER_BYTES(struct mr_warc_reader),           \
                                             .head = {.ids = MR_IDS_TEXT},                         \
                                             .open = open_warc,                                    \
                                             .read = read_warc,                                    \
                                             .close = close_warc,                                  \
                                             .link_kinds = MR_LINKS_OF_ELEMENTS | (kinds),         \
                                             .tells_outlinks = (outlinks),                         \
                                             .has_records = true,                                  \
                                             .tells_nofollow = true,                               \
                                             .takes_long = true}
#define KINDS (MR_LINKS_DEFAULT | MR_LINK_EMBED | MR_LINK_PREREQUISITE | MR_LINK_FAILED)
FORMAT(mr_format_wat, "wat", "a WAT file", detect_wat, KINDS, false);
FORMAT(mr_format_warc, "warc", "a WARC file", begins, MR_LINKS_OF_HOPS, true);
FORMAT(mr_format_arc, "arc", "an ARC file", detect_arc, KINDS, true);
