/* SPDX-License-Identifier: Apache-2.0 */
/* An output file. All writers of formats/ write through it. Bytes collect in `buffer`. A full
 * buffer goes to the file, or to the encoder, which fills `packed`. A regular file gets a temporary
 * name until commit, so that a failed run never leaves half a file behind. */
#include "formats/stream/output.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/base/zstd_status.h"
#include "engine/io/io.h"
#include "engine/io/publish.h"
#include "formats/stream/output_internal.h"
#include "formats/stream/table_file.h"

enum {
    BUFFER_BYTES = MR_OUTPUT_BUFFER_BYTES,
    PRINT_BYTES = 1024,
    DEFLATE_BYTES = 288 << 10, /* zlib's own figure for level 6, rounded up */
    ZSTD_BYTES = 6 << 20, /* ZSTD_sizeof_CCtx at level 3 says 3.6 MiB; it grows on demand */
    GZIP_WINDOW_BITS = 15 + 16, /* the largest window, gzip wrapping */
    GZIP_LEVEL = 6,
    PIPE_STEP_BYTES = 4096, /* what a pipe that poll(2) calls ready takes without waiting */
    PATIENCE_MS = 100,
    ZSTD_LEVEL = 3
};

static const char encoder_name[] = "compression";

/* ---- Writing to the file ---- */

static enum mr_status failed(const struct mr_output *output, int os_errno, struct mr_error *err)
{
    bool full = os_errno == ENOSPC || os_errno == EDQUOT || os_errno == EFBIG;
    return mr_error_file(err, full ? MR_ERROR_BUDGET : MR_ERROR_RUNTIME, output->name, os_errno,
                         full ? "cannot write; free some space or write elsewhere (-o)"
                              : "cannot write");
}

/* Give an error the name that the user gave, not the temporary one. */
static enum mr_status renamed(const struct mr_output *output, enum mr_status status,
                              const struct mr_error *problem, struct mr_error *err)
{
    return status == MR_OK ? MR_OK
                           : mr_error_file(err, status, output->name, 0, "%s", problem->message);
}

/* Waits until a pipe takes bytes. A signal may reach another thread, so this one looks at the
 * cancel flag from time to time. write(2) reports errors, poll(2) does not. */
static enum mr_status await_room(const struct mr_output *output, int descriptor,
                                 struct mr_error *err)
{
    struct pollfd wanted = {.fd = descriptor, .events = POLLOUT};
    enum mr_status status = mr_context_poll(output->context, err);
    int ready = 0;

    while (status == MR_OK &&
           ((ready = poll(&wanted, 1, PATIENCE_MS)) == 0 || (ready < 0 && errno == EINTR))) {
        status = mr_context_poll(output->context, err);
    }
    return status;
}

/* Opens a pipe or a device. A pipe without a reader is tried again and again, because an open that
 * waits would not notice that the run shall stop. */
static enum mr_status open_special(struct mr_output *output, const char *path, bool is_pipe,
                                   struct mr_error *err)
{
    const struct timespec pause = {.tv_nsec = PATIENCE_MS * 1000000L};

    for (;;) {
        struct mr_error problem = {0};
        enum mr_status status = mr_file_open(output->context->io, path,
                                             MR_OPEN_WRITE | MR_OPEN_TRUNCATE | MR_OPEN_STREAM,
                                             &output->file, &problem);
        if (status == MR_OK || !is_pipe || problem.os_errno != ENXIO) {
            if (status != MR_OK && err != NULL) {
                *err = problem;
            }
            return status;
        }
        status = mr_context_poll(output->context, err);
        if (status != MR_OK) {
            return status;
        }
        (void)nanosleep(&pause, NULL);
    }
}

static enum mr_status put_sequence(struct mr_output *output, const uint8_t *data, size_t bytes,
                                   struct mr_error *err)
{
    const int descriptor = output->table != NULL  ? mr_table_file_descriptor(output->table)
                           : output->file != NULL ? mr_file_descriptor(output->file)
                                                  : STDOUT_FILENO;
    struct stat stat;
    const size_t most =
        fstat(descriptor, &stat) == 0 && S_ISREG(stat.st_mode) ? bytes : PIPE_STEP_BYTES;

