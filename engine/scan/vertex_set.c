/* SPDX-License-Identifier: Apache-2.0 */
/* A set of vertices as a bitmap with ranks. Subgraphs use it: the rank of a member is its number in
 * the subgraph, so both membership and new number take one or two loads. */
#include "engine/scan/vertex_set.h"

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

static uint64_t n_words(const struct mr_vertex_set *set)
{
    return mr_max_u64(mr_div_up(set->n_vertices, 64), 1);
}

enum mr_status mr_vertex_set_create(const struct mr_context *context, uint64_t n_vertices,
                                    struct mr_vertex_set *set, struct mr_error *err)
{
    *set = (struct mr_vertex_set){.memory = context->memory, .n_vertices = n_vertices};
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("set of pages", n_words(set), &set->bits),
        MR_WANTED("set of pages", n_words(set), &set->ranks),
    };
    enum mr_status status = mr_memory_arrays(set->memory, arrays, err);
    if (status != MR_OK) {
        mr_vertex_set_destroy(set);
    }
    return status;
}

void mr_vertex_set_destroy(struct mr_vertex_set *set)
{
    if (set->memory != NULL) {
        mr_memory_free(set->memory, set->ranks);
        mr_memory_free(set->memory, set->bits);
    }
    *set = (struct mr_vertex_set){0};
}

void mr_vertex_set_rank(struct mr_vertex_set *set)
{
    set->n_members = 0;
    for (uint64_t i = 0; i < n_words(set); i++) {
        set->ranks[i] = (uint32_t)set->n_members;
        set->n_members += (uint64_t)__builtin_popcountll(set->bits[i]);
    }
}
