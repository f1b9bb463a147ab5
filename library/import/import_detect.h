/* SPDX-License-Identifier: Apache-2.0 */
/* What inputs are, before they are read. */
#ifndef MR_LIBRARY_IMPORT_DETECT_H
#define MR_LIBRARY_IMPORT_DETECT_H

#include "formats/stream/input_paths.h"
#include "library/import/import_options.h"

/* The format of `input`, `path` open and not read: the one of the options, or what it is. Text
 * behind files of vertices, whose format is `vertices`, is more of them or their links; NULL: there
 * are none. `*format` is NULL if there are only blank lines and comments. Errors: INPUT for what is
 * plainly not of the format of the options, USAGE for an option that the format has no use for. */
enum mr_status mr_import_choose(const struct mr_import_options *options,
                                const struct mr_graph_format *vertices,
                                const struct mr_input_path *path, struct mr_input *input,
                                const struct mr_graph_format **format,
                                struct mr_error *err) MR_WARN_UNUSED;

#endif
