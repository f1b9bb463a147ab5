/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a regular, uncompressed file from some offset on, through a buffer. The readers of binary
 * graph formats open one cursor per part of the file that they read at the same time; each cursor
 * has its own open file, so that they share nothing. */
#include "formats/stream/cursor.h"

#include <string.h>

#include "engine/base/bytes.h"

enum mr_status mr_cursor_open(struct mr_cursor *cursor, const struct mr_context *context,
                              const char *path, uint64_t offset, struct mr_error *err)
{
    cursor->next = offset;
    cursor->at = cursor->end = 0;
    const enum mr_status status = mr_file_open(context->io, path, MR_OPEN_READ, &cursor->file, err);
    return status == MR_OK ? mr_file_size(cursor->file, &cursor->bytes, err) : status;
}

void mr_cursor_close(struct mr_cursor *cursor)
{
    mr_file_abandon(cursor->file);
    cursor->file = NULL;
}

enum mr_status mr_cursor_refill(struct mr_cursor *cursor, size_t bytes, struct mr_error *err)
{
    const size_t held = cursor->end - cursor->at;
    const uint64_t left = cursor->bytes - mr_min_u64(cursor->bytes, cursor->next);
    const uint64_t more = mr_min_u64(left, MR_CURSOR_BYTES - held);

    if (held + more < bytes) {
        return mr_error_offset(err, MR_ERROR_INPUT, mr_file_path(cursor->file), cursor->next - held,
                               "the file ends here; get it again");
    }
    memmove(cursor->buffer, cursor->buffer + cursor->at, held);
    cursor->at = 0;
    cursor->end = held;
    const enum mr_status status =
        mr_file_read(cursor->file, cursor->buffer + held, more, cursor->next, err);
    if (status == MR_OK) {
        cursor->end = held + more;
        cursor->next += more;
    }
    return status;
}
