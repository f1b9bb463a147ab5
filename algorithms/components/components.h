/* SPDX-License-Identifier: Apache-2.0 */
/* Weakly and strongly connected components of a store, and the bow-tie of the graph.
 *
 * Semi-external: labels of vertices stay in memory, edges are read from disk. Weak components come
 * from union-find in one reading of the edges. Strong components follow Slota, Rajamanickam and
 * Madduri, "BFS and Coloring-based Parallel Algorithms for Strongly Connected Components and
 * Related Problems" (IPDPS 2014, "Multistep"), with readings of the edges as its steps:
 *
 *   trim      vertices without an edge from, or without one to, the vertices that are left are
 *             components of their own; a reading each
 *   pivot     what the vertex with the most links reaches, and what reaches it; a reading for each
 *             distance at the most, of active blocks only
 *   colours   the largest label of those that reach a vertex; then what reaches the vertex of that
 *             label inside its colour; readings as for the pivot
 *   memory    as soon as the edges among the vertices that are left fit into the budget: two
 *             readings, and the algorithm of Tarjan in the form of Pearce (2016)
 *
 * If the whole graph fits, the last step is the only one. The bow-tie is that of Broder et al.,
 * "Graph structure in the web" (2000): two more searches from the largest strong component. */
#ifndef MR_ALGORITHMS_COMPONENTS_COMPONENTS_H
#define MR_ALGORITHMS_COMPONENTS_COMPONENTS_H

#include "engine/names/names.h"
#include "engine/scan/edges.h"
#include "engine/store/store.h"

struct mr_components_options {
    bool only_weak; /* strong components and the bow-tie are not wanted */
    /* for tests: never hold edges in memory, always take the steps before it */
    bool never_in_memory;
};

enum mr_bow_tie {
    MR_BOW_TIE_CORE, /* the largest strong component */
    MR_BOW_TIE_IN, /* reach the core */
    MR_BOW_TIE_OUT, /* reached from the core */
    MR_BOW_TIE_TENDRILS, /* the rest of the weak component of the core */
    MR_BOW_TIE_DISCONNECTED, /* other weak components */
    MR_BOW_TIE_PARTS
};

enum { MR_COMPONENT_SIZE_CLASSES = 33 };

/* Components of `from` to 2 * from - 1 vertices. */
struct mr_component_class {
    uint64_t from, n_components, n_vertices;
};

struct mr_component_figures {
    uint64_t n_components;
    uint64_t largest; /* vertices of the largest component */
    uint32_t largest_label; /* its label; of several, that of the lowest position */
    uint64_t n_single; /* components of one vertex */
    const struct mr_component_class *by_size; /* [n_by_size]: of `classes`, those with components */
    uint64_t n_by_size; /* behind `by_size`, as in struct mr_rank_array */
    struct mr_component_class classes[MR_COMPONENT_SIZE_CLASSES];
};

struct mr_components {
    struct mr_memory *memory;
    uint64_t n_vertices;
    /* [n_vertices]: the member of its component that comes first in the order of positions */
    uint32_t *weak;
    uint32_t *strong; /* NULL with only_weak */
    struct mr_component_figures weak_figures, strong_figures;
    uint64_t bow_tie[MR_BOW_TIE_PARTS]; /* vertices of each part */
    uint64_t *reached,
        *reaching; /* bits: reached from the core, reach it; for mr_components_part */
    struct mr_edges_figures read;
    double readings; /* edges read, in readings of the whole graph */
    uint64_t n_trimmed; /* vertices that trimming settled */
    uint64_t n_colour_rounds;
    uint64_t n_in_memory; /* vertices that were settled in memory */
};

/* Compute the components. `names` tells the order of positions. The caller frees `result` with
 * mr_components_free; it is zero after an error. Memory: 8 bytes per vertex and some bits; the weak
 * labels wait on disk (4 bytes per vertex) while the strong ones are computed. Same result for any
 * threads and memory. Errors: CORRUPT, RUNTIME, BUDGET, INTERRUPTED. */
enum mr_status mr_components_find(const struct mr_context *context, struct mr_store *store,
                                  struct mr_names *names,
                                  const struct mr_components_options *options,
                                  struct mr_components *result,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_components_free(struct mr_components *result);

/* The part of the bow-tie that a vertex is in; not with only_weak. */
enum mr_bow_tie mr_components_part(const struct mr_components *result, uint32_t vertex);

/* Bytes that mr_components_find takes at the least, and what of them the result has. */
uint64_t mr_components_memory(const struct mr_store_info *info, bool only_weak);
uint64_t mr_components_result_memory(const struct mr_store_info *info, bool only_weak);

#endif
