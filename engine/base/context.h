/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a context (millrace/context.h says what it is for). The caller owns all of it and
 * keeps it alive during the call. */
#ifndef MR_ENGINE_BASE_CONTEXT_H
#define MR_ENGINE_BASE_CONTEXT_H

#include <signal.h>
#include <stdbool.h>

#include "engine/base/error.h"
#include "millrace/context.h"

struct mr_memory;
struct mr_io;
struct mr_publish_group;

/* How the blocks of a store are read (engine/io/queue.h). */
enum mr_queue_backend { MR_QUEUE_AUTO, MR_QUEUE_URING, MR_QUEUE_PREAD };

struct mr_context {
    struct mr_memory *memory;
    struct mr_io *io;
    enum mr_queue_backend backend; /* results never depend on it */
    unsigned threads; /* >= 1; results never depend on it */
    const char *tmp_dir; /* for temporary files; NULL: beside the output */
    const volatile sig_atomic_t *cancel; /* nonzero asks to stop; polled per block; may be NULL */
    mr_progress_callback
        progress; /* called from time to time, by one thread at a time; may be NULL */
    void *progress_data;
    mr_note_callback note; /* may be NULL */
    void *note_data;
    /* Complete outputs wait here to be published together; NULL: each is published alone. */
    struct mr_publish_group *together;
};

/* True after the caller asked to stop. Another thread may raise the flag. */
static inline bool mr_context_cancelled(const struct mr_context *context)
{
    return context->cancel != NULL && __atomic_load_n(context->cancel, __ATOMIC_RELAXED) != 0;
}

/* Returns MR_INTERRUPTED with the message "interrupted" after the caller asked to stop, MR_OK
 * otherwise. */
enum mr_status mr_context_poll(const struct mr_context *context,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Reports progress, and polls as mr_context_poll does: `done` of `total` `unit` of the stage, 0 if
 * the total is unknown. */
enum mr_status mr_context_report(const struct mr_context *context, const char *stage,
                                 const char *unit, uint64_t done, uint64_t total,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Formats a note, at most 1023 bytes, and passes it to context->note; does nothing if that is
 * NULL. */
void mr_context_note(const struct mr_context *context, const char *format, ...) MR_PRINTF(2, 3);

#endif
