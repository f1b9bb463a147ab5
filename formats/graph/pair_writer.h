/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the edges of a generator into a file: as text, one pair per line, or as raw numbers. The
 * suffix decides about compression: ".zst" and ".gz" get a frame for each unit of the generator,
 * which any tool reads as one file. */
#ifndef MR_FORMATS_GRAPH_PAIR_WRITER_H
#define MR_FORMATS_GRAPH_PAIR_WRITER_H

#include "generators/generate.h"

struct mr_pair_writer;

enum mr_pair_format {
    MR_PAIRS_TEXT, /* "source TAB target LF", numbers or names */
    MR_PAIRS_U32 /* source and target, 32 bits each, little-endian */
};

/* Writes the name of `vertex` to `name[MR_PAIR_NAME_MAX_BYTES]` and returns its length.
 * Thread-safe. */
#define MR_PAIR_NAME_MAX_BYTES 128u
typedef size_t (*mr_pair_namer)(const void *data, uint32_t vertex, char *name);

struct mr_pair_writer_options {
    size_t struct_size; /* sizeof(struct mr_pair_writer_options) */
    enum mr_pair_format format;
    bool force; /* replace an existing file */
    mr_pair_namer namer; /* TEXT: NULL for numbers */
    const void *namer_data;
};

/* Open a file for pairs. Errors: USAGE when `path` exists and `force` is false; BUDGET. Memory: as
 * of mr_output_write_rows, and per thread 0.3 MiB and the edges of a unit. */
enum mr_status mr_pair_writer_open(const struct mr_context *context, const char *path,
                                   const struct mr_pair_writer_options *options,
                                   struct mr_pair_writer **out,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* The sink for mr_generate, which must use the same context. The writer must outlive it. */
struct mr_edge_sink mr_pair_writer_sink(struct mr_pair_writer *writer);

uint64_t mr_pair_writer_pairs(const struct mr_pair_writer *writer); /* written so far */

/* Sync and publish. Frees `writer` on success and on failure. */
enum mr_status mr_pair_writer_commit(struct mr_pair_writer *writer,
                                     struct mr_error *err) MR_WARN_UNUSED;
/* Give up and remove the file. `writer` may be NULL. */
void mr_pair_writer_abandon(struct mr_pair_writer *writer);

#endif
