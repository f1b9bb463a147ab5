/* The reverse of a store, out of core: every link turned round, the vertices and their names kept. */
#ifndef MR_ENGINE_BUILD_TRANSPOSE_H
#define MR_ENGINE_BUILD_TRANSPOSE_H

#include "engine/build/build.h"
#include "engine/store/store.h"

struct mr_transpose_options {
    size_t struct_size; /* sizeof(struct mr_transpose_options) */
    bool force; /* replace an existing store at `path` */
    int zstd_level; /* 0: plain; 1..19 */
    enum mr_encoding encoding;
    /* As in mr_build_options: the classes of the reverse, which are those of `store` where this is how those
     * were made. NONE: it has one class. */
    enum mr_class_rule class_rule;
    mr_name_group name_group;
    void *name_group_data;
};

/* Write the reverse of `store` to `path`, another store. It has the facts of `store` (undirected,
 * duplicates kept, self-loops dropped), and says transposed where that does not. The same bytes for
 * any threads and memory. A graph that came without duplicates gives the bytes that building its
 * input with mr_build_options.transpose gives.
 * Memory and temporary disk are the builder's (build.h), all of it through one pass over the links,
 * and two over the names. `summary` may be NULL. */
enum mr_status mr_transpose(const struct mr_context *context, struct mr_store *store,
                            const char *path, const struct mr_transpose_options *options,
                            struct mr_build_summary *summary, struct mr_error *err) MR_WARN_UNUSED;

/* Write `store`, whose vertices have an order of their own, to `path`: each vertex at its place, for whoever needs
 * numbers that are places. Whatever is there is replaced. Costs as mr_transpose, and 4 bytes a vertex. */
enum mr_status mr_undo_order(const struct mr_context *context, struct mr_store *store,
                             const char *path, struct mr_error *err) MR_WARN_UNUSED;

#endif
