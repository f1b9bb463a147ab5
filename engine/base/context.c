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

enum mr_status mr_context_report(const struct mr_context *context, const char *stage,
                                 const char *unit, uint64_t done, uint64_t total,
                                 struct mr_error *err)
{
    const struct mr_progress progress = {
        .stage = stage, .unit = unit, .done = done, .total = total, .error_bound = -1};

    if (context->progress != NULL) {
        context->progress(context->progress_data, &progress);
    }
    return mr_context_poll(context, err);
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
