/* GAPBS serialized graphs: u8 directed, i64 m, i64 n, n + 1 i64 offsets, m i32 targets, and of a
 * directed graph the same of its reverse; with weights (.wsg) an i32 follows each target. Offsets and targets are written side by side, in two places
 * of the file. Ids are 31 bits wide in it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/io/io.h"
#include "engine/io/publish.h"
#include "formats/graph/graph_output.h"

enum { HEADER_BYTES = 17, BUFFER_BYTES = 64 << 10 };

/* A place in the file that moves forward. */
struct place {
    uint64_t offset; /* of the buffer's first byte */
    size_t used;
    uint8_t buffer[BUFFER_BYTES];
};

struct sg_writer {
    struct mr_graph_output graph;
    struct mr_publish *publish;
    struct mr_file *file;
    uint64_t n_lists, n_links; /* of the block in work */
    struct place offsets, targets;
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

static enum mr_status flush(struct sg_writer *writer, struct place *place, struct mr_error *err)
{
    const size_t used = place->used;
    const uint64_t offset = place->offset;

    place->used = 0;
    place->offset += used;
    return used == 0 ? MR_OK : mr_file_write(writer->file, place->buffer, used, offset, err);
}

static enum mr_status put(struct sg_writer *writer, struct place *place, uint64_t number,
                          size_t bytes, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (place->used + bytes > BUFFER_BYTES) {
        status = flush(writer, place, err);
    }
    for (size_t i = 0; i < bytes; i++) {
        place->buffer[place->used++] = (uint8_t)(number >> 8 * i);
    }
    return status;
}

/* Begin a block of lists where the targets of the one before end. */
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
    if (graph->weighted && !graph->whole_weights) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "the weights are not all whole numbers up to 16777216, and a .wsg file "
                            "has no others: choose another format");
    }
    writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a writer");
    }
    writer->graph = *graph;
    enum mr_status status = mr_publish_begin(graph->context->io, graph->path, MR_PUBLISH_FILE,
                                             graph->force, &writer->publish, err);
    if (status == MR_OK) {
        status = mr_file_open(graph->context->io, mr_publish_path(writer->publish), MR_OPEN_WRITE,
                              &writer->file, err);
    }
    if (status == MR_OK) {
        header[0] = graph->symmetric ? 0 : 1;
        mr_put_u64(header + 1, graph->n_edges);
        mr_put_u64(header + 9, graph->n_vertices);
        status = mr_file_write(writer->file, header, sizeof header, 0, err);
    }
    if (status == MR_OK) {
        status = begin_block(writer, HEADER_BYTES, err);
    }
    if (status != MR_OK) {
        abandon(writer);
        return status;
    }
    *out = writer;
    return MR_OK;
}

static enum mr_status write_list(void *data, uint32_t vertex, const uint32_t *others,
                                 const float *weights, size_t n_others, struct mr_error *err)
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
        if (status == MR_OK && weights != NULL) {
            status = put(writer, &writer->targets, (uint64_t)weights[i], 4, err);
        }
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
const struct mr_graph_writer mr_writer_wsg = {.name = "wsg",
                                              .title = "GAPBS weighted serialized graph",
                                              .suffixes = {".wsg"},
                                              .wants = MR_WANTS_BOTH_LISTS,
                                              .weighs = MR_WEIGHS_ALWAYS,
                                              .asks_whole = true,
                                              .binary = true,
                                              .several_files = true,
                                              .open = open_sg,
                                              .list = write_list,
                                              .commit = commit,
                                              .abandon = abandon};
