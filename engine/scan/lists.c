/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the edges of a store as one list of sources per target. It counts the edges of a band
 * first, then fills the lists of as many targets as fit in memory. The order of sources in a band
 * makes most lists nearly sorted, so a list needs one move instead of a sort.
 *
 * In a store with its core first, the positions of its vertices ascend in two runs. Two readers,
 * one for each run, give all lists in the order of positions. */
#include "engine/scan/lists.h"

#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/scan/edges.h"
#include "engine/store/core_map.h"

/* Enough for a band of any web graph. Exceeded only by a longer single list. */
#define MOST_LINKS ((uint64_t)1 << 28)

/* With fewer links in memory, each band would be read too often. */
#define LEAST_BYTES ((uint64_t)1 << 20)

struct list_walk {
    const struct mr_context *context;
    struct mr_store *store;
    uint64_t end; /* of the targets */
    uint32_t next_band;
    uint32_t skipped; /* targets of the next band before the first list */
    uint32_t band; /* that of the targets below */
    uint32_t first_target; /* first vertex of the band */
    uint32_t n_targets; /* of the band, at most up to `end` */
    uint32_t at; /* the next target, relative to first_target */
    uint64_t *counts; /* [vertices of the band]: in-degrees */
    /* [vertices of the band]: index for the next source, for targets of the group */
    uint64_t *ends;
    uint32_t *sources; /* [capacity]: the lists of the group, one after the other */
    uint64_t capacity;
    uint32_t group_first, group_end; /* range of targets, relative to first_target */
    uint32_t *turned; /* [turned_capacity]: the part of a list that moves */
    uint64_t turned_capacity;
};

static enum mr_status count(void *data, const uint32_t (*pairs)[2], const float *weights,
                            size_t n_pairs, struct mr_error *err)
{
    struct list_walk *lists = data;
    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        lists->counts[pairs[i][1] - lists->first_target]++;
    }
    return MR_OK;
}

static enum mr_status fill(void *data, const uint32_t (*pairs)[2], const float *weights,
                           size_t n_pairs, struct mr_error *err)
{
    struct list_walk *lists = data;
    const uint32_t first = lists->group_first, n = lists->group_end - first;
    (void)weights;
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
static enum mr_status make_turned(struct list_walk *lists, uint64_t n, struct mr_error *err)
{
    const uint64_t capacity = mr_max_u64(n, 4096);
    if (n <= lists->turned_capacity) {
        return MR_OK;
    }
    const enum mr_status status = mr_memory_resize(lists->context->memory, "list of sources",
                                                   &lists->turned, 4 * capacity, err);
    lists->turned_capacity = status == MR_OK ? capacity : lists->turned_capacity;
    return status;
}

/* Sort a list. The sources of the diagonal come last in a band: move them to their position. In a
 * store of several parts, sources come part after part, both off and on the diagonal. */
static enum mr_status turn(struct list_walk *lists, uint64_t first, uint64_t n,
                           struct mr_error *err)
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
    if (end < n || list[n - 1] > list[position]) { /* several parts */
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
    if (status == MR_OK) { /* list[cut, n) moves before list[position, cut) */
        memcpy(lists->turned, list + cut, 4 * (n - cut));
        memmove(list + position + (n - cut), list + position, 4 * (cut - position));
        memcpy(list + position, lists->turned, 4 * (n - cut));
    }
    return status;
}

/* Choose as many targets from group_first on as fit, at least one. */
static enum mr_status choose_group(struct list_walk *lists, uint32_t n_targets,
                                   struct mr_error *err)
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
    const enum mr_status status = mr_memory_resize(lists->context->memory, "lists of a band",
                                                   &lists->sources, 4 * links, err);
    lists->capacity = status == MR_OK ? links : lists->capacity;
    return status;
}

/* ---- A run of lists ---- */

/* Open a reader of the lists of targets [first, end). Close it even after a failure. */
static enum mr_status open_lists(struct list_walk *lists, const struct mr_context *context,
                                 struct mr_store *store, uint64_t first, uint64_t end,
                                 uint64_t most_links, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const uint64_t width = first < end ? (uint64_t)1 << info->band_bits : 0;

    *lists = (struct list_walk){.context = context, .store = store, .end = end};
    lists->capacity = first < end ? mr_max_u64(mr_min_u64(most_links, info->n_edges), 1) : 0;
    lists->next_band = (uint32_t)(first >> info->band_bits);
    lists->skipped = (uint32_t)(first & (((uint64_t)1 << info->band_bits) - 1));
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("counts of a band", width, &lists->counts),
        MR_WANTED("counts of a band", width, &lists->ends),
        MR_WANTED("lists of a band", lists->capacity, &lists->sources),
    };
    return mr_memory_arrays(context->memory, arrays, err);
}

static void close_lists(struct list_walk *lists)
{
    struct mr_memory *memory = lists->context->memory;
    mr_memory_free(memory, lists->turned);
    mr_memory_free(memory, lists->sources);
    mr_memory_free(memory, lists->ends);
    mr_memory_free(memory, lists->counts);
}

static enum mr_status read_band(struct list_walk *lists, mr_edges_callback callback,
                                struct mr_error *err)
{
    const struct mr_scan scan = {.first_band = lists->band, .n_bands = 1};
    return mr_edges_read(lists->context, lists->store, &scan, callback, lists, err);
}

