/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the links of a page for warc_links.c:
 *
 *     HTTP response -> http_response.c -> bytes of the page -> html_tokens.c -> tags -> links
 *
 * This file knows which elements link to what, what the page says about its encoding and its base,
 * and which pages are HTML at all. */
#include "formats/crawl/warc_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/memory.h"
#include "engine/names/names.h"
#include "formats/crawl/html_tokens.h"
#include "formats/graph/link_kinds.h"

enum { START_BYTES = 512, FIRST_ROOM = 64 << 10, CHARSET_BYTES = 64, UTF8_BYTES = 4096 };

/* A link in the list; its text follows. */
struct listed_link {
    uint32_t bytes;
    uint16_t kinds;
    uint16_t nofollow;
};
_Static_assert(MR_LINK_FAILED <= UINT16_MAX, "kinds fit into an entry");

struct mr_page_links {
    const struct mr_context *context;
    bool reads_html;
    struct mr_http *http;
    struct mr_html *html;
    struct mr_charset *charset;
    char start[START_BYTES]; /* of the body, until it is clear what it is */
    size_t start_bytes;
    enum { UNDECIDED, HTML, HTML_UTF16, NO_HTML } content;
    struct mr_utf16 utf16;
    char meta_charset[CHARSET_BYTES];
    size_t meta_charset_bytes;
    char base[MR_NAME_MAX_BYTES];
    size_t base_bytes; /* 0: none */
    bool nofollow, is_cut;
    uint64_t n_too_long; /* links */
    char *list; /* [list_room] entries with their texts */
    size_t list_bytes, list_room, next;
    enum mr_status status; /* of the list; a tag cannot return it */
    struct mr_error problem;
};

static enum mr_status take_body(void *data, const char *body, size_t bytes, struct mr_error *err);
static void take_tag(void *data, const struct mr_html_tag *tag);

enum mr_status mr_page_links_open(const struct mr_context *context, bool reads_html,
                                  struct mr_page_links **out, struct mr_error *err)
{
    struct mr_page_links *page = calloc(1, sizeof *page);

