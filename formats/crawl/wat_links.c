/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the JSON of WAT files for warc_links.c: Envelope / Payload-Metadata /
 * HTTP-Response-Metadata / HTML-Metadata / Links, and Location of redirects, as Common Crawl and
 * ia-web-commons write them. Links are relative to the page, or to its BASE. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/crawl/fetch_rows.h"
#include "formats/crawl/warc_internal.h"
#include "formats/table/json_input.h"

static bool is_nofollow(const json_t *link)
{
    const char *rel = json_string_value(json_object_get(link, "rel"));
    return rel != NULL && strcasestr(rel, "nofollow") != NULL;
}

/* The kinds of a link with a path such as "A@/href". Images, stylesheets, scripts and media are
 * embeds: they are parts of the page. */
static unsigned kinds_of(const json_t *link, const json_t *path)
{
    const unsigned element =
        mr_link_kinds_of_element(json_string_value(path), json_string_length(path));
    const char *rel = json_string_value(json_object_get(link, "rel"));

    switch (element) {
    case 0:
    case MR_LINK_REDIRECT: /* of a <meta>: add_refreshes takes those that are redirects */
        return MR_LINK_EMBED;
    case MR_LINK_IMAGE:
        return MR_LINK_IMAGE | MR_LINK_EMBED;
    case MR_LINK_LINK:
        return mr_link_kinds_of_rel(rel);
    default:
        return element | MR_LINK_NAVIGATION;
    }
}

/* The answer to a form that is sent is no page. */
static bool is_post(const json_t *link)
{
    const char *method = json_string_value(json_object_get(link, "method"));
    char word[8];

    return method != NULL && sscanf(method, "%7s", word) == 1 && strcasecmp(word, "post") == 0;
}

/* The links of <meta http-equiv=refresh>. */
static enum mr_status add_refreshes(struct mr_warc_reader *reader, const json_t *metas,
                                    struct mr_error *err)
{
    enum mr_status status = MR_OK;
    const char *url;
    size_t bytes;

    for (size_t i = 0; i < json_array_size(metas) && status == MR_OK; i++) {
        const json_t *meta = json_array_get(metas, i), *content = json_object_get(meta, "content");
        const char *name = json_string_value(json_object_get(meta, "http-equiv"));
        if (name != NULL && strcasecmp(name, "refresh") == 0 && json_is_string(content) &&
            mr_refresh_url(json_string_value(content), json_string_length(content), &url, &bytes)) {
            status = mr_warc_page_link(reader, MR_LINK_REDIRECT, url, bytes, err);
        }
    }
    return status;
}

static enum mr_status add_links(struct mr_warc_reader *reader, const json_t *links,
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
            const unsigned kinds = kinds_of(link, path);
            status = (kinds & MR_LINK_FORM) != 0 && is_post(link)
                         ? MR_OK
                         : mr_warc_page_link(reader, kinds, json_string_value(url),
                                             json_string_length(url), err);
        }
    }
    return status;
}

/* The value of a header. The case of header names does not matter. */
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

/* The kinds of the page itself; 0 for most pages. */
static unsigned own_kinds(json_t *response, const json_t *target)
{
    const json_t *status = json_object_get(json_object_get(response, "Response-Message"), "Status");
    const json_t *type = header_of(json_object_get(response, "Headers"), "Content-Type");
    long code;

    return mr_link_kinds_of_url(json_string_value(target), json_string_length(target)) |
           (type != NULL ? mr_link_kinds_of_type(json_string_value(type), json_string_length(type))
                         : 0) |
           (json_is_string(status) &&
                    mr_fetch_code(json_string_value(status), json_string_length(status), &code) &&
                    mr_link_is_failure(code)
                ? (unsigned)MR_LINK_FAILED
                : 0);
}

/* The header of the record that the JSON describes. */
static void take_capture(struct mr_capture *capture, const json_t *header)
{
    const json_t *date = json_object_get(header, "WARC-Date");
    const json_t *digest = json_object_get(header, "WARC-Payload-Digest");
    const json_t *refers = json_object_get(header, "WARC-Refers-To-Date");
    const char *type = json_string_value(json_object_get(header, "WARC-Type"));

    if (json_is_string(date)) {
        capture->time = mr_warc_time(json_string_value(date), json_string_length(date));
    }
    capture->has_bad_time = json_string_length(date) > 0 && capture->time == 0;
    capture->confirms = capture->time;
    capture->digest = mr_digest_of_text(json_string_value(digest), json_string_length(digest));
    if (type != NULL && strcasecmp(type, "revisit") == 0) {
        mr_warc_revisit(capture, json_string_value(refers), json_string_length(refers));
    }
}

static enum mr_status read_page(struct mr_warc_reader *reader, const json_t *root,
                                struct mr_error *err)
{
    const json_t *envelope = json_object_get(root, "Envelope");
    json_t *response =
        json_object_get(json_object_get(envelope, "Payload-Metadata"), "HTTP-Response-Metadata");
    const json_t *header = json_object_get(envelope, "WARC-Header-Metadata");
    const json_t *target = json_object_get(header, "WARC-Target-URI");
    const json_t *html = json_object_get(response, "HTML-Metadata");
    const json_t *head = json_object_get(html, "Head");
    const json_t *location = header_of(json_object_get(response, "Headers"), "Location");

    bool is_page;

    if (response == NULL || !json_is_string(target)) {
        return MR_OK; /* this record belongs to a request or to something else */
    }
    if (!mr_link_is_wanted(MR_LINK_NAVIGATION, own_kinds(response, target),
                           reader->wanted | MR_LINKS_DEFAULT)) {
        return MR_OK;
    }
    take_capture(&reader->capture, header);
    enum mr_status status =
        mr_warc_page_begin(reader, json_string_value(target), json_string_length(target),
                           reader->metadata_at, &is_page, err);
    if (status != MR_OK || !is_page) {
        return status;
    }
    status = mr_warc_page_name(reader, err);
    if (status == MR_OK && location != NULL) {
        status = mr_warc_page_link(reader, MR_LINK_REDIRECT, json_string_value(location),
                                   json_string_length(location), err);
    }
    const json_t *base = json_object_get(head, "Base");
    if (json_is_string(base)) {
        (void)mr_resolver_base(reader->resolver, json_string_value(base), json_string_length(base));
    }
    if (status == MR_OK) {
        status = add_refreshes(reader, json_object_get(head, "Metas"), err);
    }
    if (status == MR_OK) {
        status = add_links(reader, json_object_get(head, "Link"), err);
    }
    return status == MR_OK ? add_links(reader, json_object_get(html, "Links"), err) : status;
}

enum mr_status mr_wat_read(struct mr_warc_reader *reader, struct mr_error *err)
{
    struct mr_error problem = {0};
    struct mr_json_input json;
    char reason[64 + sizeof json.reason];

    enum mr_status status =
        mr_json_input_parse(reader->request.context->memory, reader->metadata,
                            reader->metadata_bytes, JSON_DISABLE_EOF_CHECK, &json, &problem);
    if (status != MR_OK) {
        status = mr_error_offset(err, status, mr_input_name(reader->request.input),
                                 reader->metadata_at, "%s", problem.message);
    } else if (json.root == NULL) {
        (void)snprintf(reason, sizeof reason, "the JSON of this record is wrong: %s", json.reason);
        status = mr_warc_records_bad(reader->records, reader->metadata_at, reason, err);
    } else {
        status = read_page(reader, json.root, err);
    }
    mr_json_input_free(&json);
    return status;
}
