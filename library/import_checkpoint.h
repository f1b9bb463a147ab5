/* SPDX-License-Identifier: Apache-2.0 */
/* build --checkpoint: what an import says that its links depend on, so that only one of the same
 * goes on. */
#ifndef MR_LIBRARY_IMPORT_CHECKPOINT_H
#define MR_LIBRARY_IMPORT_CHECKPOINT_H

#include "library/import_options.h"

/* The text for mr_build_options.checkpoint_text, to be freed: how inputs are read, and which
 * they are, by path, size and time. Errors: USAGE for an input that is no file, so that nobody
 * can tell later whether it is the same. */
enum mr_status mr_import_checkpoint_text(const struct mr_import_options *options,
                                         const struct mr_graph_format *format,
                                         const char *const *inputs, size_t n_inputs, char **text,
                                         struct mr_error *err) MR_WARN_UNUSED;

/* What was read, as notes of the build, and back. */
void mr_import_checkpoint_notes(const struct mr_edge_text_summary *summary,
                                uint64_t notes[MR_BUILD_NOTES]);
void mr_import_checkpoint_summary(const uint64_t notes[MR_BUILD_NOTES],
                                  struct mr_edge_text_summary *summary);

#endif
