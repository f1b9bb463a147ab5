/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes, writes and reads the manifest of a checkpoint. Reading checks size, checksum and byte
 * order before anything is used. So a torn or foreign manifest counts as none, and the build starts
 * over. */
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/checksum.h"
#include "engine/base/memory.h"
#include "engine/build/build_checkpoint_internal.h"
#include "engine/io/io.h"
#include "engine/io/publish.h"

static const char magic[8] = {'M', 'R', 'B', 'U', 'I', 'L', 'D', '\n'};

enum {
    VERSION = 1,
    FIXED_BYTES = 112 + 8 * MR_BUILD_NOTES,
    CHUNK_BYTES = 16,
    RUN_BYTES = 24,
    CHECKSUM_BYTES = 8,
    HAS_ROOM = 1,
    HAS_WEIGHTS = 2,
    IS_FROZEN = 4
};
#define ORDER_MARK 0x01020304u

/* ---- Writing it ---- */

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

enum mr_status mr_build_checkpoint_publish(const struct mr_build_checkpoint *checkpoint,
                                           const char *path, const void *data, uint64_t bytes,
                                           struct mr_error *err)
{
    struct mr_io *io = checkpoint->context->io;
    struct mr_publish *publish = NULL;
    struct mr_file *file = NULL;
    enum mr_status status = mr_publish_begin(io, path, MR_PUBLISH_FILE, true, &publish, err);
    if (status == MR_OK) {
        status = mr_file_open(io, mr_publish_path(publish), MR_OPEN_WRITE | MR_OPEN_TRUNCATE, &file,
                              err);
    }
    if (status == MR_OK) {
        status = mr_file_write(file, data, bytes, 0, err);
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

enum mr_status mr_build_manifest_write(const struct mr_build_checkpoint *checkpoint,
                                       const struct mr_spool *spool,
                                       const struct mr_numbering *numbering, struct mr_error *err)
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
        const struct mr_spool_kept_chunk chunk = mr_spool_kept_chunk_at(spool, i);
        mr_put_u64(to, chunk.checksum);
        mr_put_u32(to + 8, chunk.n_edges);
        mr_put_u32(to + 12, chunk.is_wide);
    }
    for (uint64_t i = 0; i < checkpoint->numbering.n_runs; i++, to += RUN_BYTES) {
        const struct mr_dictionary_run run =
            mr_dictionary_run_at(mr_numbering_dictionary(numbering), i);
        mr_put_u64(to, run.begin);
        mr_put_u64(to + 8, run.end);
        mr_put_u64(to + 16, run.n_entries);
    }
    memcpy(to, checkpoint->text, text_bytes);
    mr_put_u64(to + text_bytes, mr_checksum(manifest, bytes - CHECKSUM_BYTES));
    status = mr_build_checkpoint_publish(checkpoint, checkpoint->manifest, manifest, bytes, err);
    mr_memory_free(checkpoint->context->memory, manifest);
    return status;
}

/* ---- Reading it ---- */

/* Move `*text` and `*other` to their first line that differs. Returns false if they are equal. */
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

/* Is the manifest whole, and did a machine of this byte order write it? */
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

/* Read the lists of a sound manifest. */
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

static enum mr_status take_manifest(struct mr_build_checkpoint *checkpoint, uint8_t *manifest,
                                    uint64_t bytes, bool *is_whole, struct mr_error *err)
{
    *is_whole = is_sound(checkpoint, manifest, bytes);
    if (!*is_whole) {
        return MR_OK;
    }
    manifest[bytes - CHECKSUM_BYTES] = '\0'; /* terminates the text */
    enum mr_status status =
        compare(checkpoint,
                (const char *)manifest + bytes - CHECKSUM_BYTES - mr_get_u64(manifest + 24), err);
    return status == MR_OK ? take_lists(checkpoint, manifest + FIXED_BYTES, err) : status;
}

enum mr_status mr_build_manifest_read(struct mr_build_checkpoint *checkpoint, bool *is_whole,
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