    while (bytes > 0) {
        enum mr_status status = await_room(output, descriptor, err);
        if (status == MR_OK && output->table != NULL && mr_table_file_failed(output->table)) {
            status = mr_table_file_finish(output->table, err);
        }
        if (status != MR_OK) {
            return status;
        }
        ssize_t moved = write(descriptor, data, bytes < most ? bytes : most);
        if (moved < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (moved <= 0) {
            return failed(output, moved == 0 ? EIO : errno, err);
        }
        data += moved;
        bytes -= (size_t)moved;
    }
    return MR_OK;
}

enum mr_status mr_output_put(struct mr_output *output, const void *data, size_t bytes,
                             struct mr_error *err)
{
    if (output->sink != NULL) {
        return output->sink(output, data, bytes, err);
    }
    if (output->publish == NULL || output->table != NULL) {
        return put_sequence(output, data, bytes, err);
    }
    struct mr_error problem = {0};
    enum mr_status status = mr_file_write(output->file, data, bytes, output->written, &problem);
    output->written += bytes;
    return renamed(output, status, &problem, err);
}

/* ---- Encoders. `last` ends the stream. ---- */

static enum mr_status put_gzip(struct mr_output *output, bool last, struct mr_error *err)
{
    z_stream *z = &output->deflater;
    int code;

    z->next_in = (const Bytef *)output->buffer;
    z->avail_in = (uInt)output->used;
    do {
        z->next_out = output->packed;
        z->avail_out = BUFFER_BYTES;
        code = deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
            return mr_error_file(err, MR_ERROR_RUNTIME, output->name, 0, "gzip failed (%d)", code);
        }
        enum mr_status status =
            mr_output_put(output, output->packed, BUFFER_BYTES - z->avail_out, err);
        if (status != MR_OK) {
            return status;
        }
    } while (z->avail_out == 0 || (last && code != Z_STREAM_END));
    return MR_OK;
}

static enum mr_status put_zstd(struct mr_output *output, bool last, struct mr_error *err)
{
    ZSTD_inBuffer in = {output->buffer, output->used, 0};
    size_t left;

    do {
        ZSTD_outBuffer out = {output->packed, BUFFER_BYTES, 0};
        left = ZSTD_compressStream2(output->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            return mr_error_file(err, mr_zstd_status(left), output->name, 0, "zstd failed: %s",
                                 ZSTD_getErrorName(left));
        }
        enum mr_status status = mr_output_put(output, output->packed, out.pos, err);
        if (status != MR_OK) {
            return status;
        }
    } while (last ? left != 0 : in.pos < in.size);
    return MR_OK;
}

static enum mr_status flush(struct mr_output *output, bool last, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    output->is_open = !last && (output->is_open || output->used > 0);
    switch (output->codec) {
    case MR_OUTPUT_PLAIN:
        status = mr_output_put(output, output->buffer, output->used, err);
        break;
    case MR_OUTPUT_GZIP:
        status = put_gzip(output, last, err);
        break;
    case MR_OUTPUT_ZSTD:
        status = put_zstd(output, last, err);
        break;
    }
    output->used = 0;
    return status;
}

enum mr_status mr_output_end_frame(struct mr_output *output, struct mr_error *err)
{
    if (output->used == 0 && !output->is_open) {
        return MR_OK;
    }
    const enum mr_status status = flush(output, true, err);
    if (status == MR_OK && output->codec == MR_OUTPUT_GZIP &&
        deflateReset(&output->deflater) != Z_OK) {
        return mr_error_file(err, MR_ERROR_RUNTIME, output->name, 0, "gzip failed");
    }
    output->has_frame = true;
    return status;
}

/* ---- Opening ---- */

