/* Links out of the metadata records of WARC files:
 *
 *     wat    JSON of Common Crawl and of ia-web-commons: Envelope / Payload-Metadata /
 *            HTTP-Response-Metadata / HTML-Metadata / Links, and Location of redirects
 *     warc   Heritrix's "application/warc-fields": lines "outlink: URL HOPS CONTEXT"
 *
 * Links are resolved against the page, or its BASE in a wat. A page without links is a vertex too, so
 * that it is known to be dangling. An image, a script or a robots.txt is none by its own record, and
 * neither is what was answered with an error: unless --link-kinds asks for them, such a vertex needs a
 * link of a wanted kind. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/crawl/warc_records.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/stream/json_input.h"
#include "formats/stream/output.h"
#include "formats/url/links_resolve.h"

struct warc_reader {
    struct mr_graph_request request;
    struct mr_warc_records *records;
    struct mr_resolver *resolver;
    bool is_wat;
    unsigned wanted; /* kinds of links */
    const struct mr_graph_sink *sink;
    /* warc: the URL of the latest response that was an error, [failed_bytes]; 0: it was none. */
    char failed[MR_NAME_MAX_BYTES];
    size_t failed_bytes;
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
    reader->wanted =
        request->text->link_kinds != 0 ? request->text->link_kinds : (unsigned)MR_LINKS_DEFAULT;
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

/* A page, and whether it has its number yet. */
struct page {
    const char *url;
    size_t bytes;
    bool is_named;
    uint64_t id;
};

static enum mr_status name_page(struct warc_reader *reader, struct page *page, struct mr_error *err)
{
    if (page->is_named) {
        return MR_OK;
    }
    page->is_named = true;
    page->id = UINT64_MAX;
    const char *name = mr_resolver_name(reader->resolver, page->url, page->bytes);
    return name != NULL ? mr_edge_batch_name(&reader->batch, name, strlen(name), &page->id, err)
                        : MR_OK;
}

/* A link of these kinds, or none where nobody wants them. */
static enum mr_status add_link(struct warc_reader *reader, struct page *page, unsigned kinds,
                               const char *link, size_t bytes, struct mr_error *err)
{
    const char *url = mr_resolver_link(reader->resolver, link, bytes);
    uint64_t target;

    if (url == NULL) {
        return MR_OK;
    }
    const size_t url_bytes = strlen(url);
    if (!mr_link_is_wanted(kinds, mr_link_kinds_of_url(url, url_bytes), reader->wanted)) {
        reader->request.summary->other_kinds++;
        return MR_OK;
    }
    enum mr_status status = name_page(reader, page, err);
    if (status != MR_OK || page->id == UINT64_MAX) {
        return status;
    }
    status = mr_edge_batch_name(&reader->batch, url, url_bytes, &target, err);
    if (status != MR_OK || target == UINT64_MAX) {
        return status;
    }
    return mr_edge_batch_add(&reader->batch, page->id, target, 1.0F, err);
}

/* ---- wat ---- */

static bool is_nofollow(const json_t *link)
{
    const char *rel = json_string_value(json_object_get(link, "rel"));
    return rel != NULL && strcasestr(rel, "nofollow") != NULL;
}

/* "A@/href". What a page is made of are its images, stylesheets, scripts and media. */
static unsigned kinds_of(const json_t *link, const json_t *path)
{
    const unsigned element =
        mr_link_kinds_of_element(json_string_value(path), json_string_length(path));
    const char *rel = json_string_value(json_object_get(link, "rel"));

    switch (element) {
    case 0:
        return MR_LINK_EMBED;
    case MR_LINK_IMAGE:
        return MR_LINK_IMAGE | MR_LINK_EMBED;
    case MR_LINK_LINK:
        return rel != NULL && (strcasestr(rel, "stylesheet") || strcasestr(rel, "icon"))
                   ? MR_LINK_LINK | MR_LINK_EMBED
                   : MR_LINK_LINK;
    default:
        return element | MR_LINK_NAVIGATION;
    }
}

