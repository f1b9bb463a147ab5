/* SPDX-License-Identifier: Apache-2.0 */
/* Recording errors in struct mr_error and turning them into text. Every fallible function of the
 * library reports through this file. The first error wins, because later errors come from the
 * cleanup after it. */
#include "engine/base/error.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Appends ": " and the system's text for `os_errno`; cuts the text at the end of the message. */
static void append_os_text(struct mr_error *err, int os_errno)
{
    char storage[128];
    /* This is the GNU variant: it returns the text, which need not be in `storage`. strerror() is
     * thread-safe only since glibc 2.32. */
    const char *text = strerror_r(os_errno, storage, sizeof storage);
    size_t used = strlen(err->message);
    (void)snprintf(err->message + used, sizeof err->message - used, ": %s", text);
}

/* Fills everything but the position. Returns false if `err` is NULL or already has an error. */
static MR_PRINTF(5, 0) bool record(struct mr_error *err, enum mr_status status, const char *file,
                                   int os_errno, const char *format, va_list args)
{
    assert(status != MR_OK);
    if (err == NULL || err->status != MR_OK) {
        return false;
    }
    err->status = status;
    err->os_errno = os_errno;
    err->location_kind = MR_ERROR_LOCATION_NONE;
    err->position = 0;
    (void)snprintf(err->file, sizeof err->file, "%s", file != NULL ? file : "");
    (void)vsnprintf(err->message, sizeof err->message, format, args);
    if (os_errno != 0) {
        append_os_text(err, os_errno);
    }
    return true;
}

enum mr_status(mr_error_set)(struct mr_error *err, enum mr_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)record(err, status, NULL, 0, format, args);
    va_end(args);
    return status;
}

/* The user can free space or memory; the user cannot change any other failure of the system. */
static enum mr_status status_of(enum mr_status status, int os_errno)
{
    const bool is_full = os_errno == ENOSPC || os_errno == EDQUOT || os_errno == ENOMEM;
    return status == MR_ERROR_RUNTIME && is_full ? MR_ERROR_BUDGET : status;
}

enum mr_status(mr_error_file)(struct mr_error *err, enum mr_status status, const char *file,
                              int os_errno, const char *format, ...)
{
    va_list args;
    status = status_of(status, os_errno);
    va_start(args, format);
    (void)record(err, status, file, os_errno, format, args);
    va_end(args);
    return status;
}

enum mr_status(mr_error_line)(struct mr_error *err, enum mr_status status, const char *file,
                              uint64_t line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (record(err, status, file, 0, format, args)) {
        err->location_kind = MR_ERROR_LOCATION_LINE;
        err->position = line;
    }
    va_end(args);
    return status;
}

enum mr_status(mr_error_offset)(struct mr_error *err, enum mr_status status, const char *file,
                                uint64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (record(err, status, file, 0, format, args)) {
        err->location_kind = MR_ERROR_LOCATION_OFFSET;
        err->position = offset;
    }
    va_end(args);
    return status;
}

void mr_error_clear(struct mr_error *err)
{
    if (err != NULL) {
        *err = (struct mr_error){.status = MR_OK};
    }
}

char *mr_error_text(const struct mr_error *err, char *buffer, size_t buffer_bytes)
{
    if (err->file[0] == '\0') {
        (void)snprintf(buffer, buffer_bytes, "%s", err->message);
    } else if (err->location_kind == MR_ERROR_LOCATION_LINE) {
        (void)snprintf(buffer, buffer_bytes, "%s:%" PRIu64 ": %s", err->file, err->position,
                       err->message);
    } else if (err->location_kind == MR_ERROR_LOCATION_OFFSET) {
        (void)snprintf(buffer, buffer_bytes, "%s: offset %" PRIu64 ": %s", err->file, err->position,
                       err->message);
    } else {
        (void)snprintf(buffer, buffer_bytes, "%s: %s", err->file, err->message);
    }
    return buffer;
}
