/* SPDX-License-Identifier: Apache-2.0 */
/* Puts lines into another order (line_order.h), for published tables and sorted scores. A line is
 * kept as a record: its place and length, 4 bytes each, and its text. The records of a bucket are
 * one run of bytes, which collects in a buffer of the bucket; full buffers become chunks of the
 * temporary file. A bucket that never fills its buffer stays in memory, so a small file makes no
 * temporary file. */
#include "formats/stream/line_order.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/io/scratch_file.h"

enum {
    HEAD_BYTES = 8,
    LEAST_BUFFER_BYTES = 32 << 10,
    MOST_BUFFER_BYTES = 4 << 20,
    MOST_BUCKETS = 4096
};

struct bucket {
    uint64_t used; /* of its buffer */
    uint64_t n_chunks; /* before the buffer */
    uint32_t first, last; /* chunks, numbered from 1 */
};

struct mr_line_order {
    const struct mr_context *context;
    struct mr_scratch_use use;
    struct mr_scratch_file *file; /* NULL: no chunk was written */
    uint64_t n_lines;
    uint32_t n_buckets;
    unsigned shift; /* bucket = place >> shift */
    uint64_t buffer_bytes; /* of a buffer and of a chunk */
    struct bucket *buckets; /* [n_buckets] */
    char *buffers; /* [n_buckets * buffer_bytes] */
    uint32_t *next; /* [n_chunks]: the next chunk of the bucket; 0: none */
    uint64_t n_chunks, chunk_room;
};

/* A bucket with its index fits into an eighth of the memory; buffers of all get a quarter. */
static void choose_buckets(struct mr_line_order *order, uint64_t line_bytes)
{
    const uint64_t most = mr_memory_available(order->context->memory) / 8;
    const uint64_t each = line_bytes + HEAD_BYTES + sizeof(char *);

    order->shift = 32;
    order->n_buckets = 1;
    while (order->shift > 0 && order->n_buckets < MOST_BUCKETS &&
           mr_min_u64(order->n_lines, (uint64_t)1 << order->shift) * each > most) {
        order->shift--;
        order->n_buckets =
            (uint32_t)((order->n_lines + ((uint64_t)1 << order->shift) - 1) >> order->shift);
    }
    order->buffer_bytes = mr_max_u64(
        mr_min_u64(2 * most / order->n_buckets,
                   order->n_buckets == 1 ? order->n_lines * each + HEAD_BYTES : MOST_BUFFER_BYTES),
        LEAST_BUFFER_BYTES);
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
    choose_buckets(order, line_bytes);
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("buckets of lines", order->n_buckets, &order->buckets),
        MR_WANTED("lines to put in order", order->n_buckets * order->buffer_bytes, &order->buffers),
    };
    return mr_memory_arrays(context->memory, arrays, err);
}

void mr_line_order_close(struct mr_line_order *order)
{
    if (order != NULL) {
        mr_scratch_file_close(order->file);
        mr_memory_free(order->context->memory, order->next);
        mr_memory_free(order->context->memory, order->buffers);
        mr_memory_free(order->context->memory, order->buckets);
        free(order);
    }
}

uint64_t mr_line_order_disk_bytes(const struct mr_line_order *order)
{
    return order->use.peak_bytes;
}

/* ---- Adding ---- */

/* Appends the full buffer of a bucket to the file as a chunk. */
static enum mr_status write_chunk(struct mr_line_order *order, struct bucket *bucket,
                                  const char *buffer, struct mr_error *err)
{
    enum mr_status status = mr_context_poll(order->context, err);

    if (status == MR_OK && order->file == NULL) {
        status =
            mr_scratch_file_open(order->context, NULL, "lines", &order->use, &order->file, err);
    }
    if (status == MR_OK) {
        status = mr_memory_grow(order->context->memory, "chunks of lines", order->n_chunks + 1,
                                &order->next, &order->chunk_room, err);
    }
    if (status == MR_OK) {
        status = mr_scratch_file_write(order->file, buffer, order->buffer_bytes,
                                       order->n_chunks * order->buffer_bytes, err);
    }
    if (status == MR_OK) {
        const uint32_t number = (uint32_t)++order->n_chunks;
        order->next[number - 1] = 0;
        *(bucket->last == 0 ? &bucket->first : &order->next[bucket->last - 1]) = number;
        bucket->last = number;
        bucket->n_chunks++;
        bucket->used = 0;
    }
    return status;
}

