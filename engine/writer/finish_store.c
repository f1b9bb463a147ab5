/* SPDX-License-Identifier: Apache-2.0 */
/* The end of writing a store: its index, its manifest, and the sync of every file. The manifest is
 * written last, because a directory without one is no store. */
#include <assert.h>

#include "engine/base/memory.h"
#include "engine/store/column.h"
#include "engine/writer/store_writer_internal.h"

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
    struct mr_links_part total = {0};
    for (uint32_t i = 0; i < writer->draft.n_classes; i++) {
        struct mr_links_part *part = &writer->draft.parts[i].part;
        part->n_blocks = writer->draft.parts[i].blocks.count;
        mr_links_part_add(&total, part);
    }
    mr_figures_state(mr_links_figures, MR_N_LINKS_FIGURES, &total, manifest);
    mr_figures_state(mr_degree_figures, MR_N_DEGREE_FIGURES, &writer->draft.facts[0], manifest);
    manifest->names_bytes = writer->draft.names_bytes;
}

/* Finishes the weighted set and frees its writer. */
static enum mr_status finish_weights(struct mr_store_writer *writer,
                                     const struct mr_store_facts *facts, uint64_t *bytes,
                                     struct mr_error *err)
{
    struct mr_store_writer *weights = writer->weights;
    struct mr_store_facts own = *facts;
    struct mr_store_written written = {0};
    const bool is_empty = weights->draft.parts[0].part.n_edges == 0;
    own.name_kind = MR_NAMES_IDENTITY;
    own.name_key_number = 0;
    own.last_append = 0;
    weights->manifest.weights.least = is_empty ? 0 : facts->least_weight;
    weights->manifest.weights.most = is_empty ? 0 : facts->most_weight;
    writer->weights = NULL;
    const enum mr_status status = mr_store_writer_finish(weights, &own, &written, err);
    writer->manifest.weights_id = written.store_id;
    *bytes = written.bytes;
    return status;
}

enum mr_status mr_store_writer_finish(struct mr_store_writer *writer,
                                      const struct mr_store_facts *facts,
                                      struct mr_store_written *written, struct mr_error *err)
{
    struct mr_store_info *manifest = &writer->manifest;
    uint64_t weights_bytes = 0;
    enum mr_status status = MR_OK;
    /* finish the weighted set first, because this manifest contains its id */
    if (writer->weights != NULL) {
        status = finish_weights(writer, facts, &weights_bytes, err);
    }
    for (uint32_t i = 0; i < writer->draft.n_classes; i++) {
        assert(writer->next_band[i] == manifest->n_bands);
    }
    for (uint32_t i = 0; i < writer->draft.n_sets; i++) {
        assert(writer->next_in_band[i] == manifest->n_bands &&
               writer->next_out_band[i] == manifest->n_bands);
        writer->draft.facts[i].n_self_loops = facts->n_self_loops[i];
    }
    manifest->undirected = facts->undirected;
    manifest->duplicates_kept = facts->duplicates_kept;
    manifest->self_loops_dropped = facts->self_loops_dropped;
    manifest->transposed = facts->transposed;
    manifest->core_first = facts->core_first;
    manifest->last_append = facts->last_append;
    manifest->class_rule = facts->class_rule;
    manifest->name_kind = facts->name_kind;
    manifest->name_key_number = facts->name_key_number;
    if (status == MR_OK && facts->name_kind != MR_NAMES_IDENTITY &&
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
    if (status == MR_OK) {
        status = mr_store_writer_close(&writer->files[MR_FILE_MANIFEST], err);
    }
    if (status == MR_OK && written != NULL) {
        const struct mr_draft_part *parts = writer->draft.parts;
        *written = (struct mr_store_written){
            .n_dangling = manifest->n_dangling,
            .bytes = MR_MANIFEST_BYTES + weights_bytes + manifest->index_bytes +
                     manifest->links_bytes + manifest->degrees_bytes + manifest->names_bytes +
                     mr_column_file_bytes(manifest, MR_FILE_ORDER) +
                     mr_column_file_bytes(manifest, MR_FILE_FACTS),
            .facts_id = manifest->facts_id,
            .links_bytes = manifest->links_bytes,
            .internal_edges = manifest->n_classes > 1 ? parts[MR_LINK_INTERNAL].part.n_edges : 0,
        };
        written->store_id = manifest->store_id;
    }
    mr_store_writer_destroy(writer);
    return status;
}
