/* What every long operation needs from its surroundings: a memory budget, threads, a directory
 * for temporary files, a way to stop it, and a way to hear how far it is.
 *
 * A context serves one call at a time, and what was opened with it must be closed before it is
 * destroyed. Threads that work at the same time take a context each; they may open the same
 * store. */
#ifndef MILLRACE_CONTEXT_H
#define MILLRACE_CONTEXT_H

#include "millrace/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mr_context;

/* One progress report. Its strings are static or live only during the call. */
struct mr_progress {
    const char *stage; /* "parse", "sort", "pass", "write" ... */
    uint64_t done; /* counted in `unit`, up to `total`; total 0 means unknown */
    uint64_t total;
    const char *unit; /* "bytes", "edges", "bands", "passes" */
    uint64_t edges; /* edges handled since the stage began */
    uint64_t bytes; /* bytes moved to or from disk since the stage began */
    unsigned passes; /* complete passes over the edges so far */
    double error_bound; /* latest bound or estimate of the L1 error; < 0: none */
    const char *detail; /* more words for the same line; may be NULL */
};

/* Both callbacks come from one thread at a time, not always from the one that made the call.
 * They must not call functions of this library, but for mr_context_stop. */
typedef void (*mr_progress_callback)(void *data, const struct mr_progress *progress);
typedef void (*mr_note_callback)(void *data, const char *text);

struct mr_context_options {
    size_t struct_size; /* sizeof(struct mr_context_options) */
    /* Budget of the whole process, text and stacks included: at least 32 MiB. 0: three quarters of
     * what the machine and the process's cgroups leave at the moment. */
    uint64_t memory_bytes;
    unsigned threads; /* 0: one per processor. No result depends on it */
    const char *tmp_dir; /* for temporary files; copied. NULL: beside the output */
    mr_progress_callback progress; /* called now and then; NULL: never */
    void *progress_data;
    mr_note_callback note; /* called for what a user should know but is no error; NULL: never */
    void *note_data;
};

/* Make a context. `options` may be NULL: all defaults. `*out` is the caller's to destroy, NULL
 * after an error. Errors: USAGE when tmp_dir is no directory, BUDGET for too small a budget.
 * Costs a few readings of /proc and /sys. */
MR_API enum mr_status mr_context_create(const struct mr_context_options *options,
                                        struct mr_context **out,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* NULL is allowed. */
MR_API void mr_context_destroy(struct mr_context *context);

/* Ask the call in progress to stop: it returns MR_INTERRUPTED within a few blocks of work, and
 * leaves no unfinished output. So does every later call, until mr_context_resume. Any thread and
 * any signal handler may call it. */
MR_API void mr_context_stop(struct mr_context *context);

/* Take a stop back. No call is in progress meanwhile. */
MR_API void mr_context_resume(struct mr_context *context);

/* Bytes: the budget, and the most of it that was in use at once. Any thread may ask. */
MR_API uint64_t mr_context_memory_limit(const struct mr_context *context);
MR_API uint64_t mr_context_memory_peak(const struct mr_context *context);

#ifdef __cplusplus
}
#endif

#endif
