/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of crawlers' text files, which have one or several lines per page. mr_line_reader splits
 * the input into lines and calls the function of the format:
 *
 *     heritrix-pagerank
 *                PAGE SCORE O:TARGET,TARGET,...  the file that Heritrix's offline PageRank passes
 *                from round to round, by URL or by number. A page without links has a link to
 *                "dummy", which is not a page. The reader ignores the scores.
 *     crawl-log  Heritrix's crawl.log: the second field is the status, the fourth a URI, the fifth
 *                the hops to it, the sixth the URI it was found in ("via"; "-" for seeds), the
 *                seventh its type. Each URI has one link: this is the forest of discovery, not the
 *                graph of links. The frontier's recovery journal says the same, "F+ URI HOPS VIA";
 *                its other lines say what became of a URI.
 *     cdxj       "KEY TIMESTAMP {JSON}": a link from "url" to "redirect", where there is one;
 *                lines of a header that begin with "!" may stand before
 *
 * The readers of crawl-log and cdxj leave out embeds, robots.txt and failed fetches, unless
 * --link-kinds asks for them. */
#include <stdlib.h>
#include <string.h>

#include "formats/crawl/fetch_rows.h"
#include "formats/graph/graph_reader.h"
#include "formats/graph/line_reader.h"
#include "formats/table/json_input.h"
#include "formats/table/time_text.h"
#include "formats/url/links_resolve.h"

/* The kinds of links that the user wants. */
static unsigned wanted_kinds(const struct mr_line_reader *reader)
{
    const unsigned kinds = reader->request.text->link_kinds;
    return kinds != 0 ? kinds : (unsigned)MR_LINKS_DEFAULT;
}

/* ---- heritrix-pagerank ---- */

struct pagerank_row {
    const char *page, *links; /* `links` begins after "O:" */
    size_t page_bytes;
};

static bool take_pagerank_row(const char *line, const char *end, struct pagerank_row *row)
{
    size_t bytes;
    row->page = mr_lines_field(&line, end, &row->page_bytes);
    struct mr_table_field score = {0};
    double value;
    score.text = mr_lines_field(&line, end, &score.bytes);
    if (score.text == NULL || !mr_table_number(&score, ',', &value)) {
        return false;
    }
    const char *links = mr_lines_field(&line, end, &bytes);
    row->links = links == NULL ? NULL : links + 2;
    return links != NULL && bytes >= 2 && memcmp(links, "O:", 2) == 0;
}

/* Does an item of the list begin at `at`? In a list of URLs an item begins with a scheme, because a
 * comma may be part of a URL. */
static bool begins_item(const char *at, const char *end, bool urls)
{
    if (!urls || ((size_t)(end - at) >= 5 && memcmp(at, "dummy", 5) == 0)) {
        return true;
    }
    const char *p = at;
    while (p < end && (((unsigned)(*p | 32) - 'a') < 26 || (p > at && *p >= '0' && *p <= '9'))) {
        p++;
    }
    return p > at && end - p >= 3 && memcmp(p, "://", 3) == 0;
}

static const char *skip_commas(const char *p, const char *end)
{
    while (p < end && (*p == ',' || *p == ' ' || *p == '\t')) {
        p++;
    }
    return p;
}

static bool is_dummy(const char *name, size_t bytes)
{
    return bytes == 5 && memcmp(name, "dummy", 5) == 0;
}

static enum mr_status pagerank_links(struct mr_line_reader *reader, const char *line,
                                     const struct pagerank_row *row, const char *end,
                                     uint64_t source, struct mr_error *err)
{
    const bool urls = memmem(row->page, row->page_bytes, "://", 3) != NULL;
    enum mr_status status = MR_OK;
    uint64_t target;

    for (const char *at = skip_commas(row->links, end); at < end && status == MR_OK;) {
        const char *stop, *next = at;
        do {
            stop = next;
            while (stop < end && *stop != ',' && *stop != ' ' && *stop != '\t') {
                stop++;
            }
            next = skip_commas(stop, end);
        } while (next == stop + 1 && *stop == ',' && next < end && !begins_item(next, end, urls));
        if (!is_dummy(at, (size_t)(stop - at))) {
            status = mr_line_reader_number(reader, at, (size_t)(stop - at), &target, err);
            if (status == MR_OK && target == UINT64_MAX) {
                return mr_line_reader_bad(reader, line, end, MR_LINE_NO_PAGE, err);
            }
            status = status == MR_OK ? mr_edge_batch_add(&reader->batch, source, target, 1.0F, err)
                                     : status;
        }
        at = next;
    }
    return status;
}

