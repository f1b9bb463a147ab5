/* SPDX-License-Identifier: Apache-2.0 */
/* The real back end of the table in io.h: Linux system calls. It handles EINTR and file systems
 * that lack an operation, and nothing else, so that io.c can treat all back ends alike. It has no
 * state: `self` is NULL. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/bytes.h"
#include "engine/io/io.h"

enum { PROBE_BYTES = 4096 };

/* One call moves at most 0x7ffff000 bytes; a limit of 1 GiB keeps a direct transfer aligned when it
 * is cut. */
#define MAX_MOVE_BYTES ((uint64_t)1 << 30)

/* Switches O_DIRECT on where it works. open(2) cannot do it: on file systems that refuse O_DIRECT,
 * open with O_CREAT fails only after it made the file, and O_EXCL then fails the second attempt.
 * Some file systems accept the flag and refuse the reads (their block size is larger), so this
 * function tries a read. An empty or write-only file passes untested. */
static bool enable_direct(int fd, bool readable)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_DIRECT) != 0) {
        return false;
    }
    if (readable) {
        _Alignas(PROBE_BYTES) uint8_t block[PROBE_BYTES];
        if (pread(fd, block, sizeof block, 0) < 0 && (errno == EINVAL || errno == ENOTSUP)) {
            (void)fcntl(fd, F_SETFL, flags);
            return false;
        }
    }
    return true;
}

/* Decides about a file that was opened with O_NONBLOCK. Returns 0 or an errno. A regular file loses
 * the flag, because io_uring would answer EAGAIN instead of waiting for the disk. */
static int settle(int fd, bool stream)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return errno;
    }
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        return stream ? 0 : ESPIPE;
    }
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0 ? 0 : errno;
}

static int real_open(void *self, const char *path, unsigned flags, int *out, bool *direct)
{
    bool readable = (flags & MR_OPEN_READ) != 0, writable = (flags & MR_OPEN_WRITE) != 0;
    /* An open of a pipe without O_NONBLOCK waits for the other end, and no signal ends that. */
    int os_flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
                   (readable && writable ? O_RDWR
                    : writable           ? O_WRONLY
                                         : O_RDONLY);
    int fd;

    (void)self;
    if (writable) {
        os_flags |= O_CREAT | ((flags & MR_OPEN_TRUNCATE) != 0 ? O_TRUNC : O_EXCL);
    }
    do {
        fd = open(path, os_flags, 0666);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        return errno;
    }
    const int failure = settle(fd, (flags & MR_OPEN_STREAM) != 0);
    if (failure != 0) {
        (void)close(fd);
        return failure;
    }
    *out = fd;
    *direct = (flags & MR_OPEN_DIRECT) != 0 && enable_direct(fd, readable);
    return 0;
}

static int64_t real_read_at(void *self, int fd, void *data, uint64_t bytes, uint64_t offset)
{
    ssize_t moved;
    (void)self;
    if (offset > (uint64_t)INT64_MAX) {
        return -EOVERFLOW;
    }
    do {
        moved = pread(fd, data, (size_t)mr_min_u64(bytes, MAX_MOVE_BYTES), (off_t)offset);
    } while (moved < 0 && errno == EINTR);
    return moved < 0 ? -(int64_t)errno : (int64_t)moved;
}

static int64_t real_write_at(void *self, int fd, const void *data, uint64_t bytes, uint64_t offset)
{
    ssize_t moved;
    (void)self;
    if (offset > (uint64_t)INT64_MAX) {
        return -EFBIG;
    }
    do {
        moved = pwrite(fd, data, (size_t)mr_min_u64(bytes, MAX_MOVE_BYTES), (off_t)offset);
    } while (moved < 0 && errno == EINTR);
    return moved < 0 ? -(int64_t)errno : (int64_t)moved;
}

