/* SPDX-License-Identifier: Apache-2.0 */
/* Raw bytes of an input file. formats/stream/input.c decompresses them. A regular file is read by
 * position through the I/O table. A pipe is read with read(2); it may be copied to a file without a
 * name, because some readers need the bytes twice. A table that DuckDB reads is a pipe of text. */
#include "formats/stream/input_internal.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/bytes.h"
#include "engine/io/io.h"
#include "engine/io/scratch_file.h"
#include "engine/io/workspace.h"
#include "formats/stream/not_links.h"
#include "formats/stream/query.h"
#include "millrace/store.h"

enum { PATIENCE_MS = 100 };

/* One call moves at most 0x7ffff000 bytes, so this limit costs nothing. */
#define MAX_READ_BYTES ((size_t)1 << 30)

struct mr_source {
    const struct mr_context *context;
    struct mr_file *file; /* NULL for standard input */
    struct mr_query *query; /* that is read in place of a file; else NULL */
    struct mr_file *copy; /* copy of a pipe's bytes, for rewinding; else NULL */
    int descriptor; /* for read(2), where `by_position` is false */
    bool by_position; /* a regular file, or the copy after a rewind */
    bool is_rewindable; /* mr_source_rewind may be called */
    bool ended; /* read(2) has reported the end */
    uint64_t done; /* bytes read since the beginning or the last rewind */
    uint64_t size; /* by_position: bytes of the file that is read */
    uint64_t total; /* 0: unknown */
    char name[];
};

/* Find the length and the way to read. A regular file of 0 bytes is read with read(2), because
 * files of /proc report 0 bytes whatever they hold. */
static enum mr_status look_at(struct mr_source *source, struct mr_error *err)
{
    struct stat stat;
    if (fstat(source->descriptor, &stat) != 0) {
        return mr_error_file(err, MR_ERROR_RUNTIME, source->name, errno, "cannot read");
    }
    if (S_ISDIR(stat.st_mode)) {
        return mr_error_file(err, MR_ERROR_INPUT, source->name, 0, "%s",
                             mr_store_probe(source->name)
                                 ? "is a store, not a file; 'millrace export' writes its links to "
                                   "a file, 'millrace pagerank' its scores"
                                 : "is a directory, not a file; name the files in it");
    }
    if (!S_ISREG(stat.st_mode) || stat.st_size == 0) {
        return MR_OK;
    }
    if (source->file != NULL) {
        source->by_position = true;
        source->size = source->total = (uint64_t)stat.st_size;
    } else {
        /* Standard input may be a file that another program has read in part; reading goes on from
         * there. */
        off_t at = lseek(source->descriptor, 0, SEEK_CUR);
        if (at >= 0 && at < stat.st_size) {
            source->total = (uint64_t)(stat.st_size - at);
        }
    }
    return MR_OK;
}

enum mr_status mr_source_open(const struct mr_context *context, const char *path,
                              struct mr_source **out, struct mr_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    size_t name_bytes = strlen(name) + 1;
    struct mr_source *source = calloc(1, sizeof *source + name_bytes);
    enum mr_status status;

    *out = source;
    if (source == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, name, ENOMEM, "cannot open");
    }
    source->context = context;
    memcpy(source->name, name, name_bytes);
    if (mr_query_is(path)) {
        return mr_query_open(context, path, &source->query, err);
    }
    if (!is_stdin) {
        status = mr_not_links_refuse_address(path, err);
        status = status == MR_OK ? mr_file_open(context->io, path, MR_OPEN_READ | MR_OPEN_STREAM,
                                                &source->file, err)
                                 : status;
        if (status != MR_OK) {
            return status;
        }
        source->descriptor = mr_file_descriptor(source->file);
    }
    return look_at(source, err);
}

void mr_source_close(struct mr_source *source)
{
    if (source != NULL) {
        mr_query_close(source->query);
        mr_file_abandon(source->file); /* nothing was written, so no error can be lost */
        mr_file_abandon(source->copy);
        free(source);
    }
}

size_t mr_source_take(struct mr_source *source, size_t capacity, uint64_t *offset)
{
    const uint64_t left = source->by_position ? source->size - source->done : 0;
    const size_t bytes = (size_t)mr_min_u64(capacity, left);

    *offset = source->done;
    source->done += bytes;
    return bytes;
}

enum mr_status mr_input_file_read(struct mr_file *file, const char *name, void *data,
                                  uint64_t bytes, uint64_t offset, struct mr_error *err)
{
    struct mr_error problem = {0};
    enum mr_status status = mr_file_read(file, data, bytes, offset, &problem);

    if (status == MR_ERROR_CORRUPT) {
        return mr_error_offset(err, MR_ERROR_INPUT, name, offset,
                               "the file became shorter while it was read");
    }
    return status == MR_OK ? MR_OK : mr_error_file(err, status, name, 0, "%s", problem.message);
}

