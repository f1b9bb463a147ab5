/* SPDX-License-Identifier: Apache-2.0 */
/* Locks on temporary names. Publication (publish.c) and the workspace of a run (workspace.c) hold
 * one on each temporary name, and ask for the locks of others before they remove leftovers. Names
 * alone do not suffice: process ids come back, and containers that share a disk do not share them.
 */
#include "engine/io/leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Somebody who looks for leftovers may take a new name away before it is locked. */
enum { TRIES = 100 };

/* Is `fd` still what `path` names? */
static bool is_current(const char *path, int fd)
{
    struct stat named, opened;
    return lstat(path, &named) == 0 && fstat(fd, &opened) == 0 && named.st_ino == opened.st_ino &&
           named.st_dev == opened.st_dev;
}

/* Tries to lock. Returns false if somebody else has the lock. `*supported` is false where the file
 * system has no locks, or not for this descriptor. */
static bool try_lock(int fd, bool *supported)
{
    const int failure = flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    *supported = failure == 0 || failure == EWOULDBLOCK;
    return failure != EWOULDBLOCK;
}

/* Locks what was just made. Returns false if it was taken away. */
static bool hold(const char *path, int fd, int *lock)
{
    bool supported;
    if (!try_lock(fd, &supported) || !is_current(path, fd)) {
        (void)close(fd);
        return false;
    }
    if (!supported) {
        (void)close(fd);
        fd = -1;
    }
    *lock = fd;
    return true;
}

enum mr_status mr_leftover_make_file(const char *path, int *lock, struct mr_error *err)
{
    *lock = -1;
    for (unsigned i = 0; i < TRIES; i++) {
        const int fd = (int)TEMP_FAILURE_RETRY(
            open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
        if (fd < 0) {
            const bool full = errno == ENOSPC || errno == EDQUOT;
            return mr_error_file(err, full ? MR_ERROR_BUDGET : MR_ERROR_RUNTIME, path, errno,
                                 "cannot create");
        }
        if (hold(path, fd, lock)) {
            return MR_OK;
        }
    }
    return mr_error_file(err, MR_ERROR_RUNTIME, path, 0, "is taken away all the time; try again");
}

enum mr_status mr_leftover_make_dir(struct mr_io *io, const char *path, int *lock,
                                    struct mr_error *err)
{
    *lock = -1;
    for (unsigned i = 0; i < TRIES; i++) {
        const enum mr_status status = mr_io_make_dir(io, path, err);
        if (status != MR_OK) {
            return status;
        }
        const int fd =
            (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (fd < 0 && errno != ENOENT) {
            return MR_OK; /* such as a directory without the right to read: it has no lock */
        }
        if (fd >= 0 && hold(path, fd, lock)) {
            return MR_OK;
        }
    }
    return mr_error_file(err, MR_ERROR_RUNTIME, path, 0, "is taken away all the time; try again");
}

bool mr_leftover_is_free(const char *path, pid_t pid, int *lock)
{
    bool supported = false;
    *lock = -1;
    const int fd = (int)TEMP_FAILURE_RETRY(
        open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY));
    if (fd >= 0) {
        if (!try_lock(fd, &supported) || !is_current(path, fd)) {
            (void)close(fd);
            return false;
        }
        if (supported) {
            *lock = fd;
            return true;
        }
        (void)close(fd);
    }
    return pid == getpid() || (kill(pid, 0) != 0 && errno == ESRCH);
}

void mr_leftover_close(int lock)
{
    if (lock >= 0) {
        (void)close(lock);
    }
}
