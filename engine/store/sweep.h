/* SPDX-License-Identifier: Apache-2.0 */
/* Removes files of a store that none of its parts uses. */
#ifndef MR_ENGINE_STORE_SWEEP_H
#define MR_ENGINE_STORE_SWEEP_H

#include "engine/store/store.h"

/* Removes the files of earlier generations, and of appends that failed; readers of these files have
 * them open. The caller holds the store's lock. Best effort. */
void mr_store_sweep(const struct mr_context *context, const struct mr_store *store);

#endif
