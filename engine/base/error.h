/* SPDX-License-Identifier: Apache-2.0 */
/* Errors that name a file and a place in it. The statuses and struct mr_error are public:
 * millrace/error.h. */
#ifndef MR_ENGINE_BASE_ERROR_H
#define MR_ENGINE_BASE_ERROR_H

#include "millrace/error.h"

/* These functions record an error unless one is recorded already. All return `status`, so that a
 * caller can write `return mr_error_file(err, MR_ERROR_INPUT, ...)`. `file` may be NULL. `os_errno`
 * may be 0; if it is not 0, ": " and strerror's text follow the message. */
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

#endif
