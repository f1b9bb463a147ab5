/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices that an export or a ranking is limited to: those in a list of names, those of a
 * host, or those of the largest component. */
#ifndef MR_CLI_GRAPH_SUBSET_H
#define MR_CLI_GRAPH_SUBSET_H

#include "engine/names/names.h"
#include "engine/scan/vertex_set.h"
#include "engine/store/store.h"

/* The functions fill a zeroed set and rank it. Destroy the set even after an error. */

/* Reads the names of pages, hosts or domains from the lines of `path` ("-": standard input), as all
 * lists of pages do (formats/pages/page_list.h), which also has the errors. */
enum mr_status mr_subset_of_list(struct mr_vertex_set *subset, const struct mr_context *context,
                                 struct mr_names *names, const struct mr_store_info *info,
                                 uint64_t max_unknown, const char *path,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Finds the pages of a host, with any scheme and port; `host` is written as in a URL. Cost: one
 * reading of all names. Errors: INPUT where the store has no page of the host, USAGE where its
 * names are not URLs. */
enum mr_status mr_subset_of_host(struct mr_vertex_set *subset, const struct mr_context *context,
                                 struct mr_names *names, mr_name_key key, uint64_t n_vertices,
                                 const char *host, struct mr_error *err) MR_WARN_UNUSED;

/* Finds the pages of the largest component, weakly or strongly connected; of several the first one
 * in the order of the names. `directory` is for a temporary file where there is no --tmp. */
enum mr_status mr_subset_of_largest(struct mr_vertex_set *subset, const struct mr_context *context,
                                    struct mr_store *store, struct mr_names *names, bool is_strong,
                                    const char *directory, struct mr_error *err) MR_WARN_UNUSED;

#endif
