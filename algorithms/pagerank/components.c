#include "algorithms/pagerank/components.h"

#include <assert.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

/* While a vertex is in work, component[] has the lowest place known that it reaches, counted from 1 in the order of
 * discovery; of finished ones DONE and their number. So a source that is done never lowers anything, and one comparison
 * serves (Pearce 2016). */
#define DONE UINT32_C(0x80000000)

struct frame {
    uint32_t vertex;
    uint32_t at; /* its next source */
    uint32_t place;
};

struct search {
    const struct mr_dependences *graph;
    uint32_t *component;
    struct frame *frames; /* [n_vertices] */
    uint32_t *open; /* [n_vertices]: discovered, and their component not complete */
    uint32_t n_open, n_places, n_components;
};

static uint64_t search_bytes(uint32_t n_vertices)
{
    return n_vertices * (sizeof(struct frame) + sizeof(uint32_t));
}

uint64_t mr_components_memory(uint32_t n_vertices)
{
    return mr_round_up(search_bytes(n_vertices), 4096) + 4096;
}

static void discover(struct search *search, struct frame *frame, uint32_t vertex)
{
    search->open[search->n_open++] = vertex;
    search->component[vertex] = ++search->n_places;
    *frame = (struct frame){
        .vertex = vertex, .at = search->graph->starts[vertex], .place = search->n_places};
}

/* A vertex that reaches none before itself: those discovered since are its component. */
static void close_component(struct search *search, uint32_t vertex)
{
    uint32_t member;
    do {
        member = search->open[--search->n_open];
        search->component[member] = DONE | search->n_components;
    } while (member != vertex);
    search->n_components++;
}

static void search_from(struct search *search, uint32_t root)
{
    const uint32_t *ends = search->graph->ends, *sources = search->graph->sources;
    uint32_t *component = search->component;
    struct frame *frame = search->frames;
    discover(search, frame, root);
    for (;;) {
        const uint32_t v = frame->vertex, end = ends[v];
        uint32_t lowest = component[v], at = frame->at;
        for (; at < end && component[sources[at]] != 0; at++) {
            const uint32_t reached = component[sources[at]];
            lowest = reached < lowest ? reached : lowest;
        }
        component[v] = lowest;
        if (at < end) {
            frame->at = at; /* to be looked at again, then discovered */
            discover(search, ++frame, sources[at]);
            continue;
        }
        if (lowest == frame->place) {
            close_component(search, v);
        }
        if (frame == search->frames) {
            return;
        }
        frame--;
    }
}

enum mr_status mr_components_find(const struct mr_context *context,
                                  const struct mr_dependences *graph, const uint32_t *wanted,
                                  uint32_t n_wanted, uint32_t *component, uint32_t *n_components,
                                  struct mr_error *err)
{
    const uint32_t n = graph->n_vertices;
    void *memory = NULL;
    assert(n < DONE);
    enum mr_status status =
        mr_memory_alloc(context->memory, "search for components", search_bytes(n), &memory, err);
    if (status != MR_OK) {
        return status;
    }
    struct search search = {.graph = graph, .component = component, .frames = memory};
    search.open = (uint32_t *)(search.frames + n);
    memset(component, 0, n * sizeof *component);
    for (uint32_t i = 0; i < n_wanted; i++) {
        if (component[wanted[i]] == 0) {
            search_from(&search, wanted[i]);
        }
    }
    for (uint32_t v = 0; v < n; v++) {
        component[v] = component[v] == 0 ? UINT32_MAX : component[v] & ~DONE;
    }
    *n_components = search.n_components;
    mr_memory_free(context->memory, memory);
    return MR_OK;
}
