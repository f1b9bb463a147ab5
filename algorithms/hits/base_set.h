/* SPDX-License-Identifier: Apache-2.0 */
/* Kleinberg's base set of a query: the pages that the query found (the root set), their targets,
 * and some of the pages that link to them (Kleinberg 1999, section 2). */
#ifndef MR_ALGORITHMS_HITS_BASE_SET_H
#define MR_ALGORITHMS_HITS_BASE_SET_H

#include "engine/scan/vertex_set.h"
#include "engine/store/store.h"
#include "millrace/weights.h"

#define MR_BASE_SET_ALL UINT64_MAX

/* Add the base set to `members`, an empty set over the store's vertices: roots[n_roots]
 * (ascending), every target of a root, and for each root the first `most_in_links` sources in store
 * order. Then rank the set. Kleinberg takes 50 in-edges, so that one popular page does not bring in
 * half the web. Time: one pass over the edges. */
enum mr_status mr_base_set(const struct mr_context *context, struct mr_store *store,
                           const struct mr_vertex_weight *roots, uint64_t n_roots,
                           uint64_t most_in_links, struct mr_vertex_set *members,
                           struct mr_error *err) MR_WARN_UNUSED;

#endif