static enum mr_status pagerank_line(struct mr_line_reader *reader, const char *line,
                                    const char *end, struct mr_error *err)
{
    struct pagerank_row row;
    uint64_t source;

    if (line == end) {
        reader->request.summary->blank++;
        return MR_OK;
    }
    if (!take_pagerank_row(line, end, &row)) {
        return mr_line_reader_bad(reader, line, end, "not PAGE SCORE O:TARGET,TARGET,...", err);
    }
    if (is_dummy(row.page, row.page_bytes)) {
        reader->request.summary->comments++;
        return MR_OK;
    }
    enum mr_status status = mr_line_reader_number(reader, row.page, row.page_bytes, &source, err);
    if (status == MR_OK && source == UINT64_MAX) {
        return mr_line_reader_bad(reader, line, end, MR_LINE_NO_PAGE, err);
    }
    status = status == MR_OK ? mr_edge_batch_page(&reader->batch, NULL, &source, err) : status;
    return status == MR_OK ? pagerank_links(reader, line, &row, end, source, err) : status;
}

static bool detect_pagerank(const struct mr_graph_probe *probe)
{
    struct pagerank_row row;
    const char *end = memchr(probe->data, '\n', probe->bytes);
    return take_pagerank_row(probe->data, end != NULL ? end : probe->data + probe->bytes, &row);
}

static enum mr_status open_pagerank(void *reader, struct mr_graph_head *head, struct mr_error *err)
{
    (void)head;
    return mr_line_reader_begin(reader, pagerank_line, err);
}

/* ---- crawl-log ---- */

struct log_reader {
    struct mr_line_reader base;
    bool is_journal;
    uint64_t n_found; /* lines of the journal that have a "via" */
};

static bool take_fields(const char **line, const char *end, const char *fields[6], size_t bytes[6])
{
    for (int i = 0; i < 6; i++) {
        fields[i] = mr_lines_field(line, end, &bytes[i]);
        if (fields[i] == NULL) {
            return false;
        }
    }
    return true;
}

/* Counts a line as a fetch of its page: the ninth field is when the fetch began, as in the WARC
 * file, and how long it took; the tenth is the digest. `rest` is behind the seventh. */
static enum mr_status add_fetch(struct mr_line_reader *reader, uint64_t page, const char *rest,
                                const char *end, struct mr_error *err)
{
    size_t bytes = 0, digest_bytes = 0;
    double seconds = 0;

    (void)mr_lines_field(&rest, end, &bytes); /* the thread */
    const char *begun = mr_lines_field(&rest, end, &bytes);
    const char *digest = mr_lines_field(&rest, end, &digest_bytes);
    const bool is_known = begun != NULL && bytes >= 14 && mr_time_parse(begun, 14, &seconds);
    const struct mr_capture fetch = {.time = is_known ? (uint32_t)seconds : 0,
                                     .digest = mr_digest_of_text(digest, digest_bytes)};
    return mr_edge_batch_fetch(&reader->batch, page, fetch, err);
}

/* A time in ISO 8601, or of 14 or 17 digits. */
static bool is_time(const char *text, size_t bytes)
{
    double seconds;
    return bytes >= 14 && mr_time_parse(text, bytes, &seconds);
}

/* A URI that was found: the words of its line. */
struct found {
    const char *uri, *hops, *via; /* `via` is NULL, or "-", for a seed */
    size_t uri_bytes, hops_bytes, via_bytes;
    unsigned own; /* kinds of the page by itself */
    const char *rest; /* of a line of crawl.log, behind its type; NULL: there is no fetch */
};

static bool has_via(const struct found *found)
{
    return found->via != NULL && !(found->via_bytes == 1 && *found->via == '-');
}

