/* The links of stores into the build of another: what append, compact and transpose have in common. Internal to
 * the engine. */
#ifndef MR_ENGINE_BUILD_LINK_FEED_H
#define MR_ENGINE_BUILD_LINK_FEED_H

#include "engine/build/internal.h"

struct mr_link_source {
    struct mr_store *store;
    const uint32_t
        *vertices; /* what its vertices are in the build; NULL: they keep their numbers */
};

/* Build `change` at `path`, with the links of `sources`[n_sources], and with their weights where the options say
 * so. One pass over each. */
enum mr_status mr_build_of_links(const struct mr_context *context, const char *path,
                                 const struct mr_build_options *options,
                                 const struct mr_build_change *change,
                                 const struct mr_link_source *sources, unsigned n_sources,
                                 struct mr_build_summary *summary,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* What vertices of `store` are where names are at places (engine/store/vertex_order.h), after `moved` [n_vertices], or
 * NULL: a budgeted allocation, or NULL where all stay and `moved` is NULL. */
enum mr_status mr_places_of_links(const struct mr_context *context, struct mr_store *store,
                                  const uint32_t *moved, uint32_t **vertices,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
