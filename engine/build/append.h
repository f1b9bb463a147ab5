/* More links for a store that is there, and folding what was appended into one.
 *
 *     begin -> (build the new links into mr_append_delta_path) -> finish
 *
 * An append writes the next generation: a part with the new links, degrees and an index for all, names of
 * new vertices; then the manifest takes the place of the one before in one step. Whoever has the store open
 * goes on reading the generation that it opened. One writer at a time: a second one fails at once.
 *
 * A store with weights, which add up, with classes of links, or with its vertices by degree is written anew instead,
 * with the new links, and replaced in one step. */
#ifndef MR_ENGINE_BUILD_APPEND_H
#define MR_ENGINE_BUILD_APPEND_H

#include "engine/build/build.h"
#include "engine/store/store.h"

struct mr_append;

/* Lock the store and open it. Removes what a writer that died left behind. The context outlives the
 * append. Errors: RUNTIME when another process writes it; USAGE when it has as many parts as can be. */
enum mr_status mr_append_begin(const struct mr_context *context, const char *path,
                               struct mr_append **out, struct mr_error *err) MR_WARN_UNUSED;

/* Figures of the store: the delta is built by the same flags and names. */
const struct mr_store_info *mr_append_store(const struct mr_append *append);

/* Where a store of the new links alone is to be built, with the flags of the store and the ids or names of
 * the input; with weights where the store has some, without classes, and in no other order than theirs. It is
 * temporary. */
const char *mr_append_delta_path(const struct mr_append *append);

/* Will such a store be written anew? */
bool mr_append_is_anew(const struct mr_store_info *info);

struct mr_append_options {
    size_t struct_size; /* sizeof(struct mr_append_options) */
    mr_name_key name_key; /* that the store's key number stands for; NULL where names are no text */
    int zstd_level; /* of new blocks */
    enum mr_encoding encoding;
    /* Where the store has classes of links: by what, as in struct mr_build_options. */
    mr_name_group name_group;
    void *name_group_data;
};

struct mr_append_summary {
    uint64_t n_links; /* of the delta */
    uint64_t n_known; /* of these, those that the store had: left out, unless it keeps duplicates */
    uint64_t n_new_links, n_new_vertices;
    uint64_t n_spellings_lost; /* of vertices that the store had, see docs/store-format.md */
    uint64_t vertices, edges, dangling; /* of the store, as it is now */
    uint64_t store_bytes;
    uint32_t generation, n_parts;
    double seconds;
};

/* Add the delta to the store and publish. Nothing new leaves the store as it is. Frees `append` either way.
 * `summary` may be NULL. Cost: that of building the new links, and reading the blocks of the store where
 * links like them could be, the names in blocks that may have theirs, and all degrees, which are written
 * anew. Memory: as a build, and 4 bytes for each vertex of the delta. */
enum mr_status mr_append_finish(struct mr_append *append, const struct mr_append_options *options,
                                struct mr_append_summary *summary,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_append_abandon(struct mr_append *append);

/* Build the store anew from itself: one part, names in one order, the band width that all its links call
 * for. Where the store began as a build of some input and was appended more, the result has the bytes of a
 * build of all of it (docs/store-format.md says when not). Vertices change their numbers where names were
 * appended. Replaces the store in one step. Memory and temporary disk are the builder's, and 4 bytes per
 * vertex where names were appended. `summary` may be NULL. */
enum mr_status mr_compact(const struct mr_context *context, const char *path,
                          const struct mr_append_options *options, struct mr_build_summary *summary,
                          struct mr_error *err) MR_WARN_UNUSED;

#endif
