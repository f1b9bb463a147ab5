/* A temporary file that no crash leaves behind: it loses its name as soon as it is open, and the
 * system takes its space back when the process ends, however it ends. */
#ifndef MR_ENGINE_IO_SCRATCH_FILE_H
#define MR_ENGINE_IO_SCRATCH_FILE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "engine/base/context.h"

/* Temporary disk of one operation, over all its files. */
struct mr_scratch_use {
    _Atomic uint64_t bytes;
    _Atomic uint64_t peak_bytes;
};

struct mr_scratch_file;

/* Make one in context->tmp_dir, or in `directory` where that is NULL. `stem` (no slashes) begins its
 * short-lived name. `use` outlives the file. Closing takes NULL. Reads and writes are thread-safe for
 * disjoint ranges; what is written or discarded is written or discarded once. */
enum mr_status mr_scratch_file_open(const struct mr_context *context, const char *directory,
                                    const char *stem, struct mr_scratch_use *use,
                                    struct mr_scratch_file **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_scratch_file_close(struct mr_scratch_file *file);

/* The same of the file `path`, which keeps its name and all that is in it: nothing is discarded. `is_there`: it
 * is, whole, and is only read; else it is made, in the place of any that is. */
enum mr_status mr_scratch_file_keep(const struct mr_context *context, const char *path,
                                    bool is_there, struct mr_scratch_use *use,
                                    struct mr_scratch_file **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
bool mr_scratch_file_is_kept(const struct mr_scratch_file *file);

/* To the disk, all that was written. */
enum mr_status mr_scratch_file_sync(struct mr_scratch_file *file,
                                    struct mr_error *err) MR_WARN_UNUSED;

enum mr_status mr_scratch_file_write(struct mr_scratch_file *file, const void *data, uint64_t bytes,
                                     uint64_t offset, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_scratch_file_read(struct mr_scratch_file *file, void *data, uint64_t bytes,
                                    uint64_t offset, struct mr_error *err) MR_WARN_UNUSED;

/* Give the space of a range that was written back, unless the file is kept. Best effort. */
void mr_scratch_file_discard(struct mr_scratch_file *file, uint64_t offset, uint64_t bytes);

#endif
