/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of Common Crawl's web graphs, by host or by domain. Such a graph has files of vertices and
 * files of edges, each whole or in parts. All vertices come first.
 *
 *     vertices   "ID<TAB>REVERSED.HOST", then for domains "<TAB>NUMBER OF HOSTS"; ids count from 0
 *                without gaps, over all parts in the order they are given
 *     edges      "FROM-ID<TAB>TO-ID"
 *
 * The first line tells which kind a file is. The name of a vertex is its reversed host, or a URL
 * where the first vertex has a scheme ("http://example.org/"), as graphs of pages do. mr_build_name
 * numbers new names in their order, so these numbers equal the file's ids, less the number of names
 * before them that came twice. Source: the releases of Common Crawl's web graphs,
 * https://commoncrawl.org/web-graphs. */
#include <stdio.h>
#include <string.h>

#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/table/lines.h"

struct common_crawl_reader {
    struct mr_graph_request request;
    struct mr_edge_batch batch;
    struct mr_lines *lines;
    bool is_url; /* names are URLs, as the first one shows */
};

/* ---- Lines ---- */

/* Parse "number<TAB>" at `*at`; `*at` moves behind it. */
static bool take_id(const char **at, const char *end, uint64_t *id)
{
    if (mr_decimal_parse(at, end, id) != MR_DECIMAL_OK || *at == end || **at != '\t') {
        return false;
    }
    ++*at;
    return true;
}

/* The end of the host that begins at `at`: the next tab, or the end of the line. NULL if it is no
 * host but a number, a list of numbers, or an end of a link, which a URL follows. */
static const char *host_end(const char *at, const char *end)
{
    const char *tab = at < end ? memchr(at, '\t', (size_t)(end - at)) : NULL;
    const char *stop = tab != NULL ? tab : end, *digits = at;
    while (digits < stop && ((*digits >= '0' && *digits <= '9') || strchr(",;| ", *digits))) {
        digits++;
    }
    return digits < stop && memmem(stop, (size_t)(end - stop), "://", 3) == NULL ? stop : NULL;
}

static bool is_vertex(const char *line, const char *end, uint64_t *id)
{
    return take_id(&line, end, id) && host_end(line, end) != NULL;
}

static enum mr_status bad_line(struct common_crawl_reader *reader, const char *line,
                               const char *end, const char *reason, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    reader->request.summary->bad_lines++;
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(reader->request.input),
                         mr_lines_number(reader->lines), "%s: %s",
                         mr_lines_quote(line, (size_t)(end - line), quote), reason);
}

/* Takes an id whose name came before for that page, where bad lines are skipped. */
static enum mr_status add_twin(struct common_crawl_reader *reader, const char *line,
                               const char *end, uint64_t id, uint64_t number, struct mr_error *err)
{
    const struct mr_edge_text_options *text = reader->request.text;
    struct mr_twin_ids *twins = reader->request.twins;

    if (text->bad_lines == MR_BAD_LINES_FAIL ||
        (text->max_bad > 0 && reader->request.summary->bad_lines >= text->max_bad)) {
        return bad_line(reader, line, end,
                        "the host occurs twice; --bad-lines skip makes one page of both, as "
                        "it does in a file for --names",
                        err);
    }
    const enum mr_status status = mr_memory_grow(reader->request.context->memory, "repeated hosts",
                                                 twins->n + 1, &twins->pairs, &twins->room, err);
    if (status != MR_OK) {
        return status;
    }
    twins->pairs[twins->n][0] = id;
    twins->pairs[twins->n++][1] = number;
    reader->request.summary->bad_lines++;
    return MR_OK;
}

static enum mr_status read_vertex(struct common_crawl_reader *reader, const char *line,
                                  const char *end, struct mr_error *err)
{
    uint64_t *expected = &reader->request.summary->vertices, id, number;
    const char *at = line;

    if (!take_id(&at, end, &id) || host_end(at, end) == NULL) {
        return bad_line(reader, line, end, "not a vertex, ID<TAB>REVERSED.HOST", err);
    }
    if (id != *expected) {
        char reason[128];
        (void)snprintf(reason, sizeof reason,
                       "vertex %llu is expected here; give all parts, in their order",
                       (unsigned long long)*expected);
        return bad_line(reader, line, end, reason, err);
    }
    const size_t bytes = (size_t)(host_end(at, end) - at);
    if (!reader->is_url && memmem(at, bytes, "://", 3) != NULL) {
        return bad_line(reader, line, end, "a URL among reversed hosts", err);
    }
    if (reader->is_url && memchr(at, ':', bytes) == NULL && memchr(at, '/', bytes) == NULL) {
        return bad_line(reader, line, end, "a reversed host among URLs", err);
    }
    enum mr_status status = mr_edge_batch_name(&reader->batch, at, bytes, &number, err);
    if (status != MR_OK) {
        return status;
    }
    if (number == UINT64_MAX) {
        return bad_line(reader, line, end,
                        "the host is too long, or has blanks or control characters in it", err);
    }
    ++*expected;
    return number == id - reader->request.twins->n ? MR_OK
                                                   : add_twin(reader, line, end, id, number, err);
}

