/* SPDX-License-Identifier: Apache-2.0 */
/* An output file: buffered, compressed as its suffix says, and visible only when it is complete.
 *
 * A regular file is written under a temporary name; commit renames it. Standard output, and a path
 * that names a pipe or a device (/dev/null), are written directly. The suffixes ".gz" and ".zst"
 * compress. Memory: 512 KiB and the encoder's memory, charged to the budget. One thread at a
 * time. */
#ifndef MR_FORMATS_STREAM_OUTPUT_H
#define MR_FORMATS_STREAM_OUTPUT_H

#include <stdbool.h>

#include "engine/base/context.h"
#include "formats/stream/name_text.h"

struct mr_output;

/* Begin `path`; NULL, "-" and "/dev/stdout" are standard output, which is not closed at the end.
 * Errors: USAGE when the file exists and `force` is false; RUNTIME; BUDGET. The context outlives
 * the output. */
enum mr_status mr_output_open(const struct mr_context *context, const char *path, bool force,
                              struct mr_output **out, struct mr_error *err) MR_WARN_UNUSED;

/* Begin a .parquet or .duckdb of lines with tabs. Columns, metadata and errors: see
 * mr_table_file_open. */
enum mr_status mr_output_open_table(const struct mr_context *context, const char *path, bool force,
                                    const char *columns, double bound, const char *metadata,
                                    struct mr_output **out, struct mr_error *err) MR_WARN_UNUSED;

/* Append `data[bytes]`. An error of the disk may show only at a later write or at commit. */
enum mr_status mr_output_write(struct mr_output *output, const void *data, size_t bytes,
                               struct mr_error *err) MR_WARN_UNUSED;
/* Append formatted text of at most 1023 bytes; longer text is an error. `err` is not the last
 * parameter here, because of the variable arguments. */
enum mr_status mr_output_print(struct mr_output *output, struct mr_error *err, const char *format,
                               ...) MR_PRINTF(3, 4) MR_WARN_UNUSED;

/* Append `name[name_bytes]` in that form. Increments `*escaped` when that is another text. */
enum mr_status mr_output_name_escaped(struct mr_output *output, const char *name, size_t name_bytes,
                                      enum mr_name_form form, uint64_t *escaped,
                                      struct mr_error *err) MR_WARN_UNUSED;
/* The same as a field of JSON, which has the form MR_NAME_UTF8, or else of CSV (RFC 4180), in
 * quotes if it needs them. */
enum mr_status mr_output_name_field(struct mr_output *output, enum mr_name_form form,
                                    const char *name, size_t name_bytes, uint64_t *escaped,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Write out the rest, sync, and publish the file or leave that to the context's group of outputs.
 * Frees `output` in any case. */
enum mr_status mr_output_commit(struct mr_output *output, struct mr_error *err) MR_WARN_UNUSED;
/* Give up, and remove the written bytes where possible. NULL is allowed. */
void mr_output_abandon(struct mr_output *output);

/* Commit if `status` is MR_OK; otherwise abandon and return `status`. */
enum mr_status mr_output_end(struct mr_output *output, enum mr_status status,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Refuse a file of `what` that takes `least` bytes or more where its disk has less room, before the
 * work: BUDGET. `*room` gets the free bytes; UINT64_MAX if the size is not known, because it is
 * compressed or no file. */
enum mr_status mr_output_check_room(const char *path, const char *what, uint64_t least,
                                    uint64_t *room, struct mr_error *err) MR_WARN_UNUSED;

/* Write a whole file of `text[bytes]`. Errors: those of opening, writing and committing it. */
enum mr_status mr_output_file(const struct mr_context *context, const char *path, bool force,
                              const char *text, size_t bytes, struct mr_error *err) MR_WARN_UNUSED;

/* Does `path` without its compression suffix end with `suffix`? "x.npy.gz" ends with ".npy". */
bool mr_output_has_suffix(const char *path, const char *suffix);

/* Is `path` standard output for mr_output_open? */
bool mr_output_is_standard(const char *path);

/* The memory that writing `path` takes. */
uint64_t mr_output_memory(const char *path);

/* Does mr_output_open compress `path`? */
bool mr_output_compresses(const char *path);

/* ---- Rows that all threads make (output_parts.c) ----
 *
 * The rows are cut into parts of a fixed number. Threads take the parts in ascending order, each
 * collects the text of its part in memory, and the parts go to the file in their order. In a
 * compressed output each part is compressed by its thread, as a frame of zstd or a member of gzip:
 * so the bytes are the same for any number of threads. A part that is larger than the memory for it
 * waits for its turn and then goes to the file directly. */

struct mr_output_rows {
    uint64_t n_rows, rows_per_part; /* the latter at least 1 */
    bool one_by_one; /* by one thread */
    void *data; /* of the caller */
    /* What one thread needs to write rows, a cursor for example. Called by the thread that calls
     * mr_output_write_rows. `close` may be NULL; threads have ended then, so that it can add up
     * counts. */
    enum mr_status (*open)(void *data, void **worker, struct mr_error *err);
    void (*close)(void *data, void *worker);
    /* Write rows [first, end). One worker gets parts in ascending order. */
    enum mr_status (*write)(void *worker, struct mr_output *output, uint64_t first, uint64_t end,
                            struct mr_error *err);
};

/* Write all rows. Takes as many threads as the context has, fewer where the budget has no room for
 * 2.3 MiB each (8.5 with zstd). Errors: those of the calls above, of the disk, INTERRUPTED. */
enum mr_status mr_output_write_rows(struct mr_output *output, const struct mr_output_rows *rows,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
