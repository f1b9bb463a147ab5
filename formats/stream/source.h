/* Where raw input bytes come from: a regular file, a pipe or device, or standard input.
 *
 * Regular files are read through the I/O table by position, everything else by read(2), which is
 * all a pipe can do. formats/stream/input.h puts decompression on top; nobody else needs this one. One
 * thread at a time. */
#ifndef MR_FORMATS_STREAM_SOURCE_H
#define MR_FORMATS_STREAM_SOURCE_H

#include <stdbool.h>

#include "engine/base/context.h"

struct mr_source;

/* Open `path`; "-" is standard input (file descriptor 0, not closed at the end). The context and
 * its I/O table outlive the source. Errors: RUNTIME when it cannot be opened, INPUT for a
 * directory. */
enum mr_status mr_source_open(const struct mr_context *context, const char *path,
                              struct mr_source **out, struct mr_error *err) MR_WARN_UNUSED;
/* NULL is allowed. Removes the copy made for rewinding. */
void mr_source_close(struct mr_source *source);

/* Up to `capacity` (> 0) bytes to `buffer`; `*got` is 0 only at the end. INTERRUPTED when a signal
 * arrives and the context's cancel flag is up. */
enum mr_status mr_source_read(struct mr_source *source, void *buffer, size_t capacity, size_t *got,
                              struct mr_error *err) MR_WARN_UNUSED;

/* The same in two steps, the second of which several threads may do at once: the next bytes, up to `capacity` (> 0),
 * count as read, and `*offset` says where they are; then they are read from there. Returns how many: 0 at the
 * end, and where the source is not regular. */
size_t mr_source_take(struct mr_source *source, size_t capacity, uint64_t *offset);
enum mr_status mr_source_read_at(struct mr_source *source, void *buffer, size_t bytes,
                                 uint64_t offset, struct mr_error *err) MR_WARN_UNUSED;

/* Before the first read: ask that mr_source_rewind work. What cannot be read again by itself
 * (pipes, standard input) is copied to a file without a name in context->tmp_dir (NULL: the current
 * directory) as it is read. */
enum mr_status mr_source_keep(struct mr_source *source, struct mr_error *err) MR_WARN_UNUSED;
/* Back to the first byte. A pipe must have been read to its end. */
enum mr_status mr_source_rewind(struct mr_source *source, struct mr_error *err) MR_WARN_UNUSED;

/* For messages: the path, "standard input" for "-". Lives as long as the source. */
const char *mr_source_name(const struct mr_source *source);
uint64_t mr_source_done(const struct mr_source *source); /* bytes read so far */
bool mr_source_is_regular(const struct mr_source *source); /* read by position: never waits */
uint64_t mr_source_total(const struct mr_source *source); /* 0: unknown */

#endif
