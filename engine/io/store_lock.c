/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a store's writer. Publication takes it before it looks at an existing store, and
 * releases it at the end. flock(2) is used because the kernel releases it when a process dies. */
#include "engine/io/store_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PID_BYTES = 32, TRIES = 100 };

struct mr_store_lock {
    int fd;
    char path[]; /* of the file LOCK */
};

/* True if the open file still has the name `path`. Between open and flock its owner may have
 * removed it, or somebody may have replaced the whole store. */
static bool is_current(const char *path, int fd)
{
    struct stat named, opened;
    return stat(path, &named) == 0 && fstat(fd, &opened) == 0 && named.st_ino == opened.st_ino &&
           named.st_dev == opened.st_dev;
}

static enum mr_status taken(const char *store, int fd, struct mr_error *err)
{
    char text[PID_BYTES] = "";
    const ssize_t bytes = pread(fd, text, sizeof text - 1, 0);
    const long pid = bytes > 0 ? strtol(text, NULL, 10) : 0;
    if (pid > 0) {
        return mr_error_file(err, MR_ERROR_RUNTIME, store, 0,
                             "is being written by process %ld; wait for it, or end it", pid);
    }
    return mr_error_file(err, MR_ERROR_RUNTIME, store, 0,
                         "is being written by another process; wait for it");
}

/* Tries to lock once. `*fd` is -1 if the caller has to try again. */
static enum mr_status try_once(const char *store, const char *path, int *fd, struct mr_error *err)
{
    *fd = (int)TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (*fd < 0) {
        return mr_error_file(err, MR_ERROR_RUNTIME, path, errno, "cannot lock the store");
    }
    if (flock(*fd, LOCK_EX | LOCK_NB) != 0) {
        const enum mr_status status =
            errno == EWOULDBLOCK
                ? taken(store, *fd, err)
                : mr_error_file(err, MR_ERROR_RUNTIME, path, errno, "cannot lock the store");
        (void)close(*fd);
        return status;
    }
    if (!is_current(path, *fd)) {
        (void)close(*fd);
        *fd = -1;
    }
    return MR_OK;
}

enum mr_status mr_store_lock_hold(const char *store, struct mr_store_lock **out,
                                  struct mr_error *err)
{
    /* Use the real path: a link that leads to the store may be replaced meanwhile. */
    char *real = realpath(store, NULL);
    const size_t bytes = real == NULL ? 0 : strlen(real) + sizeof "/" MR_LOCK_NAME;
    struct mr_store_lock *lock = real == NULL ? NULL : calloc(1, sizeof *lock + bytes);
    char text[PID_BYTES];
    enum mr_status status = MR_OK;

    *out = NULL;
    if (lock == NULL) {
        free(real);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a lock");
    }
    lock->fd = -1;
    (void)snprintf(lock->path, bytes, "%s/%s", real, MR_LOCK_NAME);
    free(real);
    for (unsigned i = 0; i < TRIES && lock->fd < 0 && status == MR_OK; i++) {
        status = try_once(store, lock->path, &lock->fd, err);
    }
    if (status == MR_OK && lock->fd < 0) {
        status = mr_error_file(err, MR_ERROR_RUNTIME, store, 0,
                               "is being written by others all the time; try again");
    }
    if (status != MR_OK) {
        free(lock);
        return status;
    }
    const int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(lock->fd, 0) != 0 || pwrite(lock->fd, text, (size_t)length, 0) != length) {
        /* The pid only informs people. If the disk is full, a later write reports it. The ! keeps
         * compilers quiet that want the result used. */
        (void)!ftruncate(lock->fd, 0);
    }
    *out = lock;
    return MR_OK;
}

void mr_store_lock_release(struct mr_store_lock *lock)
{
    if (lock == NULL) {
        return;
    }
    if (is_current(lock->path, lock->fd)) {
        (void)unlink(lock->path);
    }
    (void)close(lock->fd);
    free(lock);
}
