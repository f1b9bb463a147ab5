/* Links in the text files of crawlers, one or several lines a page:
 *
 *     nutch      `nutch readlinkdb DB -dump`: "TARGET<TAB>Inlinks:", then a line " fromUrl: SOURCE anchor: ..."
 *                for each link to it. Nutch keeps at most db.max.inlinks of them per page.
 *     adjacency  SOURCE, then its TARGETs, tabs or blanks between; a page alone on its line has none
 *     crawl-log  Heritrix's crawl.log: the fourth field is a URI, the sixth the one it was found in
 *                ("via"; "-" for seeds). Each URI has one: this is the forest of discovery, and
 *                not the graph of links.
 *     cdxj       "KEY TIMESTAMP {JSON}": a link from "url" to "redirect", where there is one */
#include <stdlib.h>
#include <string.h>

#include "formats/crawl/links_resolve.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/stream/json_input.h"
#include "formats/stream/lines.h"

static const char no_page[] =
    "a page's URL is too long, has blanks or control characters in it, or is "
    "not in the vertex list";

struct line_reader;
typedef enum mr_status (*line_handler)(struct line_reader *reader, const char *line,
                                       const char *end, struct mr_error *err);

struct line_reader {
    struct mr_graph_request request;
    struct mr_lines *lines;
    struct mr_resolver *resolver; /* cdxj */
    line_handler handle;
    const struct mr_graph_sink *sink;
    bool has_page; /* nutch: a page's line was there */
    uint64_t page;
    struct mr_edge_batch batch;
};

static void close_lines(void *data)
{
    struct line_reader *reader = data;
    if (reader != NULL) {
        mr_lines_close(reader->lines);
        mr_resolver_close(reader->resolver);
        free(reader);
    }
}

static enum mr_status open_lines(const struct mr_graph_request *request, struct mr_graph_head *head,
                                 line_handler handle, void **out, struct mr_error *err)
{
    struct line_reader *reader = calloc(1, sizeof *reader);

    *out = NULL;
    if (reader == NULL || (reader->resolver = mr_resolver_open()) == NULL) {
        free(reader);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    reader->request = *request;
    reader->handle = handle;
    const enum mr_status status =
        mr_lines_open(request->context, request->input, &reader->lines, err);
    if (status != MR_OK) {
        close_lines(reader);
        return status;
    }
    *head = (struct mr_graph_head){.ids = MR_IDS_TEXT};
    *out = reader;
    return MR_OK;
}

static enum mr_status bad_line(struct line_reader *reader, const char *line, const char *end,
                               const char *reason, struct mr_error *err)
{
    const struct mr_edge_text_options *text = reader->request.text;
    const uint64_t n = ++reader->request.summary->bad_lines;
    char quote[MR_LINES_QUOTE_BYTES];

    if (text->bad_lines == MR_BAD_LINES_SKIP && (text->max_bad == 0 || n <= text->max_bad)) {
        return MR_OK;
    }
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(reader->request.input),
                         mr_lines_number(reader->lines),
                         "%s: %s; skip such lines with --bad-lines skip",
                         mr_lines_quote(line, (size_t)(end - line), quote), reason);
}

static enum mr_status number(struct line_reader *reader, const char *name, size_t bytes,
                             uint64_t *id, struct mr_error *err)
{
    return mr_edge_batch_name(&reader->batch, name, bytes, id, err);
}

static enum mr_status add_edge(struct line_reader *reader, uint64_t source, uint64_t target,
                               struct mr_error *err)
{
    return mr_edge_batch_add(&reader->batch, source, target, 1.0F, err);
}

/* ---- nutch ---- */

static bool has_inlinks(const char *line, const char *end, const char **tab)
{
    static const char mark[] = "\tInlinks:";
    *tab = memmem(line, (size_t)(end - line), mark, sizeof mark - 1);
    return *tab != NULL && *tab > line;
}

static enum mr_status nutch_line(struct line_reader *reader, const char *line, const char *end,
                                 struct mr_error *err)
{
    static const char from[] = " fromUrl: ", anchor[] = " anchor: ";
    const char *tab;
    uint64_t source;

