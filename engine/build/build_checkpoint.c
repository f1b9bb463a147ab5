/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of a checkpoint: creates, locks, checks and removes it. The manifest
 * (resume_manifest.c) is written last, after all other files are on the disk. Without a whole
 * manifest the directory counts as empty. So an interrupted build never continues from half-written
 * files. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/build/build_checkpoint_internal.h"
#include "engine/io/io.h"
#include "engine/io/store_lock.h"

#define PREFIX "checkpoint."
enum { HASH_BYTES = 1 << 20 }; /* bytes of a file to read at a time */

/* ---- The directory ---- */

static char *make_path(const char *directory, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/" PREFIX "%s", directory, name) < 0 ? NULL : path;
}

/* Remove all files of a checkpoint, the manifest first and the mark of a finished store last: the
 * next process recognises the store by it. Ignores errors. */
static void clear(const struct mr_build_checkpoint *checkpoint)
{
    struct mr_io *io = checkpoint->context->io;
    enum mr_status ignored = mr_io_unlink(io, checkpoint->manifest, NULL);
    DIR *listing = opendir(checkpoint->directory);
    for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;) {
        char *path = NULL;
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0 &&
            strcmp(entry->d_name, MR_BUILD_FINISHED_NAME) != 0 &&
            asprintf(&path, "%s/%s", checkpoint->directory, entry->d_name) >= 0) {
            ignored = mr_io_unlink(io, path, NULL);
            free(path);
        }
    }
    if (mr_io_exists(checkpoint->finished)) {
        ignored = mr_io_unlink(io, checkpoint->finished, NULL);
    }
    (void)ignored;
    if (listing != NULL) {
        (void)closedir(listing);
    }
}

/* The directory will be removed later, so every file in it must belong to a checkpoint. */
static enum mr_status refuse_other_files(const struct mr_build_checkpoint *checkpoint,
                                         struct mr_error *err)
{
    enum mr_status status = MR_OK;
    DIR *listing = opendir(checkpoint->directory);
    if (listing == NULL) {
        return mr_error_file(err, MR_ERROR_RUNTIME, checkpoint->directory, errno, "cannot read");
    }
    for (struct dirent *entry; status == MR_OK && (entry = readdir(listing)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, MR_LOCK_NAME) != 0 &&
            strncmp(name, PREFIX, sizeof PREFIX - 1) != 0) {
            status = mr_error_file(err, MR_ERROR_USAGE, checkpoint->directory, 0,
                                   "is no checkpoint of a build: %s is in it; name a new directory",
                                   name);
        }
    }
    (void)closedir(listing);
    return status;
}

static enum mr_status hash_file(const struct mr_context *context, const char *path, uint64_t *hash,
                                struct mr_error *err)
{
    struct mr_file *file = NULL;
    void *buffer = NULL;
    uint64_t bytes = 0;
    XXH3_state_t *state = XXH3_createState();
    enum mr_status status =
        state == NULL ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a checksum")
                      : mr_memory_alloc(context->memory, "checkpoint", HASH_BYTES, &buffer, err);
    if (status == MR_OK) {
        (void)XXH3_64bits_reset(state);
        status = mr_file_open(context->io, path, MR_OPEN_READ, &file, err);
    }
    if (status == MR_OK) {
        status = mr_file_size(file, &bytes, err);
    }
    for (uint64_t done = 0, n; status == MR_OK && done < bytes; done += n) {
        n = mr_min_u64(bytes - done, HASH_BYTES);
        status = mr_context_poll(context, err);
        if (status == MR_OK) {
            status = mr_file_read(file, buffer, n, done, err);
        }
        if (status == MR_OK) {
            (void)XXH3_64bits_update(state, buffer, n);
        }
    }
    if (status == MR_OK) {
        *hash = XXH3_64bits_digest(state);
    }
    mr_file_abandon(file);
    mr_memory_free(context->memory, buffer);
    (void)XXH3_freeState(state);
    return status;
}

static enum mr_status check_file(const struct mr_build_checkpoint *checkpoint, const char *path,
                                 uint64_t wanted, struct mr_error *err)
{
    uint64_t hash = 0;
    enum mr_status status = hash_file(checkpoint->context, path, &hash, err);
    return status == MR_OK && hash != wanted
               ? mr_error_file(err, MR_ERROR_CORRUPT, path, 0,
                               "is damaged; remove the directory of the checkpoint and begin anew")
               : status;
}

/* Check that the files named in the manifest are whole. The file of edges is checked when it is
 * read. */
static enum mr_status check_files(const struct mr_build_checkpoint *checkpoint,
                                  struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (checkpoint->numbering.n_runs > 0) {
        status = check_file(checkpoint, checkpoint->names, checkpoint->names_hash, err);
    }
    if (status == MR_OK && checkpoint->numbering.n_ids > 0) {
        status = check_file(checkpoint, checkpoint->ids, checkpoint->ids_hash, err);
    }
    return status;
}

enum mr_status mr_build_checkpoint_save(struct mr_build_checkpoint *checkpoint,
                                        struct mr_spool *spool, struct mr_numbering *numbering,
                                        const uint64_t notes[MR_BUILD_NOTES], struct mr_error *err)
{
    const struct mr_context *context = checkpoint->context;
    enum mr_status status = mr_spool_sync(spool, err);
    if (status == MR_OK) {
        status = mr_numbering_sync(numbering, checkpoint->ids, &checkpoint->numbering, err);
    }
    if (status == MR_OK && checkpoint->numbering.n_runs > 0) {
        status = hash_file(context, checkpoint->names, &checkpoint->names_hash, err);
    }
    if (status == MR_OK && checkpoint->numbering.n_ids > 0) {
        status = hash_file(context, checkpoint->ids, &checkpoint->ids_hash, err);
    }
    if (status == MR_OK) {
        checkpoint->spool = mr_spool_kept_of(spool);
        memcpy(checkpoint->notes, notes, sizeof checkpoint->notes);
        status = mr_build_manifest_write(checkpoint, spool, numbering, err);
    }
    checkpoint->is_whole = status == MR_OK;
    return status;
}

