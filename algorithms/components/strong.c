/* SPDX-License-Identifier: Apache-2.0 */
/* Strongly connected components of a store whose edges do not fit into memory: trimming, the
 * search from a pivot, and colours, until the rest fits (components.h names the paper). Each step
 * labels vertices; mr_components_matters then leaves edges out that can be in no component. */

#include <string.h>

#include "algorithms/components/internal.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/pass/pass.h"

/* Trimming goes on while a reading settles at least this share of what is left. */
#define TRIM_SHARE 100

struct trim {
    struct mr_component_search *search;
    uint64_t *has_in, *has_out; /* bits: an edge that matters */
    uint64_t n_edges;
};

static enum mr_status mark_ends(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    struct trim *trim = data;
    uint64_t n_edges = 0;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        if (mr_components_matters(trim->search, pairs[i][0], pairs[i][1])) {
            (void)mr_bits_add(trim->has_out, pairs[i][0]);
            (void)mr_bits_add(trim->has_in, pairs[i][1]);
            n_edges++;
        }
    }
    __atomic_fetch_add(&trim->n_edges, n_edges, __ATOMIC_RELAXED);
    return MR_OK;
}

/* One reading. Vertices that no edge enters or no edge leaves are components of their own. */
static enum mr_status trim_once(struct mr_component_search *search, uint64_t *n_settled,
                                struct mr_error *err)
{
    const uint64_t n = search->info->n_vertices;
    struct mr_memory *memory = search->context->memory;
    struct trim trim = {.search = search};
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("links that matter", mr_bits_words(n), &trim.has_in),
        MR_WANTED("links that matter", mr_bits_words(n), &trim.has_out),
    };
    const struct mr_scan scan = {.stage = "trim", .figures = &search->result->read};

    *n_settled = 0;
    enum mr_status status = mr_memory_arrays(memory, arrays, err);
    if (status == MR_OK) {
        status = mr_edges_team_read(search->team, &scan, mark_ends, &trim, err);
    }
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        const uint32_t v = (uint32_t)i;
        if (search->label[v] == MR_NOBODY &&
            !(mr_bits_has(trim.has_in, v) && mr_bits_has(trim.has_out, v))) {
            search->label[v] = v;
            (*n_settled)++;
        }
    }
    if (status == MR_OK) {
        search->n_left -= *n_settled;
        search->n_edges_left = trim.n_edges;
        search->result->n_trimmed += *n_settled;
    }
    mr_memory_free(memory, trim.has_out);
    mr_memory_free(memory, trim.has_in);
    return status;
}

/* Returns with *is_done when the rest fits into memory, or nothing is left. */
static enum mr_status trim_all(struct mr_component_search *search, bool *is_done,
                               struct mr_error *err)
{
    uint64_t n_settled = 0;
    enum mr_status status = MR_OK;

    do {
        status = trim_once(search, &n_settled, err);
        *is_done = search->n_left == 0 || mr_components_fit(search);
    } while (status == MR_OK && !*is_done && n_settled >= search->n_left / TRIM_SHARE + 1);
    return status;
}

/* ---- The pivot ---- */

static void best_of_band(void *data, const struct mr_pass_band *band)
{
    const struct mr_component_search *search = data;
    struct mr_vertex_weight best = {.weight = -1};

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint32_t v = band->first_vertex + i;
        const double links = ((double)band->out_degree[i]) * (double)band->in_degree[i];
        if (search->label[v] == MR_NOBODY && links > best.weight) {
            best = (struct mr_vertex_weight){v, links};
        }
    }
    search->best[band->band] = best;
}

/* The vertex that is left with the largest product of its degrees. */
static enum mr_status choose_pivot(struct mr_component_search *search, struct mr_error *err)
{
    const struct mr_pass_task task = {.value = MR_VALUE_DOUBLE,
                                      .out_degrees = true,
                                      .in_degrees = true,
                                      .degrees_only = true,
                                      .callback = best_of_band,
                                      .callback_data = search};
    struct mr_vertex_weight best = {MR_NOBODY, -1};
    enum mr_status status = mr_memory_array(
        search->context->memory, "pivots", (uint64_t)search->info->n_bands + 1, &search->best, err);
    if (status == MR_OK) {
        status = mr_pass_run_once(search->context, search->store, &task, NULL, err);
    }
    for (uint32_t b = 0; b < search->info->n_bands && status == MR_OK; b++) {
        best = search->best[b].weight > best.weight ? search->best[b] : best;
    }
    search->pivot = best.vertex;
    mr_memory_free(search->context->memory, search->best);
    return status;
}