/* The builder's number of an id: names that came twice have no number of their own. */
static uint64_t number_of(const struct mr_twin_ids *twins, uint64_t id)
{
    size_t low = 0, high = twins->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (twins->pairs[middle][0] == id) {
            return twins->pairs[middle][1];
        }
        low = twins->pairs[middle][0] < id ? middle + 1 : low;
        high = twins->pairs[middle][0] < id ? high : middle;
    }
    return id - low;
}

static enum mr_status read_edge(struct common_crawl_reader *reader, const char *line,
                                const char *end, struct mr_error *err)
{
    const uint64_t n_vertices = reader->request.summary->vertices;
    const char *at = line;
    uint64_t source, target;

    if (!take_id(&at, end, &source) || mr_decimal_parse(&at, end, &target) != MR_DECIMAL_OK ||
        (at < end && *at != '\t')) {
        return bad_line(reader, line, end, "not an edge, FROM-ID<TAB>TO-ID", err);
    }
    if (source >= n_vertices || target >= n_vertices) {
        return bad_line(
            reader, line, end,
            n_vertices == 0
                ? "an edge before any vertex; give the files of vertices first"
                : "an id that no file of vertices has; give all files of vertices first",
            err);
    }
    reader->request.summary->extra_columns += at < end;
    return mr_edge_batch_add(&reader->batch, number_of(reader->request.twins, source),
                             number_of(reader->request.twins, target), 1.0F, err);
}

/* ---- Files ---- */

static void close_reader(void *data)
{
    struct common_crawl_reader *reader = data;
    mr_lines_close(reader->lines);
}

static enum mr_status open_reader(void *opened, struct mr_graph_head *head, struct mr_error *err)
{
    struct common_crawl_reader *reader = opened;
    const struct mr_graph_request *request = &reader->request;
    const char *data;
    size_t bytes;

    enum mr_status status = mr_lines_open(request->context, request->input, &reader->lines, err);
    if (status == MR_OK) {
        status = mr_input_peek(request->input, &data, &bytes, err);
    }
    if (status != MR_OK) {
        return status;
    }
    /* Some graphs name pages, "0<TAB>http://example.org/". These names are URLs, not reversed
     * hosts. */
    const char *line_end = bytes > 0 ? memchr(data, '\n', bytes) : NULL;
    reader->is_url = bytes > 0 && memmem(data, line_end != NULL ? (size_t)(line_end - data) : bytes,
                                         "://", 3) != NULL;
    head->reversed_hosts = !reader->is_url;
    return MR_OK;
}

static enum mr_status read_file(void *data, struct mr_error *err)
{
    struct common_crawl_reader *reader = data;
    const char *line;
    size_t bytes;
    uint64_t id;
    enum { UNKNOWN, VERTICES, EDGES } kind = UNKNOWN;
    enum mr_status status = MR_OK;

    for (uint64_t n = 0; status == MR_OK; n++) {
        status = n % 4096 == 0 ? mr_context_poll(reader->request.context, err) : MR_OK;
        if (status == MR_OK) {
            status = mr_lines_next(reader->lines, &line, &bytes, err);
        }
        if (status != MR_OK || line == NULL) {
            break;
        }
        reader->request.summary->lines++;
        if (kind == UNKNOWN) {
            kind = is_vertex(line, line + bytes, &id) ? VERTICES : EDGES;
        }
        status = kind == VERTICES ? read_vertex(reader, line, line + bytes, err)
                                  : read_edge(reader, line, line + bytes, err);
    }
    return status;
}

/* Detect two vertices with the ids 0 and 1, or a single vertex 0 that is the whole file. A file of
 * links between names hardly begins so. */
static bool detect(const struct mr_graph_probe *probe)
{
    const char *end = memchr(probe->data, '\n', probe->bytes);
    const char *all = probe->data + probe->bytes;
    uint64_t first, second;

    if (end == NULL || !is_vertex(probe->data, end, &first) || first != 0) {
        return false;
    }
    const char *next = memchr(end + 1, '\n', (size_t)(all - (end + 1)));
    next = next == NULL ? all : next;
    return end + 1 == all || (is_vertex(end + 1, next, &second) && second == 1);
}

const struct mr_graph_format mr_format_common_crawl = {
    .name = "commoncrawl",
    .title = "a web graph of Common Crawl",
    .detect = detect,
    .reader_bytes = MR_READER_BYTES(struct common_crawl_reader),
    .head = {.ids = MR_IDS_TEXT},
    .open = open_reader,
    .read = read_file,
    .close = close_reader,
    .detects_vertices = true};
