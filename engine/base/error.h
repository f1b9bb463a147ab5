/* Status codes and error context: every fallible function returns a status and fills an error.
 *
 * Convention: each function that can fail returns `enum mr_status` and takes `struct mr_error *err`
 * as its last parameter. `err` may be NULL. The first recorded error wins: errors during the
 * cleanup do not overwrite it. Library code never prints, exits or touches signals. */
#ifndef MR_ENGINE_BASE_ERROR_H
#define MR_ENGINE_BASE_ERROR_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MR_WARN_UNUSED                 __attribute__((warn_unused_result))
#define MR_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define MR_WARN_UNUSED
#define MR_PRINTF(format_index, first)
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
    MR_INTERRUPTED = 7 /* the context's cancel flag was raised */
};

enum mr_position { MR_POSITION_NONE, MR_POSITION_LINE, MR_POSITION_OFFSET };

/* Plain data without ownership: copy it freely. Zero-initialise it before first use. */
struct mr_error {
    enum mr_status status; /* MR_OK until an error is recorded */
    int os_errno; /* errno of the failed call, or 0 */
    enum mr_position position_kind;
    uint64_t position; /* line (from 1) or byte offset (from 0) in `file` */
    char file[512]; /* "" if the error concerns no file; long names are cut */
    char message[768]; /* reason; way out */
};

/* These functions record an error unless one is recorded already. All return `status`, so that a
 * caller can write `return mr_error_set(err, MR_ERROR_INPUT, ...)`. `file` may be NULL. `os_errno`
 * may be 0; if it is not 0, ": " and strerror's text follow the message. */
enum mr_status mr_error_set(struct mr_error *err, enum mr_status status, const char *format, ...)
    MR_PRINTF(3, 4);
enum mr_status mr_error_file(struct mr_error *err, enum mr_status status, const char *file,
                             int os_errno, const char *format, ...) MR_PRINTF(5, 6);
enum mr_status mr_error_line(struct mr_error *err, enum mr_status status, const char *file,
                             uint64_t line, const char *format, ...) MR_PRINTF(5, 6);
enum mr_status mr_error_offset(struct mr_error *err, enum mr_status status, const char *file,
                               uint64_t offset, const char *format, ...) MR_PRINTF(5, 6);

#ifdef __clang_analyzer__ /* It sees no definitions: tell it what they return. */
#define mr_error_set(err, status, ...)  ((void)(mr_error_set)(err, status, __VA_ARGS__), (status))
#define mr_error_file(err, status, ...) ((void)(mr_error_file)(err, status, __VA_ARGS__), (status))
#define mr_error_line(err, status, ...) ((void)(mr_error_line)(err, status, __VA_ARGS__), (status))
#define mr_error_offset(err, status, ...)                                                          \
    ((void)(mr_error_offset)(err, status, __VA_ARGS__), (status))
#endif

/* Forgets the recorded error. NULL is allowed. */
void mr_error_clear(struct mr_error *err);

/* Writes "FILE:LINE: message", "FILE: offset N: message", "FILE: message" or "message" to
 * `buffer[buffer_bytes]`, always terminated. Returns `buffer`. */
char *mr_error_text(const struct mr_error *err, char *buffer, size_t buffer_bytes);

#endif
