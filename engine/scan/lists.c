/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the edges of a store as one list of sources per target. It counts the edges of a band
 * first, then fills the lists of as many targets as fit in memory. The order of sources in a band
 * makes most lists nearly sorted, so a list needs one move instead of a sort. */
#include "engine/scan/lists.h"

#include <assert.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/scan/edges.h"

/* Enough for a band of any web graph. Exceeded only by a longer single list. */
#define MOST_LINKS ((uint64_t)1 << 28)

struct lists {
    const struct mr_context *context;
    struct mr_store *store;
    uint32_t first_target; /* first vertex of the band */
    uint64_t *counts; /* [vertices of the band]: in-degrees */
    /* [vertices of the band]: index for the next source, for targets of the group */
    uint64_t *ends;
    uint32_t *sources; /* [capacity]: the lists of the group, one after the other */
    float *weights; /* weights of the same edges; NULL without weights */
    uint64_t capacity;
    uint32_t group_first, group_end; /* range of targets, relative to first_target */
    uint32_t *turned; /* [turned_capacity]: the part of a list that moves */
    uint64_t turned_capacity;
};

static enum mr_status count(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                            struct mr_error *err)
{
    struct lists *lists = data;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        lists->counts[pairs[i][1] - lists->first_target]++;
    }
    return MR_OK;
}

static enum mr_status fill_weighted(void *data, const uint32_t (*pairs)[2], const float *weights,
                                    size_t n_pairs, struct mr_error *err)
{
    struct lists *lists = data;
    const uint32_t first = lists->group_first, n = lists->group_end - first;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t target = pairs[i][1] - lists->first_target;
        if (target - first < n) {
            lists->weights[lists->ends[target]] = weights[i];
            lists->sources[lists->ends[target]++] = pairs[i][0];
        }
    }
    return MR_OK;
}

static enum mr_status fill(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                           struct mr_error *err)
{
    struct lists *lists = data;
    const uint32_t first = lists->group_first, n = lists->group_end - first;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t target = pairs[i][1] - lists->first_target;
        if (target - first < n) {
            lists->sources[lists->ends[target]++] = pairs[i][0];
        }
    }
    return MR_OK;
}

/* Make room to move `n` numbers of 4 bytes. */
static enum mr_status make_turned(struct lists *lists, uint64_t n, struct mr_error *err)
{
    void *turned = lists->turned;
    const uint64_t capacity = mr_max_u64(n, 4096);
    if (n <= lists->turned_capacity) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_memory_resize(lists->context->memory, "list of sources", &turned, 4 * capacity, err);
    if (status == MR_OK) {
        lists->turned = turned;
        lists->turned_capacity = capacity;
    }
    return status;
}

/* Move numbers[cut, n) to `position`, before numbers[position, cut). Numbers have 4 bytes. */
static void move(struct lists *lists, void *numbers, uint64_t position, uint64_t cut, uint64_t n)
{
    uint8_t *at = numbers;
    const uint64_t moved = n - cut;
    memcpy(lists->turned, at + 4 * cut, 4 * moved);
    memmove(at + 4 * (position + moved), at + 4 * position, 4 * (cut - position));
    memcpy(at + 4 * position, lists->turned, 4 * moved);
}

/* Sort a list. The sources of the diagonal come last in a band: move them to their position. In a
 * store of several parts, sources come part after part, both off and on the diagonal. */
static enum mr_status turn(struct lists *lists, uint64_t first, uint64_t n, struct mr_error *err)
{
    uint32_t *list = lists->sources + first;
    uint64_t cut = 1, position = 0;

    while (cut < n && list[cut - 1] <= list[cut]) {
        cut++;
    }
    if (cut >= n) {
        return MR_OK;
    }
    uint64_t end = cut + 1;
    while (end < n && list[end - 1] <= list[end]) {
        end++;
    }
    while (list[position] <= list[cut]) {
        position++;
    }
    if (end < n || list[n - 1] > list[position]) { /* several parts; these never have weights */
        const enum mr_status status = make_turned(lists, n, err);
        if (status == MR_OK) {
            const uint32_t *sorted = mr_sort_u32(list, lists->turned, n);
            if (sorted != list) {
                memcpy(list, sorted, 4 * n);
            }
        }
        return status;
    }
    const enum mr_status status = make_turned(lists, n - cut, err);
    if (status != MR_OK) {
        return status;
    }
    move(lists, list, position, cut, n);
    if (lists->weights != NULL) {
        move(lists, lists->weights + first, position, cut, n);
    }
    return MR_OK;
}

/* Choose as many targets from group_first on as fit, at least one. */
static enum mr_status choose_group(struct lists *lists, uint32_t n_targets, struct mr_error *err)
{
    uint64_t links = 0;
    uint32_t end = lists->group_first;

