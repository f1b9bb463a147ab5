/* SPDX-License-Identifier: Apache-2.0 */
/* The lock that allows one writer of a store, or of a directory of outputs, at a time.
 *
 * The lock is flock(2) on the file LOCK in the store's directory. The file has the writer's pid and
 * exists only while somebody writes. A writer that dies leaves the file without the lock. Readers
 * ignore it. */
#ifndef MR_ENGINE_IO_STORE_LOCK_H
#define MR_ENGINE_IO_STORE_LOCK_H

#include "engine/base/error.h"

#define MR_LOCK_NAME "LOCK"

struct mr_store_lock;

/* Locks the store in the directory `store`, or fails at once: RUNTIME; the message names the
 * process that has the lock. */
enum mr_status mr_store_lock_hold(const char *store, struct mr_store_lock **out,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Releases the lock and removes the file. Takes NULL. */
void mr_store_lock_release(struct mr_store_lock *lock);

#endif
