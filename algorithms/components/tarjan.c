/* SPDX-License-Identifier: Apache-2.0 */
/* Strongly connected components of the vertices that are left, in memory: Tarjan's algorithm in
 * the form of Pearce, "A space-efficient algorithm for finding strongly connected components"
 * (2016). Two readings of the edges make lists of successors; then no more is read. The lists'
 * order depends on the threads; the components do not. */
#include "algorithms/components/internal.h"
#include "engine/base/memory.h"
#include "engine/scan/vertex_set.h"

/* A graph of the vertices that are left. Vertex i of it is the i-th of them. The list of i begins
 * at starts[i] and ends with i itself, which is no edge: loops are left out. */
struct remaining_graph {
    struct mr_component_search *search;
    struct mr_vertex_set set;
    uint64_t m; /* vertices */
    uint64_t *starts; /* [m + 1] */
    uint32_t *ends; /* [edges + m] */
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
    return n / 16 * 3 + m * (8 + 4 + 4 + 4) + m / 8 + n_edges * 4 + (UINT64_C(1) << 20);
}

bool mr_components_fit(const struct mr_component_search *search)
{
    const uint64_t readers = UINT64_C(8) << 20; /* what the team may still ask for */
    return !search->never_in_memory &&
           memory_of(search->info->n_vertices, search->n_left, search->n_edges_left) + readers <=
               mr_memory_available(search->context->memory);
}

static enum mr_status count(void *data, const uint32_t (*pairs)[2], const float *weights,
                            size_t n_pairs, struct mr_error *err)
{
    struct remaining_graph *lists = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        if (mr_components_matters(lists->search, pairs[i][0], pairs[i][1])) {
            const uint32_t u = mr_vertex_set_rank_of(&lists->set, pairs[i][0]);
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
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        if (mr_components_matters(lists->search, pairs[i][0], pairs[i][1])) {
            const uint32_t u = mr_vertex_set_rank_of(&lists->set, pairs[i][0]);
            const uint64_t at = __atomic_sub_fetch(&lists->starts[u], 1, __ATOMIC_RELAXED);
            lists->ends[at] = mr_vertex_set_rank_of(&lists->set, pairs[i][1]);
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
    uint64_t end = 0;

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
        status = read_edges(lists, count, err);
    }
    for (uint64_t i = 0; i < lists->m && status == MR_OK; i++) {
        end += lists->starts[i] + 1;
        lists->starts[i] = end - 1; /* of the end mark; filling goes down from it */
    }
    if (status == MR_OK) {
        status = mr_memory_array(memory, "links in memory", end + 1, &lists->ends, err);
    }
    for (uint64_t i = 0; i < lists->m && status == MR_OK; i++) {
        lists->ends[lists->starts[i]] = (uint32_t)i;
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
        while ((w = lists->ends[lists->starts[v]]) != v && dive->number[w] != 0) {
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
            const uint32_t i = mr_vertex_set_rank_of(&lists->set, (uint32_t)v);
            uint32_t *label = &first[dive->number[i] - 1];
            *label = *label == MR_NOBODY ? (uint32_t)v : *label;
            search->label[v] = *label;
        }
    }
    search->result->n_in_memory = lists->m;
    search->n_left = 0;
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
    }
    mr_memory_free(memory, dive.is_root);
    mr_memory_free(memory, dive.stack);
    mr_memory_free(memory, dive.number);
    mr_memory_free(memory, lists.ends);
    mr_memory_free(memory, lists.starts);
    mr_vertex_set_destroy(&lists.set);
    return status;
}
