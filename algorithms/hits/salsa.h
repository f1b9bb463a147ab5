/* SALSA: hubs and authorities by a random walk to and fro over the links, and degrees, the simplest of all.
 *
 * The walk of Lempel and Moran (2001) steps along a link to a page and back along another one. In each
 * connected part of the graph whose nodes are pages as hubs on one side and pages as authorities on the other, its
 * limit is known: a page's authority is its share of the part's links, times the part's share of all
 * authorities, where the walk starts; hubs likewise. So nothing is iterated: the parts are found in one
 * reading of the links (union-find), the rest is degrees.
 *
 * Of a store that mr_store_open_weights opened the walk takes links in proportion to their weights: what counts is
 * strengths, the sums of a page's weights, in place of degrees. Weights of classes (class_weights.h) do not count. */
#ifndef MR_ALGORITHMS_HITS_SALSA_H
#define MR_ALGORITHMS_HITS_SALSA_H

#include "engine/store/store.h"

struct mr_salsa_result {
    double *hubs, *authorities; /* [n_vertices], each sums to 1, or all 0 without links; owned */
    struct mr_memory *memory;
    uint64_t n_vertices;
    uint64_t n_parts; /* connected parts with links */
    uint64_t n_hubs, n_authorities; /* pages with links out, with links in */
    uint64_t largest_hubs, largest_authorities; /* of the part with most links, or weight */
};

/* Exact but for rounding: relative error below 1e-14 of each score; with weights that of strengths comes in, 2^-53 per
 * link of a page at most. Memory: 16 bytes per vertex, and 32 more that are given back at the end. One reading of the
 * links, in one thread. Errors: CORRUPT, BUDGET, INTERRUPTED; `result` is zero then. */
enum mr_status mr_salsa(const struct mr_context *context, struct mr_store *store,
                        struct mr_salsa_result *result, struct mr_error *err) MR_WARN_UNUSED;

/* In- and out-degrees as scores, in `hubs` (out) and `authorities` (in): whole numbers, duplicates counted; or
 * strengths. Reads the degrees, no links; 16 bytes per vertex. */
enum mr_status mr_degree_rank(const struct mr_context *context, struct mr_store *store,
                              struct mr_salsa_result *result, struct mr_error *err) MR_WARN_UNUSED;

void mr_salsa_result_free(struct mr_salsa_result *result);

#endif
