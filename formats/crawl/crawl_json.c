/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of crawlers' JSON: an object per line, or an array of objects, pretty-printed or not.
 *
 *     {"url": PAGE, "links": [LINK, {"url": LINK}, ...]}
 *         formats/table/column_words.h has other keys for the page, for its links and for pages
 *         that link to it, and for the page that it was found on. Links may also be one text with
 *         "@@" or blanks between them, or groups of lists: {"internal": [...], "external": [...]}
 *     {"from": PAGE, "to": PAGE}
 *         also the other pairs of pair_words; "to" may be a list
 *
 * Keys count without regard to case and punctuation. A value may be a list of one, as Scrapy's
 * ItemLoader writes it. In the first form, links are relative to the page. In the second form,
 * names stay as they are; the name of a whole number is its digits. A page without links is a
 * vertex. The links of a failed fetch are those of an error page; they count with --link-kinds
 * failed alone. The reader ignores other keys, and says which keys there are where it finds no
 * link. It refuses a file whose first object has none of these keys. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "formats/crawl/fetch_rows.h"
#include "formats/graph/graph_reader.h"
#include "formats/graph/line_reader.h"
#include "formats/stream/not_links.h"
#include "formats/table/column_words.h"
#include "formats/table/json_input.h"
#include "formats/table/table.h"

static const char *const pair_words[][2] = {
    {" fromurl ", " tourl "},   {" sourceurl ", " targeturl destinationurl "},
    {" srcurl ", " dsturl "},   {" urlfrom ", " urlto "},
    {" linkfrom ", " linkto "}, {" pagefrom ", " pageto "},
    {" from ", " to "},         {" source ", " target destination endpoint "},
    {" src ", " dst "},         {" citing ", " cited "}};
enum { N_PAIRS = sizeof pair_words / sizeof pair_words[0] };

#define WANTED_KEYS "\"url\" and \"links\", or \"from\" and \"to\""

struct json_reader {
    struct mr_line_reader base;
    bool has_begun; /* the first object was looked at */
    uint64_t n_links;
    bool has_lists; /* of links, though they may be empty */
    char keys[MR_LINES_QUOTE_BYTES]; /* of the first object */
};

/* The links of a page. */
struct json_page {
    struct json_reader *reader;
    uint64_t vertex;
    uint64_t source; /* of its links: the vertex, or this capture of it */
    bool is_target; /* the links lead to the page */
    const char *nofollow; /* advertools: "True" or "False" for each link, with "@@" between */
    const char *reason; /* why the object is bad, or NULL */
};

/* ---- A page and its links ---- */

static bool is_nofollow(const json_t *link)
{
    const json_t *rel = json_object_get(link, "rel");
    bool is = json_is_true(json_object_get(link, "nofollow"));

    for (size_t i = 0; i < json_array_size(rel); i++) {
        const char *word = json_string_value(json_array_get(rel, i));
        is |= word != NULL && strcasecmp(word, "nofollow") == 0;
    }
    return is || (json_is_string(rel) && strcasestr(json_string_value(rel), "nofollow") != NULL);
}

static enum mr_status add_url(struct json_page *page, const char *text, size_t bytes,
                              struct mr_error *err)
{
    struct mr_line_reader *reader = &page->reader->base;
    const char *url = mr_resolver_link(reader->resolver, text, bytes);
    uint64_t other;

    if (url == NULL) {
        return MR_OK; /* this is not a link to a page */
    }
    const enum mr_status status = mr_line_reader_number(reader, url, strlen(url), &other, err);
    if (status != MR_OK || other == UINT64_MAX) {
        return status;
    }
    page->reader->n_links++;
    return page->is_target ? mr_edge_batch_add(&reader->batch, other, page->vertex, 1.0F, err)
                           : mr_edge_batch_add(&reader->batch, page->source, other, 1.0F, err);
}

/* Are there commas between links? One may also belong to a link, so that nothing tells. */
static bool has_list_commas(const char *text)
{
    static const char behind[] = " \t\r\n/";

    for (const char *at = text; *(at += strcspn(at, ",;|")) != '\0'; at++) {
        const char *link = at + 1, *scheme = strstr(link, "://");
        if (*link == '\0' || strchr(behind, *link) != NULL ||
            (scheme != NULL && strcspn(link, ",;|/?# ") == (size_t)(scheme - link) + 1)) {
            return true;
        }
    }
    return false;
}

