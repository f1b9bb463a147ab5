/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of crawlers' JSON lines, one object per line, such as Scrapy's feeds (.jl, .jsonl):
 *
 *     {"url": PAGE, "links": [LINK, {"url": LINK}, ...]}
 *         also "uri" for the page; "outlinks", "out_links" or "outgoing_links" for the links
 *     {"from": PAGE, "to": PAGE}
 *         also "source" and "target", "src" and "dst", and each of them with "_url" behind it
 *
 * In the first form, links are relative to the page. In the second form, names stay as they are;
 * the name of a whole number is its digits. A page without links is a vertex. The reader ignores
 * other keys. It also reads Scrapy's .json: one array whose "[" and "]" have lines of their own. It
 * refuses a file whose first object has none of these keys, before it reads anything. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/graph/graph_reader.h"
#include "formats/graph/line_reader.h"
#include "formats/graph/text_look.h"
#include "formats/stream/json_input.h"

static const char *const page_keys[] = {"url", "uri", NULL};
static const char *const link_keys[] = {"links", "outlinks", "out_links", "outgoing_links", NULL};
static const char *const pairs[][2] = {
    {"from", "to"},         {"source", "target"},         {"src", "dst"},
    {"from_url", "to_url"}, {"source_url", "target_url"}, {"src_url", "dst_url"}};
enum { N_PAIRS = sizeof pairs / sizeof pairs[0] };

static const char no_keys[] = "the keys are neither \"url\" and \"links\" nor \"from\" and \"to\"";

static json_t *value_of(const json_t *object, const char *const *keys)
{
    json_t *value = NULL;
    for (; *keys != NULL && value == NULL; keys++) {
        value = json_object_get(object, *keys);
    }
    return value;
}

/* ---- A page and its links ---- */

static bool is_nofollow(const json_t *link)
{
    const char *rel = json_string_value(json_object_get(link, "rel"));
    return json_is_true(json_object_get(link, "nofollow")) ||
           (rel != NULL && strcasestr(rel, "nofollow") != NULL);
}

static enum mr_status add_link(struct mr_line_reader *reader, uint64_t page, const json_t *link,
                               struct mr_error *err)
{
    static const char *const keys[] = {"url", "href", NULL};
    const json_t *text = json_is_object(link) ? value_of(link, keys) : link;
    uint64_t target;

    if (reader->request.text->drop_nofollow && is_nofollow(link)) {
        return MR_OK;
    }
    const char *url =
        json_is_string(text)
            ? mr_resolver_link(reader->resolver, json_string_value(text), json_string_length(text))
            : NULL;
    if (url == NULL) {
        return MR_OK; /* this is not a link to a page */
    }
    const enum mr_status status = mr_line_reader_number(reader, url, strlen(url), &target, err);
    return status == MR_OK && target != UINT64_MAX ? mr_line_reader_edge(reader, page, target, err)
                                                   : status;
}

/* Returns why the object is not a page with links, or NULL. */
static const char *read_page(struct mr_line_reader *reader, const json_t *url, const json_t *links,
                             enum mr_status *status, struct mr_error *err)
{
    const char *text = json_string_value(url);
    const size_t bytes = json_string_length(url);
    uint64_t page;

    if (text == NULL || !mr_resolver_page(reader->resolver, text, bytes)) {
        return "the \"url\" is not an absolute URL; write other names under \"from\" and \"to\"";
    }
    if (links != NULL && !json_is_array(links) && !json_is_string(links) && !json_is_null(links)) {
        return "the links are not an array";
    }
    *status = mr_line_reader_number(reader, text, bytes, &page, err);
    if (*status == MR_OK && page == UINT64_MAX) {
        return MR_LINE_NO_PAGE;
    }
    if (*status == MR_OK && json_is_string(links)) {
        *status = add_link(reader, page, links, err);
    }
    for (size_t i = 0; i < json_array_size(links) && *status == MR_OK; i++) {
        *status = add_link(reader, page, json_array_get(links, i), err);
    }
    return NULL;
}

/* ---- Two pages ---- */

