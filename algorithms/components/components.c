/* SPDX-License-Identifier: Apache-2.0 */
/* Components of a store, from start to end: weak components, strong components, their labels in
 * the order of positions, sizes, the bow-tie. weak.c, strong.c and tarjan.c find the components;
 * each of them labels a component by any of its members. */
#include "algorithms/components/components.h"

#include <string.h>

#include "algorithms/components/internal.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/io/scratch_file.h"

static const char labels_name[] = "labels of components", sizes_name[] = "sizes of components";

/* Makes the label of each component its member with the lowest position. Each label is a member
 * that has itself as label. When the first member v comes, it takes the label's place: the old
 * label now points to v, and later members find v through it. */
static enum mr_status relabel(const struct mr_context *context, struct mr_names *names, uint64_t n,
                              uint32_t *label, struct mr_error *err)
{
    uint64_t *claimed = NULL;
    enum mr_status status =
        mr_memory_array(context->memory, "components seen", mr_bits_words(n), &claimed, err);

    for (uint64_t p = 0; p < n && status == MR_OK; p++) {
        uint32_t v = (uint32_t)p;
        status = names == NULL ? MR_OK : mr_names_vertex(names, (uint32_t)p, &v, err);
        if (status != MR_OK) {
            break;
        }
        const uint32_t old = label[v];
        if (mr_bits_add(claimed, old)) {
            (void)mr_bits_add(claimed, v);
            label[old] = v;
            label[v] = v;
        } else {
            label[v] = label[old];
        }
    }
    mr_memory_free(context->memory, claimed);
    return status;
}

static unsigned class_of(uint64_t size)
{
    return 63u - (unsigned)__builtin_clzll(size);
}

/* Sizes of the components. Of several largest ones, the label of the lowest position counts. */
static enum mr_status measure(const struct mr_context *context, struct mr_names *names, uint64_t n,
                              const uint32_t *label, struct mr_component_figures *figures,
                              struct mr_error *err)
{
    uint32_t *size = NULL;
    enum mr_status status = mr_memory_array(context->memory, sizes_name, n + 1, &size, err);

    for (uint64_t v = 0; v < n && status == MR_OK; v++) {
        size[label[v]]++;
    }
    for (uint64_t p = 0; p < n && status == MR_OK; p++) {
        uint32_t v = (uint32_t)p;
        status = names == NULL ? MR_OK : mr_names_vertex(names, (uint32_t)p, &v, err);
        if (status != MR_OK || label[v] != v) {
            continue;
        }
        figures->n_components++;
        figures->n_single += size[v] == 1;
        figures->classes[class_of(size[v])].n_components++;
        figures->classes[class_of(size[v])].n_vertices += size[v];
        if (size[v] > figures->largest) {
            figures->largest = size[v];
            figures->largest_label = v;
        }
    }
    figures->by_size = figures->classes;
    for (unsigned i = 0; i < MR_COMPONENT_SIZE_CLASSES; i++) {
        struct mr_component_class class = figures->classes[i];
        class.from = (uint64_t)1 << i;
        figures->classes[figures->n_by_size] = class;
        figures->n_by_size += class.n_components > 0;
    }
    mr_memory_free(context->memory, size);
    return status;
}

static enum mr_status label_component(const struct mr_context *context, struct mr_names *names,
                                      uint64_t n, uint32_t *label,
                                      struct mr_component_figures *figures, struct mr_error *err)
{
    struct mr_names *order = names != NULL && mr_names_are_ordered(names) ? names : NULL;
    enum mr_status status = relabel(context, order, n, label, err);
    return status == MR_OK ? measure(context, order, n, label, figures, err) : status;
}

/* What the largest strong component reaches, and what reaches it. If the pivot lies in it, its
 * searches have found that already. */
static enum mr_status search_bow_tie(struct mr_component_search *search, struct mr_error *err)
{
    struct mr_components *result = search->result;
    const uint64_t n = search->info->n_vertices;
    const uint32_t core = result->strong_figures.largest_label;

    if (search->reached != NULL && result->strong[search->pivot] == core) {
        return MR_OK;
    }
    memset(result->reached, 0, mr_bits_words(n) * sizeof *result->reached);
    memset(result->reaching, 0, mr_bits_words(n) * sizeof *result->reaching);
    for (uint64_t v = 0; v < n; v++) {
        if (result->strong[v] == core) {
            (void)mr_bits_add(result->reached, (uint32_t)v);
            (void)mr_bits_add(result->reaching, (uint32_t)v);
        }
    }
    const enum mr_status status = mr_components_reach(search, result->reached, false, NULL, err);
    return status == MR_OK ? mr_components_reach(search, result->reaching, true, NULL, err)
                           : status;
}

enum mr_bow_tie mr_components_part(const struct mr_components *result, uint32_t vertex)
{
    const uint32_t core = result->strong_figures.largest_label;

    if (result->strong[vertex] == core) {
        return MR_BOW_TIE_CORE;
    }
    if (mr_bits_has(result->reaching, vertex)) {
        return MR_BOW_TIE_IN;
    }
    if (mr_bits_has(result->reached, vertex)) {
        return MR_BOW_TIE_OUT;
    }
    return result->weak[vertex] == result->weak[core] ? MR_BOW_TIE_TENDRILS
                                                      : MR_BOW_TIE_DISCONNECTED;
}

static enum mr_status find_weak(struct mr_component_search *search, struct mr_names *names,
                                struct mr_error *err)
{
    struct mr_components *result = search->result;
    const uint64_t n = search->info->n_vertices;

