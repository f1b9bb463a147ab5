/* SPDX-License-Identifier: Apache-2.0 */
/* Files and names over the table of file operations. All other code reads, writes and renames
 * through these functions. They continue short transfers, and turn errno values into statuses with
 * the file's name. The table below them is io_real.c, or a fault-injecting one in tests. */
#include "engine/io/io.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/base/bytes.h"
#include "engine/io/store_files.h"

enum { DIRECT_ALIGNMENT = 4096 };

struct mr_io {
    struct mr_io_table table;
    void *self;
};

struct mr_file {
    struct mr_io *io; /* not owned; outlives the file */
    int fd;
    bool direct;
    char path[]; /* a copy */
};

/* The user can free space on a full disk or raise the limit of file sizes; the user cannot change
 * any other failure. */
static enum mr_status status_of(int os_errno)
{
    return os_errno == ENOSPC || os_errno == EDQUOT || os_errno == EFBIG ? MR_ERROR_BUDGET
                                                                         : MR_ERROR_RUNTIME;
}

static enum mr_status write_error(const struct mr_file *file, int os_errno, const char *what,
                                  struct mr_error *err)
{
    enum mr_status status = status_of(os_errno);
    if (os_errno == EFBIG) {
        return mr_error_file(err, status, file->path, os_errno,
                             "%s; raise the limit of file sizes (ulimit -f) or write elsewhere "
                             "(-o, --tmp)",
                             what);
    }
    if (status == MR_ERROR_BUDGET) {
        return mr_error_file(err, status, file->path, os_errno,
                             "%s; free some space or write elsewhere (-o, --tmp)", what);
    }
    return mr_error_file(err, status, file->path, os_errno, "%s", what);
}

/* ---- The table ---- */

enum mr_status mr_io_create(const struct mr_io_table *table, void *self, struct mr_io **out,
                            struct mr_error *err)
{
    *out = malloc(sizeof **out);
    if (*out == NULL) {
        table->destroy(self);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the file operations");
    }
    **out = (struct mr_io){.table = *table, .self = self};
    return MR_OK;
}

void mr_io_destroy(struct mr_io *io)
{
    if (io != NULL) {
        io->table.destroy(io->self);
        free(io);
    }
}

const struct mr_io_table *mr_io_table_of(const struct mr_io *io, void **self)
{
    *self = io->self;
    return &io->table;
}

/* ---- Files ---- */

static enum mr_status open_error(const struct mr_file *file, unsigned flags, int os_errno,
                                 struct mr_error *err)
{
    const bool writes = (flags & MR_OPEN_WRITE) != 0;
    if (os_errno == ESPIPE) {
        return mr_error_file(err, MR_ERROR_INPUT, file->path, 0,
                             "is a pipe or a device; a regular file is needed here");
    }
    if (os_errno == ENOENT && !writes) {
        return mr_error_file(err, MR_ERROR_INPUT, file->path, os_errno, "cannot open");
    }
    return write_error(file, os_errno, writes ? "cannot create" : "cannot open", err);
}

enum mr_status mr_file_open(struct mr_io *io, const char *path, unsigned flags,
                            struct mr_file **out, struct mr_error *err)
{
    assert((flags & (MR_OPEN_READ | MR_OPEN_WRITE)) != 0);
    *out = NULL;
    size_t path_bytes = strlen(path) + 1;
    struct mr_file *file = malloc(sizeof *file + path_bytes);
    if (file == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, path, ENOMEM, "cannot open");
    }
    file->io = io;
    memcpy(file->path, path, path_bytes);
    int failure = io->table.open(io->self, path, flags, &file->fd, &file->direct);
    if (failure != 0) {
        enum mr_status status = open_error(file, flags, failure, err);
        free(file);
        return status;
    }
    *out = file;
    return MR_OK;
}

static void assert_aligned(const struct mr_file *file, const void *data, uint64_t bytes,
                           uint64_t offset)
{
    assert(!file->direct || (uintptr_t)data % DIRECT_ALIGNMENT == 0);
    assert(!file->direct || bytes % DIRECT_ALIGNMENT == 0);
    assert(!file->direct || offset % DIRECT_ALIGNMENT == 0);
    (void)file, (void)data, (void)bytes, (void)offset;
}