/* The text of a name; NULL when `value` is neither a text nor a whole number. */
static const char *name_of(const json_t *value, char digits[32], size_t *bytes)
{
    if (json_is_integer(value)) {
        *bytes = (size_t)snprintf(digits, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return digits;
    }
    *bytes = json_string_length(value);
    return json_string_value(value);
}

static const char *read_pair(struct mr_line_reader *reader, const json_t *const ends[2],
                             enum mr_status *status, struct mr_error *err)
{
    const char *names[2];
    size_t bytes[2];
    char digits[2][32];
    uint64_t ids[2] = {0, 0};

    for (int k = 0; k < 2; k++) {
        names[k] = name_of(ends[k], digits[k], &bytes[k]);
        if (names[k] == NULL) {
            return "an end of the link is neither a text nor a whole number";
        }
    }
    for (int k = 0; k < 2 && *status == MR_OK; k++) {
        *status = mr_line_reader_number(reader, names[k], bytes[k], &ids[k], err);
    }
    if (*status != MR_OK) {
        return NULL;
    }
    if (ids[0] == UINT64_MAX || ids[1] == UINT64_MAX) {
        return MR_LINE_NO_PAGE;
    }
    *status = mr_line_reader_edge(reader, ids[0], ids[1], err);
    return NULL;
}

/* ---- Lines ---- */

static const char *read_object(struct mr_line_reader *reader, const json_t *object,
                               enum mr_status *status, struct mr_error *err)
{
    const json_t *url = value_of(object, page_keys), *links = value_of(object, link_keys);

    if (url != NULL && links != NULL) {
        return read_page(reader, url, links, status, err);
    }
    for (size_t i = 0; i < N_PAIRS; i++) {
        const json_t *const ends[2] = {json_object_get(object, pairs[i][0]),
                                       json_object_get(object, pairs[i][1])};
        if (ends[0] != NULL && ends[1] != NULL) {
            return read_pair(reader, ends, status, err);
        }
    }
    return url != NULL ? read_page(reader, url, NULL, status, err) : no_keys;
}

/* Remove the blanks around a line and the comma between elements of an array. */
static void trim(const char **line, const char **end)
{
    while (*line < *end && (**line == ' ' || **line == '\t')) {
        ++*line;
    }
    while (*end > *line && ((*end)[-1] == ' ' || (*end)[-1] == '\t' || (*end)[-1] == ',')) {
        --*end;
    }
}

static bool is_bracket(const char *line, const char *end)
{
    return end - line == 1 && (*line == '[' || *line == ']');
}

static enum mr_status json_line(struct mr_line_reader *reader, const char *line, const char *end,
                                struct mr_error *err)
{
    struct mr_error problem = {0};
    struct mr_json_input json;
    const char *reason = NULL;

    trim(&line, &end);
    if (line == end || is_bracket(line, end)) {
        reader->request.summary->blank += line == end;
        reader->request.summary->comments += line < end;
        return MR_OK;
    }
    enum mr_status status = mr_json_input_parse(reader->request.context->memory, line,
                                                (size_t)(end - line), 0, &json, &problem);
    if (status != MR_OK) {
        status = mr_error_line(err, status, mr_input_name(reader->request.input),
                               mr_lines_number(reader->lines), "%s", problem.message);
    } else if (json.root == NULL) {
        reason = json.reason;
    } else {
        reason = json_is_object(json.root) ? read_object(reader, json.root, &status, err)
                                           : "no JSON object";
    }
    if (status == MR_OK && reason != NULL) {
        status = mr_line_reader_bad(reader, line, end, reason, err);
    }
    mr_json_input_free(&json);
    return status;
}

/* ---- Detection ---- */

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) {
        at++;
    }
    return at;
}

/* Detect an object that has a key or is empty, perhaps inside an array. */
static bool detect(const struct mr_graph_probe *probe)
{
    const char *at = probe->data, *const end = probe->data + probe->bytes;

    at = skip_space(at + (probe->bytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0), end);
    if (at < end && *at == '[') {
        at = skip_space(at + 1, end);
    }
    if (at == end || *at != '{') {
        return false;
    }
    at = skip_space(at + 1, end);
    return at < end && (*at == '"' || *at == '}');
}

static bool has_known_keys(const json_t *object)
{
    bool known = value_of(object, page_keys) != NULL;
    for (size_t i = 0; i < N_PAIRS; i++) {
        known |= json_object_get(object, pairs[i][0]) != NULL &&
                 json_object_get(object, pairs[i][1]) != NULL;
    }
    return known;
}

