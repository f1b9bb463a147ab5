/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary names and the processes that use them. Internal to the engine.
 *
 * A process holds a lock, flock(2), on each temporary file and directory as long as it uses it. The
 * kernel releases the lock when the process dies. So the next run can tell what a dead process left
 * from what a live one uses, also where process ids come back or belong to another container. */
#ifndef MR_ENGINE_IO_LEFTOVER_H
#define MR_ENGINE_IO_LEFTOVER_H

#include <sys/types.h>

#include "engine/io/io.h"

/* Makes the file or directory `path`, which must not exist, and locks it. `*lock` is a descriptor,
 * which the caller closes when the file is no longer temporary; -1 where the file system has no
 * locks. Errors: those of creating it. */
enum mr_status mr_leftover_make_file(const char *path, int *lock,
                                     struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_leftover_make_dir(struct mr_io *io, const char *path, int *lock,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* True if no process holds `path`, the temporary name of process `pid`. Then `*lock` keeps others
 * away until the caller has removed it and closes `*lock` (-1: there is nothing to close). Where
 * the file system has no locks, true if the process is dead or this one. */
bool mr_leftover_is_free(const char *path, pid_t pid, int *lock);

/* Closes a lock. Takes -1. */
void mr_leftover_close(int lock);

#endif
