/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on files and names that fail. Each wrapper asks the plan, fails as the kernel would,
 * or calls the C library; changes of the disk also go into the record. A failing close closes, as
 * the kernel's does. The calls that glibc has under two names are defined under both. */
/* Without it the headers would give both names of a function to one of them. */
#undef _FILE_OFFSET_BITS
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "tests/torture/faults.h"

#define API __attribute__((visibility("default")))
#define NEXT(TYPE, NAME, PARAMETERS)                                                               \
    static TYPE(*next) PARAMETERS;                                                                 \
    if (next == NULL) {                                                                            \
        *(void **)&next = fault_next(#NAME);                                                       \
    }

/* From fcntl.h, whose declarations of open would be in the way. */
enum {
    ACCESS_MODE = 3,
    READ_ONLY = 0,
    CREATE = 0100,
    TRUNCATE = 01000,
    DIRECT = 040000,
    GET_FLAGS = 3,
    DIRECT_BYTES = 4096
};
extern int fcntl(int, int, ...);

static const char *path_of(int fd, char path[4096])
{
    char link[64];
    fault_pause();
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t bytes = readlink(link, path, 4095);
    fault_resume();
    path[bytes > 0 ? bytes : 0] = '\0';
    return path;
}

static bool fails_with(enum fault_class class, int failure, const char *what, const char *path)
{
    if (fault_is_planned(class) && fault_strikes(class, what, path)) {
        errno = failure;
        return true;
    }
    return false;
}

/* Operations that take space fail with ENOSPC, those that wait with EINTR if a signal may come. */
enum kind { TAKES_SPACE = 1, WAITS = 2 };

static bool blocks_signals(void)
{
    sigset_t mask;
    return pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, SIGALRM) == 1;
}

static bool name_fails(unsigned kind, const char *what, const char *path)
{
    return fails_with(FAULT_EIO, EIO, what, path) ||
           ((kind & TAKES_SPACE) != 0 && fails_with(FAULT_ENOSPC, ENOSPC, what, path)) ||
           ((kind & WAITS) != 0 && fault_is_planned(FAULT_EINTR) && !blocks_signals() &&
            fails_with(FAULT_EINTR, EINTR, what, path));
}

static bool file_fails(unsigned kind, const char *what, int fd)
{
    char path[4096];
    if (!fault_is_planned(FAULT_EIO) && !fault_is_planned(FAULT_ENOSPC) &&
        !fault_is_planned(FAULT_EINTR)) {
        return false;
    }
    return name_fails(kind, what, path_of(fd, path));
}

/* Half of a transfer, which stays a multiple of 4096 bytes where a direct one must be. */
static size_t shortened(const char *what, int fd, size_t bytes)
{
    char path[4096];
    size_t half = bytes / 2;
    if (!fault_is_planned(FAULT_SHORT)) {
        return bytes;
    }
    if ((fcntl(fd, GET_FLAGS) & DIRECT) != 0) {
        half -= half % DIRECT_BYTES;
    }
    return half > 0 && fault_strikes(FAULT_SHORT, what, path_of(fd, path)) ? half : bytes;
}

/* ---- Opening ---- */

static bool exists(const char *path)
{
    fault_pause();
    bool is_there = access(path, F_OK) == 0;
    fault_resume();
    return is_there;
}

static void record_open(const char *path, int flags, int fd, bool was_there)
{
    if (record_is_on() && fd >= 0 && (flags & ACCESS_MODE) != READ_ONLY) {
        record_line("open %d %d %s\n", fd, (was_there ? 0 : 1) | ((flags & TRUNCATE) != 0 ? 2 : 0),
                    path);
    }
}

#define OPEN(NAME)                                                                                 \
    API int NAME(const char *path, int flags, ...)                                                 \
    {                                                                                              \
        NEXT(int, NAME, (const char *, int, ...))                                                  \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        int mode = (flags & CREATE) != 0 ? va_arg(arguments, int) : 0;                             \
        va_end(arguments);                                                                         \
        if (name_fails((flags & CREATE) != 0 ? TAKES_SPACE | WAITS : WAITS, "open", path)) {       \
            return -1;                                                                             \
        }                                                                                          \
        record_lock();                                                                             \
        bool was_there = !record_is_on() || exists(path);                                          \
        int fd = next(path, flags, mode);                                                          \
        record_open(path, flags, fd, was_there);                                                   \
        record_unlock();                                                                           \
        return fd;                                                                                 \
    }

