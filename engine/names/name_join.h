/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which vertices of two stores have the same names. Internal to the engine. */
#ifndef MR_ENGINE_NAMES_NAME_JOIN_H
#define MR_ENGINE_NAMES_NAME_JOIN_H

#include "engine/names/name_source.h"

struct mr_names_joined {
    /* [n_vertices of `delta`]: the vertex in `store` of each. New vertices follow those of the
     * store, in the order of their names. NULL: numbers stay. Free with mr_memory_free. */
    uint32_t *vertices;
    uint64_t n_vertices; /* old and new vertices */
    uint64_t n_new;
    uint64_t n_lost; /* spellings in `delta` of vertices that `store` has without them */
    enum mr_name_kind kind; /* kind of all names together */
};

/* Join the names of `delta`, a store of the edges to add, with those of `store`. The names of
 * `delta` are in one part, in the order of those of `store`; `key` orders text. Reads the names of
 * `delta` once for each part of `store`. Of `store` it reads only blocks that may hold a match,
 * each once. Errors: USAGE if one store has numbers and the other text, or text of another order;
 * BUDGET if there would be more than 2^32 - 1 vertices. */
enum mr_status mr_names_join(const struct mr_context *context, struct mr_store *store,
                             struct mr_store *delta, mr_name_key key,
                             struct mr_names_joined *joined, struct mr_error *err) MR_WARN_UNUSED;

/* A source of the new names, as the part of generation `generation` of `store`. If `store` had no
 * names, a part for the vertices named by their own numbers comes first. All arguments outlive the
 * source. */
struct mr_names_new {
    const struct mr_context *context;
    struct mr_store *store, *delta;
    const struct mr_names_joined *joined;
    struct mr_names_part parts[2];
};
struct mr_names_source mr_names_of_join(struct mr_names_new *names, uint32_t generation);

#endif
