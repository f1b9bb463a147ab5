/* SPDX-License-Identifier: Apache-2.0 */
/* Puts lines into another order (line_order.h), for published tables and sorted scores. A line is
 * kept as a record: its place and length, 4 bytes each, and its text. The records of a run collect
 * in a buffer of the run; full buffers become chunks, in memory as long as there is some, then in
 * the temporary file. A small file makes no temporary file. */
#include "formats/stream/line_order.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/io/scratch_file.h"

enum { HEAD_BYTES = 8, BUFFER_BYTES = 32 << 10, RUN_BITS = 13 };
_Static_assert(MR_LINE_RUN == 1 << RUN_BITS, "the least run");

struct run {
    uint64_t used; /* of its buffer */
    uint64_t n_chunks; /* before the buffer */
    uint32_t first, last; /* chunks, numbered from 1 */
};

struct mr_line_order {
    const struct mr_context *context;
    struct mr_scratch_use use;
    struct mr_scratch_file *file; /* NULL: no chunk was written */
    uint64_t n_lines;
    uint64_t n_runs;
    unsigned shift; /* run = place >> shift */
    struct run *runs; /* [n_runs] */
    char *buffers; /* [n_runs * BUFFER_BYTES] */
    char *pool; /* [n_pooled * BUFFER_BYTES]: the first chunks */
    uint64_t n_pooled;
    uint32_t *next; /* [n_chunks]: the next chunk of the run; 0: none */
    uint64_t n_chunks, chunk_room;
};

/* The buffers of all runs get an eighth of the memory, and chunks a quarter. */
static void choose_runs(struct mr_line_order *order, uint64_t line_bytes)
{
    const uint64_t most = mr_memory_available(order->context->memory) / 8;
    const uint64_t bytes = 2 * order->n_lines * (line_bytes + HEAD_BYTES);

    order->shift = RUN_BITS - 1;
    do {
        order->shift++;
        order->n_runs = mr_div_up(order->n_lines, (uint64_t)1 << order->shift);
    } while (order->n_runs > 1 && order->n_runs * BUFFER_BYTES > most);
    order->n_pooled = mr_min_u64(2 * most, bytes) / BUFFER_BYTES;
}

enum mr_status mr_line_order_open(const struct mr_context *context, uint64_t n_lines,
                                  uint64_t line_bytes, struct mr_line_order **out,
                                  struct mr_error *err)
{
    struct mr_line_order *order = calloc(1, sizeof *order);

    *out = order;
    if (order == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for lines");
    }
    order->context = context;
    order->n_lines = n_lines;
    choose_runs(order, line_bytes);
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("runs of lines", order->n_runs, &order->runs),
        MR_WANTED("lines to put in order", order->n_runs * BUFFER_BYTES, &order->buffers),
        MR_WANTED("lines to put in order", order->n_pooled * BUFFER_BYTES, &order->pool),
    };
    return mr_memory_arrays(context->memory, arrays, err);
}

void mr_line_order_close(struct mr_line_order *order)
{
    if (order != NULL) {
        mr_scratch_file_close(order->file);
        mr_memory_free(order->context->memory, order->next);
        mr_memory_free(order->context->memory, order->pool);
        mr_memory_free(order->context->memory, order->buffers);
        mr_memory_free(order->context->memory, order->runs);
        free(order);
    }
}

uint64_t mr_line_order_disk_bytes(const struct mr_line_order *order)
{
    return order->use.peak_bytes;
}

uint64_t mr_line_order_run(const struct mr_line_order *order)
{
    return (uint64_t)1 << order->shift;
}

/* ---- Adding ---- */

static enum mr_status keep_chunk(struct mr_line_order *order, uint64_t number, const char *buffer,
                                 struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (number < order->n_pooled) {
        memcpy(order->pool + number * BUFFER_BYTES, buffer, BUFFER_BYTES);
        return MR_OK;
    }
    if (order->file == NULL) {
        status =
            mr_scratch_file_open(order->context, NULL, "lines", &order->use, &order->file, err);
    }
    return status == MR_OK ? mr_scratch_file_write(order->file, buffer, BUFFER_BYTES,
                                                   (number - order->n_pooled) * BUFFER_BYTES, err)
                           : status;
}

/* Makes the full buffer of a run a chunk. */
static enum mr_status end_chunk(struct mr_line_order *order, struct run *run, const char *buffer,
                                struct mr_error *err)
{
    enum mr_status status = mr_context_poll(order->context, err);

    if (status == MR_OK) {
        status = mr_memory_grow(order->context->memory, "chunks of lines", order->n_chunks + 1,
                                &order->next, &order->chunk_room, err);
    }
    if (status == MR_OK) {
        status = keep_chunk(order, order->n_chunks, buffer, err);
    }
    if (status == MR_OK) {
        const uint32_t number = (uint32_t)++order->n_chunks;
        order->next[number - 1] = 0;
        *(run->last == 0 ? &run->first : &order->next[run->last - 1]) = number;
        run->last = number;
        run->n_chunks++;
        run->used = 0;
    }
    return status;
}

