/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader of text (edge_text.c) shares with its threads (edge_text_team.c, below it) and
 * with its kernels. Internal to them. */
#ifndef MR_FORMATS_GRAPH_EDGE_TEXT_INTERNAL_H
#define MR_FORMATS_GRAPH_EDGE_TEXT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/builder/build.h"
#include "formats/graph/edge_text.h"
#include "formats/table/line_team.h"

/* ---- Plain lines (edge_lines.c, edge_lines_avx2.c) ----
 *
 * Converts plain lines of two numbers, which are nearly all lines of a real edge list. The kernel
 * depends on the processor. */

/* Convert lines "digits, one separator, digits, end" from `*at` on, up to `room` of them, into
 * `edges`. A number has 1..16 digits, no zeros before it and a value below `limit`. With `swap` the
 * first number is the target. The conversion stops at the first line of another form. Returns the
 * number of edges;
 * `*at` moves to the beginning of the line after them, or to `end`. Every line before `end` ends
 * with LF, and MR_LINES_PADDING_BYTES after `end` can be read. */
typedef size_t (*mr_edge_lines)(const char **at, const char *end, struct mr_edge *edges,
                                size_t room, uint64_t limit, bool swap);

/* Converts one run of digits after the other: 13 ns per line of 15 bytes (Zen 3, busy host). */
size_t mr_edge_lines_portable(const char **at, const char *end, struct mr_edge *edges, size_t room,
                              uint64_t limit, bool swap);

#if defined(__x86_64__)
/* For processors with AVX2 and BMI2: 7.4 to 9.5 ns per line. */
size_t mr_edge_lines_avx2(const char **at, const char *end, struct mr_edge *edges, size_t room,
                          uint64_t limit, bool swap);
#endif

/* The fastest kernel for this processor. */
mr_edge_lines mr_edge_lines_best(void);

static inline bool mr_edge_lines_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',';
}

/* Has the number zeros before it, as 007? */
static inline bool mr_edge_lines_padded(const char *number, const char *end)
{
    return __builtin_expect(*number == '0', 0) && end - number > 1;
}

/* edges: 128 KiB, which fit into the L2 cache together with a chunk */
#define MR_EDGE_TEXT_BATCH 8192u

struct mr_edge_text_team;

/* The state of one thread. */
struct mr_edge_text_reader {
    const struct mr_context *context;
    struct mr_input *input;
    struct mr_build *build;
    const struct mr_edge_text_options *options;
    struct mr_edge_text_summary *summary;
    struct mr_edge *batch; /* [MR_EDGE_TEXT_BATCH] */
    size_t n_batch;
    uint64_t line; /* of this chunk, from 1; of the input when the chunk has its turn */
    uint64_t edges; /* of this chunk; of the input when the chunk has its turn */
    uint64_t limit; /* DENSE: ids must be below it; otherwise UINT64_MAX, which allows all */
    const struct mr_edge_text_table *table; /* or NULL */
    bool ask; /* only ids of a vertex list are allowed */
    bool swap; /* the first column is the target */
    bool nothing_good; /* all lines that can be examined in advance are bad */
    mr_edge_lines convert;
    struct mr_line_chunk *chunk;
    struct mr_edge_text_team *team;
};

/* Parse [data, end), complete lines with MR_LINES_PADDING_BYTES after them, and pass all of their
 * edges to the builder. */
typedef enum mr_status (*mr_edge_text_parse)(struct mr_edge_text_reader *reader, const char *data,
                                             const char *end, struct mr_error *err);

/* Wait until all chunks before this reader's are done. Then its counts and its line are those of
 * the whole input. Returns false when another reader failed, so that the turn never comes. */
bool mr_edge_text_await_turn(struct mr_edge_text_reader *reader);

/* Read all lines of `first->input` with up to `n_workers` threads, which work like `first` and call
 * `parse` for each chunk. The counts go to the summary of `first`. Errors and notes are those of
 * one thread. */
enum mr_status mr_edge_text_read_by_team(const struct mr_edge_text_reader *first,
                                         mr_edge_text_parse parse, unsigned n_workers,
                                         struct mr_error *err) MR_WARN_UNUSED;

#endif
