/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices that an export or a ranking is limited to: listed ones, those of a host, or those of
 * the largest component. */
#ifndef MR_LIBRARY_QUERY_SUBSET_H
#define MR_LIBRARY_QUERY_SUBSET_H

#include "engine/builder/build.h"
#include "engine/names/names.h"
#include "engine/scan/vertex_set.h"
#include "engine/store/store.h"
#include "formats/score/scores.h"
#include "formats/score/vertex_weights.h"

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

/* ---- Parts of a graph as stores at `path` (parts.c) ----
 *
 * Errors and costs beside those that are said: those of mr_subgraph. */

/* The largest component; a pass over the links or several find it. */
enum mr_status mr_part_of_largest(const struct mr_context *context, struct mr_store *store,
                                  struct mr_names *names, bool is_strong, const char *path,
                                  struct mr_store_build_figures *summary,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Kleinberg's base set: the pages `roots`, those that they link to, and for each the first
 * `most_in_links` (0: all) that link to it (algorithms/hits/hits.h). */
enum mr_status mr_part_of_query(const struct mr_context *context, struct mr_store *store,
                                const struct mr_vertex_weights *roots, uint64_t most_in_links,
                                const char *path, struct mr_store_build_figures *summary,
                                struct mr_error *err) MR_WARN_UNUSED;

/* The graph that Heritrix's offline PageRank ranks: without pages that no link leads to and without
 * self-loops, repeated links once, as its job GenGraph makes it. `*is_whole`: the store is that
 * graph already, and nothing is written. */
enum mr_status mr_part_of_heritrix(const struct mr_context *context, struct mr_store *store,
                                   const char *path, bool *is_whole,
                                   struct mr_store_build_figures *summary,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Write the file that its job passes from round to round: lines PAGE SCORE O:TARGET,TARGET. */
enum mr_status mr_heritrix_write(const struct mr_context *context, struct mr_store *store,
                                 struct mr_names *names, const struct mr_score_column *scores,
                                 const char *path, bool force, struct mr_error *err) MR_WARN_UNUSED;

#endif
