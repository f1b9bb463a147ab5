/* Status codes and error context: every function that can fail returns a status and fills an error.
 *
 * Convention: such a function returns `enum mr_status` and takes `struct mr_error *err` as its last
 * parameter. `err` may be NULL. The first recorded error wins: errors during the cleanup do not
 * overwrite it. The library never prints, exits or touches signals.
 *
 * Thread-safety: a struct mr_error belongs to one thread at a time; there is no global state. */
#ifndef MILLRACE_ERROR_H
#define MILLRACE_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "millrace/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The values are the exit codes of the command line program. */
enum mr_status {
    MR_OK = 0,
    MR_ERROR_RUNTIME = 1, /* a system call failed, or something unforeseen happened */
    MR_ERROR_USAGE = 2, /* an option or argument makes no sense */
    MR_ERROR_INPUT = 3, /* an input file is wrong */
    MR_ERROR_CORRUPT = 4, /* a store is damaged */
    MR_ERROR_BUDGET = 5, /* there is too little memory or disk */
    MR_NOT_CONVERGED = 6, /* the result is valid, but its error bound exceeds the tolerance */
    MR_INTERRUPTED = 7 /* mr_context_stop was called */
};

enum mr_position { MR_POSITION_NONE, MR_POSITION_LINE, MR_POSITION_OFFSET };

/* Plain data without ownership: copy it freely. Zero-initialise it before first use. */
struct mr_error {
    enum mr_status status; /* MR_OK until an error is recorded */
    int os_errno; /* errno of the failed call, or 0 */
    enum mr_position position_kind;
    uint64_t position; /* line (from 1) or byte offset (from 0) in `file` */
    char file[512]; /* "" if the error concerns no file; long names are cut */
    char message[768]; /* reason; way out. An option has the name of its flag in the program */
};

/* Records an error unless one is recorded already; for callbacks of the caller. `format` and what
 * follows are as for printf. Returns `status`, so that a callback can write
 * `return mr_error_set(err, MR_ERROR_INPUT, ...)`. `err` may be NULL. */
MR_API enum mr_status mr_error_set(struct mr_error *err, enum mr_status status, const char *format,
                                   ...) MR_PRINTF(3, 4);

/* Forgets the recorded error. NULL is allowed. */
MR_API void mr_error_clear(struct mr_error *err);

/* Writes "FILE:LINE: message", "FILE: offset N: message", "FILE: message" or "message" to
 * `buffer[buffer_bytes]`, always terminated; 1400 bytes hold any. Returns `buffer`. */
MR_API char *mr_error_text(const struct mr_error *err, char *buffer, size_t buffer_bytes);

#ifdef __cplusplus
}
#endif

#endif
