/* SPDX-License-Identifier: Apache-2.0 */
/* Strongly connected components of the vertices that are left, in memory: Tarjan's algorithm in
 * the form of Pearce, "A space-efficient algorithm for finding strongly connected components"
 * (2016). Two readings of the edges make lists of successors, or if these are the lists of all
 * vertices the store's degrees and one reading; then no more is read, not even for the bow-tie. The
 * lists' order depends on the threads; the components do not. */
#include <string.h>

#include "algorithms/components/internal.h"

#include "engine/base/memory.h"
#include "engine/pass/pass.h"
#include "engine/scan/vertex_set.h"

/* A graph of the vertices that are left. Vertex i of it is the i-th of them, and i + 1 in a list.
 * The list of i begins at starts[i] and ends with i itself, which is no edge: loops are left out,
 * and leave zeros before the list. */
struct remaining_graph {
    struct mr_component_search *search;
    struct mr_vertex_set set;
    uint64_t m; /* vertices */
    uint64_t *starts; /* [m + 1] */
    uint32_t *ends; /* [n_ends]: edges and ends of lists */
    uint64_t n_ends;
};

/* A search in depth. A finished vertex has the number of its component, from m down; a vertex
 * that is not finished has the lowest index that it is known to reach, from 1 up. */
struct dive {
    uint32_t *number; /* [m], 0: not visited */
    uint32_t *stack; /* [m]: the path from below, vertices without a component yet from above */
    uint64_t *is_root; /* bits */
    uint64_t path, waiting; /* lengths of the two */
    uint32_t index, component;
};

static uint64_t memory_of(uint64_t n, uint64_t m, uint64_t n_edges)
{
    return n / 16 * 3 + m * (8 + 4 + 4 + 4 + 4) + m / 8 + n_edges * 4 + (UINT64_C(1) << 20);
}

bool mr_components_fit(const struct mr_component_search *search)
{
    const struct mr_pass_options pass = {.no_pinning = true}; /* for the degrees */
    const uint64_t readers = (UINT64_C(8) << 20) + /* what the team may still ask for */
                             mr_pass_minimum_memory(search->info, &pass);
    return !search->never_in_memory &&
           memory_of(search->info->n_vertices, search->n_left, search->n_edges_left) + readers <=
               mr_memory_available(search->context->memory);
}

/* The number of a vertex among those that are left. */
static uint32_t number_of(const struct remaining_graph *lists, uint32_t vertex)
{
    return lists->m == lists->set.n_vertices ? vertex : mr_vertex_set_rank_of(&lists->set, vertex);
}

static void take_degrees(void *data, const struct mr_pass_band *band)
{
    const struct remaining_graph *lists = data;

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        lists->starts[band->first_vertex + i] = band->out_degree[i];
    }
}

static enum mr_status count(void *data, const uint32_t (*pairs)[2], const float *weights,
                            size_t n_pairs, struct mr_error *err)
{
    struct remaining_graph *lists = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        if (mr_components_matters(lists->search, pairs[i][0], pairs[i][1])) {
            const uint32_t u = number_of(lists, pairs[i][0]);
            __atomic_fetch_add(&lists->starts[u], 1, __ATOMIC_RELAXED);
        }
    }
    return MR_OK;
}

static enum mr_status fill(void *data, const uint32_t (*pairs)[2], const float *weights,
                           size_t n_pairs, struct mr_error *err)
{
    struct remaining_graph *lists = data;

    (void)weights;
    for (size_t i = 0; i < n_pairs; i++) {
        if (mr_components_matters(lists->search, pairs[i][0], pairs[i][1])) {
            const uint32_t u = number_of(lists, pairs[i][0]);
            const uint64_t at = __atomic_sub_fetch(&lists->starts[u], 1, __ATOMIC_RELAXED);
            if (at >= lists->n_ends || lists->ends[at] != 0) {
                return mr_error_file(err, MR_ERROR_CORRUPT, mr_store_path(lists->search->store), 0,
                                     "page %u has more links than the store says; restore the "
                                     "store from a copy or build it again",
                                     pairs[i][0]);
            }
            lists->ends[at] = number_of(lists, pairs[i][1]) + 1;
        }
    }
    return MR_OK;
}

static enum mr_status read_edges(struct remaining_graph *lists, mr_edges_callback callback,
                                 struct mr_error *err)
{
    const struct mr_scan scan = {.stage = "strong components",
                                 .figures = &lists->search->result->read};
    return mr_edges_team_read(lists->search->team, &scan, callback, lists, err);
}

static enum mr_status load_lists(struct remaining_graph *lists, struct mr_error *err)
{
    struct mr_component_search *search = lists->search;
    struct mr_memory *memory = search->context->memory;
    const uint64_t n = search->info->n_vertices;

