/* Links out of the metadata records of WARC files:
 *
 *     wat    JSON of Common Crawl and of ia-web-commons: Envelope / Payload-Metadata /
 *            HTTP-Response-Metadata / HTML-Metadata / Links, and Location of redirects
 *     warc   Heritrix's "application/warc-fields": lines "outlink: URL HOPS CONTEXT"
 *
 * Links are resolved against the page, or its BASE in a wat. A page without links is a vertex too, so
 * that it is known to be dangling. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/crawl/links_resolve.h"
#include "formats/crawl/warc_records.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/stream/json_input.h"
#include "formats/stream/output.h"

struct warc_reader {
    struct mr_graph_request request;
    struct mr_warc_records *records;
    struct mr_resolver *resolver;
    bool is_wat;
    const struct mr_graph_sink *sink;
    struct mr_edge_batch batch;
};

static bool begins(const struct mr_graph_probe *probe)
{
    return probe->bytes >= 7 && memcmp(probe->data, "WARC/", 5) == 0;
}

static bool detect_wat(const struct mr_graph_probe *probe)
{
    return begins(probe) && (mr_output_has_suffix(probe->path, ".wat") ||
                             memmem(probe->data, probe->bytes, "application/json", 16) != NULL);
}

static void close_warc(void *data)
{
    struct warc_reader *reader = data;
    if (reader != NULL) {
        mr_warc_records_close(reader->records);
        mr_resolver_close(reader->resolver);
        free(reader);
    }
}

static enum mr_status open_warc(const struct mr_graph_request *request, struct mr_graph_head *head,
                                bool is_wat, void **out, struct mr_error *err)
{
    struct warc_reader *reader = calloc(1, sizeof *reader);

    *out = NULL;
    if (reader == NULL || (reader->resolver = mr_resolver_open()) == NULL) {
        close_warc(reader);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    reader->request = *request;
    reader->is_wat = is_wat;
    const enum mr_status status =
        mr_warc_records_open(request->context, request->input, &reader->records, err);
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

/* ---- Links ---- */

static enum mr_status add_link(struct warc_reader *reader, uint64_t page, const char *link,
                               size_t bytes, struct mr_error *err)
{
    const char *url = mr_resolver_link(reader->resolver, link, bytes);
    uint64_t target;

    if (url == NULL) {
        return MR_OK;
    }
    enum mr_status status = mr_edge_batch_name(&reader->batch, url, strlen(url), &target, err);
    if (status != MR_OK || target == UINT64_MAX) {
        return status;
    }
    return mr_edge_batch_add(&reader->batch, page, target, 1.0F, err);
}

/* ---- wat ---- */

