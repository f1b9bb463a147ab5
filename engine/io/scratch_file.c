/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files of builds and exports. A file loses its name right after it is opened, so that
 * the system frees its space when the process ends for any reason. */
#include "engine/io/scratch_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/io/publish.h"
#include "engine/io/workspace.h"

struct mr_scratch_file {
    struct mr_file *file;
    struct mr_scratch_use *use;
    _Atomic uint64_t bytes; /* written and not yet discarded */
};

enum mr_status mr_file_open_nameless(struct mr_io *io, const char *path, struct mr_file **out,
                                     struct mr_error *err)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* threads would get the same name */
    struct mr_publish *name = NULL;

    *out = NULL;
    (void)pthread_mutex_lock(&one);
    /* The publication is never committed. It only chooses a temporary name, and removes the files
     * that dead processes left between open and unlink. */
    enum mr_status status = mr_publish_begin(io, path, MR_PUBLISH_NAMELESS, true, &name, err);
    if (status == MR_OK) {
        status = mr_file_open(io, mr_publish_path(name),
                              MR_OPEN_READ | MR_OPEN_WRITE | MR_OPEN_TRUNCATE, out, err);
    }
    if (status == MR_OK) {
        status = mr_io_unlink(io, mr_publish_path(name), err);
        if (status != MR_OK) {
            mr_file_abandon(*out);
            *out = NULL; /* mr_publish_abandon removes its name */
        }
    }
    mr_publish_abandon(name);
    (void)pthread_mutex_unlock(&one);
    return status;
}

enum mr_status mr_scratch_file_open(const struct mr_context *context, const char *directory,
                                    const char *stem, struct mr_scratch_use *use,
                                    struct mr_scratch_file **out, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    const char *parent =
        context->tmp_dir == NULL && directory != NULL ? directory : mr_workspace_parent(context);
    size_t path_bytes = strlen(parent) + strlen(stem) + sizeof "/";
    char *path = malloc(path_bytes);
    struct mr_scratch_file *file = calloc(1, sizeof *file);

    *out = NULL;
    if (path == NULL || file == NULL) {
        status = mr_error_file(err, MR_ERROR_BUDGET, parent, ENOMEM, "cannot open a file here");
        goto out;
    }
    (void)snprintf(path, path_bytes, "%s/%s", parent, stem);
    status = mr_file_open_nameless(context->io, path, &file->file, err);
    if (status != MR_OK) {
        goto out;
    }
    file->use = use;
    *out = file;
    file = NULL;
out:
    free(file);
    free(path);
    return status;
}

static void add_use(struct mr_scratch_file *file, uint64_t bytes)
{
    atomic_fetch_add(&file->bytes, bytes);
    uint64_t now = atomic_fetch_add(&file->use->bytes, bytes) + bytes;
    uint64_t peak = atomic_load(&file->use->peak_bytes);
    while (now > peak && !atomic_compare_exchange_weak(&file->use->peak_bytes, &peak, now)) {
    }
}

static void release(struct mr_scratch_file *file, uint64_t bytes)
{
    atomic_fetch_sub(&file->bytes, bytes);
    atomic_fetch_sub(&file->use->bytes, bytes);
}

void mr_scratch_file_close(struct mr_scratch_file *file)
{
    if (file == NULL) {
        return;
    }
    release(file, atomic_load(&file->bytes));
    mr_file_abandon(file->file); /* nobody needs its content any more, so errors do not matter */
    free(file);
}

enum mr_status mr_scratch_file_write(struct mr_scratch_file *file, const void *data, uint64_t bytes,
                                     uint64_t offset, struct mr_error *err)
{
    enum mr_status status = mr_file_write(file->file, data, bytes, offset, err);
    if (status == MR_OK) {
        add_use(file, bytes);
    }
    return status;
}

enum mr_status mr_scratch_file_read(struct mr_scratch_file *file, void *data, uint64_t bytes,
                                    uint64_t offset, struct mr_error *err)
{
    return mr_file_read(file->file, data, bytes, offset, err);
}

enum mr_status mr_scratch_changed(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_RUNTIME,
                        "the temporary files changed while they were in use; check the disk");
}

void mr_scratch_file_discard(struct mr_scratch_file *file, uint64_t offset, uint64_t bytes)
{
    mr_file_punch(file->file, offset, bytes);
    release(file, bytes);
}