/* Add the links of one text, with "@@" or blanks between them. */
static enum mr_status add_text(struct json_page *page, const char *text, struct mr_error *err)
{
    const char *nofollow = page->nofollow;
    enum mr_status status = MR_OK;

    if (strstr(text, "@@") == NULL && has_list_commas(text)) {
        page->reason = "the links are one text with commas in it; write a list, for example with "
                       "jq -c '.links |= split(\",\")' FILE | millrace ... -";
        return MR_OK;
    }

    while (*text != '\0' && status == MR_OK) {
        size_t bytes = strcspn(text, " \t\r\n");
        const char *const mark = memmem(text, bytes, "@@", 2);
        bytes = mark != NULL ? (size_t)(mark - text) : bytes;
        const bool is_dropped = page->reader->base.request.text->drop_nofollow &&
                                nofollow != NULL && strncasecmp(nofollow, "true", 4) == 0;
        status = bytes == 0 || is_dropped ? MR_OK : add_url(page, text, bytes, err);
        nofollow = nofollow != NULL && mark != NULL ? strstr(nofollow, "@@") : NULL;
        nofollow = nofollow != NULL ? nofollow + 2 : NULL;
        text += bytes;
        text += mark != NULL ? 2 : strspn(text, " \t\r\n");
    }
    return status;
}

/* Add a link: a text, an object with its URL, or a list of URL and text. */
static enum mr_status add_link(struct json_page *page, const json_t *link, struct mr_error *err)
{
    const json_t *text = json_is_array(link)    ? json_array_get(link, 0)
                         : json_is_object(link) ? mr_json_find(link, MR_WORDS_LINK_URL)
                                                : link;

    if (json_is_object(link) && text == NULL) {
        page->reason = "a link is an object without \"url\" or \"href\"";
    }
    if (!json_is_string(text) ||
        (page->reader->base.request.text->drop_nofollow && is_nofollow(link))) {
        return MR_OK;
    }
    return add_url(page, json_string_value(text), json_string_length(text), err);
}

static enum mr_status add_list(struct json_page *page, const json_t *list, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    for (size_t i = 0; i < json_array_size(list) && status == MR_OK; i++) {
        status = add_link(page, json_array_get(list, i), err);
    }
    return status;
}

/* Add links: a list, a text, or an object with lists of them or whose keys are URLs. */
static enum mr_status add_links(struct json_page *page, json_t *links, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    const char *key;
    json_t *value;

    if (json_is_string(links)) {
        return add_text(page, json_string_value(links), err);
    }
    if (!json_is_object(links) || mr_json_find(links, MR_WORDS_LINK_URL) != NULL) {
        return json_is_object(links) ? add_link(page, links, err) : add_list(page, links, err);
    }
    json_object_foreach(links, key, value)
    {
        if (json_is_array(value)) {
            status = add_list(page, value, err);
        } else if (strstr(key, "://") != NULL) {
            status = add_url(page, key, strlen(key), err);
        } else {
            page->reason = "the links are an object with keys that are no URLs";
        }
        if (status != MR_OK) {
            break;
        }
    }
    return status;
}

static bool can_be_links(const json_t *value)
{
    return json_is_array(value) || json_is_string(value) || json_is_object(value);
}

/* Is it the URL of a page as it stands? */
static bool is_absolute(const json_t *value)
{
    const char *text = json_string_value(value);
    return text != NULL && mr_link_scheme_of(text, json_string_length(value)) == MR_SCHEME_PAGE;
}

/* The value of one of the words, also in the metadata; NULL: none. */
static const char *text_of(const json_t *object, const char *words, char digits[32], size_t *bytes)
{
    const json_t *value = mr_json_find(object, words);
    value = value != NULL ? value : mr_json_find(json_object_get(object, "metadata"), words);
    return mr_json_as_text(value, digits, bytes);
}

