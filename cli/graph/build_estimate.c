/* SPDX-License-Identifier: Apache-2.0 */
/* --estimate of what builds a store from inputs. */
#include "cli/graph/build_estimate.h"

#include <string.h>

#include "engine/base/memory.h"
#include "engine/builder/build.h"
#include "library/import/edge_guess.h"

/* Of the builder, per edge, while it is sorted. */
#define SORT_EDGE_BYTES 12u

enum mr_status mr_import_guess_edges(struct mr_session *session, const char *const *inputs,
                                     size_t n_inputs, uint64_t *edges, struct mr_error *err)
{
    for (size_t i = 0; i < n_inputs; i++) {
        if (strcmp(inputs[i], "-") == 0) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "--estimate: nothing is known about standard input; name a file");
        }
    }
    struct mr_edge_guess guess;
    const enum mr_status status =
        mr_edge_guess_make(&session->context, inputs, n_inputs, &guess, err);
    *edges = guess.edges;
    return status;
}

struct mr_estimate mr_build_estimate(const struct mr_session *session, uint64_t edges,
                                     bool undirected)
{
    const uint64_t spooled = undirected ? 2 * edges : edges;
    const uint64_t wanted = MR_MEMORY_FLOOR_BYTES + SORT_EDGE_BYTES * spooled;
    return (struct mr_estimate){
        .memory_bytes = wanted < session->memory_limit ? wanted : session->memory_limit,
        .temporary_bytes =
            mr_build_temporary_bytes(&session->context, MR_IDS_SPARSE, edges, undirected)};
}
