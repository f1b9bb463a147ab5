/* SPDX-License-Identifier: Apache-2.0 */
/* The core-first order: which vertices of a build have out-edges. Internal to the builder. */
#ifndef MR_ENGINE_BUILDER_VERTICES_CORE_ORDER_H
#define MR_ENGINE_BUILDER_VERTICES_CORE_ORDER_H

#include "engine/builder/edges/spool_scan.h"
#include "engine/store/core_map.h"

/* Find the vertices that have out-edges, in a sealed spool whose vertices have numbers and no order
 * yet. `core` gets a sealed map, which the caller frees. One scan of the spool. */
enum mr_status mr_core_order_find(const struct mr_context *context,
                                  const struct mr_spool_scan *scan, uint64_t n_vertices,
                                  struct mr_core_map *core, struct mr_error *err) MR_WARN_UNUSED;

#endif