bool mr_output_is_standard(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static bool ends_with(const char *text, size_t text_bytes, const char *suffix)
{
    size_t suffix_bytes = strlen(suffix);
    return text_bytes >= suffix_bytes &&
           strncasecmp(text + text_bytes - suffix_bytes, suffix, suffix_bytes) == 0;
}

static enum mr_output_codec codec_of(const char *path)
{
    size_t bytes = strlen(path);
    return ends_with(path, bytes, ".gz")    ? MR_OUTPUT_GZIP
           : ends_with(path, bytes, ".zst") ? MR_OUTPUT_ZSTD
                                            : MR_OUTPUT_PLAIN;
}

bool mr_output_compresses(const char *path)
{
    return !mr_output_is_standard(path) && codec_of(path) != MR_OUTPUT_PLAIN;
}

bool mr_output_has_suffix(const char *path, const char *suffix)
{
    static const uint8_t codec_bytes[] = {
        [MR_OUTPUT_PLAIN] = 0, [MR_OUTPUT_GZIP] = 3, [MR_OUTPUT_ZSTD] = 4};
    return ends_with(path, strlen(path) - codec_bytes[codec_of(path)], suffix);
}

/* Begin a file under a temporary name. `*publish` is NULL for a pipe or a device of this `*mode`,
 * which is written directly. */
static enum mr_status begin_file(struct mr_io *io, const char *path, bool force,
                                 struct mr_publish **publish, mode_t *mode, struct mr_error *err)
{
    struct stat stat_of;
    const bool exists = stat(path, &stat_of) == 0;

    *publish = NULL;
    *mode = exists ? stat_of.st_mode : 0;
    if (exists && S_ISDIR(*mode)) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "is a directory; name a file to write to");
    }
    return exists && !S_ISREG(*mode)
               ? MR_OK
               : mr_publish_begin(io, path, MR_PUBLISH_FILE, force, publish, err);
}

enum mr_status mr_output_check_room(const char *path, const char *what, uint64_t least,
                                    uint64_t *room, struct mr_error *err)
{
    char wanted[32], left[32];
    struct stat at;

    *room = UINT64_MAX;
    if (mr_output_is_standard(path) || mr_output_compresses(path) ||
        (stat(path, &at) == 0 && !S_ISREG(at.st_mode))) {
        return MR_OK;
    }
    const enum mr_status status = mr_io_free_bytes(path, room, err);
    return status != MR_OK || *room >= least
               ? status
               : mr_error_file(err, MR_ERROR_BUDGET, path, 0,
                               "%s take %s or more, and the disk has room for %s; make room, or "
                               "name a file on another disk",
                               what, mr_size_text(least, wanted), mr_size_text(*room, left));
}

static enum mr_status open_path(struct mr_output *output, const char *path, bool force,
                                struct mr_error *err)
{
    struct mr_io *io = output->context->io;
    mode_t mode;
    enum mr_status status = begin_file(io, path, force, &output->publish, &mode, err);

    if (status != MR_OK || output->publish == NULL) {
        return status != MR_OK ? status : open_special(output, path, S_ISFIFO(mode), err);
    }
    struct mr_error problem = {0};
    status = mr_file_open(io, mr_publish_path(output->publish), MR_OPEN_WRITE | MR_OPEN_TRUNCATE,
                          &output->file, &problem);
    return renamed(output, status, &problem, err);
}

static uint64_t encoder_bytes(enum mr_output_codec codec)
{
    return codec == MR_OUTPUT_PLAIN ? 0 : codec == MR_OUTPUT_GZIP ? DEFLATE_BYTES : ZSTD_BYTES;
}

uint64_t mr_output_memory(const char *path)
{
    const enum mr_output_codec codec = path != NULL ? codec_of(path) : MR_OUTPUT_PLAIN;
    return (mr_table_file_is(path) ? MR_TABLE_FILE_BYTES : 0) +
           (codec == MR_OUTPUT_PLAIN ? 1 : 2) * (uint64_t)BUFFER_BYTES + encoder_bytes(codec);
}

static enum mr_status open_encoder(struct mr_output *output, struct mr_error *err)
{
    struct mr_memory *memory = output->context->memory;
    const uint64_t bytes = encoder_bytes(output->codec);
    bool made;

