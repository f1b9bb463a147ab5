/* SPDX-License-Identifier: Apache-2.0 */
/* Writes formats that take edges in any order: one stream with a header and a record for each edge,
 * for `export` and `convert`.
 *
 *     u32, u64   two little-endian numbers
 *     edges      SNAP: '#' comments, then "source TAB target" with the ids of the input
 *     mtx        Matrix Market, general: pattern, or with weights integer or real
 *     wel        "source target weight" with the ids of the input
 *     npy        shape (2, E) of int64 in Fortran order: pairs in memory, two rows for NumPy and
 *                PyTorch
 *
 * They share one buffer and differ only in the header and in the function that writes a pair. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "formats/graph/graph_output.h"
#include "formats/stream/output.h"

enum { BATCH = 1024, LINE_BYTES = 80, NPY_ALIGN = 64 };

struct pairs_writer {
    struct mr_graph_output graph;
    struct mr_output *output;
    uint8_t bytes[BATCH * LINE_BYTES];
};

static enum mr_status create(const struct mr_graph_output *graph, struct pairs_writer **out,
                             struct mr_error *err)
{
    struct pairs_writer *writer = calloc(1, sizeof *writer);

    *out = NULL;
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a writer");
    }
    writer->graph = *graph;
    const enum mr_status status =
        mr_output_open(graph->context, graph->path, graph->force, &writer->output, err);
    if (status != MR_OK) {
        free(writer);
        return status;
    }
    *out = writer;
    return MR_OK;
}

static void abandon(void *data)
{
    struct pairs_writer *writer = data;
    if (writer != NULL) {
        mr_output_abandon(writer->output);
        free(writer);
    }
}

static enum mr_status commit(void *data, struct mr_error *err)
{
    struct pairs_writer *writer = data;
    const enum mr_status status = mr_output_commit(writer->output, err);
    free(writer);
    return status;
}

static enum mr_status open_plain(const struct mr_graph_output *graph, void **out,
                                 struct mr_error *err)
{
    struct pairs_writer *writer = NULL;
    const enum mr_status status = create(graph, &writer, err);
    *out = writer;
    return status;
}

static enum mr_status open_edges(const struct mr_graph_output *graph, void **out,
                                 struct mr_error *err)
{
    struct pairs_writer *writer = NULL;
    enum mr_status status = create(graph, &writer, err);

    if (status == MR_OK) {
        status =
            mr_output_print(writer->output, err,
                            "# Nodes: %" PRIu64 " Edges: %" PRIu64 "\n# FromNodeId\tToNodeId\n",
                            graph->n_vertices, graph->n_edges);
    }
    if (status != MR_OK) {
        abandon(writer);
        writer = NULL;
    }
    *out = writer;
    return status;
}

static enum mr_status open_mtx(const struct mr_graph_output *graph, void **out,
                               struct mr_error *err)
{
    struct pairs_writer *writer = NULL;
    enum mr_status status = create(graph, &writer, err);

    if (writer != NULL) {
        status = mr_output_print(writer->output, err,
                                 "%%%%MatrixMarket matrix coordinate %s general\n%" PRIu64
                                 " %" PRIu64 " %" PRIu64 "\n",
                                 !graph->weighted       ? "pattern"
                                 : graph->whole_weights ? "integer"
                                                        : "real",
                                 graph->n_vertices, graph->n_vertices, graph->n_edges);
    }
    if (status != MR_OK) {
        abandon(writer);
        writer = NULL;
    }
    *out = writer;
    return status;
}

static enum mr_status open_npy(const struct mr_graph_output *graph, void **out,
                               struct mr_error *err)
{
    struct pairs_writer *writer = NULL;
    char header[2 * NPY_ALIGN] = "\x93NUMPY\x01";
    enum mr_status status = create(graph, &writer, err);

    if (writer != NULL) {
        memset(header + 10, ' ', sizeof header - 10);
        const int length = snprintf(
            header + 10, sizeof header - 10,
            "{'descr': '<i8', 'fortran_order': True, 'shape': (2, %" PRIu64 "), }", graph->n_edges);
        header[7] = 0;
        mr_put_u16((uint8_t *)header + 8, sizeof header - 10);
        header[10 + length] = ' '; /* over the terminator */
        header[sizeof header - 1] = '\n';
        status = mr_output_write(writer->output, header, sizeof header, err);
    }
    if (status != MR_OK) {
        abandon(writer);
        writer = NULL;
    }
    *out = writer;
    return status;
}

static char *put_decimal(char *to, uint64_t number)
{
    char digits[20];
    size_t n = 0;

    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (n > 0) {
        *to++ = digits[--n];
    }
    return to;
}

/* Tries 6 to 9 digits; with 9 digits every float reads back as itself. */
static char *put_weight(char *to, float weight)
{
    for (int digits = 6; digits < 9; digits++) {
        const int length = snprintf(to, LINE_BYTES / 2, "%.*g", digits, (double)weight);
        if (strtof(to, NULL) == weight) {
            return to + length;
        }
    }
    return to + snprintf(to, LINE_BYTES / 2, "%.9g", (double)weight);
}

/* Writes a pair to `to`, which has room for LINE_BYTES, and returns the end. `weight` is NULL where
 * there is none. */
typedef uint8_t *(*put_pair)(const struct pairs_writer *writer, const uint32_t pair[2],
                             const float *weight, uint8_t *to);