/* Adds the page of the line, its fetch, and the link by which it was found. */
static enum mr_status add_found(struct mr_line_reader *reader, const char *line, const char *end,
                                const struct found *found, struct mr_error *err)
{
    const unsigned kinds = mr_link_kinds_of_way(found->hops, found->hops_bytes);
    const unsigned own = found->own | mr_link_kinds_of_url(found->uri, found->uri_bytes);
    uint64_t page, via;

    if (mr_link_scheme_of(found->uri, found->uri_bytes) == MR_SCHEME_OTHER) {
        reader->request.summary->comments++; /* a DNS look-up is not a page */
        return MR_OK;
    }
    if (!mr_link_is_wanted(kinds, own, wanted_kinds(reader))) {
        reader->request.summary->other_kinds++;
        return MR_OK;
    }
    enum mr_status status = mr_line_reader_number(reader, found->uri, found->uri_bytes, &page, err);
    if (status == MR_OK && found->rest != NULL && (own & MR_LINK_FAILED) == 0) {
        status = add_fetch(reader, page, found->rest, end, err);
    }
    if (status != MR_OK || !has_via(found) ||
        mr_link_scheme_of(found->via, found->via_bytes) == MR_SCHEME_OTHER) {
        return status;
    }
    status = mr_line_reader_number(reader, found->via, found->via_bytes, &via, err);
    return status == MR_OK ? mr_line_reader_link(reader, line, end, via, page, err) : status;
}

static enum mr_status log_line(struct mr_line_reader *reader, const char *line, const char *end,
                               struct mr_error *err)
{
    const char *fields[6], *rest = line;
    size_t bytes[6], type_bytes = 0;
    long code;

    if (line == end) {
        reader->request.summary->blank++;
        return MR_OK;
    }
    if (!take_fields(&rest, end, fields, bytes) || !is_time(fields[0], bytes[0])) {
        return mr_line_reader_bad(reader, line, end, "not a line of a crawl.log", err);
    }
    const char *type = mr_lines_field(&rest, end, &type_bytes);
    const bool failed = !mr_fetch_code(fields[1], bytes[1], &code) || mr_link_is_failure(code);
    const struct found found = {.uri = fields[3],
                                .hops = fields[4],
                                .via = fields[5],
                                .uri_bytes = bytes[3],
                                .hops_bytes = bytes[4],
                                .via_bytes = bytes[5],
                                .own = (failed ? (unsigned)MR_LINK_FAILED : 0) |
                                       (type != NULL ? mr_link_kinds_of_type(type, type_bytes) : 0),
                                .rest = rest};
    return add_found(reader, line, end, &found, err);
}

static enum mr_status journal_line(struct mr_line_reader *reader, const char *line, const char *end,
                                   struct mr_error *err)
{
    struct found found = {.uri = NULL};
    const char *at = line + 2;
    const char mark = mr_journal_mark(line, (size_t)(end - line));

    if (mark != '\0' && mark != '+') {
        reader->request.summary->comments++;
        return MR_OK;
    }
    if (mark == '+') {
        found.uri = mr_lines_field(&at, end, &found.uri_bytes);
    }
    if (found.uri == NULL) {
        return mr_line_reader_bad(reader, line, end, "not a line of a recovery journal", err);
    }
    found.hops = mr_lines_field(&at, end, &found.hops_bytes);
    found.via = mr_lines_field(&at, end, &found.via_bytes);
    if (found.via == NULL && found.hops != NULL &&
        memchr(found.hops, ':', found.hops_bytes) != NULL) {
        found.via = found.hops; /* a seed that was found has no hops */
        found.via_bytes = found.hops_bytes;
        found.hops_bytes = 0;
    }
    ((struct log_reader *)reader)->n_found += has_via(&found);
    return add_found(reader, line, end, &found, err);
}

static bool detect_log(const struct mr_graph_probe *probe)
{
    const enum mr_fetch_log kind = mr_fetch_log_look(probe->data, probe->bytes);
    return kind == MR_FETCH_LOG_HERITRIX || kind == MR_FETCH_LOG_JOURNAL;
}

