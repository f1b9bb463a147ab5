/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices that an export or a ranking is limited to: listed ones, those of a host, or those of
 * the largest component. */
#ifndef MR_LIBRARY_QUERY_SUBSET_H
#define MR_LIBRARY_QUERY_SUBSET_H

#include "engine/names/names.h"
#include "engine/scan/vertex_set.h"
#include "engine/store/store.h"

/* USAGE if one of `vertices[n]` is not a vertex of the store. */
enum mr_status mr_vertices_check(const struct mr_store *store, const uint32_t *vertices, uint64_t n,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* The functions fill a zeroed set and rank it. Destroy the set even after an error. The members are
 * positions: `positions[n_vertices]` has that of each vertex; NULL: its number. */

enum mr_status mr_subset_of_list(struct mr_vertex_set *subset, const struct mr_context *context,
                                 const struct mr_store *store, const uint32_t *positions,
                                 const uint32_t *vertices, uint64_t n,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Finds the pages of a host (formats/url/host.h), with any scheme, user and port; `host` is written
 * as in a URL. Cost: one reading of all names. Errors: INPUT if the store has no page of the
 * host, USAGE if its names are not URLs. */
enum mr_status mr_subset_of_host(struct mr_vertex_set *subset, const struct mr_context *context,
                                 const struct mr_store *store, struct mr_names *names,
                                 const char *host, struct mr_error *err) MR_WARN_UNUSED;

/* Finds the pages of the largest component, weakly or strongly connected; of several the first one
 * in the order of the names. */
enum mr_status mr_subset_of_largest(struct mr_vertex_set *subset, const struct mr_context *context,
                                    struct mr_store *store, struct mr_names *names,
                                    const uint32_t *positions, bool is_strong,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
