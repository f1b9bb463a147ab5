/* One writer of a store at a time. Internal to the engine.
 *
 * The lock is flock(2) on the file LOCK inside the store's directory, which holds the writer's pid and is
 * gone when nobody writes. A writer that dies leaves the file, not the lock. Readers take no notice. */
#ifndef MR_ENGINE_IO_STORE_LOCK_H
#define MR_ENGINE_IO_STORE_LOCK_H

#include "engine/base/error.h"

#define MR_LOCK_NAME "LOCK"

struct mr_store_lock;

/* Lock the store in the directory `store`, or fail at once: RUNTIME, naming the process that has it. */
enum mr_status mr_store_lock_take(const char *store, struct mr_store_lock **out,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Takes NULL. */
void mr_store_lock_release(struct mr_store_lock *lock);

#endif
