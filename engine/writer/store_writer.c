/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the edges, order and names of a new store. The builder calls it; degree_writer.c and
 * finish_store.c have the rest. Blocks are written in band order as they come, so that a build
 * holds only a few of them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/writer/band_writer_internal.h"
#include "engine/writer/store_writer_internal.h"

void mr_store_writer_destroy(struct mr_store_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    mr_store_writer_destroy(writer->weights);
    struct mr_memory *memory = writer->context->memory;
    for (unsigned i = 0; i < MR_N_FILES; i++) {
        mr_file_abandon(writer->files[i]);
    }
    mr_memory_free(memory, writer->degree_block);
    mr_memory_free(memory, writer->degree_stream);
    mr_block_codec_destroy(writer->codec);
    mr_index_draft_free(&writer->draft);
    free(writer->directory);
    free(writer);
}

enum mr_status mr_store_writer_open(struct mr_store_writer *writer, enum mr_store_file which,
                                    struct mr_error *err)
{
    char path[4096];
    enum mr_status status = mr_store_file_path(writer->directory, writer->manifest.is_weighted,
                                               which, path, sizeof path, err);
    if (status != MR_OK) {
        return status;
    }
    return mr_file_open(writer->context->io, path, MR_OPEN_READ | MR_OPEN_WRITE,
                        &writer->files[which], err);
}

static enum mr_status open_files(struct mr_store_writer *writer, struct mr_error *err)
{
    enum mr_status status = mr_store_writer_open(writer, MR_FILE_DEGREES, err);
    for (uint32_t i = 0; i < writer->draft.n_classes && status == MR_OK; i++) {
        status = mr_store_writer_open(writer, mr_links_file(i), err);
    }
    return status;
}

enum mr_status mr_store_writer_create(const struct mr_context *context, const char *directory,
                                      const struct mr_band_shape *shape,
                                      struct mr_store_writer **out, struct mr_error *err)
{
    struct mr_store_writer *writer = calloc(1, sizeof *writer);

    *out = writer;
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a store writer");
    }
    writer->context = context;
    writer->shape = *shape;
    writer->directory = strdup(directory);
    const struct mr_memory_wanted buffers[] = {
        MR_WANTED("block buffer", MR_BLOCK_RAW_MAX_BYTES, &writer->degree_stream),
        MR_WANTED("block buffer", MR_BLOCK_MAX_BYTES, &writer->degree_block),
    };
    enum mr_status status = writer->directory != NULL
                                ? MR_OK
                                : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path");
    if (status == MR_OK) {
        status = mr_block_codec_create(context->memory, shape->zstd_level, &writer->codec, err);
    }
    if (status == MR_OK) {
        status = mr_memory_arrays(context->memory, buffers, err);
    }

    struct mr_store_info *manifest = &writer->manifest;
    manifest->n_classes = shape->n_classes == 0 ? 1 : shape->n_classes;
    manifest->graph_id = shape->graph_id;
    manifest->n_vertices = shape->n_vertices;
    manifest->band_bits = shape->band_bits;
    manifest->stripe_bits = shape->stripe_bits;
    manifest->zstd_level = shape->zstd_level;
    uint64_t n_bands = mr_div_up(shape->n_vertices, (uint64_t)1 << shape->band_bits);
    manifest->n_bands = (uint32_t)n_bands;
    manifest->has_weights = shape->has_weights;
    manifest->is_weighted = shape->is_weighted;
    if (status == MR_OK && shape->has_weights) {
        const struct mr_band_shape weighted = mr_band_shape_weighted(shape);
        status = mr_store_writer_create(context, directory, &weighted, &writer->weights, err);
    }
    if (status == MR_OK) {
        status = mr_index_draft_create(context->memory, n_bands, manifest->n_classes,
                                       &writer->draft, err);
    }
    if (status == MR_OK) {
        status = open_files(writer, err);
    }
    return status;
}

/* Start writing a file to the disk in steps of this size, while the next bands are encoded. Without
 * it the kernel keeps some gigabytes until the sync at the end. */
#define SYNC_BYTES ((uint64_t)4 << 20)

enum mr_status mr_store_writer_append(struct mr_file *file, const uint8_t *data, uint64_t bytes,
                                      uint64_t *end, struct mr_error *err)
{
    enum mr_status status = mr_file_write(file, data, bytes, *end, err);
    if (status == MR_OK) {
        const uint64_t first = *end / SYNC_BYTES, behind = (*end + bytes) / SYNC_BYTES;
        if (behind > first) {
            mr_file_start_sync(file, first * SYNC_BYTES, (behind - first) * SYNC_BYTES);
        }
        *end += bytes;
    }
    return status;
}

