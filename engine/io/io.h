/* SPDX-License-Identifier: Apache-2.0 */
/* One table of file operations for the whole program.
 *
 * Every access to a disk goes through it, so that tests can make any operation fail, cut it short,
 * or crash after it. There are two back ends: the real one, and one that injects faults into
 * another (io_fault.h). engine/io/queue.h streams blocks from the same files. */
#ifndef MR_ENGINE_IO_IO_H
#define MR_ENGINE_IO_IO_H

#include <stdbool.h>

#include "engine/base/error.h"

struct mr_io;
struct mr_file;

enum mr_open_flags {
    MR_OPEN_READ = 1,
    MR_OPEN_WRITE = 2, /* create; fails if the file exists, unless MR_OPEN_TRUNCATE */
    MR_OPEN_TRUNCATE = 4,
    /* ask for O_DIRECT; buffered if the file system refuses it, see mr_file_is_direct */
    MR_OPEN_DIRECT = 8,
    /* also a pipe or a device, which is then opened with O_NONBLOCK; without this flag such files
     * are refused, because a read or an open of them may wait for ever */
    MR_OPEN_STREAM = 16
};

enum mr_rename_mode {
    MR_RENAME_NO_REPLACE, /* fails with EEXIST if the target exists */
    MR_RENAME_REPLACE, /* plain rename(2) */
    MR_RENAME_EXCHANGE /* swaps both names; two renames if the file system cannot swap */
};

/* The table. `self` is the back end's state. Functions return 0 or an errno value; read and write
 * return the number of bytes moved, or -errno. Only the functions below call them. */
struct mr_io_table {
    /* ESPIPE: it is a pipe or a device */
    int (*open)(void *self, const char *path, unsigned flags, int *fd, bool *direct);
    int64_t (*read_at)(void *self, int fd, void *data, uint64_t bytes, uint64_t offset);
    int64_t (*write_at)(void *self, int fd, const void *data, uint64_t bytes, uint64_t offset);
    int (*sync)(void *self, int fd);
    int (*start_sync)(void *self, int fd, uint64_t offset, uint64_t bytes);
    int (*close)(void *self, int fd);
    int (*punch)(void *self, int fd, uint64_t offset, uint64_t bytes);
    int (*rename)(void *self, const char *from, const char *to, enum mr_rename_mode mode);
    int (*unlink)(void *self, const char *path);
    int (*make_dir)(void *self, const char *path);
    int (*remove_dir)(void *self, const char *path);
    int (*sync_dir)(void *self, const char *path);
    /* Called before each read that engine/io/queue gives to the kernel without read_at (io_uring).
     * Returns 0, or an errno to report. Every read thus passes exactly one of the two functions. */
    int (*before_read)(void *self, int fd, uint64_t bytes, uint64_t offset);
    void (*destroy)(void *self);
};

/* The real back end. */
enum mr_status mr_io_create_real(struct mr_io **out, struct mr_error *err) MR_WARN_UNUSED;
/* Makes a struct mr_io from any table. The result owns `self` and passes it to table->destroy, also
 * on failure. */
enum mr_status mr_io_create(const struct mr_io_table *table, void *self, struct mr_io **out,
                            struct mr_error *err) MR_WARN_UNUSED;
void mr_io_destroy(struct mr_io *io);
/* The table and self of `io`, for back ends that wrap another one and for engine/io/queue. */
const struct mr_io_table *mr_io_table_of(const struct mr_io *io, void **self);

/* Files. Reads and writes are complete: a short read is MR_ERROR_CORRUPT ("file ends at ..."),
 * ENOSPC, EDQUOT and EFBIG are MR_ERROR_BUDGET with the file's name, any other failure is
 * MR_ERROR_RUNTIME. To open a file to read that does not exist is MR_ERROR_INPUT, as is to open a
 * pipe or a device without MR_OPEN_STREAM. Opening never waits. If the file is direct, `data`,
 * `bytes` and `offset` are multiples of 4096 (asserted). `path` is copied. Thread-safe for disjoint
 * ranges. */
enum mr_status mr_file_open(struct mr_io *io, const char *path, unsigned flags,
                            struct mr_file **out, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_file_read(struct mr_file *file, void *data, uint64_t bytes, uint64_t offset,
                            struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_file_write(struct mr_file *file, const void *data, uint64_t bytes,
                             uint64_t offset, struct mr_error *err) MR_WARN_UNUSED;
/* Writes all data of the file to the disk. */
enum mr_status mr_file_sync(struct mr_file *file, struct mr_error *err) MR_WARN_UNUSED;
/* Starts writing a range to the disk, so that a later sync waits less. It is a hint without a
 * result. */
void mr_file_start_sync(struct mr_file *file, uint64_t offset, uint64_t bytes);
enum mr_status mr_file_size(struct mr_file *file, uint64_t *bytes,
                            struct mr_error *err) MR_WARN_UNUSED;
/* Frees the disk space of a consumed range; does nothing if the file system cannot. */
void mr_file_punch(struct mr_file *file, uint64_t offset, uint64_t bytes);
/* Closes after success and checks the result. Frees `file` in any case. */
enum mr_status mr_file_close(struct mr_file *file, struct mr_error *err) MR_WARN_UNUSED;
/* Closes after a failure, without a result. Takes NULL. */
void mr_file_abandon(struct mr_file *file);
/* Records the error of a read of `bytes` at `offset` that stopped after `done` bytes: `os_errno` if
 * it is not 0, otherwise the end of the file. Shared by mr_file_read and engine/io/queue. */
enum mr_status mr_file_read_error(const struct mr_file *file, uint64_t offset, uint64_t bytes,
                                  uint64_t done, int os_errno, struct mr_error *err);
bool mr_file_is_direct(const struct mr_file *file);
int mr_file_descriptor(const struct mr_file *file);
const char *mr_file_path(const struct mr_file *file);
struct mr_io *mr_file_io(const struct mr_file *file);

/* Names of files and directories. Errors: BUDGET for a full disk, otherwise RUNTIME. */
enum mr_status mr_io_rename(struct mr_io *io, const char *from, const char *to,
                            enum mr_rename_mode mode, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_io_unlink(struct mr_io *io, const char *path,
                            struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_io_make_dir(struct mr_io *io, const char *path,
                              struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_io_sync_dir(struct mr_io *io, const char *path,
                              struct mr_error *err) MR_WARN_UNUSED;
/* Removes the files of a store (engine/io/store_files.h) from a directory, then the directory.
 * The directory stays if it contains other files. Best effort, for clean-up: no result. */
void mr_io_remove_store_dir(struct mr_io *io, const char *path);
/* Reads the first bytes of a file of any kind without waiting. Returns 0 or an errno; `*got` is the
 * number of bytes, less than `bytes` only at the end of the file or after a failure. */
int mr_io_read_start(const char *path, void *data, size_t bytes, size_t *got);
bool mr_io_exists(const char *path);
bool mr_io_is_directory(const char *path);
/* Bytes that this user can still write on the file system of `path` or of its nearest existing
 * ancestor. */
enum mr_status mr_io_free_bytes(const char *path, uint64_t *bytes,
                                struct mr_error *err) MR_WARN_UNUSED;

#endif