static enum mr_status add_links(struct warc_reader *reader, const json_t *links, struct page *page,
                                struct mr_error *err)
{
    const struct mr_edge_text_options *text = reader->request.text;
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < json_array_size(links) && status == MR_OK; i++) {
        const json_t *link = json_array_get(links, i);
        const json_t *url = json_object_get(link, "url");
        const json_t *path = json_object_get(link, "path");
        if (json_is_string(url) && json_is_string(path) &&
            !(text->drop_nofollow && is_nofollow(link))) {
            status = add_link(reader, page, kinds_of(link, path), json_string_value(url),
                              json_string_length(url), err);
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

/* The kinds that a page has by itself: 0 for most. */
static unsigned own_kinds(json_t *response, const json_t *target)
{
    const json_t *status = json_object_get(json_object_get(response, "Response-Message"), "Status");
    const json_t *type = header_of(json_object_get(response, "Headers"), "Content-Type");
    const long number = json_is_string(status) ? strtol(json_string_value(status), NULL, 10) : 0;

    return mr_link_kinds_of_url(json_string_value(target), json_string_length(target)) |
           (type != NULL ? mr_link_kinds_of_type(json_string_value(type), json_string_length(type))
                         : 0) |
           (number != 0 && mr_link_is_failure(number) ? (unsigned)MR_LINK_FAILED : 0);
}

static enum mr_status read_page(struct warc_reader *reader, const json_t *root,
                                struct mr_error *err)
{
    const json_t *envelope = json_object_get(root, "Envelope");
    json_t *response =
        json_object_get(json_object_get(envelope, "Payload-Metadata"), "HTTP-Response-Metadata");
    const json_t *target =
        json_object_get(json_object_get(envelope, "WARC-Header-Metadata"), "WARC-Target-URI");
    const json_t *html = json_object_get(response, "HTML-Metadata");
    const json_t *head = json_object_get(html, "Head");
    const json_t *location = header_of(json_object_get(response, "Headers"), "Location");

    if (response == NULL || !json_is_string(target) ||
        !mr_resolver_page(reader->resolver, json_string_value(target),
                          json_string_length(target))) {
        return MR_OK; /* the record of a request, or of something else */
    }
    if (!mr_link_is_wanted(MR_LINK_NAVIGATION, own_kinds(response, target),
                           reader->wanted | MR_LINKS_DEFAULT)) {
        return MR_OK;
    }
    struct page page = {.url = json_string_value(target), .bytes = json_string_length(target)};
    enum mr_status status = name_page(reader, &page, err);
    if (status == MR_OK && location != NULL) {
        status = add_link(reader, &page, MR_LINK_REDIRECT, json_string_value(location),
                          json_string_length(location), err);
    }
    const json_t *base = json_object_get(head, "Base");
    if (json_is_string(base)) {
        (void)mr_resolver_base(reader->resolver, json_string_value(base), json_string_length(base));
    }
    if (status == MR_OK) {
        status = add_links(reader, json_object_get(head, "Link"), &page, err);
    }
    return status == MR_OK ? add_links(reader, json_object_get(html, "Links"), &page, err) : status;
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

/* The next line that begins with `label`, [*at, *stop) being what follows it. */
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

/* How Heritrix came to the page: "hopsFromSeed: LLE". */
static unsigned kinds_of_page(const char *body, const char *end)
{
    const char *stop;

    if (!next_field(&body, end, "hopsFromSeed:", &stop)) {
        return MR_LINK_NAVIGATION;
    }
    const struct word way = next_word(&body, stop);
    return mr_link_kinds_of_way(way.text, way.bytes);
}

/* "URL L a/@href" of a page of these kinds. A redirect leads from an image to an image. */
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

static enum mr_status read_fields(struct warc_reader *reader, const struct mr_warc_record *record,
                                  struct mr_error *err)
{
    const char *end = record->body + record->body_bytes, *stop;
    struct page page = {.url = record->target, .bytes = record->target_bytes};
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
        status = name_page(reader, &page, err);
    }
    for (const char *at = record->body; status == MR_OK && next_field(&at, end, "outlink:", &stop);
         at = stop) {
        const struct word url = next_word(&at, stop);
        const struct word hop = next_word(&at, stop);
        const struct word context = next_word(&at, stop);
        if (url.bytes > 0) {
            status = add_link(reader, &page, kinds_of_outlink(kinds, hop, context), url.text,
                              url.bytes, err);
        }
    }
    return status;
}

/* Heritrix writes the response before the metadata. */
static void note_response(struct warc_reader *reader, const struct mr_warc_record *record)
{
    const bool is_kept = record->http_status != 0 && mr_link_is_failure(record->http_status) &&
                         record->target != NULL && record->target_bytes <= sizeof reader->failed;
    reader->failed_bytes = is_kept ? record->target_bytes : 0;
    if (is_kept) {
        memcpy(reader->failed, record->target, record->target_bytes);
    }
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
        if (record.is_response) {
            note_response(reader, &record);
        }
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
                                              .close = close_warc,
                                              .link_kinds = MR_LINKS_OF_ELEMENTS |
                                                            MR_LINKS_DEFAULT | MR_LINK_EMBED |
                                                            MR_LINK_PREREQUISITE | MR_LINK_FAILED};
const struct mr_graph_format mr_format_warc = {.name = "warc",
                                               .title = "a WARC file with outlinks",
                                               .detect = begins,
                                               .open = open_outlinks,
                                               .read = read_warc,
                                               .close = close_warc,
                                               .link_kinds =
                                                   MR_LINKS_OF_ELEMENTS | MR_LINKS_OF_HOPS};
