/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a new store while it is written: growing lists, then bytes. Internal to the
 * engine. */
#ifndef MR_ENGINE_WRITER_INDEX_DRAFT_H
#define MR_ENGINE_WRITER_INDEX_DRAFT_H

#include "engine/store/index.h"

/* The blocks of a file that grows. */
struct mr_draft_blocks {
    struct mr_block_entry *entries;
    uint64_t count, capacity;
    uint64_t file_bytes; /* the end of the last one */
};

struct mr_draft_part {
    struct mr_links_part part; /* figures, updated as the file grows */
    struct mr_band_entry *bands; /* [n_bands]: their blocks, which count in this file, and edges */
    struct mr_draft_blocks blocks;
};

#define MR_DEGREE_SETS_MAX (1 + MR_CLASSES_MAX)

struct mr_index_draft {
    struct mr_memory *memory;
    uint64_t n_bands;
    /* A part for each class; a set for all edges and, if there are two classes, one for each. */
    uint32_t n_classes, n_sets;
    struct mr_draft_part parts[MR_CLASSES_MAX];
    struct mr_degree_facts facts[MR_DEGREE_SETS_MAX];
    struct mr_band_entry *runs[MR_DEGREE_SETS_MAX]; /* [n_bands] each: the blocks of degrees */
    struct mr_draft_blocks degrees, names;
    uint8_t *name_index; /* [name_index_bytes] */
    uint64_t name_index_bytes;
};

/* Begins an empty draft. `n_classes` is 1 or MR_CLASSES_MAX. mr_index_draft_free takes a zeroed
 * draft. */
enum mr_status mr_index_draft_create(struct mr_memory *memory, uint64_t n_bands, uint32_t n_classes,
                                     struct mr_index_draft *draft,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_index_draft_free(struct mr_index_draft *draft);

enum mr_status mr_draft_blocks_add(struct mr_memory *memory, struct mr_draft_blocks *list,
                                   const struct mr_block_entry *entry,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Serializes the index. Sets manifest->index_checksum. `*bytes` is charged to the budget; the
 * caller frees it. */
enum mr_status mr_index_draft_serialize(const struct mr_index_draft *draft,
                                        struct mr_store_info *manifest, uint8_t **bytes,
                                        uint64_t *n_bytes, struct mr_error *err) MR_WARN_UNUSED;

#endif