OPEN(open)
OPEN(open64)

#define FOPEN(NAME)                                                                                \
    API FILE *NAME(const char *path, const char *mode)                                             \
    {                                                                                              \
        NEXT(FILE *, NAME, (const char *, const char *))                                           \
        return name_fails(mode[0] == 'r' ? 0 : TAKES_SPACE, "fopen", path) ? NULL                  \
                                                                           : next(path, mode);     \
    }

FOPEN(fopen)
FOPEN(fopen64)

API DIR *opendir(const char *path)
{
    NEXT(DIR *, opendir, (const char *))
    return name_fails(0, "opendir", path) ? NULL : next(path);
}

/* ---- Transfers ---- */

API ssize_t read(int fd, void *data, size_t bytes)
{
    NEXT(ssize_t, read, (int, void *, size_t))
    return file_fails(WAITS, "read", fd) ? -1 : next(fd, data, shortened("read", fd, bytes));
}

#define PREAD(NAME)                                                                                \
    API ssize_t NAME(int fd, void *data, size_t bytes, off_t offset)                               \
    {                                                                                              \
        NEXT(ssize_t, NAME, (int, void *, size_t, off_t))                                          \
        return file_fails(WAITS, "pread", fd)                                                      \
                   ? -1                                                                            \
                   : next(fd, data, shortened("pread", fd, bytes), offset);                        \
    }

PREAD(pread)
PREAD(pread64)

API ssize_t write(int fd, const void *data, size_t bytes)
{
    NEXT(ssize_t, write, (int, const void *, size_t))
    if (file_fails(TAKES_SPACE | WAITS, "write", fd)) {
        return -1;
    }
    record_lock();
    off_t at = record_is_on() ? lseek(fd, 0, SEEK_CUR) : 0;
    ssize_t moved = next(fd, data, shortened("write", fd, bytes));
    if (moved > 0 && at >= 0) {
        record_write(fd, data, (size_t)moved, (uint64_t)at);
    }
    record_unlock();
    return moved;
}

#define PWRITE(NAME)                                                                               \
    API ssize_t NAME(int fd, const void *data, size_t bytes, off_t offset)                         \
    {                                                                                              \
        NEXT(ssize_t, NAME, (int, const void *, size_t, off_t))                                    \
        if (file_fails(TAKES_SPACE | WAITS, "pwrite", fd)) {                                       \
            return -1;                                                                             \
        }                                                                                          \
        record_lock();                                                                             \
        ssize_t moved = next(fd, data, shortened("pwrite", fd, bytes), offset);                    \
        if (moved > 0) {                                                                           \
            record_write(fd, data, (size_t)moved, (uint64_t)offset);                               \
        }                                                                                          \
        record_unlock();                                                                           \
        return moved;                                                                              \
    }

PWRITE(pwrite)
PWRITE(pwrite64)

/* ---- One file ---- */

