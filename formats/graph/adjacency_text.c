/* SPDX-License-Identifier: Apache-2.0 */
/* Reads text formats with one line per vertex. A line belongs to the vertex of its number.
 *
 *     ascii-graph  WebGraph ASCIIGraph: n, then n lines of successors, counted from 0
 *     metis        METIS, DIMACS10: "n m [fmt [ncon]]", then n lines of neighbours, counted from 1;
 *                  with fmt xx1 a weight after each neighbour, with fmt x1x ncon numbers before
 *                  them. DIMACS10 and GAP write fmt 1xx for graphs with self-loops or repeated
 *                  edges. In METIS 5 fmt 1xx means a vertex size at the beginning of each line;
 *                  such files are not read
 *
 * A vertex without neighbours is an empty line. Sources: WebGraph's ASCIIGraph, the METIS 5.1
 * manual, the DIMACS10 format page. */
#include <string.h>

#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/stream/output.h"
#include "formats/table/table.h"
#include "formats/table/tokens.h"

struct adjacency {
    struct mr_graph_request request;
    struct mr_edge_batch batch;
    struct mr_tokens *tokens;
    uint64_t n_vertices;
    uint64_t n_announced; /* edges that the header of METIS announces */
    unsigned before; /* how many numbers come before the neighbours of a line */
    unsigned base; /* number of the first vertex */
    bool weighted;
    bool may_have_sizes; /* METIS: fmt is 1xx, so that lines may begin with vertex sizes */
    /* the line of the last vertex is missing; the vertex may have no neighbours and no line end */
    bool lacks_line;
};

/* ---- Words and numbers ---- */

static void close_reader(void *data)
{
    struct adjacency *reader = data;
    mr_tokens_close(reader->tokens);
}

/* The token must be a number in this range; messages call it `what`. */
static enum mr_status check_number(struct adjacency *reader, const struct mr_token *token,
                                   const char *what, uint64_t least, uint64_t most,
                                   struct mr_error *err)
{
    if (token->kind == MR_TOKEN_END) {
        return mr_tokens_error(reader->tokens, NULL, err, "the file ends where %s should stand",
                               what);
    }
    if (token->kind != MR_TOKEN_NUMBER || token->number < least || token->number > most) {
        return mr_tokens_error(reader->tokens, token, err, "%s must be a number from %llu to %llu",
                               what, (unsigned long long)least, (unsigned long long)most);
    }
    return MR_OK;
}

/* Takes the next token that is not a line end. */
static enum mr_status take_word(struct adjacency *reader, struct mr_token *token,
                                struct mr_error *err)
{
    enum mr_status status;

    do {
        status = mr_tokens_next(reader->tokens, token, err);
    } while (status == MR_OK && token->kind == MR_TOKEN_LINE);
    return status;
}

static enum mr_status take_number(struct adjacency *reader, const char *what, uint64_t most,
                                  uint64_t *number, struct mr_error *err)
{
    struct mr_token token;
    enum mr_status status = take_word(reader, &token, err);

    if (status == MR_OK) {
        status = check_number(reader, &token, what, 0, most, err);
    }
    *number = token.number;
    return status;
}

/* Takes a weight. It must be a good one if the request needs such weights. */
static enum mr_status take_weight(struct adjacency *reader, double *weight, struct mr_error *err)
{
    struct mr_token token;
    const enum mr_status status = mr_tokens_next(reader->tokens, &token, err);

    if (status != MR_OK) {
        return status;
    }
    const struct mr_table_field field = {.text = token.text, .bytes = token.bytes};
    if (token.kind < MR_TOKEN_NUMBER || !mr_table_number(&field, ',', weight)) {
        return mr_tokens_error(reader->tokens, &token, err, "the weight is missing or no number");
    }
    return mr_graph_refuses_weight(&reader->request, *weight)
               ? mr_tokens_error(reader->tokens, &token, err, "%s", mr_graph_weight_reason(*weight))
               : MR_OK;
}

/* Refuses a count of numbers for which the rest of the file has no room. */
static enum mr_status check_room(struct adjacency *reader, const char *what, uint64_t count,
                                 struct mr_error *err)
{
    /* A number takes at least two bytes: a digit and a separator. */
    return count / 2 > mr_tokens_left(reader->tokens)
               ? mr_tokens_error(reader->tokens, NULL, err,
                                 "%llu %s do not fit into the rest of the file",
                                 (unsigned long long)count, what)
               : MR_OK;
}

/* ---- Detection ---- */

/* Reads the numbers on the line at `*at`, up to `capacity` of them. Returns how many there are; -1
 * for any other line. `*at` moves to the next line, or becomes NULL where this line is longer than
 * the data. */
static int numbers_of(const char **at, const char *end, uint64_t *numbers, int capacity)
{
    const char *p = *at;
    int n = 0;

    for (;;) {
        while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) {
            p++;
        }
        if (p == end) {
            *at = NULL;
            return n;
        }
        if (*p == '\n') {
            *at = p + 1;
            return n;
        }
        uint64_t value = 0;
        const char *start = p;
        while (p < end && *p >= '0' && *p <= '9') {
            value = value * 10 + (uint64_t)(*p++ - '0');
        }
        if (p == start) {
            return -1;
        }
        if (n < capacity) {
            numbers[n] = value;
        }
        n++;
    }
}