    *out = page;
    if (page != NULL) {
        page->context = context;
        page->reads_html = reads_html;
        page->html = mr_html_open(take_tag, page);
        page->charset = mr_charset_open();
    }
    if (page == NULL || page->html == NULL || page->charset == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    return mr_http_open(context, take_body, page, &page->http, err);
}

void mr_page_links_close(struct mr_page_links *page)
{
    if (page != NULL) {
        mr_http_close(page->http);
        mr_html_close(page->html);
        mr_charset_close(page->charset);
        mr_memory_free(page->context->memory, page->list);
        free(page);
    }
}

enum mr_status mr_page_links_begin(struct mr_page_links *page, const struct mr_span *type,
                                   struct mr_error *err)
{
    mr_http_begin(page->http);
    page->content = page->reads_html ? UNDECIDED : NO_HTML;
    page->start_bytes = page->meta_charset_bytes = page->base_bytes = 0;
    page->nofollow = page->is_cut = false;
    page->list_bytes = page->next = page->n_too_long = 0;
    page->status = MR_OK;
    return type != NULL ? mr_http_give_type(page->http, *type, err) : MR_OK;
}

enum mr_status mr_page_links_feed(struct mr_page_links *page, const char *data, size_t bytes,
                                  struct mr_error *err)
{
    return mr_http_feed(page->http, data, bytes, err);
}

const struct mr_http_head *mr_page_links_head(const struct mr_page_links *page)
{
    return mr_http_headers(page->http);
}

const char *mr_page_links_base(struct mr_page_links *page, size_t *bytes)
{
    return page->base_bytes > 0 ? mr_charset_url(page->charset, page->base, page->base_bytes, bytes)
                                : NULL;
}

bool mr_page_links_are_damaged(const struct mr_page_links *page)
{
    return page->is_cut || mr_http_is_damaged(page->http);
}

bool mr_page_links_are_read(const struct mr_page_links *page)
{
    return page->content == HTML || page->content == HTML_UTF16;
}

uint64_t mr_page_links_too_long(const struct mr_page_links *page)
{
    return page->n_too_long;
}

/* ---- The list ---- */

static enum mr_status add(struct mr_page_links *page, unsigned kinds, bool nofollow,
                          const char *text, size_t bytes, struct mr_error *err)
{
    const struct listed_link entry = {(uint32_t)bytes, (uint16_t)kinds, nofollow};

    const size_t needed = page->list_bytes + sizeof entry + bytes;
    if (needed > MR_PAGE_LINKS_MAX_BYTES) {
        page->is_cut = true;
        return MR_OK;
    }
    if (needed > page->list_room) {
        size_t room = page->list_room == 0 ? FIRST_ROOM : 2 * page->list_room;
        room = room < needed ? needed : room;
        const enum mr_status status =
            mr_memory_resize(page->context->memory, "links of a page", &page->list, room, err);
        if (status != MR_OK) {
            return status;
        }
        page->list_room = room;
    }
    memcpy(page->list + page->list_bytes, &entry, sizeof entry);
    memcpy(page->list + page->list_bytes + sizeof entry, text, bytes);
    page->list_bytes = needed;
    return MR_OK;
}

bool mr_page_links_next(struct mr_page_links *page, struct mr_page_link *link)
{
    struct listed_link entry;

    while (page->next < page->list_bytes) {
        memcpy(&entry, page->list + page->next, sizeof entry);
        const char *text = page->list + page->next + sizeof entry;
        page->next += sizeof entry + entry.bytes;
        *link = (struct mr_page_link){.kinds = entry.kinds,
                                      .nofollow = entry.nofollow != 0 || page->nofollow};
        link->text = mr_charset_url(page->charset, text, entry.bytes, &link->bytes);
        if (link->text != NULL) {
            return true;
        }
    }
    return false;
}

/* ---- Tags ---- */

static bool is_word(struct mr_html_value value, const char *word)
{
    const char *text = value.text;
    size_t bytes = value.bytes;

    while (bytes > 0 && (unsigned char)*text <= ' ') {
        text++;
        bytes--;
    }
    while (bytes > 0 && (unsigned char)text[bytes - 1] <= ' ') {
        bytes--;
    }
    return bytes == strlen(word) && strncasecmp(text, word, bytes) == 0;
}

/* Is one of the words of a value, between blanks or commas, `word`? */
static bool has_word(struct mr_html_value value, const char *word)
{
    const size_t bytes = strlen(word);

    for (size_t i = 0; i < value.bytes;) {
        const size_t n = strcspn(value.text + i, " \t\r\n\f,");
        if (n == bytes && strncasecmp(value.text + i, word, bytes) == 0) {
            return true;
        }
        i += n + 1;
    }
    return false;
}

static void keep(struct mr_page_links *page, unsigned kinds, bool nofollow,
                 struct mr_html_value value)
{
    if (value.is_cut || value.bytes > MR_NAME_MAX_BYTES) { /* no page has such a name */
        page->n_too_long += mr_link_scheme_of(value.text, value.bytes) != MR_SCHEME_OTHER;
    } else if (value.text != NULL && page->status == MR_OK) {
        page->status = add(page, kinds, nofollow, value.text, value.bytes, &page->problem);
    }
}

/* The images of a value of `srcset`: "URL 2x, URL 300w". A comma ends an image only behind its
 * description, or where a blank follows it. */
static void keep_set(struct mr_page_links *page, unsigned kinds, struct mr_html_value set)
{
    static const char blanks[] = " \t\r\n\f";

    for (const char *at = set.text; at != NULL && !set.is_cut && *at != '\0';) {
        at += strspn(at, " \t\r\n\f,");
        struct mr_html_value url = {.text = at, .bytes = strcspn(at, blanks)};
        at += url.bytes;
        const bool is_alone = url.bytes > 0 && at[-1] == ',';
        while (url.bytes > 0 && url.text[url.bytes - 1] == ',') {
            url.bytes--;
        }
        if (url.bytes > 0) {
            keep(page, kinds, false, url);
        }
        at += is_alone ? 0 : strcspn(at, ",");
    }
}

bool mr_refresh_url(const char *text, size_t bytes, const char **url, size_t *url_bytes)
{
    const char *at = text, *end = text + bytes;

    while (at < end && *at != ';' && *at != ',') {
        at++;
    }
    while (at < end && (*at == ';' || *at == ',' || (unsigned char)*at <= ' ')) {
        at++;
    }
    if (end - at >= 3 && strncasecmp(at, "url", 3) == 0) {
        const char *mark = at + 3;
        while (mark < end && (unsigned char)*mark <= ' ') {
            mark++;
        }
        if (mark < end && *mark == '=') {
            at = mark + 1;
            while (at < end && (unsigned char)*at <= ' ') {
                at++;
            }
        }
    }
    if (at < end && (*at == '"' || *at == '\'')) {
        const char *quote = memchr(at + 1, *at, (size_t)(end - at - 1));
        at++;
        end = quote != NULL ? quote : end;
    }
    *url = at;
    *url_bytes = (size_t)(end - at);
    return at < end;
}

static void take_meta(struct mr_page_links *page, const struct mr_html_tag *tag)
{
    const struct mr_html_value *values = tag->values;
    const struct mr_html_value content = values[MR_HTML_CONTENT];
    struct mr_html_value charset = values[MR_HTML_CHARSET];
    struct mr_html_value url = {0};

    if (content.text != NULL && is_word(values[MR_HTML_HTTP_EQUIV], "refresh") &&
        mr_refresh_url(content.text, content.bytes, &url.text, &url.bytes)) {
        keep(page, MR_LINK_REDIRECT, false, url);
    }
    if (content.text != NULL && is_word(values[MR_HTML_HTTP_EQUIV], "content-type")) {
        const char *mark = strcasestr(content.text, "charset=");
        if (mark != NULL) {
            charset.text = mark + 8 + (mark[8] == '"' || mark[8] == '\'');
            charset.bytes = strcspn(charset.text, " \t\r\n;\"'");
        }
    }
    if (page->meta_charset_bytes == 0 && charset.text != NULL && charset.bytes < CHARSET_BYTES) {
        memcpy(page->meta_charset, charset.text, charset.bytes);
        page->meta_charset_bytes = charset.bytes;
    }
    if (is_word(values[MR_HTML_NAME], "robots") && content.text != NULL &&
        (has_word(content, "nofollow") || has_word(content, "none"))) {
        page->nofollow = true;
    }
}

static void take_tag(void *data, const struct mr_html_tag *tag)
{
    struct mr_page_links *page = data;
    const struct mr_html_value *values = tag->values;
    const struct mr_html_value href = values[MR_HTML_HREF], src = values[MR_HTML_SRC];
    const struct mr_html_value rel = values[MR_HTML_REL];
    const bool nofollow = has_word(rel, "nofollow");

    switch (tag->element) {
    case MR_HTML_A:
        keep(page, MR_LINK_A | MR_LINK_NAVIGATION, nofollow, href);
        break;
    case MR_HTML_AREA:
        keep(page, MR_LINK_AREA | MR_LINK_NAVIGATION, nofollow, href);
        break;
    case MR_HTML_FORM:
        if (!is_word(values[MR_HTML_METHOD], "post")) { /* its answer is no page */
            keep(page, MR_LINK_FORM | MR_LINK_NAVIGATION, nofollow, values[MR_HTML_ACTION]);
        }
        break;
    case MR_HTML_FRAME:
        keep(page, MR_LINK_FRAME | MR_LINK_NAVIGATION, false, src);
        break;
    case MR_HTML_IFRAME:
        keep(page, MR_LINK_IFRAME | MR_LINK_NAVIGATION, false, src);
        break;
    case MR_HTML_LINK:
        keep(page, mr_link_kinds_of_rel(rel.text), false, href);
        keep_set(page, MR_LINK_EMBED, values[MR_HTML_IMAGESRCSET]);
        break;
    case MR_HTML_IMAGE:
        keep(page, MR_LINK_IMAGE | MR_LINK_EMBED, false, src);
        keep_set(page, MR_LINK_IMAGE | MR_LINK_EMBED, values[MR_HTML_SRCSET]);
        break;
    case MR_HTML_INPUT:
        if (is_word(values[MR_HTML_TYPE], "image")) {
            keep(page, MR_LINK_EMBED, false, src);
        }
        break;
    case MR_HTML_OBJECT:
        keep(page, MR_LINK_EMBED, false, values[MR_HTML_DATA]);
        break;
    case MR_HTML_BASE:
        if (page->base_bytes == 0 && href.text != NULL && href.bytes <= sizeof page->base) {
            memcpy(page->base, href.text, href.bytes);
            page->base_bytes = href.bytes;
        }
        break;
    case MR_HTML_META:
        take_meta(page, tag);
        break;
    case MR_HTML_BODY:
        break;
    default: /* scripts and media */
        keep(page, MR_LINK_EMBED, false, src);
        keep(page, MR_LINK_EMBED, false, values[MR_HTML_POSTER]);
        keep_set(page, MR_LINK_EMBED, values[MR_HTML_SRCSET]);
    }
}

/* ---- The body ---- */

static bool is_type(struct mr_span type, const char *name)
{
    return type.bytes == strlen(name) && strncasecmp(type.text, name, type.bytes) == 0;
}

/* Is it HTML, by its Content-Type or, without one, by its first bytes? */
static bool is_html(const struct mr_page_links *page, const struct mr_http_head *head)
{
    size_t i = 0;

    if (head == NULL || (head->status != 0 && (head->status < 200 || head->status >= 300) &&
                         !mr_link_is_failure(head->status))) {
        return false; /* the body of a redirect repeats its Location */
    }
    if (is_type(head->type, "text/html") || is_type(head->type, "application/xhtml+xml")) {
        return true;
    }
    if (head->type.bytes > 0) {
        return false;
    }
    while (i < page->start_bytes && (unsigned char)page->start[i] <= ' ') {
        i++;
    }
    return page->start_bytes - i >= 5 && (strncasecmp(page->start + i, "<html", 5) == 0 ||
                                          strncasecmp(page->start + i, "<!doc", 5) == 0);
}

/* Decide from the start of the body what it is, and pass the start on. */
static enum mr_status begin_content(struct mr_page_links *page, struct mr_error *err)
{
    const struct mr_http_head *head = mr_http_headers(page->http);
    const unsigned char *start = (const unsigned char *)page->start;
    const bool has_pair = page->start_bytes >= 2;
    const bool is_little = has_pair && start[0] == 0xFF && start[1] == 0xFE;
    const bool is_big = has_pair && start[0] == 0xFE && start[1] == 0xFF;

