/* Names that a builder copies instead of making them, part by part. Internal to the engine. */
#ifndef MR_ENGINE_NAMES_NAME_SOURCE_H
#define MR_ENGINE_NAMES_NAME_SOURCE_H

#include "engine/names/names.h"
#include "engine/store/index.h"

/* The next name: `name`[name_bytes] with its spellings, or `number` where `name` is NULL. */
typedef enum mr_status (*mr_names_visit)(void *data, uint64_t number, const char *name,
                                         size_t name_bytes, struct mr_error *err);

struct mr_names_source {
    enum mr_name_kind kind; /* of the store that is built */
    bool has_spellings; /* behind the names */
    const struct mr_names_part *parts; /* [n_parts] to be written: generation, kind, vertices */
    uint32_t n_parts;
    /* All names of a part that is not MR_NAMES_IDENTITY, in vertex order. Called several times. */
    enum mr_status (*walk)(void *data, uint32_t part, mr_names_visit visit, void *visit_data,
                           struct mr_error *err);
    void *data;
};

/* What a walk over a store's own names needs; outlived by nothing that uses it. */
struct mr_names_copy {
    const struct mr_context *context;
    struct mr_store *store;
};

/* The names of a store as they are. `copy` and the store outlive the source. */
struct mr_names_source mr_names_of_store(struct mr_names_copy *copy);

/* Names of several parts in one ascending order: what a store built anew would have. */
struct mr_names_merge;

/* `key` orders text, and may be NULL otherwise. The store outlives the merge. About 0.7 MiB for each part of
 * names, 4 bytes a vertex; one pass over the names. Errors: CORRUPT, also for two vertices of one name.
 * Destroy takes NULL. */
enum mr_status mr_names_merge_create(const struct mr_context *context, struct mr_store *store,
                                     mr_name_key key, struct mr_names_merge **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_names_merge_destroy(struct mr_names_merge *merge);

/* [n_vertices]: which vertex each of the store's is in the new order; NULL: the same one. */
const uint32_t *mr_names_merge_vertices(const struct mr_names_merge *merge);
const struct mr_names_source *mr_names_merge_source(const struct mr_names_merge *merge);

#endif