/* Takes the capture that the object tells of. False: its fetch failed, which says nothing of the
 * page. That the page is gone is no fetch of it either, and newer than the links of earlier
 * captures. */
static bool take_capture(const json_t *object, struct mr_capture *capture, bool *has_failed)
{
    char digits[32];
    size_t bytes = 0;
    double seconds = 0;
    const json_t *status = mr_json_find(object, MR_WORDS_FETCH_STATE);
    if (status == NULL) { /* Firecrawl */
        status = mr_json_find(json_object_get(object, "metadata"), " statuscode httpstatuscode ");
    }
    const char *text = mr_json_as_text(status, digits, &bytes);
    *has_failed = false;
    const enum mr_fetch_state state =
        text != NULL ? mr_fetch_state_of_text(text, bytes, has_failed) : MR_FETCH_DONE;

    *has_failed |= mr_fetch_failed_for_now(state) || state == MR_FETCH_GONE;
    if (*has_failed && state != MR_FETCH_GONE) {
        return false;
    }
    text = text_of(object, MR_WORDS_FETCH_TIME, digits, &bytes);
    capture->time = text != NULL && mr_fetch_time(text, bytes, &seconds) ? (uint32_t)seconds : 0;
    capture->has_bad_time = text != NULL && bytes > 0 && capture->time == 0;
    capture->confirms = capture->time;
    text = text_of(object, MR_WORDS_FETCH_DIGEST, digits, &bytes);
    capture->digest = state == MR_FETCH_GONE ? MR_DIGEST_GONE : mr_digest_of_text(text, bytes);
    return true;
}

/* Returns why the object is not a page with links, or NULL. */
static const char *read_page(struct json_reader *reader, json_t *object, const json_t *url,
                             enum mr_status *status, struct mr_error *err)
{
    struct mr_line_reader *lines = &reader->base;
    struct json_page page = {
        .reader = reader, .nofollow = json_string_value(mr_json_find(object, " linksnofollow "))};
    const unsigned kinds = lines->request.text->link_kinds;
    struct mr_capture capture = {.time = 0};
    unsigned n_values = 0, n_links = 0;
    bool has_failed;
    char digits[32];
    size_t bytes = 0;
    const char *text = mr_json_as_text(url, digits, &bytes), *key;
    json_t *value;

    if (text == NULL || !mr_resolver_page(lines->resolver, text, bytes)) {
        return "the \"url\" is not an absolute URL; write other names under \"from\" and \"to\"";
    }
    *status = mr_line_reader_number(lines, text, bytes, &page.vertex, err);
    if (*status == MR_OK && page.vertex == UINT64_MAX) {
        return MR_LINE_NO_PAGE;
    }
    page.source = page.vertex;
    if (!take_capture(object, &capture, &has_failed)) {
        lines->request.summary->pages++;
    } else if (*status == MR_OK) {
        *status = mr_edge_batch_page(&lines->batch, &capture, &page.source, err);
    }
    const bool is_wanted =
        mr_link_is_wanted(MR_LINK_NAVIGATION, has_failed ? (unsigned)MR_LINK_FAILED : 0,
                          kinds != 0 ? kinds : (unsigned)MR_LINKS_DEFAULT);
    json_object_foreach(object, key, value)
    {
        const bool is_parent = mr_table_place(key, strlen(key), MR_WORDS_PARENT) != NULL;
        page.is_target = is_parent || mr_table_place(key, strlen(key), MR_WORDS_INLINKS) != NULL;
        if (*status != MR_OK || json_is_null(value) || (is_parent && !is_absolute(value)) ||
            !(page.is_target || mr_table_place(key, strlen(key), MR_WORDS_LINKS) != NULL)) {
            continue;
        }
        n_values++;
        n_links += can_be_links(value);
        if (page.is_target || is_wanted) {
            *status = is_parent ? add_link(&page, value, err) : add_links(&page, value, err);
        } else {
            lines->request.summary->other_kinds +=
                json_is_array(value) ? json_array_size(value) : 1;
        }
    }
    reader->has_lists |= n_links > 0;
    return n_values > 0 && n_links == 0 ? "the links are not an array" : page.reason;
}

/* ---- Two pages ---- */