    if (output->codec == MR_OUTPUT_PLAIN) {
        return MR_OK;
    }
    enum mr_status status =
        mr_memory_alloc(memory, "output buffer", BUFFER_BYTES, &output->packed, err);
    if (status == MR_OK) {
        status = mr_memory_charge(memory, encoder_name, bytes, err);
    }
    if (status != MR_OK) {
        return status;
    }
    output->charged_bytes = bytes;
    if (output->codec == MR_OUTPUT_GZIP) {
        made = output->deflating = deflateInit2(&output->deflater, GZIP_LEVEL, Z_DEFLATED,
                                                GZIP_WINDOW_BITS, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    } else {
        output->zstd = ZSTD_createCCtx();
        made = output->zstd != NULL &&
               !ZSTD_isError(
                   ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
               !ZSTD_isError(ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_checksumFlag, 1));
    }
    return made ? MR_OK
                : mr_error_file(err, MR_ERROR_BUDGET, output->name, 0, "no memory to compress it");
}

enum mr_status mr_output_open(const struct mr_context *context, const char *path, bool force,
                              struct mr_output **out, struct mr_error *err)
{
    bool is_stdout = mr_output_is_standard(path);
    const char *name = is_stdout ? "standard output" : path;
    size_t name_bytes = strlen(name) + 1;
    struct mr_output *output = calloc(1, sizeof *output + name_bytes);

    *out = output;
    if (output == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, name, ENOMEM, "cannot write");
    }
    memcpy(output->name, name, name_bytes);
    output->context = context;
    output->codec = is_stdout ? MR_OUTPUT_PLAIN : codec_of(path);
    enum mr_status status =
        mr_memory_array(context->memory, "output buffer", BUFFER_BYTES, &output->buffer, err);
    if (status == MR_OK) {
        status = open_encoder(output, err);
    }
    if (status == MR_OK && !is_stdout) {
        status = open_path(output, path, force, err);
    }
    return status;
}

enum mr_status mr_output_open_table(const struct mr_context *context, const char *path, bool force,
                                    const char *columns, double bound, const char *metadata,
                                    struct mr_output **out, struct mr_error *err)
{
    struct stat at;

    *out = NULL;
    if (stat(path, &at) == 0 && !S_ISREG(at.st_mode) && !S_ISDIR(at.st_mode)) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "is a pipe or a device, which cannot hold a table; name a file");
    }
    const enum mr_status status = mr_output_open(context, path, force, out, err);
    return status == MR_OK ? mr_table_file_open(context, path, mr_publish_path((*out)->publish),
                                                columns, bound, metadata, &(*out)->table, err)
                           : status;
}

enum mr_status mr_output_part_open(struct mr_output *whole, mr_output_sink sink,
                                   struct mr_output **out, struct mr_error *err)
{
    struct mr_memory *memory = whole->context->memory;
    const size_t name_bytes = strlen(whole->name) + 1;
    struct mr_output *part = calloc(1, sizeof *part + name_bytes);

    *out = part;
    if (part == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, whole->name, ENOMEM, "cannot write");
    }
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("output buffer", BUFFER_BYTES, &part->buffer),
        MR_WANTED("output buffer", MR_OUTPUT_HELD_BYTES, &part->held),
    };
    memcpy(part->name, whole->name, name_bytes);
    part->context = whole->context;
    part->codec = whole->codec;
    part->sink = sink;
    part->whole = whole;
    enum mr_status status = mr_memory_arrays(memory, arrays, err);
    if (status == MR_OK) {
        status = open_encoder(part, err);
    }
    return status;
}

/* ---- Closing ---- */

/* Release everything except the file and the name. */
static void release(struct mr_output *output)
{
    struct mr_memory *memory = output->context->memory;
    if (output->deflating) {
        (void)deflateEnd(&output->deflater);
    }
    (void)ZSTD_freeCCtx(output->zstd);
    mr_memory_discharge(memory, encoder_name, output->charged_bytes);
    mr_memory_free(memory, output->packed);
    mr_memory_free(memory, output->held);
    mr_memory_free(memory, output->buffer);
    free(output);
}

