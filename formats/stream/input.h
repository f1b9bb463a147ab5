/* SPDX-License-Identifier: Apache-2.0 */
/* An input as a stream of decompressed bytes. The content shows whether it is plain, gzip or zstd.
 * Text in UTF-16 becomes UTF-8; where lines end with CR alone, CR becomes LF.
 *
 * A gzip file may have many members. A zstd file may have many frames, also skippable ones; the
 * first may hold the dictionary of all others. Other compressions are recognised and refused; the
 * message names the command that decompresses. Memory: 256 KiB for compressed bytes, and the
 * decoder's memory, all charged to the budget. The window of a zstd frame is charged before the
 * frame is decoded. One thread at a time. */
#ifndef MR_FORMATS_STREAM_INPUT_H
#define MR_FORMATS_STREAM_INPUT_H

#include <stdbool.h>

#include "engine/base/context.h"

struct mr_file;
struct mr_input;
struct mr_query;

enum mr_input_coding { MR_INPUT_PLAIN, MR_INPUT_GZIP, MR_INPUT_ZSTD, MR_INPUT_CONVERTED };

#define MR_INPUT_PEEK_BYTES (64u << 10)

/* Open `path`; "-" is standard input. Nothing is read yet. The context outlives the input. Errors:
 * RUNTIME when it cannot be opened, INPUT for a directory, BUDGET. */
enum mr_status mr_input_open(const struct mr_context *context, const char *path,
                             struct mr_input **out, struct mr_error *err) MR_WARN_UNUSED;
/* NULL is allowed. */
void mr_input_close(struct mr_input *input);

/* Read up to `capacity` (> 0) decompressed bytes to `buffer`; `*got` is 0 only at the end. Errors:
 * INPUT, with the offset in the compressed file, for damaged or truncated data, for bytes after the
 * end that are not another member or frame, and for compressions that Millrace does not read. Bytes
 * of earlier reads stay good. */
enum mr_status mr_input_read(struct mr_input *input, void *buffer, size_t capacity, size_t *got,
                             struct mr_error *err) MR_WARN_UNUSED;
/* At the end of a text: did a small gzip member or zstd frame end within a line, and another one
 * follow? Then two files were put together. Errors: INPUT if so. */
enum mr_status mr_input_check_lines(const struct mr_input *input,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* Read `bytes`, however they come; `*got` is smaller only at the end. */
enum mr_status mr_input_fill(struct mr_input *input, void *buffer, size_t bytes, size_t *got,
                             struct mr_error *err) MR_WARN_UNUSED;

/* After an INPUT error of mr_input_read: can reading go on behind the damage? It can in gzip data.
 * `*certain` counts the bytes before the damaged member. Bytes read behind these may be wrong.
 * Where the file ends in the middle of a member, all bytes read are certain. */
bool mr_input_can_recover(const struct mr_input *input, uint64_t *certain);
/* Go to the next gzip member behind the beginning of the damaged one, or to the end of the file.
 * Errors: those of mr_input_read. */
enum mr_status mr_input_recover(struct mr_input *input, struct mr_error *err) MR_WARN_UNUSED;

/* Take the next bytes of a plain file without reading them, after the peeked bytes are read (see
 * mr_source_take). Returns 0 where the caller must use mr_input_read. Several threads may call
 * mr_input_read_at at once for the bytes taken. */
size_t mr_input_take(struct mr_input *input, size_t capacity, uint64_t *offset);
enum mr_status mr_input_read_at(struct mr_input *input, void *buffer, size_t bytes, uint64_t offset,
                                struct mr_error *err) MR_WARN_UNUSED;

/* mr_file_read of an input, which is called `name`. MR_ERROR_INPUT if the file has become shorter
 * than it was when it was opened. */
enum mr_status mr_input_file_read(struct mr_file *file, const char *name, void *data,
                                  uint64_t bytes, uint64_t offset,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* The first decompressed bytes, up to MR_INPUT_PEEK_BYTES; fewer only where the input is shorter or
 * damaged. A later read returns them again, and after them the error. Only before the first read.
 * `*data` lives until the first read. */
enum mr_status mr_input_peek(struct mr_input *input, const char **data, size_t *bytes,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Prepare for mr_input_rewind; before the first read or peek. The bytes of a pipe are copied to
 * context->tmp_dir while they are read, without decompression. */
enum mr_status mr_input_make_rewindable(struct mr_input *input,
                                        struct mr_error *err) MR_WARN_UNUSED;
/* Go back to the first byte, after the end has been reached. Needs mr_input_make_rewindable. */
enum mr_status mr_input_rewind(struct mr_input *input, struct mr_error *err) MR_WARN_UNUSED;

/* For messages and progress. The name is the path, or "standard input" for "-"; it lives as long as
 * the input. The codec is known after the first read or peek. `done` counts bytes of the file on
 * disk, compressed or not; `total` is 0 where it is unknown. */
const char *mr_input_name(const struct mr_input *input);
enum mr_input_coding mr_input_codec(const struct mr_input *input);
void mr_input_position(const struct mr_input *input, uint64_t *done, uint64_t *total);
/* The query whose text it is (formats/stream/query.h), or NULL. */
struct mr_query *mr_input_query(const struct mr_input *input);

#endif
