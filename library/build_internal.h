/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions between the public options and figures of a build and those of the builder.
 * build_from_memory.c uses them for edges in memory, build_files.c for files. */
#ifndef MR_LIBRARY_BUILD_INTERNAL_H
#define MR_LIBRARY_BUILD_INTERNAL_H

#include "engine/builder/build.h"

/* Convert `given`, which may be NULL, and check everything that does not depend on the source. */
enum mr_status mr_store_build_copy_options(const struct mr_store_build_options *given,
                                           struct mr_store_build_options *options,
                                           struct mr_error *err) MR_WARN_UNUSED;

void mr_store_build_give(const struct mr_build_summary *summary, uint64_t bad_lines,
                         struct mr_store_build_figures *figures);

#endif
