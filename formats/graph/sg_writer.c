/* SPDX-License-Identifier: Apache-2.0 */
/* Writes GAPBS serialized graphs, for `export` and `convert`: u8 directed, i64 m, i64 n, n + 1 i64
 * offsets and m i32 targets; a directed graph has the same again for its reverse. Ids have
 * 31 bits.
 *
 * Offsets and targets are written side by side at two locations of the file, so that memory does
 * not grow with the graph. */
#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/io/io.h"
#include "engine/io/publish.h"
#include "formats/graph/graph_output.h"

enum { HEADER_BYTES = 17, BUFFER_BYTES = 64 << 10 };

/* A location in the file that moves forward. */
struct sg_location {
    uint64_t offset; /* location of the first byte of the buffer */
    size_t used;
    uint8_t buffer[BUFFER_BYTES];
};

struct sg_writer {
    struct mr_graph_output graph;
    struct mr_publish *publish;
    struct mr_file *file;
    uint64_t n_lists, n_links; /* of the current block */
    struct sg_location offsets, targets;
};

static void abandon(void *data)
{
    struct sg_writer *writer = data;
    if (writer != NULL) {
        mr_file_abandon(writer->file);
        mr_publish_abandon(writer->publish);
        free(writer);
    }
}

static enum mr_status flush(struct sg_writer *writer, struct sg_location *location,
                            struct mr_error *err)
{
    const size_t used = location->used;
    const uint64_t offset = location->offset;

    location->used = 0;
    location->offset += used;
    return used == 0 ? MR_OK : mr_file_write(writer->file, location->buffer, used, offset, err);
}

static enum mr_status put(struct sg_writer *writer, struct sg_location *location, uint64_t number,
                          size_t bytes, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (location->used + bytes > BUFFER_BYTES) {
        status = flush(writer, location, err);
    }
    for (size_t i = 0; i < bytes; i++) {
        location->buffer[location->used++] = (uint8_t)(number >> 8 * i);
    }
    return status;
}

/* Begins a block of lists where the targets of the block before end. */
static enum mr_status begin_block(struct sg_writer *writer, uint64_t at, struct mr_error *err)
{
    enum mr_status status = flush(writer, &writer->offsets, err);

    if (status == MR_OK) {
        status = flush(writer, &writer->targets, err);
    }
    writer->offsets.offset = at;
    writer->targets.offset = at + 8 * (writer->graph.n_vertices + 1);
    writer->n_lists = writer->n_links = 0;
    return status == MR_OK ? put(writer, &writer->offsets, 0, 8, err) : status;
}

static enum mr_status open_sg(const struct mr_graph_output *graph, void **out, struct mr_error *err)
{
    struct sg_writer *writer = NULL;
    uint8_t header[HEADER_BYTES];

    *out = NULL;
    if (graph->n_vertices > INT32_MAX) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "%llu vertices; a .sg file can hold 2147483647: choose another format",
                            (unsigned long long)graph->n_vertices);
    }
    writer = *out = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a writer");
    }
    writer->graph = *graph;
    enum mr_status status = mr_publish_begin(graph->context->io, graph->path, MR_PUBLISH_FILE,
                                             graph->force, &writer->publish, err);
    if (status == MR_OK) {
        status = mr_file_open(graph->context->io, mr_publish_path(writer->publish),
                              MR_OPEN_WRITE | MR_OPEN_TRUNCATE, &writer->file, err);
    }
    if (status == MR_OK) {
        header[0] = graph->symmetric ? 0 : 1;
        mr_put_u64(header + 1, graph->n_edges);
        mr_put_u64(header + 9, graph->n_vertices);
        status = mr_file_write(writer->file, header, sizeof header, 0, err);
    }
    return status == MR_OK ? begin_block(writer, HEADER_BYTES, err) : status;
}

static enum mr_status write_list(void *data, uint32_t vertex, const uint32_t *others,
                                 size_t n_others, struct mr_error *err)
{
    struct sg_writer *writer = data;
    enum mr_status status = MR_OK;

    (void)vertex;
    if (writer->n_lists == writer->graph.n_vertices) {
        if (writer->graph.symmetric) {
            return MR_OK; /* the reverse is the same and is not stored */
        }
        status = begin_block(writer, writer->targets.offset + writer->targets.used, err);
    }
    for (size_t i = 0; i < n_others && status == MR_OK; i++) {
        status = put(writer, &writer->targets, others[i], 4, err);
    }
    writer->n_lists++;
    writer->n_links += n_others;
    return status == MR_OK ? put(writer, &writer->offsets, writer->n_links, 8, err) : status;
}

static enum mr_status commit(void *data, struct mr_error *err)
{
    struct sg_writer *writer = data;
    enum mr_status status = flush(writer, &writer->offsets, err);

    if (status == MR_OK) {
        status = flush(writer, &writer->targets, err);
    }
    if (status == MR_OK && writer->graph.n_vertices == 0 && !writer->graph.symmetric) {
        status = begin_block(writer, HEADER_BYTES + 8, err);
        if (status == MR_OK) {
            status = flush(writer, &writer->offsets, err);
        }
    }
    if (status == MR_OK) {
        status = mr_file_sync(writer->file, err);
    }
    if (status == MR_OK) {
        status = mr_file_close(writer->file, err);
        writer->file = NULL;
    }
    if (status == MR_OK) {
        status = mr_publish_commit_with(writer->publish, writer->graph.context->together, err);
        writer->publish = NULL;
    }
    abandon(writer);
    return status;
}

const struct mr_graph_writer mr_writer_sg = {.name = "sg",
                                             .title = "GAPBS serialized graph",
                                             .suffixes = {".sg"},
                                             .wants = MR_WANTS_BOTH_LISTS,
                                             .binary = true,
                                             .several_files = true,
                                             .open = open_sg,
                                             .list = write_list,
                                             .commit = commit,
                                             .abandon = abandon};
