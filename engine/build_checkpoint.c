#include "engine/build_checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "engine/bytes.h"
#include "engine/checksum.h"
#include "engine/io.h"
#include "engine/memory.h"
#include "engine/publish.h"
#include "engine/store_lock.h"

#define PREFIX "checkpoint."
static const char magic[8] = {'M', 'R', 'B', 'U', 'I', 'L', 'D', '\n'};

enum {
    VERSION = 1,
    FIXED_BYTES = 112 + 8 * MR_BUILD_NOTES,
    CHUNK_BYTES = 16,
    RUN_BYTES = 24,
    CHECKSUM_BYTES = 8,
    HAS_ROOM = 1,
    HAS_WEIGHTS = 2,
    IS_FROZEN = 4,
    HASH_BYTES = 1 << 20 /* of a file, read at a time */
};
#define ORDER_MARK 0x01020304u

struct mr_build_checkpoint {
    const struct mr_context *context;
    struct mr_store_lock *lock;
    char *text;
    bool is_whole;
    char *manifest, *links, *names, *ids; /* paths */
    struct mr_spool_kept spool;
    struct mr_numbering_kept numbering;
    uint64_t names_hash, ids_hash;
    uint64_t notes[MR_BUILD_NOTES];
    struct mr_spool_kept_chunk *chunks; /* [spool.n_chunks], as read; or NULL */
    struct mr_dictionary_run *runs; /* [numbering.n_runs], likewise */
    char directory[];
};

/* ---- The directory ---- */

static char *make_path(const char *directory, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/" PREFIX "%s", directory, name) < 0 ? NULL : path;
}

/* Take away all that a checkpoint is made of, what says that it is whole first. Best effort. */
static void clear(const struct mr_build_checkpoint *checkpoint)
{
    struct mr_io *io = checkpoint->context->io;
    enum mr_status ignored = mr_io_unlink(io, checkpoint->manifest, NULL);
    DIR *listing = opendir(checkpoint->directory);
    for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;) {
        char *path = NULL;
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0 &&
            asprintf(&path, "%s/%s", checkpoint->directory, entry->d_name) >= 0) {
            ignored = mr_io_unlink(io, path, NULL);
            free(path);
        }
    }
    (void)ignored;
    if (listing != NULL) {
        (void)closedir(listing);
    }
}

/* It is to be removed one day, and all files in it are to be ours. */
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

/* ---- The manifest ---- */

static uint64_t manifest_bytes(const struct mr_build_checkpoint *checkpoint, uint64_t text_bytes)
{
    return FIXED_BYTES + CHUNK_BYTES * checkpoint->spool.n_chunks +
           RUN_BYTES * checkpoint->numbering.n_runs + text_bytes + CHECKSUM_BYTES;
}

static void put_fixed(const struct mr_build_checkpoint *checkpoint, uint64_t bytes, uint8_t *to)
{
    const struct mr_spool_kept *spool = &checkpoint->spool;
    const struct mr_numbering_kept *numbering = &checkpoint->numbering;
    const uint32_t mark = ORDER_MARK;
    const uint64_t fields[] = {
        bytes,
        strlen(checkpoint->text),
        spool->n_edges,
        spool->n_self_loops,
        spool->max_id,
        spool->n_chunks,
        (spool->has_room ? HAS_ROOM : 0u) | (spool->has_weights ? HAS_WEIGHTS : 0u) |
            (numbering->is_frozen ? IS_FROZEN : 0u),
        numbering->n_names,
        numbering->n_runs,
        numbering->n_ids,
        checkpoint->names_hash,
        checkpoint->ids_hash,
    };
    memcpy(to, magic, sizeof magic);
    mr_put_u32(to + 8, VERSION);
    memcpy(to + 12, &mark, sizeof mark);
    to += 16;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        mr_put_u64(to + 8 * i, fields[i]);
    }
    to += sizeof fields;
    for (size_t i = 0; i < MR_BUILD_NOTES; i++) {
        mr_put_u64(to + 8 * i, checkpoint->notes[i]);
    }
}