enum mr_status mr_file_read_error(const struct mr_file *file, uint64_t offset, uint64_t bytes,
                                  uint64_t done, int os_errno, struct mr_error *err)
{
    if (os_errno != 0) {
        return mr_error_file(
            err, MR_ERROR_RUNTIME, file->path, os_errno, "cannot read %llu bytes at offset %llu",
            (unsigned long long)(bytes - done), (unsigned long long)(offset + done));
    }
    return mr_error_offset(err, MR_ERROR_CORRUPT, file->path, offset,
                           "file ends at %llu, %llu bytes short of what is recorded; it is "
                           "truncated",
                           (unsigned long long)(offset + done), (unsigned long long)(bytes - done));
}

enum mr_status mr_file_read(struct mr_file *file, void *data, uint64_t bytes, uint64_t offset,
                            struct mr_error *err)
{
    uint64_t done = 0;

    assert_aligned(file, data, bytes, offset);
    while (done < bytes) {
        int64_t moved = file->io->table.read_at(file->io->self, file->fd, (uint8_t *)data + done,
                                                bytes - done, offset + done);
        if (moved < 0) {
            return mr_file_read_error(file, offset, bytes, done, (int)-moved, err);
        }
        done += (uint64_t)moved;
        /* A direct read that stops inside a sector has reached the end of the file. Asking again
         * from there would give EINVAL. */
        if (moved == 0 || (file->direct && done < bytes && done % DIRECT_ALIGNMENT != 0)) {
            return mr_file_read_error(file, offset, bytes, done, 0, err);
        }
    }
    return MR_OK;
}

enum mr_status mr_file_write(struct mr_file *file, const void *data, uint64_t bytes,
                             uint64_t offset, struct mr_error *err)
{
    uint64_t done = 0;

    assert_aligned(file, data, bytes, offset);
    while (done < bytes) {
        int64_t moved = file->io->table.write_at(
            file->io->self, file->fd, (const uint8_t *)data + done, bytes - done, offset + done);
        if (moved <= 0) { /* 0 would be a bug of the file system; stop instead of looping forever */
            return write_error(file, moved == 0 ? EIO : (int)-moved, "cannot write", err);
        }
        done += (uint64_t)moved;
    }
    return MR_OK;
}

enum mr_status mr_file_sync(struct mr_file *file, struct mr_error *err)
{
    int failure = file->io->table.sync(file->io->self, file->fd);
    return failure == 0 ? MR_OK : write_error(file, failure, "cannot sync", err);
}

enum mr_status mr_file_size(struct mr_file *file, uint64_t *bytes, struct mr_error *err)
{
    struct stat status;
    if (fstat(file->fd, &status) != 0) {
        return mr_error_file(err, MR_ERROR_RUNTIME, file->path, errno, "cannot get the size");
    }
    *bytes = (uint64_t)status.st_size;
    return MR_OK;
}

void mr_file_start_sync(struct mr_file *file, uint64_t offset, uint64_t bytes)
{
    (void)file->io->table.start_sync(file->io->self, file->fd, offset, bytes);
}

void mr_file_punch(struct mr_file *file, uint64_t offset, uint64_t bytes)
{
    if (bytes > 0) {
        (void)file->io->table.punch(file->io->self, file->fd, offset, bytes);
    }
}

enum mr_status mr_file_close(struct mr_file *file, struct mr_error *err)
{
    int failure = file->io->table.close(file->io->self, file->fd);
    enum mr_status status = failure == 0 ? MR_OK : write_error(file, failure, "cannot close", err);
    free(file);
    return status;
}

void mr_file_abandon(struct mr_file *file)
{
    if (file != NULL) {
        (void)file->io->table.close(file->io->self, file->fd);
        free(file);
    }
}

bool mr_file_is_direct(const struct mr_file *file)
{
    return file->direct;
}

int mr_file_descriptor(const struct mr_file *file)
{
    return file->fd;
}

const char *mr_file_path(const struct mr_file *file)
{
    return file->path;
}

struct mr_io *mr_file_io(const struct mr_file *file)
{
    return file->io;
}

/* ---- Names ---- */

static enum mr_status name_error(const char *path, int failure, const char *what,
                                 struct mr_error *err)
{
    return failure == 0 ? MR_OK : mr_error_file(err, status_of(failure), path, failure, "%s", what);
}