    if (line == end) {
        reader->request.summary->blank++;
        reader->has_page = false;
        return MR_OK;
    }
    if ((size_t)(end - line) > sizeof from - 1 && memcmp(line, from, sizeof from - 1) == 0) {
        const char *url = line + sizeof from - 1;
        const char *stop = memmem(url, (size_t)(end - url), anchor, sizeof anchor - 1);
        if (!reader->has_page || stop == NULL || stop == url) {
            return bad_line(reader, line, end,
                            reader->has_page ? "no \" anchor: \" behind the URL"
                                             : "an inlink without a page before it",
                            err);
        }
        enum mr_status status = number(reader, url, (size_t)(stop - url), &source, err);
        if (status == MR_OK && (source == UINT64_MAX || reader->page == UINT64_MAX)) {
            return bad_line(reader, line, end, no_page, err);
        }
        return status == MR_OK ? add_edge(reader, source, reader->page, err) : status;
    }
    reader->has_page = has_inlinks(line, end, &tab);
    if (!reader->has_page) {
        return bad_line(reader, line, end, "neither a page with \"Inlinks:\" nor an inlink", err);
    }
    return number(reader, line, (size_t)(tab - line), &reader->page, err);
}

static bool detect_nutch(const struct mr_graph_probe *probe)
{
    const char *end = memchr(probe->data, '\n', probe->bytes), *tab;
    return end != NULL && has_inlinks(probe->data, end, &tab);
}

static enum mr_status open_nutch(const struct mr_graph_request *request, struct mr_graph_head *head,
                                 void **out, struct mr_error *err)
{
    return open_lines(request, head, nutch_line, out, err);
}

/* ---- adjacency ---- */

static enum mr_status adjacency_line(struct line_reader *reader, const char *line, const char *end,
                                     struct mr_error *err)
{
    const char *at = line, *name;
    uint64_t source = UINT64_MAX, target;
    size_t bytes;
    enum mr_status status = MR_OK;

    if (line == end || *line == '#') {
        reader->request.summary->blank += line == end;
        reader->request.summary->comments += line < end;
        return MR_OK;
    }
    for (bool first = true; status == MR_OK && (name = mr_lines_field(&at, end, &bytes)) != NULL;
         first = false) {
        status = number(reader, name, bytes, first ? &source : &target, err);
        const uint64_t id = first ? source : target;
        if (status == MR_OK && id == UINT64_MAX) {
            return bad_line(reader, line, end, no_page, err);
        }
        if (status == MR_OK && !first) {
            status = add_edge(reader, source, target, err);
        }
    }
    return status;
}

static enum mr_status open_adjacency(const struct mr_graph_request *request,
                                     struct mr_graph_head *head, void **out, struct mr_error *err)
{
    return open_lines(request, head, adjacency_line, out, err);
}

/* ---- crawl-log ---- */

static bool take_fields(const char *line, const char *end, const char *fields[6], size_t bytes[6])
{
    for (int i = 0; i < 6; i++) {
        fields[i] = mr_lines_field(&line, end, &bytes[i]);
        if (fields[i] == NULL) {
            return false;
        }
    }
    return true;
}

static bool is_time(const char *text, size_t bytes)
{
    return bytes >= 20 && text[4] == '-' && text[7] == '-' && text[10] == 'T' &&
           text[bytes - 1] == 'Z';
}

static enum mr_status log_line(struct line_reader *reader, const char *line, const char *end,
                               struct mr_error *err)
{
    const char *fields[6];
    size_t bytes[6];
    uint64_t page, via;

    if (line == end) {
        reader->request.summary->blank++;
        return MR_OK;
    }
    if (!take_fields(line, end, fields, bytes) || !is_time(fields[0], bytes[0])) {
        return bad_line(reader, line, end, "not a line of a crawl.log", err);
    }
    if (bytes[3] >= 4 && memcmp(fields[3], "dns:", 4) == 0) {
        reader->request.summary->comments++; /* a look-up, no page */
        return MR_OK;
    }
    enum mr_status status = number(reader, fields[3], bytes[3], &page, err);
    if (status != MR_OK || (bytes[5] == 1 && fields[5][0] == '-')) {
        return status;
    }
    status = number(reader, fields[5], bytes[5], &via, err);
    if (status == MR_OK && (page == UINT64_MAX || via == UINT64_MAX)) {
        return bad_line(reader, line, end, no_page, err);
    }
    return status == MR_OK ? add_edge(reader, via, page, err) : status;
}

static bool detect_log(const struct mr_graph_probe *probe)
{
    const char *end = memchr(probe->data, '\n', probe->bytes), *fields[6];
    size_t bytes[6];
    return end != NULL && take_fields(probe->data, end, fields, bytes) &&
           is_time(fields[0], bytes[0]);
}

