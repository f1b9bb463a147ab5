/* What the two halves of index.h's parser share: index.c has parts and links, index_lists.c, below it,
 * single entries, degrees and names. Internal to them. */
#ifndef MR_ENGINE_STORE_INDEX_INTERNAL_H
#define MR_ENGINE_STORE_INDEX_INTERNAL_H

#include "engine/store/index.h"

#define MR_INDEX_DAMAGED "; the store is damaged: build it again"

struct mr_merge {
    struct mr_memory *memory;
    const struct mr_manifest *m;
    uint32_t classes; /* never MR_CLASSES_ALL */
    struct mr_index_bytes lists;
    const char *path;
    struct mr_index *index; /* filled */
};

enum mr_status mr_merge_bad(const char *path, const char *what, struct mr_error *err);
enum mr_status mr_merge_bad_item(const struct mr_merge *merge, const char *what, uint64_t i,
                                 struct mr_error *err);
/* `count` items, zeroed, to the pointer at `out`; NULL for none. */
enum mr_status mr_merge_allocate(const struct mr_merge *merge, uint64_t count, uint64_t item_bytes,
                                 void *out, struct mr_error *err) MR_WARN_UNUSED;
/* One entry, which begins at `offset` in its file. False when that or its figures cannot be. */
bool mr_merge_get_block(const uint8_t *in, uint64_t offset, uint32_t align, uint64_t most_entries,
                        struct mr_block_entry *entry);
/* Put an entry at the end of a list. */
void mr_merge_append(struct mr_block_entry *list, uint64_t *count, struct mr_block_entry entry);

enum mr_status mr_merge_degrees(struct mr_merge *merge, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_merge_names(struct mr_merge *merge, struct mr_error *err) MR_WARN_UNUSED;

#endif
