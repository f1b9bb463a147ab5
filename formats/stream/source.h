/* SPDX-License-Identifier: Apache-2.0 */
/* Raw bytes of an input: a regular file, a pipe, a device, or standard input.
 *
 * Regular files are read by position through the I/O table, everything else by read(2), because a
 * pipe allows nothing else. Only formats/stream/input.h uses this header; it adds decompression.
 * One thread at a time. */
#ifndef MR_FORMATS_STREAM_SOURCE_H
#define MR_FORMATS_STREAM_SOURCE_H

#include <stdbool.h>

#include "engine/base/context.h"

struct mr_source;

/* Open `path`; "-" is standard input (file descriptor 0, not closed at the end). The context and
 * its I/O table outlive the source. Errors: RUNTIME when it cannot be opened, INPUT for a
 * directory, BUDGET. */
enum mr_status mr_source_open(const struct mr_context *context, const char *path,
                              struct mr_source **out, struct mr_error *err) MR_WARN_UNUSED;
/* NULL is allowed. Removes the copy that mr_source_keep made. */
void mr_source_close(struct mr_source *source);

/* Read up to `capacity` (> 0) bytes to `buffer`; `*got` is 0 only at the end. Error: INTERRUPTED
 * when a signal arrives and the context's cancel flag is set. */
enum mr_status mr_source_read(struct mr_source *source, void *buffer, size_t capacity, size_t *got,
                              struct mr_error *err) MR_WARN_UNUSED;

/* The same in two steps. `take` counts the next bytes, up to `capacity` (> 0), as read, and sets
 * `*offset` to their location; it returns their number: 0 at the end, and where the source is not
 * regular. `read_at` then reads them; several threads may do so at once. */
size_t mr_source_take(struct mr_source *source, size_t capacity, uint64_t *offset);
enum mr_status mr_source_read_at(struct mr_source *source, void *buffer, size_t bytes,
                                 uint64_t offset, struct mr_error *err) MR_WARN_UNUSED;

/* Prepare for mr_source_rewind; before the first read. Bytes that cannot be read again (of pipes
 * and standard input) are copied, while they are read, to a file without a name in context->tmp_dir
 * (NULL: the current directory). */
enum mr_status mr_source_keep(struct mr_source *source, struct mr_error *err) MR_WARN_UNUSED;
/* Go back to the first byte. A pipe must have been read to its end. */
enum mr_status mr_source_rewind(struct mr_source *source, struct mr_error *err) MR_WARN_UNUSED;

/* The path, or "standard input" for "-", for messages. Lives as long as the source. */
const char *mr_source_name(const struct mr_source *source);
uint64_t mr_source_done(const struct mr_source *source); /* bytes read so far */
/* read by position: a read never waits */
bool mr_source_is_regular(const struct mr_source *source);
uint64_t mr_source_total(const struct mr_source *source); /* 0: unknown */

#endif