/* METIS: comments, "n m" with up to two more numbers, and then lines of different lengths, as only
 * lists of neighbours have. */
static bool detect_metis(const struct mr_graph_probe *probe)
{
    const char *at = probe->data, *const end = probe->data + probe->bytes;
    uint64_t numbers[4] = {0};
    int shortest = 1 << 30, longest = 0, lines = 0;

    while (at < end && *at == '%') {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at == NULL) {
            return false;
        }
        at++;
    }
    const int header = numbers_of(&at, end, numbers, 4);
    if (header < 2 || header > 4 || at == NULL) {
        return false;
    }
    if (mr_output_has_suffix(probe->path, ".graph") ||
        mr_output_has_suffix(probe->path, ".metis")) {
        return true;
    }
    for (; at != NULL && at < end && lines < 64; lines++) {
        const int n = numbers_of(&at, end, numbers, 0);
        if (n < 0) {
            return false;
        }
        if (at != NULL) {
            shortest = n < shortest ? n : shortest;
            longest = n > longest ? n : longest;
        }
    }
    return header == 2 && longest > 3 && longest != shortest && (uint64_t)lines <= numbers[0] + 1;
}

/* ---- Headers ---- */

/* The first line has one number. */
static enum mr_status end_ascii_header(struct adjacency *reader, struct mr_error *err)
{
    struct mr_token token;
    const enum mr_status status = mr_tokens_next(reader->tokens, &token, err);

    if (status == MR_OK && token.kind >= MR_TOKEN_NUMBER) {
        return mr_tokens_error(reader->tokens, &token, err,
                               "the first line of an ASCIIGraph has the number of nodes alone");
    }
    return status;
}

static enum mr_status open_ascii(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    struct adjacency *reader = data;
    enum mr_status status =
        mr_tokens_open(reader->request.context, reader->request.input, &reader->tokens, err);

    if (status == MR_OK) {
        status = take_number(reader, "the number of nodes", UINT64_MAX, &reader->n_vertices, err);
    }
    if (status == MR_OK) {
        status = check_room(reader, "lines", reader->n_vertices, err);
    }
    if (status == MR_OK) {
        status = end_ascii_header(reader, err);
    }
    head->n_vertices = reader->n_vertices;
    return status;
}

/* Reads "n m [fmt [ncon]]", the first line that is not a comment. */
static enum mr_status take_metis_header(struct adjacency *reader, struct mr_error *err)
{
    uint64_t numbers[4] = {0, 0, 0, 1};
    unsigned n = 0;
    enum mr_status status = MR_OK;
    struct mr_token token;

    do {
        status = take_word(reader, &token, err);
        if (status == MR_OK && token.kind >= MR_TOKEN_NUMBER && token.text[0] == '%') {
            status = mr_tokens_skip_line(reader->tokens, err);
            continue;
        }
        break;
    } while (status == MR_OK);
    while (status == MR_OK && token.kind >= MR_TOKEN_NUMBER && n < 4) {
        status = check_number(reader, &token, "the header", 0, UINT64_MAX, err);
        numbers[n++] = token.number;
        if (status == MR_OK) {
            status = mr_tokens_next(reader->tokens, &token, err);
        }
    }
    if (status != MR_OK) {
        return status;
    }
    const uint64_t format = numbers[2];
    if (n < 2 || token.kind >= MR_TOKEN_NUMBER || format % 10 > 1 || format / 10 % 10 > 1 ||
        format > 111 || numbers[3] > 1000) {
        return mr_tokens_error(reader->tokens, NULL, err,
                               "here must stand the numbers of vertices and edges, and perhaps a "
                               "format of three digits 0 or 1 and a number of vertex weights");
    }
    reader->n_vertices = numbers[0];
    reader->n_announced = numbers[1];
    reader->weighted = format % 10 == 1;
    reader->before = format / 10 % 10 == 1 ? (unsigned)numbers[3] : 0;
    reader->may_have_sizes = format >= 100;
    reader->base = 1;
    status = check_room(reader, "edges", reader->n_announced, err);
    return status == MR_OK ? check_room(reader, "lines", reader->n_vertices, err) : status;
}

static enum mr_status open_metis(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    struct adjacency *reader = data;
    enum mr_status status =
        mr_tokens_open(reader->request.context, reader->request.input, &reader->tokens, err);

    if (status == MR_OK) {
        status = take_metis_header(reader, err);
    }
    head->n_vertices = reader->n_vertices;
    head->n_edges = reader->n_announced;
    head->weighted = reader->weighted;
    return status;
}

/* ---- Lines ---- */

/* Takes the neighbours of `vertex`, to the end of the line. `*token` is the first of them. */
static enum mr_status take_neighbours(struct adjacency *reader, uint64_t vertex,
                                      struct mr_token *token, struct mr_error *err)
{
    const uint64_t last = reader->n_vertices - 1 + reader->base;
    enum mr_status status = MR_OK;