static enum mr_status open_log(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    struct log_reader *reader = data;
    const struct mr_graph_request *request = &reader->base.request;
    const char *text;
    size_t bytes;
    const enum mr_status status = mr_input_peek(request->input, &text, &bytes, err);

    (void)head;
    if (status != MR_OK) {
        return status;
    }
    const enum mr_fetch_log kind = mr_fetch_log_look(text, bytes);
    reader->is_journal = kind == MR_FETCH_LOG_JOURNAL;
    return mr_line_reader_begin(&reader->base, reader->is_journal ? journal_line : log_line, err);
}

static enum mr_status read_log(void *data, struct mr_error *err)
{
    const struct log_reader *reader = data;

    mr_context_note(reader->base.request.context,
                    "a %s has one link to each page, from the page it was found in; "
                    "the scores describe this forest, not all links",
                    reader->is_journal ? mr_fetch_log_name(MR_FETCH_LOG_JOURNAL) : "crawl.log");
    const enum mr_status status = mr_line_reader_read(data, err);

    return status == MR_OK && reader->is_journal && reader->n_found == 0
               ? mr_error_file(err, MR_ERROR_INPUT, mr_input_name(reader->base.request.input), 0,
                               "no links in it: a recovery journal with seeds alone (no line F+ "
                               "tells where its page was found)")
               : status;
}

/* ---- cdxj ---- */

/* The kinds of the page itself; 0 for most pages. */
static unsigned own_kinds(const json_t *root)
{
    const json_t *url = mr_json_find(root, " url uri "), *type = mr_json_find(root, " mime mct ");
    char digits[32];
    size_t bytes;
    long code;
    const char *text = mr_json_as_text(mr_json_find(root, " status hsc "), digits, &bytes);

    return mr_link_kinds_of_url(json_string_value(url), json_string_length(url)) |
           (json_is_string(type)
                ? mr_link_kinds_of_type(json_string_value(type), json_string_length(type))
                : 0) |
           (text != NULL && mr_fetch_code(text, bytes, &code) && mr_link_is_failure(code)
                ? (unsigned)MR_LINK_FAILED
                : 0);
}

/* Counts a line as a fetch of its page. */
static enum mr_status add_capture(struct mr_line_reader *reader, const json_t *root, uint64_t page,
                                  double time, struct mr_error *err)
{
    const json_t *value = mr_json_find(root, " digest sha ");
    const char *type = json_string_value(mr_json_find(root, " mime mct "));
    struct mr_capture fetch = {
        .time = (uint32_t)time,
        .digest = mr_digest_of_text(json_string_value(value), json_string_length(value))};

    if (fetch.digest == MR_DIGEST_UNKNOWN && type != NULL && strcmp(type, "warc/revisit") == 0) {
        fetch.digest = MR_DIGEST_SAME;
    }
    return mr_edge_batch_fetch(&reader->batch, page, fetch, err);
}

/* Adds the page of a line, and the link to where it redirects. */
static enum mr_status add_redirect(struct mr_line_reader *reader, const json_t *root, double time,
                                   struct mr_error *err)
{
    const json_t *url = mr_json_find(root, " url uri "),
                 *redirect = mr_json_find(root, " redirect ");
    const char *text = json_string_value(url), *absolute = NULL;
    const size_t bytes = json_string_length(url);
    uint64_t page, target;

    if (mr_link_scheme_of(text, bytes) == MR_SCHEME_OTHER) {
        reader->request.summary->comments++;
        return MR_OK;
    }
    const unsigned own = own_kinds(root);
    if (!mr_link_is_wanted(MR_LINK_NAVIGATION, own, wanted_kinds(reader) | MR_LINKS_DEFAULT)) {
        reader->request.summary->other_kinds++;
        return MR_OK;
    }
    const char *name = mr_resolver_name(reader->resolver, text, bytes);
    if (name == NULL) {
        return MR_OK;
    }
    enum mr_status status = mr_line_reader_number(reader, name, strlen(name), &page, err);
    if (status == MR_OK && (own & MR_LINK_FAILED) == 0) {
        status = add_capture(reader, root, page, time, err);
    }
    if (status != MR_OK || page == UINT64_MAX) {
        return status;
    }
    if ((wanted_kinds(reader) & MR_LINK_REDIRECT) != 0 && json_is_string(redirect) &&
        mr_resolver_page(reader->resolver, text, bytes)) {
        absolute = mr_resolver_link(reader->resolver, json_string_value(redirect),
                                    json_string_length(redirect));
    }
    if (absolute == NULL) {
        return MR_OK;
    }
    status = mr_line_reader_number(reader, absolute, strlen(absolute), &target, err);
    return status == MR_OK && target != UINT64_MAX
               ? mr_edge_batch_add(&reader->batch, page, target, 1.0F, err)
               : status;
}

