/* SPDX-License-Identifier: Apache-2.0 */
/* SALSA and degrees. One pass over the edges finds the connected components of hubs and authorities
 * by union-find; the scores then follow from degrees or strengths. One thread
 * reads the edges, because every edge may change the same union-find. */
#include "algorithms/hits/salsa.h"

#include <string.h>

#include "algorithms/base/sum.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/pass/pass.h"
#include "engine/scan/edges.h"

#define NOBODY UINT32_MAX

/* Figures of a component, stored at the index of its root. */
struct component_count {
    uint32_t n_hubs, n_authorities;
    struct mr_sum links; /* the number of its edges, which is exact, or their weight */
};

/* Every component has at least one hub. The root of its hubs identifies it. The component of an
 * authority is that of any source of its in-edges. */
struct hub_parts {
    uint32_t *parent; /* [n] of hubs: union-find by index; the lowest index is the root */
    uint32_t *first; /* [n] of authorities: the first hub found, or NOBODY */
    struct component_count *counts; /* [n] */
    const struct mr_context *context;
    struct mr_progress progress;
};

static const char array_name[] = "parts of the graph";

/* The root of v. Halves the path to it (Tarjan and van Leeuwen 1984). */
static uint32_t find_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static enum mr_status join(void *data, const uint32_t (*pairs)[2], const float *weights,
                           size_t n_pairs, struct mr_error *err)
{
    struct hub_parts *parts = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t source = pairs[i][0], target = pairs[i][1];
        if (parts->first[target] == NOBODY) {
            parts->first[target] = source;
            continue;
        }
        const uint32_t a = find_root(parts->parent, parts->first[target]);
        const uint32_t b = find_root(parts->parent, source);
        parts->parent[a > b ? a : b] = a > b ? b : a;
    }
    parts->progress.done += n_pairs;
    parts->progress.edges = parts->progress.done;
    if (parts->context->progress != NULL) {
        parts->context->progress(parts->context->progress_data, &parts->progress);
    }
    return MR_OK;
}

/* The degrees or strengths by which the walk leaves a vertex and reaches it. The arrays of the
 * scores hold them at first. */
static void take_degrees(void *data, const struct mr_pass_band *band)
{
    const struct mr_salsa_result *result = data;
    const bool weighs = band->in_strength != NULL; /* weights of classes have out-strengths only */

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint32_t v = band->first_vertex + i;
        result->hubs[v] = weighs ? band->out_strength[i] : band->out_degree[i];
        result->authorities[v] = weighs ? band->in_strength[i] : band->in_degree[i];
    }
}

static enum mr_status read_degrees(const struct mr_context *context, struct mr_store *store,
                                   struct mr_salsa_result *result, struct mr_error *err)
{
    const struct mr_pass_task task = {.value = MR_VALUE_DOUBLE,
                                      .out_degrees = true,
                                      .in_degrees = true,
                                      .degrees_only = true,
                                      .callback = take_degrees,
                                      .callback_data = result};
    return mr_pass_run_once(context, store, &task, NULL, err);
}

/* The arrays of a result, and those of the walk, of which the last one comes after the reading:
 * what is allocated, and what is planned. */
enum { RESULT_ARRAYS = 2, WALK_ARRAYS = 3, READING_ARRAYS = 2 };
static void list_result(uint64_t n, struct mr_salsa_result *result,
                        struct mr_memory_wanted arrays[RESULT_ARRAYS])
{
    const struct mr_memory_wanted all[RESULT_ARRAYS] = {
        MR_WANTED("hubs", n + 1, &result->hubs),
        MR_WANTED("authorities", n + 1, &result->authorities),
    };
    memcpy(arrays, all, sizeof all);
}

static void list_walk(uint64_t n, struct hub_parts *parts,
                      struct mr_memory_wanted arrays[WALK_ARRAYS])
{
    const struct mr_memory_wanted all[WALK_ARRAYS] = {
        MR_WANTED(array_name, n + 1, &parts->parent),
        MR_WANTED(array_name, n + 1, &parts->first),
        MR_WANTED(array_name, n + 1, &parts->counts),
    };
    memcpy(arrays, all, sizeof all);
}

uint64_t mr_degree_result_memory(const struct mr_store_info *info)
{
    struct mr_memory_wanted arrays[RESULT_ARRAYS];
    struct mr_salsa_result nothing;

    list_result(info->n_vertices, &nothing, arrays);
    return mr_memory_of_arrays(arrays, RESULT_ARRAYS);
}

uint64_t mr_degree_memory(const struct mr_store_info *info)
{
    const struct mr_pass_options options = {.no_pinning = true};

    return mr_degree_result_memory(info) + mr_pass_minimum_memory(info, &options);
}

uint64_t mr_salsa_memory(const struct mr_store_info *info)
{
    struct mr_memory_wanted arrays[WALK_ARRAYS];
    struct hub_parts nothing;

    list_walk(info->n_vertices, &nothing, arrays);
    const uint64_t counts =
        mr_memory_of_arrays(arrays + READING_ARRAYS, WALK_ARRAYS - READING_ARRAYS);
    const uint64_t walk = mr_memory_of_arrays(arrays, READING_ARRAYS) +
                          mr_max_u64(counts, mr_edges_reader_memory(info));
    return mr_max_u64(mr_degree_memory(info), mr_degree_result_memory(info) + walk);
}

