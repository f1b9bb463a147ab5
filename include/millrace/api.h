/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes that the other public headers use, among them MR_API, the mark of an exported
 * function.
 *
 * A function without MR_API is private: libmillrace.so does not export it. */
#ifndef MILLRACE_API_H
#define MILLRACE_API_H

#if defined(__GNUC__)
#define MR_API                         __attribute__((visibility("default")))
#define MR_WARN_UNUSED                 __attribute__((warn_unused_result))
#define MR_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define MR_API
#define MR_WARN_UNUSED
#define MR_PRINTF(format_index, first)
#endif

#endif
