/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of index.h's parser share. index.c parses parts and edges; index_lists.c,
 * below it, parses single entries, degrees and names. Internal to these files. */
#ifndef MR_ENGINE_STORE_INDEX_INTERNAL_H
#define MR_ENGINE_STORE_INDEX_INTERNAL_H

#include "engine/store/index.h"

#define MR_INDEX_DAMAGED "; the store is damaged: build it again"

struct mr_index_parser {
    struct mr_memory *memory;
    const struct mr_store_info *m;
    uint32_t classes; /* never MR_CLASSES_ALL */
    const uint8_t *at[MR_INDEX_N_LISTS]; /* the lists in the file */
    uint64_t count[MR_INDEX_N_LISTS];
    const char *path;
    struct mr_index *index; /* the result */
};

enum mr_status mr_index_bad(const char *path, const char *what, struct mr_error *err);
enum mr_status mr_index_bad_item(const struct mr_index_parser *parser, const char *what, uint64_t i,
                                 struct mr_error *err);
/* Allocates `count` zeroed items and sets the pointer at `out`; NULL if count is 0. */
enum mr_status mr_index_allocate(const struct mr_index_parser *parser, uint64_t count,
                                 uint64_t item_bytes, void *out,
                                 struct mr_error *err) MR_WARN_UNUSED;
/* Parses one entry of a block that must begin at `offset` in its file. Returns false if its figures
 * are impossible. */
bool mr_index_get_block(const uint8_t *in, uint64_t offset, uint32_t align, uint64_t most_entries,
                        struct mr_block_entry *entry);
/* Appends an entry to a list that has room for it. */
void mr_index_append_block(struct mr_block_entry *list, uint64_t *count,
                           struct mr_block_entry entry);

enum mr_status mr_index_parse_degrees(struct mr_index_parser *parser,
                                      struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_index_parse_names(struct mr_index_parser *parser,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
