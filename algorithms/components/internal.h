/* SPDX-License-Identifier: Apache-2.0 */
/* Inside algorithms/components. The map:
 *
 *   components.c  the order of the steps, labels by position, sizes, the bow-tie
 *   weak.c        union-find, one reading
 *   strong.c      trimming, the pivot, colours
 *   reach.c       searches along and against the edges, by readings of active blocks
 *   tarjan.c      strong components of what fits into memory */
#ifndef MR_ALGORITHMS_COMPONENTS_INTERNAL_H
#define MR_ALGORITHMS_COMPONENTS_INTERNAL_H

#include "algorithms/components/components.h"
#include "engine/scan/edges.h"

#define MR_NOBODY UINT32_MAX /* no vertex has this number */

/* Bits of vertices that several threads set. */
static inline uint64_t mr_bits_words(uint64_t n_vertices)
{
    return n_vertices / 64 + 1;
}

static inline bool mr_bits_has(const uint64_t *bits, uint32_t v)
{
    return (__atomic_load_n(&bits[v >> 6], __ATOMIC_RELAXED) >> (v & 63) & 1) != 0;
}

/* Returns whether the bit was not set before. */
static inline bool mr_bits_add(uint64_t *bits, uint32_t v)
{
    const uint64_t bit = (uint64_t)1 << (v & 63);
    return !mr_bits_has(bits, v) &&
           (__atomic_fetch_or(&bits[v >> 6], bit, __ATOMIC_RELAXED) & bit) == 0;
}

/* What the steps share. */
struct mr_component_search {
    const struct mr_context *context;
    struct mr_store *store;
    struct mr_edges_team *team;
    const struct mr_store_info *info;
    struct mr_components *result;
    bool never_in_memory;
    uint32_t *label; /* [n]: a member of the strong component, the same for all; or MR_NOBODY */
    uint64_t n_left; /* vertices without a label */
    uint64_t n_edges_left; /* at least the number of edges that can matter among them */
    /* bits of the search from the pivot; an edge between vertices of which only one is in a set is
     * in no component. NULL before that search. */
    uint64_t *reached, *reaching;
    uint32_t pivot;
    struct mr_vertex_weight *best; /* [n_bands], while the pivot is chosen */
};

/* Labels of weak components by union-find: the member with the lowest number. */
enum mr_status mr_components_join(struct mr_component_search *search, uint32_t *parent,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Labels of strong components in search->label, any member each. */
enum mr_status mr_components_strong(struct mr_component_search *search,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* What that takes beside the labels and the bits of the searches, at the least. */
uint64_t mr_components_step_memory(const struct mr_store_info *info);

/* Adds to `set` what its members reach, or with `against` what reaches them. With `colours`
 * [n], only along edges inside a colour and among vertices without a label. */
enum mr_status mr_components_reach(struct mr_component_search *search, uint64_t *set, bool against,
                                   const uint32_t *colours, struct mr_error *err) MR_WARN_UNUSED;

/* Sets colours[v], for vertices without a label, to the largest colour that reaches v inside the
 * edges that matter. */
enum mr_status mr_components_spread(struct mr_component_search *search, uint32_t *colours,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Would mr_components_in_memory find room? */
bool mr_components_fit(const struct mr_component_search *search);
/* Labels all vertices that are left. */
enum mr_status mr_components_in_memory(struct mr_component_search *search,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* Is an edge between vertices that are left, and can it be inside a component? */
static inline bool mr_components_matters(const struct mr_component_search *search, uint32_t u,
                                         uint32_t v)
{
    return u != v && search->label[u] == MR_NOBODY && search->label[v] == MR_NOBODY &&
           (search->reached == NULL ||
            (mr_bits_has(search->reached, u) == mr_bits_has(search->reached, v) &&
             mr_bits_has(search->reaching, u) == mr_bits_has(search->reaching, v)));
}

#endif