/* Is it a number that is not whole, or stands for several? */
static bool is_fraction(const json_t *end)
{
    const double number = json_real_value(end);
    return json_is_real(end) && !(number == floor(number) && fabs(number) < 0x1p53);
}

static const char *read_pair(struct json_reader *reader, const json_t *const ends[2],
                             enum mr_status *status, struct mr_error *err)
{
    static const char no_name[] = "an end of the link is neither a text nor a whole number";
    struct mr_line_reader *lines = &reader->base;
    char digits[32];
    size_t bytes;
    uint64_t source = 0, target = 0;

    const char *name = is_fraction(ends[0]) ? NULL : mr_json_as_text(ends[0], digits, &bytes);
    if (name == NULL) {
        return no_name;
    }
    *status = mr_line_reader_number(lines, name, bytes, &source, err);
    const size_t n = json_is_array(ends[1]) ? json_array_size(ends[1]) : 1;
    for (size_t i = 0; i < n && *status == MR_OK; i++) {
        const json_t *end = json_is_array(ends[1]) ? json_array_get(ends[1], i) : ends[1];
        name = is_fraction(end) ? NULL : mr_json_as_text(end, digits, &bytes);
        if (name == NULL) {
            return no_name;
        }
        *status = mr_line_reader_number(lines, name, bytes, &target, err);
        if (*status == MR_OK && (source == UINT64_MAX || target == UINT64_MAX)) {
            return MR_LINE_NO_PAGE;
        }
        if (*status == MR_OK) {
            *status = mr_edge_batch_add(&lines->batch, source, target, 1.0F, err);
            reader->n_links++;
        }
    }
    return NULL;
}

/* ---- Objects ---- */

/* The URL of a page; some crawlers put it beside other facts about the page. */
static const json_t *url_of(const json_t *object)
{
    const json_t *url = mr_json_find(object, MR_WORDS_JSON_PAGE);
    return url != NULL ? url : mr_json_find(json_object_get(object, "metadata"), " url sourceurl ");
}

static bool find_pair(const json_t *object, const json_t *ends[2])
{
    for (size_t i = 0; i < N_PAIRS; i++) {
        ends[0] = mr_json_find(object, pair_words[i][0]);
        ends[1] = mr_json_find(object, pair_words[i][1]);
        if (ends[0] != NULL && ends[1] != NULL) {
            return true;
        }
    }
    return false;
}

/* Is it one object for all pages, {PAGE: [LINK, ...], ...}? */
static bool is_dictionary(json_t *object)
{
    const char *key;
    json_t *value;
    bool is = json_object_size(object) > 0;

    json_object_foreach(object, key, value)
    {
        is = is && json_is_array(value);
        for (size_t i = 0; i < json_array_size(value) && is; i++) {
            is = json_is_string(json_array_get(value, i)) ||
                 json_is_integer(json_array_get(value, i));
        }
    }
    return is;
}

/* Refuse JSON of another kind; the first object decides. */
static enum mr_status look(struct json_reader *reader, json_t *object, struct mr_error *err)
{
    const char *name = mr_input_name(reader->base.request.input), *key;
    const uint64_t line = mr_lines_number(reader->base.lines);
    const json_t *ends[2];
    json_t *value;

    reader->has_begun = true;
    (void)mr_json_keys(object, reader->keys);
    if (json_object_get(object, "url") != NULL && json_object_get(object, "statusCode") != NULL &&
        json_object_get(object, "statusName") != NULL) {
        return mr_error_file(err, MR_ERROR_INPUT, name, 0, "%s", MR_CRAWLDB_REFUSAL);
    }
    if (url_of(object) != NULL || find_pair(object, ends)) {
        return MR_OK;
    }
    if (mr_json_find(object, MR_WORDS_LINKS) == NULL && is_dictionary(object)) {
        const bool are_urls = strstr(json_object_iter_key(json_object_iter(object)), "://") != NULL;
        return mr_error_line(
            err, MR_ERROR_INPUT, name, line,
            "one object for all pages, {PAGE: [LINK, ...]}; write one for each: jq "
            "-c 'to_entries[] | {%s}' FILE | millrace ... -",
            are_urls ? "url: .key, links: .value" : "from: .key, to: .value");
    }
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    json_object_foreach(object, key, value)
    {
        const json_t *first = json_array_get(value, 0);
        if (json_is_object(first) && (url_of(first) != NULL || find_pair(first, ends))) {
            return mr_error_line(err, MR_ERROR_INPUT, name, line,
                                 "one object with the keys %s; take what has the links out: jq -c "
                                 "'.%s[]' FILE | millrace ... -",
                                 reader->keys, strspn(key, plain) == strlen(key) ? key : "KEY");
        }
    }
    return mr_error_line(err, MR_ERROR_INPUT, name, line,
                         "JSON with the keys %s; each object needs " WANTED_KEYS
                         "; rename the keys, for example with jq -c",
                         reader->keys);
}