    enum mr_status status = mr_vertex_set_create(search->context, n, &lists->set, err);
    if (status != MR_OK) {
        return status;
    }
    for (uint64_t v = 0; v < n; v++) {
        if (search->label[v] == MR_NOBODY) {
            mr_vertex_set_add(&lists->set, (uint32_t)v);
        }
    }
    mr_vertex_set_rank(&lists->set);
    lists->m = lists->set.n_members;
    status = mr_memory_array(memory, "lists of links", lists->m + 1, &lists->starts, err);
    if (status == MR_OK) {
        const struct mr_pass_task degrees = {.value = MR_VALUE_DOUBLE,
                                             .out_degrees = true,
                                             .degrees_only = true,
                                             .callback = take_degrees,
                                             .callback_data = lists};
        status = lists->m == n
                     ? mr_pass_run_once(search->context, search->store, &degrees, NULL, err)
                     : read_edges(lists, count, err);
    }
    for (uint64_t i = 0; i < lists->m && status == MR_OK; i++) {
        lists->n_ends += lists->starts[i] + 1;
        lists->starts[i] = lists->n_ends - 1; /* of the end mark; filling goes down from it */
    }
    if (status == MR_OK) {
        status = mr_memory_array(memory, "links in memory", lists->n_ends + 1, &lists->ends, err);
    }
    for (uint64_t i = 0; i < lists->m && status == MR_OK; i++) {
        lists->ends[lists->starts[i]] = (uint32_t)i + 1;
    }
    return status == MR_OK ? read_edges(lists, fill, err) : status;
}

static void enter(struct dive *dive, uint32_t v)
{
    dive->stack[dive->path++] = v;
    dive->number[v] = dive->index++;
    (void)mr_bits_add(dive->is_root, v);
}

static void leave(struct dive *dive, uint64_t m, uint32_t v)
{
    dive->path--;
    if (!mr_bits_has(dive->is_root, v)) {
        dive->stack[m - ++dive->waiting] = v;
        return;
    }
    dive->index--;
    while (dive->waiting > 0 && dive->number[v] <= dive->number[dive->stack[m - dive->waiting]]) {
        dive->number[dive->stack[m - dive->waiting--]] = dive->component;
        dive->index--;
    }
    dive->number[v] = dive->component--;
}

/* Everything that `first` reaches and no earlier call did. */
static void visit(struct remaining_graph *lists, struct dive *dive, uint32_t first)
{
    enter(dive, first);
    while (dive->path > 0) {
        const uint32_t v = dive->stack[dive->path - 1];
        uint32_t w;
        while ((w = lists->ends[lists->starts[v]] - 1) != v && dive->number[w] != 0) {
            if (dive->number[w] < dive->number[v]) {
                dive->number[v] = dive->number[w];
                dive->is_root[v >> 6] &= ~((uint64_t)1 << (v & 63));
            }
            lists->starts[v]++;
        }
        if (w == v) {
            leave(dive, lists->m, v);
        } else {
            enter(dive, w);
        }
    }
}

/* Labels from the numbers of components; the first member of each becomes its label. */
static void label_all(struct remaining_graph *lists, struct dive *dive)
{
    struct mr_component_search *search = lists->search;
    uint32_t *first = dive->stack;

    for (uint64_t i = 0; i < lists->m; i++) {
        first[i] = MR_NOBODY;
    }
    for (uint64_t v = 0; v < search->info->n_vertices; v++) {
        if (mr_vertex_set_has(&lists->set, (uint32_t)v)) {
            const uint32_t i = number_of(lists, (uint32_t)v);
            uint32_t *label = &first[dive->number[i] - 1];
            *label = *label == MR_NOBODY ? (uint32_t)v : *label;
            search->label[v] = *label;
        }
    }
    search->result->n_in_memory = lists->m;
    search->n_left = 0;
}

/* ---- The bow-tie ---- */

/* The edges of a vertex, up to itself. Every list has been read to its end. */
static const uint32_t *list_of(const struct remaining_graph *lists, uint32_t v)
{
    const uint32_t *list = lists->ends + (v == 0 ? 0 : lists->starts[v - 1] + 1);

    while (*list == 0) {
        list++;
    }
    return list;
}

/* The vertex that labels the largest component, or MR_NOBODY if several are as large. */
static uint32_t largest_component(const uint32_t *label, uint64_t n, uint32_t *size)
{
    uint32_t largest = 0, core = MR_NOBODY;

    memset(size, 0, n * sizeof *size);
    for (uint64_t v = 0; v < n; v++) {
        size[label[v]]++;
    }
    for (uint64_t v = 0; v < n; v++) {
        if (size[v] >= largest) {
            core = size[v] > largest ? (uint32_t)v : MR_NOBODY;
            largest = size[v];
        }
    }
    return core;
}

