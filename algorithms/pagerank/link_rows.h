/* The links of a small graph, in memory, target by target. Internal to algorithms. */
#ifndef MR_ALGORITHMS_PAGERANK_LINK_ROWS_H
#define MR_ALGORITHMS_PAGERANK_LINK_ROWS_H

#include "engine/base/context.h"
#include "engine/store/store.h"

struct mr_link_rows {
    uint32_t *starts,
        *ends; /* [n_vertices]: of a target's sources; between `ends` and the next one's start is room
                                for the links of a vertex to itself, which are counted, not listed */
    uint32_t *self_links; /* [n_vertices] */
    uint32_t *sources; /* [n_edges], and one more */
};

/* Bytes that create charges at most, and while it runs. */
uint64_t mr_link_rows_memory(const struct mr_store_info *info);

/* Read all links, fewer than 2^32, bands in parallel. Sources stand in store order. in_degree[n_vertices]. Errors: CORRUPT
 * where the links are not those of the degrees. Free with mr_memory_free. */
enum mr_status mr_link_rows_create(const struct mr_context *context, struct mr_store *store,
                                   const uint32_t *in_degree, struct mr_link_rows **out,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* The error for that. */
enum mr_status mr_link_rows_differ(struct mr_store *store, struct mr_error *err);

#endif
