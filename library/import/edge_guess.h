/* SPDX-License-Identifier: Apache-2.0 */
/* How many links inputs have that were not read yet. */
#ifndef MR_LIBRARY_IMPORT_EDGE_GUESS_H
#define MR_LIBRARY_IMPORT_EDGE_GUESS_H

#include "engine/base/context.h"
#include "formats/stream/input_paths.h"

struct mr_edge_guess {
    uint64_t edges;
    bool is_rough; /* some are compressed text, or a pipe, which counts for none */
};

/* Add the number of lines that a text seems to have, from its size and the length of some lines. A
 * pipe is not read. */
enum mr_status mr_edge_guess_lines(const struct mr_context *context,
                                   const struct mr_input_path *path, struct mr_edge_guess *guess,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
