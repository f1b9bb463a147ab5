/* SPDX-License-Identifier: Apache-2.0 */
/* The context of a long operation: a memory budget, threads, a directory for temporary files, a way
 * to stop the operation, and callbacks for progress and notes.
 *
 * A context serves one call at a time. Close everything that was opened with a context before you
 * destroy the context. Each of several threads that work at the same time needs a context of its
 * own; they may open the same store. */
#ifndef MILLRACE_CONTEXT_H
#define MILLRACE_CONTEXT_H

#include <stdbool.h>

#include "millrace/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mr_context;

/* One report of progress. The strings are static or valid for the call only. */
struct mr_progress {
    const char *stage; /* "parse", "sort", "pass", "write" ... */
    uint64_t done; /* counted in `unit`s */
    uint64_t total;
    const char *unit; /* "bytes", "edges", "bands", "passes" */
    uint64_t edges; /* edges processed since the stage began */
    uint64_t bytes; /* bytes read or written since the stage began */
    unsigned passes; /* complete passes over the edges */
    double error_bound; /* latest bound or estimate of the L1 error; below 0: none */
    const char *detail; /* more text for the same line; may be NULL */
};

/* Both callbacks come from one thread at a time, which may differ from the thread that made the
 * call. A callback must not call any function of this library except mr_context_stop. */
typedef void (*mr_progress_callback)(void *data, const struct mr_progress *progress);
typedef void (*mr_note_callback)(void *data, const char *text);

#define MR_THREADS_MAX 4096u

struct mr_context_options {
    size_t struct_size; /* sizeof(struct mr_context_options) */
    /* Budget of the whole process, with its code and stacks: at least 32 MiB. 0: three quarters of
     * the memory that the machine and the cgroups of the process leave free now. */
    uint64_t memory_bytes;
    /* At most MR_THREADS_MAX; 0: one per processor, or OMP_NUM_THREADS. A call takes fewer if the
     * process cannot start so many. Results do not depend on it. */
    unsigned threads;
    const char *tmp_dir; /* for temporary files; copied. NULL: beside the output */
    mr_progress_callback progress; /* called from time to time; NULL: never */
    void *progress_data;
    /* called for facts that a user should know but that are no errors; NULL: never */
    mr_note_callback note;
    void *note_data;
};
#define MR_CONTEXT_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(struct mr_context_options), 0, 0, NULL, NULL, NULL, NULL, NULL                      \
    }

/* Make a context. `options` may be NULL: all defaults. The caller destroys `*out`, which is NULL
 * after an error. Errors: USAGE for too many threads or a tmp_dir that is no directory, BUDGET when
 * the budget is too small. Cost: reads a few files of /proc and /sys. */
MR_API enum mr_status mr_context_create(const struct mr_context_options *options,
                                        struct mr_context **out,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* Destroy a context. NULL is allowed. */
MR_API void mr_context_destroy(struct mr_context *context);

/* With `stops`, ask the call in progress to stop. The call returns MR_INTERRUPTED within a few
 * blocks of work and leaves no unfinished output, and so does every later call that reads more than
 * a few blocks. Any thread and any signal handler may ask. Without `stops`, calls work again; none
 * may be in progress. */
MR_API void mr_context_stop(struct mr_context *context, bool stops);

/* The budget in bytes, and the largest part of it that was in use at any time. Any thread may call
 * them. */
MR_API uint64_t mr_context_memory_limit(const struct mr_context *context);
MR_API uint64_t mr_context_memory_peak(const struct mr_context *context);

#ifdef __cplusplus
}
#endif

#endif
