/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of names that a builder copies. Internal to the engine. */
#ifndef MR_ENGINE_NAMES_NAME_SOURCE_H
#define MR_ENGINE_NAMES_NAME_SOURCE_H

#include "engine/names/names.h"
#include "engine/store/index.h"

/* Called for each name: `name`[name_bytes] with its spellings, or `number` if `name` is NULL. */
typedef enum mr_status (*mr_names_visit)(void *data, uint64_t number, const char *name,
                                         size_t name_bytes, struct mr_error *err);

struct mr_names_source {
    const struct mr_context *context;
    enum mr_name_kind kind; /* kind of names in the new store */
    bool has_spellings; /* spellings follow the names */
    /* Visit all names, in vertex order. Called several times. */
    enum mr_status (*walk)(const struct mr_names_source *source, mr_names_visit visit,
                           void *visit_data, struct mr_error *err);
    void *data;
};

/* The names of a store, unchanged. The store outlives the source. */
struct mr_names_source mr_names_of_store(const struct mr_context *context, struct mr_store *store);

/* Merges the names of two stores into one ascending order, as one build of both has them. */
struct mr_names_merge;

/* Create a merge of `stores`[n_stores], at most 2; they outlive it. `key` orders text; it may be
 * NULL otherwise. `may_drop`: mr_names_merge_leave_out may follow. Memory: 0.9 MiB a store, and 4
 * bytes per vertex. Reads the names once. Errors: USAGE if the stores have names of two kinds;
 * BUDGET if there would be more than 2^32 - 1 vertices; CORRUPT, also for two vertices of one
 * name. Destroy takes NULL. */
enum mr_status mr_names_merge_create(const struct mr_context *context,
                                     struct mr_store *const *stores, unsigned n_stores,
                                     mr_name_key key, bool may_drop, struct mr_names_merge **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_names_merge_destroy(struct mr_names_merge *merge);

/* Leave out the names whose position has its bit set in `left_out`, which outlives the merge. They
 * get the position UINT32_MAX, and those behind them move up. Reads the names once. */
enum mr_status mr_names_merge_leave_out(struct mr_names_merge *merge, const uint64_t *left_out,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* [n_vertices of store `store`]: its positions in the merge; NULL: they stay. */
const uint32_t *mr_names_merge_positions(const struct mr_names_merge *merge, unsigned store);
uint64_t mr_names_merge_count(const struct mr_names_merge *merge);
/* Names whose spellings a later store adds to. */
uint64_t mr_names_merge_respelled(const struct mr_names_merge *merge);
const struct mr_names_source *mr_names_merge_source(const struct mr_names_merge *merge);

#endif