static void take_fixed(struct mr_build_checkpoint *checkpoint, const uint8_t *from)
{
    const uint64_t flags = mr_get_u64(from + 64);
    checkpoint->spool = (struct mr_spool_kept){
        .n_edges = mr_get_u64(from + 32),
        .n_self_loops = mr_get_u64(from + 40),
        .max_id = mr_get_u64(from + 48),
        .n_chunks = mr_get_u64(from + 56),
        .has_room = (flags & HAS_ROOM) != 0,
        .has_weights = (flags & HAS_WEIGHTS) != 0,
    };
    checkpoint->numbering = (struct mr_numbering_kept){
        .is_frozen = (flags & IS_FROZEN) != 0,
        .n_names = mr_get_u64(from + 72),
        .n_runs = mr_get_u64(from + 80),
        .n_ids = mr_get_u64(from + 88),
    };
    checkpoint->names_hash = mr_get_u64(from + 96);
    checkpoint->ids_hash = mr_get_u64(from + 104);
    for (size_t i = 0; i < MR_BUILD_NOTES; i++) {
        checkpoint->notes[i] = mr_get_u64(from + 112 + 8 * i);
    }
}

static enum mr_status write_manifest(const struct mr_build_checkpoint *checkpoint,
                                     const uint8_t *manifest, uint64_t bytes, struct mr_error *err)
{
    struct mr_io *io = checkpoint->context->io;
    struct mr_publish *publish = NULL;
    struct mr_file *file = NULL;
    enum mr_status status =
        mr_publish_begin(io, checkpoint->manifest, MR_PUBLISH_FILE, true, &publish, err);
    if (status == MR_OK) {
        status = mr_file_open(io, mr_publish_path(publish), MR_OPEN_WRITE | MR_OPEN_TRUNCATE, &file,
                              err);
    }
    if (status == MR_OK) {
        status = mr_file_write(file, manifest, bytes, 0, err);
    }
    if (status == MR_OK) {
        status = mr_file_sync(file, err);
    }
    if (status == MR_OK) {
        struct mr_file *whole = file;
        file = NULL;
        status = mr_file_close(whole, err);
    }
    if (status != MR_OK) {
        mr_file_abandon(file);
        mr_publish_abandon(publish);
        return status;
    }
    return mr_publish_commit(publish, err);
}

/* The manifest of `spool` and `numbering`, which are on the disk. */
static enum mr_status describe(const struct mr_build_checkpoint *checkpoint,
                               const struct mr_spool *spool, const struct mr_numbering *numbering,
                               struct mr_error *err)
{
    const uint64_t text_bytes = strlen(checkpoint->text);
    const uint64_t bytes = manifest_bytes(checkpoint, text_bytes);
    void *manifest = NULL;
    enum mr_status status =
        mr_memory_alloc(checkpoint->context->memory, "checkpoint", bytes, &manifest, err);
    if (status != MR_OK) {
        return status;
    }
    put_fixed(checkpoint, bytes, manifest);
    uint8_t *to = (uint8_t *)manifest + FIXED_BYTES;
    for (uint64_t i = 0; i < checkpoint->spool.n_chunks; i++, to += CHUNK_BYTES) {
        const struct mr_spool_kept_chunk chunk = mr_spool_kept_chunk(spool, i);
        mr_put_u64(to, chunk.checksum);
        mr_put_u32(to + 8, chunk.n_edges);
        mr_put_u32(to + 12, chunk.is_wide);
    }
    for (uint64_t i = 0; i < checkpoint->numbering.n_runs; i++, to += RUN_BYTES) {
        const struct mr_dictionary_run run =
            mr_dictionary_run(mr_numbering_dictionary(numbering), i);
        mr_put_u64(to, run.begin);
        mr_put_u64(to + 8, run.end);
        mr_put_u64(to + 16, run.n_entries);
    }
    memcpy(to, checkpoint->text, text_bytes);
    mr_put_u64(to + text_bytes, mr_checksum(manifest, bytes - CHECKSUM_BYTES));
    status = write_manifest(checkpoint, manifest, bytes, err);
    mr_memory_free(checkpoint->context->memory, manifest);
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
        checkpoint->spool = mr_spool_kept(spool);
        memcpy(checkpoint->notes, notes, sizeof checkpoint->notes);
        status = describe(checkpoint, spool, numbering, err);
    }
    checkpoint->is_whole = status == MR_OK;
    return status;
}

