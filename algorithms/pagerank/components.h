/* Strongly connected components: the parts of a graph in which each vertex reaches each other one. What depends on
 * what, a row of a matrix on others, falls apart into them: taken in their order, each needs those before it and
 * nothing else (Tarjan 1972). Internal to algorithms. */
#ifndef MR_ALGORITHMS_PAGERANK_COMPONENTS_H
#define MR_ALGORITHMS_PAGERANK_COMPONENTS_H

#include "engine/base/context.h"

/* Vertex v depends on sources[starts[v]] .. sources[ends[v] - 1]. */
struct mr_dependences {
    uint32_t n_vertices; /* 1 .. 2^31 - 1 */
    const uint32_t *starts, *ends; /* [n_vertices] */
    const uint32_t *sources;
};

/* component[n_vertices]: the number of each vertex's component. Numbers ascend from 0 and without gaps: what a
 * vertex depends on has the same or a lower one. Those of `wanted[n_wanted]` and what they depend on get one, all
 * others UINT32_MAX. Returns how many there are, by `*n_components`. Time: once over the sources; bytes: 16 each
 * vertex, charged while it runs. Errors: BUDGET. */
enum mr_status mr_components_find(const struct mr_context *context,
                                  const struct mr_dependences *graph, const uint32_t *wanted,
                                  uint32_t n_wanted, uint32_t *component, uint32_t *n_components,
                                  struct mr_error *err) MR_WARN_UNUSED;
uint64_t mr_components_memory(uint32_t n_vertices);

#endif
