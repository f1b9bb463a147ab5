/* SPDX-License-Identifier: Apache-2.0 */
/* A set of vertices as bits, and the rank of each member among the members. */
#ifndef MR_ENGINE_SCAN_VERTEX_SET_H
#define MR_ENGINE_SCAN_VERTEX_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/context.h"

struct mr_vertex_set {
    struct mr_memory *memory;
    uint64_t n_vertices;
    uint64_t n_members; /* set by mr_vertex_set_rank */
    uint64_t *bits; /* [n_words] */
    uint32_t *ranks; /* [n_words]: members before the word, set by mr_vertex_set_rank */
};

/* Create an empty set of vertices below `n_vertices`; 3/16 of a byte for each. `set` is zero on
 * failure. Destroy takes a zeroed set. */
enum mr_status mr_vertex_set_create(const struct mr_context *context, uint64_t n_vertices,
                                    struct mr_vertex_set *set, struct mr_error *err) MR_WARN_UNUSED;
void mr_vertex_set_destroy(struct mr_vertex_set *set);

static inline void mr_vertex_set_add(struct mr_vertex_set *set, uint64_t vertex)
{
    set->bits[vertex >> 6] |= (uint64_t)1 << (vertex & 63);
}

static inline bool mr_vertex_set_has(const struct mr_vertex_set *set, uint64_t vertex)
{
    return (set->bits[vertex >> 6] >> (vertex & 63) & 1) != 0;
}

/* Count the members. No member can be added afterwards. */
void mr_vertex_set_rank(struct mr_vertex_set *set);

/* Number of members before `vertex`. Needs mr_vertex_set_rank. */
static inline uint32_t mr_vertex_set_rank_of(const struct mr_vertex_set *set, uint32_t vertex)
{
    const uint64_t before = set->bits[vertex >> 6] & (((uint64_t)1 << (vertex & 63)) - 1);
    return set->ranks[vertex >> 6] + (uint32_t)__builtin_popcountll(before);
}

#endif
