/* One table of file operations for the whole program.
 *
 * Everything that touches a disk goes through here, so that tests can make any operation fail, be
 * cut short or be the last one before a crash. Two back ends: the real one and one that injects
 * faults into another (io_fault.h). Block streaming is engine/io/queue.h, over the same files. */
#ifndef MR_ENGINE_IO_IO_H
#define MR_ENGINE_IO_IO_H

#include <stdbool.h>

#include "engine/base/error.h"

struct mr_io;
struct mr_file;

enum mr_open_flags {
    MR_OPEN_READ = 1,
    MR_OPEN_WRITE = 2, /* create; fails when it exists unless MR_OPEN_TRUNCATE */
    MR_OPEN_TRUNCATE = 4,
    MR_OPEN_DIRECT = 8 /* ask for O_DIRECT; silently buffered where refused, see is_direct */
};

enum mr_rename_mode {
    MR_RENAME_NO_REPLACE, /* fails with EEXIST when the target exists */
    MR_RENAME_REPLACE, /* plain rename(2) */
    MR_RENAME_EXCHANGE /* both names swap; falls back to two renames where unsupported */
};

/* The table. `self` carries the back end's state. Functions return 0 or an errno value; read and
 * write return the count moved, or -errno. Nobody calls these directly: use the functions below. */
struct mr_io_table {
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
    /* Asked before each read that engine/queue gives to the kernel without read_at (io_uring): 0,
     * or an errno to report. Every read thus passes one of the two, once. */
    int (*before_read)(void *self, int fd, uint64_t bytes, uint64_t offset);
    void (*destroy)(void *self);
};

/* The real back end. */
enum mr_status mr_io_create_real(struct mr_io **out, struct mr_error *err) MR_WARN_UNUSED;
/* Any table: `self` becomes owned by the result and is given to table->destroy. */
enum mr_status mr_io_create(const struct mr_io_table *table, void *self, struct mr_io **out,
                            struct mr_error *err) MR_WARN_UNUSED;
void mr_io_destroy(struct mr_io *io);
/* The table and self of `io`, for back ends that wrap another and for engine/queue. */
const struct mr_io_table *mr_io_table_of(const struct mr_io *io, void **self);

/* Files. Reads and writes are whole: a short read is MR_ERROR_CORRUPT ("file ends at ..."), ENOSPC
 * and EDQUOT are MR_ERROR_BUDGET naming the file, everything else is MR_ERROR_RUNTIME. Where the
 * file is direct, `data`, `bytes` and `offset` are multiples of 4096 (asserted). `path` is copied.
 * Thread-safe for disjoint ranges. */
enum mr_status mr_file_open(struct mr_io *io, const char *path, unsigned flags,
                            struct mr_file **out, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_file_read(struct mr_file *file, void *data, uint64_t bytes, uint64_t offset,
                            struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_file_write(struct mr_file *file, const void *data, uint64_t bytes,
                             uint64_t offset, struct mr_error *err) MR_WARN_UNUSED;
/* Cut the file, or extend it with zeros. */
enum mr_status mr_file_sync(struct mr_file *file, struct mr_error *err) MR_WARN_UNUSED;
/* Let the disk begin with a range that was written, so that a sync later has less to wait for: a hint,
 * without result. */
void mr_file_start_sync(struct mr_file *file, uint64_t offset, uint64_t bytes);
enum mr_status mr_file_size(struct mr_file *file, uint64_t *bytes,
                            struct mr_error *err) MR_WARN_UNUSED;
/* Give the disk space of a consumed range back; does nothing where the file system cannot. */
void mr_file_punch(struct mr_file *file, uint64_t offset, uint64_t bytes);
/* Close on success: checks the result. Frees `file` either way. */
enum mr_status mr_file_close(struct mr_file *file, struct mr_error *err) MR_WARN_UNUSED;
/* Close on failure: no result, takes NULL. */
void mr_file_abandon(struct mr_file *file);
/* The error of a read of `bytes` at `offset` that stopped after `done`: with `os_errno` if not 0,
 * else because the file ends there. Shared by mr_file_read and engine/queue. */
enum mr_status mr_file_read_error(const struct mr_file *file, uint64_t offset, uint64_t bytes,
                                  uint64_t done, int os_errno, struct mr_error *err);
bool mr_file_is_direct(const struct mr_file *file);
int mr_file_descriptor(const struct mr_file *file);
const char *mr_file_path(const struct mr_file *file);
struct mr_io *mr_file_io(const struct mr_file *file);

/* Names. */
enum mr_status mr_io_rename(struct mr_io *io, const char *from, const char *to,
                            enum mr_rename_mode mode, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_io_unlink(struct mr_io *io, const char *path,
                            struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_io_make_dir(struct mr_io *io, const char *path,
                              struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_io_sync_dir(struct mr_io *io, const char *path,
                              struct mr_error *err) MR_WARN_UNUSED;
/* Remove the files of a store (engine/store/store_files.h) from a directory, and then the directory, which stays
 * where anything else is in it. Best effort, for clean-up: no result. */
void mr_io_remove_store_dir(struct mr_io *io, const char *path);
bool mr_io_exists(const char *path);
bool mr_io_is_directory(const char *path);
/* Bytes free to this user on the file system of `path` (its nearest existing ancestor). */
enum mr_status mr_io_free_bytes(const char *path, uint64_t *bytes,
                                struct mr_error *err) MR_WARN_UNUSED;

#endif
