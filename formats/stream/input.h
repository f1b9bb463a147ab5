/* An input as a stream of bytes, decompressed on the way: plain, gzip or zstd, told by content.
 *
 * gzip files may have many members and zstd files many frames, skippable ones included. Other
 * compressed formats are recognised and refused with the command that unpacks them. Memory: 256 KiB
 * for compressed input and what the decoder needs, all charged to the budget; a zstd frame's window
 * is charged before it is decoded. One thread at a time. */
#ifndef MR_FORMATS_STREAM_INPUT_H
#define MR_FORMATS_STREAM_INPUT_H

#include "engine/base/context.h"

struct mr_input;

enum mr_input_coding { MR_INPUT_PLAIN, MR_INPUT_GZIP, MR_INPUT_ZSTD };

#define MR_INPUT_PEEK_BYTES (64u << 10)

/* Open `path`, "-" for standard input; nothing is read yet. The context outlives the input. Errors:
 * RUNTIME when it cannot be opened, INPUT for a directory, BUDGET. */
enum mr_status mr_input_open(const struct mr_context *context, const char *path,
                             struct mr_input **out, struct mr_error *err) MR_WARN_UNUSED;
/* NULL is allowed. */
void mr_input_close(struct mr_input *input);

/* Up to `capacity` (> 0) decompressed bytes to `buffer`; `*got` is 0 only at the end. Damaged or
 * truncated compressed data, bytes after its end that are no further member or frame, and
 * compressions that are not read are MR_ERROR_INPUT at the offset in the compressed file. What had
 * been read before stays good. */
enum mr_status mr_input_read(struct mr_input *input, void *buffer, size_t capacity, size_t *got,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Of a plain file, once what was peeked at is read: see mr_source_take. 0 wherever mr_input_read has to be asked.
 * Bytes that were taken may be read by several threads at once. */
size_t mr_input_take(struct mr_input *input, size_t capacity, uint64_t *offset);
enum mr_status mr_input_read_at(struct mr_input *input, void *buffer, size_t bytes, uint64_t offset,
                                struct mr_error *err) MR_WARN_UNUSED;

/* The first decompressed bytes, up to MR_INPUT_PEEK_BYTES, without consuming them: fewer only where
 * the input is shorter. Before the first read only. `*data` lives until the first read. */
enum mr_status mr_input_peek(struct mr_input *input, const char **data, size_t *bytes,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Ask, before the first read or peek, that mr_input_rewind work: pipes are copied to
 * context->tmp_dir as they are read, as they come, compressed or not. */
enum mr_status mr_input_keep(struct mr_input *input, struct mr_error *err) MR_WARN_UNUSED;
/* Back to the first byte; after the end has been reached and mr_input_keep has been called. */
enum mr_status mr_input_rewind(struct mr_input *input, struct mr_error *err) MR_WARN_UNUSED;

/* For messages and progress. The name is the path, "standard input" for "-", and lives as long as
 * the input. The codec is known after the first read or peek. `done` counts bytes of the file as it
 * lies on disk; `total` is 0 where it is unknown. */
const char *mr_input_name(const struct mr_input *input);
enum mr_input_coding mr_input_codec(const struct mr_input *input);
void mr_input_position(const struct mr_input *input, uint64_t *done, uint64_t *total);

#endif
