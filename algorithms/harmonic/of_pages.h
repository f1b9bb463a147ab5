/* SPDX-License-Identifier: Apache-2.0 */
/* Exact harmonic centrality of a few vertices, to check estimates of all of them. */
#ifndef MR_ALGORITHMS_HARMONIC_OF_PAGES_H
#define MR_ALGORITHMS_HARMONIC_OF_PAGES_H

#include "engine/scan/edges.h"
#include "engine/store/store.h"

/* Search in breadth against the edges from `vertices` [n], each below n_vertices, none twice.
 * harmonic[n]: for each the sum of 1/d(u, v) over all u that reach it, in one rounding of exact
 * integers; reach[n]: how many reach it, itself included. 64 vertices at a time: 16 bytes of memory
 * per vertex of the store, and a reading of the edges per distance, of active bands only; one
 * thread. Errors: CORRUPT, RUNTIME, BUDGET, INTERRUPTED. */
enum mr_status mr_harmonic_of_pages(const struct mr_context *context, struct mr_store *store,
                                    const uint32_t *vertices, uint64_t n, double *harmonic,
                                    uint64_t *reach, struct mr_error *err) MR_WARN_UNUSED;

#endif