static enum mr_status put(struct mr_line_order *order, struct run *run, const void *data,
                          size_t bytes, struct mr_error *err)
{
    char *buffer = order->buffers + (uint64_t)(run - order->runs) * BUFFER_BYTES;
    enum mr_status status = MR_OK;

    for (const char *at = data; bytes > 0 && status == MR_OK;) {
        const size_t n = mr_min_u64(bytes, BUFFER_BYTES - run->used);
        memcpy(buffer + run->used, at, n);
        run->used += n;
        at += n;
        bytes -= n;
        if (run->used == BUFFER_BYTES) {
            status = end_chunk(order, run, buffer, err);
        }
    }
    return status;
}

enum mr_status mr_line_order_add(struct mr_line_order *order, uint32_t place, const char *text,
                                 size_t bytes, struct mr_error *err)
{
    const uint32_t head[2] = {place, (uint32_t)bytes};
    struct run *run = &order->runs[(uint64_t)place >> order->shift];
    const enum mr_status status = put(order, run, head, HEAD_BYTES, err);

    return status == MR_OK ? put(order, run, text, bytes, err) : status;
}

/* ---- Reading ---- */

/* Reads all records of a run into `records`. */
static enum mr_status read_records(const struct mr_line_order *order, const struct run *run,
                                   char *records, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (uint32_t i = run->first; i != 0 && status == MR_OK; i = order->next[i - 1]) {
        const uint64_t number = i - 1, at = (number - order->n_pooled) * BUFFER_BYTES;
        if (number < order->n_pooled) {
            memcpy(records, order->pool + number * BUFFER_BYTES, BUFFER_BYTES);
        } else {
            status = mr_scratch_file_read(order->file, records, BUFFER_BYTES, at, err);
            mr_scratch_file_discard(order->file, at, BUFFER_BYTES);
        }
        records += BUFFER_BYTES;
    }
    memcpy(records, order->buffers + (uint64_t)(run - order->runs) * BUFFER_BYTES, run->used);
    return status;
}

static enum mr_status load(struct mr_line_order *order, struct mr_place_reader *reader,
                           uint64_t number, struct mr_error *err)
{
    struct mr_memory *memory = order->context->memory;
    const struct run *run = &order->runs[number];
    const uint64_t bytes = run->n_chunks * BUFFER_BYTES + run->used;

    reader->first = number << order->shift;
    reader->n = mr_min_u64(mr_line_order_run(order), order->n_lines - reader->first);
    enum mr_status status = mr_context_poll(order->context, err);
    if (status == MR_OK) {
        status = mr_memory_grow(memory, "lines of a run", bytes + 1, &reader->records,
                                &reader->records_room, err);
    }
    if (status == MR_OK) {
        status = mr_memory_grow(memory, "order of a run", reader->n, &reader->lines,
                                &reader->lines_room, err);
    }
    if (status == MR_OK) {
        status = read_records(order, run, reader->records, err);
    }
    for (uint64_t i = 0; i < reader->n && status == MR_OK; i++) {
        reader->lines[i] = NULL;
    }
    for (uint64_t at = 0; status == MR_OK && at < bytes;) {
        uint32_t head[2];
        memcpy(head, reader->records + at, HEAD_BYTES);
        reader->lines[head[0] - reader->first] = reader->records + at;
        at += HEAD_BYTES + head[1];
    }
    return status;
}

enum mr_status mr_line_order_get(struct mr_line_order *order, struct mr_place_reader *reader,
                                 uint32_t place, const char **text, size_t *bytes,
                                 struct mr_error *err)
{
    uint32_t head[2];

    if (place - reader->first >= reader->n) { /* before the first one, too */
        const enum mr_status status = load(order, reader, (uint64_t)place >> order->shift, err);
        if (status != MR_OK) {
            return status;
        }
    }
    const char *record = reader->lines[place - reader->first];
    if (record == NULL) {
        return mr_error_set(err, MR_ERROR_RUNTIME, "a place among lines has no line");
    }
    memcpy(head, record, HEAD_BYTES);
    *text = record + HEAD_BYTES;
    *bytes = head[1];
    return MR_OK;
}

void mr_place_reader_free(const struct mr_line_order *order, struct mr_place_reader *reader)
{
    mr_memory_free(order->context->memory, reader->lines);
    mr_memory_free(order->context->memory, reader->records);
    *reader = (struct mr_place_reader){0};
}

enum mr_status mr_line_order_write(struct mr_line_order *order, struct mr_output *output,
                                   struct mr_error *err)
{
    struct mr_place_reader reader = {0};
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < order->n_lines && status == MR_OK; i++) {
        const char *text = NULL;
        size_t bytes = 0;
        status = mr_line_order_get(order, &reader, (uint32_t)i, &text, &bytes, err);
        if (status == MR_OK) {
            status = mr_output_write(output, text, bytes, err);
        }
    }
    mr_place_reader_free(order, &reader);
    return status;
}
