/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary file that no crash leaves behind: it has no name after it is opened, so the system
 * frees its space when the process ends for any reason. */
#ifndef MR_ENGINE_IO_SCRATCH_FILE_H
#define MR_ENGINE_IO_SCRATCH_FILE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/io/io.h"

/* The temporary disk space of one operation, summed over all its files. */
struct mr_scratch_use {
    _Atomic uint64_t bytes;
    _Atomic uint64_t peak_bytes;
};

struct mr_scratch_file;

/* Makes and opens a file without a name, for reading and writing, in the directory of `path`. Its
 * short-lived name begins with `path`. A file at `path` stays as it is. Thread-safe. */
enum mr_status mr_file_open_nameless(struct mr_io *io, const char *path, struct mr_file **out,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Makes a file in context->tmp_dir. If that is NULL, the file is in `directory`, and if both are
 * NULL, where temporary stores are (mr_workspace_parent). Its short-lived name starts with `stem`,
 * which has no slashes. `use` outlives the file. mr_scratch_file_close takes NULL. Reads and writes
 * are thread-safe for disjoint ranges. Each byte is written once, and discarded once. */
enum mr_status mr_scratch_file_open(const struct mr_context *context, const char *directory,
                                    const char *stem, struct mr_scratch_use *use,
                                    struct mr_scratch_file **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_scratch_file_close(struct mr_scratch_file *file);

enum mr_status mr_scratch_file_write(struct mr_scratch_file *file, const void *data, uint64_t bytes,
                                     uint64_t offset, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_scratch_file_read(struct mr_scratch_file *file, void *data, uint64_t bytes,
                                    uint64_t offset, struct mr_error *err) MR_WARN_UNUSED;

/* The error of a reader that does not find in a temporary file what was written there. */
enum mr_status mr_scratch_changed(struct mr_error *err);

/* Frees the space of a written range. Best effort. */
void mr_scratch_file_discard(struct mr_scratch_file *file, uint64_t offset, uint64_t bytes);

#endif
