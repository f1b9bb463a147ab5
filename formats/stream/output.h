/* An output file: buffered, compressed by its suffix, and there only when it is whole.
 *
 * A regular file is written under a temporary name and published by a rename at commit. Standard
 * output, and a path that names a pipe or a device (/dev/null), are written as it goes. ".gz" and
 * ".zst" suffixes compress. Memory: 512 KiB and the encoder's, charged to the budget. One thread at
 * a time. */
#ifndef MR_FORMATS_STREAM_OUTPUT_H
#define MR_FORMATS_STREAM_OUTPUT_H

#include <stdbool.h>

#include "engine/base/context.h"

struct mr_output;

/* Begin `path`; NULL, "-" and "/dev/stdout" are standard output (not closed at the end). Errors:
 * USAGE when it exists and `force` is false. The context outlives the output. */
enum mr_status mr_output_open(const struct mr_context *context, const char *path, bool force,
                              struct mr_output **out, struct mr_error *err) MR_WARN_UNUSED;

/* The same for bytes that are already what the suffix says: they are written as they come. */
enum mr_status mr_output_open_packed(const struct mr_context *context, const char *path, bool force,
                                     struct mr_output **out, struct mr_error *err) MR_WARN_UNUSED;

/* Append. Errors of the disk may show only at a later write or at commit. */
enum mr_status mr_output_write(struct mr_output *output, const void *data, size_t bytes,
                               struct mr_error *err) MR_WARN_UNUSED;
/* Append formatted text of at most 1023 bytes; more is an error. The one function with `err` not
 * last, because of the variable arguments. */
enum mr_status mr_output_print(struct mr_output *output, struct mr_error *err, const char *format,
                               ...) MR_PRINTF(3, 4) MR_WARN_UNUSED;

/* Append `name[name_bytes]` with control bytes (and blanks, if `blanks`) as %XX, so that it cannot
 * break a line format. `*escaped` is incremented when there was one. */
enum mr_status mr_output_name_escaped(struct mr_output *output, const char *name, size_t name_bytes,
                                      bool blanks, uint64_t *escaped,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Write out what is left, sync and publish, or wait for the context's other outputs. Frees `output` either way. */
enum mr_status mr_output_commit(struct mr_output *output, struct mr_error *err) MR_WARN_UNUSED;
/* Give up: removes what was written, as far as it can be. NULL is allowed. */
void mr_output_abandon(struct mr_output *output);

/* For messages: the path, or "standard output". Lives as long as the output. */
const char *mr_output_path(const struct mr_output *output);

/* Does `path`, less a compression suffix, end with `suffix`? "x.npy.gz" does with ".npy". */
bool mr_output_has_suffix(const char *path, const char *suffix);

/* Will mr_output_open compress `path` with zstd? With anything? */
bool mr_output_has_zstd_suffix(const char *path);
bool mr_output_compresses(const char *path);

#endif
