/* Some of a store's vertices, renumbered 0, 1, ... in their order: for exports of a part. */
#ifndef MR_CLI_GRAPH_SUBSET_H
#define MR_CLI_GRAPH_SUBSET_H

#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/names/names.h"

struct mr_subset {
    const struct mr_context *context;
    uint64_t n_vertices; /* of the store */
    uint64_t n_chosen;
    uint64_t *bits; /* [n_vertices / 64 + 1] */
    uint32_t *ranks; /* [n_vertices / 64 + 1]: chosen ones before the word */
};

/* The vertices whose names are lines of `path` ("-": standard input), blank lines and further columns
 * left out; a name that the store does not have is MR_ERROR_INPUT at its line. Memory: 12 bytes for 64
 * vertices. Free also after an error. */
enum mr_status mr_subset_of_list(struct mr_subset *subset, const struct mr_context *context,
                                 struct mr_names *names, uint64_t n_vertices, const char *path,
                                 struct mr_error *err) MR_WARN_UNUSED;
/* The pages of a host, whatever their scheme and port; `host` is as in a URL. One reading of all
 * names. MR_ERROR_INPUT when there are none. */
enum mr_status mr_subset_of_host(struct mr_subset *subset, const struct mr_context *context,
                                 struct mr_names *names, mr_name_key key, uint64_t n_vertices,
                                 const char *host, struct mr_error *err) MR_WARN_UNUSED;
void mr_subset_free(struct mr_subset *subset);

static inline bool mr_subset_has(const struct mr_subset *subset, uint32_t vertex)
{
    return (subset->bits[vertex / 64] >> vertex % 64 & 1) != 0;
}

/* The new number of a vertex that is in it. */
static inline uint32_t mr_subset_rank(const struct mr_subset *subset, uint32_t vertex)
{
    const uint64_t below = subset->bits[vertex / 64] & (((uint64_t)1 << vertex % 64) - 1);
    return subset->ranks[vertex / 64] + (uint32_t)__builtin_popcountll(below);
}

#endif