/* ---- Reading it ---- */

/* The first line of `text` that is not the other's; both move to it. False: there is none. */
static bool find_difference(const char **text, const char **other)
{
    while (**text != '\0' || **other != '\0') {
        const size_t bytes = strcspn(*text, "\n"), other_bytes = strcspn(*other, "\n");
        if (bytes != other_bytes || memcmp(*text, *other, bytes) != 0) {
            return true;
        }
        *text += bytes + ((*text)[bytes] != '\0');
        *other += other_bytes + ((*other)[other_bytes] != '\0');
    }
    return false;
}

static enum mr_status compare(const struct mr_build_checkpoint *checkpoint, const char *found,
                              struct mr_error *err)
{
    const char *wanted = checkpoint->text;
    if (!find_difference(&found, &wanted)) {
        return MR_OK;
    }
    const int found_bytes = (int)strcspn(found, "\n"), wanted_bytes = (int)strcspn(wanted, "\n");
    return mr_error_file(err, MR_ERROR_USAGE, checkpoint->directory, 0,
                         "is the checkpoint of another build (%.*s; this one %.*s); repeat that "
                         "one, or remove the directory to begin anew",
                         found_bytes > 0 ? found_bytes : 7, found_bytes > 0 ? found : "no more",
                         wanted_bytes > 0 ? wanted_bytes : 7,
                         wanted_bytes > 0 ? wanted : "no more");
}

/* Is it what a machine like this one wrote, all of it? */
static bool is_sound(struct mr_build_checkpoint *checkpoint, const uint8_t *manifest,
                     uint64_t bytes)
{
    const uint32_t mark = ORDER_MARK;
    if (memcmp(manifest, magic, sizeof magic) != 0 || mr_get_u32(manifest + 8) != VERSION ||
        memcmp(manifest + 12, &mark, sizeof mark) != 0 || mr_get_u64(manifest + 16) != bytes ||
        mr_get_u64(manifest + bytes - CHECKSUM_BYTES) !=
            mr_checksum(manifest, bytes - CHECKSUM_BYTES)) {
        return false;
    }
    take_fixed(checkpoint, manifest);
    const uint64_t text_bytes = mr_get_u64(manifest + 24);
    return checkpoint->spool.n_chunks <= bytes / CHUNK_BYTES &&
           checkpoint->numbering.n_runs <= bytes / RUN_BYTES && text_bytes <= bytes &&
           manifest_bytes(checkpoint, text_bytes) == bytes;
}