static int real_sync(void *self, int fd)
{
    int failed;
    (void)self;
    /* fdatasync also writes the size, the only metadata that a reader needs. */
    do {
        failed = fdatasync(fd);
    } while (failed != 0 && errno == EINTR);
    /* A pipe or terminal has nothing to sync. */
    return failed == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/* Waits only for room in the disk's queue. */
static int real_start_sync(void *self, int fd, uint64_t offset, uint64_t bytes)
{
    (void)self;
    return sync_file_range(fd, (off_t)offset, (off_t)bytes, SYNC_FILE_RANGE_WRITE) == 0 ? 0 : errno;
}

static int real_close(void *self, int fd)
{
    (void)self;
    /* On EINTR Linux has already released the descriptor: never close it again. */
    return close(fd) == 0 || errno == EINTR ? 0 : errno;
}

static int real_punch(void *self, int fd, uint64_t offset, uint64_t bytes)
{
    int failed;
    (void)self;
    do {
        failed =
            fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)bytes);
    } while (failed != 0 && errno == EINTR);
    return failed == 0 ? 0 : errno;
}

/* For file systems without RENAME_NOREPLACE. link(2) atomically refuses an existing target, but
 * does not accept directories. For directories rename(2) refuses every target but an empty one. The
 * remaining race is another process that makes an empty directory of this name. */
static int rename_no_replace_slowly(const char *from, const char *to)
{
    struct stat status;
    if (link(from, to) == 0) {
        return unlink(from) == 0 ? 0 : errno;
    }
    if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS) {
        return errno;
    }
    if (lstat(to, &status) == 0) {
        return EEXIST;
    }
    return rename(from, to) == 0 ? 0 : errno;
}

/* For file systems without RENAME_EXCHANGE. A crash in between leaves both stores intact under
 * temporary names, and nothing under the final name. */
static int exchange_slowly(const char *from, const char *to)
{
    char aside[PATH_MAX];
    int length = snprintf(aside, sizeof aside, "%s.old", from);
    if (length < 0 || (size_t)length >= sizeof aside) {
        return ENAMETOOLONG;
    }
    if (rename(to, aside) != 0) {
        return errno;
    }
    if (rename(from, to) != 0) {
        int failure = errno;
        (void)rename(aside, to);
        return failure;
    }
    return rename(aside, from) == 0 ? 0 : errno;
}

static int real_rename(void *self, const char *from, const char *to, enum mr_rename_mode mode)
{
    (void)self;
    if (mode == MR_RENAME_REPLACE) {
        return rename(from, to) == 0 ? 0 : errno;
    }
    unsigned flags = mode == MR_RENAME_NO_REPLACE ? RENAME_NOREPLACE : RENAME_EXCHANGE;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, flags) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) {
        return errno;
    }
    return mode == MR_RENAME_NO_REPLACE ? rename_no_replace_slowly(from, to)
                                        : exchange_slowly(from, to);
}

static int real_unlink(void *self, const char *path)
{
    (void)self;
    return unlink(path) == 0 ? 0 : errno;
}

static int real_make_dir(void *self, const char *path)
{
    (void)self;
    return mkdir(path, 0777) == 0 ? 0 : errno;
}

static int real_remove_dir(void *self, const char *path)
{
    (void)self;
    return rmdir(path) == 0 ? 0 : errno;
}

static int real_sync_dir(void *self, const char *path)
{
    (void)self;
    const int fd = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd < 0) {
        /* A user may have the right to write in a directory but not to list it. Its entries are
         * then as durable as the file system makes them. The work is done, so this is no
         * failure. */
        return errno == EACCES ? 0 : errno;
    }
    const int failure = TEMP_FAILURE_RETRY(fsync(fd)) == 0 ? 0 : errno;
    (void)close(fd);
    /* not every file system can sync a directory */
    return failure == EINVAL || failure == ENOTSUP ? 0 : failure;
}

static int real_before_read(void *self, int fd, uint64_t bytes, uint64_t offset)
{
    (void)self, (void)fd, (void)bytes, (void)offset;
    return 0;
}

static void real_destroy(void *self)
{
    (void)self;
}

enum mr_status mr_io_create_real(struct mr_io **out, struct mr_error *err)
{
    static const struct mr_io_table table = {
        .open = real_open,
        .read_at = real_read_at,
        .write_at = real_write_at,
        .sync = real_sync,
        .close = real_close,
        .start_sync = real_start_sync,
        .punch = real_punch,
        .rename = real_rename,
        .unlink = real_unlink,
        .make_dir = real_make_dir,
        .remove_dir = real_remove_dir,
        .sync_dir = real_sync_dir,
        .before_read = real_before_read,
        .destroy = real_destroy,
    };
    return mr_io_create(&table, NULL, out, err);
}