static enum mr_status cdxj_line(struct mr_line_reader *reader, const char *line, const char *end,
                                struct mr_error *err)
{
    struct mr_error problem = {0};
    struct mr_json_input json;
    double time;

    if (line == end || mr_cdx_is_head(line, (size_t)(end - line))) {
        reader->request.summary->comments++;
        return MR_OK;
    }
    const char *brace = mr_cdxj_json(line, (size_t)(end - line), &time);
    if (brace == NULL) {
        return mr_line_reader_bad(reader, line, end, "no JSON with a \"url\"", err);
    }
    enum mr_status status = mr_json_input_parse(reader->request.context->memory, brace,
                                                (size_t)(end - brace), 0, &json, &problem);
    if (status != MR_OK) {
        status = mr_error_line(err, status, mr_input_name(reader->request.input),
                               mr_lines_number(reader->lines), "%s", problem.message);
    } else if (!json_is_string(mr_json_find(json.root, " url uri "))) {
        status = mr_line_reader_bad(reader, line, end, "no JSON with a \"url\"", err);
    } else {
        status = add_redirect(reader, json.root, time, err);
    }
    mr_json_input_free(&json);
    return status;
}

static bool detect_cdxj(const struct mr_graph_probe *probe)
{
    const enum mr_fetch_log kind = mr_fetch_log_look(probe->data, probe->bytes);
    return kind == MR_FETCH_LOG_CDXJ || kind == MR_FETCH_LOG_CDX;
}

static enum mr_status open_cdxj(void *opened, struct mr_graph_head *head, struct mr_error *err)
{
    struct mr_line_reader *reader = opened;
    struct mr_input *input = reader->request.input;
    const char *data;
    size_t bytes;
    enum mr_status status = mr_input_peek(input, &data, &bytes, err);

    (void)head;
    if (status == MR_OK && mr_fetch_log_look(data, bytes) == MR_FETCH_LOG_CDX) {
        status = mr_error_file(err, MR_ERROR_INPUT, mr_input_name(input), 0,
                               "a CDX index has no links; --fetched reads it. Links come from the "
                               "WARC files that it is an index of, redirects from its CDXJ form");
    }
    return status == MR_OK ? mr_line_reader_begin(reader, cdxj_line, err) : status;
}

#define FORMAT(variable, id, words, detection, opening, reading, kinds)                            \
    const struct mr_graph_format variable = {.name = (id),                                         \
                                             .title = (words),                                     \
                                             .mark = (detection) != NULL ? (id) : NULL,            \
                                             .detect = (detection),                                \
                                             .reader_bytes = sizeof(struct log_reader),            \
                                             .head = {.ids = MR_IDS_TEXT},                         \
                                             .open = (opening),                                    \
                                             .read = (reading),                                    \
                                             .close = mr_line_reader_close,                        \
                                             .in_part = (kinds) != 0, /* crawl.log and CDXJ */     \
                                             .may_have_numbers = (kinds) == 0, /* pr0.txt */       \
                                             .link_kinds = (kinds)}
FORMAT(mr_format_heritrix_pagerank, "heritrix-pagerank", "a file of Heritrix's offline PageRank",
       detect_pagerank, open_pagerank, mr_line_reader_read, 0);
FORMAT(mr_format_crawl_log, "crawl-log", "Heritrix's crawl.log", detect_log, open_log, read_log,
       MR_LINKS_OF_HOPS);
FORMAT(mr_format_cdxj, "cdxj", "a CDXJ index", detect_cdxj, open_cdxj, mr_line_reader_read,
       MR_LINKS_DEFAULT | MR_LINK_EMBED | MR_LINK_PREREQUISITE | MR_LINK_FAILED);
