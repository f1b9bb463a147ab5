/* SPDX-License-Identifier: Apache-2.0 */
/* Reads raw records of edges. They have no header and no signature; --format or the suffix of the
 * file gives the layout.
 *
 *     u32, u64, u32be, u64be   two ids                                  8, 16 bytes
 *
 * Several threads read if the sink and the memory allow it; otherwise one thread reads. Sources:
 * GridGraph tools/preprocess, X-Stream's type 2. */
#include <pthread.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"

enum { RECORDS = 4096, MAX_RECORD_BYTES = 16 };

enum layout { U32, U64, U32_BIG, U64_BIG };

static const enum layout layouts[] = {U32, U64, U32_BIG, U64_BIG}; /* the variants */
static const unsigned record_bytes[] = {[U32] = 8, [U64] = 16, [U32_BIG] = 8, [U64_BIG] = 16};

struct binary_reader {
    struct mr_graph_request request;
    struct mr_edge_batch batch;
    enum layout layout;
    uint8_t records[RECORDS * MAX_RECORD_BYTES];
};

static enum mr_status open_binary(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    struct binary_reader *reader = data;
    const struct mr_graph_request *request = &reader->request;
    uint64_t done, total;

    reader->layout = *(const enum layout *)request->format->variant;
    mr_input_position(request->input, &done, &total);
    const bool plain = mr_input_codec(request->input) == MR_INPUT_PLAIN;
    const unsigned bytes = record_bytes[reader->layout];
    if (plain && total % bytes != 0) {
        return mr_error_offset(
            err, MR_ERROR_INPUT, mr_input_name(request->input), total - total % bytes,
            "the file ends within an edge of %u bytes; is it of another format?", bytes);
    }
    head->n_edges = plain ? total / bytes : 0;
    return MR_OK;
}

static struct mr_edge decode(enum layout layout, const uint8_t *p)
{
    switch (layout) {
    case U32:
        break;
    case U64:
        return (struct mr_edge){mr_get_u64(p), mr_get_u64(p + 8)};
    case U32_BIG:
        return (struct mr_edge){mr_get_u32_big(p), mr_get_u32_big(p + 4)};
    case U64_BIG:
        return (struct mr_edge){mr_get_u64_big(p), mr_get_u64_big(p + 8)};
    }
    return (struct mr_edge){mr_get_u32(p), mr_get_u32(p + 4)};
}

/* Refuses vertex 2^64-1 in the record at `offset`. */
static enum mr_status check_edge(const struct binary_reader *reader, const struct mr_edge *edge,
                                 uint64_t offset, struct mr_error *err)
{
    return edge->source != UINT64_MAX && edge->target != UINT64_MAX
               ? MR_OK
               : mr_error_offset(err, MR_ERROR_INPUT, mr_input_name(reader->request.input), offset,
                                 "vertex 2^64-1, which is no vertex; is it of another format?");
}

static enum mr_status read_records(struct binary_reader *reader, size_t bytes, uint64_t offset,
                                   struct mr_error *err)
{
    const unsigned each = record_bytes[reader->layout];
    enum mr_status status = MR_OK;

    for (size_t at = 0; at < bytes && status == MR_OK; at += each) {
        const struct mr_edge edge = decode(reader->layout, reader->records + at);
        status = check_edge(reader, &edge, offset + at, err);
        if (status == MR_OK) {
            status = mr_edge_batch_add(&reader->batch, edge.source, edge.target, 1, err);
        }
    }
    return status;
}

static enum mr_status ends_within(const struct binary_reader *reader, uint64_t offset,
                                  struct mr_error *err)
{
    return mr_error_offset(err, MR_ERROR_INPUT, mr_input_name(reader->request.input), offset,
                           "the input ends within an edge of %u bytes; is it of another format?",
                           record_bytes[reader->layout]);
}

static enum mr_status read_alone(struct binary_reader *reader, struct mr_error *err)
{
    const size_t capacity = (size_t)RECORDS * record_bytes[reader->layout];
    uint64_t offset = 0;
    size_t held = capacity;
    enum mr_status status = MR_OK;