static uint8_t *put_u32(const struct pairs_writer *writer, const uint32_t pair[2],
                        const float *weight, uint8_t *to)
{
    (void)writer;
    (void)weight;
    mr_put_u32(to, pair[0]);
    mr_put_u32(to + 4, pair[1]);
    return to + 8;
}

static uint8_t *put_u64(const struct pairs_writer *writer, const uint32_t pair[2],
                        const float *weight, uint8_t *to)
{
    (void)writer;
    (void)weight;
    mr_put_u64(to, pair[0]);
    mr_put_u64(to + 8, pair[1]);
    return to + 16;
}

static uint8_t *put_edge(const struct pairs_writer *writer, const uint32_t pair[2],
                         const float *weight, uint8_t *to)
{
    const uint64_t *numbers = writer->graph.numbers;
    (void)weight;
    char *at = put_decimal((char *)to, numbers == NULL ? pair[0] : numbers[pair[0]]);

    *at++ = '\t';
    at = put_decimal(at, numbers == NULL ? pair[1] : numbers[pair[1]]);
    *at++ = '\n';
    return (uint8_t *)at;
}

static uint8_t *put_entry(const struct pairs_writer *writer, const uint32_t pair[2],
                          const float *weight, uint8_t *to)
{
    char *at = put_decimal((char *)to, (uint64_t)pair[0] + 1);
    *at++ = ' ';
    at = put_decimal(at, (uint64_t)pair[1] + 1);
    if (weight != NULL) {
        *at++ = ' ';
        at = writer->graph.whole_weights ? put_decimal(at, (uint64_t)*weight)
                                         : put_weight(at, *weight);
    }
    *at++ = '\n';
    return (uint8_t *)at;
}

static uint8_t *put_wel(const struct pairs_writer *writer, const uint32_t pair[2],
                        const float *weight, uint8_t *to)
{
    const uint64_t *numbers = writer->graph.numbers;
    char *at = put_decimal((char *)to, numbers == NULL ? pair[0] : numbers[pair[0]]);

    *at++ = ' ';
    at = put_decimal(at, numbers == NULL ? pair[1] : numbers[pair[1]]);
    *at++ = ' ';
    assert(weight != NULL);
    at = put_weight(at, *weight);
    *at++ = '\n';
    return (uint8_t *)at;
}

static enum mr_status write_pairs(struct pairs_writer *writer, const uint32_t (*pairs)[2],
                                  const float *weights, size_t n_pairs, put_pair put,
                                  struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < n_pairs && status == MR_OK;) {
        uint8_t *to = writer->bytes;
        for (const size_t end = n_pairs - i < BATCH ? n_pairs : i + BATCH; i < end; i++) {
            to = put(writer, pairs[i], weights == NULL ? NULL : &weights[i], to);
        }
        status = mr_output_write(writer->output, writer->bytes, (size_t)(to - writer->bytes), err);
    }
    return status;
}

static enum mr_status pairs_u32(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    return write_pairs(data, pairs, weights, n_pairs, put_u32, err);
}

static enum mr_status pairs_u64(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    return write_pairs(data, pairs, weights, n_pairs, put_u64, err);
}

static enum mr_status pairs_edges(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    return write_pairs(data, pairs, weights, n_pairs, put_edge, err);
}

static enum mr_status pairs_mtx(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    return write_pairs(data, pairs, weights, n_pairs, put_entry, err);
}

static enum mr_status pairs_wel(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    return write_pairs(data, pairs, weights, n_pairs, put_wel, err);
}

const struct mr_graph_writer mr_writer_u32 = {.name = "u32",
                                              .title = "pairs of 32-bit numbers",
                                              .suffixes = {".u32"},
                                              .binary = true,
                                              .open = open_plain,
                                              .pairs = pairs_u32,
                                              .commit = commit,
                                              .abandon = abandon};
const struct mr_graph_writer mr_writer_u64 = {.name = "u64",
                                              .title = "pairs of 64-bit numbers",
                                              .suffixes = {".u64"},
                                              .binary = true,
                                              .open = open_plain,
                                              .pairs = pairs_u64,
                                              .commit = commit,
                                              .abandon = abandon};
const struct mr_graph_writer mr_writer_edges = {.name = "edges",
                                                .title = "SNAP text",
                                                .suffixes = {".txt", ".el", ".tsv"},
                                                .open = open_edges,
                                                .pairs = pairs_edges,
                                                .commit = commit,
                                                .abandon = abandon};
const struct mr_graph_writer mr_writer_mtx = {.name = "mtx",
                                              .title = "Matrix Market",
                                              .weighs = MR_WEIGHS_IF_THERE,
                                              .suffixes = {".mtx"},
                                              .open = open_mtx,
                                              .pairs = pairs_mtx,
                                              .commit = commit,
                                              .abandon = abandon};
const struct mr_graph_writer mr_writer_npy = {.name = "npy",
                                              .title = "a NumPy array of edges",
                                              .suffixes = {".npy"},
                                              .binary = true,
                                              .open = open_npy,
                                              .pairs = pairs_u64,
                                              .commit = commit,
                                              .abandon = abandon};
const struct mr_graph_writer mr_writer_wel = {.name = "wel",
                                              .title = "edges with weights",
                                              .suffixes = {".wel"},
                                              .weighs = MR_WEIGHS_ALWAYS,
                                              .open = open_plain,
                                              .pairs = pairs_wel,
                                              .commit = commit,
                                              .abandon = abandon};