static const char *read_object(struct json_reader *reader, json_t *root, enum mr_status *status,
                               struct mr_error *err)
{
    const json_t *url, *ends[2];

    if (!json_is_object(root)) {
        return "no JSON object";
    }
    json_t *const object = mr_json_record(root);
    if (object == NULL) {
        reader->base.request.summary->comments++;
        return NULL;
    }
    if (!reader->has_begun) {
        *status = look(reader, object, err);
    }
    if (*status != MR_OK) {
        return NULL;
    }
    url = url_of(object);
    if ((url == NULL || mr_json_find(object, MR_WORDS_LINKS) == NULL) && find_pair(object, ends)) {
        return read_pair(reader, ends, status, err);
    }
    return url != NULL ? read_page(reader, object, url, status, err)
                       : "the keys are neither " WANTED_KEYS;
}

static enum mr_status json_line(struct mr_line_reader *reader, const char *line, const char *end,
                                struct mr_error *err)
{
    struct mr_error problem = {0};
    struct mr_json_input json;
    const char *reason = NULL;

    enum mr_status status = mr_json_input_parse(reader->request.context->memory, line,
                                                (size_t)(end - line), 0, &json, &problem);
    if (status != MR_OK) {
        status = mr_error_line(err, status, mr_input_name(reader->request.input),
                               mr_lines_number(reader->lines), "%s", problem.message);
    } else if (json.root == NULL) {
        reason = json.reason;
    } else if (mr_json_answer(json.root) == NULL) {
        reason = read_object((struct json_reader *)reader, json.root, &status, err);
    }
    const json_t *answer = mr_json_answer(json.root);
    for (size_t i = 0; i < json_array_size(answer) && status == MR_OK && reason == NULL; i++) {
        json_t *const object = json_array_get(answer, i);
        reason = read_object((struct json_reader *)reader, object, &status, err);
    }
    if (status == MR_OK && reason != NULL) {
        status = mr_line_reader_bad(reader, line, end, reason, err);
    }
    mr_json_input_free(&json);
    return status;
}

/* ---- Format ---- */

static bool detect(const struct mr_graph_probe *probe)
{
    return mr_json_begins(probe->data, probe->bytes);
}

static enum mr_status open_json(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    struct json_reader *reader = data;

    (void)head;
    reader->base.is_json = true;
    return mr_line_reader_begin(&reader->base, json_line, err);
}

static enum mr_status read_json(void *data, struct mr_error *err)
{
    struct json_reader *reader = data;
    const enum mr_status status = mr_line_reader_read(data, err);

    if (status == MR_OK && reader->n_links == 0 && reader->has_begun && !reader->has_lists) {
        mr_context_note(reader->base.request.context,
                        "%s: no links; the keys of its first object are %s, and links are read "
                        "from " WANTED_KEYS,
                        mr_input_name(reader->base.request.input), reader->keys);
    }
    return status;
}

const struct mr_graph_format mr_format_jsonl = {.name = "jsonl",
                                                .mark = "jsonl",
                                                .title = "JSON of a crawl",
                                                .tells_nofollow = true,
                                                .detect = detect,
                                                .reader_bytes = sizeof(struct json_reader),
                                                .head = {.ids = MR_IDS_TEXT},
                                                .open = open_json,
                                                .read = read_json,
                                                .close = mr_line_reader_close,
                                                .link_kinds = MR_LINKS_DEFAULT | MR_LINK_FAILED};