    for (unsigned i = 0; i < reader->before && status == MR_OK; i++) {
        status = check_number(reader, token, "a vertex weight", 0, UINT64_MAX, err);
        if (status == MR_OK) {
            status = mr_tokens_next(reader->tokens, token, err);
        }
    }
    while (status == MR_OK && token->kind >= MR_TOKEN_NUMBER) {
        double weight = 1;

        status = check_number(reader, token, "a neighbour", reader->base, last, err);
        const uint64_t other = token->number - reader->base;
        if (status == MR_OK && reader->weighted) {
            status = take_weight(reader, &weight, err);
        }
        if (status == MR_OK) {
            status = mr_edge_batch_add(&reader->batch, vertex, other, weight, err);
        }
        if (status == MR_OK) {
            status = mr_tokens_next(reader->tokens, token, err);
        }
    }
    return status;
}

/* Compares the number of edges in the header of METIS with the neighbours in the file. A file has
 * every edge twice, or once if the graph is directed. */
static enum mr_status check_announced(struct adjacency *reader, struct mr_error *err)
{
    const uint64_t n = reader->batch.n_edges + reader->batch.n, m = reader->n_announced;

    if (reader->may_have_sizes && n != m && n != 2 * m &&
        (n - reader->n_vertices == m || n - reader->n_vertices == 2 * m)) {
        return mr_tokens_error(reader->tokens, NULL, err,
                               "%llu neighbours, one a line too many for the %llu edges announced: "
                               "the lines begin with vertex sizes; write the file without them",
                               (unsigned long long)n, (unsigned long long)m);
    }
    if (reader->base == 1 && n != m && n != 2 * m && reader->lacks_line) {
        return mr_tokens_error(reader->tokens, NULL, err,
                               "the file ends after %llu of %llu vertices, and %llu neighbours "
                               "where the header says %llu edges",
                               (unsigned long long)reader->n_vertices - 1,
                               (unsigned long long)reader->n_vertices, (unsigned long long)n,
                               (unsigned long long)m);
    }
    if (reader->base == 1 && n != m && n != 2 * m) {
        mr_context_note(
            reader->request.context, "%s: %llu neighbours where the header says %llu edges",
            mr_tokens_name(reader->tokens), (unsigned long long)n, (unsigned long long)m);
    }
    return MR_OK;
}

static enum mr_status read_lines(void *data, struct mr_error *err)
{
    struct adjacency *reader = data;
    struct mr_tokens *tokens = reader->tokens;
    struct mr_token token;
    enum mr_status status = MR_OK;

    for (uint64_t vertex = 0; vertex < reader->n_vertices && status == MR_OK; vertex++) {
        status = mr_tokens_next(tokens, &token, err);
        while (status == MR_OK && token.kind == MR_TOKEN_WORD && token.text[0] == '%') {
            status = mr_tokens_skip_line(tokens, err);
            if (status == MR_OK) {
                status = mr_tokens_next(tokens, &token, err);
            }
        }
        /* The last line may lack its end, and may be empty, too. */
        if (status == MR_OK && token.kind == MR_TOKEN_END && vertex + 1 < reader->n_vertices) {
            return mr_tokens_error(tokens, NULL, err, "the file ends after %llu of %llu vertices",
                                   (unsigned long long)vertex,
                                   (unsigned long long)reader->n_vertices);
        }
        reader->lacks_line = status == MR_OK && token.kind == MR_TOKEN_END;
        if (status == MR_OK && token.kind >= MR_TOKEN_NUMBER) {
            status = take_neighbours(reader, vertex, &token, err);
        }
    }
    if (status != MR_OK && reader->may_have_sizes) {
        mr_context_note(reader->request.context,
                        "%s: if its format, 1xx, says that lines begin with the sizes of vertices, "
                        "write the file without them",
                        mr_tokens_name(tokens));
    }
    if (status == MR_OK) {
        status = take_word(reader, &token, err);
    }
    if (status == MR_OK && token.kind != MR_TOKEN_END && token.text[0] != '%') {
        return mr_tokens_error(tokens, &token, err, "more lines than the %llu vertices",
                               (unsigned long long)reader->n_vertices);
    }
    return status == MR_OK ? check_announced(reader, err) : status;
}

const struct mr_graph_format mr_format_ascii_graph = {.name = "ascii-graph",
                                                      .title = "WebGraph ASCIIGraph",
                                                      .suffix = ".graph-txt",
                                                      .reader_bytes =
                                                          MR_READER_BYTES(struct adjacency),
                                                      .head = {.ids = MR_IDS_DENSE},
                                                      .open = open_ascii,
                                                      .read = read_lines,
                                                      .close = close_reader};
const struct mr_graph_format mr_format_metis = {.name = "metis",
                                                .title = "METIS",
                                                .detect = detect_metis,
                                                .reader_bytes = MR_READER_BYTES(struct adjacency),
                                                .head = {.ids = MR_IDS_DENSE},
                                                .open = open_metis,
                                                .read = read_lines,
                                                .close = close_reader};
