/* SPDX-License-Identifier: Apache-2.0 */
/* Appends edges to an existing store.
 *
 *     begin -> (build the new edges into mr_append_delta_path) -> finish
 *
 * An append builds the next store out of the last one and the new edges, and replaces the last one
 * in one step. The result has the bytes of one build of all the input (docs/store-format.md lists
 * the exceptions). A process that has the store open continues to read the old one. A store has one
 * writer at a time: a second one fails at once. */
#ifndef MR_ENGINE_BUILDER_APPEND_H
#define MR_ENGINE_BUILDER_APPEND_H

#include "engine/builder/build.h"
#include "engine/scan/vertex_set.h"
#include "engine/store/store.h"
#include "millrace/build.h"

struct mr_append;

/* Lock the store and open it. Removes what a writer that died left behind. With `to`, the next
 * store is written there, also if nothing is new, and the store is neither locked nor replaced. The
 * context outlives the append. Errors: RUNTIME when another process writes the store; USAGE when
 * `to` exists. */
enum mr_status mr_append_begin(const struct mr_context *context, const char *path, const char *to,
                               struct mr_append **out, struct mr_error *err) MR_WARN_UNUSED;

/* Figures of the store. The delta must be built with the same flags and the same kind of names. */
const struct mr_store_info *mr_append_store(const struct mr_append *append);

/* The path where the caller builds a store of the new edges alone. That store, the delta, needs the
 * flags of the store and the ids or names of the input. It has weights if the store has some. It
 * has no classes and keeps its vertices in input order. With `replaces` it keeps self-loops: a page
 * that links only to itself is fetched. The store drops them as it must. It is temporary. */
const char *mr_append_delta_path(const struct mr_append *append);

struct mr_append_options {
    /* the function for the store's key number; NULL where names are not text */
    mr_name_key name_key;
    int zstd_level; /* of new blocks */
    enum mr_encoding encoding;
    /* For a store with classes of edges: the rule that groups names, as in struct
     * mr_build_options. */
    mr_name_group name_group;
    void *name_group_data;
    bool without_delta; /* nothing was built at mr_append_delta_path */
    /* The own links of a page are left out if the delta has links of it, or has it as fetched. */
    bool replaces;
    const struct mr_vertex_set *fetched; /* of the delta; NULL: pages with links only */
    /* [n_gone[0]] vertices of the store, ascending: pages whose own links are left out; then those
     * of the delta, which count with drops_unlinked */
    const uint32_t *gone[2];
    uint64_t n_gone[2];
    bool drops_unlinked; /* also leave out gone pages to which no page links */
    /* [n_without] ascending: edges of the store that are left out, first vertex << 32 | second */
    const uint64_t *without;
    uint64_t n_without;
    struct mr_publish_group *together; /* as in struct mr_build_options */
};

/* Refuses an undirected store for options with `replaces`, or with gone pages: such a store does
 * not say which page a link is on. mr_append_finish does so, too. */
enum mr_status mr_append_check(const struct mr_append *append,
                               const struct mr_append_options *options, bool has_gone,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Add the delta to the store and publish. Leaves the store unchanged if nothing is new. Frees
 * `append` in any case. `summary` may be NULL. Cost: one reading of the store, and a build; with
 * `replaces` another reading and 8 bytes for each edge of the delta, or a reading for each part of
 * these that fits half of the memory; with `drops_unlinked` another reading. Vertices change their
 * numbers if there are new names. Memory and temporary disk: those of a build of all edges, and 4
 * bytes for each vertex of both. Errors: USAGE for edges that were added last and would count
 * twice, and those of mr_append_check. */
enum mr_status mr_append_finish(struct mr_append *append, const struct mr_append_options *options,
                                struct mr_store_append_figures *summary,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_append_abandon(struct mr_append *append);

#endif
