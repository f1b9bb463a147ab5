/* SPDX-License-Identifier: Apache-2.0 */
/* The end of writing a store: its index, its manifest, and the sync of every file. The manifest is
 * written last, because a directory without one is no store. */
#include <assert.h>

#include "engine/base/memory.h"
#include "engine/writer/internal.h"

/* Writes the index, then the manifest; each is complete and synced before the next step. */
static enum mr_status write_index(struct mr_store_writer *writer, struct mr_error *err)
{
    struct mr_store_info *manifest = &writer->manifest;
    uint8_t *bytes = NULL;
    uint64_t n_bytes = 0;
    enum mr_status status =
        mr_index_draft_serialize(&writer->draft, manifest, &bytes, &n_bytes, err);
    if (status == MR_OK) {
        status = mr_store_writer_open(writer, MR_FILE_INDEX, err);
    }
    if (status == MR_OK) {
        status = mr_store_writer_append(writer->files[MR_FILE_INDEX], bytes, n_bytes,
                                        &manifest->index_bytes, err);
    }
    mr_memory_free(writer->context->memory, bytes);
    return status;
}

static enum mr_status write_manifest(struct mr_store_writer *writer, struct mr_error *err)
{
    uint8_t bytes[MR_MANIFEST_BYTES];
    mr_manifest_serialize(&writer->manifest, bytes);
    enum mr_status status = mr_store_writer_open(writer, MR_FILE_MANIFEST, err);
    if (status == MR_OK) {
        status = mr_file_write(writer->files[MR_FILE_MANIFEST], bytes, sizeof bytes, 0, err);
    }
    return status;
}

/* Fills in the manifest's figures: sums over the parts, and those of all degrees. */
static void sum_up(struct mr_store_writer *writer)
{
    struct mr_store_info *manifest = &writer->manifest;
    struct mr_index_draft *draft = &writer->draft;
    struct mr_links_part total = {0};
    for (uint32_t i = 0; i < draft->n_classes; i++) {
        struct mr_links_part *part = &draft->parts[i].part;
        part->n_blocks = draft->parts[i].blocks.count;
        part->file_bytes = draft->parts[i].blocks.file_bytes;
        mr_figures_add(mr_links_fields, &total, part);
    }
    mr_figures_state(mr_links_fields, &total, manifest);
    mr_figures_state(mr_degree_fields, &draft->facts[0], manifest);
    manifest->degrees_bytes = draft->degrees.file_bytes;
    manifest->names_bytes = draft->names.file_bytes;
}

/* A page is in a class with itself, so all self-loops are internal. */
static void take_facts(struct mr_store_writer *writer, const struct mr_store_info *facts)
{
    struct mr_store_info *manifest = &writer->manifest;
    struct mr_index_draft *draft = &writer->draft;
    const bool has_weights = manifest->is_weighted && draft->parts[0].part.n_edges > 0;
    draft->facts[0].n_self_loops = facts->n_self_loops;
    draft->facts[1 + MR_LINK_INTERNAL].n_self_loops = facts->n_self_loops;
    manifest->undirected = facts->undirected;
    manifest->duplicates_kept = facts->duplicates_kept;
    manifest->self_loops_dropped = facts->self_loops_dropped;
    manifest->transposed = facts->transposed;
    manifest->core_first = facts->core_first;
    manifest->class_rule = facts->class_rule;
    manifest->weights.least = has_weights ? facts->weights.least : 0;
    manifest->weights.most = has_weights ? facts->weights.most : 0;
    if (!manifest->is_weighted) { /* a weighted set uses the store's */
        manifest->last_append = facts->last_append;
        manifest->name_kind = facts->name_kind;
        manifest->name_key_number = facts->name_key_number;
    }
}

/* Sets manifest.store_id. */
static enum mr_status finish_files(struct mr_store_writer *writer,
                                   const struct mr_store_info *facts, struct mr_error *err)
{
    const struct mr_store_info *manifest = &writer->manifest;
    enum mr_status status = MR_OK;
    for (uint32_t i = 0; i < writer->draft.n_classes; i++) {
        assert(writer->next_band[i] == manifest->n_bands);
    }
    for (uint32_t i = 0; i < writer->draft.n_sets; i++) {
        assert(writer->next_in_band[i] == manifest->n_bands &&
               writer->next_out_band[i] == manifest->n_bands);
    }
    take_facts(writer, facts);
    if (manifest->name_kind != MR_NAMES_IDENTITY &&
        writer->files[MR_FILE_NAMES] == NULL) { /* a graph without vertices */
        status = mr_store_writer_begin_names(writer, err);
    }
    sum_up(writer);
    if (status == MR_OK) {
        status = write_index(writer, err);
    }
    for (unsigned i = 0; i < MR_N_FILES && status == MR_OK; i++) {
        status = mr_store_writer_close(&writer->files[i], err);
    }
    if (status == MR_OK) {
        status = write_manifest(writer, err);
    }
    return status == MR_OK ? mr_store_writer_close(&writer->files[MR_FILE_MANIFEST], err) : status;
}

/* The manifest contains the id of the weighted set, which is therefore finished first. */
enum mr_status mr_store_writer_finish(struct mr_store_writer *writer,
                                      const struct mr_store_info *facts, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (writer->weights != NULL) {
        status = finish_files(writer->weights, facts, err);
        writer->manifest.weights_id = writer->weights->manifest.store_id;
    }
    if (status == MR_OK) {
        status = finish_files(writer, facts, err);
    }
    mr_store_writer_destroy(writer);
    return status;
}
