/* From the options of the public face to those of the builder, and back with figures.
 * build_from_memory.c has the sources in memory, build_files.c the files. */
#ifndef MR_LIBRARY_BUILD_INTERNAL_H
#define MR_LIBRARY_BUILD_INTERNAL_H

#include "engine/build/build.h"

/* Take `given`, which may be NULL, and check what does not depend on the source. */
enum mr_status mr_store_build_take(const struct mr_store_build_options *given,
                                   struct mr_store_build_options *options,
                                   struct mr_error *err) MR_WARN_UNUSED;

void mr_store_build_give(const struct mr_build_summary *summary, uint64_t bad_lines,
                         struct mr_store_build_figures *figures);

#endif