    while (status == MR_OK && held == capacity) {
        status = mr_input_fill(reader->request.input, reader->records, capacity, &held, err);
        if (status == MR_OK && held % record_bytes[reader->layout] != 0) {
            return ends_within(reader, offset + held - held % record_bytes[reader->layout], err);
        }
        if (status == MR_OK) {
            status = read_records(reader, held, offset, err);
            offset += held;
        }
    }
    return status;
}

/* ---- Several threads: each reads records in its turn and decodes them while others read. ---- */

/* As many records as fill a chunk of the spool, so that they stay together. */
#define TEAM_RECORDS ((size_t)32768)
#define TEAM_BYTES   (TEAM_RECORDS * (sizeof(struct mr_edge) + MAX_RECORD_BYTES))

struct binary_team {
    struct binary_reader *reader;
    const struct mr_graph_sink *sink;
    char *room; /* [n_workers] of TEAM_BYTES */
    pthread_mutex_t reading; /* guards what follows, the input, and progress */
    uint64_t n_read; /* records */
    uint64_t n_before; /* edges of the inputs read before; constant */
    bool ended;
};

static void report(const struct binary_team *team)
{
    const struct mr_graph_request *request = &team->reader->request;
    struct mr_progress progress = {
        .stage = "parse", .unit = "bytes", .edges = team->n_read, .error_bound = -1};

    if (request->context->progress != NULL) {
        mr_input_position(request->input, &progress.done, &progress.total);
        progress.bytes = progress.done;
        request->context->progress(request->context->progress_data, &progress);
    }
}

/* Takes the next records, up to n_max; call it while holding `reading`. If they can be read by
 * position, sets `*offset` and `*bytes`; otherwise reads them into `records`. `*n` is 0 at the end.
 * `*first` is the number of the first record. */
static enum mr_status begin_records(struct binary_team *team, uint8_t *records, size_t n_max,
                                    size_t *n, uint64_t *first, uint64_t *offset, size_t *bytes,
                                    struct mr_error *err)
{
    const struct mr_graph_request *request = &team->reader->request;
    const size_t each = record_bytes[team->reader->layout], capacity = n_max * each;
    enum mr_status status = mr_context_poll(request->context, err);

    /* A plain file has complete records only; open_binary checks that. */
    *bytes = status == MR_OK ? mr_input_take(request->input, capacity, offset) : 0;
    size_t held = *bytes;
    if (status == MR_OK && *bytes == 0 && !team->ended) {
        status = mr_input_fill(request->input, records, capacity, &held, err);
    }
    team->ended |= status != MR_OK || (*bytes == 0 && held < capacity);
    *n = held / each;
    *first = team->n_read;
    team->n_read += *n;
    if (status == MR_OK && held % each != 0) {
        status = ends_within(team->reader, team->n_read * each, err);
    }
    if (status == MR_OK) {
        report(team);
    }
    return status;
}

/* Takes complete records into `records`, up to n_max; `*n` is 0 at the end. `*first` is the number
 * of the first. */
static enum mr_status take_records(struct binary_team *team, uint8_t *records, size_t n_max,
                                   size_t *n, uint64_t *first, struct mr_error *err)
{
    uint64_t offset = 0;
    size_t bytes = 0;

    (void)pthread_mutex_lock(&team->reading);
    enum mr_status status = begin_records(team, records, n_max, n, first, &offset, &bytes, err);
    (void)pthread_mutex_unlock(&team->reading);
    return status == MR_OK && bytes > 0
               ? mr_input_read_at(team->reader->request.input, records, bytes, offset, err)
               : status;
}

static enum mr_status decode_records(struct binary_team *team, unsigned worker,
                                     const uint8_t *records, size_t n, uint64_t first,
                                     struct mr_edge *edges, struct mr_error *err)
{
    struct binary_reader *reader = team->reader;
    const unsigned each = record_bytes[reader->layout];

    for (size_t i = 0; i < n; i++) {
        edges[i] = decode(reader->layout, records + i * each);
        const enum mr_status status = check_edge(reader, &edges[i], (first + i) * each, err);
        if (status != MR_OK) {
            return status;
        }
    }
    return team->sink->edges_by(team->sink->data, worker, edges, n, first, err);
}

