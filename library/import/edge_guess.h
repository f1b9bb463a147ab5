/* SPDX-License-Identifier: Apache-2.0 */
/* How many links inputs have that were not read yet. */
#ifndef MR_LIBRARY_IMPORT_EDGE_GUESS_H
#define MR_LIBRARY_IMPORT_EDGE_GUESS_H

#include "engine/base/context.h"

struct mr_edge_guess {
    uint64_t edges;
    bool is_rough; /* some are compressed text, or a pipe, which counts for none */
};

/* Number of edges that `inputs[n_inputs]` seem to have, from their heads, or from their sizes
 * and the length of some lines of each. Inputs that are not files count as empty. */
enum mr_status mr_edge_guess_make(const struct mr_context *context, const char *const *inputs,
                                  size_t n_inputs, struct mr_edge_guess *guess,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