/* ---- Open, close ---- */

static enum mr_status lock_directory(struct mr_build_checkpoint *checkpoint, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (!mr_io_exists(checkpoint->directory)) {
        status = mr_io_make_dir(checkpoint->context->io, checkpoint->directory, err);
    } else if (!mr_io_is_directory(checkpoint->directory)) {
        status = mr_error_file(err, MR_ERROR_USAGE, checkpoint->directory, 0,
                               "is no directory; name one for the checkpoint");
    }
    return status == MR_OK ? mr_store_lock_take(checkpoint->directory, &checkpoint->lock, err)
                           : status;
}

/* Unlock the directory and free all memory. */
static void release(struct mr_build_checkpoint *checkpoint)
{
    struct mr_memory *memory = checkpoint->context->memory;
    mr_store_lock_release(checkpoint->lock);
    mr_memory_free(memory, checkpoint->runs);
    mr_memory_free(memory, checkpoint->chunks);
    free(checkpoint->text);
    free(checkpoint->finished);
    free(checkpoint->ids);
    free(checkpoint->names);
    free(checkpoint->links);
    free(checkpoint->manifest);
    free(checkpoint);
}

enum mr_status mr_build_checkpoint_open(const struct mr_context *context, const char *directory,
                                        const char *text, struct mr_build_checkpoint **out,
                                        struct mr_error *err)
{
    const size_t path_bytes = strlen(directory) + 1;
    struct mr_build_checkpoint *checkpoint = calloc(1, sizeof *checkpoint + path_bytes);
    enum mr_status status = MR_OK;
    bool is_whole = false;

    *out = NULL;
    if (checkpoint == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a checkpoint");
    }
    checkpoint->context = context;
    memcpy(checkpoint->directory, directory, path_bytes);
    checkpoint->text = strdup(text);
    checkpoint->manifest = make_path(directory, "manifest");
    checkpoint->links = make_path(directory, "links");
    checkpoint->names = make_path(directory, "names");
    checkpoint->ids = make_path(directory, "ids");
    checkpoint->finished = make_path(directory, "finished");
    if (checkpoint->text == NULL || checkpoint->manifest == NULL || checkpoint->links == NULL ||
        checkpoint->names == NULL || checkpoint->ids == NULL || checkpoint->finished == NULL) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a checkpoint");
    }
    if (status == MR_OK) {
        status = lock_directory(checkpoint, err);
    }
    if (status == MR_OK) {
        status = refuse_other_files(checkpoint, err);
    }
    if (status == MR_OK && mr_io_exists(checkpoint->manifest)) {
        status = mr_build_manifest_read(checkpoint, &is_whole, err);
    }
    if (status == MR_OK && is_whole) {
        status = check_files(checkpoint, err);
    }
    if (status != MR_OK) {
        release(checkpoint);
        return status;
    }
    checkpoint->is_whole = is_whole;
    if (!is_whole) {
        clear(checkpoint);
    }
    *out = checkpoint;
    return MR_OK;
}

void mr_build_checkpoint_close(struct mr_build_checkpoint *checkpoint, bool is_done)
{
    if (checkpoint == NULL) {
        return;
    }
    const bool goes = is_done || !checkpoint->is_whole;
    struct mr_io *io = checkpoint->context->io;
    char *directory = goes ? strdup(checkpoint->directory) : NULL;
    if (goes) {
        clear(checkpoint);
    }
    release(checkpoint);
    if (directory !=
        NULL) { /* the lock file was in it; the directory stays if someone else put a file there */
        void *self;
        const struct mr_io_table *table = mr_io_table_of(io, &self);
        (void)table->remove_dir(self, directory);
        free(directory);
    }
}

bool mr_build_checkpoint_is_whole(const struct mr_build_checkpoint *checkpoint)
{
    return checkpoint->is_whole;
}

const char *mr_build_checkpoint_names(const struct mr_build_checkpoint *checkpoint)
{
    return checkpoint->names;
}

const char *mr_build_checkpoint_links(const struct mr_build_checkpoint *checkpoint)
{
    return checkpoint->links;
}

const uint64_t *mr_build_checkpoint_notes(const struct mr_build_checkpoint *checkpoint)
{
    return checkpoint->notes;
}

enum mr_status mr_build_checkpoint_restore(struct mr_build_checkpoint *checkpoint,
                                           struct mr_numbering *numbering,
                                           struct mr_scratch_use *use, struct mr_spool **spool,
                                           struct mr_error *err)
{
    struct mr_memory *memory = checkpoint->context->memory;
    enum mr_status status = mr_numbering_restore(numbering, checkpoint->ids, &checkpoint->numbering,
                                                 checkpoint->runs, err);
    if (status == MR_OK) {
        status = mr_spool_open(checkpoint->context, checkpoint->links, &checkpoint->spool,
                               checkpoint->chunks, use, spool, err);
    }
    mr_memory_free(memory, checkpoint->runs);
    mr_memory_free(memory, checkpoint->chunks);
    checkpoint->runs = NULL;
    checkpoint->chunks = NULL;
    return status;
}
