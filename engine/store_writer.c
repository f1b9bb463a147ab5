#include "engine/store_writer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/band_writer_parts.h"
#include "engine/block.h"
#include "engine/bytes.h"
#include "engine/io.h"
#include "engine/keys.h"
#include "engine/manifest.h"
#include "engine/memory.h"

struct mr_store_writer {
    const struct mr_context *context;
    struct mr_band_shape shape;
    struct mr_manifest manifest; /* filled as the files grow */
    struct mr_index index; /* grown here, owned */
    char *directory;
    struct mr_file *files[MR_N_FILES];
    uint32_t next_band; /* to be ended */
    uint32_t next_in_band, next_out_band;
    struct mr_block_codec *codec; /* for blocks of degrees */
    uint8_t *degree_stream; /* [MR_BLOCK_RAW_MAX_BYTES] */
    uint8_t *degree_block; /* [MR_BLOCK_MAX_BYTES] */
};

static void destroy(struct mr_store_writer *writer)
{
    struct mr_memory *memory = writer->context->memory;
    for (unsigned i = 0; i < MR_N_FILES; i++) {
        mr_file_abandon(writer->files[i]);
    }
    mr_memory_free(memory, writer->degree_block);
    mr_memory_free(memory, writer->degree_stream);
    mr_block_codec_destroy(writer->codec);
    mr_index_free(memory, &writer->index);
    free(writer->directory);
    free(writer);
}

static enum mr_status open_file(struct mr_store_writer *writer, enum mr_store_file which,
                                struct mr_error *err)
{
    char path[4096];
    enum mr_status status = mr_store_file_path(writer->directory, which, path, sizeof path, err);
    if (status != MR_OK) {
        return status;
    }
    return mr_file_open(writer->context->io, path, MR_OPEN_READ | MR_OPEN_WRITE,
                        &writer->files[which], err);
}

enum mr_status mr_store_writer_create(const struct mr_context *context, const char *directory,
                                      const struct mr_band_shape *shape,
                                      struct mr_store_writer **out, struct mr_error *err)
{
    struct mr_store_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a store writer");
    }
    writer->context = context;
    writer->shape = *shape;
    writer->directory = strdup(directory);
    void *stream = NULL, *block = NULL;
    enum mr_status status = writer->directory != NULL
                                ? MR_OK
                                : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path");
    if (status == MR_OK) {
        status = mr_block_codec_create(context->memory, shape->zstd_level, &writer->codec, err);
    }
    if (status == MR_OK) {
        status =
            mr_memory_alloc(context->memory, "block buffer", MR_BLOCK_RAW_MAX_BYTES, &stream, err);
    }
    writer->degree_stream = stream;
    if (status == MR_OK) {
        status = mr_memory_alloc(context->memory, "block buffer", MR_BLOCK_MAX_BYTES, &block, err);
    }
    writer->degree_block = block;

    struct mr_manifest *manifest = &writer->manifest;
    manifest->graph_id = shape->graph_id;
    manifest->n_vertices = shape->n_vertices;
    manifest->band_bits = shape->band_bits;
    manifest->stripe_bits = shape->stripe_bits;
    manifest->zstd_level = shape->zstd_level;
    uint64_t n_bands = mr_div_up(shape->n_vertices, (uint64_t)1 << shape->band_bits);
    manifest->n_bands = (uint32_t)n_bands;
    if (status == MR_OK) {
        status = mr_index_create(context->memory, n_bands, &writer->index, err);
    }
    if (status == MR_OK) {
        status = open_file(writer, MR_FILE_LINKS, err);
    }
    if (status == MR_OK) {
        status = open_file(writer, MR_FILE_DEGREES, err);
    }
    if (status != MR_OK) {
        destroy(writer);
        return status;
    }
    *out = writer;
    return MR_OK;
}

/* Add entries to the index's list of `which`, their offsets counted from the file's end. */
static enum mr_status append(struct mr_store_writer *writer, enum mr_store_file which,
                             const uint8_t *data, uint64_t bytes, struct mr_error *err)
{
    enum mr_status status =
        mr_file_write(writer->files[which], data, bytes, writer->manifest.file_bytes[which], err);
    if (status == MR_OK) {
        writer->manifest.file_bytes[which] += bytes;
    }
    return status;
}