/* "A@/href": the kind of a link. Images, scripts and styles are no pages. */
static bool is_wanted(const struct mr_edge_text_options *text, const char *path)
{
    static const struct {
        unsigned kind;
        const char *path;
    } kinds[] = {
        {MR_LINK_A, "A@/href"},         {MR_LINK_AREA, "AREA@/href"},
        {MR_LINK_FORM, "FORM@/action"}, {MR_LINK_IFRAME, "IFRAME@/src"},
        {MR_LINK_FRAME, "FRAME@/src"},  {MR_LINK_LINK, "LINK@/href"},
        {MR_LINK_IMAGE, "IMG@/src"},
    };
    const unsigned wanted = text->link_kinds != 0 ? text->link_kinds : MR_LINKS_DEFAULT;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if ((wanted & kinds[i].kind) != 0 && strcasecmp(path, kinds[i].path) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_nofollow(const json_t *link)
{
    const char *rel = json_string_value(json_object_get(link, "rel"));
    return rel != NULL && strcasestr(rel, "nofollow") != NULL;
}

static enum mr_status add_links(struct warc_reader *reader, const json_t *links, uint64_t page,
                                struct mr_error *err)
{
    const struct mr_edge_text_options *text = reader->request.text;
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < json_array_size(links) && status == MR_OK; i++) {
        const json_t *link = json_array_get(links, i);
        const json_t *url = json_object_get(link, "url");
        const char *path = json_string_value(json_object_get(link, "path"));
        if (url != NULL && path != NULL && json_is_string(url) && is_wanted(text, path) &&
            !(text->drop_nofollow && is_nofollow(link))) {
            status = add_link(reader, page, json_string_value(url), json_string_length(url), err);
        }
    }
    return status;
}

/* Names of headers come in any case. */
static const json_t *header_of(json_t *headers, const char *name)
{
    const char *key;
    json_t *value;
    json_object_foreach(headers, key, value)
    {
        if (strcasecmp(key, name) == 0) {
            return json_is_string(value) ? value : NULL;
        }
    }
    return NULL;
}

static enum mr_status read_page(struct warc_reader *reader, const json_t *root,
                                struct mr_error *err)
{
    const json_t *envelope = json_object_get(root, "Envelope");
    const json_t *response =
        json_object_get(json_object_get(envelope, "Payload-Metadata"), "HTTP-Response-Metadata");
    const json_t *target =
        json_object_get(json_object_get(envelope, "WARC-Header-Metadata"), "WARC-Target-URI");
    const json_t *html = json_object_get(response, "HTML-Metadata");
    const json_t *head = json_object_get(html, "Head");
    const json_t *location = header_of(json_object_get(response, "Headers"), "Location");
    const struct mr_edge_text_options *text = reader->request.text;
    uint64_t page;

    if (response == NULL || !json_is_string(target) ||
        !mr_resolver_page(reader->resolver, json_string_value(target),
                          json_string_length(target))) {
        return MR_OK; /* the record of a request, or of something else */
    }
    enum mr_status status = mr_edge_batch_name(&reader->batch, json_string_value(target),
                                               json_string_length(target), &page, err);
    if (status != MR_OK || page == UINT64_MAX) {
        return status;
    }
    const unsigned wanted = text->link_kinds != 0 ? text->link_kinds : MR_LINKS_DEFAULT;
    if (location != NULL && (wanted & MR_LINK_REDIRECT) != 0) {
        status =
            add_link(reader, page, json_string_value(location), json_string_length(location), err);
    }
    const json_t *base = json_object_get(head, "Base");
    if (json_is_string(base)) {
        (void)mr_resolver_base(reader->resolver, json_string_value(base), json_string_length(base));
    }
    if (status == MR_OK) {
        status = add_links(reader, json_object_get(head, "Link"), page, err);
    }
    return status == MR_OK ? add_links(reader, json_object_get(html, "Links"), page, err) : status;
}

static enum mr_status bad_record(struct warc_reader *reader, const struct mr_warc_record *record,
                                 const char *reason, struct mr_error *err)
{
    const struct mr_edge_text_options *text = reader->request.text;
    const uint64_t n = ++reader->request.summary->bad_lines;

    if (text->bad_lines == MR_BAD_LINES_SKIP && (text->max_bad == 0 || n <= text->max_bad)) {
        return MR_OK;
    }
    return mr_error_offset(err, MR_ERROR_INPUT, mr_input_name(reader->request.input),
                           record->offset,
                           "the JSON of this record (in the decompressed file) is "
                           "wrong: %s; skip such records with --bad-lines skip",
                           reason);
}

static enum mr_status read_json(struct warc_reader *reader, const struct mr_warc_record *record,
                                struct mr_error *err)
{
    struct mr_error problem = {0};
    struct mr_json_input json;

    enum mr_status status =
        mr_json_input_parse(reader->request.context->memory, record->body, record->body_bytes,
                            JSON_DISABLE_EOF_CHECK, &json, &problem);
    if (status != MR_OK) {
        status = mr_error_offset(err, status, mr_input_name(reader->request.input), record->offset,
                                 "%s", problem.message);
    } else if (json.root == NULL) {
        status = bad_record(reader, record, json.reason, err);
    } else {
        status = read_page(reader, json.root, err);
    }
    mr_json_input_free(&json);
    return status;
}

/* ---- warc ---- */

static enum mr_status read_fields(struct warc_reader *reader, const struct mr_warc_record *record,
                                  struct mr_error *err)
{
    static const char label[] = "outlink:";
    const char *end = record->body + record->body_bytes;
    uint64_t page;

    if (record->target == NULL ||
        !mr_resolver_page(reader->resolver, record->target, record->target_bytes)) {
        return MR_OK;
    }
    enum mr_status status =
        mr_edge_batch_name(&reader->batch, record->target, record->target_bytes, &page, err);
    if (status != MR_OK || page == UINT64_MAX) {
        return status;
    }
    for (const char *line = record->body; line < end && status == MR_OK;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop != NULL ? stop : end;
        if ((size_t)(stop - line) > sizeof label &&
            strncasecmp(line, label, sizeof label - 1) == 0) {
            const char *url = line + sizeof label - 1;
            while (url < stop && *url == ' ') {
                url++;
            }
            const char *url_end = url;
            while (url_end < stop && (unsigned char)*url_end > ' ') {
                url_end++;
            }
            status = add_link(reader, page, url, (size_t)(url_end - url), err);
        }
        line = stop + 1;
    }
    return status;
}

/* ---- All records ---- */

static enum mr_status read_warc(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct warc_reader *reader = data;
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
        if (record.is_metadata && reader->is_wat == record.is_json) {
            status = reader->is_wat ? read_json(reader, &record, err)
                                    : read_fields(reader, &record, err);
        }
        if (status != MR_OK) {
            break;
        }
    }
    return status == MR_OK ? mr_edge_batch_flush(&reader->batch, err) : status;
}

const struct mr_graph_format mr_format_wat = {.name = "wat",
                                              .title = "a WAT file",
                                              .detect = detect_wat,
                                              .open = open_wat,
                                              .read = read_warc,
                                              .close = close_warc};
const struct mr_graph_format mr_format_warc = {.name = "warc",
                                               .title = "a WARC file with outlinks",
                                               .detect = begins,
                                               .open = open_outlinks,
                                               .read = read_warc,
                                               .close = close_warc};
