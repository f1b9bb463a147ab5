/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the vertices that have out-edges, so that the builder can number them first. Rankings read
 * only these in their passes (engine/pass/pass.h). The scan runs before the edges are counted,
 * since the numbers decide in which band an edge is. */
#include "engine/builder/vertices/core_order.h"

static enum mr_status mark_sources(void *data, unsigned worker, const uint32_t (*pairs)[2],
                                   const float *weights, size_t n_pairs, struct mr_error *err)
{
    struct mr_core_map *core = data;
    (void)worker;
    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        mr_core_map_add(core, pairs[i][0]);
    }
    return MR_OK;
}

enum mr_status mr_core_order_find(const struct mr_context *context,
                                  const struct mr_spool_scan *scan, uint64_t n_vertices,
                                  struct mr_core_map *core, struct mr_error *err)
{
    enum mr_status status = mr_core_map_create(context->memory, n_vertices, core, err);
    if (status == MR_OK) {
        status = mr_spool_scan_pairs(context, scan, mark_sources, core, err);
    }
    if (status == MR_OK) {
        mr_core_map_seal(core);
    }
    return status;
}