    if (!is_html(page, head)) {
        page->content = NO_HTML;
        return MR_OK;
    }
    const struct mr_span charset = head->charset;
    const bool says_utf16 =
        !is_little && !is_big && charset.bytes >= 6 && strncasecmp(charset.text, "utf-16", 6) == 0;
    page->content = HTML;
    if (is_little || is_big || says_utf16) {
        page->content = HTML_UTF16;
        page->utf16 = (struct mr_utf16){.is_big_endian =
                                            is_big || (says_utf16 && is_type(charset, "utf-16be"))};
    }
    mr_html_begin(page->html);
    return take_body(page, page->start, page->start_bytes, err);
}

static enum mr_status take_body(void *data, const char *body, size_t bytes, struct mr_error *err)
{
    struct mr_page_links *page = data;
    char utf8[UTF8_BYTES];

    if (page->content == UNDECIDED) {
        const size_t room = START_BYTES - page->start_bytes;
        const size_t part = bytes < room ? bytes : room;
        memcpy(page->start + page->start_bytes, body, part);
        page->start_bytes += part;
        body += part;
        bytes -= part;
        if (page->start_bytes < START_BYTES) {
            return MR_OK;
        }
        const enum mr_status status = begin_content(page, err);
        if (status != MR_OK) {
            return status;
        }
    }
    if (page->content == HTML) {
        mr_html_feed(page->html, body, bytes);
    }
    while (page->content == HTML_UTF16 && bytes > 0) {
        mr_html_feed(page->html, utf8,
                     mr_utf16_convert(&page->utf16, &body, &bytes, utf8, sizeof utf8));
    }
    return page->status == MR_OK ? MR_OK
                                 : mr_error_set(err, page->status, "%s", page->problem.message);
}

enum mr_status mr_page_links_end(struct mr_page_links *page, struct mr_error *err)
{
    enum mr_status status = mr_http_end(page->http, err);
    if (status == MR_OK && page->content == UNDECIDED) {
        status = begin_content(page, err);
    }
    const struct mr_http_head *head = mr_http_headers(page->http);
    const bool has_mark = page->start_bytes >= 3 && memcmp(page->start, "\xEF\xBB\xBF", 3) == 0;
    if (page->content == HTML_UTF16 || has_mark) {
        mr_charset_choose(page->charset, "utf-8", 5);
    } else if (head != NULL && head->charset.bytes > 0) {
        mr_charset_choose(page->charset, head->charset.text, head->charset.bytes);
    } else {
        mr_charset_choose(page->charset, page->meta_charset, page->meta_charset_bytes);
    }
    page->nofollow |= head != NULL && head->nofollow;
    page->next = 0;
    return status;
}
