/* SPDX-License-Identifier: Apache-2.0 */
/* Runs: names in key order on temporary disk. The dictionary writes them when its memory is full,
 * and merges them. Internal to the dictionary.
 *
 * A run is a sequence of blocks, each zstd level 1 over front-coded entries:
 *
 *     u32 stored bytes, u32 raw bytes, frame
 *     entry:  LEB number, LEB shared, LEB rest, rest    the spelling, against the one before
 *             LEB 0, or LEB 1 + shared, LEB rest, rest  the canonical name, against the spelling
 *
 * One thread at a time. Several runs may share a file, one after the other. */
#ifndef MR_ENGINE_BUILDER_VERTICES_DICTIONARY_RUN_H
#define MR_ENGINE_BUILDER_VERTICES_DICTIONARY_RUN_H

#include <stdbool.h>

#include "engine/io/scratch_file.h"
#include "engine/names/names.h"

struct mr_run_writer;
struct mr_run_reader;

struct mr_name_run {
    struct mr_scratch_file *file;
    uint64_t begin, end; /* range of its blocks in the file */
    uint64_t n_entries;
};

/* One name. The pointers are borrowed. */
struct mr_run_entry {
    uint32_t number;
    const char *spelling, *canonical; /* equal pointers if the texts are the same */
    uint32_t spelling_bytes, canonical_bytes;
};

/* Write a run to `file` from `offset` on. finish frees the writer in any case; destroy takes NULL.
 * About 400 KiB. */
enum mr_status mr_run_writer_create(const struct mr_context *context, struct mr_scratch_file *file,
                                    uint64_t offset, struct mr_run_writer **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_run_writer_put(struct mr_run_writer *writer, const struct mr_run_entry *entry,
                                 struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_run_writer_finish(struct mr_run_writer *writer, struct mr_name_run *run,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_run_writer_destroy(struct mr_run_writer *writer);

/* Read a run. `discard` gives its disk space back block by block. */
#define MR_RUN_READER_BYTES ((uint64_t)832 << 10) /* the most memory that a reader takes */
enum mr_status mr_run_reader_open(const struct mr_context *context, const struct mr_name_run *run,
                                  bool discard, struct mr_run_reader **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
/* The next entry, valid until the next call; `*out` is NULL at the end. */
enum mr_status mr_run_reader_next(struct mr_run_reader *reader, const struct mr_run_entry **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_run_reader_close(struct mr_run_reader *reader);

#endif
