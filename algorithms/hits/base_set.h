/* Kleinberg's base set of a query: the pages found (the root set), those they link to, and some of those
 * that link to them (Kleinberg 1999, section 2). */
#ifndef MR_ALGORITHMS_HITS_BASE_SET_H
#define MR_ALGORITHMS_HITS_BASE_SET_H

#include "engine/base/vertex_weight.h"
#include "engine/scan/vertex_set.h"
#include "engine/store/store.h"

#define MR_BASE_SET_ALL UINT64_MAX

/* Add to `members`, an empty set over the store's vertices, roots[n_roots] (ascending), every page that a
 * root links to, and of the pages that link to a root the first `most_in_links` in store order, for each
 * root; the set is ranked then. Kleinberg takes 50, so that one popular page does not bring in half the
 * web. One reading of the links. */
enum mr_status mr_base_set(const struct mr_context *context, struct mr_store *store,
                           const struct mr_vertex_weight *roots, uint64_t n_roots,
                           uint64_t most_in_links, struct mr_vertex_set *members,
                           struct mr_error *err) MR_WARN_UNUSED;

#endif