/* Write the first keys of an object to `text`, for a message. */
static const char *keys_of(json_t *object, char text[160])
{
    char quote[MR_LINES_QUOTE_BYTES];
    const char *key;
    json_t *value;
    size_t used = 0;

    text[0] = '\0';
    json_object_foreach(object, key, value)
    {
        (void)mr_lines_quote(key, strlen(key), quote);
        if (used + strlen(quote) + 8 > 160) {
            (void)snprintf(text + used, 160 - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, 160 - used, "%s%s", used > 0 ? ", " : "", quote);
    }
    return text;
}

/* Refuse JSON of another kind; the first object decides. */
static enum mr_status look_at_object(const struct mr_graph_request *request, json_t *object,
                                     uint64_t line, struct mr_error *err)
{
    const char *name = mr_input_name(request->input);
    char keys[160];

    if (json_object_get(object, "url") != NULL && json_object_get(object, "statusCode") != NULL &&
        json_object_get(object, "statusName") != NULL) {
        return mr_error_file(err, MR_ERROR_INPUT, name, 0, "%s", MR_CRAWLDB_REFUSAL);
    }
    return has_known_keys(object)
               ? MR_OK
               : mr_error_line(err, MR_ERROR_INPUT, name, line,
                               "JSON with the keys %s; each line needs \"url\" and \"links\", or "
                               "\"from\" and \"to\"; rename the keys, for example with jq -c",
                               keys_of(object, keys));
}

/* Find the first line that is more than a bracket, trim it, and set `*number` to its number. False:
 * the data ends before such a line does. */
static bool first_object(const char *data, size_t bytes, const char **line, const char **end,
                         uint64_t *number)
{
    const char *const all_end = data + bytes;

    for (*number = 1; data < all_end; ++*number) {
        const char *stop = memchr(data, '\n', (size_t)(all_end - data));
        if (stop == NULL && bytes == MR_INPUT_PEEK_BYTES) {
            return false;
        }
        stop = stop != NULL ? stop : all_end;
        *line = data;
        *end = stop > data && stop[-1] == '\r' ? stop - 1 : stop;
        if (*number == 1 && stop - data >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
            *line += 3;
        }
        trim(line, end);
        if (*line < *end && !is_bracket(*line, *end)) {
            return true;
        }
        data = stop + 1;
    }
    return false;
}

static enum mr_status look(const struct mr_graph_request *request, const char *data, size_t bytes,
                           struct mr_error *err)
{
    struct mr_json_input json;
    const char *line, *end;
    uint64_t number;

    if (!first_object(data, bytes, &line, &end, &number)) {
        return MR_OK;
    }
    enum mr_status status =
        mr_json_input_parse(request->context->memory, line, (size_t)(end - line), 0, &json, err);
    if (status == MR_OK && json_is_object(json.root)) {
        status = look_at_object(request, json.root, number, err);
    } else if (status == MR_OK && (*line == '[' || (*line == '{' && end - line == 1))) {
        status = mr_error_line(err, MR_ERROR_INPUT, mr_input_name(request->input), number,
                               "JSON without one object per line; convert it: jq -c '%s' FILE",
                               *line == '[' ? ".[]" : ".");
    }
    mr_json_input_free(&json);
    return status;
}

static enum mr_status open_json(const struct mr_graph_request *request, struct mr_graph_head *head,
                                void **out, struct mr_error *err)
{
    const char *data;
    size_t bytes;

    *out = NULL;
    *head = (struct mr_graph_head){.ids = MR_IDS_TEXT};
    enum mr_status status = mr_input_peek(request->input, &data, &bytes, err);
    if (status == MR_OK) {
        status = look(request, data, bytes, err);
    }
    return status == MR_OK
               ? mr_line_reader_open(request, sizeof(struct mr_line_reader), json_line, out, err)
               : status;
}

const struct mr_graph_format mr_format_jsonl = {.name = "jsonl",
                                                .title = "JSON lines of a crawl",
                                                .detect = detect,
                                                .open = open_json,
                                                .read = mr_line_reader_read,
                                                .close = mr_line_reader_close};
