/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the edges of a generator into a file: as text, one pair per line, or as raw numbers. The
 * suffix decides about compression: ".zst" and ".gz" get a frame for each unit of the generator,
 * which any tool reads as one file. */
#ifndef MR_FORMATS_GRAPH_PAIR_WRITER_H
#define MR_FORMATS_GRAPH_PAIR_WRITER_H

#include "generators/generate.h"

enum mr_pair_format {
    MR_PAIRS_TEXT, /* "source TAB target LF", numbers or names */
    MR_PAIRS_U32 /* source and target, 32 bits each, little-endian */
};

/* Writes the name of `vertex` to `name[MR_GENERATOR_NAME_MAX_BYTES]` and returns its length.
 * Thread-safe. */
typedef size_t (*mr_pair_namer)(const void *data, uint32_t vertex, char *name);

struct mr_pairs {
    const char *path;
    enum mr_pair_format format;
    bool force; /* replace an existing file */
    mr_pair_namer namer; /* TEXT: NULL for numbers */
    const void *namer_data;
    _Atomic uint64_t n_pairs; /* written so far */
};

/* The sink for mr_generate that writes and publishes the file; `pairs` outlives it. Errors: USAGE
 * when the file exists and `force` is false; BUDGET. Memory: as of mr_output_write_rows, and per
 * thread 0.3 MiB and the edges of a unit. */
struct mr_edge_sink mr_pairs_sink(struct mr_pairs *pairs);

#endif
