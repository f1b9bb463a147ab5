/* SPDX-License-Identifier: Apache-2.0 */
/* Searches from sets of vertices by readings of the edges. strong.c uses them for the pivot and
 * for colours, components.c for the bow-tie. A reading takes what it finds into account at once,
 * so a search needs at most as many readings as the longest shortest path, and often far fewer.
 * Only blocks that can find something new are read: along the edges, those with sources that were
 * found in the reading before; against them, those of bands with such targets. */
#include <string.h>

#include "algorithms/components/internal.h"
#include "engine/base/memory.h"

struct reach {
    struct mr_component_search *search;
    uint64_t *set;
    const uint32_t *colours; /* NULL: any edge */
    uint32_t *spread; /* colours that spread, instead of a set */
    unsigned shift; /* vertex >> shift is its entry in `next` */
    uint8_t *now, *next; /* stripes or bands where something was found */
    bool found;
};

static void find(struct reach *reach, uint32_t v)
{
    __atomic_store_n(&reach->next[v >> reach->shift], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&reach->found, true, __ATOMIC_RELAXED);
}

static bool passes(const struct reach *reach, uint32_t u, uint32_t v)
{
    return reach->colours == NULL ||
           (reach->colours[u] == reach->colours[v] && mr_components_matters(reach->search, u, v));
}

static enum mr_status along(void *data, const uint32_t (*pairs)[2], const float *weights,
                            size_t n_pairs, struct mr_error *err)
{
    struct reach *reach = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t u = pairs[i][0], v = pairs[i][1];
        if (mr_bits_has(reach->set, u) && !mr_bits_has(reach->set, v) && passes(reach, u, v) &&
            mr_bits_add(reach->set, v)) {
            find(reach, v);
        }
    }
    return MR_OK;
}

static enum mr_status against(void *data, const uint32_t (*pairs)[2], const float *weights,
                              size_t n_pairs, struct mr_error *err)
{
    struct reach *reach = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t u = pairs[i][0], v = pairs[i][1];
        if (mr_bits_has(reach->set, v) && !mr_bits_has(reach->set, u) && passes(reach, u, v) &&
            mr_bits_add(reach->set, u)) {
            find(reach, u);
        }
    }
    return MR_OK;
}

static enum mr_status spread(void *data, const uint32_t (*pairs)[2], const float *weights,
                             size_t n_pairs, struct mr_error *err)
{
    struct reach *reach = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t u = pairs[i][0], v = pairs[i][1];
        const uint32_t colour = __atomic_load_n(&reach->spread[u], __ATOMIC_RELAXED);
        uint32_t old = __atomic_load_n(&reach->spread[v], __ATOMIC_RELAXED);
        if (old >= colour || !mr_components_matters(reach->search, u, v)) {
            continue;
        }
        while (old < colour && !__atomic_compare_exchange_n(&reach->spread[v], &old, colour, true,
                                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
        if (old < colour) {
            find(reach, v);
        }
    }
    return MR_OK;
}

/* Read until nothing is found. `by_band` says what `now` counts. */
static enum mr_status search_to_end(struct reach *reach, mr_edges_callback callback, bool by_band,
                                    const char *stage, struct mr_error *err)
{
    struct mr_component_search *search = reach->search;
    const uint64_t n_stripes = mr_edges_stripes(search->info);
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("active stripes", n_stripes + 1, &reach->now),
        MR_WANTED("active stripes", n_stripes + 1, &reach->next),
    };

    reach->shift = by_band ? search->info->band_bits : search->info->stripe_bits;
    reach->found = true;
    enum mr_status status = mr_memory_arrays(search->context->memory, arrays, err);
    if (status == MR_OK) {
        memset(reach->now, 1, n_stripes);
    }
    while (status == MR_OK && reach->found) {
        const struct mr_scan scan = {.active_stripes = by_band ? NULL : reach->now,
                                     .active_bands = by_band ? reach->now : NULL,
                                     .stage = stage,
                                     .figures = &search->result->read};
        reach->found = false;
        memset(reach->next, 0, n_stripes);
        status = mr_edges_team_read(search->team, &scan, callback, reach, err);
        uint8_t *now = reach->now;
        reach->now = reach->next;
        reach->next = now;
    }
    mr_memory_free(search->context->memory, reach->next);
    mr_memory_free(search->context->memory, reach->now);
    return status;
}

enum mr_status mr_components_reach(struct mr_component_search *search, uint64_t *set,
                                   bool is_against, const uint32_t *colours, struct mr_error *err)
{
    struct reach reach = {.search = search, .set = set, .colours = colours};
    return search_to_end(&reach, is_against ? against : along, is_against,
                         is_against ? "search against the links" : "search along the links", err);
}

enum mr_status mr_components_spread(struct mr_component_search *search, uint32_t *colours,
                                    struct mr_error *err)
{
    struct reach reach = {.search = search, .spread = colours};
    return search_to_end(&reach, spread, false, "colours", err);
}
