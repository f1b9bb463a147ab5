/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints: writing the state of a long computation to a file, and reading it back after an
 * interruption. Rankings use them. The file is published by a rename and checked by checksums, so
 * that a crash or a damaged byte never gives a wrong state. */
#include "engine/io/checkpoint.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/checksum.h"
#include "engine/io/publish.h"

static const char magic[8] = {'M', 'R', 'C', 'H', 'K', 'P', 'T', '\n'};

enum {
    VERSION = 1,
    FIXED_BYTES = 24,
    HEADER_MAX = FIXED_BYTES + 16 * MR_CHECKPOINT_MAX_PARTS + MR_CHECKPOINT_MAX_TEXT + 8
};

static uint64_t header_bytes(unsigned n_parts, size_t text_bytes)
{
    return FIXED_BYTES + 16 * (uint64_t)n_parts + text_bytes + 8;
}

/* Fills the header up to its last checksum. */
static void make_header(uint8_t *header, const char *text, const struct mr_checkpoint_part *parts,
                        unsigned n_parts)
{
    const size_t text_bytes = strlen(text);
    memcpy(header, magic, sizeof magic);
    mr_put_u32(header + 8, VERSION);
    mr_put_u32(header + 12, n_parts);
    mr_put_u32(header + 16, (uint32_t)text_bytes);
    mr_put_u32(header + 20, 0);
    for (unsigned i = 0; i < n_parts; i++) {
        mr_put_u64(header + FIXED_BYTES + (size_t)16 * i, parts[i].n_bytes);
        mr_put_u64(header + FIXED_BYTES + (size_t)16 * i + 8,
                   mr_checksum(parts[i].bytes, parts[i].n_bytes));
    }
    memcpy(header + FIXED_BYTES + (size_t)16 * n_parts, text, text_bytes);
    const uint64_t end = header_bytes(n_parts, text_bytes) - 8;
    mr_put_u64(header + end, mr_checksum(header, end));
}

enum mr_status mr_checkpoint_may_replace(const char *path, struct mr_error *err)
{
    char found[sizeof magic];
    size_t bytes = 0;
    if (!mr_io_exists(path)) {
        return MR_OK;
    }
    const int failure = mr_io_read_start(path, found, sizeof found, &bytes);
    if (failure != 0 && failure != EACCES && failure != ENXIO && failure != EISDIR) {
        return mr_error_file(err, MR_ERROR_RUNTIME, path, failure, "cannot read");
    }
    return failure == 0 && bytes == sizeof found && memcmp(found, magic, sizeof magic) == 0
               ? MR_OK
               : mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "is not a checkpoint and is not replaced; name another file with "
                               "--checkpoint");
}

