/* SPDX-License-Identifier: Apache-2.0 */
/* Reads adjacency graphs of Ligra and GBBS as text: "AdjacencyGraph" or "WeightedAdjacencyGraph",
 * n, m, n offsets where the lists of the vertices begin, m targets, and m weights.
 *
 * Memory: 8 bytes per vertex, and with weights 4 bytes per edge, because the weights come after all
 * targets. The size of the file bounds both. Source: Shun and Blelloch, "Ligra" (2013), and its
 * README. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "formats/graph/graph_reader.h"
#include "formats/graph/text_reader.h"

struct ligra {
    struct mr_text_reader text;
    uint64_t n_vertices, n_edges;
    bool weighted;
    uint64_t *offsets; /* [n_vertices + 1] */
    uint32_t *targets; /* [n_edges], only where weights are read */
};

static const char plain[] = "AdjacencyGraph", weighted[] = "WeightedAdjacencyGraph";

static bool begins_with(const struct mr_graph_probe *probe, const char *word)
{
    const size_t length = strlen(word);
    return probe->bytes > length && memcmp(probe->data, word, length) == 0 &&
           strchr(" \t\r\n", probe->data[length]) != NULL;
}

static bool detect(const struct mr_graph_probe *probe)
{
    return begins_with(probe, plain) || begins_with(probe, weighted);
}

static void close_ligra(void *data)
{
    struct ligra *reader = data;
    if (reader != NULL) {
        mr_memory_free(reader->text.request.context->memory, reader->offsets);
        mr_memory_free(reader->text.request.context->memory, reader->targets);
    }
    mr_text_reader_close(reader);
}

static enum mr_status take_header(struct ligra *reader, struct mr_error *err)
{
    struct mr_token token;
    enum mr_status status = mr_text_reader_word(&reader->text, &token, err);

    reader->weighted = status == MR_OK && mr_token_is(&token, weighted);
    if (status == MR_OK && !reader->weighted && !mr_token_is(&token, plain)) {
        status = mr_tokens_error(reader->text.tokens, &token, err, "here must stand %s or %s",
                                 plain, weighted);
    }
    if (status == MR_OK) {
        status = mr_text_reader_number(&reader->text, "the number of vertices", UINT32_MAX,
                                       &reader->n_vertices, err);
    }
    if (status == MR_OK) {
        status = mr_text_reader_number(&reader->text, "the number of edges", UINT64_MAX / 4,
                                       &reader->n_edges, err);
    }
    return status == MR_OK
               ? mr_text_reader_room(
                     &reader->text, "numbers",
                     reader->n_vertices + reader->n_edges * (reader->weighted ? 2 : 1), err)
               : status;
}

static enum mr_status open_ligra(const struct mr_graph_request *request, struct mr_graph_head *head,
                                 void **out, struct mr_error *err)
{
    void *data = NULL;
    enum mr_status status = mr_text_reader_open(request, sizeof(struct ligra), &data, err);
    struct ligra *reader = data;

    *out = NULL;
    if (status == MR_OK) {
        status = take_header(reader, err);
    }
    if (status != MR_OK) {
        close_ligra(reader);
        return status;
    }
    *head = (struct mr_graph_head){.ids = MR_IDS_DENSE,
                                   .n_vertices = reader->n_vertices,
                                   .n_edges = reader->n_edges,
                                   .weighted = reader->weighted};
    *out = reader;
    return MR_OK;
}

static enum mr_status take_offsets(struct ligra *reader, struct mr_error *err)
{
    void *offsets = NULL;
    uint64_t before = 0;
    enum mr_status status =
        mr_memory_alloc(reader->text.request.context->memory, "offsets of a graph",
                        8 * (reader->n_vertices + 1), &offsets, err);

