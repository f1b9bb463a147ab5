/* SPDX-License-Identifier: Apache-2.0 */
/* Links that count for less than others by their class: links inside a host less than those between
 * hosts, or the other way round, without another store. A page hands on to what it links to in
 * proportion to what the links count. */
#ifndef MR_ENGINE_PASS_CLASS_WEIGHTS_H
#define MR_ENGINE_PASS_CLASS_WEIGHTS_H

#include "engine/store/store.h"

/* From now on a pass over `store`, opened with all of its classes, adds weight * x[source] for each
 * link, and its callbacks have out-strengths. `weights`, by class, are finite and above 0; only
 * their ratio matters: they are divided by the largest. Memory: 8 bytes per vertex, until the store
 * is closed. Time: the out-degrees are read twice. Errors: USAGE where the store has one class, or
 * not all of them are open. */
enum mr_status mr_store_weigh_classes(const struct mr_context *context, struct mr_store *store,
                                      const double weights[MR_CLASSES_MAX],
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
