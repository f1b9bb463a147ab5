/* SPDX-License-Identifier: Apache-2.0 */
/* Weakly connected components: union-find over one reading of the edges, by several threads
 * without locks. A root only ever gets a lower root above it, by compare-and-swap, so the trees
 * have no circle and the root of a finished tree is its lowest vertex, whatever the threads did. */
#include "algorithms/components/internal.h"

static inline uint32_t load(const uint32_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

/* The root of v. Halves the path to it (Tarjan and van Leeuwen 1984): a vertex with a vertex above
 * it never becomes a root again, so a late store still points to one above. */
static uint32_t find_root(uint32_t *parent, uint32_t v)
{
    for (;;) {
        const uint32_t above = load(&parent[v]);
        if (above == v) {
            return v;
        }
        const uint32_t next = load(&parent[above]);
        if (next != above) {
            __atomic_store_n(&parent[v], next, __ATOMIC_RELAXED);
        }
        v = above;
    }
}

static void join(uint32_t *parent, uint32_t u, uint32_t v)
{
    for (;;) {
        const uint32_t a = find_root(parent, u), b = find_root(parent, v);
        if (a == b) {
            return;
        }
        uint32_t high = a > b ? a : b;
        const uint32_t low = a > b ? b : a;
        if (__atomic_compare_exchange_n(&parent[high], &high, low, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            return;
        }
    }
}

static enum mr_status join_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                 size_t n_pairs, struct mr_error *err)
{
    uint32_t *parent = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t u = pairs[i][0], v = pairs[i][1];
        if (load(&parent[u]) != load(&parent[v])) {
            join(parent, u, v);
        }
    }
    return MR_OK;
}

enum mr_status mr_components_join(struct mr_component_search *search, uint32_t *parent,
                                  struct mr_error *err)
{
    const struct mr_scan scan = {.stage = "weak components", .figures = &search->result->read};
    const uint64_t n = search->info->n_vertices;

    for (uint64_t v = 0; v < n; v++) {
        parent[v] = (uint32_t)v;
    }
    const enum mr_status status = mr_edges_team_read(search->team, &scan, join_pairs, parent, err);
    for (uint64_t v = 0; v < n && status == MR_OK; v++) {
        parent[v] = parent[parent[v]]; /* ascending: the one above is final */
    }
    return status;
}
