/* SPDX-License-Identifier: Apache-2.0 */
/* Running a generator of edges: all threads make units of edges, which are handed over in order to
 * the builder or to another sink. */
#ifndef MR_GENERATORS_GENERATE_H
#define MR_GENERATORS_GENERATE_H

#include "engine/builder/build.h"

/* A growing array, charged to a budget. Zeroed except for `memory` it is empty. */
struct mr_edge_list {
    struct mr_memory *memory;
    struct mr_edge *edges; /* [capacity] */
    uint64_t n_edges, capacity;
};

/* Make room for `more` items after the existing ones. Errors: BUDGET. */
enum mr_status mr_edge_list_reserve(struct mr_edge_list *list, size_t more,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_edge_list_free(struct mr_edge_list *list);

/* A graph cut into units. Each unit can be made alone. */
struct mr_generator {
    uint64_t n_units;
    uint64_t n_edges; /* approximately, for progress; 0: unknown */
    const void *model;
    size_t scratch_bytes; /* zeroed once for each thread; 0: none */
    /* Appends the edges of `unit` to `list`. Thread-safe if each thread has its own `scratch`. */
    enum mr_status (*make)(const void *model, uint64_t unit, void *scratch,
                           struct mr_edge_list *list, struct mr_error *err);
};

/* The receiver of edges. */
struct mr_edge_sink {
    void *data;
    /* Takes the units in order, one at a time. */
    enum mr_status (*take)(void *data, const struct mr_edge *edges, size_t n_edges,
                           struct mr_error *err);
    /* Instead of `take`: makes all units itself, with its own threads. */
    enum mr_status (*make)(void *data, const struct mr_context *context,
                           const struct mr_generator *generator, struct mr_error *err);
};

/* Passes all edges of `generator` to `sink`, the same for any number of threads; reports progress
 * "generate". Memory: the edges of one unit per thread. */
enum mr_status mr_generate(const struct mr_context *context, const struct mr_generator *generator,
                           const struct mr_edge_sink *sink, struct mr_error *err) MR_WARN_UNUSED;

/* A sink that passes all edges to mr_build_edges. */
struct mr_edge_sink mr_build_sink(struct mr_build *build);

#endif
