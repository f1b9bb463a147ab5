/* The files of a store that belong to none of its parts. */
#ifndef MR_ENGINE_STORE_SWEEP_H
#define MR_ENGINE_STORE_SWEEP_H

#include "engine/store/store.h"

/* Remove the files of generations that are no more, or never were: whoever reads one has it open. The store
 * is locked. Best effort. */
void mr_store_sweep(const struct mr_context *context, const struct mr_store *store);

#endif