static enum mr_status next_band(struct list_walk *lists, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(lists->store);

    lists->band = lists->next_band++;
    lists->first_target = lists->band << info->band_bits;
    lists->n_targets =
        (uint32_t)mr_min_u64(mr_band_vertices(info, lists->band), lists->end - lists->first_target);
    lists->at = lists->group_end = lists->skipped;
    lists->skipped = 0;
    memset(lists->counts, 0, mr_band_vertices(info, lists->band) * sizeof *lists->counts);
    return read_band(lists, count, err);
}

struct in_list {
    uint32_t target;
    uint32_t *sources; /* [n]: valid until the next list; the caller may change them */
    uint64_t n;
};

/* Read the next list; there must be one. */
static enum mr_status next_list(struct list_walk *lists, struct in_list *list, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (lists->at == lists->n_targets) {
        status = next_band(lists, err);
    }
    if (status == MR_OK && lists->at == lists->group_end) {
        lists->group_first = lists->at;
        status = choose_group(lists, lists->n_targets, err);
        if (status == MR_OK) {
            status = read_band(lists, fill, err);
        }
    }
    if (status != MR_OK) {
        return status;
    }
    const uint64_t n = lists->counts[lists->at], first = lists->ends[lists->at] - n;
    *list = (struct in_list){
        .target = lists->first_target + lists->at++, .sources = lists->sources + first, .n = n};
    return turn(lists, first, n, err);
}

/* The links that `n_walks` walks may have in memory together: they take at most half of it, and
 * leave room for reading and an eighth for lists that move. Foresees what the least of them takes.
 */
static uint64_t links_that_fit(const struct mr_context *context, const struct mr_store *store,
                               unsigned n_walks)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const uint64_t available = mr_memory_available(context->memory),
                   others = mr_edges_reader_memory(info) +
                            n_walks * ((2 * sizeof(uint64_t)) << info->band_bits),
                   rest = available > others + LEAST_BYTES ? available - others : LEAST_BYTES;

    mr_memory_foresee(context->memory,
                      mr_memory_limit(context->memory) - available + others + LEAST_BYTES);
    return mr_min_u64(mr_min_u64(available / 2, rest / 8 * 7) / sizeof(uint32_t), MOST_LINKS);
}

/* ---- By position ---- */

/* Turn the sources of a list into positions, ascending. Those below `n_core` are one run of
 * positions, the others the other run. */
static enum mr_status place(struct list_walk *lists, struct in_list *list,
                            const uint32_t *positions, uint64_t n_core, struct mr_error *err)
{
    uint32_t *sources = list->sources;
    uint64_t cut = list->n;

    while (cut > 0 && sources[cut - 1] >= n_core) {
        cut--;
    }
    for (uint64_t i = 0; i < list->n; i++) {
        sources[i] = positions[sources[i]];
    }
    if (cut == 0 || cut == list->n || sources[cut - 1] <= sources[cut]) {
        return MR_OK;
    }
    const enum mr_status status = make_turned(lists, cut, err);
    if (status != MR_OK) {
        return status;
    }
    uint32_t *first = lists->turned;
    memcpy(first, sources, cut * sizeof *sources);
    for (uint64_t i = 0, j = cut, to = 0; i < cut; to++) {
        sources[to] = j < list->n && sources[j] < first[i] ? sources[j++] : first[i++];
    }
    return MR_OK;
}

enum mr_status mr_lists_read(const struct mr_context *context, struct mr_store *store,
                             bool by_position, uint64_t most_links, mr_lists_callback callback,
                             void *data, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const uint64_t n = info->n_vertices;
    struct list_walk runs[2] = {{.context = context}, {.context = context}};
    uint32_t *positions = NULL;
    uint64_t n_core = n;
    enum mr_status status = MR_OK;

    if (by_position && info->order_id != 0) {
        status = mr_core_map_load_positions(context, store, &positions, err);
        for (n_core = n > 0; status == MR_OK && n_core < n;) {
            if (positions[n_core - 1] > positions[n_core]) {
                break;
            }
            n_core++;
        }
    }
    const unsigned n_walks = n_core < n ? 2 : 1;
    const uint64_t most = mr_min_u64(most_links, links_that_fit(context, store, n_walks)) / n_walks;
    if (status == MR_OK) {
        status = open_lists(&runs[0], context, store, 0, n_core, most, err);
    }
    if (status == MR_OK) {
        status = open_lists(&runs[1], context, store, n_core, n, most, err);
    }
    for (uint64_t next[2] = {0, n_core}, i = 0; i < n && status == MR_OK; i++) {
        const unsigned run = next[1] == n || (next[0] < n_core && positions != NULL &&
                                              positions[next[0]] < positions[next[1]])
                                 ? 0
                                 : 1;
        struct in_list list;
        status = next_list(&runs[run], &list, err);
        if (status == MR_OK && positions != NULL) {
            status = place(&runs[run], &list, positions, n_core, err);
        }
        if (status == MR_OK) {
            const uint64_t target = next[run]++;
            status = callback(data, positions == NULL ? (uint32_t)target : positions[target],
                              list.sources, list.n, err);
        }
    }
    close_lists(&runs[1]);
    close_lists(&runs[0]);
    mr_memory_free(context->memory, positions);
    return status;
}