/* Of a sound one. */
static enum mr_status take_lists(struct mr_build_checkpoint *checkpoint, const uint8_t *from,
                                 struct mr_error *err)
{
    struct mr_memory *memory = checkpoint->context->memory;
    const uint64_t n_chunks = checkpoint->spool.n_chunks, n_runs = checkpoint->numbering.n_runs;
    void *pointer = NULL;
    enum mr_status status = mr_memory_alloc(
        memory, "checkpoint", (n_chunks + 1) * sizeof *checkpoint->chunks, &pointer, err);
    checkpoint->chunks = pointer;
    if (status == MR_OK) {
        pointer = NULL;
        status = mr_memory_alloc(memory, "checkpoint", (n_runs + 1) * sizeof *checkpoint->runs,
                                 &pointer, err);
        checkpoint->runs = pointer;
    }
    if (status != MR_OK) {
        return status;
    }
    for (uint64_t i = 0; i < n_chunks; i++, from += CHUNK_BYTES) {
        checkpoint->chunks[i] = (struct mr_spool_kept_chunk){.checksum = mr_get_u64(from),
                                                             .n_edges = mr_get_u32(from + 8),
                                                             .is_wide = mr_get_u32(from + 12) != 0};
    }
    for (uint64_t i = 0; i < n_runs; i++, from += RUN_BYTES) {
        checkpoint->runs[i] = (struct mr_dictionary_run){.begin = mr_get_u64(from),
                                                         .end = mr_get_u64(from + 8),
                                                         .n_entries = mr_get_u64(from + 16)};
    }
    return MR_OK;
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

/* `*is_whole`: the manifest is, and so is what it names; links are looked at when they are read. */
static enum mr_status take_manifest(struct mr_build_checkpoint *checkpoint, uint8_t *manifest,
                                    uint64_t bytes, bool *is_whole, struct mr_error *err)
{
    *is_whole = is_sound(checkpoint, manifest, bytes);
    if (!*is_whole) {
        return MR_OK;
    }
    manifest[bytes - CHECKSUM_BYTES] = '\0'; /* ends the text */
    enum mr_status status =
        compare(checkpoint,
                (const char *)manifest + bytes - CHECKSUM_BYTES - mr_get_u64(manifest + 24), err);
    if (status == MR_OK) {
        status = take_lists(checkpoint, manifest + FIXED_BYTES, err);
    }
    if (status == MR_OK && checkpoint->numbering.n_runs > 0) {
        status = check_file(checkpoint, checkpoint->names, checkpoint->names_hash, err);
    }
    if (status == MR_OK && checkpoint->numbering.n_ids > 0) {
        status = check_file(checkpoint, checkpoint->ids, checkpoint->ids_hash, err);
    }
    return status;
}

/* Whatever is there and is no whole manifest is nothing. */
static enum mr_status read_manifest(struct mr_build_checkpoint *checkpoint, bool *is_whole,
                                    struct mr_error *err)
{
    const struct mr_context *context = checkpoint->context;
    struct mr_file *file = NULL;
    void *manifest = NULL;
    uint64_t bytes = 0;
    enum mr_status status =
        mr_file_open(context->io, checkpoint->manifest, MR_OPEN_READ, &file, err);
    *is_whole = false;
    if (status == MR_OK) {
        status = mr_file_size(file, &bytes, err);
    }
    if (status == MR_OK && bytes >= FIXED_BYTES + CHECKSUM_BYTES) {
        status = mr_memory_alloc(context->memory, "checkpoint", bytes, &manifest, err);
        if (status == MR_OK) {
            status = mr_file_read(file, manifest, bytes, 0, err);
        }
        if (status == MR_OK) {
            status = take_manifest(checkpoint, manifest, bytes, is_whole, err);
        }
    }
    mr_memory_free(context->memory, manifest);
    mr_file_abandon(file);
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

/* Unlock, and free all. */
static void release(struct mr_build_checkpoint *checkpoint)
{
    struct mr_memory *memory = checkpoint->context->memory;
    mr_store_lock_release(checkpoint->lock);
    mr_memory_free(memory, checkpoint->runs);
    mr_memory_free(memory, checkpoint->chunks);
    free(checkpoint->text);
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
    if (checkpoint->text == NULL || checkpoint->manifest == NULL || checkpoint->links == NULL ||
        checkpoint->names == NULL || checkpoint->ids == NULL) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a checkpoint");
    }
    if (status == MR_OK) {
        status = lock_directory(checkpoint, err);
    }
    if (status == MR_OK) {
        status = refuse_other_files(checkpoint, err);
    }
    if (status == MR_OK && mr_io_exists(checkpoint->manifest)) {
        status = read_manifest(checkpoint, &is_whole, err);
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
        NULL) { /* the lock was in it; it stays where somebody else has put something there */
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