    enum mr_status status =
        mr_memory_array(search->context->memory, labels_name, n + 1, &result->weak, err);
    if (status == MR_OK) {
        status = mr_components_join(search, result->weak, err);
    }
    return status == MR_OK ? label_component(search->context, names, n, result->weak,
                                             &result->weak_figures, err)
                           : status;
}

/* What is allocated for strong components, and what is planned. */
enum { STRONG_ARRAYS = 3 };
static void list_strong(uint64_t n, struct mr_components *result,
                        struct mr_memory_wanted arrays[STRONG_ARRAYS])
{
    const struct mr_memory_wanted all[STRONG_ARRAYS] = {
        MR_WANTED(labels_name, n + 1, &result->strong),
        MR_WANTED("vertices reached", mr_bits_words(n), &result->reached),
        MR_WANTED("vertices reached", mr_bits_words(n), &result->reaching),
    };
    memcpy(arrays, all, sizeof all);
}

static enum mr_status find_strong(struct mr_component_search *search, struct mr_names *names,
                                  struct mr_error *err)
{
    struct mr_components *result = search->result;
    const uint64_t n = search->info->n_vertices;
    struct mr_memory_wanted arrays[STRONG_ARRAYS];

    list_strong(n, result, arrays);
    enum mr_status status = mr_memory_arrays(search->context->memory, arrays, err);
    if (status != MR_OK) {
        return status;
    }
    memset(result->strong, 0xff, n * sizeof *result->strong);
    search->label = result->strong;
    search->n_left = n;
    search->n_edges_left = search->info->n_edges;
    status = mr_components_strong(search, err);
    if (status == MR_OK) {
        status = label_component(search->context, names, n, result->strong, &result->strong_figures,
                                 err);
    }
    return status == MR_OK ? search_bow_tie(search, err) : status;
}

/* Weak labels wait in a file while strong ones are found. */
static enum mr_status find_both(struct mr_component_search *search, struct mr_names *names,
                                struct mr_error *err)
{
    struct mr_components *result = search->result;
    struct mr_memory *memory = search->context->memory;
    const uint64_t bytes = search->info->n_vertices * sizeof *result->weak;
    struct mr_scratch_use use = {0};
    struct mr_scratch_file *file = NULL;

    enum mr_status status =
        mr_scratch_file_open(search->context, NULL, "components", &use, &file, err);
    if (status == MR_OK) {
        status = mr_scratch_file_write(file, result->weak, bytes, 0, err);
    }
    mr_memory_free(memory, result->weak);
    result->weak = NULL;
    if (status == MR_OK) {
        status = find_strong(search, names, err);
    }
    if (status == MR_OK) {
        status =
            mr_memory_array(memory, labels_name, search->info->n_vertices + 1, &result->weak, err);
    }
    if (status == MR_OK) {
        status = mr_scratch_file_read(file, result->weak, bytes, 0, err);
    }
    mr_scratch_file_close(file);
    for (uint64_t v = 0; v < search->info->n_vertices && status == MR_OK; v++) {
        result->bow_tie[mr_components_part(result, (uint32_t)v)]++;
    }
    return status;
}

enum mr_status mr_components_find(const struct mr_context *context, struct mr_store *store,
                                  struct mr_names *names,
                                  const struct mr_components_options *options,
                                  struct mr_components *result, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_component_search search = {.context = context,
                                         .store = store,
                                         .info = info,
                                         .result = result,
                                         .never_in_memory = options->never_in_memory};

    *result = (struct mr_components){.memory = context->memory, .n_vertices = info->n_vertices};
    enum mr_status status = mr_edges_team_open(context, store, 0, 0, &search.team, err);
    if (status == MR_OK) {
        status = find_weak(&search, names, err);
    }
    if (status == MR_OK && !options->only_weak) {
        status = info->n_vertices > 0 ? find_both(&search, names, err)
                                      : find_strong(&search, names, err);
    }
    mr_edges_team_close(search.team);
    if (status != MR_OK) {
        mr_components_free(result);
        return status;
    }
    result->readings = info->n_edges == 0 ? 0 : (double)result->read.edges / (double)info->n_edges;
    return MR_OK;
}

void mr_components_free(struct mr_components *result)
{
    if (result->memory != NULL) {
        mr_memory_free(result->memory, result->reaching);
        mr_memory_free(result->memory, result->reached);
        mr_memory_free(result->memory, result->strong);
        mr_memory_free(result->memory, result->weak);
    }
    *result = (struct mr_components){0};
}

uint64_t mr_components_memory(const struct mr_store_info *info, bool only_weak)
{
    const uint64_t n = info->n_vertices, readers = mr_edges_reader_memory(info);
    struct mr_components result;
    uint32_t *size;
    struct mr_memory_wanted arrays[STRONG_ARRAYS];
    const struct mr_memory_wanted weak[] = {
        MR_WANTED(labels_name, n + 1, &result.weak),
        MR_WANTED(sizes_name, n + 1, &size),
    };
    const uint64_t in_weak = readers + mr_memory_of_arrays(weak, 2);

    if (only_weak) {
        return in_weak;
    }
    list_strong(n, &result, arrays);
    return mr_max_u64(in_weak, readers + mr_memory_of_arrays(arrays, STRONG_ARRAYS) +
                                   mr_components_step_memory(info));
}

uint64_t mr_components_result_memory(const struct mr_store_info *info, bool only_weak)
{
    struct mr_components result;
    struct mr_memory_wanted arrays[STRONG_ARRAYS + 1] = {
        MR_WANTED(labels_name, info->n_vertices + 1, &result.weak)};

    list_strong(info->n_vertices, &result, arrays + 1);
    return mr_memory_of_arrays(arrays, only_weak ? 1 : STRONG_ARRAYS + 1);
}