/* Labels the component of the pivot, and keeps what it reaches and what reaches it. These searches
 * go over the whole graph, so that they serve the bow-tie as well. */
static enum mr_status settle_pivot(struct mr_component_search *search, struct mr_error *err)
{
    const uint64_t n = search->info->n_vertices;
    uint64_t *reached = search->result->reached, *reaching = search->result->reaching;

    enum mr_status status = choose_pivot(search, err);
    if (status == MR_OK) {
        (void)mr_bits_add(reached, search->pivot);
        (void)mr_bits_add(reaching, search->pivot);
        status = mr_components_reach(search, reached, false, NULL, err);
    }
    if (status == MR_OK) {
        status = mr_components_reach(search, reaching, true, NULL, err);
    }
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        const uint32_t v = (uint32_t)i;
        if (mr_bits_has(reached, v) && mr_bits_has(reaching, v)) {
            search->label[v] = search->pivot;
            search->n_left--;
        }
    }
    search->reached = reached;
    search->reaching = reaching;
    return status;
}

/* ---- Colours ---- */

static enum mr_status settle_roots(struct mr_component_search *search, const uint32_t *colours,
                                   uint64_t *set, struct mr_error *err)
{
    const uint64_t n = search->info->n_vertices;

    for (uint64_t i = 0; i < n; i++) {
        if (search->label[i] == MR_NOBODY && colours[i] == i) {
            (void)mr_bits_add(set, (uint32_t)i);
        }
    }
    const enum mr_status status = mr_components_reach(search, set, true, colours, err);
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        if (mr_bits_has(set, (uint32_t)i)) {
            search->label[i] = colours[i];
            search->n_left--;
        }
    }
    return status;
}

/* What a round allocates, and what is planned; no other step takes more, but the pass that chooses
 * the pivot in a small graph. */
enum { COLOUR_ARRAYS = 2 };
static void list_colours(uint64_t n, uint32_t **colours, uint64_t **set,
                         struct mr_memory_wanted arrays[COLOUR_ARRAYS])
{
    const struct mr_memory_wanted all[COLOUR_ARRAYS] = {
        MR_WANTED("colours", n + 1, colours),
        MR_WANTED("vertices found", mr_bits_words(n), set),
    };
    memcpy(arrays, all, sizeof all);
}

uint64_t mr_components_step_memory(const struct mr_store_info *info)
{
    const struct mr_pass_options pass = {.no_pinning = true};
    struct mr_memory_wanted arrays[COLOUR_ARRAYS];
    uint32_t *colours;
    uint64_t *set;

    list_colours(info->n_vertices, &colours, &set, arrays);
    return mr_max_u64(mr_memory_of_arrays(arrays, COLOUR_ARRAYS) + 2 * mr_edges_stripes(info),
                      mr_pass_minimum_memory(info, &pass) +
                          info->n_bands * sizeof(struct mr_vertex_weight));
}

/* One round settles at least one component of each colour. */
static enum mr_status colour_once(struct mr_component_search *search, struct mr_error *err)
{
    const uint64_t n = search->info->n_vertices;
    struct mr_memory *memory = search->context->memory;
    uint32_t *colours = NULL;
    uint64_t *set = NULL;
    struct mr_memory_wanted arrays[COLOUR_ARRAYS];

    list_colours(n, &colours, &set, arrays);
    enum mr_status status = mr_memory_arrays(memory, arrays, err);
    if (status == MR_OK) {
        for (uint64_t v = 0; v < n; v++) {
            colours[v] = (uint32_t)v;
        }
        status = mr_components_spread(search, colours, err);
    }
    if (status == MR_OK) {
        status = settle_roots(search, colours, set, err);
    }
    search->result->n_colour_rounds++;
    mr_memory_free(memory, set);
    mr_memory_free(memory, colours);
    return status;
}

enum mr_status mr_components_strong(struct mr_component_search *search, struct mr_error *err)
{
    bool is_done = mr_components_fit(search);
    enum mr_status status = MR_OK;

    if (!is_done) {
        status = trim_all(search, &is_done, err);
    }
    if (status == MR_OK && !is_done) {
        status = settle_pivot(search, err);
    }
    while (status == MR_OK && !is_done && search->n_left > 0) {
        status = trim_all(search, &is_done, err);
        if (status == MR_OK && !is_done) {
            status = colour_once(search, err);
        }
    }
    return status == MR_OK && search->n_left > 0 ? mr_components_in_memory(search, err) : status;
}