enum mr_status mr_io_rename(struct mr_io *io, const char *from, const char *to,
                            enum mr_rename_mode mode, struct mr_error *err)
{
    int failure = io->table.rename(io->self, from, to, mode);
    return failure == 0 ? MR_OK
                        : mr_error_file(err, status_of(failure), to, failure,
                                        "cannot rename %s to this name", from);
}

enum mr_status mr_io_unlink(struct mr_io *io, const char *path, struct mr_error *err)
{
    return name_error(path, io->table.unlink(io->self, path), "cannot remove", err);
}

enum mr_status mr_io_make_dir(struct mr_io *io, const char *path, struct mr_error *err)
{
    return name_error(path, io->table.make_dir(io->self, path), "cannot make the directory", err);
}

enum mr_status mr_io_sync_dir(struct mr_io *io, const char *path, struct mr_error *err)
{
    return name_error(path, io->table.sync_dir(io->self, path), "cannot sync the directory", err);
}

/* Removes once all files of `listing` that belong to a store; returns how many. */
static unsigned remove_files(struct mr_io *io, DIR *listing, const char *path)
{
    unsigned removed = 0;
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (!mr_store_owns_file(entry->d_name)) {
            continue;
        }
        size_t name_bytes = strlen(entry->d_name) + 1, path_length = strlen(path);
        char *name = malloc(path_length + 1 + name_bytes);
        if (name == NULL) {
            break;
        }
        memcpy(name, path, path_length);
        name[path_length] = '/';
        memcpy(name + path_length + 1, entry->d_name, name_bytes);
        removed += io->table.unlink(io->self, name) == 0;
        free(name);
    }
    return removed;
}

void mr_io_remove_store_dir(struct mr_io *io, const char *path)
{
    /* Do not follow a symbolic link: the directory that it points to belongs to somebody else. */
    const int fd =
        (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd < 0) {
        return;
    }
    DIR *listing = fdopendir(fd);
    if (listing == NULL) {
        (void)close(fd);
        return;
    }
    /* POSIX does not say whether a listing skips names while others are removed: repeat until no
     * file is removed. */
    while (remove_files(io, listing, path) > 0) {
        rewinddir(listing);
    }
    (void)closedir(listing);
    (void)io->table.remove_dir(io->self, path);
}

int mr_io_read_start(const char *path, void *data, size_t bytes, size_t *got)
{
    /* Do not wait if it is a pipe. */
    const int fd = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    ssize_t moved = fd < 0 ? -1 : 1;

    *got = 0;
    while (moved > 0 && *got < bytes) {
        moved = TEMP_FAILURE_RETRY(pread(fd, (char *)data + *got, bytes - *got, (off_t)*got));
        *got += moved > 0 ? (size_t)moved : 0;
    }
    const int failure = moved < 0 ? errno : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return failure;
}

bool mr_io_exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0; /* a dangling link also occupies its name */
}

bool mr_io_is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

enum mr_status mr_io_free_bytes(const char *path, uint64_t *bytes, struct mr_error *err)
{
    struct statvfs stats;
    char *ancestor = strdup(path);

    if (ancestor == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, path, ENOMEM, "cannot get the free space");
    }
    int failure;
    while ((failure = statvfs(ancestor, &stats) == 0 ? 0 : errno) == ENOENT) {
        char *slash = strrchr(ancestor, '/');
        if (slash == NULL) {
            /* "x" lies in ".", and "." has no ancestor. */
            if (strcmp(ancestor, ".") == 0 || ancestor[0] == '\0') {
                break;
            }
            ancestor[0] = '.', ancestor[1] = '\0';
        } else if (slash == ancestor) {
            if (ancestor[1] == '\0') {
                break;
            }
            ancestor[1] = '\0';
        } else {
            *slash = '\0';
        }
    }
    free(ancestor);
    if (failure != 0) {
        return mr_error_file(err, MR_ERROR_RUNTIME, path, failure, "cannot get the free space");
    }
    if (mr_mul_overflows(stats.f_bavail, stats.f_frsize, bytes)) {
        *bytes = UINT64_MAX;
    }
    return MR_OK;
}
