/* What every long operation needs from its surroundings: memory, files, threads, a way to stop it
 * and a way to say how far it is. The caller owns all of it and keeps it alive during the call. */
#ifndef MR_ENGINE_BASE_CONTEXT_H
#define MR_ENGINE_BASE_CONTEXT_H

#include <signal.h>
#include <stdbool.h>

#include "engine/base/error.h"

struct mr_memory;
struct mr_io;
struct mr_publish_group;

/* One report of progress. Strings are static or live for the call only. */
struct mr_progress {
    const char *stage; /* "parse", "sort", "pass", "write" ... */
    uint64_t done; /* in `unit`s, of `total`; total 0 = unknown */
    uint64_t total;
    const char *unit; /* "bytes", "edges", "bands", "passes" */
    uint64_t edges; /* edges handled since the stage began */
    uint64_t bytes; /* bytes moved to or from disk since the stage began */
    unsigned passes; /* complete passes over the links so far */
    double error_bound; /* latest bound or estimate of the L1 error, < 0 where there is none */
    const char *detail; /* further words for the same line; may be NULL */
};

struct mr_context {
    struct mr_memory *memory;
    struct mr_io *io;
    unsigned threads; /* >= 1; results never depend on it */
    const char *tmp_dir; /* for temporary files; NULL: beside the output */
    const volatile sig_atomic_t *cancel; /* nonzero asks to stop; polled per block; may be NULL */
    /* Called now and then, from one thread at a time, never concurrently; may be NULL. */
    void (*progress)(void *progress_data, const struct mr_progress *progress);
    void *progress_data;
    /* Called for what a user should know but is no error ("O_DIRECT refused"); may be NULL. */
    void (*note)(void *note_data, const char *text);
    void *note_data;
    /* Where whole outputs wait to be published together; NULL: each is published when it is whole. */
    struct mr_publish_group *together;
};

/* True once the caller asked to stop. */
static inline bool mr_context_cancelled(const struct mr_context *context)
{
    return context->cancel != NULL && *context->cancel != 0;
}

/* MR_INTERRUPTED with the message "interrupted", or MR_OK. */
enum mr_status mr_context_poll(const struct mr_context *context,
                               struct mr_error *err) MR_WARN_UNUSED;

void mr_context_note(const struct mr_context *context, const char *format, ...) MR_PRINTF(2, 3);

#endif