static struct mr_band_entry *band_entry(struct mr_store_writer *writer, uint32_t band)
{
    return &writer->index.bands[band];
}

enum mr_status mr_store_writer_take(struct mr_store_writer *writer, struct mr_band_writer *band,
                                    struct mr_error *err)
{
    struct mr_band_parts parts = mr_band_writer_parts(band);
    assert(parts.band == writer->next_band);
    enum mr_status status = mr_context_poll(writer->context, err);
    uint64_t base = writer->manifest.file_bytes[MR_FILE_LINKS];
    if (status == MR_OK && parts.data_bytes > 0) {
        status = append(writer, MR_FILE_LINKS, parts.data, parts.data_bytes, err);
    }
    struct mr_band_entry *entry = band_entry(writer, parts.band);
    for (uint64_t i = 0; i < parts.n_blocks && status == MR_OK; i++) {
        struct mr_block_entry block = parts.blocks[i].entry;
        block.offset += base;
        entry->n_edges += block.n_entries;
        if (parts.blocks[i].is_diagonal) {
            entry->n_diagonal_edges += block.n_entries;
        } else {
            entry->first_diagonal++;
        }
        entry->end_block++;
        status =
            mr_index_add_block(writer->context->memory, &writer->index, MR_FILE_LINKS, &block, err);
    }
    writer->manifest.n_tiles += parts.n_tiles;
    writer->manifest.keys_tiles += parts.n_tiles - parts.corners.tiles;
    writer->manifest.keys_edges += parts.keys_edges;
    writer->manifest.keys_bytes += parts.keys_bytes;
    writer->manifest.corners.tiles += parts.corners.tiles;
    writer->manifest.corners.edges += parts.corners.edges;
    writer->manifest.corners.bytes += parts.corners.bytes;
    writer->manifest.corners.parts += parts.corners.parts;
    writer->manifest.corners.entries += parts.corners.entries;
    writer->manifest.corners.rows += parts.corners.rows;
    mr_band_writer_forget(band);
    return status;
}

/* Cut the off-diagonal blocks of a band into segments; see MR_SEGMENT_EDGES_PER_VERTEX. */
static enum mr_status cut_segments(struct mr_store_writer *writer, struct mr_band_entry *band,
                                   struct mr_error *err)
{
    uint64_t full = (uint64_t)MR_SEGMENT_EDGES_PER_VERTEX << writer->shape.band_bits;
    uint64_t n_edges = 0;
    enum mr_status status = MR_OK;
    for (uint64_t i = band->first_block; i < band->first_diagonal && status == MR_OK; i++) {
        n_edges += writer->index.link_blocks[i].n_entries;
        if (n_edges < full && i + 1 < band->first_diagonal) {
            continue;
        }
        n_edges = 0;
        band->end_segment++;
        status = mr_index_add_segment(writer->context->memory, &writer->index, i + 1, err);
    }
    return status;
}

