/* SPDX-License-Identifier: Apache-2.0 */
/* A location in a regular, uncompressed file, for formats that are read at several locations at
 * once. */
#ifndef MR_FORMATS_STREAM_CURSOR_H
#define MR_FORMATS_STREAM_CURSOR_H

#include "engine/base/context.h"
#include "engine/io/io.h"

enum { MR_CURSOR_BYTES = 64 << 10 };

struct mr_cursor {
    struct mr_file *file; /* the cursor's own */
    uint64_t bytes; /* bytes of the file */
    uint64_t next; /* offset of the next byte to read into the buffer */
    size_t at, end; /* [at, end) of the buffer is not taken yet */
    uint8_t buffer[MR_CURSOR_BYTES];
};

/* Open `path` at byte `offset`. Errors: those of mr_file_open. Close takes a zeroed cursor. */
enum mr_status mr_cursor_open(struct mr_cursor *cursor, const struct mr_context *context,
                              const char *path, uint64_t offset,
                              struct mr_error *err) MR_WARN_UNUSED;
void mr_cursor_close(struct mr_cursor *cursor);

/* Fill the buffer so that `bytes` (<= 64) more are in it. Error: INPUT where the file ends
 * before. */
enum mr_status mr_cursor_refill(struct mr_cursor *cursor, size_t bytes,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Take the next `bytes` (1..64); they stay at `*data` until the next call. */
static inline enum mr_status mr_cursor_take(struct mr_cursor *cursor, size_t bytes,
                                            const uint8_t **data, struct mr_error *err)
{
    if (cursor->end - cursor->at < bytes) {
        const enum mr_status status = mr_cursor_refill(cursor, bytes, err);
        if (status != MR_OK) {
            return status;
        }
    }
    *data = cursor->buffer + cursor->at;
    cursor->at += bytes;
    return MR_OK;
}

#endif