/* A wrapper for a function of a descriptor and no more; `LINE` goes into the record. */
#define OF_FILE(NAME, KIND, LINE)                                                                  \
    API int NAME(int fd)                                                                           \
    {                                                                                              \
        NEXT(int, NAME, (int))                                                                     \
        if (file_fails(KIND, #NAME, fd)) {                                                         \
            return -1;                                                                             \
        }                                                                                          \
        record_lock();                                                                             \
        char path[4096];                                                                           \
        if (record_is_on()) {                                                                      \
            record_line(LINE " %d %s\n", fd, path_of(fd, path));                                   \
        }                                                                                          \
        int result = next(fd);                                                                     \
        record_unlock();                                                                           \
        return result;                                                                             \
    }

OF_FILE(fsync, TAKES_SPACE | WAITS, "sync")
OF_FILE(fdatasync, TAKES_SPACE | WAITS, "sync")

API int close(int fd)
{
    NEXT(int, close, (int))
    int mode = fault_is_paused() ? READ_ONLY : fcntl(fd, GET_FLAGS);
    bool writable = mode >= 0 && (mode & ACCESS_MODE) != READ_ONLY;
    bool failed = writable && file_fails(TAKES_SPACE | WAITS, "close", fd);
    int failure = errno;
    record_lock();
    if (writable && record_is_on()) {
        record_line("close %d\n", fd);
    }
    int result = next(fd);
    record_unlock();
    if (failed) {
        errno = failure;
        return -1;
    }
    return result;
}

#define FTRUNCATE(NAME)                                                                            \
    API int NAME(int fd, off_t bytes)                                                              \
    {                                                                                              \
        NEXT(int, NAME, (int, off_t))                                                              \
        if (file_fails(TAKES_SPACE | WAITS, "ftruncate", fd)) {                                    \
            return -1;                                                                             \
        }                                                                                          \
        record_lock();                                                                             \
        int result = next(fd, bytes);                                                              \
        if (result == 0) {                                                                         \
            record_line("truncate %d %lld\n", fd, (long long)bytes);                               \
        }                                                                                          \
        record_unlock();                                                                           \
        return result;                                                                             \
    }

FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

#define FALLOCATE(NAME)                                                                            \
    API int NAME(int fd, int mode, off_t offset, off_t bytes)                                      \
    {                                                                                              \
        NEXT(int, NAME, (int, int, off_t, off_t))                                                  \
        if (file_fails(TAKES_SPACE | WAITS, "fallocate", fd)) {                                    \
            return -1;                                                                             \
        }                                                                                          \
        record_lock();                                                                             \
        int result = next(fd, mode, offset, bytes);                                                \
        if (result == 0) {                                                                         \
            record_line("fallocate %d %d %lld %lld\n", fd, mode, (long long)offset,                \
                        (long long)bytes);                                                         \
        }                                                                                          \
        record_unlock();                                                                           \
        return result;                                                                             \
    }

FALLOCATE(fallocate)
FALLOCATE(fallocate64)

API int flock(int fd, int operation)
{
    NEXT(int, flock, (int, int))
    return file_fails(0, "flock", fd) ? -1 : next(fd, operation);
}

struct stat;
#define FSTAT(NAME)                                                                                \
    API int NAME(int fd, struct stat *out)                                                         \
    {                                                                                              \
        NEXT(int, NAME, (int, struct stat *))                                                      \
        return file_fails(0, "fstat", fd) ? -1 : next(fd, out);                                    \
    }

FSTAT(fstat)
FSTAT(fstat64)

/* ---- Names ---- */

#define OF_NAME(NAME, PARAMETERS, ARGUMENTS, KIND, ...)                                            \
    API int NAME PARAMETERS                                                                        \
    {                                                                                              \
        NEXT(int, NAME, PARAMETERS)                                                                \
        if (name_fails(KIND, #NAME, to)) {                                                         \
            return -1;                                                                             \
        }                                                                                          \
        record_lock();                                                                             \
        int result = next ARGUMENTS;                                                               \
        if (result == 0) {                                                                         \
            record_line(__VA_ARGS__);                                                              \
        }                                                                                          \
        record_unlock();                                                                           \
        return result;                                                                             \
    }

OF_NAME(rename, (const char *from, const char *to), (from, to), TAKES_SPACE, "rename 0 %s\t%s\n",
        from, to)
OF_NAME(renameat2, (int from_at, const char *from, int to_at, const char *to, unsigned flags),
        (from_at, from, to_at, to, flags), TAKES_SPACE, "rename %u %s\t%s\n", flags, from, to)
OF_NAME(link, (const char *from, const char *to), (from, to), TAKES_SPACE, "link %s\t%s\n", from,
        to)
OF_NAME(unlink, (const char *to), (to), 0, "unlink %s\n", to)
OF_NAME(mkdir, (const char *to, unsigned mode), (to, mode), TAKES_SPACE, "mkdir %s\n", to)
OF_NAME(rmdir, (const char *to), (to), 0, "rmdir %s\n", to)

/* ---- Streams of the C library, whose system calls do not come through here ---- */

API int fflush(FILE *file)
{
    NEXT(int, fflush, (FILE *))
    if (file != NULL && file != stderr && file_fails(TAKES_SPACE, "fflush", fileno(file))) {
        return EOF;
    }
    return next(file);
}
