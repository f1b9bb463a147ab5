/* SPDX-License-Identifier: Apache-2.0 */
/* Appends edges to an existing store, and compacts the parts of a store into one.
 *
 *     begin -> (build the new edges into mr_append_delta_path) -> finish
 *
 * An append writes the next generation: a part with the new edges, the names of new vertices, and
 * the degrees and the index of the whole graph. Then the new manifest replaces the old one in one
 * step. A process that has the store open continues to read its own generation. A store has one
 * writer at a time: a second one fails at once.
 *
 * Three kinds of stores are rewritten with the new edges and replaced in one step: those with
 * weights (which add up), with classes of edges, or with vertices ordered by degree. */
#ifndef MR_ENGINE_BUILD_APPEND_H
#define MR_ENGINE_BUILD_APPEND_H

#include "engine/build/build.h"
#include "engine/store/store.h"

struct mr_append;

/* Lock the store and open it. Removes what a writer that died left behind. The context outlives the
 * append. Errors: RUNTIME when another process writes the store; USAGE when the store has the
 * maximum number of parts. */
enum mr_status mr_append_begin(const struct mr_context *context, const char *path,
                               struct mr_append **out, struct mr_error *err) MR_WARN_UNUSED;

/* Figures of the store. The delta must be built with the same flags and the same kind of names. */
const struct mr_store_info *mr_append_store(const struct mr_append *append);

/* The path where the caller builds a store of the new edges alone. That store, the delta, needs the
 * flags of the store and the ids or names of the input. It has weights if the store has some. It
 * has no classes and keeps its vertices in input order. It is temporary. */
const char *mr_append_delta_path(const struct mr_append *append);

/* Does an append rewrite such a store? */
bool mr_append_is_anew(const struct mr_store_info *info);

struct mr_append_options {
    size_t struct_size; /* sizeof(struct mr_append_options) */
    /* the function for the store's key number; NULL where names are not text */
    mr_name_key name_key;
    int zstd_level; /* of new blocks */
    enum mr_encoding encoding;
    /* Add edges again that were the last ones to be added. Otherwise this is an error where it
     * would change the store: if it has weights or keeps duplicates. */
    bool again;
    /* For a store with classes of edges: the rule that groups names, as in struct
     * mr_build_options. */
    mr_name_group name_group;
    void *name_group_data;
};

struct mr_append_summary {
    uint64_t n_links; /* edges in the delta */
    /* of these, edges that the store had; they are left out unless it keeps duplicates */
    uint64_t n_known;
    uint64_t n_new_links, n_new_vertices;
    /* new spellings of vertices that the store had; see docs/store-format.md */
    uint64_t n_spellings_lost;
    uint64_t vertices, edges, dangling; /* of the new store */
    /* Bands that rankings read in each pass, of n_bands, and how many mr_compact would
     * leave, if widths stay. */
    uint32_t n_bands, n_source_bands, n_source_bands_folded;
    uint64_t store_bytes;
    uint32_t generation, n_parts;
    double seconds;
};

/* Add the delta to the store and publish. Leaves the store unchanged if nothing is new. Frees
 * `append` in any case. `summary` may be NULL. Cost: building the delta; reading the blocks of the
 * store that may hold the same edges, and the blocks that may hold the same names; reading and
 * writing all degrees. Memory: that of a build, and 4 bytes for each vertex of the delta. Errors:
 * USAGE for edges that were added last, without `again`. */
enum mr_status mr_append_finish(struct mr_append *append, const struct mr_append_options *options,
                                struct mr_append_summary *summary,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_append_abandon(struct mr_append *append);

/* Rebuild the store from its own edges: one part, names in one order, and the band width that suits
 * all its edges. If the store began as a build and grew by appends, the result has the bytes of one
 * build of all the input (docs/store-format.md lists the exceptions). Vertices change their numbers
 * if names were appended. Replaces the store in one step. Memory and temporary disk: those of the
 * builder, and 4 bytes per vertex if names were appended. `summary` may be NULL. */
enum mr_status mr_compact(const struct mr_context *context, const char *path,
                          const struct mr_append_options *options, struct mr_build_summary *summary,
                          struct mr_error *err) MR_WARN_UNUSED;

#endif