enum mr_status mr_store_writer_take(struct mr_store_writer *writer, struct mr_band_writer *band,
                                    struct mr_error *err)
{
    struct mr_band_parts parts = mr_band_writer_parts(band);
    struct mr_draft_part *draft = &writer->draft.parts[parts.link_class];
    struct mr_draft_band *entry = &draft->bands[parts.band];
    assert(parts.band == writer->next_band[parts.link_class]);
    enum mr_status status = mr_context_poll(writer->context, err);
    uint64_t base = draft->part.file_bytes;
    if (status == MR_OK && parts.data_bytes > 0) {
        status = mr_store_writer_append(writer->files[mr_links_file(parts.link_class)], parts.data,
                                        parts.data_bytes, &draft->part.file_bytes, err);
    }
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
        status = mr_draft_blocks_add(writer->context->memory, &draft->blocks, &block, err);
    }
    mr_links_part_add(&draft->part, parts.figures);
    writer->manifest.weights.byte_edges += parts.byte_edges;
    mr_band_writer_forget(band);
    return status;
}

enum mr_status mr_store_writer_end_band(struct mr_store_writer *writer, struct mr_band_writer *band,
                                        struct mr_error *err)
{
    struct mr_band_parts parts = mr_band_writer_parts(band);
    struct mr_draft_part *draft = &writer->draft.parts[parts.link_class];
    assert(parts.is_complete);
    enum mr_status status = mr_store_writer_take(writer, band, err);
    if (status != MR_OK) {
        return status;
    }
    const struct mr_draft_band *entry = &draft->bands[parts.band];
    draft->part.n_edges += entry->n_edges;
    const uint32_t next = ++writer->next_band[parts.link_class];
    if (next < writer->manifest.n_bands) {
        draft->bands[next].first_block = draft->bands[next].first_diagonal =
            draft->bands[next].end_block = entry->end_block;
    }
    return status;
}

enum mr_status mr_store_writer_close(struct mr_file **file, struct mr_error *err)
{
    if (*file == NULL) {
        return MR_OK;
    }
    enum mr_status status = mr_file_sync(*file, err);
    if (status == MR_OK) {
        status = mr_file_close(*file, err);
        *file = NULL;
    }
    return status;
}

struct mr_store_writer *mr_store_writer_weights(const struct mr_store_writer *writer)
{
    return writer->weights;
}

enum mr_status mr_store_writer_order(struct mr_store_writer *writer, const struct mr_core_map *core,
                                     struct mr_error *err)
{
    struct mr_store_info *manifest = &writer->manifest;
    assert(manifest->order_id == 0);
    enum mr_status status = mr_store_writer_open(writer, MR_FILE_ORDER, err);
    return status == MR_OK ? mr_core_map_write(writer->context, core, writer->files[MR_FILE_ORDER],
                                               manifest->graph_id, &manifest->order_id, err)
                           : status;
}

static enum mr_status open_facts(void *data, struct mr_file **file, struct mr_error *err)
{
    struct mr_store_writer *writer = data;
    const enum mr_status status = mr_store_writer_open(writer, MR_FILE_FACTS, err);
    *file = writer->files[MR_FILE_FACTS];
    return status;
}

enum mr_status mr_store_writer_facts(struct mr_store_writer *writer, bool digests,
                                     mr_fetch_facts_next next, void *data, struct mr_error *err)
{
    struct mr_store_info *manifest = &writer->manifest;
    const struct mr_fetch_facts_target target = {
        .open = open_facts, .data = writer, .graph_id = manifest->graph_id, .digests = digests};
    const enum mr_status status =
        mr_fetch_facts_write(writer->context, &target, next, data, &manifest->n_facts,
                             &manifest->facts_id, &manifest->has_gone, err);
    manifest->has_digests = digests && manifest->n_facts > 0;
    return status;
}

enum mr_status mr_store_writer_begin_names(struct mr_store_writer *writer, struct mr_error *err)
{
    return mr_store_writer_open(writer, MR_FILE_NAMES, err);
}

enum mr_status mr_store_writer_name_block(struct mr_store_writer *writer, const uint8_t *block,
                                          const struct mr_block_header *header,
                                          struct mr_error *err)
{
    struct mr_index_draft *draft = &writer->draft;
    struct mr_block_entry entry = {
        .offset = draft->names_bytes,
        .stored_bytes = header->stored_bytes,
        .raw_bytes = header->raw_bytes,
        .first = header->first,
        .last = header->last,
        .n_entries = header->n_entries,
    };
    enum mr_status status = mr_store_writer_append(writer->files[MR_FILE_NAMES], block,
                                                   header->stored_bytes, &draft->names_bytes, err);
    if (status == MR_OK) {
        status = mr_draft_blocks_add(writer->context->memory, &draft->names, &entry, err);
    }
    return status;
}

enum mr_status mr_store_writer_name_index(struct mr_store_writer *writer, const uint8_t *index,
                                          uint64_t index_bytes, struct mr_error *err)
{
    return mr_index_draft_add_names(&writer->draft, index, index_bytes, err);
}
