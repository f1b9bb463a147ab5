/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the edges, order and names of a new store. The builder calls it; degree_writer.c and
 * finish_store.c have the rest. Blocks are written in band order as they come, so that a build
 * holds only a few of them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/writer/internal.h"

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

enum mr_status mr_store_writer_add_blocks(struct mr_store_writer *writer,
                                          struct mr_band_writer *band, struct mr_error *err)
{
    const uint32_t link_class = band->shape.link_class;
    struct mr_draft_part *draft = &writer->draft.parts[link_class];
    struct mr_band_entry *entry = &draft->bands[band->band];
    const uint64_t base = draft->blocks.file_bytes;
    assert(band->band == writer->next_band[link_class]);
    enum mr_status status = mr_context_poll(writer->context, err);
    if (status == MR_OK && band->sealed_bytes > 0) {
        status = mr_store_writer_append(writer->files[mr_links_file(link_class)], band->sealed,
                                        band->sealed_bytes, &draft->blocks.file_bytes, err);
    }
    for (uint64_t i = 0; i < band->n_blocks && status == MR_OK; i++) {
        struct mr_block_entry block = band->blocks[i];
        block.offset += base;
        entry->n_edges += block.n_entries;
        if (mr_band_writer_is_diagonal(band, block.first)) {
            entry->n_diagonal_edges += block.n_entries;
        } else {
            entry->first_diagonal++;
        }
        entry->end_block++;
        status = mr_draft_blocks_add(writer->context->memory, &draft->blocks, &block, err);
    }
    mr_figures_add(mr_links_fields, &draft->part, &band->figures);
    writer->manifest.weights.byte_edges += band->byte_edges;
    mr_band_writer_forget(band);
    return status;
}

enum mr_status mr_store_writer_end_band(struct mr_store_writer *writer, struct mr_band_writer *band,
                                        struct mr_error *err)
{
    const uint32_t link_class = band->shape.link_class;
    struct mr_draft_part *draft = &writer->draft.parts[link_class];
    assert(band->is_complete);
    enum mr_status status = mr_store_writer_add_blocks(writer, band, err);
    if (status != MR_OK) {
        return status;
    }
    const struct mr_band_entry *entry = &draft->bands[band->band];
    draft->part.n_edges += entry->n_edges;
    const uint32_t next = ++writer->next_band[link_class];
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

enum mr_status mr_store_writer_facts(struct mr_store_writer *writer, bool digests,
                                     mr_fetch_facts_next next, void *data, struct mr_error *err)
{
    struct mr_store_info *manifest = &writer->manifest;
    struct mr_fetch_facts first;
    bool is_over = false;
    enum mr_status status = next(data, &first, &is_over, err);
    if (status != MR_OK || is_over) {
        return status;
    }
    manifest->has_digests = digests;
    status = mr_store_writer_open(writer, MR_FILE_FACTS, err);
    return status == MR_OK ? mr_fetch_facts_write(writer->context, writer->files[MR_FILE_FACTS],
                                                  &first, next, data, manifest, err)
                           : status;
}

enum mr_status mr_store_writer_begin_names(struct mr_store_writer *writer, struct mr_error *err)
{
    return mr_store_writer_open(writer, MR_FILE_NAMES, err);
}

enum mr_status mr_store_writer_block(struct mr_store_writer *writer, enum mr_store_file which,
                                     const uint8_t *block, const struct mr_block_header *header,
                                     struct mr_error *err)
{
    struct mr_draft_blocks *list =
        which == MR_FILE_NAMES ? &writer->draft.names : &writer->draft.degrees;
    const struct mr_block_entry entry = mr_block_entry_of(header, list->file_bytes);
    const enum mr_status status = mr_store_writer_append(
        writer->files[which], block, header->stored_bytes, &list->file_bytes, err);
    return status == MR_OK ? mr_draft_blocks_add(writer->context->memory, list, &entry, err)
                           : status;
}

enum mr_status mr_store_writer_name_index(struct mr_store_writer *writer, const uint8_t *index,
                                          uint64_t index_bytes, struct mr_error *err)
{
    struct mr_index_draft *draft = &writer->draft;
    enum mr_status status = MR_OK;
    if (index_bytes > 0) {
        status = mr_memory_array(writer->context->memory, "name index", index_bytes,
                                 &draft->name_index, err);
    }
    if (status == MR_OK && index_bytes > 0) {
        memcpy(draft->name_index, index, index_bytes);
        draft->name_index_bytes = index_bytes;
    }
    return status;
}
