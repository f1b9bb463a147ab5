/* SPDX-License-Identifier: Apache-2.0 */
/* Writes generated edges to a file, for `generate`. A unit of the generator is a part of the output
 * (formats/stream/output_parts.c): threads make, render and compress units at the same time, and
 * the bytes of the file do not depend on the number of threads. */
#include "formats/graph/pair_writer.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "formats/stream/output.h"

enum { BATCH = 1024, PAIR_BYTES = 2 * (MR_GENERATOR_NAME_MAX_BYTES + 1) };

struct pair_output {
    const struct mr_context *context;
    struct mr_pairs *pairs;
    const struct mr_generator *generator;
};

/* What one thread needs. */
struct pair_worker {
    struct pair_output *writer;
    struct mr_edge_list edges;
    void *scratch;
    char *text; /* [BATCH * PAIR_BYTES] */
};

static void close_worker(void *data, void *state)
{
    struct pair_worker *worker = state;
    struct mr_memory *memory = ((struct pair_output *)data)->context->memory;

    if (worker != NULL) {
        mr_edge_list_free(&worker->edges);
        mr_memory_free(memory, worker->scratch);
        mr_memory_free(memory, worker->text);
        free(worker);
    }
}

static enum mr_status open_worker(void *data, void **out, struct mr_error *err)
{
    struct pair_output *writer = data;
    struct mr_memory *memory = writer->context->memory;
    struct pair_worker *worker = calloc(1, sizeof *worker);

    *out = worker;
    if (worker == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a writer of pairs");
    }
    worker->writer = writer;
    worker->edges.memory = memory;
    enum mr_status status =
        mr_memory_array(memory, "text of links", (uint64_t)BATCH * PAIR_BYTES, &worker->text, err);
    if (status == MR_OK && writer->generator->scratch_bytes > 0) {
        status = mr_memory_alloc(memory, "generator", writer->generator->scratch_bytes,
                                 &worker->scratch, err);
    }
    if (status != MR_OK) {
        close_worker(writer, worker);
        *out = NULL;
    }
    return status;
}

static char *put_end(const struct mr_pairs *pairs, char *to, uint64_t vertex)
{
    return pairs->namer == NULL ? mr_decimal_put(to, vertex)
                                : to + pairs->namer(pairs->namer_data, (uint32_t)vertex, to);
}

static enum mr_status put_edges(const struct pair_worker *worker, struct mr_output *output,
                                struct mr_error *err)
{
    const struct mr_pairs *pairs = worker->writer->pairs;
    const struct mr_edge *edge = worker->edges.edges, *const end = edge + worker->edges.n_edges;
    enum mr_status status = MR_OK;

    while (edge < end && status == MR_OK) {
        char *to = worker->text;
        for (unsigned i = 0; i < BATCH && edge < end; i++, edge++) {
            if (pairs->format == MR_PAIRS_U32) {
                mr_put_u32((uint8_t *)to, (uint32_t)edge->source);
                mr_put_u32((uint8_t *)to + 4, (uint32_t)edge->target);
                to += 8;
            } else {
                to = put_end(pairs, to, edge->source);
                *to++ = '\t';
                to = put_end(pairs, to, edge->target);
                *to++ = '\n';
            }
        }
        status = mr_output_write(output, worker->text, (size_t)(to - worker->text), err);
    }
    return status;
}

static enum mr_status write_units(void *state, struct mr_output *output, uint64_t first,
                                  uint64_t end, struct mr_error *err)
{
    struct pair_worker *worker = state;
    struct pair_output *writer = worker->writer;
    const struct mr_generator *generator = writer->generator;
    enum mr_status status = MR_OK;

    for (uint64_t unit = first; unit < end && status == MR_OK; unit++) {
        worker->edges.n_edges = 0;
        status = generator->make(generator->model, unit, worker->scratch, &worker->edges, err);
        if (status == MR_OK) {
            status = put_edges(worker, output, err);
        }
        atomic_fetch_add(&writer->pairs->n_pairs, worker->edges.n_edges);
    }
    return status;
}

/* Writes the file: the `make` of a sink. */
static enum mr_status make(void *data, const struct mr_context *context,
                           const struct mr_generator *generator, struct mr_error *err)
{
    struct pair_output writer = {.context = context, .pairs = data, .generator = generator};
    const struct mr_output_rows rows = {.n_rows = generator->n_units,
                                        .rows_per_part = 1,
                                        .data = &writer,
                                        .open = open_worker,
                                        .close = close_worker,
                                        .write = write_units};
    struct mr_output *output = NULL;
    enum mr_status status =
        mr_output_open(context, writer.pairs->path, writer.pairs->force, &output, err);

    if (status == MR_OK) {
        status = mr_output_write_rows(output, &rows, err);
    }
    return mr_output_end(output, status, err);
}

struct mr_edge_sink mr_pairs_sink(struct mr_pairs *pairs)
{
    return (struct mr_edge_sink){.data = pairs, .make = make};
}
