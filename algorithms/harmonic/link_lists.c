/* SPDX-License-Identifier: Apache-2.0 */
/* The links as one list of sources per target, in memory: decoded once, united at each distance.
 * Lists need no order inside, so each unit of bands is read twice by one thread, to count and to
 * fill. */
#include <string.h>

#include "algorithms/harmonic/internal.h"

void mr_harmonic_lists_arrays(struct mr_harmonic_search *search,
                              struct mr_memory_wanted arrays[MR_HARMONIC_LISTS_ARRAYS])
{
    const struct mr_memory_wanted all[MR_HARMONIC_LISTS_ARRAYS] = {
        MR_WANTED("lists of links", search->info->n_vertices + 1, &search->starts),
        MR_WANTED("lists of links", search->info->n_edges + MR_BALLS_AHEAD, &search->list),
    };
    memcpy(arrays, all, sizeof all);
}

static enum mr_status count_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    const struct mr_harmonic_search *search = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        search->starts[pairs[i][1]]++;
    }
    return MR_OK;
}

/* Fills lists from their ends. */
static enum mr_status put_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    const struct mr_harmonic_search *search = data;

    (void)weights;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint64_t at = search->starts[pairs[i][1]] - 1;
        if (at >= search->info->n_edges) {
            return mr_error_set(err, MR_ERROR_CORRUPT,
                                "the store changed while its links were read");
        }
        search->list[at] = pairs[i][0];
        search->starts[pairs[i][1]] = at;
    }
    return MR_OK;
}

enum mr_status mr_harmonic_lists_read(struct mr_harmonic_search *search, struct mr_error *err)
{
    const struct mr_store_info *info = search->info;
    const struct mr_scan scan = {.stage = "links", .figures = &search->result->read};
    struct mr_memory_wanted arrays[MR_HARMONIC_LISTS_ARRAYS];
    uint64_t sum = 0;

    mr_harmonic_lists_arrays(search, arrays);
    enum mr_status status = mr_memory_arrays(search->context->memory, arrays, err);
    if (status == MR_OK) {
        status = mr_edges_team_read(search->team, &scan, count_pairs, search, err);
    }
    for (uint64_t v = 0; v <= info->n_vertices && status == MR_OK; v++) {
        sum += search->starts[v];
        search->starts[v] = sum;
    }
    if (status == MR_OK && sum != info->n_edges) {
        status = mr_error_set(err, MR_ERROR_CORRUPT, "the store has %llu links, not %llu",
                              (unsigned long long)sum, (unsigned long long)info->n_edges);
    }
    return status == MR_OK ? mr_edges_team_read(search->team, &scan, put_pairs, search, err)
                           : status;
}