    reader->offsets = offsets;
    for (uint64_t i = 0; i < reader->n_vertices && status == MR_OK; i++) {
        status = mr_text_reader_number(&reader->text, "an offset", reader->n_edges,
                                       &reader->offsets[i], err);
        if (status == MR_OK &&
            (reader->offsets[i] < before || (i == 0 && reader->offsets[0] > 0))) {
            return mr_tokens_error(reader->text.tokens, NULL, err,
                                   "offset %llu of vertex %llu: they must begin with 0 and ascend",
                                   (unsigned long long)reader->offsets[i], (unsigned long long)i);
        }
        before = status == MR_OK ? reader->offsets[i] : before;
    }
    if (status == MR_OK) {
        reader->offsets[reader->n_vertices] = reader->n_edges;
    }
    return status == MR_OK && reader->n_vertices == 0 && reader->n_edges > 0
               ? mr_tokens_error(reader->text.tokens, NULL, err, "edges without vertices")
               : status;
}

/* Reads all targets. With `stored` they go into memory until their weights come; otherwise they go
 * to the sink. */
static enum mr_status take_targets(struct ligra *reader, bool stored, struct mr_error *err)
{
    uint64_t target = 0, edge = 0;
    enum mr_status status = MR_OK;

    for (uint64_t v = 0; v < reader->n_vertices; v++) {
        for (; edge < reader->offsets[v + 1]; edge++) {
            status = mr_text_reader_number(&reader->text, "a target", reader->n_vertices - 1,
                                           &target, err);
            if (status == MR_OK && stored) {
                reader->targets[edge] = (uint32_t)target;
            } else if (status == MR_OK) {
                status = mr_edge_batch_add(&reader->text.batch, v, target, 1, err);
            }
            if (status != MR_OK) {
                return status;
            }
        }
    }
    return status;
}

static enum mr_status take_weights(struct ligra *reader, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    uint64_t edge = 0;

    for (uint64_t v = 0; v < reader->n_vertices; v++) {
        for (; edge < reader->offsets[v + 1]; edge++) {
            struct mr_token token;
            double weight = 0;

            status = mr_text_reader_word(&reader->text, &token, err);
            if (status == MR_OK &&
                (token.kind < MR_TOKEN_NUMBER || !mr_token_real(&token, &weight))) {
                status = mr_tokens_error(reader->text.tokens, &token, err,
                                         "the weight is missing or no number");
            }
            if (status == MR_OK && mr_graph_refuses_weight(&reader->text.request, weight)) {
                status = mr_tokens_error(reader->text.tokens, &token, err, "%s",
                                         mr_graph_weight_reason(weight));
            }
            if (status == MR_OK) {
                status =
                    mr_edge_batch_add(&reader->text.batch, v, reader->targets[edge], weight, err);
            }
            if (status != MR_OK) {
                return status;
            }
        }
    }
    return status;
}

static enum mr_status read_ligra(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct ligra *reader = data;
    const bool stored = reader->weighted && reader->text.request.weights && reader->n_edges > 0;
    struct mr_token token;
    void *targets = NULL;

    mr_text_reader_begin(&reader->text, sink, reader->weighted);
    enum mr_status status = take_offsets(reader, err);
    if (status == MR_OK && stored) {
        status = mr_memory_alloc(reader->text.request.context->memory, "targets of a graph",
                                 4 * reader->n_edges, &targets, err);
        reader->targets = targets;
    }
    if (status == MR_OK) {
        status = take_targets(reader, stored, err);
    }
    if (status == MR_OK && stored) {
        status = take_weights(reader, err);
    } else if (status == MR_OK && reader->weighted) {
        for (uint64_t i = 0; i < reader->n_edges && status == MR_OK; i++) {
            status = mr_text_reader_word(&reader->text, &token, err);
            if (status == MR_OK && token.kind == MR_TOKEN_END) {
                status = mr_tokens_error(reader->text.tokens, NULL, err,
                                         "the file ends within its weights");
            }
        }
    }
    if (status == MR_OK) {
        status = mr_text_reader_word(&reader->text, &token, err);
    }
    if (status == MR_OK && token.kind != MR_TOKEN_END) {
        return mr_tokens_error(reader->text.tokens, &token, err, "more than the numbers announced");
    }
    return status == MR_OK ? mr_edge_batch_flush(&reader->text.batch, err) : status;
}

const struct mr_graph_format mr_format_ligra = {.name = "ligra",
                                                .mark = "ligra",
                                                .title = "Ligra adjacency graph",
                                                .detect = detect,
                                                .open = open_ligra,
                                                .read = read_ligra,
                                                .close = close_ligra};
