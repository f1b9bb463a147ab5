/* Status codes and error context: every function that can fail returns one and fills the other.
 *
 * Convention: such a function returns `enum mr_status` and takes `struct mr_error *err` as its last
 * parameter. `err` may be NULL. The first error recorded wins: a later one, met while cleaning up,
 * does not overwrite it. The library never prints, never exits and never touches signals.
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
    MR_ERROR_RUNTIME = 1, /* a system call failed, or the program met something unforeseen */
    MR_ERROR_USAGE = 2, /* an option or argument makes no sense */
    MR_ERROR_INPUT = 3, /* somebody else's file is wrong */
    MR_ERROR_CORRUPT = 4, /* a store of ours is damaged */
    MR_ERROR_BUDGET = 5, /* memory or disk does not suffice */
    MR_NOT_CONVERGED = 6, /* the result is valid, its error bound above the tolerance */
    MR_INTERRUPTED = 7 /* mr_context_stop was called */
};

enum mr_position { MR_POSITION_NONE, MR_POSITION_LINE, MR_POSITION_OFFSET };

/* Plain data, no ownership: copy it freely. Zero-initialise before first use. */
struct mr_error {
    enum mr_status status; /* MR_OK while nothing has been recorded */
    int os_errno; /* errno of the failed call, 0 where there is none */
    enum mr_position position_kind;
    uint64_t position; /* line (from 1) or byte offset (from 0) in `file` */
    char file[512]; /* "" where no file is concerned; long names are cut */
    char message[768]; /* reason; way out. Names options by the flags of the program millrace */
};

/* Record an error unless one is recorded already; for callbacks of the caller. `format` and what
 * follows are as for printf. Returns `status`, so that a callback can write
 * `return mr_error_set(err, MR_ERROR_INPUT, ...)`. `err` may be NULL. */
MR_API enum mr_status mr_error_set(struct mr_error *err, enum mr_status status, const char *format,
                                   ...) MR_PRINTF(3, 4);

/* Forget what was recorded. NULL is allowed. */
MR_API void mr_error_clear(struct mr_error *err);

/* Write "FILE:LINE: message", "FILE: offset N: message", "FILE: message" or "message" to
 * `buffer[buffer_bytes]`, always terminated; 1400 bytes hold any. Returns `buffer`. */
MR_API char *mr_error_text(const struct mr_error *err, char *buffer, size_t buffer_bytes);

#ifdef __cplusplus
}
#endif

#endif