/* A result whose scores are the degrees. */
static enum mr_status begin(const struct mr_context *context, struct mr_store *store,
                            struct mr_salsa_result *result, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_memory_wanted arrays[RESULT_ARRAYS];

    *result = (struct mr_salsa_result){.memory = context->memory, .n_vertices = info->n_vertices};
    list_result(info->n_vertices, result, arrays);
    enum mr_status status = mr_memory_arrays(result->memory, arrays, err);
    if (status == MR_OK && result->n_vertices > 0) {
        status = read_degrees(context, store, result, err);
    }
    if (status != MR_OK) {
        return status;
    }
    for (uint64_t v = 0; v < result->n_vertices; v++) {
        result->n_hubs += result->hubs[v] > 0;
        result->n_authorities += result->authorities[v] > 0;
    }
    return MR_OK;
}

static uint32_t part_of_authority(struct hub_parts *parts, uint64_t v)
{
    return find_root(parts->parent, parts->first[v]);
}

static void count_parts(const struct mr_salsa_result *result, struct hub_parts *parts)
{
    for (uint64_t v = 0; v < result->n_vertices; v++) {
        if (result->hubs[v] > 0) {
            struct component_count *count = &parts->counts[find_root(parts->parent, (uint32_t)v)];
            count->n_hubs++;
            mr_sum_add(&count->links, result->hubs[v]);
        }
        if (result->authorities[v] > 0) {
            parts->counts[part_of_authority(parts, v)].n_authorities++;
        }
    }
}

static void set_scores(struct mr_salsa_result *result, struct hub_parts *parts)
{
    const struct component_count *counts = parts->counts;
    double most_links = 0;

    for (uint64_t v = 0; v < result->n_vertices; v++) {
        const struct component_count *count = &counts[v];
        const double links = mr_sum_value(&count->links);
        result->n_parts += links > 0;
        if (links > most_links) {
            most_links = links;
            result->largest_hubs = count->n_hubs;
            result->largest_authorities = count->n_authorities;
        }
    }
    for (uint64_t v = 0; v < result->n_vertices; v++) {
        if (result->hubs[v] > 0) {
            const struct component_count *count = &counts[find_root(parts->parent, (uint32_t)v)];
            result->hubs[v] = (double)count->n_hubs / (double)result->n_hubs *
                              (result->hubs[v] / mr_sum_value(&count->links));
        }
        if (result->authorities[v] > 0) {
            const struct component_count *count = &counts[part_of_authority(parts, v)];
            result->authorities[v] = (double)count->n_authorities / (double)result->n_authorities *
                                     (result->authorities[v] / mr_sum_value(&count->links));
        }
    }
}

/* A vertex has an in-degree if and only if a link leads to it. A store with other degrees is
 * damaged behind right checksums, and its authorities would belong to no part. */
static enum mr_status compare_degrees(const struct mr_store *store,
                                      const struct mr_salsa_result *result,
                                      const struct hub_parts *parts, struct mr_error *err)
{
    for (uint64_t v = 0; v < result->n_vertices; v++) {
        if ((result->authorities[v] > 0) != (parts->first[v] != NOBODY)) {
            return mr_error_file(
                err, MR_ERROR_CORRUPT, mr_store_path(store), 0,
                "the in-degree of page %llu does not match its links; the store is "
                "damaged: build it again",
                (unsigned long long)v);
        }
    }
    return MR_OK;
}

static enum mr_status walk(const struct mr_context *context, struct mr_store *store,
                           struct mr_salsa_result *result, struct mr_error *err)
{
    struct hub_parts parts = {.context = context,
                              .progress = {.stage = "read",
                                           .total = mr_store_get_info(store)->n_edges,
                                           .unit = "edges",
                                           .error_bound = -1}};
    struct mr_memory_wanted arrays[WALK_ARRAYS];
    const uint64_t n = result->n_vertices;

    list_walk(n, &parts, arrays);
    enum mr_status status = mr_memory_alloc_arrays(context->memory, arrays, READING_ARRAYS, err);
    if (status != MR_OK) {
        goto out;
    }
    for (uint64_t v = 0; v < n; v++) {
        parts.parent[v] = (uint32_t)v;
        parts.first[v] = NOBODY;
    }
    status = mr_edges_read(context, store, NULL, join, &parts, err);
    if (status == MR_OK) {
        status = compare_degrees(store, result, &parts, err);
    }
    if (status == MR_OK) {
        status = mr_memory_alloc_arrays(context->memory, arrays + READING_ARRAYS,
                                        WALK_ARRAYS - READING_ARRAYS, err);
    }
    if (status == MR_OK) {
        count_parts(result, &parts);
        set_scores(result, &parts);
    }
out:
    mr_memory_free(context->memory, parts.counts);
    mr_memory_free(context->memory, parts.first);
    mr_memory_free(context->memory, parts.parent);
    return status;
}

enum mr_status mr_salsa(const struct mr_context *context, struct mr_store *store,
                        struct mr_salsa_result *result, struct mr_error *err)
{
    enum mr_status status = begin(context, store, result, err);
    result->passes = 1;
    if (status == MR_OK && result->n_vertices > 0) {
        status = walk(context, store, result, err);
    }
    if (status != MR_OK) {
        mr_salsa_result_free(result);
    }
    return status;
}

enum mr_status mr_degree_rank(const struct mr_context *context, struct mr_store *store,
                              struct mr_salsa_result *result, struct mr_error *err)
{
    const enum mr_status status = begin(context, store, result, err);
    if (status != MR_OK) {
        mr_salsa_result_free(result);
    }
    return status;
}

void mr_salsa_result_free(struct mr_salsa_result *result)
{
    if (result->memory != NULL) {
        mr_memory_free(result->memory, result->authorities);
        mr_memory_free(result->memory, result->hubs);
    }
    *result = (struct mr_salsa_result){0};
}