enum mr_status mr_source_read_at(struct mr_source *source, void *buffer, size_t bytes,
                                 uint64_t offset, struct mr_error *err)
{
    return mr_input_file_read(source->copy != NULL ? source->copy : source->file, source->name,
                              buffer, bytes, offset, err);
}

static enum mr_status read_by_position(struct mr_source *source, void *buffer, size_t capacity,
                                       size_t *got, struct mr_error *err)
{
    uint64_t offset;
    const size_t bytes = mr_source_take(source, capacity, &offset);
    enum mr_status status = mr_source_read_at(source, buffer, bytes, offset, err);

    if (status == MR_OK) {
        *got = bytes;
    } else {
        source->done = offset;
    }
    return status;
}

/* Wait until there are bytes to read, or the end. With several threads a signal may reach another
 * thread, so this one looks at the cancel flag itself from time to time. */
static enum mr_status await_data(const struct mr_source *source, struct mr_error *err)
{
    struct pollfd wanted = {.fd = source->descriptor, .events = POLLIN};
    enum mr_status status = MR_OK;
    int ready = 0;

    /* read(2) will report an error other than EINTR, too. */
    while (status == MR_OK &&
           ((ready = poll(&wanted, 1, PATIENCE_MS)) == 0 || (ready < 0 && errno == EINTR))) {
        status = mr_context_poll(source->context, err);
    }
    return status;
}

static enum mr_status read_pipe(struct mr_source *source, void *buffer, size_t capacity,
                                size_t *got, struct mr_error *err)
{
    ssize_t moved;

    enum mr_status waited = await_data(source, err);
    if (waited != MR_OK) {
        return waited;
    }
    while ((moved = read(source->descriptor, buffer, mr_min_u64(capacity, MAX_READ_BYTES))) < 0) {
        if (errno != EINTR && errno != EAGAIN) {
            return mr_error_file(err, MR_ERROR_RUNTIME, source->name, errno, "cannot read");
        }
        /* EAGAIN: another reader of the pipe was faster. */
        enum mr_status status = await_data(source, err);
        if (status != MR_OK) {
            return status;
        }
    }
    *got = (size_t)moved;
    return MR_OK;
}

static enum mr_status read_in_sequence(struct mr_source *source, void *buffer, size_t capacity,
                                       size_t *got, struct mr_error *err)
{
    enum mr_status status = source->query != NULL
                                ? mr_query_read(source->query, buffer, capacity, got, err)
                                : read_pipe(source, buffer, capacity, got, err);

    if (status == MR_OK && source->copy != NULL) {
        status = mr_file_write(source->copy, buffer, *got, source->done, err);
    }
    if (status == MR_OK) {
        source->ended = *got == 0;
        source->done += *got;
    }
    return status;
}

enum mr_status mr_source_read(struct mr_source *source, void *buffer, size_t capacity, size_t *got,
                              struct mr_error *err)
{
    assert(capacity > 0);
    *got = 0;
    if (source->by_position) {
        return read_by_position(source, buffer, capacity, got, err);
    }
    return source->ended ? MR_OK : read_in_sequence(source, buffer, capacity, got, err);
}

enum mr_status mr_source_keep(struct mr_source *source, struct mr_error *err)
{
    const char *dir = mr_workspace_parent(source->context);
    char *path = NULL;

    assert(source->done == 0);
    source->is_rewindable = true;
    if (source->by_position) {
        return MR_OK;
    }
    if (asprintf(&path, "%s/millrace-input", dir) < 0) {
        return mr_error_file(err, MR_ERROR_BUDGET, dir, ENOMEM, "cannot make a temporary file");
    }
    struct mr_error problem = {0};
    enum mr_status status =
        mr_file_open_nameless(source->context->io, path, &source->copy, &problem);
    if (status != MR_OK) {
        (void)mr_error_file(err, status, dir, 0, "%s; use --tmp for another directory",
                            problem.message);
    }
    free(path);
    return status;
}

enum mr_status mr_source_rewind(struct mr_source *source, struct mr_error *err)
{
    assert(source->is_rewindable);
    if (!source->by_position) {
        if (!source->ended) {
            return mr_error_file(err, MR_ERROR_RUNTIME, source->name, 0,
                                 "cannot be read again before its end");
        }
        source->by_position = true;
        source->size = source->total = source->done;
    }
    source->done = 0;
    return MR_OK;
}

const char *mr_source_name(const struct mr_source *source)
{
    return source->name;
}

uint64_t mr_source_done(const struct mr_source *source)
{
    return source->done;
}

bool mr_source_is_regular(const struct mr_source *source)
{
    return source->by_position;
}

uint64_t mr_source_total(const struct mr_source *source)
{
    return source->total;
}

struct mr_query *mr_source_query(const struct mr_source *source)
{
    return source->query;
}
