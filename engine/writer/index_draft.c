/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a new store: collecting its entries while files are written, and turning them into
 * bytes. The store writer calls it. */
#include "engine/writer/internal.h"

#include <string.h>

#include <xxhash.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

enum mr_status mr_index_draft_create(struct mr_memory *memory, uint64_t n_bands, uint32_t n_classes,
                                     struct mr_index_draft *draft, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    *draft = (struct mr_index_draft){.memory = memory,
                                     .n_bands = n_bands,
                                     .n_classes = n_classes,
                                     .n_sets = n_classes > 1 ? 1 + n_classes : 1};
    for (uint32_t i = 0; i < n_classes && status == MR_OK; i++) {
        status = mr_memory_array(memory, "store index", n_bands, &draft->parts[i].bands, err);
    }
    for (uint32_t i = 0; i < draft->n_sets && status == MR_OK; i++) {
        status = mr_memory_array(memory, "store index", n_bands, &draft->runs[i], err);
    }
    return status;
}

void mr_index_draft_free(struct mr_index_draft *draft)
{
    for (unsigned i = 0; i < MR_CLASSES_MAX; i++) {
        mr_memory_free(draft->memory, draft->parts[i].bands);
        mr_memory_free(draft->memory, draft->parts[i].blocks.entries);
    }
    for (unsigned i = 0; i < MR_DEGREE_SETS_MAX; i++) {
        mr_memory_free(draft->memory, draft->runs[i]);
    }
    mr_memory_free(draft->memory, draft->degrees.entries);
    mr_memory_free(draft->memory, draft->names.entries);
    mr_memory_free(draft->memory, draft->name_index);
    memset(draft, 0, sizeof *draft);
}

enum mr_status mr_draft_blocks_add(struct mr_memory *memory, struct mr_draft_blocks *list,
                                   const struct mr_block_entry *entry, struct mr_error *err)
{
    const enum mr_status status = mr_memory_grow(memory, "store index", list->count + 1,
                                                 &list->entries, &list->capacity, err);
    if (status == MR_OK) {
        list->entries[list->count++] = *entry;
    }
    return status;
}

static uint8_t *put_fields(uint8_t *out, const uint64_t *fields, unsigned n_fields)
{
    for (unsigned i = 0; i < n_fields; i++) {
        mr_put_u64(out + 8 * i, fields[i]);
    }
    return out + 8 * n_fields;
}

static uint8_t *put_part(uint8_t *out, const struct mr_links_part *part, uint32_t link_class,
                         uint64_t graph_id)
{
    memset(out, 0, MR_INDEX_PART_BYTES);
    mr_put_u32(out, 1);
    mr_put_u32(out + 4, link_class);
    mr_put_u64(out + 16, graph_id);
    mr_fields_put(mr_links_fields, part, out);
    return out + MR_INDEX_PART_BYTES;
}

static uint8_t *put_name_part(uint8_t *out, const struct mr_index_draft *draft,
                              const struct mr_store_info *manifest)
{
    const uint64_t fields[MR_INDEX_NAME_PART_BYTES / 8] = {1 | (uint64_t)manifest->name_kind << 32,
                                                           0,
                                                           manifest->n_vertices,
                                                           draft->names.file_bytes,
                                                           manifest->graph_id,
                                                           draft->names.count,
                                                           draft->name_index_bytes,
                                                           0};
    return put_fields(out, fields, MR_INDEX_NAME_PART_BYTES / 8);
}

static uint8_t *put_blocks(uint8_t *out, const struct mr_draft_blocks *list)
{
    for (uint64_t i = 0; i < list->count; i++, out += MR_INDEX_BLOCK_BYTES) {
        mr_fields_put(mr_block_fields, &list->entries[i], out);
    }
    return out;
}

static uint8_t *put_bands(uint8_t *out, const struct mr_band_entry *bands, uint64_t n_bands,
                          const struct mr_field *fields, uint64_t item_bytes)
{
    for (uint64_t b = 0; b < n_bands; b++, out += item_bytes) {
        mr_fields_put(fields, &bands[b], out);
    }
    return out;
}

static void count_items(const struct mr_index_draft *draft, const struct mr_store_info *manifest,
                        uint64_t counts[MR_INDEX_N_LISTS])
{
    memset(counts, 0, MR_INDEX_N_LISTS * sizeof *counts);
    counts[MR_INDEX_PARTS] = draft->n_classes;
    for (uint32_t i = 0; i < draft->n_classes; i++) {
        counts[MR_INDEX_LINKS] += draft->parts[i].blocks.count;
    }
    counts[MR_INDEX_BANDS] = counts[MR_INDEX_PARTS] * draft->n_bands;
    counts[MR_INDEX_SETS] = draft->n_sets;
    counts[MR_INDEX_RUNS] = draft->n_sets * draft->n_bands;
    counts[MR_INDEX_DEGREES] = draft->degrees.count;
    counts[MR_INDEX_NAME_PARTS] = manifest->name_kind != MR_NAMES_IDENTITY;
    counts[MR_INDEX_NAMES] = draft->names.count;
    counts[MR_INDEX_NAME_BYTES] = draft->name_index_bytes;
}

static uint8_t *put_lists(uint8_t *out, const struct mr_index_draft *draft,
                          const struct mr_store_info *manifest)
{
    for (uint32_t i = 0; i < draft->n_classes; i++) {
        out = put_part(out, &draft->parts[i].part, i, manifest->graph_id);
    }
    if (manifest->name_kind != MR_NAMES_IDENTITY) {
        out = put_name_part(out, draft, manifest);
    }
    for (uint32_t i = 0; i < draft->n_sets; i++) {
        mr_fields_put(mr_degree_fields, &draft->facts[i], out);
        out += MR_INDEX_SET_BYTES;
    }
    for (uint32_t i = 0; i < draft->n_sets; i++) {
        out = put_bands(out, draft->runs[i], draft->n_bands, mr_run_fields, MR_INDEX_RUN_BYTES);
    }
    for (uint32_t i = 0; i < draft->n_classes; i++) {
        out = put_bands(out, draft->parts[i].bands, draft->n_bands, mr_band_fields,
                        MR_INDEX_BAND_BYTES);
    }
    for (uint32_t i = 0; i < draft->n_classes; i++) {
        out = put_blocks(out, &draft->parts[i].blocks);
    }
    out = put_blocks(out, &draft->degrees);
    out = put_blocks(out, &draft->names);
    if (draft->name_index_bytes > 0) {
        memcpy(out, draft->name_index, draft->name_index_bytes);
        out += draft->name_index_bytes;
    }
    return out;
}

enum mr_status mr_index_draft_serialize(const struct mr_index_draft *draft,
                                        struct mr_store_info *manifest, uint8_t **bytes,
                                        uint64_t *n_bytes, struct mr_error *err)
{
    uint64_t counts[MR_INDEX_N_LISTS], total = MR_INDEX_HEADER_BYTES;
    count_items(draft, manifest, counts);
    for (unsigned i = 0; i < MR_INDEX_N_LISTS; i++) {
        total += counts[i] * mr_index_item_bytes[i];
    }
    const enum mr_status status = mr_memory_alloc(draft->memory, "store index", total, bytes, err);
    if (status != MR_OK) {
        return status;
    }
    uint8_t *const out = *bytes;
    memcpy(out, MR_INDEX_MAGIC, 8);
    mr_put_u64(out + 8, manifest->graph_id);
    (void)put_lists(put_fields(out + 16, counts, MR_INDEX_N_LISTS), draft, manifest);
    manifest->index_checksum = XXH3_64bits(out, total);
    *n_bytes = total;
    return MR_OK;
}
