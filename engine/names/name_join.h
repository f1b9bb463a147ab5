/* Which vertices of one store are called like those of another. Internal to the engine. */
#ifndef MR_ENGINE_NAMES_NAME_JOIN_H
#define MR_ENGINE_NAMES_NAME_JOIN_H

#include "engine/names/name_source.h"

struct mr_names_joined {
    uint32_t *
        vertices; /* [n_vertices of `delta`]: in `store`, or past its vertices: new ones, in the order
                         * of their names. NULL: each is itself. Free with mr_memory_free */
    uint64_t n_vertices; /* old and new */
    uint64_t n_new;
    uint64_t n_lost; /* spellings of old vertices that these do not have */
    enum mr_name_kind kind; /* of all names together */
};

/* `delta` was built alone, from what is to be added to `store`: its names are in one part, ordered as those
 * of `store` are, by `key` where they are text. Reads the names of `delta` once for each part of `store`, and
 * of `store` the blocks that may have them, each once. Errors: USAGE when one has numbers and the other
 * text, or text of another order; BUDGET when there would be more than 2^32 - 1 vertices. */
enum mr_status mr_names_join(const struct mr_context *context, struct mr_store *store,
                             struct mr_store *delta, mr_name_key key,
                             struct mr_names_joined *joined, struct mr_error *err) MR_WARN_UNUSED;

/* The names that are new, as the part of generation `generation` of `store`, in front of it the vertices
 * that are called by their own numbers where there were no names. Everything given outlives the source. */
struct mr_names_new {
    const struct mr_context *context;
    struct mr_store *store, *delta;
    const struct mr_names_joined *joined;
    struct mr_names_part parts[2];
};
struct mr_names_source mr_names_of_join(struct mr_names_new *names, uint32_t generation);

#endif