/* Reads pairs of 32-bit ids directly into the room of the sink. They need no decoding, and all of
 * their values are allowed. `*direct` is false where the sink needs decoded edges. */
static enum mr_status read_directly(struct binary_team *team, const struct mr_team *workers,
                                    unsigned worker, bool *direct, struct mr_error *err)
{
    const struct mr_graph_sink *sink = team->sink;
    const bool little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    enum mr_status status = MR_OK;
    size_t n = 1;
    uint64_t first;

    *direct = team->reader->layout == U32 && little_endian && sink->room != NULL;
    while (status == MR_OK && *direct && n > 0 && !mr_team_failed(workers)) {
        uint32_t(*pairs)[2], n_max;
        status = sink->room(sink->data, worker, &pairs, &n_max, err);
        *direct = pairs != NULL;
        if (status == MR_OK && *direct) {
            status = take_records(team, (uint8_t *)pairs, n_max, &n, &first, err);
        }
        if (status == MR_OK && *direct) {
            sink->filled(sink->data, worker, (uint32_t)n, team->n_before + first);
        }
    }
    return status;
}

/* A mr_team_work. */
static enum mr_status read_by_worker(void *data, struct mr_team *workers, unsigned worker,
                                     struct mr_error *err)
{
    struct binary_team *team = data;
    struct mr_edge *edges = (void *)(team->room + worker * TEAM_BYTES);
    uint8_t *records = (uint8_t *)(edges + TEAM_RECORDS);
    size_t n = 1;
    uint64_t first;
    bool direct;

    enum mr_status status = read_directly(team, workers, worker, &direct, err);
    while (status == MR_OK && !direct && n > 0 && !mr_team_failed(workers)) {
        status = take_records(team, records, TEAM_RECORDS, &n, &first, err);
        if (status == MR_OK && n > 0) {
            status = decode_records(team, worker, records, n, first, edges, err);
        }
    }
    return status;
}

static enum mr_status read_by_team(struct binary_reader *reader, const struct mr_graph_sink *sink,
                                   unsigned n_workers, void *room, struct mr_error *err)
{
    struct binary_team team = {.reader = reader,
                               .sink = sink,
                               .room = room,
                               .reading = PTHREAD_MUTEX_INITIALIZER,
                               .n_before = reader->request.summary->edges};
    const enum mr_status status =
        mr_team_run(reader->request.context, UINT64_MAX, n_workers, read_by_worker, &team, err);

    reader->request.summary->edges += status == MR_OK ? team.n_read : 0;
    return status;
}

static enum mr_status read_binary(void *data, struct mr_error *err)
{
    struct binary_reader *reader = data;
    const struct mr_graph_sink *sink = reader->batch.sink;
    const struct mr_context *context = reader->request.context;
    void *room = NULL;

    if (sink->edges_by != NULL && sink->n_workers > 1 &&
        sink->n_workers * TEAM_BYTES < mr_memory_available(context->memory) / 8) {
        enum mr_status status = mr_memory_alloc(context->memory, "edges read",
                                                sink->n_workers * TEAM_BYTES, &room, err);
        if (status == MR_OK) {
            status = read_by_team(reader, sink, sink->n_workers, room, err);
        }
        mr_memory_free(context->memory, room);
        return status;
    }
    return read_alone(reader, err);
}

#define BINARY(which)                                                                              \
    .reader_bytes = MR_READER_BYTES(struct binary_reader), .head = {.ids = MR_IDS_SPARSE},         \
    .open = open_binary, .read = read_binary, .variant = &layouts[which]
const struct mr_graph_format mr_format_u32 = {
    .name = "u32", .title = "pairs of 32-bit numbers", .suffix = ".u32", BINARY(U32)};
const struct mr_graph_format mr_format_u64 = {
    .name = "u64", .title = "pairs of 64-bit numbers", .suffix = ".u64", BINARY(U64)};
const struct mr_graph_format mr_format_u32be = {
    .name = "u32be", .title = "pairs of big-endian 32-bit numbers", BINARY(U32_BIG)};
const struct mr_graph_format mr_format_u64be = {
    .name = "u64be", .title = "pairs of big-endian 64-bit numbers", BINARY(U64_BIG)};