static enum mr_status open_log(const struct mr_graph_request *request, struct mr_graph_head *head,
                               void **out, struct mr_error *err)
{
    mr_context_note(request->context,
                    "a crawl.log has one link to each page, the one it was found by: scores are of "
                    "that forest, not of all links");
    return open_lines(request, head, log_line, out, err);
}

/* ---- cdxj ---- */

static enum mr_status add_redirect(struct line_reader *reader, const json_t *root,
                                   struct mr_error *err)
{
    const json_t *url = json_object_get(root, "url"), *redirect = json_object_get(root, "redirect");
    const char *text = json_string_value(url), *absolute = NULL;
    const size_t bytes = json_string_length(url);
    uint64_t page, target;

    enum mr_status status = number(reader, text, bytes, &page, err);
    if (status != MR_OK || page == UINT64_MAX) {
        return status;
    }
    if (json_is_string(redirect) && mr_resolver_page(reader->resolver, text, bytes)) {
        absolute = mr_resolver_link(reader->resolver, json_string_value(redirect),
                                    json_string_length(redirect));
    }
    if (absolute == NULL) {
        return MR_OK;
    }
    status = number(reader, absolute, strlen(absolute), &target, err);
    return status == MR_OK && target != UINT64_MAX ? add_edge(reader, page, target, err) : status;
}

static enum mr_status cdxj_line(struct line_reader *reader, const char *line, const char *end,
                                struct mr_error *err)
{
    struct mr_error problem = {0};
    struct mr_json_input json;

    if (line == end || *line == '!' || *line == ' ') {
        reader->request.summary->comments++; /* "!meta", " CDX" */
        return MR_OK;
    }
    const char *brace = memchr(line, '{', (size_t)(end - line));
    if (brace == NULL) {
        return bad_line(reader, line, end, "no JSON with a \"url\"", err);
    }
    enum mr_status status = mr_json_input_parse(reader->request.context->memory, brace,
                                                (size_t)(end - brace), 0, &json, &problem);
    if (status != MR_OK) {
        status = mr_error_line(err, status, mr_input_name(reader->request.input),
                               mr_lines_number(reader->lines), "%s", problem.message);
    } else if (!json_is_string(json_object_get(json.root, "url"))) {
        status = bad_line(reader, line, end, "no JSON with a \"url\"", err);
    } else {
        status = add_redirect(reader, json.root, err);
    }
    mr_json_input_free(&json);
    return status;
}

static bool detect_cdxj(const struct mr_graph_probe *probe)
{
    const char *end = memchr(probe->data, '\n', probe->bytes);
    const char *brace =
        end != NULL ? memmem(probe->data, (size_t)(end - probe->data), " {\"", 3) : NULL;
    return brace != NULL && brace - probe->data > 15 && brace[-15] == ' ' &&
           memmem(brace, (size_t)(end - brace), "\"url\"", 5) != NULL;
}

static enum mr_status open_cdxj(const struct mr_graph_request *request, struct mr_graph_head *head,
                                void **out, struct mr_error *err)
{
    return open_lines(request, head, cdxj_line, out, err);
}

/* ---- All of them ---- */

static enum mr_status read_lines(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct line_reader *reader = data;
    const char *line;
    size_t bytes;
    enum mr_status status = MR_OK;

    reader->sink = sink;
    reader->batch.request = &reader->request;
    reader->batch.sink = sink;
    while (status == MR_OK) {
        status = mr_context_poll(reader->request.context, err);
        if (status == MR_OK) {
            status = mr_lines_next(reader->lines, &line, &bytes, err);
        }
        if (status != MR_OK || line == NULL) {
            break;
        }
        reader->request.summary->lines++;
        status = reader->handle(reader, line, line + bytes, err);
    }
    return status == MR_OK ? mr_edge_batch_flush(&reader->batch, err) : status;
}

#define FORMAT(variable, id, words, detection, opening)                                            \
    const struct mr_graph_format variable = {.name = (id),                                         \
                                             .title = (words),                                     \
                                             .detect = (detection),                                \
                                             .open = (opening),                                    \
                                             .read = read_lines,                                   \
                                             .close = close_lines}
FORMAT(mr_format_nutch, "nutch", "a dump of Nutch's linkdb", detect_nutch, open_nutch);
FORMAT(mr_format_adjacency, "adjacency", "pages with their links", NULL, open_adjacency);
FORMAT(mr_format_crawl_log, "crawl-log", "Heritrix's crawl.log", detect_log, open_log);
FORMAT(mr_format_cdxj, "cdxj", "a CDXJ index", detect_cdxj, open_cdxj);