static enum mr_status put(struct mr_line_order *order, struct bucket *bucket, const void *data,
                          size_t bytes, struct mr_error *err)
{
    char *buffer = order->buffers + (uint64_t)(bucket - order->buckets) * order->buffer_bytes;
    enum mr_status status = MR_OK;

    for (const char *at = data; bytes > 0 && status == MR_OK;) {
        const size_t n = mr_min_u64(bytes, order->buffer_bytes - bucket->used);
        memcpy(buffer + bucket->used, at, n);
        bucket->used += n;
        at += n;
        bytes -= n;
        if (bucket->used == order->buffer_bytes) {
            status = write_chunk(order, bucket, buffer, err);
        }
    }
    return status;
}

enum mr_status mr_line_order_add(struct mr_line_order *order, uint32_t place, const char *text,
                                 size_t bytes, struct mr_error *err)
{
    const uint32_t head[2] = {place, (uint32_t)bytes};
    struct bucket *bucket = &order->buckets[order->shift == 32 ? 0 : place >> order->shift];
    const enum mr_status status = put(order, bucket, head, HEAD_BYTES, err);

    return status == MR_OK ? put(order, bucket, text, bytes, err) : status;
}

/* ---- Reading ---- */

/* Reads all records of a bucket into `records`. */
static enum mr_status load(struct mr_line_order *order, const struct bucket *bucket, char *records,
                           struct mr_error *err)
{
    const uint64_t each = order->buffer_bytes;
    enum mr_status status = MR_OK;

    for (uint32_t i = bucket->first; i != 0 && status == MR_OK; i = order->next[i - 1]) {
        status = mr_scratch_file_read(order->file, records, each, (i - 1) * each, err);
        mr_scratch_file_discard(order->file, (i - 1) * each, each);
        records += each;
    }
    memcpy(records, order->buffers + (uint64_t)(bucket - order->buckets) * each, bucket->used);
    return status;
}

static enum mr_status read_bucket(struct mr_line_order *order, uint32_t number, mr_line_take take,
                                  void *data, struct mr_error *err)
{
    struct mr_memory *memory = order->context->memory;
    const struct bucket *bucket = &order->buckets[number];
    const uint64_t first = (uint64_t)number << order->shift;
    const uint64_t n = mr_min_u64((uint64_t)1 << order->shift, order->n_lines - first);
    const uint64_t bytes = bucket->n_chunks * order->buffer_bytes + bucket->used;
    char *records = NULL;
    const char **lines = NULL;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("lines of a bucket", bytes + 1, &records),
        MR_WANTED("order of a bucket", n, &lines),
    };
    enum mr_status status = mr_memory_arrays(memory, arrays, err);

    if (status == MR_OK) {
        status = load(order, bucket, records, err);
    }
    for (uint64_t at = 0; status == MR_OK && at < bytes;) {
        uint32_t head[2];
        memcpy(head, records + at, HEAD_BYTES);
        lines[head[0] - first] = records + at;
        at += HEAD_BYTES + head[1];
    }
    for (uint64_t i = 0; status == MR_OK && i < n; i++) {
        uint32_t head[2];
        if (lines[i] == NULL) {
            status = mr_error_set(err, MR_ERROR_RUNTIME, "a place among lines has no line");
            break;
        }
        memcpy(head, lines[i], HEAD_BYTES);
        status = take(data, head[0], lines[i] + HEAD_BYTES, head[1], err);
    }
    mr_memory_free(memory, lines);
    mr_memory_free(memory, records);
    return status;
}

enum mr_status mr_line_order_read(struct mr_line_order *order, mr_line_take take, void *data,
                                  struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (uint32_t i = 0; i < order->n_buckets && order->n_lines > 0 && status == MR_OK; i++) {
        status = mr_context_poll(order->context, err);
        if (status == MR_OK) {
            status = read_bucket(order, i, take, data, err);
        }
    }
    return status;
}

static enum mr_status write_line(void *data, uint32_t place, const char *text, size_t bytes,
                                 struct mr_error *err)
{
    (void)place;
    return mr_output_write(data, text, bytes, err);
}

enum mr_status mr_line_order_write(struct mr_line_order *order, struct mr_output *output,
                                   struct mr_error *err)
{
    return mr_line_order_read(order, write_line, output, err);
}
