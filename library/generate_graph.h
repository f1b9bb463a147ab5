/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic graphs in stores and files, for the program. */
#ifndef MR_LIBRARY_GENERATE_GRAPH_H
#define MR_LIBRARY_GENERATE_GRAPH_H

#include "generators/generate.h"

/* Build a store of `graph` at `path`. `is_named`: its vertices have their names, reversed hosts if
 * it `has_hosts`, else URLs. `wanted` has the other options. */
enum mr_status mr_generate_store(const struct mr_context *context, const char *path,
                                 const struct mr_generator *graph, bool is_named, bool has_hosts,
                                 const struct mr_build_options *wanted,
                                 struct mr_store_build_figures *summary,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Write its edges to a file of pairs, of numbers if that is a .u32, else of text. */
enum mr_status mr_generate_file(const struct mr_context *context, const char *path,
                                const struct mr_generator *graph, bool is_named, bool force,
                                uint64_t *n_pairs, struct mr_error *err) MR_WARN_UNUSED;

/* Write lines of a number and its name. */
enum mr_status mr_generate_names(const struct mr_context *context, const char *path,
                                 const struct mr_generator *graph, bool force,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
