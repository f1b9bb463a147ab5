/* SPDX-License-Identifier: Apache-2.0 */
/* Which links and pages of the last store are not in the next one: the links of pages whose new
 * links replace them, those of pages that are gone, and gone pages without a link to them. Internal
 * to the engine. */
#ifndef MR_ENGINE_BUILDER_APPEND_OLD_H
#define MR_ENGINE_BUILDER_APPEND_OLD_H

#include "engine/builder/append.h"
#include "engine/scan/vertex_set.h"

/* The last store and the delta, which is NULL if there is none. */
struct mr_append_pair {
    const struct mr_context *context;
    struct mr_store *stores[2];
    const uint32_t *vertices[2]; /* of each, [n_vertices]: its position in both; NULL: it stays */
    uint64_t n_vertices; /* of both */
    const struct mr_append_options *options;
};

/* Find the vertices of the last store whose own links go. `fresh` gets the positions of the pages
 * that the delta has links of, or has as fetched and that are not gone; `gone` those that the
 * options call gone. The sets are of the caller, who destroys them in any case. Counts n_replaced.
 */
enum mr_status mr_append_old_find(const struct mr_append_pair *pair, struct mr_vertex_set *old,
                                  struct mr_vertex_set *fresh, struct mr_vertex_set *gone,
                                  struct mr_store_append_figures *summary,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Count the links of `old` vertices that the delta has as well. `differences` is NULL, or zeros
 * that get, at the position of each `old` vertex, the number of its links that only one of both
 * has. Reads the last store once, or several times if 8 bytes for each link of the delta exceed a
 * half of the memory. */
enum mr_status mr_append_old_in_delta(const struct mr_append_pair *pair,
                                      const struct mr_vertex_set *old, uint32_t *differences,
                                      uint64_t *n_links, struct mr_error *err) MR_WARN_UNUSED;

/* Find the positions of gone pages that nothing but a link of an `old` vertex or of the page itself
 * leads to, and their number. Reads both stores once. Counts n_gone and n_dropped: pages that the
 * last store has. */
enum mr_status mr_append_old_unlinked(const struct mr_append_pair *pair,
                                      const struct mr_vertex_set *old,
                                      const struct mr_vertex_set *fresh,
                                      struct mr_vertex_set *unlinked, uint64_t *n_unlinked,
                                      struct mr_store_append_figures *summary,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
