/* SPDX-License-Identifier: Apache-2.0 */
/* What the builds from memory and from files share. */
#ifndef MR_LIBRARY_BUILD_INTERNAL_H
#define MR_LIBRARY_BUILD_INTERNAL_H

#include "engine/builder/build.h"

/* Convert `given`, which may be NULL, and check everything that does not depend on the source. */
enum mr_status mr_store_build_copy_options(const struct mr_store_build_options *given,
                                           struct mr_store_build_options *options,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* Build a store from a callback, with options from the function above. If `named` is not NULL, the
 * callback gives ids that mr_build_name of `*named` returned: the vertices are the names that
 * occur, in the order of host and path, and options->n_vertices must be 0. */
enum mr_status mr_store_build_next(const struct mr_context *context, const char *path,
                                   mr_edge_callback next, void *next_data, struct mr_build **named,
                                   const struct mr_store_build_options *options,
                                   struct mr_store_build_figures *figures,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* The same from arrays. */
enum mr_status mr_store_build_arrays(const struct mr_context *context, const char *path,
                                     const struct mr_memory_edges *arrays,
                                     const struct mr_store_build_options *options,
                                     struct mr_store_build_figures *figures,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