enum mr_status mr_checkpoint_write(struct mr_io *io, const char *path, const char *text,
                                   const struct mr_checkpoint_part *parts, unsigned n_parts,
                                   struct mr_error *err)
{
    uint8_t header[HEADER_MAX];
    struct mr_publish *publish = NULL;
    struct mr_file *file = NULL;
    assert(n_parts <= MR_CHECKPOINT_MAX_PARTS && strlen(text) <= MR_CHECKPOINT_MAX_TEXT);
    uint64_t offset = header_bytes(n_parts, strlen(text));
    enum mr_status status = mr_checkpoint_may_replace(path, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_publish_begin(io, path, MR_PUBLISH_FILE, true, &publish, err);
    if (status != MR_OK) {
        return status;
    }
    make_header(header, text, parts, n_parts);
    status =
        mr_file_open(io, mr_publish_path(publish), MR_OPEN_WRITE | MR_OPEN_TRUNCATE, &file, err);
    if (status == MR_OK) {
        status = mr_file_write(file, header, offset, 0, err);
    }
    for (unsigned i = 0; i < n_parts && status == MR_OK; i++) {
        status = mr_file_write(file, parts[i].bytes, parts[i].n_bytes, offset, err);
        offset += parts[i].n_bytes;
    }
    if (status == MR_OK) {
        status = mr_file_sync(file, err);
    }
    if (status != MR_OK) {
        mr_file_abandon(file);
        mr_publish_abandon(publish);
        return status;
    }
    status = mr_file_close(file, err);
    if (status != MR_OK) {
        mr_publish_abandon(publish);
        return status;
    }
    return mr_publish_commit(publish, err);
}

static enum mr_status damaged(const char *path, uint64_t offset, struct mr_error *err)
{
    return mr_error_offset(err, MR_ERROR_CORRUPT, path, offset,
                           "the checkpoint is damaged; remove it and begin anew");
}

/* Reads and checks the header; `*offset` is the offset of the first part. */
static enum mr_status read_header(struct mr_file *file, uint64_t file_bytes, const char *text,
                                  const struct mr_checkpoint_part *parts, unsigned n_parts,
                                  uint8_t *header, uint64_t *offset, struct mr_error *err)
{
    const char *path = mr_file_path(file);
    if (file_bytes < FIXED_BYTES + 8) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0, "no checkpoint; name another file");
    }
    enum mr_status status = mr_file_read(file, header, FIXED_BYTES, 0, err);
    if (status != MR_OK) {
        return status;
    }
    if (memcmp(header, magic, sizeof magic) != 0) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0, "no checkpoint; name another file");
    }
    if (mr_get_u32(header + 8) != VERSION) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "a checkpoint of format %u, this program knows %d; begin anew",
                             mr_get_u32(header + 8), VERSION);
    }
    const uint32_t n = mr_get_u32(header + 12), text_bytes = mr_get_u32(header + 16);
    if (n > MR_CHECKPOINT_MAX_PARTS || text_bytes > MR_CHECKPOINT_MAX_TEXT ||
        header_bytes(n, text_bytes) > file_bytes) {
        return damaged(path, 8, err);
    }
    *offset = header_bytes(n, text_bytes);
    status = mr_file_read(file, header, *offset, 0, err);
    if (status != MR_OK) {
        return status;
    }
    if (mr_get_u64(header + *offset - 8) != mr_checksum(header, *offset - 8)) {
        return damaged(path, 0, err);
    }
    const char *found = (const char *)header + FIXED_BYTES + (size_t)16 * n;
    if (text_bytes != strlen(text) || memcmp(found, text, text_bytes) != 0) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "belongs to another run (%.*s; this run is %s); repeat that run, or "
                             "leave out --resume to begin anew",
                             (int)(text_bytes < 300 ? text_bytes : 300), found, text);
    }
    bool fits = n == n_parts || n_parts == 0;
    for (unsigned i = 0; i < n_parts && fits; i++) {
        fits = mr_get_u64(header + FIXED_BYTES + (size_t)16 * i) == parts[i].n_bytes;
    }
    return fits ? MR_OK : damaged(path, FIXED_BYTES, err);
}

enum mr_status mr_checkpoint_read(struct mr_io *io, const char *path, const char *text,
                                  const struct mr_checkpoint_part *parts, unsigned n_parts,
                                  struct mr_error *err)
{
    uint8_t header[HEADER_MAX];
    struct mr_file *file = NULL;
    uint64_t offset = 0, file_bytes = 0;
    if (!mr_io_exists(path)) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "no such checkpoint; say --resume auto to begin anew then");
    }
    enum mr_status status = mr_file_open(io, path, MR_OPEN_READ, &file, err);
    if (status == MR_OK) {
        status = mr_file_size(file, &file_bytes, err);
    }
    if (status == MR_OK) {
        status = read_header(file, file_bytes, text, parts, n_parts, header, &offset, err);
    }
    for (unsigned i = 0; i < n_parts && status == MR_OK; i++) {
        if (offset > file_bytes || parts[i].n_bytes > file_bytes - offset) {
            status = damaged(path, offset, err);
            break;
        }
        status = mr_file_read(file, parts[i].bytes, parts[i].n_bytes, offset, err);
        if (status == MR_OK && mr_checksum(parts[i].bytes, parts[i].n_bytes) !=
                                   mr_get_u64(header + FIXED_BYTES + (size_t)16 * i + 8)) {
            status = damaged(path, offset, err);
        }
        offset += parts[i].n_bytes;
    }
    if (status == MR_OK && n_parts > 0 && offset != file_bytes) {
        status = damaged(path, offset, err);
    }
    mr_file_abandon(file);
    return status;
}