    while (end < n_targets &&
           (end == lists->group_first || links + lists->counts[end] <= lists->capacity)) {
        lists->ends[end] = links;
        links += lists->counts[end++];
    }
    lists->group_end = end;
    if (links <= lists->capacity) {
        return MR_OK;
    }
    void *sources = lists->sources;
    enum mr_status status =
        mr_memory_resize(lists->context->memory, "lists of a band", &sources, 4 * links, err);
    if (status != MR_OK) {
        return status;
    }
    lists->sources = sources;
    if (lists->weights != NULL) {
        void *weights = lists->weights;
        status =
            mr_memory_resize(lists->context->memory, "lists of a band", &weights, 4 * links, err);
        lists->weights = weights;
    }
    lists->capacity = status == MR_OK ? links : lists->capacity;
    return status;
}

/* Destination of the lists: one of the two. */
struct lists_visitor {
    mr_lists_callback plain;
    mr_weighted_lists_callback weighted;
    void *data;
};

static enum mr_status fill_group(struct lists *lists, uint32_t band, struct mr_error *err)
{
    if (lists->weights == NULL) {
        return mr_edges_read_bands(lists->context, lists->store, band, 1, fill, lists, err);
    }
    const struct mr_edges_part part = {
        .first_band = band, .end_band = band + 1, .end_stripe = UINT32_MAX};
    return mr_edges_read_weighted_part(lists->context, lists->store, &part, fill_weighted, lists,
                                       err);
}

static enum mr_status read_band(struct lists *lists, uint32_t band,
                                const struct lists_visitor *visitor, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(lists->store);
    const uint32_t n_targets = (uint32_t)mr_band_vertices(info, band);

    assert(visitor->plain != NULL || visitor->weighted != NULL);
    lists->first_target = band << info->band_bits;
    memset(lists->counts, 0, n_targets * sizeof *lists->counts);
    enum mr_status status =
        mr_edges_read_bands(lists->context, lists->store, band, 1, count, lists, err);
    for (lists->group_first = 0; status == MR_OK && lists->group_first < n_targets;
         lists->group_first = lists->group_end) {
        status = choose_group(lists, n_targets, err);
        if (status == MR_OK) {
            status = fill_group(lists, band, err);
        }
        for (uint32_t t = lists->group_first; t < lists->group_end && status == MR_OK; t++) {
            const uint64_t first = lists->ends[t] - lists->counts[t], n = lists->counts[t];
            const uint32_t vertex = lists->first_target + t;
            status = turn(lists, first, n, err);
            if (status == MR_OK && visitor->weighted != NULL) {
                status = visitor->weighted(visitor->data, vertex, lists->sources + first,
                                           lists->weights + first, n, err);
            } else if (status == MR_OK) {
                status = visitor->plain(visitor->data, vertex, lists->sources + first, n, err);
            }
        }
    }
    return status;
}

static enum mr_status read_within(const struct mr_context *context, struct mr_store *store,
                                  uint64_t most_links, const struct lists_visitor *visitor,
                                  struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const uint64_t width = (uint64_t)1 << info->band_bits;
    struct lists lists = {.context = context, .store = store};
    lists.capacity = mr_max_u64(mr_min_u64(most_links, info->n_edges), 1);
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("counts of a band", width, &lists.counts),
        MR_WANTED("counts of a band", width, &lists.ends),
        MR_WANTED("lists of a band", lists.capacity, &lists.sources),
        MR_WANTED("lists of a band", visitor->weighted != NULL ? lists.capacity : 0,
                  &lists.weights),
    };

    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);
    for (uint32_t band = 0; band < info->n_bands && status == MR_OK; band++) {
        status = read_band(&lists, band, visitor, err);
    }
    mr_memory_free(context->memory, lists.turned);
    mr_memory_free(context->memory, lists.weights);
    mr_memory_free(context->memory, lists.sources);
    mr_memory_free(context->memory, lists.ends);
    mr_memory_free(context->memory, lists.counts);
    return status;
}

enum mr_status mr_lists_read_within(const struct mr_context *context, struct mr_store *store,
                                    uint64_t most_links, mr_lists_callback callback, void *data,
                                    struct mr_error *err)
{
    const struct lists_visitor visitor = {.plain = callback, .data = data};
    return read_within(context, store, most_links, &visitor, err);
}

enum mr_status mr_lists_read(const struct mr_context *context, struct mr_store *store,
                             mr_lists_callback callback, void *data, struct mr_error *err)
{
    const uint64_t fits = mr_memory_available(context->memory) / 2 / 4;
    return mr_lists_read_within(context, store, mr_min_u64(fits, MOST_LINKS), callback, data, err);
}

enum mr_status mr_lists_read_weighted(const struct mr_context *context, struct mr_store *weighted,
                                      mr_weighted_lists_callback callback, void *data,
                                      struct mr_error *err)
{
    const struct lists_visitor visitor = {.weighted = callback, .data = data};
    const uint64_t fits = mr_memory_available(context->memory) / 2 / 8;
    return read_within(context, weighted, mr_min_u64(fits, MOST_LINKS), &visitor, err);
}