enum mr_status mr_store_writer_end_band(struct mr_store_writer *writer, struct mr_band_writer *band,
                                        struct mr_error *err)
{
    struct mr_band_parts parts = mr_band_writer_parts(band);
    assert(parts.is_complete);
    enum mr_status status = mr_store_writer_take(writer, band, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_band_entry *entry = band_entry(writer, parts.band);
    status = cut_segments(writer, entry, err);
    writer->manifest.n_edges += entry->n_edges;
    writer->next_band++;
    if (writer->next_band < writer->manifest.n_bands) {
        struct mr_band_entry *next = band_entry(writer, writer->next_band);
        next->first_block = next->first_diagonal = next->end_block = entry->end_block;
        next->first_segment = next->end_segment = entry->end_segment;
    }
    return status;
}

/* The stream of a band's degrees has them as differences: keys_encode of their running sum. */
static uint32_t encode_degrees(const uint32_t *degrees, uint32_t n, uint32_t *n_encoded,
                               uint8_t *out)
{
    uint8_t *p = out;
    uint32_t i = 0;
    while (i < n && p - out <= (ptrdiff_t)(MR_BLOCK_RAW_MAX_BYTES - MR_LEB_MAX_BYTES)) {
        p = mr_leb_put(p, degrees[i++]);
    }
    *n_encoded = i;
    return (uint32_t)(p - out);
}

static enum mr_status write_degrees(struct mr_store_writer *writer, enum mr_block_kind kind,
                                    uint32_t band, const uint32_t *degrees, uint32_t n,
                                    uint64_t *first_block, uint64_t *end_block,
                                    struct mr_error *err)
{
    *first_block = writer->index.n_degree_blocks;
    uint32_t first_vertex = band << writer->shape.band_bits;
    uint64_t number = 0;
    for (uint32_t done = 0; done < n;) {
        uint32_t n_encoded;
        uint32_t raw_bytes =
            encode_degrees(degrees + done, n - done, &n_encoded, writer->degree_stream);
        struct mr_block_header header = {
            .kind = kind,
            .graph_id = writer->shape.graph_id,
            .band = band,
            .first = first_vertex + done,
            .last = first_vertex + done + n_encoded - 1,
            .n_entries = n_encoded,
            .number = number++,
        };
        enum mr_status status = mr_block_seal(writer->codec, &header, writer->degree_stream,
                                              raw_bytes, MR_BLOCK_ALIGN, writer->degree_block, err);
        struct mr_block_entry block = {
            .offset = writer->manifest.file_bytes[MR_FILE_DEGREES],
            .stored_bytes = header.stored_bytes,
            .raw_bytes = header.raw_bytes,
            .first = header.first,
            .last = header.last,
            .n_entries = header.n_entries,
        };
        if (status == MR_OK) {
            status =
                append(writer, MR_FILE_DEGREES, writer->degree_block, header.stored_bytes, err);
        }
        if (status == MR_OK) {
            status = mr_index_add_block(writer->context->memory, &writer->index, MR_FILE_DEGREES,
                                        &block, err);
        }
        if (status != MR_OK) {
            return status;
        }
        done += n_encoded;
    }
    *end_block = writer->index.n_degree_blocks;
    return MR_OK;
}

enum mr_status mr_store_writer_in_degrees(struct mr_store_writer *writer, uint32_t band,
                                          const uint32_t *degrees, uint32_t n, struct mr_error *err)
{
    assert(band == writer->next_in_band);
    writer->next_in_band++;
    for (uint32_t i = 0; i < n; i++) {
        writer->manifest.max_in_degree = mr_max_u64(writer->manifest.max_in_degree, degrees[i]);
    }
    struct mr_band_entry *entry = band_entry(writer, band);
    return write_degrees(writer, MR_BLOCK_IN_DEGREES, band, degrees, n, &entry->first_in_block,
                         &entry->end_in_block, err);
}

enum mr_status mr_store_writer_out_degrees(struct mr_store_writer *writer, uint32_t band,
                                           const uint32_t *degrees, uint32_t n,
                                           struct mr_error *err)
{
    assert(band == writer->next_out_band);
    writer->next_out_band++;
    for (uint32_t i = 0; i < n; i++) {
        writer->manifest.max_out_degree = mr_max_u64(writer->manifest.max_out_degree, degrees[i]);
        writer->manifest.n_dangling += degrees[i] == 0;
    }
    struct mr_band_entry *entry = band_entry(writer, band);
    return write_degrees(writer, MR_BLOCK_OUT_DEGREES, band, degrees, n, &entry->first_out_block,
                         &entry->end_out_block, err);
}

enum mr_status mr_store_writer_name_block(struct mr_store_writer *writer, const uint8_t *block,
                                          const struct mr_block_header *header,
                                          struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (writer->files[MR_FILE_NAMES] == NULL) {
        status = open_file(writer, MR_FILE_NAMES, err);
    }
    struct mr_block_entry entry = {
        .offset = writer->manifest.file_bytes[MR_FILE_NAMES],
        .stored_bytes = header->stored_bytes,
        .raw_bytes = header->raw_bytes,
        .first = header->first,
        .last = header->last,
        .n_entries = header->n_entries,
    };
    if (status == MR_OK) {
        status = append(writer, MR_FILE_NAMES, block, header->stored_bytes, err);
    }
    if (status == MR_OK) {
        status =
            mr_index_add_block(writer->context->memory, &writer->index, MR_FILE_NAMES, &entry, err);
    }
    return status;
}

enum mr_status mr_store_writer_name_index(struct mr_store_writer *writer, const uint8_t *index,
                                          uint64_t index_bytes, struct mr_error *err)
{
    return mr_index_set_names(writer->context->memory, &writer->index, index, index_bytes, err);
}

/* Write the index and the manifest, each whole and synced before the next step. */
static enum mr_status write_index(struct mr_store_writer *writer, struct mr_error *err)
{
    uint8_t *bytes = NULL;
    uint64_t n_bytes = 0;
    enum mr_status status = mr_index_serialize(writer->context->memory, &writer->manifest,
                                               &writer->index, &bytes, &n_bytes, err);
    if (status == MR_OK) {
        status = open_file(writer, MR_FILE_INDEX, err);
    }
    if (status == MR_OK) {
        status = append(writer, MR_FILE_INDEX, bytes, n_bytes, err);
    }
    mr_memory_free(writer->context->memory, bytes);
    return status;
}

static enum mr_status write_manifest(struct mr_store_writer *writer, struct mr_error *err)
{
    uint8_t bytes[MR_MANIFEST_BYTES];
    mr_manifest_serialize(&writer->manifest, bytes);
    enum mr_status status = open_file(writer, MR_FILE_MANIFEST, err);
    if (status == MR_OK) {
        status = mr_file_write(writer->files[MR_FILE_MANIFEST], bytes, sizeof bytes, 0, err);
    }
    return status;
}

static enum mr_status sync_and_close(struct mr_store_writer *writer, enum mr_store_file which,
                                     struct mr_error *err)
{
    if (writer->files[which] == NULL) {
        return MR_OK;
    }
    enum mr_status status = mr_file_sync(writer->files[which], err);
    if (status == MR_OK) {
        status = mr_file_close(writer->files[which], err);
        writer->files[which] = NULL;
    }
    return status;
}

enum mr_status mr_store_writer_finish(struct mr_store_writer *writer,
                                      const struct mr_store_facts *facts,
                                      struct mr_store_info *info, struct mr_error *err)
{
    struct mr_manifest *manifest = &writer->manifest;
    assert(writer->next_band == manifest->n_bands);
    assert(writer->next_in_band == manifest->n_bands && writer->next_out_band == manifest->n_bands);
    manifest->n_self_loops = facts->n_self_loops;
    manifest->undirected = facts->undirected;
    manifest->duplicates_kept = facts->duplicates_kept;
    manifest->self_loops_dropped = facts->self_loops_dropped;
    manifest->transposed = facts->transposed;
    manifest->name_kind = facts->name_kind;
    manifest->name_key_number = facts->name_key_number;
    enum mr_status status = MR_OK;
    if (facts->name_kind != MR_NAMES_IDENTITY && writer->files[MR_FILE_NAMES] == NULL) {
        status = open_file(writer, MR_FILE_NAMES, err); /* a graph without vertices */
    }
    if (status == MR_OK) {
        status = write_index(writer, err);
    }
    for (unsigned i = 0; i < MR_N_FILES && status == MR_OK; i++) {
        status = sync_and_close(writer, (enum mr_store_file)i, err);
    }
    if (status == MR_OK) {
        status = write_manifest(writer, err);
    }
    if (status == MR_OK) {
        status = sync_and_close(writer, MR_FILE_MANIFEST, err);
    }
    if (status == MR_OK && info != NULL) {
        mr_manifest_info(manifest, &writer->index, info);
    }
    destroy(writer);
    return status;
}

void mr_store_writer_abandon(struct mr_store_writer *writer)
{
    if (writer != NULL) {
        destroy(writer);
    }
}
