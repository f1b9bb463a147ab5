/* SPDX-License-Identifier: Apache-2.0 */
/* Harmonic centrality of a few vertices by searches in breadth against the edges, 64 at once: each
 * vertex has a word whose bit i says that it reaches the i-th of them. harmonic.c searches along
 * the edges and counts at all vertices; here the counts belong to the origins, and edges are read
 * by target, so one thread writes to any source. `certify --harmonic` calls it. */
#include "algorithms/harmonic/harmonic.h"

#include <math.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

enum { ORIGINS = 64 };

typedef unsigned __int128 mr_of_pages_fixed; /* in units of 2^-64 */

struct pages_search {
    const struct mr_context *context;
    const struct mr_store_info *info;
    struct mr_edges_reader *reader;
    uint64_t *now, *next; /* [n_vertices]: who is reached up to this distance, and the next one */
    uint8_t *changed; /* [n_vertices / 8 + 1] bits: reached something at this distance */
    uint8_t *active; /* [n_bands]: bands with such vertices */
    mr_of_pages_fixed sums[ORIGINS];
    uint64_t reach[ORIGINS];
};

static enum mr_status take_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                 size_t n_pairs, struct mr_error *err)
{
    struct pages_search *search = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t target = pairs[i][1];
        if ((search->changed[target >> 3] >> (target & 7) & 1) != 0) {
            search->next[pairs[i][0]] |= search->now[target];
        }
    }
    return MR_OK;
}

/* Counts what is new at `distance` and makes it known. Returns whether anything is. */
static bool advance(struct pages_search *search, uint64_t distance)
{
    const uint64_t n = search->info->n_vertices;
    const mr_of_pages_fixed one = (mr_of_pages_fixed)1 << 64;
    const mr_of_pages_fixed share = (one + distance / 2) / distance;
    uint64_t counts[ORIGINS] = {0};
    bool any = false;

    memset(search->changed, 0, n / 8 + 1);
    memset(search->active, 0, search->info->n_bands);
    for (uint64_t v = 0; v < n; v++) {
        uint64_t new = search->next[v] & ~search->now[v];
        if (new == 0) {
            continue;
        }
        any = true;
        search->now[v] |= new;
        search->changed[v >> 3] |= (uint8_t)(1 << (v & 7));
        search->active[v >> search->info->band_bits] = 1;
        for (; new != 0; new &= new - 1) {
            counts[__builtin_ctzll(new)]++;
        }
    }
    for (int i = 0; i < ORIGINS; i++) {
        search->sums[i] += share * counts[i];
        search->reach[i] += counts[i];
    }
    return any;
}

static enum mr_status search_from(struct pages_search *search, const uint32_t *vertices, uint64_t n,
                                  struct mr_error *err)
{
    const uint64_t n_vertices = search->info->n_vertices;
    const struct mr_scan scan = {.active_bands = search->active};
    enum mr_status status = MR_OK;

    memset(search->now, 0, n_vertices * sizeof *search->now);
    memset(search->changed, 0, n_vertices / 8 + 1);
    memset(search->active, 0, search->info->n_bands);
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t v = vertices[i];
        search->now[v] |= (uint64_t)1 << i;
        search->changed[v >> 3] |= (uint8_t)(1 << (v & 7));
        search->active[v >> search->info->band_bits] = 1;
        search->sums[i] = 0;
        search->reach[i] = 1;
    }
    memcpy(search->next, search->now, n_vertices * sizeof *search->next);
    for (uint64_t distance = 1;; distance++) {
        status = mr_context_poll(search->context, err);
        if (status == MR_OK) {
            status = mr_edges_reader_read(search->reader, &scan, take_pairs, search, err);
        }
        if (status != MR_OK || !advance(search, distance)) {
            return status;
        }
    }
}

enum mr_status mr_harmonic_of_pages(const struct mr_context *context, struct mr_store *store,
                                    const uint32_t *vertices, uint64_t n, double *harmonic,
                                    uint64_t *reach, struct mr_error *err)
{
    struct pages_search search = {.context = context, .info = mr_store_get_info(store)};
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("reached pages", search.info->n_vertices + 1, &search.now),
        MR_WANTED("reached pages", search.info->n_vertices + 1, &search.next),
        MR_WANTED("changed pages", search.info->n_vertices / 8 + 1, &search.changed),
        MR_WANTED("active bands", (uint64_t)search.info->n_bands + 1, &search.active),
    };
    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);

    if (status == MR_OK) {
        status = mr_edges_reader_open(context, store, false, &search.reader, err);
    }
    for (uint64_t first = 0; first < n && status == MR_OK; first += ORIGINS) {
        const uint64_t some = mr_min_u64(ORIGINS, n - first);
        status = search_from(&search, vertices + first, some, err);
        for (uint64_t i = 0; i < some && status == MR_OK; i++) {
            harmonic[first + i] = (double)(uint64_t)(search.sums[i] >> 64) +
                                  ldexp((double)(uint64_t)search.sums[i], -64);
            reach[first + i] = search.reach[i];
        }
    }
    mr_edges_reader_close(search.reader);
    mr_memory_free(context->memory, search.active);
    mr_memory_free(context->memory, search.changed);
    mr_memory_free(context->memory, search.next);
    mr_memory_free(context->memory, search.now);
    return status;
}