/* Sort the vertices by the numbers of their components; `starts` has room for m + 2 counts. */
static void sort_by_component(const uint32_t *number, uint64_t m, uint32_t *starts, uint32_t *order)
{
    memset(starts, 0, (m + 2) * sizeof *starts);
    for (uint64_t i = 0; i < m; i++) {
        starts[number[i] + 1]++;
    }
    for (uint64_t i = 1; i < m + 2; i++) {
        starts[i] += starts[i - 1];
    }
    for (uint64_t i = 0; i < m; i++) {
        order[starts[number[i]]++] = (uint32_t)i;
    }
}

/* Adds what the largest component reaches, and what reaches it, to the sets of the result: two
 * walks over the lists in place of several readings. A link leads to a component with a higher
 * number, so one walk in each direction of the numbers finds all. The label of a component is in
 * the set while the walk goes on, at the end its members are. */
static void find_bow_tie(struct remaining_graph *lists, const uint32_t *order)
{
    struct mr_component_search *search = lists->search;
    uint64_t *reached = search->result->reached, *reaching = search->result->reaching;
    const uint32_t *label = search->label;

    (void)mr_bits_add(reached, search->pivot);
    (void)mr_bits_add(reaching, search->pivot);
    for (uint64_t i = 0; i < lists->m; i++) {
        const uint32_t v = order[i];
        for (const uint32_t *w = list_of(lists, v); mr_bits_has(reached, label[v]) && *w - 1 != v;
             w++) {
            (void)mr_bits_add(reached, label[*w - 1]);
        }
    }
    for (uint64_t i = lists->m; i-- > 0;) {
        const uint32_t v = order[i];
        for (const uint32_t *w = list_of(lists, v); !mr_bits_has(reaching, label[v]) && *w - 1 != v;
             w++) {
            if (mr_bits_has(reaching, label[*w - 1])) {
                (void)mr_bits_add(reaching, label[v]);
            }
        }
    }
    for (uint64_t v = 0; v < lists->m; v++) {
        if (mr_bits_has(reached, label[v])) {
            (void)mr_bits_add(reached, (uint32_t)v);
        }
        if (mr_bits_has(reaching, label[v])) {
            (void)mr_bits_add(reaching, (uint32_t)v);
        }
    }
    search->reached = reached;
    search->reaching = reaching;
}

/* If all vertices are here, their lists also tell the bow-tie. Of several largest components the
 * names decide; then it is left to readings. */
static enum mr_status search_lists(struct remaining_graph *lists, const struct dive *dive,
                                   struct mr_error *err)
{
    struct mr_component_search *search = lists->search;
    struct mr_memory *memory = search->context->memory;
    const uint64_t n = search->info->n_vertices;
    uint32_t *room = NULL;

    if (lists->m < n) {
        return MR_OK;
    }
    const enum mr_status status = mr_memory_array(memory, "search in depth", n + 2, &room, err);
    if (status == MR_OK) {
        search->pivot = largest_component(search->label, n, room);
    }
    if (status == MR_OK && search->pivot != MR_NOBODY) {
        sort_by_component(dive->number, n, room, dive->stack);
        find_bow_tie(lists, dive->stack);
    }
    mr_memory_free(memory, room);
    return status;
}

enum mr_status mr_components_in_memory(struct mr_component_search *search, struct mr_error *err)
{
    struct mr_memory *memory = search->context->memory;
    struct remaining_graph lists = {.search = search};
    struct dive dive = {.index = 1};

    enum mr_status status = load_lists(&lists, err);
    if (status == MR_OK) {
        const struct mr_memory_wanted arrays[] = {
            MR_WANTED("search in depth", lists.m + 1, &dive.number),
            MR_WANTED("search in depth", lists.m + 1, &dive.stack),
            MR_WANTED("search in depth", mr_bits_words(lists.m), &dive.is_root),
        };
        dive.component = (uint32_t)lists.m;
        status = mr_memory_arrays(memory, arrays, err);
    }
    for (uint64_t v = 0; v < lists.m && status == MR_OK; v++) {
        if (dive.number[v] == 0) {
            visit(&lists, &dive, (uint32_t)v);
        }
        if ((v & 0xfffff) == 0) {
            status = mr_context_poll(search->context, err);
        }
    }
    if (status == MR_OK) {
        label_all(&lists, &dive);
        status = search_lists(&lists, &dive, err);
    }
    mr_memory_free(memory, dive.is_root);
    mr_memory_free(memory, dive.stack);
    mr_memory_free(memory, dive.number);
    mr_memory_free(memory, lists.ends);
    mr_memory_free(memory, lists.starts);
    mr_vertex_set_destroy(&lists.set);
    return status;
}
