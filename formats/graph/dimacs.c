/* SPDX-License-Identifier: Apache-2.0 */
/* Reads DIMACS shortest-path graphs (.gr): "c" comments, "p sp N M", then M lines "a U V W",
 * counted from 1. The tokens of formats/graph/text_reader.c suffice, because the format is lines of
 * words. Source: the 9th DIMACS Implementation Challenge. */
#include <string.h>

#include "formats/graph/graph_reader.h"
#include "formats/graph/text_reader.h"

struct dimacs {
    struct mr_text_reader text;
    uint64_t n_vertices, n_edges;
};

static bool detect(const struct mr_graph_probe *probe)
{
    const char *at = probe->data, *const end = probe->data + probe->bytes;

    while (at != NULL && at + 5 < end) {
        if (memcmp(at, "p sp ", 5) == 0) {
            return true;
        }
        if (at[0] != 'c' || (at[1] != ' ' && at[1] != '\n')) {
            return false;
        }
        at = memchr(at, '\n', (size_t)(end - at));
        at = at == NULL ? NULL : at + 1;
    }
    return false;
}

/* Takes the first word of the next line that is not a comment. */
static enum mr_status next_line(struct dimacs *reader, struct mr_token *token, struct mr_error *err)
{
    enum mr_status status = mr_text_reader_word(&reader->text, token, err);

    while (status == MR_OK && mr_token_is(token, "c")) {
        status = mr_tokens_skip_line(reader->text.tokens, err);
        if (status == MR_OK) {
            status = mr_text_reader_word(&reader->text, token, err);
        }
    }
    return status;
}

static enum mr_status open_dimacs(const struct mr_graph_request *request,
                                  struct mr_graph_head *head, void **out, struct mr_error *err)
{
    void *data = NULL;
    enum mr_status status = mr_text_reader_open(request, sizeof(struct dimacs), &data, err);
    struct dimacs *reader = data;
    struct mr_token token;

    *out = NULL;
    if (status == MR_OK) {
        status = next_line(reader, &token, err);
    }
    if (status == MR_OK && !mr_token_is(&token, "p")) {
        status = mr_tokens_error(reader->text.tokens, &token, err,
                                 "here must stand \"p sp VERTICES EDGES\"");
    }
    if (status == MR_OK) {
        status = mr_tokens_next(reader->text.tokens, &token, err);
    }
    if (status == MR_OK && !mr_token_is(&token, "sp")) {
        status = mr_tokens_error(reader->text.tokens, &token, err, "the problem must be sp");
    }
    if (status == MR_OK) {
        status = mr_text_reader_number(&reader->text, "the number of vertices", UINT64_MAX - 1,
                                       &reader->n_vertices, err);
    }
    if (status == MR_OK) {
        status = mr_text_reader_number(&reader->text, "the number of edges", UINT64_MAX,
                                       &reader->n_edges, err);
    }
    if (status == MR_OK) {
        status = mr_text_reader_room(&reader->text, "edges", reader->n_edges, err);
    }
    if (status != MR_OK) {
        mr_text_reader_close(reader);
        return status;
    }
    *head = (struct mr_graph_head){.ids = MR_IDS_DENSE,
                                   .n_vertices = reader->n_vertices,
                                   .n_edges = reader->n_edges,
                                   .weighted = true};
    *out = reader;
    return MR_OK;
}

static enum mr_status read_arc(struct dimacs *reader, struct mr_error *err)
{
    uint64_t ends[2];
    double weight = 1;
    struct mr_token token;
    enum mr_status status = MR_OK;

    for (unsigned i = 0; i < 2 && status == MR_OK; i++) {
        status = mr_tokens_next(reader->text.tokens, &token, err);
        if (status == MR_OK) {
            status =
                mr_text_reader_check(&reader->text, &token, "a vertex", 1, reader->n_vertices, err);
        }
        ends[i] = token.number - 1;
    }
    if (status == MR_OK) {
        status = mr_text_reader_weight(&reader->text, &weight, err);
    }
    return status == MR_OK ? mr_edge_batch_add(&reader->text.batch, ends[0], ends[1], weight, err)
                           : status;
}

static enum mr_status read_dimacs(void *data, const struct mr_graph_sink *sink,
                                  struct mr_error *err)
{
    struct dimacs *reader = data;
    enum mr_status status = MR_OK;
    struct mr_token token;
    uint64_t n = 0;

    mr_text_reader_begin(&reader->text, sink, true);
    for (;; n++) {
        status = next_line(reader, &token, err);
        if (status != MR_OK || token.kind == MR_TOKEN_END) {
            break;
        }
        if (!mr_token_is(&token, "a")) {
            return mr_tokens_error(reader->text.tokens, &token, err,
                                   "a line must begin with c, p or a");
        }
        status = read_arc(reader, err);
        if (status != MR_OK) {
            return status;
        }
    }
    if (status == MR_OK && n != reader->n_edges) {
        return mr_tokens_error(reader->text.tokens, NULL, err,
                               "%llu edges where %llu were announced", (unsigned long long)n,
                               (unsigned long long)reader->n_edges);
    }
    return status == MR_OK ? mr_edge_batch_flush(&reader->text.batch, err) : status;
}

const struct mr_graph_format mr_format_dimacs = {.name = "dimacs",
                                                 .mark = "dimacs",
                                                 .title = "DIMACS",
                                                 .detect = detect,
                                                 .open = open_dimacs,
                                                 .read = read_dimacs,
                                                 .close = mr_text_reader_close};
