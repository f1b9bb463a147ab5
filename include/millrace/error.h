/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes and error details: every function that can fail returns a status and fills a struct
 * mr_error.
 *
 * Such a function returns `enum mr_status` and takes `struct mr_error *err` as its last parameter.
 * `err` may be NULL. The first error wins: a later one, such as one during the cleanup, does not
 * overwrite it. The library never prints, never exits and never touches signals. One exception is
 * not the library's: the OpenMP runtime ends the process if it cannot start a thread or get a few
 * KiB. So the library starts threads for a trial before OpenMP does, and goes on with as many as
 * start. It remains that another program takes the last ones in between, or that no memory is left.
 *
 * Threads: a struct mr_error belongs to one thread at a time. There is no global state. */
#ifndef MILLRACE_ERROR_H
#define MILLRACE_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "millrace/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The values are the exit codes of the program millrace. */
enum mr_status {
    MR_OK = 0,
    MR_ERROR_RUNTIME = 1, /* a system call failed, or something unforeseen happened */
    MR_ERROR_USAGE = 2, /* an option or argument is not valid */
    MR_ERROR_INPUT = 3, /* an input file is not valid */
    MR_ERROR_CORRUPT = 4, /* a file that Millrace wrote is damaged */
    MR_ERROR_BUDGET = 5, /* memory or disk is too small */
    MR_NOT_CONVERGED = 6, /* the result is valid, but its error bound is above the tolerance */
    MR_INTERRUPTED = 7 /* mr_context_stop was called */
};

enum mr_error_location { MR_ERROR_LOCATION_NONE, MR_ERROR_LOCATION_LINE, MR_ERROR_LOCATION_OFFSET };

/* Details of an error. It owns nothing and may be copied. Set it to zero before the first use. */
struct mr_error {
    enum mr_status status; /* MR_OK: no error is recorded */
    int os_errno; /* errno of the system call that failed; 0: none */
    enum mr_error_location location_kind;
    uint64_t position; /* line (from 1) or offset in bytes (from 0) in `file` */
    char file[512]; /* "": no file. Long names are cut */
    char message[768]; /* the reason and a way out; names options by the flags of millrace */
};

/* Record an error, unless one is recorded already. Callbacks use it. `format` and the arguments
 * after it are as for printf. Returns `status`, so that a callback can write `return
 * mr_error_set(err, MR_ERROR_INPUT, ...)`. `err` may be NULL. */
MR_API enum mr_status mr_error_set(struct mr_error *err, enum mr_status status, const char *format,
                                   ...) MR_PRINTF(3, 4);

/* Remove the recorded error. NULL is allowed. */
MR_API void mr_error_clear(struct mr_error *err);

/* Write "FILE:LINE: message", "FILE: offset N: message", "FILE: message" or "message" to
 * `buffer[buffer_bytes]`. The text is cut where it does not fit, and terminated; 1400 bytes hold
 * every text. Returns `buffer`. */
MR_API char *mr_error_text(const struct mr_error *err, char *buffer, size_t buffer_bytes);

#ifdef __cplusplus
}
#endif

#endif
