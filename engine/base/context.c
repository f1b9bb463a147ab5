/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of struct mr_context: asking whether the caller wants to stop, and formatting a note for
 * the user. Every long loop polls; the note function itself belongs to the caller, because the
 * library never prints. */
#include "engine/base/context.h"

#include <stdarg.h>
#include <stdio.h>

enum mr_status mr_context_poll(const struct mr_context *context, struct mr_error *err)
{
    if (mr_context_cancelled(context)) {
        return mr_error_set(err, MR_INTERRUPTED, "interrupted");
    }
    return MR_OK;
}

void mr_context_note(const struct mr_context *context, const char *format, ...)
{
    char text[1024];
    va_list args;

    if (context->note == NULL) {
        return;
    }
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    context->note(context->note_data, text);
}