void mr_output_abandon(struct mr_output *output)
{
    if (output != NULL) {
        mr_table_file_close(output->table);
        mr_file_abandon(output->file);
        mr_publish_abandon(output->publish);
        release(output);
    }
}

enum mr_status mr_output_commit(struct mr_output *output, struct mr_error *err)
{
    /* no empty frame behind others */
    const bool is_over = output->has_frame && !output->is_open && output->used == 0;
    enum mr_status status = is_over ? MR_OK : flush(output, true, err);
    struct mr_error problem = {0};

    if (status == MR_OK && output->table != NULL) {
        status = mr_table_file_finish(output->table, err);
    }
    if (status == MR_OK && output->publish != NULL) {
        status = renamed(output, mr_file_sync(output->file, &problem), &problem, err);
    }
    if (status == MR_OK && output->file != NULL) {
        struct mr_file *file = output->file;
        output->file = NULL;
        status = renamed(output, mr_file_close(file, &problem), &problem, err);
    }
    if (status == MR_OK && output->publish != NULL) {
        struct mr_publish *publish = output->publish;
        output->publish = NULL;
        status = mr_publish_commit_with(publish, output->context->together, err);
    }
    mr_output_abandon(output);
    return status;
}

enum mr_status mr_output_end(struct mr_output *output, enum mr_status status, struct mr_error *err)
{
    if (status == MR_OK) {
        return mr_output_commit(output, err);
    }
    mr_output_abandon(output);
    return status;
}

enum mr_status mr_output_file(const struct mr_context *context, const char *path, bool force,
                              const char *text, size_t bytes, struct mr_error *err)
{
    struct mr_output *output = NULL;
    enum mr_status status = mr_output_open(context, path, force, &output, err);

    if (status == MR_OK) {
        status = mr_output_write(output, text, bytes, err);
    }
    return mr_output_end(output, status, err);
}

/* ---- Writing ---- */

enum mr_status mr_output_write(struct mr_output *output, const void *data, size_t bytes,
                               struct mr_error *err)
{
    const char *from = data;

    while (bytes > BUFFER_BYTES - output->used) {
        size_t room = BUFFER_BYTES - output->used;
        memcpy(output->buffer + output->used, from, room);
        output->used += room;
        from += room;
        bytes -= room;
        enum mr_status status = flush(output, false, err);
        if (status != MR_OK) {
            return status;
        }
    }
    if (bytes > 0) { /* an empty array may be NULL */
        memcpy(output->buffer + output->used, from, bytes);
    }
    output->used += bytes;
    return MR_OK;
}

enum mr_status mr_output_print(struct mr_output *output, struct mr_error *err, const char *format,
                               ...)
{
    char text[PRINT_BYTES];
    va_list arguments;

    va_start(arguments, format);
    int bytes = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (bytes < 0 || (size_t)bytes >= sizeof text) {
        return mr_error_file(err, MR_ERROR_RUNTIME, output->name, 0,
                             "text of %d bytes is too long to print", bytes);
    }
    return mr_output_write(output, text, (size_t)bytes, err);
}

enum mr_status mr_output_name_escaped(struct mr_output *output, const char *name, size_t name_bytes,
                                      enum mr_name_form form, uint64_t *escaped,
                                      struct mr_error *err)
{
    const char *const end = name + name_bytes;
    enum mr_status status = MR_OK;
    size_t bytes = 0;
    bool any = false;

    while (status == MR_OK && name < end) {
        char code[3 * MR_NAME_CODE_BYTES];
        const char *odd = mr_name_find_odd(name, end, form, &bytes);
        status = mr_output_write(output, name, (size_t)(odd - name), err);
        name = odd;
        if (status == MR_OK && odd < end) {
            status = mr_output_write(output, code, mr_name_codes(odd, bytes, form, code), err);
            name += bytes;
            any = true;
        }
    }
    *escaped += any;
    return status;
}
