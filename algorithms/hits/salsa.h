/* SPDX-License-Identifier: Apache-2.0 */
/* SALSA, which gives hubs and authorities by a random walk forward and back along the edges, and
 * the degrees.
 *
 * The walk of Lempel and Moran (2001) steps along an edge to a vertex and back along another edge.
 * Take the graph whose nodes are the vertices as hubs on one side and the vertices as authorities
 * on the other. In each connected component of it the limit of the walk is known. The authority of
 * a vertex is its share of the component's edges, times the component's share of all authorities,
 * where the walk starts. Hubs are the same with the sides exchanged. Therefore nothing is iterated:
 * union-find finds the components in one pass over the edges, and degrees give the rest.
 *
 * On a handle from mr_store_open_weights the walk takes edges in proportion to their weights.
 * Strengths, the sums of a vertex's weights, then replace degrees. Weights of classes
 * (mr_store_weigh_classes) do not count. */
#ifndef MR_ALGORITHMS_HITS_SALSA_H
#define MR_ALGORITHMS_HITS_SALSA_H

#include "engine/store/store.h"

struct mr_salsa_result {
    /* [n_vertices], each with the sum 1, or all 0 without edges; freed with the result */
    double *hubs, *authorities;
    struct mr_memory *memory;
    uint64_t n_vertices;
    uint64_t n_parts; /* connected components with edges */
    uint64_t n_hubs, n_authorities; /* vertices with out-edges, with in-edges */
    /* of the component with the most edges, or weight */
    uint64_t largest_hubs, largest_authorities;
    uint64_t passes; /* over the edges */
};

/* The memory that a ranking takes, and what of it the result has. */
uint64_t mr_salsa_memory(const struct mr_store_info *info);
uint64_t mr_degree_memory(const struct mr_store_info *info);
uint64_t mr_degree_result_memory(const struct mr_store_info *info);

/* Compute SALSA. The only error is rounding: each score has a relative error below 1e-14; with
 * weights, at most 2^-53 per edge of a vertex more, from the strengths. Memory: 16 bytes per
 * vertex, and 32 more during the call. Time: one pass over the edges, in one thread. Errors:
 * CORRUPT, BUDGET, INTERRUPTED; `result` is zero then. */
enum mr_status mr_salsa(const struct mr_context *context, struct mr_store *store,
                        struct mr_salsa_result *result, struct mr_error *err) MR_WARN_UNUSED;

/* Out-degrees as scores in `hubs`, in-degrees in `authorities`: whole numbers that count repeated
 * edges; or strengths. Reads the degrees, no edges. Memory: 16 bytes per vertex. */
enum mr_status mr_degree_rank(const struct mr_context *context, struct mr_store *store,
                              struct mr_salsa_result *result, struct mr_error *err) MR_WARN_UNUSED;

void mr_salsa_result_free(struct mr_salsa_result *result);

#endif
